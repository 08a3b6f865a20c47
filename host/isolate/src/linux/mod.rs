//! Workers on Linux.

mod held;
mod line;
mod lock;
mod order;
mod plugin;
mod pool;
mod process;
mod region;
mod remote;
mod sandbox;
mod serve;
mod views;
mod words;
mod worker;

pub use plugin::load;
pub use pool::Workers;
pub use sandbox::confine;
pub use serve::serve;
