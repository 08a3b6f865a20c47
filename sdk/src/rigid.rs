//! Options that rigid steppers share.
//!
//! Steppers name the same options each in its own struct: serde's `flatten` does not go with `deny_unknown_fields`, and an option that
//! is misspelt has to be an error. Types, defaults and checks are shared here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vinci_core::StageError;
use vinci_core::model::{MotionModel, SystemView};
use vinci_core::problem::ProblemClass;
use vinci_core::rigid::{FrictionLaw, ImpactLaw, ImpactPolicy};

/// Motion model of bodies that do not name one themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// M (v⁺ − v) = h f + W p.
    #[default]
    Dynamic,
    /// h D v⁺ = h f + W p.
    FirstOrder,
    /// 0 = h f + W p.
    QuasiStatic,
    /// M v⁺ = h f + W p.
    QuasiDynamic,
}

impl From<Motion> for MotionModel {
    fn from(motion: Motion) -> Self {
        match motion {
            Motion::Dynamic => Self::Dynamic,
            Motion::FirstOrder => Self::FirstOrder,
            Motion::QuasiStatic => Self::QuasiStatic,
            Motion::QuasiDynamic => Self::QuasiDynamic,
        }
    }
}

/// How friction is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Friction {
    /// By the cone where every solver of the run takes problems of class `Cone`, else by the pyramid.
    #[default]
    Auto,
    /// By a polygon inside the cone's circle: problems of class `Mlcp`.
    Pyramid,
    /// By the cone itself: problems of class `Cone`.
    Cone,
}

impl Friction {
    /// The law for a system, with n_d directions where it is a pyramid.
    pub fn law(self, n_d: usize, system: &SystemView<'_>) -> FrictionLaw {
        match self {
            Self::Cone => FrictionLaw::Cone,
            Self::Auto if system.accepts(ProblemClass::Cone) => FrictionLaw::Cone,
            Self::Auto | Self::Pyramid => FrictionLaw::Pyramid(n_d),
        }
    }
}

/// Law of impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Velocities: ν⁺ ≥ −e ν⁻.
    #[default]
    Newton,
    /// Impulses: decompression returns e times that of compression.
    Poisson,
}

impl From<Law> for ImpactLaw {
    fn from(law: Law) -> Self {
        match law {
            Law::Newton => Self::Newton,
            Law::Poisson => Self::Poisson,
        }
    }
}

/// Which contacts an impact is between.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// All closed contacts at once.
    #[default]
    Simultaneous,
    /// One contact after another, the fastest approach first, until none approaches.
    Sequential,
}

impl Policy {
    /// This policy with a bound on the impacts in one instant, after which the rest is simultaneous.
    pub fn within(self, passes: u32) -> ImpactPolicy {
        match self {
            Self::Simultaneous => ImpactPolicy::Simultaneous,
            Self::Sequential => ImpactPolicy::Sequential { passes },
        }
    }
}

/// Law of friction of impacts: that of the steps, except that Poisson's law needs a pyramid (exact in the plane). Where
/// no solver takes one, impacts with e > 0 are refused when they come.
pub fn impact_friction(law: Law, friction: FrictionLaw, n_d: usize, system: &SystemView<'_>) -> FrictionLaw {
    let pyramid = law == Law::Poisson && friction == FrictionLaw::Cone && system.accepts(ProblemClass::Mlcp);
    if pyramid { FrictionLaw::Pyramid(n_d) } else { friction }
}

/// Policy for velocities of quasi-static bodies that nothing determines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Undetermined {
    /// Refuse the step and name the body and the direction.
    #[default]
    Refuse,
    /// Leave it at rest along directions that nothing it touches sees; where contacts leave a choice, take the solver's.
    Accept,
}

impl From<Undetermined> for vinci_core::rigid::Undetermined {
    fn from(policy: Undetermined) -> Self {
        match policy {
            Undetermined::Refuse => Self::Refuse,
            Undetermined::Accept => Self::Accept,
        }
    }
}

/// Refuses numbers of friction directions that make no balanced set of at least four.
pub fn check_friction_directions(n_d: usize) -> Result<(), StageError> {
    if n_d >= 4 && n_d.is_multiple_of(2) {
        return Ok(());
    }
    Err(StageError::bad_option(format!(
        "friction_directions must be even and at least 4, found {n_d}: the set must hold −d with every d"
    )))
}

/// Refuses a sequence of impacts without a first one.
pub fn check_passes(passes: u32) -> Result<(), StageError> {
    if passes > 0 {
        return Ok(());
    }
    Err(StageError::bad_option(
        "impact_passes must be at least 1, found 0: a sequence of impacts has a first",
    ))
}

/// Refuses option values outside `range`; `unit` says what the number means ("a speed in m/s").
pub fn check_range(
    name: &str,
    value: f64,
    range: std::ops::RangeInclusive<f64>,
    unit: &str,
) -> Result<(), StageError> {
    if value.is_finite() && range.contains(&value) {
        return Ok(());
    }
    let (low, high) = (range.start(), range.end());
    let bounds = match (*low == f64::MIN_POSITIVE, high.is_finite()) {
        (true, false) => "greater than 0".to_string(),
        (true, true) => format!("greater than 0 and at most {high}"),
        (false, true) => format!("in {low} … {high}"),
        (false, false) => format!("at least {low}"),
    };
    Err(StageError::bad_option(format!("{name} must be {unit}, finite and {bounds}, found {value}")))
}
