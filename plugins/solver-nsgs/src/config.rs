//! Options of the solver.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted relative residual (natural map divided by the largest |q|), > 0; the problem's own if absent.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Most sweeps of one solve, at least 1. Default 2000.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_sweeps: u32,
    /// Relaxation ω of a sweep, 0 < ω < 2: below 1 damped, above 1 over-relaxed (then projected back). Default 1.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 2))]
    pub omega: f64,
    /// Finish by semismooth Newton steps on the whole problem, and by proximal points where both stall. Default true;
    /// false leaves pure sweeps.
    pub polish: bool,
    /// Most linear systems of the polish in one solve. Default 2000.
    #[schemars(range(min = 0, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_newton: u32,
    /// Start from the problem's guess. Default true.
    pub warm_start: bool,
    /// Largest number of unknowns whose systems are factorised densely; larger ones eliminate bodies, then contacts. Default 60.
    #[schemars(range(min = 0, max = 4096))]
    pub dense_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_sweeps: 2000,
            omega: 1.0,
            polish: true,
            max_newton: 2000,
            warm_start: true,
            dense_limit: 60,
        }
    }
}

impl Config {
    /// Checks that every option has a value the method can take; the message names the first that has not.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(tolerance) = self.tolerance.filter(|&t| !(t > 0.0 && t.is_finite())) {
            return Err(format!("tolerance is {tolerance}; it must be positive"));
        }
        if self.max_sweeps == 0 {
            return Err("max_sweeps must be at least 1".into());
        }
        if !(self.omega > 0.0 && self.omega < 2.0) {
            return Err(format!("omega is {}; it must lie between 0 and 2", self.omega));
        }
        Ok(())
    }
}
