//! Helpers of the outside tests: the house is built as a user builds it, experiments are JSON as a user writes them, and
//! plugins are the libraries the host finds. Nothing here knows a plugin crate.
//!
//! - [`house`]: building the program and all plugins, and where they lie;
//! - [`experiment`]: scenes and experiments as JSON values;
//! - [`program`]: the program as a user runs it;
//! - [`run`]: running them in process, everything recorded, every step judged.

pub mod experiment;
pub mod house;
pub mod program;
pub mod run;

/// Panics unless |found − expected| ≤ tolerance; NaN is never close.
#[track_caller]
pub fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error <= tolerance, "{what}: {found} instead of {expected}, off by {error:e} > {tolerance:e}");
}

/// Slope of log₂ error over step halvings: `errors[k]` belongs to h/2ᵏ. Its mean over all halvings.
pub fn order(errors: &[f64]) -> f64 {
    let first_to_last = errors[0] / errors[errors.len() - 1];
    first_to_last.log2() / (errors.len() - 1) as f64
}
