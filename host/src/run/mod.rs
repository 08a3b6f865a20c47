//! `vinci run`: from a loaded experiment to a directory of results.

mod changes;
mod checkpoint;
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
mod surroundings;
mod view;
mod writing;

pub use changes::{Changes, Happened};
pub(crate) use checkpoint::{CHECKPOINT, remove as remove_checkpoint};
pub use checkpoint::{Checkpoint, take_up};
pub use course::{Onlooker, course};
pub use execute::{Guidance, RunEnd, execute, execute_guided};
pub use failure::is_plugin_fault;
pub(crate) use failure::unstartable;
pub(crate) use foresight::refuse_declared;
pub use overlap::{open_joints, overlaps};
pub use physics::{Polygon, polygon};
pub use prepare::{DEFAULT_TOLERANCE, Prepared, Used, prepare};
pub(crate) use route::settle;
pub use route::{Route, classes};
pub use state::{STATE_FORMAT, resume};
pub use surroundings::Surroundings;
pub use view::SystemViews;
