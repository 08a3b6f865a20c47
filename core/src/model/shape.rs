//! Shapes as plain numbers: a kind, parameters, indices, and a pose in the frame of the body.

use super::Space;
use crate::problem::{ProblemClass, SECOND_ORDER_CONES};

/// Kind of a shape and the meaning of its parameters. Lengths in m, body frame, outward normals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
#[non_exhaustive]
pub enum ShapeKind {
    /// Planar. params: `[radius]`.
    Disc = 1,
    /// Planar, axis along local x. params: `[half length of the axis, radius]`.
    PlanarCapsule = 2,
    /// Planar, simple, counter-clockwise, possibly non-convex. params: `[x0, y0, x1, y1, …]`.
    Polygon = 3,
    /// Planar: all points with n·x ≤ 0 are solid, n = local +y. params: `[]`. Static bodies only.
    HalfPlane = 4,
    /// Planar two-sided line segment without thickness. params: `[x0, y0, x1, y1]`.
    Segment = 5,
    /// Planar |x/a|^s + |y/b|^s ≤ 1. params: `[a, b, s]`.
    Superellipse = 6,
    /// Spatial. params: `[radius]`.
    Ball = 101,
    /// Spatial. params: `[half x, half y, half z]`.
    Box = 102,
    /// Spatial, axis along local z. params: `[half length of the axis, radius]`.
    Capsule = 103,
    /// Spatial, axis along local z. params: `[half height, radius]`.
    Cylinder = 104,
    /// Spatial, apex at +z. params: `[half height, radius of the base at −z]`.
    Cone = 105,
    /// Spatial convex hull of points. params: `[x0, y0, z0, …]`.
    ConvexHull = 106,
    /// Spatial triangle mesh, counter-clockwise seen from outside. params: vertices; indices: triangles.
    TriMesh = 107,
    /// Spatial: all points with z ≤ 0 (local) are solid. params: `[]`. Static bodies only.
    HalfSpace = 108,
    /// Spatial superellipsoid. params: `[a, b, c, ε1, ε2]`.
    Superellipsoid = 109,
}

impl ShapeKind {
    const ALL: [Self; 15] = [
        Self::Disc,
        Self::PlanarCapsule,
        Self::Polygon,
        Self::HalfPlane,
        Self::Segment,
        Self::Superellipse,
        Self::Ball,
        Self::Box,
        Self::Capsule,
        Self::Cylinder,
        Self::Cone,
        Self::ConvexHull,
        Self::TriMesh,
        Self::HalfSpace,
        Self::Superellipsoid,
    ];

    /// The kind of a code, if there is one.
    pub fn from_code(code: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|k| *k as u32 == code)
    }

    /// Returns true if the shape is bounded by planes (straight edges in the plane) alone: two of them may touch along a face or an edge.
    pub fn is_polytope(self) -> bool {
        matches!(self, Self::Polygon | Self::Segment | Self::Box | Self::ConvexHull | Self::TriMesh)
    }

    /// Returns true if the shape reaches to infinity.
    pub fn is_unbounded(self) -> bool {
        matches!(self, Self::HalfPlane | Self::HalfSpace)
    }
}

/// A shape fixed to a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Kind, which gives `params` and `indices` their meaning.
    pub kind: ShapeKind,
    /// Index of the body it belongs to.
    pub body: u32,
    /// Index of its material.
    pub material: u32,
    /// Pose in the body frame (origin at the centre of mass): planar `[x, y, angle]`; spatial `[x, y, z, qw, qx, qy, qz]`.
    pub pose: Vec<f64>,
    /// Parameters, see [`ShapeKind`].
    pub params: Vec<f64>,
    /// Vertex indices (triangle meshes), otherwise empty.
    pub indices: Vec<u32>,
}

