//! Distance of two convex sets by their support functions: Gilbert, Johnson and Keerthi (1988).
//!
//! Written for trust rather than speed: every direction d gives a lower bound −h(−d) of the distance, every pair of
//! points an upper one, and both are returned. No allocation.

use nalgebra::Vector3;

use super::facet::Facet;
use super::simplex::{Corner, Simplex};
use super::{Frame, Placed};

/// Rounds at most. Polytopes need about ten, curved shapes up to forty.
const ROUNDS: usize = 100;

/// Bounds this close, relative to the distance, are one.
const CLOSE: f64 = 1e-12;

/// A distance below this part of the sizes at hand is none: rounding.
const TOUCH: f64 = 1e-14;

/// A convex set in the world.
pub(super) trait Convex {
    /// A point farthest along d.
    fn support(&self, d: &Vector3<f64>) -> Vector3<f64>;
    /// A point of it.
    fn inside(&self) -> Vector3<f64>;
}

impl Convex for Placed<'_> {
    fn support(&self, d: &Vector3<f64>) -> Vector3<f64> {
        self.core_support(d)
    }

    fn inside(&self) -> Vector3<f64> {
        self.ball().0
    }
}

impl Convex for Vector3<f64> {
    fn support(&self, _d: &Vector3<f64>) -> Vector3<f64> {
        *self
    }

    fn inside(&self) -> Vector3<f64> {
        *self
    }
}

/// A facet and where it stands.
pub(super) struct PlacedFacet([Vector3<f64>; 3]);

impl PlacedFacet {
    pub(super) fn new(facet: &Facet, frame: &Frame) -> Self {
        Self(facet.corner.map(|x| frame.point(&x)))
    }

    /// Centre and radius of a ball that holds it, m.
    pub(super) fn ball(&self) -> (Vector3<f64>, f64) {
        let middle = self.0.iter().sum::<Vector3<f64>>() / 3.0;
        (middle, self.0.iter().map(|x| (x - middle).norm()).fold(0.0, f64::max))
    }
}

impl Convex for PlacedFacet {
    fn support(&self, d: &Vector3<f64>) -> Vector3<f64> {
        let [p, q, r] = &self.0;
        let (u, v, w) = (d.dot(p), d.dot(q), d.dot(r));
        if u >= v && u >= w {
            *p
        } else if v >= w {
            *q
        } else {
            *r
        }
    }

    fn inside(&self) -> Vector3<f64> {
        self.0[0]
    }
}

/// Bounds of the distance of two sets, m, and where they are closest.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Unit vector from A to B of the lower bound; of the last direction tried where the sets overlap.
    pub(super) normal: Vector3<f64>,
    pub(super) on_a: Vector3<f64>,
    pub(super) on_b: Vector3<f64>,
}

/// Bounds of the distance of two convex sets; stops early once the lower bound is above `enough`.
pub(super) fn bounds(a: &impl Convex, b: &impl Convex, enough: f64) -> Bounds {
    // x = b − a, searched for the point nearest to the origin.
    let towards = |d: &Vector3<f64>| {
        let (on_a, on_b) = (a.support(d), b.support(&-d));
        Corner { x: on_b - on_a, a: on_a, b: on_b }
    };
    let line = (b.inside() - a.inside()).try_normalize(0.0).unwrap_or_else(Vector3::y);
    let mut simplex = Simplex::new(towards(&line));
    let mut lower = (f64::NEG_INFINITY, line);
    let mut nearest = simplex.nearest();
    for _ in 0..ROUNDS {
        let upper = nearest.x.norm();
        if upper <= TOUCH * simplex.reach() {
            return overlap(lower.1, &nearest);
        }
        let d = nearest.x / upper;
        let corner = towards(&d);
        let along = d.dot(&corner.x);
        if along > lower.0 {
            lower = (along, d);
        }
        if upper - lower.0 <= CLOSE * upper || lower.0 > enough || simplex.has(&corner.x) {
            break;
        }
        if !simplex.add(corner, lower.0 > 0.0) {
            return overlap(lower.1, &nearest);
        }
        let next = simplex.nearest();
        if next.x.norm() >= upper {
            break;
        }
        nearest = next;
    }
    Bounds { lower: lower.0, upper: nearest.x.norm(), normal: lower.1, on_a: nearest.a, on_b: nearest.b }
}

fn overlap(normal: Vector3<f64>, at: &Corner) -> Bounds {
    let middle = (at.a + at.b) * 0.5;
    Bounds { lower: f64::NEG_INFINITY, upper: 0.0, normal, on_a: middle, on_b: middle }
}
