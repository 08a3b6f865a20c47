//! Rigid bodies: masses, shapes, supports.

use super::super::shapes::Shape;
use super::Dofs;
use super::names::NAME_PATTERN;
use super::orientation::Orientation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A rigid body. The origin of its frame is its centre of mass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique name.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: String,
    /// True if the body never moves; default false.
    #[serde(rename = "static", default)]
    pub is_static: bool,
    /// Mass, kg (or give `density`).
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: Option<f64>,
    /// Density instead of mass, kg/m² (planar) or kg/m³.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: Option<f64>,
    /// Moment of inertia about the centre of mass, kg m²: a number (planar), [ixx, iyy, izz] or a symmetric 3 × 3 matrix in the
    /// body frame (spatial); default: that of the shapes at uniform density.
    pub inertia: Option<Inertia>,
    /// Material of all shapes that name none; default `default`.
    pub material: Option<String>,
    /// Shapes in the body frame; a body without shapes touches nothing.
    #[serde(default)]
    pub shapes: Vec<Shape>,
    /// Initial position of the centre of mass, m; default the origin.
    #[schemars(extend("x-length" = "vector"))]
    pub position: Option<Vec<f64>>,
    /// Initial angle, rad; default 0.
    #[schemars(extend("x-space" = "planar"))]
    pub angle: Option<f64>,
    /// Initial orientation; default that of the world.
    #[schemars(extend("x-space" = "spatial"))]
    pub orientation: Option<Orientation>,
    /// Initial velocity of the centre of mass, m/s; default rest.
    #[schemars(extend("x-length" = "vector"))]
    pub velocity: Option<Vec<f64>>,
    /// Initial angular velocity, rad/s: a number (planar) or a vector in world axes (spatial); default 0.
    pub angular_velocity: Option<AngularVelocity>,
    /// Drives of the degrees of freedom; default all free.
    #[serde(default)]
    pub dofs: Dofs,
    /// Diagonal of the damping matrix D of the first-order model, per degree of freedom, N s/m and N m s.
    #[schemars(extend("x-length" = "dofs"), inner(range(min = 0)))]
    pub drag: Option<Vec<f64>>,
    /// Linear damping that acts in every motion model, per degree of freedom, N s/m and N m s.
    #[schemars(extend("x-length" = "dofs"), inner(range(min = 0)))]
    pub damping: Option<Vec<f64>>,
    /// Motion model of this body; default that of the stepper.
    pub motion: Option<Motion>,
    /// True if gravity pulls at the body; default true.
    pub gravity: Option<bool>,
    /// Points on which the body lies on the plane of the scene, with friction there.
    #[schemars(extend("x-space" = "planar"))]
    pub supports: Option<Supports>,
}

/// Points on which a part lies on the plane of the scene (2.5D). Their loads follow from the weight of the part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Supports {
    /// Where they are, in the frame of the body, m: at least three, not all on one line.
    #[schemars(length(min = 3))]
    pub points: Vec<[f64; 2]>,
    /// Coefficient of Coulomb friction against the plane: one number, or one per point.
    pub friction: SupportFriction,
    /// Viscosity of the film under each point, N s/m: the force −viscosity · velocity; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub viscosity: f64,
    /// A force beside the weight that presses the part on the plane.
    pub load: Option<SupportLoad>,
}

/// Friction of support points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SupportFriction {
    /// One value for all points.
    All(#[schemars(range(min = 0))] f64),
    /// One number per point.
    Each(#[schemars(inner(range(min = 0)))] Vec<f64>),
}

impl SupportFriction {
    /// Friction of point k; 0 where none is given (which the checks refuse).
    pub fn of(&self, k: usize) -> f64 {
        match self {
            Self::All(friction) => *friction,
            Self::Each(list) => list.get(k).copied().unwrap_or(0.0),
        }
    }
}

/// A force across the plane of the scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SupportLoad {
    /// N, positive towards the plane.
    pub force: f64,
    /// Where it acts, in the frame of the body, m.
    pub at: [f64; 2],
}

/// Moment of inertia.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Inertia {
    /// About the out-of-plane axis, kg m².
    #[schemars(extend("x-space" = "planar"))]
    Moment(#[schemars(extend("exclusiveMinimum" = 0))] f64),
    /// About the axes of the body, kg m².
    #[schemars(extend("x-space" = "spatial"))]
    Principal([f64; 3]),
    /// The whole tensor in the body frame, kg m².
    #[schemars(extend("x-space" = "spatial"))]
    Matrix([[f64; 3]; 3]),
}

/// Angular velocity, rad/s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AngularVelocity {
    /// About the out-of-plane axis.
    #[schemars(extend("x-space" = "planar"))]
    Planar(f64),
    /// In world axes.
    #[schemars(extend("x-space" = "spatial"))]
    Spatial([f64; 3]),
}

/// How a body answers to forces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Newton and Euler.
    Dynamic,
    /// Force proportional to velocity through the damping matrix D.
    FirstOrder,
    /// Equilibrium at every instant.
    QuasiStatic,
    /// Momentum discarded every step.
    QuasiDynamic,
}
