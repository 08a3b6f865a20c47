//! Links and rigid inertias.

use nalgebra::{Isometry3, Matrix3, Vector3};

/// A rigid link. A link of zero mass must have zero inertia: a mere frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, link frame, m.
    pub com: Vector3<f64>,
    /// Inertia about the centre of mass, link axes, kg m².
    pub inertia: Matrix3<f64>,
}

impl Link {
    /// A link without mass: a frame.
    pub fn massless(name: impl Into<String>) -> Self {
        Self { name: name.into(), mass: 0.0, com: Vector3::zeros(), inertia: Matrix3::zeros() }
    }
}

/// Inertia of a point mass m at d about the origin: m (|d|² 1 − d dᵀ).
#[inline]
pub(super) fn of_point(mass: f64, d: &Vector3<f64>) -> Matrix3<f64> {
    let (x, y, z) = (d.x * d.x, d.y * d.y, d.z * d.z);
    let (xy, xz, yz) = (-mass * d.x * d.y, -mass * d.x * d.z, -mass * d.y * d.z);
    Matrix3::new(mass * (y + z), xy, xz, xy, mass * (x + z), yz, xz, yz, mass * (x + y))
}

/// Links that move as one: mass, centre of mass and inertia about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Lump {
    pub(super) mass: f64,
    pub(super) com: Vector3<f64>,
    pub(super) inertia: Matrix3<f64>,
}

impl Lump {
    pub(super) const EMPTY: Self = Self {
        mass: 0.0,
        com: Vector3::new(0.0, 0.0, 0.0),
        inertia: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    /// Adds a link whose frame stands at `place` in the frame of the lump.
    pub(super) fn add(&mut self, link: &Link, place: &Isometry3<f64>) {
        if link.mass == 0.0 {
            return;
        }
        let r = place.rotation.to_rotation_matrix();
        let at = (place * nalgebra::Point3::from(link.com)).coords;
        let mass = self.mass + link.mass;
        let com = (self.com * self.mass + at * link.mass) / mass;
        let own = r.matrix() * link.inertia * r.matrix().transpose();
        self.inertia += own + of_point(link.mass, &(at - com)) + of_point(self.mass, &(self.com - com));
        (self.mass, self.com) = (mass, com);
    }
}
