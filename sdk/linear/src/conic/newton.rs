//! Newton steps on the natural map of the balanced problem, from a point that is nearly right.
//!
//! F(x, y) = (P x + c − Gᵀy, s − Π(s − y)), s = G x + g, Π the projection on [l, u] or on a cone. With D ∈ ∂Π(s − y)
//!
//! [P, −Gᵀ; (I − D) G, D] (Δx, Δy) = −F
//!
//! says s = l on active rows and y = 0 on inactive ones, so a step is the solution of the equations that the guessed active
//! set leaves; on the boundary of a cone it is Newton's. δ I is added for singular P and redundant rows, and refined away.

use super::balanced::{Balanced, cones};
use crate::{DenseLu, SparseLu};
use vinci_core::CsrBuf;
use vinci_core::problem::Conic;

/// Regularisation of the balanced system.
const DELTA: f64 = 1e-9;
/// Refinements of one step towards δ = 0.
const REFINEMENTS: usize = 4;

/// The Newton system, with its memory.
#[derive(Debug, Default)]
pub struct Newton {
    g_transposed: CsrBuf,
    count: Vec<u32>,
    in_cone: Vec<bool>,
    matrix: CsrBuf,
    /// Pattern that was analysed last.
    pattern: (Vec<u32>, Vec<u32>),
    shifted: Vec<f64>,
    s: Vec<f64>,
    /// −F, then the step.
    step: Vec<f64>,
    rhs: Vec<f64>,
    correction: Vec<f64>,
    projected: Vec<f64>,
    derivative: Vec<f64>,
    sparse: SparseLu,
    dense: DenseLu,
}

impl Newton {
    /// Readies the system for a problem.
    pub fn begin(&mut self, p: &Conic<'_>, q: &Balanced) {
        self.g_transposed.transpose_of(&q.g.view(), &mut self.count);
        self.in_cone.clear();
        self.in_cone.resize(p.m(), false);
        cones(p).for_each(|(first, dim)| self.in_cone[first..first + dim].fill(true));
    }

    /// One step from (x̂, ŷ); false when the system cannot be factorised.
    pub fn step(
        &mut self,
        p: &Conic<'_>,
        q: &Balanced,
        x: &mut [f64],
        y: &mut [f64],
        dense_limit: usize,
    ) -> bool {
        self.linearise(p, q, x, y);
        let size = x.len() + y.len();
        if !self.factor(size <= dense_limit) {
            return false;
        }
        self.solve_refined(size <= dense_limit);
        x.iter_mut().chain(y.iter_mut()).zip(&self.step).for_each(|(v, d)| *v += d);
        self.step.iter().all(|d| d.is_finite())
    }

    /// −F into `rhs`, the matrix without δ into `matrix`.
    fn linearise(&mut self, p: &Conic<'_>, q: &Balanced, x: &[f64], y: &[f64]) {
        let n = x.len();
        let (big_p, g, gt) = (q.p.view(), q.g.view(), self.g_transposed.view());
        self.s.clear();
        self.s.extend((0..y.len()).map(|i| g.row_dot(i, x) + q.offset[i]));
        self.matrix.clear(n + y.len());
        self.rhs.clear();
        for j in 0..n {
            self.matrix.push(j, 0.0);
            big_p.entries(j).for_each(|(k, v)| self.matrix.accumulate(k, v));
            gt.entries(j).for_each(|(i, v)| self.matrix.push(n + i, -v));
            self.matrix.end_row();
            self.rhs.push(gt.row_dot(j, y) - big_p.row_dot(j, x) - q.c[j]);
        }
        let mut blocks = cones(p).peekable();
        let mut i = 0;
        while i < y.len() {
            if self.in_cone[i] {
                // Cones come in the order of their rows; the fallback is never reached.
                let (first, dim) = blocks.next().unwrap_or((i, 1));
                self.cone_rows(q, first, dim, n, y);
                i = first + dim;
            } else {
                self.bounded_row(q, i, n, y);
                i += 1;
            }
        }
    }

    fn bounded_row(&mut self, q: &Balanced, i: usize, n: usize, y: &[f64]) {
        let target = self.s[i] - y[i];
        let bound = if target <= q.lower[i] {
            Some(q.lower[i])
        } else if target >= q.upper[i] {
            Some(q.upper[i])
        } else {
            None
        };
        let active = f64::from(u8::from(bound.is_some()));
        self.matrix.push(n + i, 1.0 - active);
        q.g.view().entries(i).for_each(|(j, v)| self.matrix.push(j, active * v));
        self.matrix.end_row();
        self.rhs.push(bound.map_or(-y[i], |b| b - self.s[i]));
    }

