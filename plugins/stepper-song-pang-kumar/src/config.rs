//! Options.

use vinci_sdk::core::rigid::{Correction, FrictionLaw};
use vinci_sdk::prelude::*;
use vinci_sdk::rigid::{Friction, Motion, Undetermined, check_friction_directions, check_range};
use vinci_sdk::schemars::JsonSchema;
use vinci_sdk::serde::Deserialize;

use crate::matrix::{self, Defect};

/// Most nodes of an edge: S of a patch is dense.
const MAX_NODES: usize = 256;

/// Which unknowns the problem has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(crate = "vinci_sdk::serde", rename_all = "kebab-case")]
#[schemars(crate = "vinci_sdk::schemars")]
pub enum Form {
    /// Deformations are eliminated: a compliance S/h² on the contact rows.
    #[default]
    Reduced,
    /// Deformations are free unknowns with rows of their own; pyramids only.
    Full,
}

/// Options of the Song-Pang-Kumar stepper.
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
    /// Which unknowns the problem has. The motion is the same.
    pub form: Form,
    /// Tangential stiffness and damping as a multiple of the normal ones.
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0))]
    pub tangential_ratio: f64,
    /// Nodes along an edge that lies on another (two contacts of one pair of planar shapes with one normal). 1: the two
    /// contacts are the nodes. In space the contacts are the nodes always.
    #[schemars(range(min = 1, max = 256))]
    pub nodes: usize,
    /// c, strength of the coupling between the nodes of a patch: compliance (1/k)(δ_ij + c exp(−|x_i − x_j|/L)).
    #[schemars(range(min = 0.0, max = 1e12))]
    pub coupling: f64,
    /// L, distance over which the coupling decays, m.
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0))]
    pub coupling_length: f64,
    /// E*, contact modulus of elastic half-spaces below the layers of the scene's patches, Pa: 1/E* = (1 − ν_a²)/E_a + (1 − ν_b²)/E_b.
    /// Every node gives way under the forces on all: compliance 1/(π E* r) between nodes r apart. null: the layers alone.
    #[schemars(range(max = 1e18), extend("exclusiveMinimum" = 0))]
    pub half_space: Option<f64>,
    /// Stiffness matrix of a patch in place of the pair's stiffness, N/m: rows in the order (normal, tangent) of node 1,
    /// node 2, …; symmetric positive definite. Planar only. Holds for every pair of shapes that is not rigid.
    #[serde(rename = "K")]
    #[schemars(length(max = 512), inner(length(max = 512), inner(range(min = -1e18, max = 1e18))))]
    pub k: Option<Vec<Vec<f64>>>,
    /// Damping matrix of a patch, N s/m, together with `K`; symmetric positive definite. Not given: no damping.
    #[serde(rename = "C")]
    #[schemars(length(max = 512), inner(length(max = 512), inner(range(min = -1e18, max = 1e18))))]
    pub c: Option<Vec<Vec<f64>>>,
    /// κ, part of the gap that a step may close while a compliant contact approaches, 0 < κ ≤ 1; null: no limit. At 1 the
    /// step ends where the contact begins.
    #[schemars(range(max = 1.0), extend("exclusiveMinimum" = 0))]
    pub kappa: Option<f64>,
    /// η, largest step in contact in units of 1/ω_max, ω_max the fastest oscillation of a body on its compliant contacts;
    /// null: no limit.
    #[schemars(range(max = 1e12), extend("exclusiveMinimum" = 0))]
    pub eta: Option<f64>,
    /// Smallest step that κ and η may ask for, s. A contact that closes within it counts as closed.
    #[schemars(range(max = 1e9), extend("exclusiveMinimum" = 0))]
    pub min_step: f64,
    /// Deformation below which an open node is forgotten, m.
    #[schemars(range(min = 0.0, max = 1e3))]
    pub relaxed: f64,
    /// Rigid pairs only: β, part of a penetration expelled per step, 0 … 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub penetration_correction: f64,
    /// Rigid pairs only: largest speed at which a penetration is expelled, m/s.
    #[schemars(range(min = 0.0, max = 1e12))]
    pub correction_speed: f64,
    /// Rigid pairs only: overlap that is left as it is, m: rounding.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub penetration_tolerance: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            motion: Motion::Dynamic,
            undetermined: Undetermined::Refuse,
            friction: Friction::Auto,
            friction_directions: 8,
            form: Form::Reduced,
            tangential_ratio: 1.0,
            nodes: 1,
            coupling: 0.0,
            coupling_length: 0.01,
            half_space: None,
            k: None,
            c: None,
            kappa: Some(1.0),
            eta: None,
            min_step: 1e-6,
            relaxed: 1e-12,
            penetration_correction: 0.2,
            correction_speed: 0.5,
            penetration_tolerance: Correction::TOLERANCE,
        }
    }
}

