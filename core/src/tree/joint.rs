//! Joints: kinds, their coordinates, limits and passive properties.

use nalgebra::{Isometry3, Vector3};

use crate::contact::tangent_basis;

/// Kind of a joint. A continuous joint is a revolute one without limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum JointKind {
    /// No motion.
    #[default]
    Fixed = 0,
    /// Turns about `axis`: q is one angle, rad.
    Revolute = 1,
    /// Slides along `axis`: q is one displacement, m.
    Prismatic = 2,
    /// Moves in the plane normal to `axis`: q = (x, y, θ) along the two axes of [`plane_axes`] and about `axis`; v = q̇.
    Planar = 3,
    /// Turns about the origin: q is a unit quaternion wxyz (child in joint frame), v the angular velocity in joint axes.
    Ball = 4,
    /// All motions: q = (p, quaternion wxyz) of the child in the joint frame, v = (ṗ, ω), both in joint axes.
    Free = 5,
    /// Slides along `axis` and turns about it: q = (displacement, angle), m and rad; v = q̇.
    Cylindrical = 6,
}

impl JointKind {
    /// All kinds in the order of their codes.
    pub const ALL: [Self; 7] = [
        Self::Fixed,
        Self::Revolute,
        Self::Prismatic,
        Self::Planar,
        Self::Ball,
        Self::Free,
        Self::Cylindrical,
    ];

    /// Number of position coordinates.
    #[inline]
    pub fn nq(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Prismatic => 1,
            Self::Cylindrical => 2,
            Self::Planar => 3,
            Self::Ball => 4,
            Self::Free => 7,
        }
    }

    /// Number of velocity coordinates (degrees of freedom).
    #[inline]
    pub fn nv(self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute | Self::Prismatic => 1,
            Self::Cylindrical => 2,
            Self::Planar | Self::Ball => 3,
            Self::Free => 6,
        }
    }

    /// How many of the velocities, the first ones, translate; the others turn about the child's origin.
    #[inline]
    pub fn n_translations(self) -> usize {
        match self {
            Self::Fixed | Self::Revolute | Self::Ball => 0,
            Self::Prismatic | Self::Cylindrical => 1,
            Self::Planar => 2,
            Self::Free => 3,
        }
    }

    /// Returns true if the last four position coordinates are a quaternion.
    #[inline]
    pub fn has_quaternion(self) -> bool {
        matches!(self, Self::Ball | Self::Free)
    }

    /// Name as scenes write it.
    pub fn name(self) -> &'static str {
        ["fixed", "revolute", "prismatic", "planar", "ball", "free", "cylindrical"][self as usize]
    }

    /// The kind of a name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.name() == name)
    }
}

/// Bounds of the coordinate of a revolute or prismatic joint, rad or m; infinite where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Smallest value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
}

/// A joint: how one link moves relative to its parent. Joint i of a tree moves link i.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// Kind.
    pub kind: JointKind,
    /// Parent link, of smaller index; `None`: the world.
    pub parent: Option<usize>,
    /// Joint frame in the parent link's frame (in the world for `None`).
    pub frame: Isometry3<f64>,
    /// Unit vector in the joint frame: axis of revolute, prismatic and cylindrical joints, normal of planar ones, unused by the others.
    pub axis: Vector3<f64>,
    /// Limits of a revolute or prismatic joint.
    pub limits: Option<Limits>,
    /// Viscous damping of every dof, N s/m or N m s.
    pub damping: f64,
    /// Bound of the dry friction of every dof, N or N m.
    pub friction: f64,
    /// Inertia of the rotor about its own axis, kg m² (kg for linear drives).
    pub rotor_inertia: f64,
    /// Turns of the rotor per turn (or metre) of the joint.
    pub gear_ratio: f64,
}

impl Joint {
    /// A joint of no friction, damping, rotor or limits; its frame is the parent's and its axis z.
    pub fn new(name: impl Into<String>, kind: JointKind, parent: Option<usize>) -> Self {
        Self {
            name: name.into(),
            kind,
            parent,
            frame: Isometry3::identity(),
            axis: Vector3::z(),
            limits: None,
            damping: 0.0,
            friction: 0.0,
            rotor_inertia: 0.0,
            gear_ratio: 1.0,
        }
    }

    /// rotor · gear²: the inertia that a dof feels of its rotor, on the diagonal of M only (as Drake's reflected inertia
    /// and MuJoCo's armature): the rotor's mass and its spin seen from other joints belong to the links.
    #[inline]
    pub fn reflected_inertia(&self) -> f64 {
        self.rotor_inertia * self.gear_ratio * self.gear_ratio
    }
}

/// The axes x and y of a planar joint of unit normal n, in the joint frame: (x, y, n) is right-handed and orthonormal.
///
/// x is the joint frame's x axis projected onto the plane, its y axis where n is along x; y = n × x. So for n = z they are
/// the frame's own x and y.
pub fn plane_axes(n: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let x = tangent_basis(n, &Vector3::x());
    (x, n.cross(&x))
}
