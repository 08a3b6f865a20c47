//! Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi (1988), iterated to the limit of
//! double precision.
//!
//! parry's own loop stops at a relative gap error of 5·10⁻⁸ and its simplex refuses points closer than an absolute
//! 5·10⁻⁸, which leaves normals of round shapes wrong by 10⁻⁴ rad (README, "What was measured").

use crate::solid::Core;
use vinci_detect::{Frame, Vec3};

/// A point b − a of the Minkowski difference B − A with its origins (frame of A).
#[derive(Debug, Clone, Copy, Default)]
struct Vertex {
    w: Vec3,
    a: Vec3,
    b: Vec3,
    id_a: u32,
}

/// Closest points of two separated cores, frame of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closest {
    /// Unit direction from A to B.
    pub(crate) n: Vec3,
    /// Distance (its lower bound, which agrees to rounding), m.
    pub(crate) dist: f64,
    pub(crate) on_a: Vec3,
    pub(crate) on_b: Vec3,
    /// Support features of A that span its closest point, `count` of them.
    pub(crate) ids_a: [u32; 4],
    pub(crate) count: usize,
}

/// Answer of [`distance`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum Distance {
    /// Separated by more than `near` and at most about `limit`.
    Apart(Closest),
    /// Separated by more than `limit`.
    Beyond,
    /// Closer than `near`, or overlapping.
    Touching,
}

/// Two cores, the second placed in the frame of the first and then moved by `shift`.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) a: &'a Core,
    pub(crate) b: &'a Core,
    pub(crate) b_in_a: Frame,
    pub(crate) shift: Vec3,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(a: &'a Core, b: &'a Core, b_in_a: Frame) -> Self {
        Self { a, b, b_in_a, shift: Vec3::zeros() }
    }

    /// The vertex of B − A with the least n·w.
    fn nearest(&self, n: &Vec3) -> Vertex {
        let (a, id_a) = self.a.support(n);
        let (b, _) = self.b.support(&self.b_in_a.dir_back(&-n));
        let b = self.b_in_a.point(&b) + self.shift;
        Vertex { w: b - a, a, b, id_a }
    }

    /// σ(n) = min over B − A of n·w: the signed separation along the unit vector n. The gap of the two cores is its
    /// maximum over the sphere, so every n gives a lower bound.
    pub(crate) fn separation_along(&self, n: &Vec3) -> f64 {
        n.dot(&self.nearest(n).w)
    }

    /// Points of A and B that bound the separation along n, and the feature of A.
    pub(crate) fn supports(&self, n: &Vec3) -> (Vec3, Vec3, u32) {
        let v = self.nearest(n);
        (v.a, v.b, v.id_a)
    }

    /// From the centre of A to the centre of B.
    pub(crate) fn centre_line(&self) -> Vec3 {
        self.b_in_a.point(&self.b.centre()) + self.shift - self.a.centre()
    }
}

/// Iterations and fresh starts after which the best direction found stands as it is.
const MAX_ITERATIONS: usize = 200;
const MAX_RESTARTS: usize = 3;
/// Relative distance between the bounds at which they count as one.
const CONVERGED: f64 = 4.0 * f64::EPSILON;

/// Distance of two cores; `start` is a first guess of the direction from A to B.
///
/// In the end the simplex is so thin that its closest point, shorter or not, can point aside; the lower bound n·w tells,
/// so the answer is the direction with the largest one. A simplex too thin to get on with is left for a fresh one.
pub(crate) fn distance(pair: &Pair<'_>, start: &Vec3, near: f64, limit: f64) -> Distance {
    let mut simplex = Simplex::new(pair.nearest(&start.try_normalize(0.0).unwrap_or_else(Vec3::x)));
    let mut v = simplex.points[0].w;
    let mut best = (f64::MIN, v, simplex);
    let mut restarts = 0;
    for _ in 0..MAX_ITERATIONS {
        let d = v.norm();
        if d <= near {
            return Distance::Touching;
        }
        let n = v / d;
        let next = pair.nearest(&n);
        let low = n.dot(&next.w);
        if low > limit {
            return Distance::Beyond;
        }
        if low > best.0 {
            best = (low, v, simplex);
        }
        let open = best.1.norm() - best.0;
        let mut trial = simplex;
        let closer = if simplex.holds(&next) { Some(v) } else { trial.add(next) };
        match closer {
            _ if open <= CONVERGED * d => break,
            None => return Distance::Touching,
            Some(closer) if closer.norm_squared() < v.norm_squared() => (simplex, v) = (trial, closer),
            Some(_) if restarts == MAX_RESTARTS => break,
            Some(_) => {
                restarts += 1;
                (simplex, v) = (Simplex::new(next), next.w);
            }
        }
    }
    Distance::Apart(best.2.closest(&best.1, best.0))
}

