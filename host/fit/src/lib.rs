//! Derivatives of runs by parameters of their experiment, and parameters from measurements.
//!
//! A [`Parameter`] is a number of an experiment by its path, a [`Measure`] a number of a run. [`Trials`] makes runs with other values of
//! the parameters ([`RunRecord`]). [`sensitivity`] differentiates measures by parameters, with both one-sided values and a warning at a
//! kink; [`fit`] finds the values with which a run comes nearest to recorded [`Data`], says how well each is known, and which cannot be
//! told apart.

mod adjoint;
mod columns;
mod confidence;
mod curvature;
mod data;
mod differences;
mod direction;
mod fit;
mod landings;
mod linear_step;
mod linearizer;
mod measure;
mod members;
mod options;
mod parabola;
mod parameter;
mod probes;
mod refused;
mod report;
mod residual;
mod run_record;
mod search;
mod sensitivity;
mod sides;
mod tangents;
mod trials;
mod whole_runs;

pub use confidence::{Confidence, ParameterConfidence};
pub use data::Data;
pub use differences::{Derivative, Kink};
pub use direction::DirectionCheck;
pub use fit::{Fit, fit};
pub use landings::Landing;
pub use measure::Measure;
pub use options::{FitOptions, Search};
pub use parameter::Parameter;
pub use run_record::RunRecord;
pub use sensitivity::{DerivativeMethod, Sensitivity, sensitivity};
pub use trials::Trials;
