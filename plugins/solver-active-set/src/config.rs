//! Options of the solver.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted relative residual, > 0; the problem's own if absent.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Most pivots of a solve: usually about as many as rows are active at the solution, so this guards against the worst.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_iterations: u32,
    /// Start from the working set that the problem's guess implies; from no active row otherwise.
    pub warm_start: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { tolerance: None, max_iterations: 20_000, warm_start: true }
    }
}

impl Config {
    /// Checks that every option has a value the method can take; the message names the first that has not.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(tolerance) = self.tolerance.filter(|&t| !(t > 0.0 && t.is_finite())) {
            return Err(format!("tolerance is {tolerance}; it must be positive"));
        }
        if self.max_iterations == 0 {
            return Err("max_iterations must be at least 1".into());
        }
        Ok(())
    }
}
