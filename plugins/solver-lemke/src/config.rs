//! Options of the solver.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted relative residual (natural map divided by the largest |q|), > 0; the problem's own if absent.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Most pivots of one run. Lemke's method usually needs about n, 2ⁿ at worst, so this guards against the worst only.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_pivots: u32,
    /// Pivots between two fresh factorisations of the basis: fewer costs time, more costs digits and longer updates.
    #[schemars(range(min = 1, max = 10_000))]
    pub refactor_every: u32,
    /// Largest reduced problem for the dense tableau (n² work per pivot, no overhead); larger ones use sparse factors.
    #[schemars(range(min = 0, max = 4096))]
    pub dense_limit: usize,
    /// Start from the basis that the problem's guess implies; from slacks again if that leads nowhere.
    pub warm_start: bool,
    /// Perturbation that keeps ties apart on sparse bases, relative to the equilibrated |q|∞; it is taken back at the end.
    #[schemars(range(min = 0.0, max = 1e-3))]
    pub perturbation: f64,
    /// Covering vectors tried at last, with more pivots; the first is (1, …, 1).
    #[schemars(range(min = 1, max = 64))]
    pub covers: u32,
    /// Largest and smallest regularisation ε of the equilibrated matrix, M + ε I, in the proximal steps that follow when
    /// every unregularised run has failed; empty for none. Their limit is judged by the problem itself.
    #[schemars(length(max = 16), inner(range(min = 1e-300, max = 1e6)))]
    pub regularization: Vec<f64>,
    /// Most complementary pairs for which solvability is settled by cases when nothing else decides it.
    #[schemars(range(min = 0, max = 32))]
    pub enumeration_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_pivots: 100_000,
            refactor_every: 64,
            dense_limit: 64,
            warm_start: true,
            perturbation: 1e-7,
            covers: 3,
            regularization: vec![1.0, 1e-7],
            enumeration_limit: 24,
        }
    }
}

impl Config {
    /// Checks that every option has a value the method can take; the message names the first that has not.
    pub(crate) fn check(&self) -> Result<(), String> {
        let positive = |x: f64| x > 0.0 && x.is_finite();
        if let Some(tolerance) = self.tolerance.filter(|&t| !positive(t)) {
            return Err(format!("tolerance is {tolerance}; it must be positive"));
        }
        if self.max_pivots == 0 || self.refactor_every == 0 || self.covers == 0 {
            return Err("max_pivots, refactor_every and covers must be at least 1".into());
        }
        if !(0.0..=1e-3).contains(&self.perturbation) {
            return Err(format!("perturbation is {}; it must lie between 0 and 1e-3", self.perturbation));
        }
        match self.regularization.iter().find(|&&e| !positive(e)) {
            Some(e) => Err(format!("regularization contains {e}; every entry must be positive")),
            None => Ok(()),
        }
    }
}
