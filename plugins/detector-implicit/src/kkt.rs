//! Newton's method for the pair of points, in the parameters of both surfaces.
//!
//! x₂ − x₁ = ψ n₁ and n₂ = −n₁ (the KKT system, ψ eliminated) projected on the two tangents at n₁: four equations for
//! four parameters, two for two in the plane. What is flat or sharp on a surface is not singular here, as it is on the sphere of
//! normals. A root is a stationary direction, not necessarily a maximum: the caller judges.

use crate::chart::{Spot, is_charted, parameters, spot};
use crate::pair::{Pair, Sample};
use crate::solid::tangents;
use nalgebra::{Matrix4, Vector4};
use vinci_detect::Vec3;

const ITERATIONS: usize = 30;
/// Residual that counts as converged.
const EXACT: f64 = 1e-15;
/// Residual that will do where rounding forbids more.
const GOOD: f64 = 1e-12;
/// Longest step, in parameters (a quarter of the curve is 2).
const LONGEST: f64 = 0.5;

/// Both places and what is wrong with them.
struct State {
    u: Vector4<f64>,
    spots: [Spot; 2],
    w: Vec3,
    tangents: [Vec3; 2],
    /// Tangential parts of w (of the scale of the pair) and of n₁ + n₂.
    residual: Vector4<f64>,
}

impl State {
    fn new(pair: &Pair<'_>, u: Vector4<f64>) -> Self {
        let spots = [spot(pair.a, pair.frame_a, [u[0], u[1]]), spot(pair.b, pair.frame_b, [u[2], u[3]])];
        let w = pair.d + spots[1].x - spots[0].x;
        let (t1, t2) = tangents(&spots[0].n);
        let sum = spots[0].n + spots[1].n;
        let mut residual = Vector4::new(t1.dot(&w), t2.dot(&w), t1.dot(&sum), t2.dot(&sum));
        residual.x /= pair.scale;
        residual.y /= pair.scale;
        // Tangential parts do not see n₂ = n₁.
        if spots[0].n.dot(&spots[1].n) > 0.0 {
            residual *= f64::INFINITY;
        }
        if pair.planar {
            (residual.y, residual.w) = (0.0, 0.0);
        }
        Self { u, spots, w, tangents: [t1, t2], residual }
    }

    /// Newton's step, damped a little where the system is singular.
    fn step(&self, pair: &Pair<'_>) -> Option<Vector4<f64>> {
        let psi = self.spots[0].n.dot(&self.w);
        let mut j = Matrix4::zeros();
        for (i, t) in self.tangents.iter().enumerate() {
            for k in 0..2 {
                let [a, b] = [&self.spots[0], &self.spots[1]];
                j[(i, k)] = -(t.dot(&a.dx[k]) + psi * t.dot(&a.dn[k])) / pair.scale;
                j[(i, 2 + k)] = t.dot(&b.dx[k]) / pair.scale;
                j[(2 + i, k)] = t.dot(&a.dn[k]);
                j[(2 + i, 2 + k)] = t.dot(&b.dn[k]);
            }
        }
        if pair.planar {
            for k in [1, 3] {
                j.row_mut(k).fill(0.0);
                j.column_mut(k).fill(0.0);
                j[(k, k)] = 1.0;
            }
        }
        let step = j.lu().solve(&-self.residual).filter(|s| s.iter().all(|x| x.is_finite()))?;
        Some(step * (LONGEST / step.amax().max(LONGEST)))
    }

    fn sample(&self, pair: &Pair<'_>) -> Sample {
        let [a, b] = &self.spots;
        let n = (a.n - b.n).normalize();
        Sample { n, x1: a.x + n * pair.a.radius, x2: b.x - n * pair.b.radius }
    }
}

/// The stationary direction near `n`, if the iteration finds one.
pub(crate) fn kkt(pair: &Pair<'_>, n: &Vec3) -> Option<Sample> {
    if !(is_charted(pair.a) && is_charted(pair.b)) {
        return None;
    }
    let (u, v) =
        (parameters(pair.a, &pair.frame_a.dir_back(n)), parameters(pair.b, &-pair.frame_b.dir_back(n)));
    let mut state = State::new(pair, Vector4::new(u[0], u[1], v[0], v[1]));
    for _ in 0..ITERATIONS {
        let wrong = state.residual.norm();
        if wrong <= EXACT {
            break;
        }
        let step = state.step(pair)?;
        let mut share = 1.0;
        let next = loop {
            let next = State::new(pair, state.u + step * share);
            if next.residual.norm() < (1.0 - 0.1 * share) * wrong {
                break Some(next);
            }
            share *= 0.4;
            if share < 0.02 {
                break None;
            }
        };
        let Some(next) = next else { break };
        state = next;
    }
    (state.residual.norm() <= GOOD).then(|| state.sample(pair))
}
