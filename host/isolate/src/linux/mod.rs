//! Workers on Linux.

mod calls;
mod held;
mod interpreter;
mod line;
mod lock;
mod memory;
mod message;
mod named;
mod order;
mod pipe;
mod plugin;
mod pool;
mod private;
mod process;
mod program;
mod region;
mod remote;
mod sandbox;
mod serve;
mod speaker;
mod spoken;
mod stages;
mod start;
mod views;
mod watched;
mod words;
mod worker;

pub use plugin::load;
pub use pool::Workers;
pub use program::load_program;
pub use sandbox::confine_unwatched;
pub use serve::serve;
pub use start::start;
