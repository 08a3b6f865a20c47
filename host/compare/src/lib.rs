//! Comparisons: one scene, several models.
//!
//! [`ComparisonRuns`] says which runs there are: an experiment and what is varied, or a file of format [`types::COMPARISON_FORMAT`] with named
//! models and a matrix. [`NotRun`] tells combinations that cannot run from comparisons that are wrong. [`physics`] says what the
//! runs take from their scene in different ways, [`diff`] where two of them part and why,
//! [`measures`] how far they are from a reference, [`restart`] what models make of states of another run, [`advice`] which models suit a scene.

pub mod advice;
mod axes;
pub mod diff;
mod first_error;
mod impossible;
mod load;
pub mod measures;
pub mod motion;
pub mod physics;
pub mod protocols;
pub mod restart;
pub mod section;
pub mod types;

pub use axes::{Axis, Choice, Combination, Outsider, is_of_time_grid};
pub use impossible::NotRun;
pub use load::ComparisonRuns;
