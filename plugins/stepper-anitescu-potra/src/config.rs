//! Options.

use vinci_sdk::core::rigid::ImpactRule;
use vinci_sdk::prelude::*;
use vinci_sdk::rigid::{
    Friction, Law, Motion, Policy, Undetermined, check_friction_directions, check_passes, check_range,
};
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options of the Anitescu-Potra stepper.
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
    /// Gap up to which a contact counts as closed, m. The method wants exactly the touching contacts: a contact admitted
    /// at a gap keeps that gap as long as it is pressed.
    #[schemars(range(min = 0.0, max = 1e3))]
    pub contact_tolerance: f64,
    /// γ, part of a penetration removed per step (Anitescu-Hart style row γ ψ/h), 0 … 1. The original method has 0 and
    /// never corrects a penetration once it is there.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub stabilization: f64,
    /// Approach speed below which restitution is not applied, m/s: resting contacts must not be relaunched.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub restitution_threshold: f64,
    /// Law of impact: of velocities (Newton) or of impulses in compression and decompression (Poisson).
    pub impact_law: Law,
    /// Order of an impact: all closed contacts at once, or one after another.
    pub impact_policy: Policy,
    /// Impacts in one instant after which a sequence goes over to the simultaneous policy.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub impact_passes: u32,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            motion: Motion::Dynamic,
            undetermined: Undetermined::Refuse,
            friction: Friction::Auto,
            friction_directions: 8,
            contact_tolerance: 1e-6,
            stabilization: 0.0,
            restitution_threshold: 0.01,
            impact_law: Law::Newton,
            impact_policy: Policy::Simultaneous,
            impact_passes: 200,
        }
    }
}

impl Config {
    /// Reads and checks options.
    pub(crate) fn parse(options: &str) -> Result<Self, StageError> {
        let config: Self = vinci_sdk::parse_options(options)?;
        check_friction_directions(config.friction_directions)?;
        check_range("stabilization", config.stabilization, 0.0..=1.0, "a part")?;
        check_range("contact_tolerance", config.contact_tolerance, 0.0..=f64::INFINITY, "a length in m")?;
        check_range(
            "restitution_threshold",
            config.restitution_threshold,
            0.0..=f64::INFINITY,
            "a speed in m/s",
        )?;
        check_passes(config.impact_passes)?;
        Ok(config)
    }

    /// When the host is told of an impact.
    pub(crate) fn impact_rule(&self) -> ImpactRule {
        ImpactRule {
            law: self.impact_law.into(),
            policy: self.impact_policy.within(self.impact_passes),
            contact_tolerance: self.contact_tolerance,
            threshold: self.restitution_threshold,
            plastic: None,
            lasting: false,
            motion: self.motion.into(),
        }
    }
}
