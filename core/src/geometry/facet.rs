//! Facets: straight edges in the plane, triangles in space.

use nalgebra::Vector3;

/// A straight edge (two corners) or a triangle (three).
#[derive(Debug, Clone, Copy)]
pub(super) struct Facet {
    pub(super) corner: [Vector3<f64>; 3],
    /// 2 or 3.
    pub(super) n: usize,
    /// Outward unit normal; zero where the facet has no area.
    pub(super) normal: Vector3<f64>,
}

impl Facet {
    pub(super) fn edge(p: Vector3<f64>, q: Vector3<f64>) -> Self {
        let d = q - p;
        let normal = unit(Vector3::new(d.y, -d.x, 0.0));
        Self { corner: [p, q, q], n: 2, normal }
    }

    pub(super) fn triangle(corner: [Vector3<f64>; 3]) -> Self {
        let [p, q, r] = corner;
        Self { corner, n: 3, normal: unit((q - p).cross(&(r - p))) }
    }

    pub(super) fn corners(&self) -> &[Vector3<f64>] {
        &self.corner[..self.n]
    }

    /// Its edges as pairs of corners: three, or the one it is.
    pub(super) fn edges(&self) -> impl Iterator<Item = [Vector3<f64>; 2]> + '_ {
        let count = if self.n == 3 { 3 } else { 1 };
        (0..count).map(|i| [self.corner[i], self.corner[(i + 1) % self.n]])
    }

    /// Height of a point over its plane (line), m.
    #[inline]
    pub(super) fn height(&self, x: &Vector3<f64>) -> f64 {
        self.normal.dot(&(x - self.corner[0]))
    }

    /// Its point nearest to x.
    pub(super) fn nearest(&self, x: &Vector3<f64>) -> Vector3<f64> {
        if self.n == 2 {
            return nearest_on(&self.corner[0], &self.corner[1], x);
        }
        if self.is_under(x) {
            return x - self.normal * self.height(x);
        }
        let mut best = (f64::INFINITY, self.corner[0]);
        for [p, q] in self.edges() {
            let foot = nearest_on(&p, &q, x);
            let far = (x - foot).norm_squared();
            if far < best.0 {
                best = (far, foot);
            }
        }
        best.1
    }

    fn is_under(&self, x: &Vector3<f64>) -> bool {
        self.normal != Vector3::zeros()
            && self.edges().all(|[p, q]| self.normal.cross(&(q - p)).dot(&(x - p)) >= 0.0)
    }
}

/// The point of the segment p q nearest to x.
pub(super) fn nearest_on(p: &Vector3<f64>, q: &Vector3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let d = q - p;
    let along = d.norm_squared();
    let t = if along > 0.0 { (d.dot(&(x - p)) / along).clamp(0.0, 1.0) } else { 0.0 };
    p + d * t
}

fn unit(v: Vector3<f64>) -> Vector3<f64> {
    let length = v.norm();
    if length > 0.0 { v / length } else { Vector3::zeros() }
}
