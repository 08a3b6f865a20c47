//! The parts that a system is built from: joints, support points, trees, and where bodies have their motion from.

use nalgebra::Vector3;
use thiserror::Error;

use super::{Anchor, Body, DofRole, MaterialTable, MotionModel, Shape, Space, Spring, TorsionSpring};
use crate::tree::Tree;

/// Two points that stay together: Φ = p_b − p_a = 0, a bilateral row per coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct PointJoint {
    /// Name for messages.
    pub name: String,
    /// One end.
    pub a: Anchor,
    /// The other end.
    pub b: Anchor,
    /// β, part of a distance Φ that a step takes back, 0 … 1: the rows are J v⁺ + (β/h) Φ = 0. Pieces of a divided grid
    /// step take the grid's h.
    pub stabilization: f64,
    /// World axes along which the points are held together. A closed chain that can move in a plane only is closed along
    /// the two axes of that plane: the third row would say nothing.
    pub along: [bool; 3],
}

/// One point a part stands on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupportPoint {
    /// Index of the part's body.
    pub body: u32,
    /// Position in the body frame, m (z = 0).
    pub point: Vector3<f64>,
    /// Friction coefficient μ_k of the point.
    pub friction: f64,
    /// Load N_k ≥ 0, N, constant (out-of-plane equilibrium: [`super::support_loads`]).
    pub load: f64,
    /// Viscosity of the film under the point, N s/m: force −c ν, implicit, in every motion model.
    pub viscosity: f64,
}

/// A tree and what a system needs to know of it. Its links are bodies of the system, its velocities one block after those
/// of the free bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct TreePart {
    /// The tree.
    pub tree: Tree,
    /// Body of every link.
    pub bodies: Vec<u32>,
    /// Coordinates at t = 0, nq.
    pub q: Vec<f64>,
    /// Velocities at t = 0, nv.
    pub v: Vec<f64>,
    /// Role of every velocity, nv.
    pub role: Vec<DofRole>,
    /// Stiffness of impedance dofs (0 elsewhere), nv, N/m or N m/rad.
    pub impedance: Vec<f64>,
    /// Diagonal of the drag matrix D of the first-order model, nv (0: none), N s/m or N m s.
    pub drag: Vec<f64>,
    /// Motion model of the tree, or the experiment's default.
    pub motion: Option<MotionModel>,
    /// True if gravity pulls at it.
    pub gravity: bool,
}

/// Two joints of one dof each that move together: Φ = q_a − ratio q_b − offset = 0, a bilateral row.
#[derive(Debug, Clone, PartialEq)]
pub struct Coupler {
    /// Name for messages.
    pub name: String,
    /// (tree, dof of the tree) of both joints.
    pub joints: [(u32, u32); 2],
    /// Ratio.
    pub ratio: f64,
    /// Offset, m or rad.
    pub offset: f64,
    /// β as of [`super::PointJoint::stabilization`].
    pub stabilization: f64,
}

/// Where a body's motion comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MotionSource {
    /// It never moves.
    Fixed,
    /// It has a block of its own.
    Block(u32),
    /// It is a link of a tree.
    Link {
        /// Index of the tree.
        tree: u32,
        /// Index of the link.
        link: u32,
    },
}

/// Reason why a system cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ModelError {
    /// Something refers to a body that is not there.
    #[error("{what} refers to body {index}, but there are only {bodies} bodies")]
    NoSuchBody {
        /// The part that refers to it.
        what: String,
        /// The index.
        index: u32,
        /// How many bodies there are.
        bodies: usize,
    },
    /// A body's numbers make no physical sense.
    #[error("body `{body}`: {reason}")]
    BadBody {
        /// Its name.
        body: String,
        /// Fault, in words.
        reason: String,
    },
}

/// The parts a [`super::System`] is built from.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Planar or spatial.
    pub space: Space,
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Shapes.
    pub shapes: Vec<Shape>,
    /// Materials.
    pub materials: MaterialTable,
    /// Springs.
    pub springs: Vec<Spring>,
    /// Torsion springs (planar systems).
    pub torsion_springs: Vec<TorsionSpring>,
    /// Joints.
    pub joints: Vec<PointJoint>,
    /// Support points of 2.5D parts.
    pub supports: Vec<SupportPoint>,
    /// Articulated trees; their links are among the bodies.
    pub trees: Vec<TreePart>,
    /// Joints of trees that move together.
    pub couplers: Vec<Coupler>,
    /// Pairs of bodies whose contacts are not wanted.
    pub ignored_pairs: Vec<(u32, u32)>,
    /// Pose of every body: (x, y, θ) or (p, quaternion wxyz).
    pub initial_pose: Vec<Vec<f64>>,
    /// Velocity of every body (static ones and links ignored): 3 or 6 numbers.
    pub initial_velocity: Vec<Vec<f64>>,
}

impl Parts {
    /// No bodies in a space with gravity (m/s²): what else a system has is laid over it, `Parts { bodies, ..Parts::empty(..) }`.
    pub fn empty(space: Space, gravity: Vector3<f64>) -> Self {
        Self {
            space,
            gravity,
            bodies: vec![],
            shapes: vec![],
            materials: MaterialTable::default(),
            springs: vec![],
            torsion_springs: vec![],
            joints: vec![],
            supports: vec![],
            trees: vec![],
            couplers: vec![],
            ignored_pairs: vec![],
            initial_pose: vec![],
            initial_velocity: vec![],
        }
    }
}
