//! Spatial quantities of the bodies of a tree: where one stands, how it moves, what it takes, world axes.

use nalgebra::{Matrix3, Vector3};

/// Motion of a body: angular velocity and acceleration, and acceleration of the origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    pub(super) omega: Vector3<f64>,
    pub(super) alpha: Vector3<f64>,
    pub(super) origin: Vector3<f64>,
}

impl Motion {
    pub(super) const REST: Self = Self {
        omega: Vector3::new(0.0, 0.0, 0.0),
        alpha: Vector3::new(0.0, 0.0, 0.0),
        origin: Vector3::new(0.0, 0.0, 0.0),
    };

    /// Acceleration of the point of the body at `arm` from its origin: a + α × r + ω × (ω × r).
    #[inline(always)]
    pub(super) fn at(&self, arm: &Vector3<f64>) -> Vector3<f64> {
        self.origin + self.alpha.cross(arm) + self.omega.cross(&self.omega.cross(arm))
    }
}

/// Force, and torque about the reference point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrench {
    pub(super) force: Vector3<f64>,
    pub(super) torque: Vector3<f64>,
}

impl Wrench {
    pub(super) const ZERO: Self =
        Self { force: Vector3::new(0.0, 0.0, 0.0), torque: Vector3::new(0.0, 0.0, 0.0) };
}

/// Motion of a link: angular velocity, and velocity of the origin of its frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkMotion {
    pub(super) angular: Vector3<f64>,
    pub(super) linear: Vector3<f64>,
}

impl LinkMotion {
    pub(super) const REST: Self =
        Self { angular: Vector3::new(0.0, 0.0, 0.0), linear: Vector3::new(0.0, 0.0, 0.0) };
}

/// Motion of a link per unit of one velocity, world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Column {
    /// Angular velocity, rad/s per unit of v.
    pub angular: Vector3<f64>,
    /// Velocity of a point that moves with the link, m/s per unit of v.
    pub linear: Vector3<f64>,
}

impl Column {
    pub(super) const ZERO: Self =
        Self { angular: Vector3::new(0.0, 0.0, 0.0), linear: Vector3::new(0.0, 0.0, 0.0) };
}

/// A body where it stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    pub(super) origin: Vector3<f64>,
    /// The origin seen from the parent's; zero on the world.
    pub(super) lever: Vector3<f64>,
    pub(super) rotation: Matrix3<f64>,
    /// Centre of mass seen from the origin.
    pub(super) arm: Vector3<f64>,
    /// Centre of mass seen from the reference point.
    pub(super) com: Vector3<f64>,
    /// Inertia about the centre of mass.
    pub(super) inertia: Matrix3<f64>,
}

impl Pose {
    pub(super) const EMPTY: Self = Self {
        origin: Vector3::new(0.0, 0.0, 0.0),
        lever: Vector3::new(0.0, 0.0, 0.0),
        rotation: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        arm: Vector3::new(0.0, 0.0, 0.0),
        com: Vector3::new(0.0, 0.0, 0.0),
        inertia: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };
}

/// Rigid inertia about the reference point: mass, m c, J.
#[derive(Debug, Clone, Copy)]
pub(super) struct Composite {
    pub(super) mass: f64,
    pub(super) first: Vector3<f64>,
    pub(super) second: Matrix3<f64>,
}

impl Composite {
    pub(super) const EMPTY: Self = Self {
        mass: 0.0,
        first: Vector3::new(0.0, 0.0, 0.0),
        second: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };
}
