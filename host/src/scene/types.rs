//! The scene format, version 1: physics and geometry, nothing about how they are simulated.
//!
//! These types are the one source of the format: the published schema, the checks of keys and types, and the reading all
//! follow from them. Marks for the schema generator: `x-space` says that a key or variant exists in one space only,
//! `x-length` that the length of an array depends on the space (`vector`: 2 or 3, `dofs`: 3 or 6).

mod controllers;
mod trees;

pub use controllers::{Cartesian, Controller, Feedback, Gain, GripJoints, JointKeyframe, PoseKeyframe};
pub use trees::{
    Base, Coordinates, Coupler, JointLimits, JointValues, Link, Tree, TreeJoint, TreeJointKind, WorldAxis,
};

use super::shapes::Shape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Names of bodies, materials and springs.
pub const NAME_PATTERN: &str = "^[A-Za-z_][A-Za-z0-9_-]*$";
/// `format` of scenes.
pub const SCENE_FORMAT: &str = "vinci/scene@1";

/// Bodies, their shapes, materials, drives and springs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Format and version of the file.
    #[schemars(extend("const" = SCENE_FORMAT))]
    pub format: String,
    /// Name of the scene; default: the name of the file.
    pub name: Option<String>,
    /// What the scene shows, for people.
    pub description: Option<String>,
    /// Dimension of the world.
    pub space: SpaceName,
    /// Acceleration of gravity, m/s²; default [0, -9.81] or [0, 0, -9.81].
    #[schemars(extend("x-length" = "vector"))]
    pub gravity: Option<Vec<f64>>,
    /// Gravity across the plane of the scene, m/s², that presses parts on their support points; default 9.81.
    #[schemars(range(min = 0), extend("x-space" = "planar"))]
    pub support_gravity: Option<f64>,
    /// Materials by name. `default` exists always (friction 0.5, restitution 0, rigid) and may be redefined.
    #[serde(default)]
    #[schemars(extend("propertyNames" = { "pattern": NAME_PATTERN }))]
    pub materials: BTreeMap<String, Material>,
    /// How two materials make the parameters of a contact.
    #[serde(default)]
    pub combination: Combination,
    /// Contact parameters of certain pairs, stronger than the combination rule; bodies beat materials.
    #[serde(default)]
    pub pairs: Vec<Pair>,
    /// The bodies, in the order of their coordinates.
    pub bodies: Vec<Body>,
    /// Springs and dampers between two bodies or a body and a point of the world.
    #[serde(default)]
    pub springs: Vec<Spring>,
    /// Torsion springs and dampers between the angles of two bodies, in planar scenes.
    #[serde(default)]
    pub torsion_springs: Vec<TorsionSpring>,
    /// Joints that keep a point of one body at a point of another or of the world.
    #[serde(default)]
    pub joints: Vec<Joint>,
    /// Articulated trees, in the order of their coordinates after the bodies.
    #[serde(default)]
    #[schemars(extend("x-space" = "spatial"))]
    pub trees: Vec<Tree>,
    /// Couplers between joints of trees.
    #[serde(default)]
    #[schemars(extend("x-space" = "spatial"))]
    pub couplers: Vec<Coupler>,
    /// Controllers: what drives joints of trees by a law.
    #[serde(default)]
    #[schemars(extend("x-space" = "spatial"))]
    pub controllers: Vec<Controller>,
    /// Pairs of bodies that do not collide.
    #[serde(default)]
    pub ignore_contacts: Vec<[String; 2]>,
}

/// Dimension of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpaceName {
    /// Bodies (x, y, angle).
    Planar,
    /// Bodies with position and orientation in three dimensions.
    Spatial,
}

