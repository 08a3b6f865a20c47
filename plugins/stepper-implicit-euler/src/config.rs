//! Options.

use vinci_sdk::core::regularized::{Entry, Regularized, Tals};
use vinci_sdk::prelude::*;
use vinci_sdk::regularized::Law;
use vinci_sdk::rigid::check_range;
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// When ∂f/∂x is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Jacobian {
    /// At every iterate (FN).
    #[default]
    Full,
    /// Kept over iterations and steps as long as it contracts well (QN).
    Quasi,
}

/// How the size of steps follows the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum ErrorControl {
    /// Not at all: only where Newton's method fails are steps halved.
    #[default]
    None,
    /// Every step against two of half its size; the halves are kept.
    StepDoubling,
}

/// When Newton's method is given up and the step is halved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum GiveUp {
    /// At divergence: updates that grow, from the third one on.
    #[default]
    Divergence,
    /// After all its iterations, however they go.
    Iterations,
}

/// Options of the implicit Euler stepper.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// When ∂f/∂x is computed.
    pub jacobian: Jacobian,
    /// True if updates stop where a contact would miss stiction.
    pub tals: bool,
    /// How the size of steps follows the error.
    pub error_control: ErrorControl,
    /// a, m/s (rad/s count as m/s, m and rad as after 1 s): the error of a step under `error_control`; Newton's method
    /// stops at 0.05 a.
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0))]
    pub accuracy: f64,
    /// Largest momentum residual that Newton's method may leave, as a part of the largest term of its row; null: whatever
    /// the accuracy leaves.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub balance: Option<f64>,
    /// Curve of friction below the stiction velocity.
    pub law: Law,
    /// v_s, m/s.
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0))]
    pub stiction_velocity: f64,
    /// Newton iterations of a step at most.
    #[schemars(range(min = 2, max = 1_000_000))]
    pub iterations: u32,
    /// When Newton's method is given up before that.
    pub give_up: GiveUp,
    /// Smallest step that failures and errors may ask for, s.
    #[schemars(range(max = 1e9), extend("exclusiveMinimum" = 0))]
    pub min_step: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            jacobian: Jacobian::Full,
            tals: true,
            error_control: ErrorControl::None,
            accuracy: 1e-5,
            balance: Some(1e-10),
            law: Law::Linear,
            stiction_velocity: 1e-4,
            iterations: 10,
            give_up: GiveUp::Divergence,
            min_step: 1e-10,
        }
    }
}

/// ε of the line search, in units of v_s.
const TALS_TOLERANCE: f64 = 1e-2;

impl Config {
    /// Reads and checks options.
    pub(crate) fn parse(options: &str) -> Result<Self, StageError> {
        let config: Self = vinci_sdk::parse_options(options)?;
        let positive = f64::MIN_POSITIVE..=f64::INFINITY;
        check_range("accuracy", config.accuracy, positive.clone(), "a speed in m/s")?;
        check_range("stiction_velocity", config.stiction_velocity, positive.clone(), "a speed in m/s")?;
        check_range("min_step", config.min_step, positive.clone(), "a time in s")?;
        if let Some(balance) = config.balance {
            check_range("balance", balance, positive, "a part")?;
        }
        if config.iterations < 2 {
            let found = config.iterations;
            return Err(StageError::bad_option(format!(
                "iterations must be at least 2, found {found}: one update says nothing of the next"
            )));
        }
        Ok(config)
    }

    /// The law of friction.
    pub(crate) fn friction(&self) -> Regularized {
        Regularized { curve: self.law.into(), stiction_velocity: self.stiction_velocity, softening: 0.0 }
    }

    /// The line search, where it is wanted. θ_max = π/3.
    pub(crate) fn line_search(&self) -> Option<Tals> {
        self.tals.then_some(Tals {
            stiction_velocity: self.stiction_velocity,
            tolerance: TALS_TOLERANCE,
            cos_max: 0.5,
            entry: Entry::Closest,
            rim: Tals::rim_of(self.friction().curve, TALS_TOLERANCE),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bad_option_is_refused_in_its_own_words() {
        for (options, message) in [
            (r#"{"accuracy": 0}"#, "accuracy must be a speed in m/s, finite and greater than 0, found 0"),
            (
                r#"{"stiction_velocity": -1e-4}"#,
                "stiction_velocity must be a speed in m/s, finite and greater than 0, found -0.0001",
            ),
            (r#"{"min_step": 0}"#, "min_step must be a time in s, finite and greater than 0, found 0"),
            (r#"{"balance": 0}"#, "balance must be a part, finite and greater than 0, found 0"),
            (
                r#"{"iterations": 1}"#,
                "iterations must be at least 2, found 1: one update says nothing of the next",
            ),
        ] {
            let error = Config::parse(options).unwrap_err();
            assert_eq!((error.kind, error.message.as_str()), (ErrorKind::BadOption, message));
        }
        assert_eq!(Config::parse("").unwrap(), Config::default());
        assert_eq!(Config::parse(r#"{"balance": null}"#).unwrap().balance, None);
        assert!(Config::parse(r#"{"jacobian": "half"}"#).is_err());
    }
}
