//! Convex quadratic program with complementarity pairs.

use super::conic::{Worst, all_finite, worse};
use super::{Conic, ConicBuf, ConicResidual, Status};

/// Part of the typical objective that the least size of one is.
const LEAST: f64 = 1e-8;

/// Stands for "of no contact" in [`Qpcc::group`].
pub const NO_GROUP: u32 = u32::MAX;

/// min ½ xᵀP x + cᵀx subject to l ≤ s ≤ u, s = G x + g, and 0 ≤ s_i ⟂ s_j ≥ 0 for every pair (i, j) of rows.
///
/// A feasible x belongs to at least one *mode*: for every pair a side whose row is zero. Within a mode the problem is a
/// convex quadratic program, and the solution x is the best of all modes. Its dual y is that of the program of its own
/// mode: as in [`Conic`], but the zero side of a pair is an equation there, so that its y has any sign.
#[derive(Debug, Clone, Copy, Default)]
pub struct Qpcc<'a> {
    /// Objective and rows; no cones. Rows of pairs have bounds (0, ∞).
    pub qp: Conic<'a>,
    /// Rows (i, j) of every pair, 2 per pair; a row belongs to one pair at most.
    pub pairs: &'a [u32],
    /// Contact every pair belongs to, or [`NO_GROUP`]: pairs of one contact are decided together.
    pub group: &'a [u32],
    /// Guess of the mode, per pair 1 (s_i = 0), 2 (s_j = 0) or 0 (unknown); or empty.
    pub modes: &'a [u32],
}

impl<'a> Qpcc<'a> {
    /// Number of pairs.
    #[inline]
    pub fn n_pairs(&self) -> usize {
        self.pairs.len() / 2
    }

    /// The rows of pair k.
    #[inline]
    pub fn pair(&self, k: usize) -> (usize, usize) {
        (self.pairs[2 * k] as usize, self.pairs[2 * k + 1] as usize)
    }

    /// Marks the rows that belong to pairs; `in_pair` gets one entry per row.
    pub fn mark_pair_rows(&self, in_pair: &mut Vec<bool>) {
        in_pair.clear();
        in_pair.resize(self.qp.m(), false);
        self.pairs.iter().for_each(|&i| in_pair[i as usize] = true);
    }

    /// max |min(s_i, s_j)| over pairs and |s − Π(s)| over the other rows, Π the projection on l … u; absolute: how far x is
    /// from lawful.
    pub fn infeasibility(&self, x: &[f64]) -> f64 {
        let mut in_pair = Vec::new();
        self.mark_pair_rows(&mut in_pair);
        let qp = &self.qp;
        let rows = (0..qp.m()).filter(|&i| !in_pair[i]).map(|i| {
            let s = qp.s(i, x);
            (qp.lower[i] - s).max(s - qp.upper[i]).max(0.0)
        });
        let pairs = (0..self.n_pairs()).map(|k| {
            let (i, j) = self.pair(k);
            qp.s(i, x).min(qp.s(j, x)).abs()
        });
        rows.chain(pairs).fold(0.0, worse)
    }

    /// Residuals of (x, y): stationarity, rows as in [`Conic::residual`], and every pair in its nearer side: |s_i| and the
    /// natural map of (s_j, y_j), or the other way round. Zero says that x is lawful and no lawful point of the same mode
    /// is better; that no other mode is better takes a bound ([`super::Solution::bound`]).
    pub fn residual(&self, x: &[f64], y: &[f64]) -> ConicResidual {
        let qp = &self.qp;
        if !all_finite(x, qp.n()) || !all_finite(y, qp.m()) {
            return qp.residual(&[], &[]);
        }
        let (mut in_pair, mut r, mut worst) = (Vec::new(), Vec::new(), Worst::default());
        self.mark_pair_rows(&mut in_pair);
        (0..qp.m()).filter(|&i| !in_pair[i]).for_each(|i| worst.take(qp.row_residual(i, x, y[i]), i));
        for k in 0..self.n_pairs() {
            let (i, j) = self.pair(k);
            let side =
                |zero: usize, other: usize| worse(qp.s(zero, x).abs(), qp.row_residual(other, x, y[other]));
            worst.take(side(i, j).min(side(j, i)), i);
        }
        qp.stationarity(x, y, &mut r);
        ConicResidual::of(r.iter().fold(0.0, |m, r| worse(m, r.abs())), worst, qp.scale())
    }

