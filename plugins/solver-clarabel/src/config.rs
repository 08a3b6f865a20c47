//! Options of the solver.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted relative residual (core's natural map), > 0; the problem's own if absent.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Most interior-point iterations of one attempt, at least 1. Default 200.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-vinci-budget" = true))]
    pub max_iterations: u32,
    /// Tolerance of the interior-point method in balanced units: relative feasibility and gap, from 1e-13 to 1e-4.
    /// Default 1e-10.
    #[schemars(range(min = 1e-13, max = 1e-4))]
    pub interior_tolerance: f64,
    /// Finish by Newton steps on the natural map where the interior point misses the tolerance. Default true.
    pub polish: bool,
    /// Largest number of unknowns n + m whose Newton systems are factorised densely; larger ones use sparse LU. Default 60.
    #[schemars(range(min = 0, max = 4096))]
    pub dense_limit: usize,
    /// Rows of the interior point's linear systems, unknowns and sides of rows together, from which on they are factorised
    /// supernodally (faer); smaller ones by QDLDL. Default 1000.
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub supernodal_from: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_iterations: 200,
            interior_tolerance: 1e-10,
            polish: true,
            dense_limit: 60,
            supernodal_from: 1000,
        }
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
        if !(1e-13..=1e-4).contains(&self.interior_tolerance) {
            let found = self.interior_tolerance;
            return Err(format!("interior_tolerance is {found}; it must lie between 1e-13 and 1e-4"));
        }
        Ok(())
    }
}
