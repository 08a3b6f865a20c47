//! Exact solutions of one block's problem, the others held: u = W p + q with Coulomb's law between p and u.
//!
//! Open: q_n ≥ 0, p = 0. Stick: p = −W⁻¹ q inside the cone. Slip: u_n = 0, p_t = −μ p_n d, u_t = λ d with λ ≥ 0, so that
//! p_n = −q_n / (W_nn − μ W_nt·d), one number ±1 (planar) or one angle (spatial) to find. A disc has no normal row and a
//! fixed radius R in the place of μ p_n.

use crate::angle::Angle;
use vinci_sdk::core::problem::{project_cone, project_disc};

/// W of one block by rows: (n, t1, t2) for Coulomb blocks, (t1, t2) in the places 1 and 2 for discs.
pub(crate) type W3 = [[f64; 3]; 3];

/// One block's problem. In places that do not exist W and q hold zeros.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) w: W3,
    pub(crate) q: [f64; 3],
    /// Tangents, 1 or 2.
    pub(crate) dim: usize,
}

/// Room for rounding in the tests of cases, relative to the sizes at hand.
const ROUNDING: f64 = 1e-14;

impl Block {
    fn u(&self, p: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| self.q[i] + self.w[i][0] * p[0] + self.w[i][1] * p[1] + self.w[i][2] * p[2])
    }

    /// Solves Coulomb's problem with friction coefficient `mu`; `last` (the impulse so far) tells where to look first.
    pub(crate) fn coulomb(&self, mu: f64, last: [f64; 3]) -> [f64; 3] {
        if self.q[0] >= 0.0 {
            return [0.0; 3];
        }
        if let Some(p) = self.stick(mu) {
            return p;
        }
        let slip = if self.dim == 1 { self.slip_planar(mu, last) } else { self.slip(mu, last) };
        slip.unwrap_or_else(|| self.projected(mu, last))
    }

    /// p = −W⁻¹ q where it lies in the cone.
    fn stick(&self, mu: f64) -> Option<[f64; 3]> {
        let w = &self.w;
        let q = [-self.q[0], -self.q[1], -self.q[2]];
        let p = if self.dim == 1 {
            let x = solve2([[w[0][0], w[0][1]], [w[1][0], w[1][1]]], [q[0], q[1]])?;
            [x[0], x[1], 0.0]
        } else {
            solve3(w, q)?
        };
        (p[0] >= 0.0 && p[1].hypot(p[2]) <= mu * p[0] * (1.0 + ROUNDING)).then_some(p)
    }

    /// p_t = −s μ p_n with u_t = s |u_t|, s = ±1.
    fn slip_planar(&self, mu: f64, last: [f64; 3]) -> Option<[f64; 3]> {
        let first = if last[1] > 0.0 { -1.0 } else { 1.0 };
        [first, -first].into_iter().find_map(|s: f64| {
            let stiffness = self.w[0][0] - s * mu * self.w[0][1];
            let p_n = -self.q[0] / stiffness;
            let p = [p_n, -s * mu * p_n, 0.0];
            (stiffness > 0.0 && s * self.u(p)[1] >= 0.0).then_some(p)
        })
    }

    /// The slip solution in space. Times W_nn − μ W_nt·d the condition d⊥·u_t = 0 reads
    /// d⊥·(q_t W_nn − q_n W_tn + μ q_n W_tt d − μ (W_nt·d) q_t) = 0.
    fn slip(&self, mu: f64, last: [f64; 3]) -> Option<[f64; 3]> {
        let (w, q) = (&self.w, &self.q);
        let constant = (q[1] * w[0][0] - q[0] * w[1][0], q[2] * w[0][0] - q[0] * w[2][0]);
        let k = mu * q[0];
        let linear = [[k * w[1][1], k * w[1][2]], [k * w[2][1], k * w[2][2]]];
        let g = Angle::of(constant, linear, (w[0][1], w[0][2]), (-mu * q[1], -mu * q[2]));
        let at = |theta: f64| {
            let d = (theta.cos(), theta.sin());
            let stiffness = w[0][0] - mu * (w[0][1] * d.0 + w[0][2] * d.1);
            let p_n = -q[0] / stiffness;
            let p = [p_n, -mu * p_n * d.0, -mu * p_n * d.1];
            let u = self.u(p);
            (stiffness > 0.0 && d.0 * u[1] + d.1 * u[2] >= 0.0).then_some(p)
        };
        find(&g, (-last[1], -last[2]), at)
    }

    /// Projected step p ← P_K(p − ρ (u + μ |u_t| e_n)), for a W that is not positive definite, where no case holds.
    fn projected(&self, mu: f64, last: [f64; 3]) -> [f64; 3] {
        let size = self.size();
        if size == 0.0 {
            return last;
        }
        let (u, rho) = (self.u(last), 1.0 / size);
        let t = (last[1] - rho * u[1], last[2] - rho * u[2]);
        let (n, t) = project_cone(last[0] - rho * (u[0] + mu * u[1].hypot(u[2])), t, mu);
        [n, t.0, t.1]
    }

    fn size(&self) -> f64 {
        (0..3).map(|i| self.w[i][i]).fold(0.0, f64::max)
    }

    /// Friction on a disc of radius `radius`: |p_t| ≤ R, p_t = −R u_t/|u_t| where u_t ≠ 0.
    pub(crate) fn disc(&self, radius: f64, last: [f64; 3]) -> [f64; 3] {
        let (w, q) = (&self.w, &self.q);
        if self.dim == 1 {
            if w[1][1] > 0.0 {
                return [0.0, (-q[1] / w[1][1]).clamp(-radius, radius), 0.0];
            }
            return [0.0, if q[1] == 0.0 { last[1] } else { -radius * q[1].signum() }, 0.0];
        }
        let w_t = [[w[1][1], w[1][2]], [w[2][1], w[2][2]]];
        if let Some(x) = solve2(w_t, [-q[1], -q[2]])
            && x[0].hypot(x[1]) <= radius
        {
            return [0.0, x[0], x[1]];
        }
        let linear = [[-radius * w_t[0][0], -radius * w_t[0][1]], [-radius * w_t[1][0], -radius * w_t[1][1]]];
        let g = Angle::of((q[1], q[2]), linear, (0.0, 0.0), (0.0, 0.0));
        let at = |theta: f64| {
            let d = (theta.cos(), theta.sin());
            let p = [0.0, -radius * d.0, -radius * d.1];
            let u = self.u(p);
            (d.0 * u[1] + d.1 * u[2] >= 0.0).then_some(p)
        };
        find(&g, (-last[1], -last[2]), at).unwrap_or_else(|| {
            let (u, size) = (self.u(last), self.size());
            let rho = if size > 0.0 { 1.0 / size } else { 0.0 };
            let (x, y) = project_disc((last[1] - rho * u[1], last[2] - rho * u[2]), radius);
            [0.0, x, y]
        })
    }
}

