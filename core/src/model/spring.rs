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

    /// How the force on b changes along the motion beyond its stretching, N/s: the turning of the spring,
    ///
    /// (∂f/∂d) ḋ + k (d̂·ḋ) d̂ = −(ḋ_t/|d|) (k (|d| − L) + c ḋ·d̂) − c (|ḋ_t|²/|d|) d̂, with ḋ_t the part of ḋ across d̂;
    ///
    /// zero for L = 0. Steppers of second order add it explicitly and keep k d̂ d̂ᵀ as their stiffness.
    pub fn turning_rate(&self, d: &Vector3<f64>, rate: &Vector3<f64>) -> Vector3<f64> {
        let length = d.norm();
        if self.rest_length == 0.0 || length == 0.0 {
            return Vector3::zeros();
        }
        let unit = d / length;
        let u = unit.dot(rate);
        let across = rate - unit * u;
        let tension = self.stiffness * (length - self.rest_length) + self.damping * u;
        -(across * tension + unit * (self.damping * across.norm_squared())) / length
    }

    /// Stored energy ½ k (|d| − L)², J.
    pub fn energy(&self, d: &Vector3<f64>) -> f64 {
        0.5 * self.stiffness * (d.norm() - self.rest_length).powi(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spring(damping: f64) -> Spring {
        let world = Anchor::World(Vector3::zeros());
        Spring { name: "s".into(), a: world, b: world, stiffness: 40.0, damping, rest_length: 1.0 }
    }

    /// Against the central difference of the force along the motion.
    #[test]
    fn the_turning_rate_is_the_derivative_less_the_stretching() {
        for (d, rate) in [([1.5, 0.2, -0.1], [0.3, -0.5, 0.2]), ([0.5, 0.1, 0.3], [1.0, 0.4, -0.6])] {
            let (d, rate, tau) = (Vector3::from(d), Vector3::from(rate), 1e-6);
            let s = spring(3.0);
            let at = |t: f64| s.evaluate(&(d + rate * t), &rate).force;
            let unit = d.normalize();
            let expected = (at(tau) - at(-tau)) / (2.0 * tau) + unit * (40.0 * unit.dot(&rate));
            assert!((s.turning_rate(&d, &rate) - expected).norm() < 1e-6 * expected.norm());
        }
    }
}