/// Some vertices of a simplex and the weights of a point between them.
struct Face {
    index: [usize; 4],
    weights: [f64; 4],
    len: usize,
}

/// One to four vertices and the weights of the point of their hull closest to the origin.
#[derive(Debug, Clone, Copy)]
struct Simplex {
    points: [Vertex; 4],
    weights: [f64; 4],
    len: usize,
}

impl Simplex {
    fn new(p: Vertex) -> Self {
        let mut points = [Vertex::default(); 4];
        points[0] = p;
        Self { points, weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    fn holds(&self, p: &Vertex) -> bool {
        self.points[..self.len].iter().any(|q| q.w == p.w)
    }

    /// Adds a vertex and reduces to the face that carries the closest point, which is returned; `None` if the
    /// simplex encloses the origin. Tries the faces through the new vertex, one of which carries that point.
    fn add(&mut self, p: Vertex) -> Option<Vec3> {
        let old = self.len;
        self.points[old] = p;
        let mut best: Option<(f64, Vec3, Face)> = None;
        for mask in 0usize..1 << old {
            let Some(face) = self.weigh(mask) else { continue };
            if face.len == 4 {
                return None;
            }
            let v: Vec3 = (0..face.len).map(|k| self.points[face.index[k]].w * face.weights[k]).sum();
            if best.as_ref().is_none_or(|b| v.norm_squared() < b.0) {
                best = Some((v.norm_squared(), v, face));
            }
        }
        let (_, v, face) = best?;
        let points = self.points;
        for k in 0..face.len {
            self.points[k] = points[face.index[k]];
        }
        (self.weights, self.len) = (face.weights, face.len);
        Some(v)
    }

    /// The face of the last vertex and those of `mask`, with the weights of the origin's projection on its affine
    /// hull; `None` unless that lies inside the face.
    fn weigh(&self, mask: usize) -> Option<Face> {
        let mut face = Face { index: [self.len, 0, 0, 0], weights: [0.0; 4], len: 1 };
        for i in (0..self.len).filter(|i| mask & (1 << i) != 0) {
            face.index[face.len] = i;
            face.len += 1;
        }
        let o = self.points[self.len].w;
        let e = |k: usize| self.points[face.index[k]].w - o;
        let [x, y, z] = match face.len {
            1 => [0.0; 3],
            2 => [-o.dot(&e(1)) / e(1).norm_squared(), 0.0, 0.0],
            3 => plane_weights(&o, &e(1), &e(2)).map(|[x, y]| [x, y, 0.0])?,
            _ => space_weights(&o, &e(1), &e(2), &e(3))?,
        };
        face.weights = [1.0 - x - y - z, x, y, z];
        face.weights[..face.len].iter().all(|w| *w > 0.0).then_some(face)
    }

    fn blend(&self, f: impl Fn(&Vertex) -> Vec3) -> Vec3 {
        (0..self.len).map(|i| f(&self.points[i]) * self.weights[i]).sum()
    }

    fn closest(&self, v: &Vec3, dist: f64) -> Closest {
        Closest {
            n: v / v.norm(),
            dist,
            on_a: self.blend(|p| p.a),
            on_b: self.blend(|p| p.b),
            ids_a: self.points.map(|p| p.id_a),
            count: self.len,
        }
    }
}

/// x, y that minimise |o + x e + y f|; `None` for parallel edges.
fn plane_weights(o: &Vec3, e: &Vec3, f: &Vec3) -> Option<[f64; 2]> {
    let n = e.cross(f);
    let n2 = n.norm_squared();
    if n2 <= 1e-24 * e.norm_squared() * f.norm_squared() {
        return None;
    }
    Some([-o.cross(f).dot(&n) / n2, -e.cross(o).dot(&n) / n2])
}

/// x, y, z with o + x e + y f + z g = 0; `None` for coplanar edges.
fn space_weights(o: &Vec3, e: &Vec3, f: &Vec3, g: &Vec3) -> Option<[f64; 3]> {
    let det = e.dot(&f.cross(g));
    if det.abs() <= 1e-14 * e.norm() * f.norm() * g.norm() {
        return None;
    }
    Some([-o.dot(&f.cross(g)) / det, -e.dot(&o.cross(g)) / det, -e.dot(&f.cross(o)) / det])
}

/// Separation of two cores along its best direction, frame of A.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    /// Unit normal, A to B.
    pub(crate) n: Vec3,
    /// Signed gap of the cores, m.
    pub(crate) sigma: f64,
}
