//! The referee over motions that were recorded elsewhere: of other simulators, or of runs of Vinci.
//!
//! [`read`] takes a table of places and velocities, and one of contact forces where there are any; [`Case::judge`] goes through the
//! simulation that runs go through, with the record in the place of a stepper, so that detector, contacts, rows, referee and limits are
//! those of a run. Where no forces are given, the best that lie within the friction cones are looked for, step by step.

mod case;
mod directory;
mod files;
mod forces;
mod judged;
mod least;
mod motion;
mod replay;
mod search;
mod tally;
mod widths;

pub use case::{Case, read};
pub use files::{Files, Verdict};
pub use judged::{Judged, Watch};
pub use motion::{Leg, Motion};
pub use tally::{Most, Tally};
pub use widths::{ContactWidth, Look, Spread, Widths, look, over_run};
