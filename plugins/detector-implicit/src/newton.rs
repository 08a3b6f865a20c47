//! Newton's method for the common normal.
//!
//! On the unit sphere f has the gradient P w and the second derivative −(P (H₁ + H₂) P + (n·w) 1), P = 1 − n nᵀ, H the second
//! derivatives of the support functions. This is the KKT system x₂ − x₁ = λ₁ ∇F₁ = −λ₂ ∇F₂ with the surface points eliminated.

use crate::pair::{Pair, Sample};
use crate::solid::tangents;
use vinci_detect::Vec3;

const ITERATIONS: usize = 20;
/// Misfit that counts as converged, of the scale of the pair.
const EXACT: f64 = 4e-16;
/// Misfit that will do where rounding forbids more.
const GOOD: f64 = 2e-14;

/// How the iteration ended.
pub(crate) enum Newton {
    /// The common normal.
    Found(Sample),
    /// The gap is larger than what was asked for.
    Apart(Vec3),
    /// Not smooth here; the best direction so far.
    Lost(Vec3),
}

/// From `start`; gives up as soon as f > `limit`.
pub(crate) fn newton(pair: &Pair<'_>, start: &Vec3, limit: f64) -> Newton {
    let mut n = *start;
    let (mut s, mut step) = linearised(pair, &n);
    let mut misfit = pair.misfit(&s);
    for _ in 0..ITERATIONS {
        if pair.gap(&s) > limit {
            return Newton::Apart(n);
        }
        if misfit <= EXACT * pair.scale {
            return Newton::Found(s);
        }
        let Some(next) = improved(pair, &s, misfit, &step) else { break };
        (s, step) = linearised(pair, &next);
        n = next;
        misfit = pair.misfit(&s);
    }
    if misfit <= GOOD * pair.scale { Newton::Found(s) } else { Newton::Lost(n) }
}

/// Support points at n and Newton's step across it.
fn linearised(pair: &Pair<'_>, n: &Vec3) -> (Sample, Vec3) {
    let (s, c1, c2) = pair.curved(n);
    let (t1, t2) = tangents(n);
    let w = pair.w(&s);
    let f = n.dot(&w) + pair.a.radius + pair.b.radius;
    let mut a = [f, 0.0, f];
    for (curved, frame) in [(&c1, pair.frame_a), (&c2, pair.frame_b)] {
        for (k, v) in curved.factors.iter().zip(&curved.vectors) {
            let v = frame.rot * v;
            let (x, y) = (v.dot(&t1), v.dot(&t2));
            a = [a[0] + k * x * x, a[1] + k * x * y, a[2] + k * y * y];
        }
    }
    // In the plane nothing turns out of it.
    if pair.planar {
        (a[1], a[2]) = (0.0, 1.0);
    }
    let g = [t1.dot(&w), if pair.planar { 0.0 } else { t2.dot(&w) }];
    let [x, y] = solve(a, g, pair.scale);
    let step = t1 * x + t2 * y;
    (s, step * (0.5 / step.norm().max(0.5)))
}

/// (A + μ 1) x = g with μ ≥ 0 as small as makes it safely positive definite.
fn solve([a, b, c]: [f64; 3], g: [f64; 2], scale: f64) -> [f64; 2] {
    let least = 0.5 * (a + c) - (0.25 * (a - c) * (a - c) + b * b).sqrt();
    let floor = 1e-9 * scale;
    let mu = if least < floor { (1e-3 * scale).max(floor - 2.0 * least) } else { 0.0 };
    let (a, c) = (a + mu, c + mu);
    let det = a * c - b * b;
    [(c * g[0] - b * g[1]) / det, (a * g[1] - b * g[0]) / det]
}

/// A direction along the step with larger f, or with clearly smaller misfit.
fn improved(pair: &Pair<'_>, s: &Sample, misfit: f64, step: &Vec3) -> Option<Vec3> {
    if !step.iter().all(|x| x.is_finite()) {
        return None;
    }
    let mut share = 1.0;
    for _ in 0..6 {
        let n = (s.n + step * share).normalize();
        let next = pair.sample(&n);
        let rise = pair.gap(&next) - pair.gap(s);
        let near = pair.misfit(&next);
        if rise > 1e-15 * pair.scale || (rise > -1e-15 * pair.scale && near < 0.7 * misfit) {
            return Some(n);
        }
        share *= 0.3;
    }
    None
}
