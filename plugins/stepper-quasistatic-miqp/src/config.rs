//! Options.

use vinci_sdk::prelude::*;
use vinci_sdk::rigid::{check_friction_directions, check_range};
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Which squeeze bound the normal impulses have, eq. (22).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Squeeze {
    /// By the hypothetical penetration of this step, which moves with the unactuated bodies (23f).
    #[default]
    Current,
    /// By that of the last step, a number (V-B): better conditioned, forces come and go one step later.
    Delayed,
    /// None: of all equilibria the one with the smallest forces is taken.
    None,
}

/// Options of the quasi-static MIQP stepper.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Which squeeze bound the normal impulses have.
    pub squeeze: Squeeze,
    /// K of the squeeze bound, N/m, where the materials of a contact give no stiffness.
    #[schemars(range(min = 0.0, max = 1e18))]
    pub stiffness: f64,
    /// True if the least forces among the best motions, and then the least motion of what is not driven, are sought
    /// too, each by a problem of its own: without them the answer is not unique.
    pub lexicographic: bool,
    /// Weight of a deviation of 1 rad/s beside one of 1 m/s in the objective, m²; 1 as in the paper.
    #[schemars(range(max = 1e18), extend("exclusiveMinimum" = 0))]
    pub rotation_weight: f64,
    /// Directions of the friction pyramid per spatial contact, even, at least 4. Planar contacts always use 2, which is
    /// exact.
    #[schemars(range(min = 4, max = 1024))]
    pub friction_directions: usize,
    /// Largest speed of a free degree of freedom, m/s and rad/s; none: a released body is at its next equilibrium at
    /// once, however far.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub speed_bound: Option<f64>,
    /// Largest slip speed σ of a contact, m/s; none: any.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub slip_bound: Option<f64>,
    /// Largest normal force F of a contact, N: p_n ≤ h F. None: any, forces between two fingers may cancel however large they are. What
    /// needs more, by its load or by the squeeze bound, is infeasible.
    #[schemars(range(max = 1e18), extend("exclusiveMinimum" = 0))]
    pub force_bound: Option<f64>,
    /// True if the last step's contact modes are handed to the solver as a guess.
    pub warm_start: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            squeeze: Squeeze::Current,
            stiffness: 1e4,
            lexicographic: true,
            rotation_weight: 1.0,
            friction_directions: 4,
            speed_bound: None,
            slip_bound: None,
            force_bound: None,
            warm_start: true,
        }
    }
}

impl Config {
    /// Reads and checks options.
    pub(crate) fn parse(options: &str) -> Result<Self, StageError> {
        let config: Self = vinci_sdk::parse_options(options)?;
        check_friction_directions(config.friction_directions)?;
        let any = 0.0..=f64::INFINITY;
        check_range("stiffness", config.stiffness, any.clone(), "a stiffness in N/m")?;
        let positive = f64::MIN_POSITIVE..=f64::INFINITY;
        check_range("rotation_weight", config.rotation_weight, positive, "a positive weight in m²")?;
        for (name, bound) in [("speed_bound", config.speed_bound), ("slip_bound", config.slip_bound)] {
            if let Some(bound) = bound {
                check_range(name, bound, any.clone(), "a speed in m/s")?;
            }
        }
        if let Some(bound) = config.force_bound {
            check_range("force_bound", bound, f64::MIN_POSITIVE..=f64::INFINITY, "a positive force in N")?;
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (options, word) in [
            (r#"{"stiffness": -1}"#, "stiffness"),
            (r#"{"rotation_weight": 0}"#, "rotation_weight"),
            (r#"{"friction_directions": 5}"#, "friction_directions"),
            (r#"{"speed_bound": -0.1}"#, "speed_bound"),
            (r#"{"slip_bound": -0.1}"#, "slip_bound"),
            (r#"{"force_bound": 0}"#, "force_bound"),
            (r#"{"stiffness": "NaN"}"#, "options"),
            (r#"{"squeeze": "later"}"#, "options"),
        ] {
            let error = Config::parse(options).unwrap_err();
            assert_eq!(error.kind, ErrorKind::BadOption, "{options}");
            assert!(error.message.starts_with(word), "{options}: {error}");
        }
        assert_eq!(Config::parse("").unwrap(), Config::default());
        assert_eq!(Config::parse(r#"{"speed_bound": null}"#).unwrap(), Config::default());
    }
}