/// Contact parameters of one material.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Material {
    /// Coefficient of Coulomb friction; default 0.5.
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 (no bounce) to 1; default 0.
    #[schemars(range(min = 0, max = 1))]
    pub restitution: Option<f64>,
    /// Contact stiffness, N/m; absent: rigid.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<f64>,
    /// Contact damping, N s/m; default 0.
    #[schemars(range(min = 0))]
    pub damping: Option<f64>,
    /// Dissipation d of the Hunt–Crossley law k (1 + d δ̇) δ, s/m; default 0.
    #[schemars(range(min = 0))]
    pub dissipation: Option<f64>,
}

/// Rule by parameter.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Combination {
    /// Rule for friction; default `geometric-mean`.
    pub friction: Option<Rule>,
    /// Rule for restitution; default `max`.
    pub restitution: Option<Rule>,
    /// Rule for stiffness; default `series` (a rigid partner drops out).
    pub stiffness: Option<Rule>,
    /// Rule for damping; default `series`.
    pub damping: Option<Rule>,
    /// Rule for dissipation; default `mean`.
    pub dissipation: Option<Rule>,
}

/// How the values a and b of two materials become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// a b
    Product,
    /// max(a, b)
    Max,
    /// min(a, b)
    Min,
    /// (a + b) / 2
    Mean,
    /// sqrt(a b)
    GeometricMean,
    /// a b / (a + b)
    Series,
}

/// Contact parameters of a pair of materials or of bodies; what is absent follows the combination rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pair {
    /// The two materials this holds for (give either `materials` or `bodies`).
    pub materials: Option<[String; 2]>,
    /// The two bodies this holds for.
    pub bodies: Option<[String; 2]>,
    /// Coefficient of Coulomb friction.
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub restitution: Option<f64>,
    /// Contact stiffness, N/m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: Option<f64>,
    /// Contact damping, N s/m.
    #[schemars(range(min = 0))]
    pub damping: Option<f64>,
    /// Dissipation of the Hunt–Crossley law, s/m.
    #[schemars(range(min = 0))]
    pub dissipation: Option<f64>,
}

/// A rigid body. The origin of its frame is its centre of mass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Unique name.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: String,
    /// Whether the body never moves; default false.
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
    /// What moves each degree of freedom; default all free.
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
    /// Whether gravity pulls at the body; default true.
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
    /// The same at all points.
    All(#[schemars(range(min = 0))] f64),
    /// One number per point.
    Each(#[schemars(inner(range(min = 0)))] Vec<f64>),
}

impl SupportFriction {
    /// Of point k; 0 where none is given (which the checks refuse).
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

/// Orientation of a frame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Orientation {
    /// As a quaternion [w, x, y, z]; it is normalised.
    Quaternion {
        /// Components, w first.
        quaternion: [f64; 4],
    },
    /// As roll, pitch, yaw about the fixed axes x, y, z, in this order, rad.
    Rpy {
        /// Roll, pitch, yaw, rad.
        rpy: [f64; 3],
    },
    /// As a rotation about an axis.
    AxisAngle {
        /// Axis of any length but zero.
        axis: [f64; 3],
        /// Angle, rad.
        angle: f64,
    },
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

/// What moves each degree of freedom; world axes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Dofs {
    /// Along x.
    pub x: Option<Dof>,
    /// Along y.
    pub y: Option<Dof>,
    /// Rotation in the plane.
    #[schemars(extend("x-space" = "planar"))]
    pub angle: Option<Dof>,
    /// Along z.
    #[schemars(extend("x-space" = "spatial"))]
    pub z: Option<Dof>,
    /// Rotation about x.
    #[schemars(extend("x-space" = "spatial"))]
    pub rx: Option<Dof>,
    /// Rotation about y.
    #[schemars(extend("x-space" = "spatial"))]
    pub ry: Option<Dof>,
    /// Rotation about z.
    #[schemars(extend("x-space" = "spatial"))]
    pub rz: Option<Dof>,
}

impl Dofs {
    /// Keys and values in the order of the velocity coordinates.
    pub fn in_order(&self, space: SpaceName) -> Vec<(&'static str, Option<&Dof>)> {
        match space {
            SpaceName::Planar => {
                vec![("x", self.x.as_ref()), ("y", self.y.as_ref()), ("angle", self.angle.as_ref())]
            }
            SpaceName::Spatial => vec![
                ("x", self.x.as_ref()),
                ("y", self.y.as_ref()),
                ("z", self.z.as_ref()),
                ("rx", self.rx.as_ref()),
                ("ry", self.ry.as_ref()),
                ("rz", self.rz.as_ref()),
            ],
        }
    }
}

/// What moves one degree of freedom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dof {
    /// Moves under forces.
    Free,
    /// Keeps its initial value.
    Locked,
    /// Follows this value (m or rad) exactly; an expression may use t.
    Position(Drive),
    /// Moves at this velocity (m/s or rad/s) from wherever it is, exactly or as near as the stepper's model lets it; an
    /// expression may use t.
    Velocity(Drive),
    /// Feels this force (N or N m); an expression may use t and the body's own state.
    Force(Drive),
    /// Is pulled towards a commanded value through a stiffness.
    Impedance(Impedance),
}

