//! Functions called back across the contract while a problem is being solved.

use crate::error::StageError;

/// Evaluations a stepper offers to the solver of its problem (residual, Jacobian, step limiter, …).
pub trait Oracle {
    /// Evaluates function `what` at `input` into `output`; lengths are part of each function's definition.
    fn call(&self, what: u32, input: &[f64], output: &mut [f64]) -> Result<(), StageError>;
}
