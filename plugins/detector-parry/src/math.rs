//! Vectors and rigid motions in the host's own terms (nalgebra).

use nalgebra::{Matrix3, Vector3};

/// A point or direction, m or dimensionless.
pub(crate) type Vec3 = Vector3<f64>;

/// A rigid motion x ↦ R x + p from a local frame to an outer one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) rot: Matrix3<f64>,
    pub(crate) pos: Vec3,
}

impl Default for Frame {
    fn default() -> Self {
        Self { rot: Matrix3::identity(), pos: Vec3::zeros() }
    }
}

impl Frame {
    /// From [x, y, z, qw, qx, qy, qz]; the quaternion is normalised. `None` if a number is not finite or the
    /// quaternion is zero.
    pub(crate) fn from_pose(pose: &[f64]) -> Option<Self> {
        let norm = (pose[3] * pose[3] + pose[4] * pose[4] + pose[5] * pose[5] + pose[6] * pose[6]).sqrt();
        if !(pose.iter().all(|x| x.is_finite()) && norm > 0.0 && norm.is_finite()) {
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

    /// self ∘ inner.
    pub(crate) fn then_inner(&self, inner: &Self) -> Self {
        Self { rot: self.rot * inner.rot, pos: self.point(&inner.pos) }
    }

    /// self⁻¹ ∘ other: the frame `other` seen from `self`.
    pub(crate) fn relative(&self, other: &Self) -> Self {
        Self { rot: self.rot.tr_mul(&other.rot), pos: self.rot.tr_mul(&(other.pos - self.pos)) }
    }

    /// The same motion seen from the inside.
    pub(crate) fn inverse(&self) -> Self {
        Self { rot: self.rot.transpose(), pos: -self.rot.tr_mul(&self.pos) }
    }

    /// A point from local to outer coordinates.
    pub(crate) fn point(&self, x: &Vec3) -> Vec3 {
        self.rot * x + self.pos
    }

    /// A direction from local to outer coordinates.
    pub(crate) fn dir(&self, x: &Vec3) -> Vec3 {
        self.rot * x
    }

    /// A direction from outer to local coordinates.
    pub(crate) fn dir_back(&self, x: &Vec3) -> Vec3 {
        self.rot.tr_mul(x)
    }
}

/// Axis-aligned box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Aabb {
    pub(crate) min: Vec3,
    pub(crate) max: Vec3,
}

impl Aabb {
    /// Smallest box around points; inverted (empty) if there are none.
    pub(crate) fn around(points: impl Iterator<Item = Vec3>) -> Self {
        let empty = Self { min: Vec3::repeat(f64::MAX), max: Vec3::repeat(f64::MIN) };
        points.fold(empty, |b, p| Self { min: b.min.inf(&p), max: b.max.sup(&p) })
    }

    /// Grown by `r` on every side.
    pub(crate) fn grown(&self, r: f64) -> Self {
        Self { min: self.min - Vec3::repeat(r), max: self.max + Vec3::repeat(r) }
    }

    /// The eight corners.
    pub(crate) fn corners(&self) -> [Vec3; 8] {
        let pick = |i: usize, k: usize| if i >> k & 1 == 0 { self.min[k] } else { self.max[k] };
        std::array::from_fn(|i| Vec3::new(pick(i, 0), pick(i, 1), pick(i, 2)))
    }

    /// Half the length of the diagonal.
    pub(crate) fn half_diagonal(&self) -> f64 {
        0.5 * (self.max - self.min).norm()
    }

    /// Whether two boxes share a point (touching counts).
    pub(crate) fn meets(&self, other: &Self) -> bool {
        (0..3).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }
}

/// The closest point to `x` on the segment a + t (b − a), as t in [0, 1]; 0 for a segment without length.
pub(crate) fn segment_parameter(x: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let e = b - a;
    let len2 = e.norm_squared();
    if len2 > 0.0 { ((x - a).dot(&e) / len2).clamp(0.0, 1.0) } else { 0.0 }
}

/// Parameters (s, t) of the closest points of the lines a + s d and b + t e; `None` if they are parallel.
pub(crate) fn line_parameters(a: &Vec3, d: &Vec3, b: &Vec3, e: &Vec3) -> Option<(f64, f64)> {
    let c = d.cross(e);
    let c2 = c.norm_squared();
    if c2 <= 1e-24 * d.norm_squared() * e.norm_squared() {
        return None;
    }
    let r = b - a;
    Some((r.cross(e).dot(&c) / c2, r.cross(d).dot(&c) / c2))
}
