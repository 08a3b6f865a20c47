//! The proximal method of multipliers (Rockafellar 1976) on the balanced problem: it needs no strict complementarity, no
//! independent rows and no positive P, where plain Newton steps on the natural map cycle or stall.
//!
//! K is the product of the intervals [l, u] and the cones, Π its projection, σ > 0. From (x_k, y_k)
//!
//! x_{k+1} ≈ argmin φ_k(x) = ½ xᵀP x + cᵀx + |x − x_k|²/2σ + σ/2 dist²(w(x), K), w(x) = G x + g − y_k/σ,
//! y_{k+1} = σ (Π(w) − w),
//!
//! so that y_{k+1} lies in the dual cone, complementary to Π(w), and what is left of the optimality conditions is
//! (x_k − x_{k+1})/σ and (y_k − y_{k+1})/σ. The passes are those of a proximal point method on the maximal monotone operator of
//! the optimality conditions: they converge wherever there is a solution, the faster the larger σ.
//!
//! φ_k is strongly convex and its gradient is semismooth, so Newton's method with an exact line search finds its minimum from
//! anywhere (Qi & Sun 1993; Hermans, Themelis & Patrinos 2019 for programs with linear rows). With D ∈ ∂Π(w) the step is that of
//!
//! [P + I/σ, −Gᵀ; (I − D) G, I/σ] (Δx, Δy) = −(P x + c + (x − x_k)/σ − Gᵀy, y/σ + w − Π(w)),
//!
//! in which y stays an unknown: σ (Π(w) − w) itself would lose σ times the rounding of w.

use super::balanced::{Balanced, cones};
use super::line::minimise;
use super::projection::project;
use super::system::System;
use vinci_core::CsrBuf;
use vinci_core::problem::Conic;

/// σ of the first pass.
const FIRST: f64 = 1e2;
/// Factor on σ from pass to pass.
const GROWTH: f64 = 10.0;
/// Largest σ: rounding in y is σ ε.
const LAST: f64 = 1e5;
/// Newton steps of one pass at most.
const INNER: u32 = 30;
/// Residual of the equations at which a pass ends, relative to the largest of their terms.
const EXACT: f64 = 1e-14;
/// Refinements of one step.
const REFINEMENTS: usize = 2;

/// The method, with its memory.
#[derive(Debug, Default)]
pub(super) struct Proximal {
    sigma: f64,
    x_k: Vec<f64>,
    y_k: Vec<f64>,
    g_transposed: CsrBuf,
    count: Vec<u32>,
    in_cone: Vec<bool>,
    system: System,
    /// w and Π(w).
    w: Vec<f64>,
    projected: Vec<f64>,
    /// G Δx.
    slope: Vec<f64>,
    /// P x + c + (x − x_k)/σ.
    gradient: Vec<f64>,
    /// Π and D of one cone.
    block: (Vec<f64>, Vec<f64>),
    moved: Vec<f64>,
}

impl Proximal {
    /// Readies the method for a problem.
    pub(super) fn begin(&mut self, p: &Conic<'_>, q: &Balanced) {
        self.sigma = FIRST;
        self.g_transposed.transpose_of(&q.g.view(), &mut self.count);
        self.in_cone.clear();
        self.in_cone.resize(p.m(), false);
        cones(p).for_each(|(first, dim)| self.in_cone[first..first + dim].fill(true));
    }

