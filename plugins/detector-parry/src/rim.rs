//! A polytope beside a cylinder, apart from it: what GJK iterates for, by one bracketed root an edge.
//!
//! The squared distance of a point x to a solid cylinder is ρ₊² + z₊² with ρ₊ = max(ρ − r, 0) and z₊ = max(|z| − h, 0), which is
//! convex. Along an edge v + t e half its derivative, g(t) = ρ₊ (x_x e_x + x_y e_y)/ρ + z₊ sgn(z) e_z, never falls: its zero lies
//! between two signs. From the nearest point of all edges to its foot on the cylinder leads n, and σ(n) is their distance unless the
//! polytope comes nearer with the inside of a face. σ tells, so the answer proves itself.

use crate::beside::Beside;
use crate::gjk::{Axis, Pair};
use vinci_detect::Vec3;

/// A segment v + t e, 0 ≤ t ≤ 1.
#[derive(Clone, Copy)]
struct Edge {
    v: Vec3,
    e: Vec3,
}

/// Rounding of σ and of distances, relative to the numbers that they are differences of.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Most steps of the search for a zero: 25 halvings are among them.
const STEPS: usize = 100;

/// The separation of a polytope and a cylinder that are more than `near` apart, m, and their nearest points, where those are on an edge;
/// `None` elsewhere, and for other pairs.
pub(crate) fn rim_separation(pair: &Pair<'_>, near: f64) -> Option<(Axis, Vec3, Vec3)> {
    let both = Beside::of(pair)?;
    let x = both.nearest()?;
    let (on_a, on_b) = both.points([x - both.outward(&x), x]);
    let d = (on_b - on_a).norm();
    if !(d > near) {
        return None;
    }
    let n = (on_b - on_a) / d;
    let sigma = pair.separation_along(&n);
    let rounding = ROUNDING * (on_a.norm() + on_b.norm() + pair.b_in_a.pos.norm());
    (sigma >= d - rounding).then_some((Axis { n, sigma }, on_a, on_b))
}

impl Beside<'_> {
    /// From the foot of x on the cylinder to x; 0 inside.
    fn outward(&self, x: &Vec3) -> Vec3 {
        let rho = x.x.hypot(x.y);
        let beyond = if rho > self.radius { (rho - self.radius) / rho } else { 0.0 };
        Vec3::new(x.x * beyond, x.y * beyond, x.z - x.z.clamp(-self.half, self.half))
    }

    /// The point of the edges nearest to the cylinder.
    fn nearest(&self) -> Option<Vec3> {
        let mut best: Option<(f64, Vec3)> = None;
        let place = |v: u32| self.place(&self.polytope.vertices[v as usize]);
        for &[v, w] in &self.polytope.edges {
            let v = place(v);
            let edge = Edge { v, e: place(w) - v };
            if best.is_some_and(|(d, _)| self.least_distance(&edge) >= d) {
                continue;
            }
            let x = edge.v + edge.e * self.parameter(&edge);
            let d = self.outward(&x).norm();
            if best.is_none_or(|b| d < b.0) {
                best = Some((d, x));
            }
        }
        best.map(|(_, x)| x)
    }

    /// A lower bound of the distance of an edge: that of its heights.
    fn least_distance(&self, edge: &Edge) -> f64 {
        let (a, b) = (edge.v.z, edge.v.z + edge.e.z);
        (a.min(b) - self.half).max(-self.half - a.max(b))
    }

    /// g at v + t e.
    fn slope(&self, edge: &Edge, t: f64) -> f64 {
        self.outward(&(edge.v + edge.e * t)).dot(&edge.e)
    }

    /// t of the point nearest to the cylinder: the zero of g by regula falsi with halved ends (Illinois), every fourth step in the
    /// middle, to the rounding of g.
    fn parameter(&self, edge: &Edge) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        let (mut at_low, mut at_high) = (self.slope(edge, low), self.slope(edge, high));
        if at_low >= 0.0 || at_high <= 0.0 {
            return if at_low >= 0.0 { low } else { high };
        }
        let rounding = f64::EPSILON * (self.half + self.radius) * edge.e.norm();
        let (mut t, mut last) = (low, 0.0);
        for k in 0..STEPS {
            let secant = low + (high - low) * (at_low / (at_low - at_high));
            t = if k % 4 == 3 { 0.5 * (low + high) } else { secant };
            let at = self.slope(edge, t);
            if at.abs() <= rounding || !(t > low && t < high) {
                break;
            }
            let stays = if at * last > 0.0 { 0.5 } else { 1.0 };
            if at < 0.0 {
                (low, at_low, at_high) = (t, at, stays * at_high);
            } else {
                (high, at_high, at_low) = (t, at, stays * at_low);
            }
            last = at;
        }
        t
    }
}
