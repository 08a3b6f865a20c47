//! The final step: the sweeps have found which unknowns are at their bounds; the rest is one linear system.
//!
//! With the active set fixed, M z + q = 0 on the rows between bounds is solved for them and the velocities together,
//! by LU, bodies first. Hyperstatic contacts make that matrix singular but consistent, so it is factorised with a shift δ on
//! its diagonal and refined towards the unshifted system, which gives the solution closest to the iterate. A few rounds
//! correct single wrong guesses (a semismooth Newton step on the minimum map each).

use vinci_sdk::core::problem::Mlcp;

use vinci_linear::{Order, RowState, ShiftedLu, norm};

/// Shifts δ tried, times the row's scale.
const SHIFTS: [f64; 2] = [1e-10, 1e-7];
/// Refinements towards the unshifted system.
const REFINEMENTS: u32 = 6;

/// Buffers of the polish.
#[derive(Debug, Default)]
pub(crate) struct Polish {
    lu: ShiftedLu,
    state: Vec<RowState>,
    a: Vec<f64>,
    b: Vec<f64>,
    r: Vec<f64>,
    d: Vec<f64>,
    defect: Vec<f64>,
    w: Vec<f64>,
    z: Vec<f64>,
    /// The polished point.
    pub(crate) best: Vec<f64>,
    /// Factorisations made since [`Self::start`].
    pub(crate) factorizations: u32,
}

impl Polish {
    /// Prepares for a problem.
    pub(crate) fn start(&mut self, p: &Mlcp<'_>) {
        let n = p.n();
        self.factorizations = 0;
        for x in [&mut self.a, &mut self.b, &mut self.r, &mut self.d, &mut self.defect, &mut self.w] {
            x.resize(n, 0.0);
        }
        self.state.clear();
        self.state.resize(n, RowState::default());
        self.lu.begin(p);
    }

    /// Runs at most `rounds` rounds from `z`; the best residual met, with its point in `self.best`.
    pub(crate) fn run(&mut self, p: &Mlcp<'_>, z: &[f64], rounds: u32) -> f64 {
        for x in [&mut self.z, &mut self.best] {
            x.clear();
            x.extend_from_slice(z);
        }
        for i in 0..p.n() {
            self.state[i] = first_state(p, i, z[i]);
        }
        // The first round may make things worse: it is the price of new modes. After it the residual must fall.
        let mut residual = f64::INFINITY;
        for _ in 0..rounds {
            if !SHIFTS.into_iter().any(|shift| self.find_step(p, shift)) {
                break;
            }
            let Some(better) = self.take_step(p, residual) else { break };
            residual = better;
            if !self.read_states(p) {
                break;
            }
        }
        residual
    }

    /// Takes the first of the steps 1, ½, ¼, ⅛ that lowers the residual; the new residual, or None.
    fn take_step(&mut self, p: &Mlcp<'_>, last: f64) -> Option<f64> {
        for t in [1.0, 0.5, 0.25, 0.125] {
            for i in 0..p.n() {
                self.z[i] = match self.state[i] {
                    RowState::AtLower if t == 1.0 => p.lower[i],
                    RowState::AtUpper if t == 1.0 => p.upper[i],
                    _ => self.best[i] + t * self.d[i],
                };
            }
            let residual = p.residual(&self.z).natural;
            if residual < last {
                self.best.copy_from_slice(&self.z);
                return Some(residual);
            }
        }
        None
    }

    /// States of the rows as the natural map sees them in typical sizes; true when any changed.
    fn read_states(&mut self, p: &Mlcp<'_>) -> bool {
        p.m.multiply(&self.z, &mut self.w);
        let mut changed = false;
        for i in 0..p.n() {
            let w = (self.w[i] + p.q[i]) / p.w_scale[i];
            let (below, above) =
                ((self.z[i] - p.lower[i]) / p.z_scale[i], (self.z[i] - p.upper[i]) / p.z_scale[i]);
            let state = if p.lower[i] == p.upper[i] || below < w {
                RowState::AtLower
            } else if above > w {
                RowState::AtUpper
            } else {
                RowState::Between
            };
            changed |= state != self.state[i];
            self.state[i] = state;
        }
        changed
    }

    /// Solves the linear system of these states for the step d from the best point.
    fn find_step(&mut self, p: &Mlcp<'_>, shift: f64) -> bool {
        p.m.multiply(&self.z, &mut self.w);
        for i in 0..p.n() {
            (self.a[i], self.b[i], self.r[i]) = match self.state[i] {
                RowState::AtLower => (1.0, 0.0, p.lower[i] - self.z[i]),
                RowState::AtUpper => (1.0, 0.0, p.upper[i] - self.z[i]),
                RowState::Between => (shift * p.w_scale[i] / p.z_scale[i], 1.0, -self.w[i] - p.q[i]),
            };
        }
        self.factorizations += 1;
        self.lu.factor(p.m, &self.a, &self.b, Order::FirstRowsFirst) && self.solve_refined(p)
    }

    /// d with K d = r, K without its shift; false when it cannot even be approached.
    fn solve_refined(&mut self, p: &Mlcp<'_>) -> bool {
        let size = norm(&self.r);
        self.d.fill(0.0);
        self.defect.copy_from_slice(&self.r);
        let mut last = f64::INFINITY;
        for _ in 0..=REFINEMENTS {
            self.lu.solve(&mut self.defect);
            for (d, c) in self.d.iter_mut().zip(&self.defect) {
                *d += c;
            }
            for i in 0..p.n() {
                let (a, b) = if self.b[i] == 0.0 { (1.0, 0.0) } else { (0.0, 1.0) };
                let product = if b == 0.0 { 0.0 } else { p.m.row_dot(i, &self.d) };
                self.defect[i] = self.r[i] - a * self.d[i] - product;
            }
            let now = norm(&self.defect);
            if !(now < 0.9 * last) {
                break;
            }
            last = now;
        }
        last <= size || size == 0.0
    }
}

/// Sweeps leave exact bounds: whatever is off its bound is an unknown.
fn first_state(p: &Mlcp<'_>, i: usize, z: f64) -> RowState {
    if z <= p.lower[i] {
        RowState::AtLower
    } else if z >= p.upper[i] {
        RowState::AtUpper
    } else {
        RowState::Between
    }
}