    fn cone_rows(&mut self, q: &Balanced, first: usize, dim: usize, n: usize, y: &[f64]) {
        self.shifted.clear();
        self.shifted.extend((first..first + dim).map(|i| self.s[i] - y[i]));
        project(&self.shifted, &mut self.projected, &mut self.derivative);
        for k in 0..dim {
            for l in 0..dim {
                let d = self.derivative[k * dim + l];
                self.matrix.accumulate(n + first + l, d);
                let e = f64::from(u8::from(k == l)) - d;
                q.g.view().entries(first + l).for_each(|(j, v)| self.matrix.accumulate(j, e * v));
            }
            self.matrix.end_row();
            self.rhs.push(self.projected[k] - self.s[first + k]);
        }
    }

    /// Factorises the matrix + δ I.
    fn factor(&mut self, dense: bool) -> bool {
        let m = self.matrix.view();
        if dense {
            self.dense.reset(m.n_cols);
            for i in 0..m.n_cols {
                let row = self.dense.row_mut(i);
                m.entries(i).for_each(|(j, v)| row[j] += v);
                row[i] += DELTA;
            }
            return self.dense.factor();
        }
        if self.pattern.0 != m.row_start || self.pattern.1 != m.column {
            if !self.sparse.analyse(m.row_start, m.column) {
                return false;
            }
            self.pattern = (m.row_start.to_vec(), m.column.to_vec());
        }
        self.correction.clear();
        for i in 0..m.n_cols {
            self.correction.extend(m.entries(i).map(|(j, v)| if i == j { v + DELTA } else { v }));
        }
        self.sparse.factor(&self.correction)
    }

    /// The step: (M + δ I)⁻¹ applied to −F and to what it leaves of it.
    fn solve_refined(&mut self, dense: bool) {
        let m = self.matrix.view();
        self.step.clear();
        self.step.resize(m.n_cols, 0.0);
        for _ in 0..=REFINEMENTS {
            self.correction.clear();
            self.correction.extend((0..m.n_cols).map(|i| self.rhs[i] - m.row_dot(i, &self.step)));
            if dense {
                self.dense.solve(&mut self.correction);
            } else {
                self.sparse.solve(&mut self.correction);
            }
            self.step.iter_mut().zip(&self.correction).for_each(|(s, c)| *s += c);
        }
    }
}

/// Π(t) on the second-order cone and an element of its generalised derivative (dim × dim, by rows).
fn project(t: &[f64], projected: &mut Vec<f64>, derivative: &mut Vec<f64>) {
    let (dim, t0) = (t.len(), t[0]);
    let r = t[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    projected.clear();
    projected.resize(dim, 0.0);
    derivative.clear();
    derivative.resize(dim * dim, 0.0);
    if r <= -t0 {
        return;
    }
    if r <= t0 {
        projected.copy_from_slice(t);
        (0..dim).for_each(|k| derivative[k * dim + k] = 1.0);
        return;
    }
    let (half, ratio) = (0.5 * (t0 + r), t0 / r);
    projected[0] = half;
    derivative[0] = 0.5;
    for k in 1..dim {
        projected[k] = half * t[k] / r;
        derivative[k] = 0.5 * t[k] / r;
        derivative[k * dim] = 0.5 * t[k] / r;
        for l in 1..dim {
            let identity = f64::from(u8::from(k == l));
            derivative[k * dim + l] = 0.5 * ((1.0 + ratio) * identity - ratio * (t[k] / r) * (t[l] / r));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::project;

    /// The derivative is the one of differences, inside each of the three pieces.
    #[test]
    fn derivative_of_the_projection() {
        for t in [[2.0, 0.5, 0.3], [-2.0, 0.5, 0.3], [0.3, 0.8, -0.9], [-0.3, 0.8, -0.9]] {
            let (mut at, mut d, mut near, mut unused) = (vec![], vec![], vec![], vec![]);
            project(&t, &mut at, &mut d);
            for l in 0..3 {
                let mut moved = t;
                moved[l] += 1e-7;
                project(&moved, &mut near, &mut unused);
                for k in 0..3 {
                    let slope = (near[k] - at[k]) / 1e-7;
                    assert!((slope - d[3 * k + l]).abs() < 1e-6, "{t:?}: {k}, {l}");
                }
            }
        }
    }
}
