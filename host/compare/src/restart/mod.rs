//! Models that begin at states of another run: one step from the same state ([`same_state`]), errors over windows ([`localised`]).
//!
//! A leading run is made once more ([`lead`]). At the start of every window the state that it stands in is given to all models
//! ([`follower`]); at the end of the window they are held against it ([`trace`]).

mod checks;
mod distribution;
mod follower;
mod lead;
mod localised;
mod owners;
mod same_state;
mod trace;

pub use distribution::Distribution;
pub use follower::Field;
pub use localised::{LOCALISED_FILES, LocalisedError, localised};
pub use owners::{Differences, Owners};
pub use same_state::{SAME_STATE_FILES, SameStates, same_state};
pub use trace::{Trace, Traces, WindowEnd};
