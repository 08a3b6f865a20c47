//! Options.

use vinci_sdk::core::rigid::Correction;
use vinci_sdk::prelude::*;
use vinci_sdk::rigid::{Friction, Motion, Undetermined, check_friction_directions, check_range};
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options of the Stewart-Trinkle stepper.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Motion model of bodies that do not name one themselves.
    pub motion: Motion,
    /// Policy for velocities of quasi-static bodies that nothing determines.
    pub undetermined: Undetermined,
    /// Cone or pyramid.
    pub friction: Friction,
    /// Directions of the pyramid per spatial contact and per support point, even, at least 4. The pyramid lies inside the
    /// cone: friction is up to 1 − cos(π/n_d) too small. Planar contacts always use 2, which is exact.
    #[schemars(range(min = 4, max = 1024))]
    pub friction_directions: usize,
    /// β, part of a penetration expelled per step, 0 … 1. At 1 a penetration ψ is left with speed |ψ|/h: kinetic energy
    /// out of nothing, growing as h shrinks.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub penetration_correction: f64,
    /// Largest speed at which a penetration is expelled, m/s.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub correction_speed: f64,
    /// Overlap that is left as it is, m: rounding. What is deeper is expelled down to this depth.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub penetration_tolerance: f64,
    /// Gap that counts as none, m: a contact that is open by less may not use up what is left (0 in the place of ψ/h). ψ/h
    /// of some nm is noise of the solver and of the linearisation, and where more contacts carry than are needed no
    /// velocities satisfy all of it. 0 takes every gap as it is.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub resting_gap: f64,
    /// ε, compliance of every contact: ρ = J v⁺ + g + (ε/m) p with m the contact's effective mass, 0 … 1; 0: rigid. Impulses
    /// of hyperstatic contacts become unique and large problems converge fast; a contact that carries p sinks by
    /// h (ε/m) p, one that sticks creeps with (ε/m) |p_t|. An overlap carries, so `penetration_correction` and
    /// `penetration_tolerance` have no effect; `correction_speed` has.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub compliance: f64,
    /// Approach speed below which restitution is not applied, m/s: resting contacts must not be relaunched.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub restitution_threshold: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            motion: Motion::Dynamic,
            undetermined: Undetermined::Refuse,
            friction: Friction::Auto,
            friction_directions: 8,
            penetration_correction: 0.2,
            correction_speed: 0.5,
            penetration_tolerance: Correction::TOLERANCE,
            resting_gap: 0.0,
            compliance: 0.0,
            restitution_threshold: 0.01,
        }
    }
}

impl Config {
    /// Reads and checks options.
    pub(crate) fn parse(options: &str) -> Result<Self, StageError> {
        let config: Self = vinci_sdk::parse_options(options)?;
        check_friction_directions(config.friction_directions)?;
        check_range("penetration_correction", config.penetration_correction, 0.0..=1.0, "a part")?;
        check_range("correction_speed", config.correction_speed, 0.0..=f64::INFINITY, "a speed in m/s")?;
        let positive = 0.0..=f64::INFINITY;
        check_range(
            "penetration_tolerance",
            config.penetration_tolerance,
            positive.clone(),
            "a length in m",
        )?;
        check_range("resting_gap", config.resting_gap, 0.0..=1.0, "a length in m")?;
        check_range("compliance", config.compliance, 0.0..=1.0, "a part")?;
        check_range("restitution_threshold", config.restitution_threshold, positive, "a speed in m/s")?;
        Ok(config)
    }

    /// How overlaps leave: with a compliance all at once, for then they are what carries.
    pub(crate) fn correction(&self) -> Correction {
        if self.compliance > 0.0 {
            return Correction { part: 1.0, speed: self.correction_speed, tolerance: 0.0 };
        }
        Correction {
            part: self.penetration_correction,
            speed: self.correction_speed,
            tolerance: self.penetration_tolerance,
        }
    }
}
