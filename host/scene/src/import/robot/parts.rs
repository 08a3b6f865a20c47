//! Bodies, joints and geoms of a robot while it is read.

use super::shapes::Solid;
use crate::diagnostics::TextSpan;
use nalgebra::{Isometry3, Matrix3, Vector3};

/// Index of the world in the list of bodies.
pub(in crate::import) const WORLD: usize = 0;

/// Mass of a geom or body, kg.
pub(in crate::import) const HEAVIEST: f64 = 1e60;

/// Mass properties in the frame of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::import) struct Mass {
    /// kg
    pub(in crate::import) mass: f64,
    /// Centre of mass, m.
    pub(in crate::import) com: Vector3<f64>,
    /// Moment of inertia about the centre of mass, axes of the body, kg m².
    pub(in crate::import) inertia: Matrix3<f64>,
}

impl Default for Mass {
    fn default() -> Self {
        Self { mass: 0.0, com: Vector3::zeros(), inertia: Matrix3::zeros() }
    }
}

/// A body; the first of a model is the world.
#[derive(Debug, Clone)]
pub(in crate::import) struct Body {
    /// As scenes write it.
    pub(in crate::import) name: String,
    pub(in crate::import) place: TextSpan,
    /// Index of the parent; of the world the world.
    pub(in crate::import) parent: usize,
    /// Frame in that of the parent where no joint has moved.
    pub(in crate::import) frame: Isometry3<f64>,
    pub(in crate::import) joints: Vec<Joint>,
    pub(in crate::import) geoms: Vec<Geom>,
    pub(in crate::import) inertial: Option<Mass>,
    pub(in crate::import) mass: Mass,
    pub(in crate::import) mass_place: TextSpan,
    /// The body that this one is fixed to, up to one with joints or the world.
    pub(in crate::import) weld: usize,
    pub(in crate::import) mocap: bool,
    /// Name of the joint that fixes it to its parent, where the model gives one.
    pub(in crate::import) fixture: Option<String>,
}

impl Body {
    /// A body without joints, shapes and mass.
    pub(in crate::import) fn new(
        name: String,
        place: &TextSpan,
        parent: usize,
        frame: Isometry3<f64>,
    ) -> Self {
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
pub(in crate::import) enum JointKind {
    Free,
    Ball,
    Slide,
    Hinge,
}

/// A joint of a body.
#[derive(Debug, Clone)]
pub(in crate::import) struct Joint {
    /// As scenes write it; empty until all joints are known where the model gives none.
    pub(in crate::import) name: String,
    pub(in crate::import) place: TextSpan,
    pub(in crate::import) kind: JointKind,
    /// Where it turns, frame of the body, m.
    pub(in crate::import) at: Vector3<f64>,
    pub(in crate::import) axis: Vector3<f64>,
    /// Coordinate in the configuration that the model is written in.
    pub(in crate::import) reference: f64,
    /// The lower and the upper one, of which one may be infinite.
    pub(in crate::import) limits: Option<[f64; 2]>,
    pub(in crate::import) damping: f64,
    pub(in crate::import) friction: f64,
    pub(in crate::import) armature: f64,
    pub(in crate::import) stiffness: f64,
    pub(in crate::import) spring_reference: f64,
    /// Largest effort of all actuators together.
    pub(in crate::import) effort: Option<f64>,
    /// Largest speed.
    pub(in crate::import) velocity: Option<f64>,
}

/// Contacts of a geom: its groups, friction and priority.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::import) struct Touch {
    pub(in crate::import) contype: u32,
    pub(in crate::import) conaffinity: u32,
    pub(in crate::import) condim: u32,
    pub(in crate::import) friction: f64,
    pub(in crate::import) priority: i64,
}

/// A geom of a body.
#[derive(Debug, Clone)]
pub(in crate::import) struct Geom {
    /// As the model writes it.
    pub(in crate::import) name: Option<String>,
    pub(in crate::import) place: TextSpan,
    /// `None`: it has no shape here, which is said.
    pub(in crate::import) solid: Option<Solid>,
    pub(in crate::import) pose: Isometry3<f64>,
    pub(in crate::import) touch: Touch,
    pub(in crate::import) mass: Mass,
}

/// Returns true if two classes of geoms touch.
pub(in crate::import) fn touches(a: (u32, u32), b: (u32, u32)) -> bool {
    a.0 & b.1 != 0 || b.0 & a.1 != 0
}

/// The rotated tensor R I Rᵀ, symmetric to the bit.
pub(in crate::import) fn turned(inertia: &Matrix3<f64>, r: &Matrix3<f64>) -> Matrix3<f64> {
    let t = r * inertia * r.transpose();
    Matrix3::from_fn(|i, j| t[(i.min(j), i.max(j))])
}