    /// (x_{k+1}, y_{k+1}) in the place of (x_k, y_k), and the Newton steps that took; nothing when a system cannot be factorised.
    pub(super) fn pass(
        &mut self,
        p: &Conic<'_>,
        q: &Balanced,
        x: &mut [f64],
        y: &mut [f64],
        dense_limit: usize,
    ) -> Option<u32> {
        self.x_k.clear();
        self.x_k.extend_from_slice(x);
        self.y_k.clear();
        self.y_k.extend_from_slice(y);
        let dense = x.len() + y.len() <= dense_limit;
        let (mut least, mut idle) = (f64::INFINITY, 0);
        for steps in 0..=INNER {
            let left = self.linearise(p, q, x, y);
            idle = if left < 0.5 * least { 0 } else { idle + 1 };
            least = least.min(left);
            if left <= EXACT || idle > 5 || steps == INNER {
                self.sigma = (GROWTH * self.sigma).min(LAST);
                return Some(steps);
            }
            let finite =
                self.system.solve(0.0, REFINEMENTS, dense) && self.system.step.iter().all(|d| d.is_finite());
            if !finite {
                return None;
            }
            let t = self.length(p, q, x.len());
            x.iter_mut().chain(y.iter_mut()).zip(&self.system.step).for_each(|(v, d)| *v += t * d);
        }
        None
    }

    /// The system of the Newton step; the largest of its right sides over the largest term in them.
    fn linearise(&mut self, p: &Conic<'_>, q: &Balanced, x: &[f64], y: &[f64]) -> f64 {
        let (n, sigma) = (x.len(), self.sigma);
        self.project_all(p, q, x);
        self.system.clear(n + y.len());
        self.gradient.clear();
        let (mut left, mut size) = (0.0_f64, 0.0_f64);
        for j in 0..n {
            self.system.matrix.push(j, 1.0 / sigma);
            q.p.view().entries(j).for_each(|(k, v)| self.system.matrix.accumulate(k, v));
            self.g_transposed.view().entries(j).for_each(|(i, v)| self.system.matrix.push(n + i, -v));
            self.system.matrix.end_row();
            let gradient = q.p.view().row_dot(j, x) + q.c[j] + (x[j] - self.x_k[j]) / sigma;
            let residual = self.g_transposed.view().row_dot(j, y) - gradient;
            self.gradient.push(gradient);
            self.system.rhs.push(residual);
            (left, size) = (left.max(residual.abs()), size.max(gradient.abs()));
        }
        self.write_rows(p, q, n);
        for (i, y) in y.iter().enumerate() {
            let residual = self.projected[i] - self.w[i] - y / sigma;
            self.system.rhs.push(residual);
            (left, size) = (left.max(residual.abs()), size.max(self.w[i].abs()));
        }
        left / if size > 0.0 { size } else { 1.0 }
    }

    /// w and Π(w).
    fn project_all(&mut self, p: &Conic<'_>, q: &Balanced, x: &[f64]) {
        let (g, y_k) = (q.g.view(), &self.y_k);
        self.w.clear();
        self.w.extend((0..y_k.len()).map(|i| g.row_dot(i, x) + q.offset[i] - y_k[i] / self.sigma));
        self.projected.clear();
        self.projected.extend(self.w.iter().zip(&q.lower).zip(&q.upper).map(|((w, l), u)| w.max(*l).min(*u)));
        for (first, dim) in cones(p) {
            project(&self.w[first..first + dim], &mut self.block.0, &mut self.block.1);
            self.projected[first..first + dim].copy_from_slice(&self.block.0);
        }
    }

    /// The rows [(I − D) G, I/σ].
    fn write_rows(&mut self, p: &Conic<'_>, q: &Balanced, n: usize) {
        let (g, matrix) = (q.g.view(), &mut self.system.matrix);
        let mut blocks = cones(p);
        let mut i = 0;
        while i < self.in_cone.len() {
            let (first, dim) = if self.in_cone[i] { blocks.next().unwrap_or((i, 1)) } else { (i, 1) };
            if self.in_cone[i] {
                project(&self.w[first..first + dim], &mut self.block.0, &mut self.block.1);
            } else {
                let inside = self.projected[i] == self.w[i];
                self.block.1.clear();
                self.block.1.push(f64::from(u8::from(inside)));
            }
            for k in 0..dim {
                matrix.push(n + first + k, 1.0 / self.sigma);
                for l in 0..dim {
                    let e = f64::from(u8::from(k == l)) - self.block.1[k * dim + l];
                    g.entries(first + l).for_each(|(j, v)| matrix.accumulate(j, e * v));
                }
                matrix.end_row();
            }
            i = first + dim;
        }
    }

