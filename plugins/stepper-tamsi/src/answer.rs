//! The arrays of an answer.

/// The arrays of an answer, kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Out {
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) impulse: Vec<f64>,
    pub(crate) row_impulse: Vec<f64>,
    pub(crate) support_impulse: Vec<f64>,
    pub(crate) effort: Vec<f64>,
    pub(crate) normal_rate: Vec<f64>,
}
