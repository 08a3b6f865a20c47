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
    /// Most sweeps over all blocks. Default 20000.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_sweeps: u32,
    /// Factor ω on every block's change: below 1 damps, above 1 over-relaxes. 0 < ω < 2, default 1.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 2))]
    pub relaxation: f64,
    /// Sweep forwards and backwards in turn. Default true.
    pub symmetric: bool,
    /// Start from the problem's guess where it has one. Default true.
    pub warm_start: bool,
    /// Once modes settle, solve the linear system of the identified active set directly. Default true.
    pub polish: bool,
    /// Steps remembered by the safeguarded Anderson acceleration; 0 switches it off. At most 10, default 5.
    #[schemars(range(min = 0, max = 10))]
    pub acceleration: usize,
    /// Sweeps without a residual lower by a tenth after which the solve is given up; acceleration is given up after half
    /// of them. Default 4000.
    #[schemars(range(min = 1, max = 10_000_000))]
    pub patience: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_sweeps: 20000,
            relaxation: 1.0,
            symmetric: true,
            warm_start: true,
            polish: true,
            acceleration: 5,
            patience: 4000,
        }
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
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return Err(format!("relaxation is {}; it must lie between 0 and 2", self.relaxation));
        }
        if self.acceleration > 10 {
            return Err(format!("acceleration is {}; at most 10 steps can be remembered", self.acceleration));
        }
        Ok(())
    }
}
