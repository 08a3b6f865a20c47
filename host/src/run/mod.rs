//! `vinci run`: from a loaded experiment to a directory of results.

mod course;
mod execute;
mod overlap;
mod prepare;
mod repro;
mod route;
mod view;

pub use course::{Onlooker, course};
pub use execute::{RunEnd, execute, is_plugin_fault};
pub use overlap::{open_joints, overlaps};
pub use prepare::{DEFAULT_TOLERANCE, Prepared, Used, prepare};
pub(crate) use route::settle;
pub use route::{Polygon, Route, classes, polygon};
pub use view::SystemViews;