    /// The mode of a lawful x: per pair the side with the smaller row, 1 or 2.
    pub fn modes_of(&self, x: &[f64], modes: &mut Vec<u32>) {
        modes.clear();
        modes.extend((0..self.n_pairs()).map(|k| {
            let (i, j) = self.pair(k);
            if self.qp.s(i, x) <= self.qp.s(j, x) { 1 } else { 2 }
        }));
    }

    /// Checks that all lengths agree and every number is usable; the message names the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        self.qp.check()?;
        self.check_pairs()
    }

    /// Checks that the pairs fit rows that are in order; see [`Qpcc::check`].
    pub fn check_pairs(&self) -> Result<(), String> {
        let n = self.n_pairs();
        if !self.qp.cones.is_empty() {
            return Err("second-order cones beside complementarity pairs".into());
        }
        if !self.pairs.len().is_multiple_of(2) || self.group.len() != n {
            return Err(format!("{} rows and {} groups for pairs", self.pairs.len(), self.group.len()));
        }
        if !self.modes.is_empty() && self.modes.len() != n {
            return Err(format!("a guess of {} modes for {n} pairs", self.modes.len()));
        }
        if let Some(k) = self.modes.iter().position(|&m| m > 2) {
            return Err(format!("the mode of pair {k} is {}", self.modes[k]));
        }
        let mut used = vec![false; self.qp.m()];
        for (at, &row) in self.pairs.iter().enumerate() {
            let Some(used) = used.get_mut(row as usize) else {
                return Err(format!("pair {} names row {row} of {}", at / 2, self.qp.m()));
            };
            if std::mem::replace(used, true) {
                return Err(format!("row {row} belongs to two pairs"));
            }
            let (l, u) = (self.qp.lower[row as usize], self.qp.upper[row as usize]);
            if l != 0.0 || u != f64::INFINITY {
                return Err(format!("row {row} of pair {} has the bounds [{l}, {u}], not [0, inf]", at / 2));
            }
        }
        Ok(())
    }

    /// Status that deserves to be believed: lawful, the best of its mode, and as good as the solver's bound
    /// ([`Qpcc::is_proved`]). That the bound holds for all modes is the solver's word.
    pub fn audited_status(
        &self,
        claimed: Status,
        x: &[f64],
        y: &[f64],
        bound: f64,
    ) -> (Status, ConicResidual) {
        let residual = self.residual(x, y);
        if claimed != Status::Converged {
            return (claimed, residual);
        }
        let believed = residual.natural <= self.qp.tolerance && self.is_proved(x, bound);
        (if believed { claimed } else { Status::NumericalFailure }, residual)
    }

    /// Returns true if a bound proves x to be the best of all modes: |objective − bound| ≤ [`Qpcc::gap_allowed`]. A bound further above
    /// the objective contradicts x, an infinite or missing one proves nothing.
    pub fn is_proved(&self, x: &[f64], bound: f64) -> bool {
        let gap = self.qp.objective(x) - bound;
        gap.abs() <= self.gap_allowed(x) && gap.is_finite()
    }

    /// Largest objective − bound that counts as none: the tolerance times [`Qpcc::objective_size`].
    pub fn gap_allowed(&self, x: &[f64]) -> f64 {
        self.qp.tolerance * self.objective_size(x)
    }

    /// Scale of gaps: the largest of |f(x)|, Σ |c_i x_i|, ½ Σ |x_i (P x)_i| and [`Qpcc::typical_objective`]. All of
    /// these have the unit of the objective, whatever the units of unknowns and rows.
    pub fn objective_size(&self, x: &[f64]) -> f64 {
        self.size_of_terms(x).max(self.typical_objective())
    }

    /// The largest of |f(x)|, Σ |c_i x_i| and ½ Σ |x_i (P x)_i|: an unknown that is 0 counts nothing, whatever it would cost.
    pub fn size_of_terms(&self, x: &[f64]) -> f64 {
        let qp = &self.qp;
        let terms = (0..qp.n()).map(|i| (qp.c[i] * x[i], 0.5 * x[i] * qp.p.row_dot(i, x)));
        let (value, linear, curved) =
            terms.fold((0.0, 0.0, 0.0), |(f, l, q), (a, b)| (f + a + b, l + a.abs(), q + b.abs()));
        f64::max(linear, curved).max(value.abs())
    }

    /// Size of the objective where x vanishes: Σ min(½ c_i²/p_ii, |c_i| X_i), with X the typical sizes of the unknowns; the
    /// former is |f| at its lowest point if P is diagonal (|command|² where deviations from a command are weighed). Without c it
    /// is ½ Σ p_ii X_i², and 1 without either.
    pub fn typical_objective(&self) -> f64 {
        let qp = &self.qp;
        let size: f64 = (0..qp.n()).map(|i| self.typical_term(i)).sum();
        if size > 0.0 {
            return size;
        }
        let curved = |i: usize| 0.5 * self.curvature(i) * qp.x_scale[i] * qp.x_scale[i];
        let size: f64 = (0..qp.n()).map(curved).sum();
        if size > 0.0 { size } else { 1.0 }
    }

    /// Size of what the objective can fall by from x = 0: [`Qpcc::typical_objective`], but an unknown counts only as far as rows of its own let it
    /// fall, so that one that is ≥ 0 and costs 1e8 counts nothing. At least 1e-8 of the typical size.
    pub fn least_objective(&self) -> f64 {
        let qp = &self.qp;
        let mut most: Vec<f64> = (0..qp.n()).map(|i| self.typical_term(i)).collect();
        for k in 0..qp.m() {
            let (&[j], &[v]) = qp.rows.row(k) else { continue };
            let (j, cost) = (j as usize, qp.c[j as usize]);
            // Downhill s falls where v and the cost have one sign.
            let bound = if v * cost > 0.0 { qp.lower[k] } else { qp.upper[k] };
            let room = ((bound - qp.g[k]) / v).abs();
            most[j] = most[j].min(room * cost.abs());
        }
        most.iter().sum::<f64>().max(LEAST * self.typical_objective())
    }

    /// min(½ c_i²/p_ii, |c_i| X_i); 0 without c_i.
    fn typical_term(&self, i: usize) -> f64 {
        let c = self.qp.c[i];
        let (lowest, scaled) = (0.5 * c * c / self.curvature(i), c.abs() * self.qp.x_scale[i]);
        if lowest >= 0.0 { lowest.min(scaled) } else { scaled }
    }

    /// p_ii.
    fn curvature(&self, i: usize) -> f64 {
        self.qp.p.entry(i, i)
    }
}