/// The first root that `at` accepts, beginning near the direction `warm`.
fn find(g: &Angle, warm: (f64, f64), at: impl Fn(f64) -> Option<[f64; 3]>) -> Option<[f64; 3]> {
    if warm != (0.0, 0.0)
        && let Some(p) = g.near(warm.1.atan2(warm.0)).and_then(&at)
    {
        return Some(p);
    }
    let mut solution = None;
    g.roots(|theta| {
        solution = at(theta);
        solution.is_some()
    });
    solution
}

/// 2 × 2 system by Cramer's rule; none if singular to working precision.
fn solve2(m: [[f64; 2]; 2], r: [f64; 2]) -> Option<[f64; 2]> {
    let det = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    let size = (m[0][0] * m[1][1]).abs() + (m[0][1] * m[1][0]).abs();
    (det.abs() > ROUNDING * size)
        .then(|| [(r[0] * m[1][1] - r[1] * m[0][1]) / det, (r[1] * m[0][0] - r[0] * m[1][0]) / det])
}

/// 3 × 3 system by elimination with row exchange; none if singular to working precision.
fn solve3(m: &W3, r: [f64; 3]) -> Option<[f64; 3]> {
    let (mut a, mut x) = (*m, r);
    let size = a.iter().flatten().fold(0.0_f64, |s, v| s.max(v.abs()));
    for k in 0..3 {
        let pivot = (k..3).fold(k, |best, i| if a[i][k].abs() > a[best][k].abs() { i } else { best });
        if !(a[pivot][k].abs() > ROUNDING * size) {
            return None;
        }
        a.swap(k, pivot);
        x.swap(k, pivot);
        for i in k + 1..3 {
            let factor = a[i][k] / a[k][k];
            for j in k..3 {
                a[i][j] -= factor * a[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..3).rev() {
        x[k] = (x[k] - (k + 1..3).map(|j| a[k][j] * x[j]).sum::<f64>()) / a[k][k];
    }
    Some(x)
}

#[cfg(test)]
#[path = "local_tests.rs"]
mod tests;
