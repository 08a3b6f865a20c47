//! Options.

use vinci_sdk::core::rigid::ImpactRule;
use vinci_sdk::prelude::*;
use vinci_sdk::rigid::{Friction, Law, Policy, check_friction_directions, check_passes, check_range};
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// Options of the trapezoidal stepper.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Cone or pyramid.
    pub friction: Friction,
    /// Directions of the pyramid per spatial contact and per support point, even, at least 4. Planar contacts always use 2.
    #[schemars(range(min = 4, max = 1024))]
    pub friction_directions: usize,
    /// Gap up to which a contact counts as closed, m.
    #[schemars(range(min = 0.0, max = 1e3))]
    pub contact_tolerance: f64,
    /// Approach speed of a closed contact from which an impact is resolved before the step, m/s. Slower approaches are
    /// stopped by the step itself.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub impact_threshold: f64,
    /// Approach speed below which impacts do not bounce, m/s.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub restitution_threshold: f64,
    /// Law of impact: of impulses in compression and decompression (Poisson) or of velocities (Newton).
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
            friction: Friction::Auto,
            friction_directions: 8,
            contact_tolerance: 1e-6,
            impact_threshold: 1e-6,
            restitution_threshold: 0.01,
            impact_law: Law::Poisson,
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
        let positive = 0.0..=f64::INFINITY;
        check_range("contact_tolerance", config.contact_tolerance, positive.clone(), "a length in m")?;
        check_range("impact_threshold", config.impact_threshold, positive.clone(), "a speed in m/s")?;
        check_range("restitution_threshold", config.restitution_threshold, positive, "a speed in m/s")?;
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
            plastic: Some(self.impact_threshold),
            lasting: true,
            motion: MotionModel::Trapezoidal,
        }
    }
}
