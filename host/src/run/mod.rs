//! `vinci run`: from a loaded experiment to a directory of results.

mod changes;
mod composite;
mod course;
mod execute;
mod failure;
mod foresight;
mod overlap;
pub mod physics;
mod prepare;
mod repro;
mod route;
mod state;
mod view;

pub use changes::{Changes, Happened};
pub use course::{Onlooker, course};
pub use execute::{RunEnd, execute};
pub use failure::is_plugin_fault;
pub(crate) use foresight::refuse_declared;
pub use overlap::{open_joints, overlaps};
pub use physics::{Polygon, polygon};
pub use prepare::{DEFAULT_TOLERANCE, Prepared, Used, prepare};
pub(crate) use route::settle;
pub use route::{Route, classes};
pub use state::{STATE_FORMAT, resume};
pub use view::SystemViews;
