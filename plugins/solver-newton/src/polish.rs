//! Active-set Newton: which bounds hold is read off, the rest is one linear system; repeated until nothing changes.
//!
//! This is the semismooth Newton method on the minimum map without damping. From a point near a solution it ends in a
//! few rounds at rounding level; alone it may cycle, which is noticed. Hyperstatic contacts make the system singular
//! but consistent: it is solved as K + δ I and refined towards K, which picks the solution closest to the iterate.

use vinci_linear::{Order, RowState};
use vinci_sdk::core::problem::Mlcp;

use crate::workspace::NewtonWorkspace;

/// Shifts δ tried, in balanced units.
const SHIFTS: [f64; 3] = [1e-10, 1e-14, 1e-7];
/// Relative residual of a system that counts as solved, and of one worth another shift.
const ACCURATE: f64 = 1e-12;
const HOPEFUL: f64 = 1e-5;
/// Refinements towards the unshifted system.
const REFINEMENTS: u32 = 6;
/// Natural residual in balanced units below which a point is as good as it gets.
const ROUNDING: f64 = 1e-13;
/// Rounds without a better residual before giving up.
const PATIENCE: u32 = 3;

impl NewtonWorkspace {
    /// Runs at most `rounds` rounds from the iterate; true when the tolerance is met (and polished as far as rounding
    /// allows). The iterate ends anywhere.
    pub(crate) fn polish(&mut self, problem: &Mlcp<'_>, rounds: u32) -> bool {
        self.refresh();
        self.read_states();
        let (mut best, mut waited) = (f64::INFINITY, 0);
        for _ in 0..rounds {
            if !self.tick() || !self.active_set_step() {
                break;
            }
            let good = self.judge(problem);
            let natural = self.p.natural(&self.z, &self.w);
            if good && natural < ROUNDING {
                return true;
            }
            let settled = !self.read_states();
            if good && settled {
                return true;
            }
            waited = if natural < best { 0 } else { waited + 1 };
            best = best.min(natural);
            if waited > PATIENCE {
                break;
            }
        }
        self.best_residual <= problem.tolerance
    }

    /// Places of all rows as the natural map sees them at (z, w); true when any changed.
    fn read_states(&mut self) -> bool {
        let mut changed = false;
        for i in 0..self.p.n() {
            let state = self.p.row_state(i, self.z[i], self.w[i]);
            changed |= state != self.state[i];
            self.state[i] = state;
        }
        changed
    }

    /// Solves the linear system of these states, z_i = bound or w_i = 0, and moves there.
    ///
    /// A shift too large for a nearly singular system shows in refinements that approach K but do not arrive; only then
    /// are the others tried.
    fn active_set_step(&mut self) -> bool {
        let mut solved = false;
        for shift in SHIFTS {
            let error = self.solve_shifted(shift);
            solved = error <= 1.0;
            if error <= ACCURATE || (error > HOPEFUL && solved) {
                break;
            }
        }
        if solved {
            self.move_to_states();
        }
        solved
    }

    /// d for the present states; the relative residual that the refinements reached, ∞ when there was no factorisation.
    fn solve_shifted(&mut self, shift: f64) -> f64 {
        for i in 0..self.p.n() {
            (self.a[i], self.b[i], self.r[i]) = match self.state[i] {
                RowState::AtLower => (1.0, 0.0, self.p.lower[i] - self.z[i]),
                RowState::AtUpper => (1.0, 0.0, self.p.upper[i] - self.z[i]),
                RowState::Between => (shift, 1.0, -self.w[i]),
            };
        }
        if !self.linear.factor(&self.p, &self.a, &self.b, Order::FirstRowsFirst) {
            return f64::INFINITY;
        }
        self.linear.solve(&self.p, shift, &self.r, &mut self.d, REFINEMENTS)
    }

    fn move_to_states(&mut self) {
        for i in 0..self.p.n() {
            self.z[i] = match self.state[i] {
                RowState::AtLower => self.p.lower[i],
                RowState::AtUpper => self.p.upper[i],
                RowState::Between => self.z[i] + self.d[i],
            };
        }
        self.refresh();
    }
}
