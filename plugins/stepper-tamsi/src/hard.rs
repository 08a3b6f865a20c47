//! Rows that keep their impulse as an unknown: joints, and everything else that has no law of its own.

use vinci_sdk::core::momentum::{Momentum, NOT_FREE};
use vinci_sdk::prelude::*;

use crate::entry_layout::EntryLayout;

/// Compliance of rows, as a part of 1/m: rows that say the same (a coupler between two joints that both stand at a limit)
/// share their impulse, where without it the Jacobian is singular. It lets a row give by 1e-9 p/m, m/s.
const COMPLIANCE: f64 = 1e-9;

/// |p|/m over the largest speed beyond which rows are taken to contradict each other: far above what inertia asks for, far
/// below the 1/[`COMPLIANCE`] that an impossible row takes.
const CONTRADICTED: f64 = 1e6;

/// l ≤ p ≤ u ⟂ w = J v + c + ε p/m, one unknown p per row: p is the projection of p − m w on [l, u], with m the row's
/// effective mass, and the row's residual is (p − Π(p − m w))/m, m/s. For joints (l, u = ∓∞) that is w itself.
#[derive(Debug, Default)]
pub(crate) struct Hard {
    /// The rows of the step that are here.
    pub(crate) row: Vec<u32>,
    /// J over the unknowns.
    rows: CsrBuf,
    constant: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    /// m, kg.
    pub(crate) mass: Vec<f64>,
}

impl Hard {
    pub(crate) fn len(&self) -> usize {
        self.row.len()
    }

    /// Unknown velocities that row j acts on.
    pub(crate) fn columns(&self, j: usize) -> &[u32] {
        self.rows.view().row(j).0
    }

    /// Forgets all rows, over n unknown velocities.
    pub(crate) fn open(&mut self, n: usize) {
        self.rows.clear(n);
        self.row.clear();
        [&mut self.constant, &mut self.lower, &mut self.upper, &mut self.mass]
            .into_iter()
            .for_each(Vec::clear);
    }

    /// Adds row k of the step; `diagonal` is that of A over the unknowns.
    pub(crate) fn push(&mut self, step: &StepView<'_>, k: usize, momentum: &Momentum, diagonal: &[f64]) {
        let (mut constant, mut inverse) = (step.rows.rate[k], 0.0);
        for (dof, x) in step.rows.jacobian.entries(k) {
            match momentum.index[dof] {
                NOT_FREE => constant += x * momentum.prescribed[dof],
                at => {
                    self.rows.push(at as usize, x);
                    inverse += x * x / diagonal[at as usize];
                }
            }
        }
        self.rows.end_row();
        self.row.push(k as u32);
        self.constant.push(constant);
        self.lower.push(step.rows.lower[k]);
        self.upper.push(step.rows.upper[k]);
        self.mass.push(if inverse > 0.0 { 1.0 / inverse } else { 1.0 });
    }

    /// A row of the step whose impulse would turn velocities of its own by more than a million times `speed` (m/s, the largest
    /// of the step): rows that contradict each other or their drives, which only the compliance makes solvable.
    pub(crate) fn contradicted(&self, p: &[f64], speed: f64) -> Option<u32> {
        let beyond = |j: &usize| (p[*j] / self.mass[*j]).abs() > CONTRADICTED * speed.max(1.0);
        (0..self.len()).find(beyond).map(|j| self.row[j])
    }

    /// w and the bound that p leans on, if it does.
    fn state(&self, j: usize, v: &[f64], p: f64) -> (f64, Option<f64>) {
        let w = self.rows.view().row_dot(j, v) + self.constant[j] + COMPLIANCE * p / self.mass[j];
        let target = p - self.mass[j] * w;
        let (lower, upper) = (self.lower[j], self.upper[j]);
        let bound = if target < lower { Some(lower) } else { Some(upper).filter(|u| target > *u) };
        (w, bound)
    }

    /// r_v −= Jᵀ p, and the residuals of the rows.
    pub(crate) fn residual(&self, v: &[f64], p: &[f64], r_v: &mut [f64], r: &mut [f64]) {
        let rows = self.rows.view();
        for j in 0..self.len() {
            rows.add_row_scaled(j, -p[j], r_v);
            r[j] = match self.state(j, v, p[j]) {
                (w, None) => w,
                (_, Some(bound)) => (p[j] - bound) / self.mass[j],
            };
        }
    }

    /// The rows' part of ∂r/∂(v, p), n velocities.
    pub(crate) fn jacobian(&self, v: &[f64], p: &[f64], layout: &impl EntryLayout, out: &mut [f64]) {
        let (n, rows) = (v.len(), self.rows.view());
        for j in 0..self.len() {
            let leans = self.state(j, v, p[j]).1.is_some();
            for (c, x) in rows.entries(j) {
                out[layout.at(c, n + j)] -= x;
                if !leans {
                    out[layout.at(n + j, c)] += x;
                }
            }
            let own = if leans { 1.0 } else { COMPLIANCE };
            out[layout.at(n + j, n + j)] += own / self.mass[j];
        }
    }
}
