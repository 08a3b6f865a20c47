//! Rigid motions of both spaces in one form; planar things live at z = 0.

use nalgebra::{Matrix3, Vector3};
use vinci_core::model::Space;

/// A point or direction, m or dimensionless.
pub type Vec3 = Vector3<f64>;

/// A rigid motion x ↦ R x + p from a local frame to an outer one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// R, a rotation (planar: about z). Its columns are the local axes in outer coordinates.
    pub rot: Matrix3<f64>,
    /// p, the local origin in outer coordinates, m.
    pub pos: Vec3,
}

/// The motion that leaves everything where it is.
impl Default for Frame {
    fn default() -> Self {
        Self { rot: Matrix3::identity(), pos: Vec3::zeros() }
    }
}

impl Frame {
    /// Frame of a pose as systems and queries have it: planar [x, y, θ] (m, rad), spatial [x, y, z, qw, qx, qy, qz] (m), whose
    /// quaternion is normalised. `None` if it has another length, a number is not finite, or the quaternion is zero (or so
    /// small or large that its square leaves double precision).
    pub fn from_pose(space: Space, pose: &[f64]) -> Option<Self> {
        if pose.len() != space.nq() || pose.iter().any(|x| !x.is_finite()) {
            return None;
        }
        match space {
            Space::Planar => Some(Self::planar(pose)),
            Space::Spatial => Self::spatial(pose),
        }
    }

    fn planar(pose: &[f64]) -> Self {
        let (s, c) = pose[2].sin_cos();
        let rot = Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0);
        Self { rot, pos: Vec3::new(pose[0], pose[1], 0.0) }
    }

    fn spatial(pose: &[f64]) -> Option<Self> {
        let norm = pose[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        if !(norm > 0.0 && norm.is_finite()) {
            return None;
        }
        let (w, x, y, z) = (pose[3] / norm, pose[4] / norm, pose[5] / norm, pose[6] / norm);
        #[rustfmt::skip]
        let rot = Matrix3::new(
            1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
            2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
            2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
        );
        Some(Self { rot, pos: Vec3::new(pose[0], pose[1], pose[2]) })
    }

    /// self ∘ inner: first `inner`, then `self`.
    #[inline]
    pub fn then_inner(&self, inner: &Self) -> Self {
        Self { rot: self.rot * inner.rot, pos: self.point(&inner.pos) }
    }

    /// self⁻¹ ∘ other: the frame `other` seen from `self`.
    #[inline]
    pub fn relative(&self, other: &Self) -> Self {
        Self { rot: self.rot.tr_mul(&other.rot), pos: self.rot.tr_mul(&(other.pos - self.pos)) }
    }

    /// self⁻¹: from outer to local coordinates.
    #[inline]
    pub fn inverse(&self) -> Self {
        Self { rot: self.rot.transpose(), pos: -self.rot.tr_mul(&self.pos) }
    }

    /// A point from local to outer coordinates, m.
    #[inline]
    pub fn point(&self, x: &Vec3) -> Vec3 {
        self.rot * x + self.pos
    }

    /// A direction from local to outer coordinates.
    #[inline]
    pub fn dir(&self, x: &Vec3) -> Vec3 {
        self.rot * x
    }

    /// A direction from outer to local coordinates.
    #[inline]
    pub fn dir_back(&self, x: &Vec3) -> Vec3 {
        self.rot.tr_mul(x)
    }
}
