//! Articulated trees of the scene format: links, joints, couplers.

use super::super::shapes::Shape;
use super::names::NAME_PATTERN;
use super::{Dof, Inertia, Motion, Orientation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use vinci_core::tree::JointKind;

/// An articulated tree: links moved by joints, given here or read from a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Unique name. Its links are the bodies `TREE/LINK`, its joints are called `TREE.JOINT`.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: String,
    /// The links, in any order.
    #[serde(default)]
    pub links: Vec<Link>,
    /// The joints, in any order: one for every link but the root, which `base` places.
    #[serde(default)]
    pub joints: Vec<TreeJoint>,
    /// URDF, MJCF or SDF file to take links and joints from, relative to the file this is written in.
    pub model: Option<String>,
    /// Keyframe of an MJCF model at which it starts, by its name, or by its number where it has none; default: as it is written.
    pub keyframe: Option<String>,
    /// Roots of the packages that the model names in `package://NAME/…`, relative to the file this is written in.
    #[serde(default)]
    pub packages: BTreeMap<String, String>,
    /// True if collision meshes of the model that are not there are left out; default false: they are an error.
    #[serde(default)]
    pub skip_meshes: bool,
    /// Pose of the root link in the world, and of everything whose parent is the world; default the origin. Of a floating
    /// tree the pose at the start.
    pub base: Option<Base>,
    /// True if the root link moves freely; default false: it is fixed to the world.
    #[serde(default)]
    pub floating: bool,
    /// Coordinates at the start by joint; default 0, or the nearest limit where 0 lies outside.
    #[serde(default)]
    pub start: BTreeMap<String, Coordinates>,
    /// Velocities at the start by joint; default rest.
    #[serde(default)]
    pub velocity: BTreeMap<String, Coordinates>,
    /// Values that replace those of the joints, by joint; `*` stands for all that may move and have no entry of their own.
    #[serde(default)]
    pub joint_values: BTreeMap<String, JointValues>,
    /// Drives of joints, by joint, as `dofs` of bodies; default all free. Joints with several coordinates can be locked.
    #[serde(default)]
    pub drives: BTreeMap<String, Dof>,
    /// Materials by link, stronger than those of the links.
    #[serde(default)]
    pub materials: BTreeMap<String, String>,
    /// Material of all links that have none; default `default`.
    pub material: Option<String>,
    /// True if gravity pulls at the links; default true.
    pub gravity: Option<bool>,
    /// Motion model of the tree; default that of the stepper.
    pub motion: Option<Motion>,
    /// True if links of this tree touch one another: all but those that a joint joins or that are fixed together. Default
    /// false: none do.
    #[serde(default)]
    pub self_collision: bool,
}

/// Pose of the root of a tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Base {
    /// Position of its frame, m; default the origin.
    pub position: Option<[f64; 3]>,
    /// Orientation; default that of the world.
    pub orientation: Option<Orientation>,
}

/// A link: a rigid body in a frame of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name, unique in the tree.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: String,
    /// Mass, kg; default 0: a mere frame.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub mass: f64,
    /// Centre of mass in the link frame, m; default its origin.
    #[serde(default)]
    pub com: [f64; 3],
    /// Moment of inertia about the centre of mass, kg m²: [ixx, iyy, izz] or a symmetric 3 × 3 matrix in link axes; needed
    /// where there is a mass.
    pub inertia: Option<Inertia>,
    /// Shapes in the link frame.
    #[serde(default)]
    pub shapes: Vec<Shape>,
    /// Material of all shapes that name none; default that of the tree.
    pub material: Option<String>,
}

/// A joint of a tree: how its child moves relative to its parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TreeJoint {
    /// Name, unique in the tree.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: String,
    /// How it moves.
    pub kind: TreeJointKind,
    /// The link that carries it; default the world (the frame that `base` places).
    pub parent: Option<String>,
    /// The link it moves; the frame of this link is the joint frame where the coordinates are 0.
    pub child: String,
    /// Origin of the joint frame in the parent's link frame, m; default its origin.
    pub position: Option<[f64; 3]>,
    /// Orientation of the joint frame in the parent's link frame; default the same axes.
    pub orientation: Option<Orientation>,
    /// Axis of revolute, continuous, prismatic and cylindrical joints and normal of planar ones, in the joint frame, of any
    /// length but zero; default [0, 0, 1].
    pub axis: Option<[f64; 3]>,
    /// Bounds of revolute and prismatic joints; default none.
    pub limits: Option<JointLimits>,
    /// Viscous damping of every degree of freedom, N s/m or N m s; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub damping: f64,
    /// Bound of the dry friction of every degree of freedom, N or N m; default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub friction: f64,
    /// Inertia of the rotor about its own axis, kg m² (kg for linear drives); default 0.
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub rotor_inertia: f64,
    /// Turns of the rotor per turn (or metre) of the joint; default 1.
    #[serde(default = "super::full")]
    pub gear_ratio: f64,
}

