//! `vinci run`: from a loaded experiment to a directory of results.

mod checkpoint;
mod composite;
mod execute;
mod failure;
mod foresight;
mod overlap;
pub mod physics;
mod prepare;
mod recording;
mod repro;
mod route;
mod run_loop;
mod scheduled_events;
mod state;
mod surroundings;
mod view;
mod writing;

pub(crate) use checkpoint::{CHECKPOINT, remove as remove_checkpoint};
pub use checkpoint::{Checkpoint, take_up};
pub use execute::{Guidance, RunEnd, execute, execute_guided};
pub use failure::is_plugin_fault;
pub(crate) use failure::unstartable;
pub(crate) use foresight::refuse_declared;
pub use overlap::{open_joints, overlaps};
pub use physics::{Polygon, polygon};
pub use prepare::{DEFAULT_TOLERANCE, Prepared, Used, prepare};
pub(crate) use route::settle;
pub use route::{EmittedClasses, classes};
pub use run_loop::{Observer, run_loop};
pub use scheduled_events::{FiredEvent, ScheduledEvents};
pub use state::{STATE_FORMAT, resume};
pub use surroundings::Surroundings;
pub use view::SystemViews;
