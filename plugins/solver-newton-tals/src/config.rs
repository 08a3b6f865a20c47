//! Options.

use vinci_sdk::prelude::*;
use vinci_sdk::rigid::check_range;
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Stopping criterion of the iteration, for problems that have a size for their updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Stop {
    /// An undamped update of size below 1, and a residual within the tolerance after it.
    #[default]
    Update,
    /// A residual within the tolerance.
    Residual,
}

/// Options of the damped Newton method.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Wanted residual max |r_i|/scale_i; none: the problem's.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub tolerance: Option<f64>,
    /// Newton steps at most.
    #[schemars(range(min = 1, max = 1_000_000), extend("x-vinci-budget" = true))]
    pub max_iterations: u32,
    /// Newton steps in a row that may leave the residual above nine tenths of the smallest one so far: such an iteration
    /// cycles, and is ended.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub patience: u32,
    /// Unknowns from which on the Jacobian is factorised as a sparse matrix.
    #[schemars(range(min = 0, max = 4096))]
    pub sparse_from: usize,
    /// Steps beyond the tolerance that are made as long as each still halves the residual; problems that have a size for
    /// their updates need none.
    #[schemars(range(min = 0, max = 1000))]
    pub polish: u32,
    /// Stopping criterion of the iteration, for problems that have a size for their updates.
    pub stop: Stop,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            tolerance: None,
            max_iterations: 100,
            patience: 25,
            sparse_from: 120,
            polish: 2,
            stop: Stop::Update,
        }
    }
}

impl Config {
    /// Checks that the options make sense.
    ///
    /// Errors: the first one that cannot be.
    pub fn check(&self) -> Result<(), StageError> {
        if let Some(tolerance) = self.tolerance {
            check_range("tolerance", tolerance, f64::MIN_POSITIVE..=f64::INFINITY, "a relative residual")?;
        }
        if self.max_iterations == 0 {
            return Err(StageError::bad_option("max_iterations must be at least 1, found 0"));
        }
        if self.patience == 0 {
            return Err(StageError::bad_option("patience must be at least 1, found 0"));
        }
        Ok(())
    }
}
