//! First bases of a path.

use super::path::{Entering, Path, Side};

/// An entry of a column that may serve as a block pivot, relative to the column's largest.
const PIVOT_SHARE: f64 = 1e-8;
/// Bounded rows tried as partners of one free variable.
const PARTNERS: usize = 64;

impl Path {
    /// Slack basis, factored. Free variables that the free rows cannot determine are pivoted in together with bounded
    /// rows (principal block pivots on {free j} ∪ {row i}, which preserve the set of solutions).
    pub(crate) fn begin_cold(&mut self) -> bool {
        self.start_cold();
        self.restore_q();
        self.refactor() || self.repair()
    }

    /// Basis guessed from z and w = M z + q: z_i is basic where it is further from its bounds, in typical sizes, than
    /// w_i is from zero. False if that basis is singular.
    pub(crate) fn begin_at(&mut self, z: &[f64], w: &[f64]) -> bool {
        let n = self.m.n;
        self.start_cold();
        self.restore_q();
        let s = &self.m.scaling;
        for i in (0..n).filter(|&i| !self.m.is_free(i)) {
            let (z, w) = (z[i] / s.col[i] * s.s, w[i] * s.row[i] * s.s);
            let inside = z - w > self.m.lower[i] && z - w < self.m.upper[i];
            (self.basic[i], self.basic[n + i]) = (inside, !inside);
            if !inside {
                self.side[i] = if z - w >= self.m.upper[i] { Side::Upper } else { Side::Lower };
            }
        }
        self.refactor_dropping()
    }

    /// Takes the present basis over to another matrix or right side of the same size.
    pub(crate) fn resume(&mut self) -> bool {
        self.restore_q();
        self.refactor_dropping()
    }

    /// Keeps the present basis for [`Path::recall`].
    pub(crate) fn remember(&mut self) {
        self.kept_basic.clone_from(&self.basic);
        self.kept_side.clone_from(&self.side);
    }

    /// Back to the basis kept last.
    pub(crate) fn recall(&mut self) {
        self.basic.clone_from(&self.kept_basic);
        self.side.clone_from(&self.kept_side);
    }

    /// Factors, and while the basis is singular makes the slack of a dependent bounded z basic instead.
    pub(crate) fn refactor_dropping(&mut self) -> bool {
        let n = self.m.n;
        for _ in 0..6 {
            if self.refactor() {
                return true;
            }
            let lost: Vec<usize> = self.factor.lost().1.filter(|&v| v < n && !self.m.is_free(v)).collect();
            if lost.is_empty() {
                return false;
            }
            for v in lost {
                (self.basic[v], self.basic[n + v]) = (false, true);
            }
        }
        false
    }

    /// After a singular slack basis: dependent free z out, slacks of dependent free rows in, then block pivots.
    fn repair(&mut self) -> bool {
        let n = self.m.n;
        let (rows, vars): (Vec<usize>, Vec<usize>) = {
            let (rows, vars) = self.factor.lost();
            (rows.collect(), vars.collect())
        };
        rows.iter().for_each(|&r| self.basic[n + r] = true);
        vars.iter().for_each(|&v| self.basic[v] = false);
        if !self.factor.factor(&self.m, &self.basic) {
            return false;
        }
        for &j in &vars {
            self.bring_in(j);
        }
        self.refactor()
    }

    /// Makes the free z_j basic, alone if the slack of a free row can leave for it, else with a bounded partner z_i whose
    /// slack leaves for z_j while that of a free row leaves for z_i. Without a partner z_j stays at 0.
    fn bring_in(&mut self, j: usize) {
        let n = self.m.n;
        self.direction(Entering { var: j, sign: 1.0 });
        if let Some(r) = self.largest_slot(|p, var| var >= n && var < 2 * n && p.m.is_free(var - n)) {
            self.exchange(r, j);
            return;
        }
        let mut partners: Vec<(usize, f64)> = (0..n)
            .filter(|&slot| {
                let var = self.factor.slot_var[slot] as usize;
                var >= n && var < 2 * n && self.delta[slot] != 0.0
            })
            .map(|slot| (slot, self.delta[slot].abs()))
            .collect();
        partners.sort_by(|a, b| b.1.total_cmp(&a.1));
        let floor = partners.first().map_or(0.0, |p| p.1 * PIVOT_SHARE);
        for &(slot, _) in partners.iter().take(PARTNERS).filter(|p| p.1 > floor) {
            let i = self.factor.slot_var[slot] as usize - n;
            self.direction(Entering { var: i, sign: 1.0 });
            let Some(r) = self.largest_slot(|p, var| var >= n && var < 2 * n && p.m.is_free(var - n)) else {
                continue;
            };
            self.direction(Entering { var: j, sign: 1.0 });
            self.exchange(slot, j);
            self.direction(Entering { var: i, sign: 1.0 });
            self.exchange(r, i);
            return;
        }
    }

    /// The slot with the largest |delta| among those whose variable qualifies, if it is large enough for a pivot.
    fn largest_slot(&self, qualifies: impl Fn(&Self, usize) -> bool) -> Option<usize> {
        let largest = self.delta.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
        let slots = (0..self.m.n).filter(|&s| qualifies(self, self.factor.slot_var[s] as usize));
        let best = slots.max_by(|&a, &b| self.delta[a].abs().total_cmp(&self.delta[b].abs()))?;
        (self.delta[best].abs() > PIVOT_SHARE * largest).then_some(best)
    }

    fn exchange(&mut self, slot: usize, var: usize) {
        let leaving = self.factor.slot_var[slot] as usize;
        self.basic[leaving] = false;
        self.basic[var] = true;
        self.factor.replace(slot, var, &self.column);
        self.pivots += 1;
    }
}
