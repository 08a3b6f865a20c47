//! Controllers of the scene format: laws that drive joints of trees.

use super::names::NAME_PATTERN;
use super::{Drive, Interpolation, Orientation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A law that puts forces on joints of a tree. Every law reads the state at the start of a step and holds for the step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Controller {
    /// kp (q_ref − q) + kd (v_ref − v) at every joint by itself. Give `targets` or `keyframes`.
    Pd {
        /// Name for messages.
        #[schemars(regex(pattern = NAME_PATTERN))]
        name: Option<String>,
        /// The tree.
        tree: String,
        /// Stiffness, N m/rad or N/m: one number, or one per joint.
        kp: Gain,
        /// Damping, N m s/rad or N s/m: one number, or one per joint.
        kd: Gain,
        /// Coordinates over time by joint; an expression may use t.
        #[serde(default)]
        targets: BTreeMap<String, Drive>,
        /// Coordinates at given times, of the same joints every time.
        #[serde(default)]
        keyframes: Vec<JointKeyframe>,
        /// How to go from keyframe to keyframe; default linear.
        interpolation: Option<Interpolation>,
        /// True if kp and kd act at the end of the step, so that any gains are stable; default true.
        #[serde(default = "yes")]
        implicit: bool,
        /// True if v_ref is the rate of q_ref; default true. With false it is 0, as of drives that are told places only.
        #[serde(default = "yes")]
        follow_rate: bool,
        /// Largest effort, N m or N: one number, or one per joint; default the joints' `limits.effort`, if they have one.
        effort_limit: Option<Gain>,
        /// True if the weight of the tree is compensated too; default false.
        #[serde(default)]
        gravity_compensation: bool,
    },
    /// M (a_ref + kp (q_ref − q) + kd (v_ref − v)) − c − g: the joints accelerate as wanted. Give `targets`, `keyframes` or
    /// `cartesian`.
    InverseDynamics {
        /// Name for messages.
        #[schemars(regex(pattern = NAME_PATTERN))]
        name: Option<String>,
        /// The tree.
        tree: String,
        /// Acceleration per error, 1/s²: one number, or one per joint.
        kp: Gain,
        /// Acceleration per error of velocity, 1/s: one number, or one per joint.
        kd: Gain,
        /// Coordinates over time by joint; an expression may use t.
        #[serde(default)]
        targets: BTreeMap<String, Drive>,
        /// Coordinates at given times, of the same joints every time.
        #[serde(default)]
        keyframes: Vec<JointKeyframe>,
        /// How to go from keyframe to keyframe; default spline.
        interpolation: Option<Interpolation>,
        /// A way of a link through space.
        cartesian: Option<Cartesian>,
        /// True if kp and kd act at the end of the step, weighed with the diagonal of M; default false.
        #[serde(default)]
        implicit: bool,
        /// Largest effort, as of `pd`.
        effort_limit: Option<Gain>,
    },
    /// −g: the tree floats.
    GravityCompensation {
        /// Name for messages.
        #[schemars(regex(pattern = NAME_PATTERN))]
        name: Option<String>,
        /// The tree.
        tree: String,
        /// The joints that carry; default all but those that float or are driven.
        joints: Option<Vec<String>>,
        /// True if forces of velocity products are compensated too; default false.
        #[serde(default)]
        bias: bool,
    },
    /// One force on several joints, as a gripper's fingers have it, and where asked a loop around the contact force.
    GripForce {
        /// Name for messages.
        #[schemars(regex(pattern = NAME_PATTERN))]
        name: Option<String>,
        /// The tree.
        tree: String,
        /// The joints, or the factor of the force on each.
        joints: GripJoints,
        /// The force, N or N m; an expression may use t.
        force: Drive,
        /// Loop around the measured contact force.
        feedback: Option<Feedback>,
        /// Smallest and largest force, N or N m.
        limits: Option<[f64; 2]>,
    },
}

/// Numbers of joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Gain {
    /// One value for all.
    All(f64),
    /// By joint.
    Each(BTreeMap<String, f64>),
}

impl Gain {
    /// Gain of a joint.
    pub fn of(&self, joint: &str) -> Option<f64> {
        match self {
            Self::All(value) => Some(*value),
            Self::Each(map) => map.get(joint).copied(),
        }
    }
}

/// Coordinates at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointKeyframe {
    /// Time, s.
    pub t: f64,
    /// Coordinates by joint, rad or m.
    pub q: BTreeMap<String, f64>,
}

/// A way of a point of a link. The joints follow from it when the scene is loaded: positions by a spline that rests at
/// both ends, orientations turning from keyframe to keyframe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cartesian {
    /// The link.
    pub link: String,
    /// The point of the link, link frame, m; default its origin.
    pub point: Option<[f64; 3]>,
    /// Where it is when.
    #[schemars(length(min = 1))]
    pub keyframes: Vec<PoseKeyframe>,
}

/// A pose at one time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoseKeyframe {
    /// Time, s.
    pub t: f64,
    /// Place of the point in the world, m.
    pub position: [f64; 3],
    /// Orientation of the link in the world: in all keyframes or in none.
    pub orientation: Option<Orientation>,
}

/// Joints that share a force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum GripJoints {
    /// With the same force each.
    Names(Vec<String>),
    /// With this factor each.
    Factors(BTreeMap<String, f64>),
}

impl GripJoints {
    /// Joints and factors.
    pub fn factors(&self) -> Vec<(&str, f64)> {
        match self {
            Self::Names(names) => names.iter().map(|name| (name.as_str(), 1.0)).collect(),
            Self::Factors(map) => map.iter().map(|(name, factor)| (name.as_str(), *factor)).collect(),
        }
    }
}

/// force + kp e + ki ∫ e dt with e = force − measured; measured is the normal contact force of the last step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// Pairs of bodies or links (`TREE/LINK`) between which the force is measured; of several the mean.
    #[schemars(length(min = 1))]
    pub between: Vec<[String; 2]>,
    /// Force per error. A rigid contact answers within the step, so that only kp < 1 is stable.
    #[schemars(range(min = 0))]
    pub kp: f64,
    /// Force per error and time, 1/s.
    #[schemars(range(min = 0))]
    pub ki: f64,
}

impl Controller {
    /// Name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Pd { name, .. }
            | Self::InverseDynamics { name, .. }
            | Self::GravityCompensation { name, .. }
            | Self::GripForce { name, .. } => name.as_deref(),
        }
    }

    /// How messages call the controller at place `i`.
    pub fn called(&self, i: usize) -> String {
        self.name().map_or_else(|| format!("controllers[{i}]"), str::to_owned)
    }

    /// Its tree.
    pub fn tree(&self) -> &str {
        match self {
            Self::Pd { tree, .. }
            | Self::InverseDynamics { tree, .. }
            | Self::GravityCompensation { tree, .. }
            | Self::GripForce { tree, .. } => tree,
        }
    }
}

fn yes() -> bool {
    true
}
