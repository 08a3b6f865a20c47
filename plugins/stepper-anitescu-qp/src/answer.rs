//! The arrays of an answer.

/// The arrays of an answer, kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Out {
    pub(crate) v: Vec<f64>,
    /// Multipliers of the rows.
    pub(crate) y: Vec<f64>,
    pub(crate) impulse: Vec<f64>,
    pub(crate) row_impulse: Vec<f64>,
    pub(crate) effort: Vec<f64>,
    pub(crate) normal_rate: Vec<f64>,
    pub(crate) reason: String,
}

impl Out {
    /// v⁺.
    pub(crate) fn v(&self) -> &[f64] {
        &self.v
    }

    /// Multipliers of the rows.
    pub(crate) fn y(&self) -> &[f64] {
        &self.y
    }

    /// p_n of a contact.
    pub(crate) fn normal_impulse(&self, contact: usize) -> f64 {
        self.impulse[contact * (self.impulse.len() / self.normal_rate.len())]
    }
}

/// The matrix h ∂v⁺/∂u | ∂q⁺/∂q of the last step. Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Gradient {
    pub(crate) matrix: Vec<f64>,
    pub(crate) remark: String,
}

impl Gradient {
    /// nv × 2 nv by rows, or empty.
    pub(crate) fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// Which contacts stand at a kink, where there are any.
    pub(crate) fn remark(&self) -> &str {
        &self.remark
    }
}
