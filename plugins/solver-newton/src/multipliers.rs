//! Multipliers of the bounds, and their steps.

/// Multipliers and their steps.
#[derive(Debug, Default)]
pub(crate) struct Multipliers {
    pub(crate) lambda: Vec<f64>,
    pub(crate) eta: Vec<f64>,
    pub(crate) d_lambda: Vec<f64>,
    pub(crate) d_eta: Vec<f64>,
    /// Right sides of the products: τ = σ μ − α λ − (correction).
    pub(crate) tau_lower: Vec<f64>,
    pub(crate) tau_upper: Vec<f64>,
}

impl Multipliers {
    pub(crate) fn resize(&mut self, n: usize) {
        for x in [
            &mut self.lambda,
            &mut self.eta,
            &mut self.d_lambda,
            &mut self.d_eta,
            &mut self.tau_lower,
            &mut self.tau_upper,
        ] {
            x.clear();
            x.resize(n, 0.0);
        }
    }
}
