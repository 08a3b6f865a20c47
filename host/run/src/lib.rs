//! A run: from a loaded experiment to a directory of results.
//!
//! [`prepare`] makes a simulation of an experiment and the plugins it names, [`execute`] runs it ([`run_loop`]) and writes the directory:
//! tables ([`record`]), [`summary`], [`report`], [`plot`]s, [`pictures`] and the page of [`view`]. [`lock`], [`atomic_write`] and [`sealed`]
//! keep the directory whole whatever happens.

pub mod acceptance;
mod archive;
mod assemble;
pub mod atomic_write;
pub mod bundle;
pub mod certificate;
mod checkpoint;
mod clock;
mod composite;
mod execute;
pub mod exit;
mod failure;
mod foresight;
pub mod freer;
mod gathered;
pub mod lock;
mod overlap;
mod own_solver;
pub mod physics;
pub mod pictures;
pub mod plot;
mod prepare;
mod prepared;
pub mod problem_file;
mod races;
mod ready;
pub mod record;
mod recording;
pub mod report;
mod repro;
pub mod results;
mod route;
mod run_loop;
mod scheduled_events;
pub mod sealed;
mod settle;
mod shortfall;
pub mod signals;
mod state;
pub mod summary;
mod surroundings;
pub mod svg;
pub mod table;
pub mod table_file;
pub mod time_limit;
mod turns;
mod used;
pub mod view;
mod writing;

pub use archive::ARCHIVE;
pub use assemble::{Law, Scenery, role_at, scenery};
pub use checkpoint::{CHECKPOINT, Checkpoint, remove as remove_checkpoint, take_up};
pub use execute::{Guidance, RunEnd, execute, execute_guided};
pub use failure::{is_plugin_fault, unstartable};
pub use foresight::refuse_declared;
pub use overlap::{open_joints, overlaps};
pub use own_solver::solved_by;
pub use physics::{Polygon, polygon};
pub use prepare::prepare;
pub use prepared::Prepared;
pub use races::{RACES, recorded_races};
pub use ready::ready;
pub use route::EmittedClasses;
pub use run_loop::{Observer, run_loop};
pub use scheduled_events::{FiredEvent, RunSnapshot, ScheduledEvents, change, difference, identity};
pub use settle::settle;
pub use shortfall::shortfall;
pub use state::{START, STATE_FORMAT, SavedState, resume};
pub use surroundings::{Surroundings, own_stdout};
pub use turns::Turn;
pub use used::Used;
