//! The answer to the host: the arrays of an accepted step.

/// Arrays of an accepted step. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(crate) struct End {
    /// x of the whole problem.
    pub(crate) x: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) impulse: Vec<f64>,
    pub(crate) row_impulse: Vec<f64>,
    pub(crate) effort: Vec<f64>,
    pub(crate) normal_rate: Vec<f64>,
}
