//! Options of the solver.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted relative residual, > 0: of core's natural map and of every contact's own (README); the problem's own if absent.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Most sweeps of one solve, at least 1. Default 2000.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_sweeps: u32,
    /// Largest momentum β, 0 ≤ β < 1; 0 leaves plain sweeps. Default 0.95.
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 1))]
    pub max_momentum: f64,
    /// Sweeps without a residual lower by a tenth after which the solve is given up. Default 600.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub patience: u32,
    /// Start from the problem's guess. Default true.
    pub warm_start: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { tolerance: None, max_sweeps: 2000, max_momentum: 0.95, patience: 600, warm_start: true }
    }
}

impl Config {
    /// Checks that every option has a value the method can take; the message names the first that has not.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(tolerance) = self.tolerance.filter(|&t| !(t > 0.0 && t.is_finite())) {
            return Err(format!("tolerance is {tolerance}; it must be positive"));
        }
        if self.max_sweeps == 0 || self.patience == 0 {
            return Err("max_sweeps and patience must be at least 1".into());
        }
        if !(self.max_momentum >= 0.0 && self.max_momentum < 1.0) {
            return Err(format!("max_momentum is {}; it must lie in 0 … 1, without 1", self.max_momentum));
        }
        Ok(())
    }
}
