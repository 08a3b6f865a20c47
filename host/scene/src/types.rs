//! The scene format, version 1: physics and geometry, nothing about how they are simulated.
//!
//! These types are the one source of the format: the published schema, the checks of keys and types, and the reading all
//! follow from them. Marks for the schema generator: `x-space` says that a key or variant exists in one space only,
//! `x-length` that the length of an array depends on the space (`vector`: 2 or 3, `dofs`: 3 or 6).

mod bodies;
mod controllers;
mod drives;
mod materials;
mod names;
mod orientation;
mod trees;

pub use bodies::{AngularVelocity, Body, Inertia, Motion, SupportFriction, SupportLoad, Supports};
pub use controllers::{Cartesian, Controller, Feedback, Gain, GripJoints, JointKeyframe, PoseKeyframe};
pub use drives::{Dof, Dofs, Drive, Impedance, Interpolation};
pub use materials::{Combination, Material, Pair, Patch, Rule};
pub use names::{NAME_PATTERN, SpaceName};
pub use orientation::Orientation;
pub use trees::{
    Base, Coordinates, Coupler, JointLimits, JointValues, Link, Tree, TreeJoint, TreeJointKind, WorldAxis,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// Description for readers.
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
    /// Pairs of bodies that meet in patches of many nodes.
    #[serde(default)]
    #[schemars(extend("x-space" = "spatial"))]
    pub patches: Vec<Patch>,
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