impl Config {
    /// Reads and checks options; what of them depends on the space is checked in [`Config::check_space`].
    pub(crate) fn parse(options: &str) -> Result<Self, StageError> {
        let config: Self = vinci_sdk::parse_options(options)?;
        check_friction_directions(config.friction_directions)?;
        check_range("penetration_correction", config.penetration_correction, 0.0..=1.0, "a part")?;
        for (name, value, unit) in [
            ("correction_speed", config.correction_speed, "a speed in m/s"),
            ("coupling", config.coupling, "a number"),
            ("relaxed", config.relaxed, "a length in m"),
            ("penetration_tolerance", config.penetration_tolerance, "a length in m"),
        ] {
            check_range(name, value, 0.0..=f64::INFINITY, unit)?;
        }
        for (name, value) in [
            ("tangential_ratio", Some(config.tangential_ratio)),
            ("coupling_length", Some(config.coupling_length)),
            ("min_step", Some(config.min_step)),
            ("eta", config.eta),
            ("half_space", config.half_space),
        ] {
            positive(name, value)?;
        }
        positive("kappa", config.kappa)?;
        check_range("kappa", config.kappa.unwrap_or(1.0), 0.0..=1.0, "a part")?;
        if !(1..=MAX_NODES).contains(&config.nodes) {
            let found = config.nodes;
            return Err(StageError::bad_option(format!("nodes must be in 1 … {MAX_NODES}, found {found}")));
        }
        config.check_matrices()?;
        config.check_form()?;
        Ok(config)
    }

    /// How overlaps of rigid pairs leave.
    pub(crate) fn correction(&self) -> Correction {
        Correction {
            part: self.penetration_correction,
            speed: self.correction_speed,
            tolerance: self.penetration_tolerance,
        }
    }

    /// K and C: square, of even size for a whole number of nodes, symmetric positive definite, of one size.
    fn check_matrices(&self) -> Result<(), StageError> {
        for (name, m) in [("K", &self.k), ("C", &self.c)] {
            if let Some(m) = m {
                matrix::check_spd(m).map_err(|defect| bad_matrix(name, &defect))?;
            }
        }
        let Some(k) = &self.k else {
            return match self.c {
                Some(_) => Err(StageError::bad_option("C is given without K: give both, or neither")),
                None => Ok(()),
            };
        };
        if k.len() != 2 * self.nodes {
            let (rows, nodes) = (k.len(), self.nodes);
            return Err(StageError::bad_option(format!(
                "K has {rows} rows, but a patch of {nodes} node(s) has {}: (normal, tangent) per node",
                2 * nodes
            )));
        }
        match &self.c {
            Some(c) if c.len() != k.len() => Err(StageError::bad_option(format!(
                "C has {} rows and K has {}: one size for both",
                c.len(),
                k.len()
            ))),
            _ => Ok(()),
        }
    }

    fn check_form(&self) -> Result<(), StageError> {
        if self.form == Form::Full && self.friction == Friction::Cone {
            return Err(StageError::bad_option(
                "form `full` is a mixed LCP and needs `friction` pyramid (or auto); cones go with form `reduced`",
            ));
        }
        Ok(())
    }

    /// Refuses what has no meaning in space.
    pub(crate) fn check_space(&self, space: Space) -> Result<(), StageError> {
        if space == Space::Planar {
            return Ok(());
        }
        if self.k.is_some() {
            return Err(StageError::bad_option(
                "K and C are for planar scenes: in space the host chooses the tangents of a contact; use the \
                 stiffness of the pair with `coupling`",
            ));
        }
        if self.nodes != 1 {
            return Err(StageError::bad_option(format!(
                "nodes is {} in a spatial scene, where the contacts are the nodes: leave it at 1",
                self.nodes
            )));
        }
        Ok(())
    }

    /// The law of friction: the full form is a mixed LCP.
    pub(crate) fn law(&self, system: &SystemView<'_>) -> FrictionLaw {
        match self.form {
            Form::Full => FrictionLaw::Pyramid(self.friction_directions),
            Form::Reduced => self.friction.law(self.friction_directions, system),
        }
    }
}

fn positive(name: &str, value: Option<f64>) -> Result<(), StageError> {
    match value {
        Some(x) if !(x > 0.0 && x.is_finite()) => {
            Err(StageError::bad_option(format!("{name} must be finite and above 0, found {x}")))
        }
        _ => Ok(()),
    }
}

fn bad_matrix(name: &str, defect: &Defect) -> StageError {
    StageError::bad_option(format!("{name} {defect}"))
}
