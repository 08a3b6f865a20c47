//! Options.

use vinci_sdk::core::regularized::{Entry, Regularized, Tals};
use vinci_sdk::prelude::*;
use vinci_sdk::regularized::Law;
use vinci_sdk::rigid::check_range;
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Soft norm of the slip, as a part of v_s.
const SOFTENING: f64 = 1e-2;

/// How normal and friction forces know of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Coupling {
    /// Normal forces follow the penetration at the end of the step.
    #[default]
    TwoWay,
    /// Normal forces are those at the start of the step. Explicit: a stiff contact needs small steps.
    OneWay,
}

/// Norm of the slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Norm {
    /// |v|.
    #[default]
    Exact,
    /// √(v·v + (0.01 v_s)²).
    Soft,
}

/// When the forces of drives are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Forces {
    /// At the start of the step.
    #[default]
    Start,
    /// At its end, t + h, for positions and velocities of the start. Everything is evaluated twice; not with implicit springs.
    End,
}

/// Where the line search stops an update that crosses stiction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum LineCircle {
    /// At the point closest to rest.
    #[default]
    Closest,
    /// Where it enters the circle of radius (1 − ε) v_s, of v_s/2 under the quadratic law.
    Exact,
}

/// Options of TAMSI.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// How normal and friction forces know of each other.
    pub coupling: Coupling,
    /// Curve of the friction coefficient below v_s.
    pub law: Law,
    /// Norm of the slip.
    pub norm: Norm,
    /// When the forces of drives are taken.
    pub forces: Forces,
    /// v_s, m/s: friction is all of μ π from here on; bodies in stiction creep slower. For friction in rotating joints, rad/s.
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0))]
    pub stiction_velocity: f64,
    /// ε: the Newton iteration may stop with an update below ε v_s, and the line search takes slips below ε v_s for rest.
    #[schemars(range(max = 0.25), extend("exclusiveMinimum" = 0))]
    pub stiction_tolerance: f64,
    /// True if updates of the Newton iteration are limited by the transition-aware line search. Without, for comparison.
    pub tals: bool,
    /// θ_max, rad: largest turn of a sliding contact in one update, above 0 and at most π/2.
    #[schemars(range(max = std::f64::consts::FRAC_PI_2), extend("exclusiveMinimum" = 0))]
    pub theta_max: f64,
    /// Where the line search stops an update that crosses stiction.
    pub line_circle: LineCircle,
    /// How often a step may be halved where the Newton iteration does not converge.
    #[schemars(range(min = 0, max = 40))]
    pub max_halvings: u32,
    /// Steps after which a halved step is doubled again.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub grow_after: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            coupling: Coupling::TwoWay,
            law: Law::Linear,
            norm: Norm::Exact,
            forces: Forces::Start,
            stiction_velocity: 1e-4,
            stiction_tolerance: 1e-2,
            tals: true,
            theta_max: std::f64::consts::FRAC_PI_3,
            line_circle: LineCircle::Closest,
            max_halvings: 10,
            grow_after: 2,
        }
    }
}

impl Config {
    /// Reads and checks options.
    pub(crate) fn parse(options: &str) -> Result<Self, StageError> {
        let config: Self = vinci_sdk::parse_options(options)?;
        let above = f64::MIN_POSITIVE;
        check_range("stiction_velocity", config.stiction_velocity, above..=f64::INFINITY, "a speed in m/s")?;
        check_range("stiction_tolerance", config.stiction_tolerance, above..=0.25, "a part of v_s")?;
        check_range("theta_max", config.theta_max, above..=std::f64::consts::FRAC_PI_2, "an angle in rad")?;
        if config.max_halvings > 40 {
            let found = config.max_halvings;
            return Err(StageError::bad_option(format!("max_halvings must be at most 40, found {found}")));
        }
        if config.grow_after == 0 {
            return Err(StageError::bad_option("grow_after must be at least 1, found 0"));
        }
        Ok(config)
    }

    /// The law of friction.
    pub(crate) fn friction(&self) -> Regularized {
        let v_s = self.stiction_velocity;
        let softening = if self.norm == Norm::Soft { SOFTENING * v_s } else { 0.0 };
        Regularized { curve: self.law.into(), stiction_velocity: v_s, softening }
    }

    /// The line search, where there is one.
    pub(crate) fn search(&self) -> Option<Tals> {
        let entry = match self.line_circle {
            LineCircle::Closest => Entry::Closest,
            LineCircle::Exact => Entry::Exact,
        };
        self.tals.then(|| Tals {
            stiction_velocity: self.stiction_velocity,
            tolerance: self.stiction_tolerance,
            // cos(π/2) is no zero in floating point.
            cos_max: self.theta_max.cos().max(0.0),
            entry,
            rim: Tals::rim_of(self.friction().curve, self.stiction_tolerance),
        })
    }
}
