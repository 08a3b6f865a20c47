//! Boxes, segments and lines.

use vinci_detect::Vec3;

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

    /// Returns true if two boxes share a point (touching counts).
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

/// Two unit vectors that complete `n` to a right-handed basis.
pub(crate) fn tangents(n: &Vec3) -> (Vec3, Vec3) {
    let axis = if n.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
    let t = axis.cross(n).normalize();
    (t, n.cross(&t))
}
