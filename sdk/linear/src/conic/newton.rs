//! Newton steps on the natural map of the balanced problem, from a point that is nearly right.
//!
//! F(x, y) = (P x + c − Gᵀy, s − Π(s − y)), s = G x + g, Π the projection on [l, u] or on a cone. With D ∈ ∂Π(s − y)
//!
//! [P, −Gᵀ; (I − D) G, D] (Δx, Δy) = −F
//!
//! says s = l on active rows and y = 0 on inactive ones, so a step is the solution of the equations that the guessed active
//! set leaves; on the boundary of a cone it is Newton's. δ I is added for singular P and redundant rows, and refined away.

use super::balanced::{Balanced, cones};
use super::projection::project;
use super::system::System;
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
    system: System,
    shifted: Vec<f64>,
    s: Vec<f64>,
    projected: Vec<f64>,
    derivative: Vec<f64>,
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
        if !self.system.solve(DELTA, REFINEMENTS, size <= dense_limit) {
            return false;
        }
        let step = &self.system.step;
        x.iter_mut().chain(y.iter_mut()).zip(step).for_each(|(v, d)| *v += d);
        step.iter().all(|d| d.is_finite())
    }

    /// −F and the matrix without δ into the system.
    fn linearise(&mut self, p: &Conic<'_>, q: &Balanced, x: &[f64], y: &[f64]) {
        let n = x.len();
        let (big_p, g, gt) = (q.p.view(), q.g.view(), self.g_transposed.view());
        self.s.clear();
        self.s.extend((0..y.len()).map(|i| g.row_dot(i, x) + q.offset[i]));
        self.system.clear(n + y.len());
        for j in 0..n {
            self.system.matrix.push(j, 0.0);
            big_p.entries(j).for_each(|(k, v)| self.system.matrix.accumulate(k, v));
            gt.entries(j).for_each(|(i, v)| self.system.matrix.push(n + i, -v));
            self.system.matrix.end_row();
            self.system.rhs.push(gt.row_dot(j, y) - big_p.row_dot(j, x) - q.c[j]);
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
        self.system.matrix.push(n + i, 1.0 - active);
        q.g.view().entries(i).for_each(|(j, v)| self.system.matrix.push(j, active * v));
        self.system.matrix.end_row();
        self.system.rhs.push(bound.map_or(-y[i], |b| b - self.s[i]));
    }

    fn cone_rows(&mut self, q: &Balanced, first: usize, dim: usize, n: usize, y: &[f64]) {
        self.shifted.clear();
        self.shifted.extend((first..first + dim).map(|i| self.s[i] - y[i]));
        project(&self.shifted, &mut self.projected, &mut self.derivative);
        for k in 0..dim {
            for l in 0..dim {
                let d = self.derivative[k * dim + l];
                self.system.matrix.accumulate(n + first + l, d);
                let e = f64::from(u8::from(k == l)) - d;
                q.g.view().entries(first + l).for_each(|(j, v)| self.system.matrix.accumulate(j, e * v));
            }
            self.system.matrix.end_row();
            self.system.rhs.push(self.projected[k] - self.s[first + k]);
        }
    }
}