/// A [`Qpcc`] that owns its arrays and keeps their memory between steps.
#[derive(Debug, Clone, Default)]
pub struct QpccBuf {
    /// Objective and rows.
    pub qp: ConicBuf,
    /// Pairs.
    pub pairs: Vec<u32>,
    /// Contacts of pairs.
    pub group: Vec<u32>,
    /// Guess of the mode, possibly empty.
    pub modes: Vec<u32>,
}

impl QpccBuf {
    /// Empties everything for a problem of `n` unknowns; memory is kept.
    pub fn clear(&mut self, n: usize, tolerance: f64) {
        self.qp.clear(n, tolerance);
        self.pairs.clear();
        self.group.clear();
        self.modes.clear();
    }

    /// Adds a pair of rows.
    pub fn push_pair(&mut self, i: usize, j: usize, group: u32) {
        self.pairs.extend([i as u32, j as u32]);
        self.group.push(group);
    }

    /// A copy of a borrowed problem.
    pub fn copy_of(problem: &Qpcc<'_>) -> Self {
        Self {
            qp: ConicBuf::copy_of(&problem.qp),
            pairs: problem.pairs.to_vec(),
            group: problem.group.to_vec(),
            modes: problem.modes.to_vec(),
        }
    }

    /// The problem as a borrowed view.
    pub fn view(&self) -> Qpcc<'_> {
        Qpcc { qp: self.qp.view(), pairs: &self.pairs, group: &self.group, modes: &self.modes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::CsrBuf;

    /// min ½ (x_0 − 2)² + ½ (x_1 − 1)² with 0 ≤ x_0 ⟂ x_1 ≥ 0: modes (2, 0) with value ½ and (0, 1) with value 2.
    fn corner() -> QpccBuf {
        let eye = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        let qp = ConicBuf::from_parts(
            eye.clone(),
            vec![-2.0, -1.0],
            eye,
            vec![0.0; 2],
            (vec![0.0; 2], vec![f64::INFINITY; 2]),
        );
        let mut problem = QpccBuf { qp, ..QpccBuf::default() };
        problem.push_pair(0, 1, NO_GROUP);
        problem
    }

    #[test]
    fn the_best_of_a_mode_and_the_best_of_all() {
        let problem = corner();
        let p = problem.view();
        p.check().unwrap();
        // Mode 2 (x_1 = 0): y = (0, −1). Mode 1: y = (−2, 0).
        assert_eq!(p.residual(&[2.0, 0.0], &[0.0, -1.0]).natural, 0.0);
        assert_eq!(p.residual(&[0.0, 1.0], &[-2.0, 0.0]).natural, 0.0);
        assert!(p.residual(&[2.0, 1.0], &[0.0, 0.0]).natural >= 0.5, "not complementary");
        assert!(p.residual(&[1.0, 0.0], &[0.0, -1.0]).natural >= 0.5, "not the best of its mode");
        let best = p.qp.objective(&[2.0, 0.0]);
        assert_eq!(p.audited_status(Status::Converged, &[2.0, 0.0], &[0.0, -1.0], best).0, Status::Converged);
        // The other mode's best point is denied by an honest bound.
        assert_eq!(
            p.audited_status(Status::Converged, &[0.0, 1.0], &[-2.0, 0.0], best).0,
            Status::NumericalFailure
        );
        // No bound, one that contradicts the point, and one that proves too little: denied.
        for bound in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, best + 1e-3, best - 1e-3] {
            let (status, _) = p.audited_status(Status::Converged, &[2.0, 0.0], &[0.0, -1.0], bound);
            assert_eq!(status, Status::NumericalFailure, "bound {bound}");
        }
        // |f| = 2 and Σ |c_i x_i| = 4: the gap allowed is 4e-8.
        assert_eq!(p.gap_allowed(&[2.0, 0.0]), 4.0 * p.qp.tolerance);
        assert!(p.is_proved(&[2.0, 0.0], best - 3e-8) && p.is_proved(&[2.0, 0.0], best + 3e-8));
        assert!(!p.is_proved(&[2.0, 0.0], best - 5e-8) && !p.is_proved(&[2.0, 0.0], best + 5e-8));
        let mut modes = Vec::new();
        p.modes_of(&[2.0, 0.0], &mut modes);
        assert_eq!((modes, p.infeasibility(&[2.0, 0.25])), (vec![2], 0.25));
    }

