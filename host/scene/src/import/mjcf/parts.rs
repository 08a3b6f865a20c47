//! A model while it is read: bodies, joints, geoms.

use super::shapes::Solid;
use crate::diagnostics::TextSpan;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Index of the world in the list of bodies.
pub(super) const WORLD: usize = 0;

/// Mass of a geom or body, kg.
pub(super) const HEAVIEST: f64 = 1e60;

/// Mass properties in the frame of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mass {
    /// kg
    pub(super) mass: f64,
    /// Centre of mass, m.
    pub(super) com: Vector3<f64>,
    /// Moment of inertia about the centre of mass, axes of the body, kg m².
    pub(super) inertia: Matrix3<f64>,
}

impl Default for Mass {
    fn default() -> Self {
        Self { mass: 0.0, com: Vector3::zeros(), inertia: Matrix3::zeros() }
    }
}

/// A body; the first of a model is the world.
#[derive(Debug, Clone)]
pub(super) struct Body {
    /// As scenes write it.
    pub(super) name: String,
    pub(super) place: TextSpan,
    /// Index of the parent; of the world the world.
    pub(super) parent: usize,
    /// Frame in that of the parent where no joint has moved.
    pub(super) frame: Isometry3<f64>,
    pub(super) joints: Vec<Joint>,
    pub(super) geoms: Vec<Geom>,
    pub(super) inertial: Option<Mass>,
    pub(super) mass: Mass,
    pub(super) mass_place: TextSpan,
    /// The body that this one is fixed to, up to one with joints or the world.
    pub(super) weld: usize,
    pub(super) mocap: bool,
}

/// Kinds of joints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JointKind {
    Free,
    Ball,
    Slide,
    Hinge,
}

/// A joint of a body.
#[derive(Debug, Clone)]
pub(super) struct Joint {
    /// As scenes write it; empty until all joints are known where the model gives none.
    pub(super) name: String,
    pub(super) place: TextSpan,
    pub(super) kind: JointKind,
    /// Where it turns, frame of the body, m.
    pub(super) at: Vector3<f64>,
    pub(super) axis: Vector3<f64>,
    /// Coordinate in the configuration that the model is written in.
    pub(super) reference: f64,
    pub(super) limits: Option<[f64; 2]>,
    pub(super) damping: f64,
    pub(super) friction: f64,
    pub(super) armature: f64,
    pub(super) stiffness: f64,
    pub(super) spring_reference: f64,
    /// Largest effort of all actuators together.
    pub(super) effort: Option<f64>,
}

/// Contacts of a geom: its groups, friction and priority.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Touch {
    pub(super) contype: u32,
    pub(super) conaffinity: u32,
    pub(super) condim: u32,
    pub(super) friction: f64,
    pub(super) priority: i64,
}

/// A geom of a body.
#[derive(Debug, Clone)]
pub(super) struct Geom {
    /// As the model writes it.
    pub(super) name: Option<String>,
    pub(super) place: TextSpan,
    /// `None`: it has no shape here, which is said.
    pub(super) solid: Option<Solid>,
    pub(super) pose: Isometry3<f64>,
    pub(super) touch: Touch,
    pub(super) mass: Mass,
}

/// A point with axes on a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Site {
    pub(super) body: usize,
    pub(super) pose: Isometry3<f64>,
}

/// Returns true if two classes of geoms touch.
pub(super) fn touches(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 & b.1 != 0 || b.0 & a.1 != 0
}

/// The rotated tensor R I Rᵀ, symmetric to the bit.
pub(super) fn turned(inertia: &Matrix3<f64>, r: &Matrix3<f64>) -> Matrix3<f64> {
    let t = r * inertia * r.transpose();
    Matrix3::from_fn(|i, j| t[(i.min(j), i.max(j))])
}