    /// The step length that minimises φ_k along Δx.
    fn length(&mut self, p: &Conic<'_>, q: &Balanced, n: usize) -> f64 {
        let (d, sigma) = (&self.system.step[..n], self.sigma);
        let (big_p, g) = (q.p.view(), q.g.view());
        let constant: f64 = d.iter().zip(&self.gradient).map(|(d, g)| d * g).sum();
        let linear: f64 = (0..n).map(|j| d[j] * (big_p.row_dot(j, d) + d[j] / sigma)).sum();
        self.slope.clear();
        self.slope.extend((0..self.w.len()).map(|i| g.row_dot(i, d)));
        let (w, slope, in_cone) = (&self.w, &self.slope, &self.in_cone);
        let (block, moved) = (&mut self.block, &mut self.moved);
        minimise(|t| {
            let outside = |i: usize, projected: f64| slope[i] * (w[i] + t * slope[i] - projected);
            let plain = (0..w.len()).filter(|&i| !in_cone[i]);
            let mut pull: f64 =
                plain.map(|i| outside(i, (w[i] + t * slope[i]).max(q.lower[i]).min(q.upper[i]))).sum();
            for (first, dim) in cones(p) {
                moved.clear();
                moved.extend((first..first + dim).map(|i| w[i] + t * slope[i]));
                project(moved, &mut block.0, &mut block.1);
                pull += (0..dim).map(|k| outside(first + k, block.0[k])).sum::<f64>();
            }
            constant + t * linear + sigma * pull
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Balanced};
    use vinci_core::CsrBuf;
    use vinci_core::problem::ConicBuf;

    /// A block of unit mass on 4 equal contacts (hyperstatic), μ = 0.5, pushed by exactly the friction limit: it rests, every
    /// force lies on its cone's boundary, every rate in its tip. Unknowns v_x, v_y, v_z.
    fn at_the_limit() -> ConicBuf {
        let p: Vec<_> = (0..3).map(|i| (i, i, 1.0)).collect();
        let rows: Vec<_> =
            (0..4).flat_map(|k| [(3 * k, 2, 1.0), (3 * k + 1, 0, 0.5), (3 * k + 2, 1, 0.5)]).collect();
        let (p, rows) = (CsrBuf::from_triplets(3, 3, &p), CsrBuf::from_triplets(12, 3, &rows));
        let free = (vec![f64::NEG_INFINITY; 12], vec![f64::INFINITY; 12]);
        let mut problem = ConicBuf::from_parts(p, vec![-0.5, 0.0, 1.0], rows, vec![0.0; 12], free);
        problem.cones = vec![0, 3, 3, 3, 6, 3, 9, 3];
        problem
    }

    /// From a point as an interior point method leaves it, off by the square root of its gap; v = 0 is the closed form.
    #[test]
    fn forces_on_the_boundary_of_dependent_cones_are_finished() {
        let problem = at_the_limit();
        let (p, mut balanced, mut answer) = (problem.view(), Balanced::default(), Answer::default());
        for dense_limit in [0, 60] {
            balanced.build(&p);
            answer.begin(&p);
            answer.x_hat.copy_from_slice(&[3e-5, -1e-5, 2e-5]);
            answer.y_hat.iter_mut().enumerate().for_each(|(i, y)| *y = 0.1 + 1e-5 * i as f64);
            answer.offer(&p, &balanced);
            // Not near enough for anything but the method itself.
            answer.proximal_passes(&p, &balanced, 1e-8, dense_limit);
            let residual = p.residual(&answer.x, &answer.y).natural;
            assert!(residual <= 1e-9, "{residual:e}");
            assert!(answer.x.iter().all(|v| v.abs() <= 1e-8), "{:?}", answer.x);
        }
    }
}