    /// Forces of 1e6 in a row without objective, velocities of 1e-3 in the objective: the gap stays that of the objective.
    #[test]
    fn the_gap_has_the_unit_of_the_objective() {
        let mut problem = corner();
        problem.qp.c = vec![-2e-3, -1e-3];
        let small = problem.view().gap_allowed(&[2e-3, 0.0]);
        assert!((small - 4e-6 * problem.qp.tolerance).abs() < 1e-20);
        problem.qp.rows.push(0, 1.0);
        problem.qp.end_row(1e6, (0.0, f64::INFINITY), crate::problem::RowTag::default(), 1e6);
        assert_eq!(problem.view().gap_allowed(&[2e-3, 0.0]), small);
        // At x = 0 it is |f| at the lowest point that counts; without an objective any number is as good.
        assert!((problem.view().objective_size(&[0.0, 0.0]) - 2.5e-6).abs() < 1e-20);
        problem.qp.c = vec![0.0; 2];
        assert_eq!(problem.view().objective_size(&[0.0, 0.0]), 1.0);
    }

    #[test]
    fn contradictions_are_named() {
        let mut problem = corner();
        problem.push_pair(0, 1, NO_GROUP);
        assert_eq!(problem.view().check().unwrap_err(), "row 0 belongs to two pairs");
        problem = corner();
        problem.pairs[1] = 7;
        assert_eq!(problem.view().check().unwrap_err(), "pair 0 names row 7 of 2");
        problem = corner();
        problem.qp.lower[1] = -1.0;
        assert_eq!(
            problem.view().check().unwrap_err(),
            "row 1 of pair 0 has the bounds [-1, inf], not [0, inf]"
        );
        problem = corner();
        problem.modes = vec![3];
        assert_eq!(problem.view().check().unwrap_err(), "the mode of pair 0 is 3");
    }
}
