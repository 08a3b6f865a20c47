//! Bodies, joints and geoms of a robot while it is read.

use super::shapes::Solid;
use crate::diagnostics::TextSpan;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Index of the world in the list of bodies.
pub(crate) const WORLD: usize = 0;

/// Mass of a geom or body, kg.
pub(crate) const HEAVIEST: f64 = 1e60;

/// Mass properties in the frame of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mass {
    /// kg
    pub(crate) mass: f64,
    /// Centre of mass, m.
    pub(crate) com: Vector3<f64>,
    /// Moment of inertia about the centre of mass, axes of the body, kg m².
    pub(crate) inertia: Matrix3<f64>,
}

impl Default for Mass {
    fn default() -> Self {
        Self { mass: 0.0, com: Vector3::zeros(), inertia: Matrix3::zeros() }
    }
}

/// A body; the first of a model is the world.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    /// Name as scenes write it.
    pub(crate) name: String,
    pub(crate) place: TextSpan,
    /// Index of the parent; of the world the world.
    pub(crate) parent: usize,
    /// Frame in that of the parent where no joint has moved.
    pub(crate) frame: Isometry3<f64>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) geoms: Vec<Geom>,
    pub(crate) inertial: Option<Mass>,
    pub(crate) mass: Mass,
    pub(crate) mass_place: TextSpan,
    /// The body that this one is fixed to, up to one with joints or the world.
    pub(crate) weld: usize,
    pub(crate) mocap: bool,
    /// Name of the joint that fixes it to its parent, where the model gives one.
    pub(crate) fixture: Option<String>,
}

impl Body {
    /// A body without joints, shapes and mass.
    pub(crate) fn new(name: String, place: &TextSpan, parent: usize, frame: Isometry3<f64>) -> Self {
        Self {
            name,
            place: place.clone(),
            parent,
            frame,
            joints: Vec::new(),
            geoms: Vec::new(),
            inertial: None,
            mass: Mass::default(),
            mass_place: place.clone(),
            weld: WORLD,
            mocap: false,
            fixture: None,
        }
    }
}

/// Kinds of joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JointKind {
    Free,
    Ball,
    Slide,
    Hinge,
}

/// A joint of a body.
#[derive(Debug, Clone)]
pub(crate) struct Joint {
    /// Name as scenes write it; empty until all joints are known where the model gives none.
    pub(crate) name: String,
    pub(crate) place: TextSpan,
    pub(crate) kind: JointKind,
    /// Where it turns, frame of the body, m.
    pub(crate) at: Vector3<f64>,
    pub(crate) axis: Vector3<f64>,
    /// Coordinate in the configuration that the model is written in.
    pub(crate) reference: f64,
    /// The lower and the upper one, of which one may be infinite.
    pub(crate) limits: Option<[f64; 2]>,
    pub(crate) damping: f64,
    pub(crate) friction: f64,
    pub(crate) armature: f64,
    pub(crate) stiffness: f64,
    pub(crate) spring_reference: f64,
    /// Largest effort of all actuators together.
    pub(crate) effort: Option<f64>,
    /// Largest speed.
    pub(crate) velocity: Option<f64>,
}

/// Contacts of a geom: its groups, friction and priority.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    pub(crate) contype: u32,
    pub(crate) conaffinity: u32,
    pub(crate) condim: u32,
    pub(crate) friction: f64,
    pub(crate) priority: i64,
}

/// A geom of a body.
#[derive(Debug, Clone)]
pub(crate) struct Geom {
    /// Name as the model writes it.
    pub(crate) name: Option<String>,
    pub(crate) place: TextSpan,
    /// `None`: it has no shape here, which is said.
    pub(crate) solid: Option<Solid>,
    pub(crate) pose: Isometry3<f64>,
    pub(crate) touch: Touch,
    pub(crate) mass: Mass,
}

/// Returns true if two classes of geoms touch.
pub(crate) fn touches(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 & b.1 != 0 || b.0 & a.1 != 0
}

/// The rotated tensor R I Rᵀ, symmetric to the bit.
pub(crate) fn turned(inertia: &Matrix3<f64>, r: &Matrix3<f64>) -> Matrix3<f64> {
    let t = r * inertia * r.transpose();
    Matrix3::from_fn(|i, j| t[(i.min(j), i.max(j))])
}
