//! Rank of the rows that determine the velocities of quasi-static bodies, and the null space that they leave.
//!
//! A quasi-static block has no inertia and no drag: A is singular there (0, or what springs and films add), and its
//! velocity follows from what it touches, or from nothing. A direction d of free velocities with A d = 0 and Jd = 0 in
//! all rows J that can carry an impulse is *undetermined*: with v also v + α d solves the step, if bᵀd = 0; if bᵀd ≠ 0
//! there is no equilibrium at all. The null space of the rows [A; J] is found by sparse [`Elimination`].
//!
//! Ours because a body that nothing holds must be named, and core depends on no sparse library: see "An own linear algebra"
//! in `docs/src/decisions.md`.

use super::elimination::Elimination;

/// Impulses and speeds below this part of the largest of the step count as zero.
pub(super) const ZERO: f64 = 1e-6;

const NONE: u32 = u32::MAX;

/// Rows over the velocities in question, and their null space. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Determined {
    /// The velocities in question (numbers among all velocities).
    pub(super) dofs: Vec<u32>,
    /// Where each stands in `dofs`, for all velocities; NONE where it is not in question.
    local: Vec<u32>,
    rows: Elimination,
    row: Vec<(u32, f64)>,
    /// Directions that span the null space, each as long as `dofs`.
    pub(super) null: Vec<f64>,
}

impl Determined {
    /// Forgets all rows; `dofs` of `nv` velocities.
    pub(super) fn open(&mut self, nv: usize, dofs: impl Iterator<Item = u32>) {
        self.dofs.clear();
        self.dofs.extend(dofs);
        self.local.clear();
        self.local.resize(nv, NONE);
        for (k, &dof) in self.dofs.iter().enumerate() {
            self.local[dof as usize] = k as u32;
        }
        self.rows.open(self.dofs.len());
    }

    /// A row over all velocities; entries of velocities that are not in question say nothing.
    pub(super) fn push_row(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        let known = entries.map(|(dof, value)| (self.local[dof], value));
        self.row.clear();
        self.row.extend(known.filter(|(place, value)| *place != NONE && *value != 0.0));
        let largest = self.row.iter().fold(0.0_f64, |m, (_, x)| m.max(x.abs()));
        self.rows.push_row(self.row.iter().map(|(place, x)| (*place, x / largest)));
    }

    /// Number of undetermined directions; they stand in `null`. The rows are gone then.
    pub(super) fn null_space(&mut self) -> usize {
        self.rows.null_space(&mut self.null)
    }

    /// Σ b_i d_i over direction k, and Σ |b_i| d_max as its size.
    pub(super) fn load_along(&self, k: usize, b: &[f64]) -> (f64, f64) {
        let n = self.dofs.len();
        let d = &self.null[k * n..][..n];
        let largest = d.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let loads = d.iter().zip(&self.dofs).map(|(d, &dof)| (b[dof as usize], d));
        loads.fold((0.0, 0.0), |(sum, size), (b, d)| (sum + b * d, size + b.abs() * largest))
    }

    /// Where an unknown stands among those in question.
    pub(super) fn place(&self, dof: usize) -> Option<usize> {
        (self.local[dof] != NONE).then_some(self.local[dof] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(rows: &[&[f64]], n: usize) -> Determined {
        let mut d = Determined::default();
        d.open(n, 0..n as u32);
        for row in rows {
            d.push_row(row.iter().copied().enumerate());
        }
        d
    }

    #[test]
    fn what_no_row_sees_is_undetermined() {
        let mut d = with(&[&[1.0, 0.0, 0.5]], 3);
        assert_eq!(d.null_space(), 2);
        for k in 0..2 {
            let x = &d.null[3 * k..3 * k + 3];
            assert!((x[0] + 0.5 * x[2]).abs() < 1e-15 && x.iter().any(|x| *x != 0.0), "{x:?}");
        }
    }

    #[test]
    fn enough_rows_leave_nothing() {
        let mut d = with(&[&[1.0, 0.0, 0.5], &[0.0, 1.0, 0.0], &[0.0, 1.0, 1e-3]], 3);
        assert_eq!(d.null_space(), 0);
    }

    #[test]
    fn a_chain_of_bodies_is_taken_apart_and_its_end_may_hang_loose() {
        // Body 1 held, body 2 tied to body 1, body 3 tied to body 2 in one of its two directions.
        let rows: [&[f64]; 5] = [
            &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            &[1.0, 0.0, -1.0, 0.0, 0.0, 0.0],
            &[0.0, 1.0, 1.0, -1.0, 0.0, 0.0],
            &[0.0, 0.0, 1.0, 0.0, -1.0, 0.0],
        ];
        let mut d = with(&rows, 6);
        assert_eq!(d.null_space(), 1);
        assert_eq!(d.null, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn two_bodies_may_only_move_together() {
        let mut d = with(&[&[1.0, -2.0]], 2);
        assert_eq!(d.null_space(), 1);
        assert!((d.null[0] - 2.0 * d.null[1]).abs() < 1e-15, "{:?}", d.null);
        let (load, size) = d.load_along(0, &[1.0, -2.0]);
        assert!(load.abs() <= 1e-12 * size);
        assert!(d.load_along(0, &[1.0, 0.0]).0.abs() > 0.1);
    }
}
