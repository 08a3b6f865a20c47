//! A stepper, a solver and a detector that lie on demand: `{"lie": "no-friction"}`. Without a lie they are honest.
//!
//! - [`stepper`]: Stewart and Trinkle's step, whose answer is then falsified so that everything else still fits ([`lies`]). Its
//!   manifest takes what it declares from options, so that a liar can also declare a departure and abuse it;
//! - [`layered`]: the step of Song, Pang and Kumar with another friction or stiffness than the scene's;
//! - [`solver`]: a small projected Gauss-Seidel method on the unknowns of contacts and rows;
//! - [`detector`]: discs and balls, half-planes, half-spaces and planar walls.
//!
//! What the referee makes of every lie stands in `tests/tests/program/liars.rs`.

pub mod balance;
pub mod claim;
pub mod config;
pub mod detector;
pub mod layered;
pub mod lies;
pub mod solver;
pub mod stepper;

vinci_sdk::export_plugin!(
    detector = detector::LyingDetector,
    stepper = stepper::LyingStepper,
    solver = solver::LyingSolver
);