impl Shape {
    /// Largest distance of a point of the shape from the body's origin, m (∞ for half-planes and half-spaces).
    pub fn reach(&self) -> f64 {
        let dim = if self.pose.len() == 3 { 2 } else { 3 };
        let offset = self.pose[..dim].iter().map(|x| x * x).sum::<f64>().sqrt();
        let p = &self.params;
        let local = match self.kind {
            ShapeKind::Disc | ShapeKind::Ball => p[0],
            ShapeKind::PlanarCapsule | ShapeKind::Capsule => p[0] + p[1],
            ShapeKind::Cylinder | ShapeKind::Cone => p[0].hypot(p[1]),
            ShapeKind::Box => (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt(),
            ShapeKind::Superellipse => p[0].hypot(p[1]),
            ShapeKind::Superellipsoid => (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt(),
            ShapeKind::Polygon | ShapeKind::Segment => farthest(p, 2),
            ShapeKind::ConvexHull | ShapeKind::TriMesh => farthest(p, 3),
            ShapeKind::HalfPlane | ShapeKind::HalfSpace => f64::INFINITY,
        };
        offset + local
    }

    /// The shape as a borrowed view.
    pub fn view(&self) -> ShapeView<'_> {
        ShapeView {
            kind: self.kind as u32,
            body: self.body,
            pose: &self.pose,
            params: &self.params,
            indices: &self.indices,
        }
    }
}

fn farthest(points: &[f64], dim: usize) -> f64 {
    points.chunks_exact(dim).map(|c| c.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max)
}

/// A shape as it crosses to a detector.
#[derive(Debug, Clone, Copy)]
pub struct ShapeView<'a> {
    /// Code of the [`ShapeKind`]; a detector refuses kinds it does not know.
    pub kind: u32,
    /// Index of its body.
    pub body: u32,
    /// Pose in the body frame, see [`Shape::pose`].
    pub pose: &'a [f64],
    /// Parameters, see [`ShapeKind`].
    pub params: &'a [f64],
    /// Vertex indices, see [`ShapeKind`].
    pub indices: &'a [u32],
}

/// The unchanging side of a system, handed to every stage when it is created.
#[derive(Debug, Clone, Copy)]
pub struct SystemView<'a> {
    /// Planar or spatial.
    pub space: Space,
    /// Names of the bodies, by index.
    pub body_names: &'a [&'a str],
    /// 1 where the body never moves, else 0; length bodies.
    pub is_static: &'a [u8],
    /// All shapes; the index is the shape's id in contacts.
    pub shapes: &'a [ShapeView<'a>],
    /// Pairs of bodies (a, b) whose contacts are not wanted, flattened; a < b.
    pub ignored_pairs: &'a [u32],
    /// Number of velocity coordinates of the whole system.
    pub nv: u32,
    /// Number of position coordinates of the whole system.
    pub nq: u32,
    /// Problem classes that every solver of the run takes, or, where none of the stepper's is among them, that reach every
    /// solver over a bridge: bit 2^(code − 1) of [`crate::problem::ProblemClass`]; 0: unknown. With
    /// [`crate::problem::SECOND_ORDER_CONES`] where every solver takes programs with cones by itself.
    pub accepted: u32,
    /// Prescribed velocities that a drive commands, ascending; the other prescribed ones are locked.
    pub driven: &'a [u32],
    /// Name of every degree of freedom, nv: `BODY.x`, `BODY.rx`, `TREE.JOINT.q`. For controllers; empty for other roles, as the next ones.
    pub dof_names: &'a [&'a str],
    /// Where in q the coordinate of every degree of freedom stands, nv; [`NO_COORDINATE`] for rotations in space, which have none.
    pub dof_coordinate: &'a [u32],
    /// Velocities along which the controller puts forces, in the order of its answer.
    pub efforts: &'a [u32],
    /// Velocities whose drives the controller gives values, in the order of its answer.
    pub set_points: &'a [u32],
}

/// Place in q of a degree of freedom that has no coordinate of its own.
pub const NO_COORDINATE: u32 = u32::MAX;

impl SystemView<'_> {
    /// A planar system without bodies: for solvers of problems from files, and for whoever makes a plugin to look at it.
    pub const NOTHING: SystemView<'static> = SystemView {
        space: Space::Planar,
        body_names: &[],
        is_static: &[],
        shapes: &[],
        ignored_pairs: &[],
        nv: 0,
        nq: 0,
        accepted: 0,
        driven: &[],
        dof_names: &[],
        dof_coordinate: &[],
        efforts: &[],
        set_points: &[],
    };

    /// Number of bodies.
    pub fn n_bodies(&self) -> usize {
        self.is_static.len()
    }

    /// Returns true if every solver of the run takes problems of a class (see [`SystemView::accepted`]).
    pub fn accepts(&self, class: ProblemClass) -> bool {
        self.accepted & class.bit() != 0
    }

    /// Returns true if every solver of the run takes programs of class `Conic` with second-order cones by itself, without a bridge.
    pub fn accepts_cones(&self) -> bool {
        self.accepts(ProblemClass::Conic) && self.accepted & SECOND_ORDER_CONES != 0
    }

    /// Returns true if contacts between two bodies are wanted: different, not both static, not ignored.
    pub fn may_collide(&self, a: u32, b: u32) -> bool {
        let (low, high) = (a.min(b), a.max(b));
        a != b
            && !(self.is_static[a as usize] != 0 && self.is_static[b as usize] != 0)
            && !self.ignored_pairs.chunks_exact(2).any(|p| p[0] == low && p[1] == high)
    }
}
