//! The point of a simplex nearest to the origin.

use nalgebra::Vector3;

/// Sine below which a corner lies in the plane of three others.
const FLAT: f64 = 1e-12;

/// A corner of a simplex in the difference of two shapes: x = b − a.
#[derive(Debug, Clone, Copy)]
pub(super) struct Corner {
    pub(super) x: Vector3<f64>,
    pub(super) a: Vector3<f64>,
    pub(super) b: Vector3<f64>,
}

/// Up to four corners and the weights of the nearest point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Simplex {
    corner: [Corner; 4],
    weight: [f64; 4],
    n: usize,
}

/// A subset of corners with the weights of its nearest point.
#[derive(Debug, Clone, Copy)]
struct Part {
    index: [usize; 3],
    weight: [f64; 3],
    n: usize,
    far: f64,
}

impl Simplex {
    pub(super) fn new(first: Corner) -> Self {
        Self { corner: [first; 4], weight: [1.0, 0.0, 0.0, 0.0], n: 1 }
    }

    /// Returns true if a corner is there already.
    pub(super) fn has(&self, x: &Vector3<f64>) -> bool {
        self.corner[..self.n].iter().any(|c| c.x == *x)
    }

    /// The nearest point, and those of the two shapes that make it.
    pub(super) fn nearest(&self) -> Corner {
        let zero = Vector3::zeros();
        let add = |sum: Corner, i: usize| {
            let (c, w) = (&self.corner[i], self.weight[i]);
            Corner { x: sum.x + c.x * w, a: sum.a + c.a * w, b: sum.b + c.b * w }
        };
        (0..self.n).fold(Corner { x: zero, a: zero, b: zero }, add)
    }

    /// Largest distance of a corner from the origin, m: what rounding errors scale with.
    pub(super) fn reach(&self) -> f64 {
        self.corner[..self.n].iter().map(|c| c.x.norm()).fold(0.0, f64::max)
    }

    /// Adds a corner and keeps those that the nearest point needs. False: the origin is inside, which is not asked where it is
    /// known to be apart: signs of a tetrahedron that is small and far are rounding.
    pub(super) fn add(&mut self, corner: Corner, apart: bool) -> bool {
        self.corner[self.n] = corner;
        self.n += 1;
        if self.n == 4 && !apart && self.holds_origin() {
            return false;
        }
        let Some(best) = self.best_part() else { return false };
        let kept = best.index.map(|i| self.corner[i]);
        for k in 0..best.n {
            (self.corner[k], self.weight[k]) = (kept[k], best.weight[k]);
        }
        self.n = best.n;
        true
    }

    /// The nearest of all corners, edges and triangles whose nearest point is inside of them.
    fn best_part(&self) -> Option<Part> {
        let mut best: Option<Part> = None;
        let mut offer = |part: Option<Part>| {
            if let Some(part) = part
                && best.is_none_or(|b| part.far < b.far)
            {
                best = Some(part);
            }
        };
        for i in 0..self.n {
            offer(Some(self.point(i)));
            for j in i + 1..self.n {
                offer(self.edge(i, j));
                for k in j + 1..self.n {
                    offer(self.triangle(i, j, k));
                }
            }
        }
        best
    }

    fn part(&self, index: [usize; 3], weight: [f64; 3], n: usize) -> Part {
        let x: Vector3<f64> = (0..n).map(|k| self.corner[index[k]].x * weight[k]).sum();
        Part { index, weight, n, far: x.norm_squared() }
    }

    fn point(&self, i: usize) -> Part {
        self.part([i, i, i], [1.0, 0.0, 0.0], 1)
    }

    fn edge(&self, i: usize, j: usize) -> Option<Part> {
        let (p, q) = (self.corner[i].x, self.corner[j].x);
        let d = q - p;
        let t = -p.dot(&d) / d.norm_squared();
        (t > 0.0 && t < 1.0).then(|| self.part([i, j, j], [1.0 - t, t, 0.0], 2))
    }

    fn triangle(&self, i: usize, j: usize, k: usize) -> Option<Part> {
        let [p, q, r] = [i, j, k].map(|i| self.corner[i].x);
        let n = (q - p).cross(&(r - p));
        let area = n.norm_squared();
        let u = n.dot(&q.cross(&r)) / area;
        let v = n.dot(&r.cross(&p)) / area;
        let w = 1.0 - u - v;
        (u > 0.0 && v > 0.0 && w > 0.0).then(|| self.part([i, j, k], [u, v, w], 3))
    }

    /// Returns true if the origin lies on the inner side of all four faces. A flat tetrahedron holds nothing: its signs are rounding.
    fn holds_origin(&self) -> bool {
        let x = |i: usize| self.corner[i].x;
        let inner = |i: usize, j: usize, k: usize, l: usize| {
            let (n, up) = ((x(j) - x(i)).cross(&(x(k) - x(i))), x(l) - x(i));
            let (origin, opposite) = (-n.dot(&x(i)), n.dot(&up));
            opposite.abs() > FLAT * n.norm() * up.norm() && origin * opposite > 0.0
        };
        inner(0, 1, 2, 3) && inner(0, 1, 3, 2) && inner(0, 2, 3, 1) && inner(1, 2, 3, 0)
    }
}