/// Kinds of joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TreeJointKind {
    /// No motion.
    Fixed,
    /// Turns about the axis; coordinate: angle, rad.
    Revolute,
    /// Turns about the axis without limits.
    Continuous,
    /// Slides along the axis; coordinate: displacement, m.
    Prismatic,
    /// Slides along the axis and turns about it; coordinates: displacement, m, and angle, rad.
    Cylindrical,
    /// Moves in the plane normal to the axis; coordinates x, y, angle.
    Planar,
    /// Turns about the origin; coordinates: quaternion [w, x, y, z].
    Ball,
    /// All motions; coordinates: x, y, z, quaternion [w, x, y, z].
    Free,
}

impl TreeJointKind {
    /// The kind of core: a continuous joint is a revolute one.
    pub fn core(self) -> JointKind {
        match self {
            Self::Fixed => JointKind::Fixed,
            Self::Revolute | Self::Continuous => JointKind::Revolute,
            Self::Prismatic => JointKind::Prismatic,
            Self::Cylindrical => JointKind::Cylindrical,
            Self::Planar => JointKind::Planar,
            Self::Ball => JointKind::Ball,
            Self::Free => JointKind::Free,
        }
    }

    /// Name as scenes write it.
    pub fn name(self) -> &'static str {
        if self == Self::Continuous { "continuous" } else { self.core().name() }
    }
}

/// Bounds of a joint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JointLimits {
    /// Smallest coordinate, rad or m; default none.
    pub lower: Option<f64>,
    /// Largest coordinate, rad or m; default none.
    pub upper: Option<f64>,
    /// Largest speed, rad/s or m/s: for controllers, nothing here enforces it.
    #[schemars(range(min = 0))]
    pub velocity: Option<f64>,
    /// Largest effort of the joint's drive, N m or N: for controllers, nothing here enforces it.
    #[schemars(range(min = 0))]
    pub effort: Option<f64>,
}

/// Values that replace those of a joint; what is absent stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JointValues {
    /// Bounds, as a whole.
    pub limits: Option<JointLimits>,
    /// Viscous damping, N s/m or N m s.
    #[schemars(range(min = 0))]
    pub damping: Option<f64>,
    /// Bound of the dry friction, N or N m.
    #[schemars(range(min = 0))]
    pub friction: Option<f64>,
    /// Inertia of the rotor, kg m² (kg for linear drives).
    #[schemars(range(min = 0))]
    pub rotor_inertia: Option<f64>,
    /// Turns of the rotor per turn (or metre) of the joint.
    pub gear_ratio: Option<f64>,
}

/// Coordinates or velocities of one joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Coordinates {
    /// Coordinate of a joint that has one.
    One(f64),
    /// Coordinates of a joint that has several, in the order of the joint's kind; quaternions w first.
    Several(Vec<f64>),
}

impl Coordinates {
    /// The coordinates as a list.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Self::One(number) => std::slice::from_ref(number),
            Self::Several(list) => list,
        }
    }
}

/// A coupler: q₁ − ratio q₂ − offset = 0 of two joints with one coordinate each, as of gears or mimicking fingers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coupler {
    /// Name for messages.
    #[schemars(regex(pattern = NAME_PATTERN))]
    pub name: Option<String>,
    /// The two joints, `TREE.JOINT`.
    pub joints: [String; 2],
    /// Motion of the first per motion of the second.
    pub ratio: f64,
    /// Coordinate of the first where that of the second is 0, rad or m; default 0.
    #[serde(default)]
    pub offset: f64,
    /// Part of an error that a step takes back, 0 … 1; default 0.2.
    #[serde(default = "a_fifth")]
    #[schemars(range(min = 0, max = 1))]
    pub stabilization: f64,
}

fn a_fifth() -> f64 {
    0.2
}

/// An axis of the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WorldAxis {
    /// x
    X,
    /// y
    Y,
    /// z
    #[schemars(extend("x-space" = "spatial"))]
    Z,
}
