//! Options of the solver.

use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::{Deserialize, Serialize};

/// Complementarity function of the damped stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Function {
    /// min(a, b): finite where it converges.
    Minimum,
    /// Fischer-Burmeister a + b − √(a² + b²): differentiable merit.
    FischerBurmeister,
    /// Penalised Fischer-Burmeister 0.9 φ_FB + 0.1 a₊ b₊: its merit also bounds the products.
    #[default]
    Penalised,
}

/// Which stages a solve may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Method {
    /// All of them, cheapest first, until one converges.
    #[default]
    Auto,
    /// Undamped active-set rounds only.
    ActiveSet,
    /// The damped method only, on `function`.
    Damped,
    /// Path following only.
    Path,
}

/// Options; every field has a default, unknown fields are refused.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted relative residual (natural map divided by the largest |q|), > 0; the problem's own if absent.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Which stages a solve may use. Default: all.
    pub method: Method,
    /// Complementarity function of the damped stages. Default: penalised Fischer-Burmeister.
    pub function: Function,
    /// Most iterations (linear systems solved) over all stages of one solve. Default 2000.
    #[schemars(range(min = 1, max = 10_000_000), extend("x-vinci-budget" = true))]
    pub max_iterations: u32,
    /// Merit values the line search looks back on; 1 is a monotone search. 1 to 16, default 8.
    #[schemars(range(min = 1, max = 16))]
    pub memory: usize,
    /// Start from the problem's guess where it has one. Default true.
    pub warm_start: bool,
    /// Rounds of balancing rows and columns of M before the solve; 0 keeps the units of the problem. Default 6.
    #[schemars(range(min = 0, max = 100))]
    pub balancing: u32,
    /// Largest number of unknowns whose systems are factorised densely; larger ones eliminate bodies, then contacts. Default 100, where
    /// both take the same time.
    #[schemars(range(min = 0, max = 4096))]
    pub dense_limit: usize,
    /// After a failure, look for a proof that there is no solution. Default true.
    pub certify: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            method: Method::default(),
            function: Function::default(),
            max_iterations: 2000,
            memory: 8,
            warm_start: true,
            balancing: 6,
            dense_limit: 100,
            certify: true,
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
        if !(1..=16).contains(&self.memory) {
            return Err(format!("memory is {}; it must lie between 1 and 16", self.memory));
        }
        if self.balancing > 100 {
            return Err(format!("balancing is {}; more than 100 rounds change nothing", self.balancing));
        }
        Ok(())
    }
}
