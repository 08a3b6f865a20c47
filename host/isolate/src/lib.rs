//! Plugins in processes of their own.
//!
//! A worker is the program once more (`vinci plugin worker`), with some memory that it shares with the host. It loads a library and makes its
//! instances; the host has a stage for each that asks it. What comes back is copied out of the shared memory first and then looked at as if a
//! library of this process had returned it, so that a stage in a worker gives the same bits and the same errors.
//!
//! A plugin may also be a program of its own (in Python, say), which speaks a documented protocol over its standard input and output.
//!
//! | in `linux` | host | worker |
//! |---|---|---|
//! | shared memory | `region`, `line` | `region`, `line` |
//! | messages | `words`, `views`, `order` | `words`, `views`, `order` |
//! | processes | `process`, `worker`, `pool` | `serve`, `sandbox` |
//! | stages | `remote`, `plugin` | `held` |
//! | programs | `program`, `speaker`, `spoken`, `pipe`, `message`, `named`, `private`, `interpreter` | `start` |
//!
//! One thread of the host and the worker's are never at work at once: who has the turn may write to the shared memory, and the other
//! waits. So a call-back is a question in the middle of a call, and may itself ask the worker something.

mod limits;
mod program_start;

#[cfg_attr(target_os = "linux", path = "linux/mod.rs")]
#[cfg_attr(not(target_os = "linux"), path = "elsewhere.rs")]
mod system;

pub use limits::Limits;
pub use program_start::Start;
pub use system::{Workers, confine_unwatched, load, load_program, serve, start};

/// True where plugins can have a process of their own: on Linux, which has memory and wake-ups that two processes share.
pub const AVAILABLE: bool = cfg!(target_os = "linux");
