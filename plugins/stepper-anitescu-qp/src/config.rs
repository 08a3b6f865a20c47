//! Options.

use vinci_sdk::prelude::*;
use vinci_sdk::rigid::{Motion, Undetermined, check_friction_directions, check_range};
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

/// How friction is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Friction {
    /// By cones where every solver of the run takes them by itself, else by linear rows; in the plane, where they are exact, and
    /// under `smoothing` by linear rows always.
    #[default]
    Auto,
    /// By linear rows, one per direction of a polygon inside the circle.
    Pyramid,
    /// By one second-order cone per contact: the solver must take cones.
    Cone,
}

/// Factor on quasi-dynamic masses.
#[derive(Debug, Clone, Copy, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum MassScale {
    /// ε = min(1, h² K/(10 m)) with the softest impedance K and the largest mass m: the drag of the thrown-away momentum
    /// vanishes with h. 1 where nothing is an impedance.
    #[default]
    Auto,
    /// The true masses. An object moved at v drags with the force m v/h, which grows without bound as h → 0.
    None,
    /// This factor.
    Factor(#[schemars(range(max = 1e18), extend("exclusiveMinimum" = 0))] f64),
}

/// De Saxcé's shift of the contact rows, which makes Coulomb's law of Anitescu's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Repair {
    /// The convex model as it is: sliding contacts hover at h μ |v_t|, and what begins to slide at once is thrown up at μ |v_t|.
    #[default]
    None,
    /// One program per step, with the slip of the step before.
    Lagged,
    /// Programs until the slip they give is the slip they were given.
    Iterated,
}

/// Policy where the iterated repair does not converge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum OnLimit {
    /// End the run and say how far it came.
    #[default]
    Fail,
    /// Take the last program's answer, which is a solution of the shifted convex model.
    Accept,
}

/// A log barrier in the place of the contact rows.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Smoothing {
    /// κ, 1/J: rows of slack s push with β = 1/(κ s) N s. The exact model is κ → ∞.
    #[schemars(range(max = 1e18), extend("exclusiveMinimum" = 0))]
    pub kappa: f64,
}

/// Options of the convex stepper.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", default, deny_unknown_fields)]
#[schemars(crate = "vinci_sdk::schemars")]
pub struct Config {
    /// Motion model of bodies that do not name one themselves. Under the quasi-static and quasi-dynamic ones bodies whose
    /// every dof is an impedance or prescribed are robots without mass.
    pub motion: Motion,
    /// Factor on the masses of quasi-dynamic bodies.
    pub mass_scale: MassScale,
    /// Policy for velocities of quasi-static bodies that nothing determines.
    pub undetermined: Undetermined,
    /// Linear rows or cones.
    pub friction: Friction,
    /// Directions per spatial contact where friction is linear rows, even, at least 4. The polygon lies inside the circle:
    /// friction is up to 1 − cos(π/n_d) too small. Planar contacts always have 2, which is exact.
    #[schemars(range(min = 4, max = 1024))]
    pub friction_directions: usize,
    /// De Saxcé's repair.
    pub repair: Repair,
    /// Largest error of the repaired law that is accepted, m/s.
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0))]
    pub repair_tolerance: f64,
    /// Programs per step at most.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub repair_iterations: u32,
    /// Policy where `repair_iterations` are not enough.
    pub repair_on_limit: OnLimit,
    /// Log barrier of weight κ in the place of the rows (problems of class `Root`); none: the exact programs.
    pub smoothing: Option<Smoothing>,
    /// True if every step comes with its derivatives.
    pub gradient: bool,
    /// β, part of a penetration expelled per step, 0 … 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub penetration_correction: f64,
    /// Largest speed at which a penetration is expelled, m/s.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub correction_speed: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            motion: Motion::Dynamic,
            mass_scale: MassScale::Auto,
            undetermined: Undetermined::Refuse,
            friction: Friction::Auto,
            friction_directions: 8,
            repair: Repair::None,
            repair_tolerance: 1e-8,
            repair_iterations: 200,
            repair_on_limit: OnLimit::Fail,
            smoothing: None,
            gradient: false,
            penetration_correction: 0.2,
            correction_speed: 0.5,
        }
    }
}

impl Config {
    /// κ of the smoothing, where there is one.
    pub(crate) fn smooth_weight(&self) -> Option<f64> {
        self.smoothing.map(|s| s.kappa)
    }

    /// Returns true if friction is cones in this run.
    pub(crate) fn cones(&self, system: &SystemView<'_>) -> bool {
        let gains = system.space == Space::Spatial && self.smoothing.is_none();
        match self.friction {
            Friction::Auto => gains && system.accepts_cones(),
            Friction::Pyramid => false,
            Friction::Cone => true,
        }
    }

    /// Reads and checks options.
    pub(crate) fn parse(options: &str) -> Result<Self, StageError> {
        let config: Self = vinci_sdk::parse_options(options)?;
        check_friction_directions(config.friction_directions)?;
        check_range("penetration_correction", config.penetration_correction, 0.0..=1.0, "a part")?;
        check_range("correction_speed", config.correction_speed, 0.0..=f64::INFINITY, "a speed in m/s")?;
        let positive = f64::MIN_POSITIVE..=f64::INFINITY;
        check_range("repair_tolerance", config.repair_tolerance, positive.clone(), "a speed in m/s")?;
        if config.repair_iterations == 0 {
            return Err(StageError::bad_option("repair_iterations must be at least 1, found 0"));
        }
        if let MassScale::Factor(factor) = config.mass_scale {
            check_range("mass_scale.factor", factor, positive.clone(), "a factor")?;
        }
        if let Some(Smoothing { kappa }) = config.smoothing {
            check_range("smoothing.kappa", kappa, positive, "a weight in 1/J")?;
            if config.repair != Repair::None {
                return Err(StageError::bad_option(
                    "`repair` shifts the rows that `smoothing` softens: choose one of the two",
                ));
            }
        }
        if config.motion == Motion::FirstOrder {
            return Err(StageError::bad_option(
                "motion must be `quasi-static`, `quasi-dynamic` or `dynamic` here, found `first-order`",
            ));
        }
        Ok(config)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_sdk::core::problem::SECOND_ORDER_CONES;

    fn cones(options: &str, space: Space, accepted: u32) -> bool {
        let system = SystemView {
            space,
            body_names: &[],
            is_static: &[],
            shapes: &[],
            ignored_pairs: &[],
            nv: 0,
            nq: 0,
            accepted,
            driven: &[],
            ..SystemView::NOTHING
        };
        Config::parse(options).is_ok_and(|config| config.cones(&system))
    }

    #[test]
    fn auto_is_cones_where_all_solvers_take_them() {
        let conic = ProblemClass::Conic.bit();
        let both = conic | SECOND_ORDER_CONES;
        assert!(cones("{}", Space::Spatial, both));
        assert!(!cones("{}", Space::Spatial, conic));
        assert!(!cones("{}", Space::Spatial, SECOND_ORDER_CONES));
        assert!(!cones("{}", Space::Planar, both));
        assert!(!cones(r#"{"smoothing": {"kappa": 100}}"#, Space::Spatial, both));
        assert!(!cones(r#"{"friction": "pyramid"}"#, Space::Spatial, both));
        assert!(cones(r#"{"friction": "cone"}"#, Space::Spatial, 0));
    }
}
