//! `vinci run`: from a loaded experiment to a directory of results.

mod execute;
mod overlap;
mod prepare;
mod repro;
mod view;

pub use execute::{RunEnd, execute, is_plugin_fault};
pub use overlap::overlaps;
pub use prepare::{DEFAULT_TOLERANCE, Prepared, Route, Used, prepare};
pub use view::SystemViews;
