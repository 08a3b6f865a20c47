//! A step of a run, linearised.

use nalgebra::{DMatrix, DVector};

/// A and B of an interval, with the grid time at its end if there is one.
#[derive(Debug)]
pub(crate) struct LinearStep {
    pub(crate) a: DMatrix<f64>,
    /// Columns of B by the parameters that the step reads.
    pub(crate) b: Vec<(usize, DVector<f64>)>,
    pub(crate) row: Option<usize>,
    /// True if the step has ties: read in another way, A and B may be others.
    pub(crate) tied: bool,
}

impl LinearStep {
    /// Bytes of its numbers.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<f64>() * (self.a.len() + self.b.len() * self.a.nrows())
    }
}
