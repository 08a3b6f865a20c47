//! Plugins in processes of their own.
//!
//! A worker is the program once more (`vinci plugin worker`), with some memory that it shares with the host. It loads a library and makes its
//! instances; the host has a stage for each that asks it. What comes back is copied out of the shared memory first and then looked at as if a
//! library of this process had returned it, so that a stage in a worker gives the same bits and the same errors.
//!
//! | | host | worker |
//! |---|---|---|
//! | shared memory | `region`, `line` | `region`, `line` |
//! | messages | `words`, `views`, `order` | `words`, `views`, `order` |
//! | processes | `process`, `worker`, `pool` | `serve`, `sandbox` |
//! | stages | `remote`, `plugin` | `held` |
//!
//! One thread of the host and the worker's are never at work at once: who has the turn may write to the shared memory, and the other
//! waits. So a call-back is a question in the middle of a call, and may itself ask the worker something.

#[cfg(target_os = "linux")]
mod held;
mod limits;
#[cfg(target_os = "linux")]
mod line;
#[cfg(target_os = "linux")]
mod order;
#[cfg(target_os = "linux")]
mod plugin;
#[cfg(target_os = "linux")]
mod pool;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod region;
#[cfg(target_os = "linux")]
mod remote;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod serve;
#[cfg(target_os = "linux")]
mod views;
#[cfg(target_os = "linux")]
mod words;
#[cfg(target_os = "linux")]
mod worker;

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Workers, confine, load, serve};
pub use limits::Limits;
#[cfg(target_os = "linux")]
pub use plugin::load;
#[cfg(target_os = "linux")]
pub use pool::Workers;
#[cfg(target_os = "linux")]
pub use sandbox::confine;
#[cfg(target_os = "linux")]
pub use serve::serve;

/// True where plugins can have a process of their own: on Linux, which has memory and wake-ups that two processes share.
pub const AVAILABLE: bool = cfg!(target_os = "linux");