/// A commanded value behind a stiffness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Impedance {
    /// Stiffness, N/m or N m/rad.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stiffness: f64,
    /// Commanded value, m or rad; an expression may use t.
    pub command: Drive,
}

/// A value over time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum Drive {
    /// Always the same.
    Constant(f64),
    /// Through given points; constant before the first and after the last.
    Keyframes {
        /// Pairs [time, value] with increasing times.
        #[schemars(length(min = 1))]
        keyframes: Vec<[f64; 2]>,
        /// How to go from point to point; default linear.
        #[serde(default)]
        interpolation: Interpolation,
    },
    /// A formula.
    Expression {
        /// Formula of t (and of the body's own state for forces), with + - * / ^, pi and the usual functions.
        expression: String,
    },
}

/// How to go from keyframe to keyframe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// Piecewise cubic with continuous slope.
    Cubic,
    /// The cubic spline, at rest at both ends: curvature is continuous too.
    Spline,
}

/// A spring with a damper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spring {
    /// Name for messages.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// The two bodies it joins; null: the world.
    pub bodies: [Option<String>; 2],
    /// Where it is attached: in the frames of the bodies (of links: the link frame), or a point of the world where the body is null, m.
    #[schemars(extend("x-items-length" = "vector"))]
    pub anchors: [Vec<f64>; 2],
    /// Stiffness, N/m.
    #[schemars(range(min = 0))]
    pub stiffness: f64,
    /// Damping along the spring, N s/m; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
    /// Length without force, m; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub rest_length: f64,
}

/// A torsion spring with a damper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorsionSpring {
    /// Name for messages.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// The two bodies whose angles it joins; null: the world.
    pub bodies: [Option<String>; 2],
    /// Stiffness, N m/rad.
    #[schemars(range(min = 0))]
    pub stiffness: f64,
    /// Damping, N m s/rad; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
    /// Angle of the second body against the first without torque, rad; default 0.
    #[serde(default)]
    pub rest_angle: f64,
}

/// A joint: a hinge in the plane, a ball joint in space. Its bodies still collide unless `ignore_contacts` names them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Name for messages.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// The two bodies it joins; null: the world.
    pub bodies: [Option<String>; 2],
    /// The two points that stay together: in the frames of the bodies (of links: the link frame), or a point of the world where the body is null, m.
    #[schemars(extend("x-items-length" = "vector"))]
    pub anchors: [Vec<f64>; 2],
    /// World axes along which the points are kept together; default all.
    #[schemars(length(min = 1))]
    pub along: Option<Vec<WorldAxis>>,
    /// Part of a distance between the points that a step takes back, 0 … 1; default 1.
    #[serde(default = "full")]
    #[schemars(range(min = 0, max = 1))]
    pub stabilization: f64,
}

fn full() -> f64 {
    1.0
}
