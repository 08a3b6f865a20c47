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
    /// Most iterations of one linear or quadratic program, at least 1. Default 10000.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_iterations: u32,
    /// Most nodes of the search over modes, and of a tree of proofs, at least 1. Default 100000.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_nodes: u32,
    /// Seconds that the search over modes may take, > 0; no limit if absent. With one, the same input may end differently.
    #[schemars(range(max = 1e7), extend("exclusiveMinimum" = 0))]
    pub time_limit: Option<f64>,
    /// Your word that no row of a pair is larger than this at the solution, > 0, in the rows' own units. Used only for rows
    /// that have no provable bound; a solution that touches it is refused. Without it such rows are refused.
    #[schemars(range(max = 1e15), extend("exclusiveMinimum" = 0))]
    pub big_m: Option<f64>,
    /// Largest number of unknowns n + m whose Newton systems are factorised densely; larger ones use sparse LU. Default 60.
    #[schemars(range(min = 0, max = 4096))]
    pub dense_limit: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_iterations: 10_000,
            max_nodes: 100_000,
            time_limit: None,
            big_m: None,
            dense_limit: 60,
        }
    }
}

impl Config {
    /// Checks that every option has a value the method can take; the message names the first that has not.
    pub(crate) fn check(&self) -> Result<(), String> {
        let positive =
            [("tolerance", self.tolerance), ("time_limit", self.time_limit), ("big_m", self.big_m)];
        for (name, value) in positive {
            if let Some(value) = value.filter(|&v| !(v > 0.0 && v.is_finite())) {
                return Err(format!("{name} is {value}; it must be positive"));
            }
        }
        let counts = [("max_iterations", self.max_iterations), ("max_nodes", self.max_nodes)];
        for (name, value) in counts {
            if value == 0 || value > i32::MAX as u32 {
                return Err(format!("{name} is {value}; it must lie between 1 and {}", i32::MAX));
            }
        }
        Ok(())
    }
}
