//! Derivatives of runs by parameters of their experiment, and parameters from measurements.
//!
//! A [`Parameter`] is a number of an experiment by its path, a [`Measure`] a number of a run. [`Trials`] makes runs with other values of
//! the parameters ([`Course`]). [`sensitivity`] differentiates measures by parameters, with both one-sided values and a warning at a
//! kink; [`fit`] finds the values with which a run comes nearest to recorded [`Data`], says how well each is known, and which cannot be
//! told apart.

mod adjoint;
mod asked;
mod columns;
mod confidence;
mod course;
mod data;
mod differences;
mod fit;
mod measure;
mod parameter;
mod residual;
mod search;
mod sensitivity;
mod tangents;
mod trials;
mod words;

pub use asked::{Asked, Search};
pub use confidence::{Confidence, Known};
pub use course::Course;
pub use data::Data;
pub use differences::{Derivative, Kink};
pub use fit::{Fit, fit};
pub use measure::Measure;
pub use parameter::Parameter;
pub use sensitivity::{Sensitivity, Way, sensitivity};
pub use trials::Trials;
