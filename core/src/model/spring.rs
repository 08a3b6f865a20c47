//! Springs and dampers between points and between angles, implicit in time.

use nalgebra::{Matrix3, Vector3};

/// End of a spring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// Point of a body, body frame, m.
    Body(u32, Vector3<f64>),
    /// Fixed point of the world, m.
    World(Vector3<f64>),
}

/// Spring and damper between two points. With d = p_b − p_a, L the rest length and d̂ = d/|d|:
///
/// force on b: −k (|d| − L) d̂ − c (ḋ·d̂) d̂, on a the opposite; for L = 0 it is −k d − c ḋ (all directions).
#[derive(Debug, Clone, PartialEq)]
pub struct Spring {
    /// Name for messages.
    pub name: String,
    /// One end.
    pub a: Anchor,
    /// The other end.
    pub b: Anchor,
    /// k ≥ 0, N/m.
    pub stiffness: f64,
    /// c ≥ 0, N s/m.
    pub damping: f64,
    /// L ≥ 0, m.
    pub rest_length: f64,
}

/// Torsion spring and damper between the angles of two planar bodies: torque on b
/// −k (θ_b − θ_a − φ_0) − c (ω_b − ω_a), on a the opposite; the world has angle 0.
#[derive(Debug, Clone, PartialEq)]
pub struct TorsionSpring {
    /// Name for messages.
    pub name: String,
    /// One body, or the world.
    pub a: Option<u32>,
    /// The other.
    pub b: Option<u32>,
    /// k ≥ 0, N m/rad.
    pub stiffness: f64,
    /// c ≥ 0, N m s/rad.
    pub damping: f64,
    /// φ_0, rad.
    pub rest_angle: f64,
}

/// A spring at one configuration: force on b and its two symmetric, positive semidefinite point matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpringForce {
    /// Force on b, world, N.
    pub force: Vector3<f64>,
    /// −∂force/∂d, positive semidefinite part: a compressed spring's transverse (destabilising) part is left explicit.
    pub stiffness: Matrix3<f64>,
    /// −∂force/∂ḋ.
    pub viscosity: Matrix3<f64>,
}

impl Spring {
    /// Force and matrices for d = p_b − p_a and its rate.
    pub fn evaluate(&self, d: &Vector3<f64>, rate: &Vector3<f64>) -> SpringForce {
        let (k, c, rest) = (self.stiffness, self.damping, self.rest_length);
        let length = d.norm();
        if rest == 0.0 || length == 0.0 {
            let eye = Matrix3::identity();
            return SpringForce { force: -k * d - c * rate, stiffness: eye * k, viscosity: eye * c };
        }
        let unit = d / length;
        let along = unit * unit.transpose();
        let transverse = (Matrix3::identity() - along) * (1.0 - rest / length).max(0.0);
        SpringForce {
            force: -unit * (k * (length - rest) + c * unit.dot(rate)),
            stiffness: (along + transverse) * k,
            viscosity: along * c,
        }
    }

    /// The part of the stiffness along the spring, k d̂ d̂ᵀ (k in all directions for L = 0): what steppers of second order
    /// take implicitly.
    pub fn along(&self, d: &Vector3<f64>) -> Matrix3<f64> {
        let length = d.norm();
        if self.rest_length == 0.0 || length == 0.0 {
            return Matrix3::identity() * self.stiffness;
        }
        d * d.transpose() * (self.stiffness / (length * length))
    }

    /// Stored energy ½ k (|d| − L)², J.
    pub fn energy(&self, d: &Vector3<f64>) -> f64 {
        0.5 * self.stiffness * (d.norm() - self.rest_length).powi(2)
    }
}
