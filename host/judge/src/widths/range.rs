//! The least and the greatest value of one impulse among those that do the same:
//!
//! ```text
//! min, max  e_iᵀ p     subject to   p = p₀ + N y,  p in a product of cones
//! ```
//!
//! N spans the impulses that do nothing, so that W p = W p₀ holds to rounding whatever y is. An interior-point method solves the conic
//! programs; in the plane, where a friction cone is two inequalities, they are linear programs.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
};
use nalgebra::DMatrix;

use crate::least::{Block, settings};

/// Tolerances that are asked for, one after the other until an answer stands up to its check.
const TOLERANCES: [f64; 3] = [1e-10, 1e-12, 1e-8];
/// Part of the largest impulse by which an answer may miss its cones.
const MISSED: f64 = 1e-6;
/// Entries of N below this are rounding: the impulse is unique.
const UNIQUE: f64 = 1e-11;

/// Impulses that may be others.
pub(crate) struct Range<'a> {
    /// p₀.
    pub(crate) found: &'a [f64],
    /// N.
    pub(crate) free: &'a DMatrix<f64>,
    /// Where the impulses may be, block by block.
    pub(crate) block: &'a [Block],
}

/// Rows of s = b − A y in cones.
#[derive(Default)]
struct Rows {
    a: Vec<Vec<f64>>,
    b: Vec<f64>,
    cone: Vec<SupportedConeT<f64>>,
}

impl Range<'_> {
    /// The least and the greatest p_i; ±∞ where nothing bounds it. Nothing where no answer stands up to its check.
    pub(crate) fn of(&self, i: usize) -> Option<[f64; 2]> {
        if self.free.row(i).amax() <= UNIQUE {
            return Some([self.found[i]; 2]);
        }
        let size = self.found.iter().fold(0.0_f64, |most, p| most.max(p.abs()));
        let size = if size > 0.0 { size } else { 1.0 };
        let least = -self.most(i, -1.0, size)?;
        let most = self.most(i, 1.0, size)?;
        Some([least.min(self.found[i]), most.max(self.found[i])])
    }

    /// max sign · p_i.
    fn most(&self, i: usize, sign: f64, size: f64) -> Option<f64> {
        TOLERANCES.into_iter().find_map(|tolerance| self.most_within((i, sign), size, tolerance))
    }

    fn most_within(&self, (i, sign): (usize, f64), size: f64, tolerance: f64) -> Option<f64> {
        let rows = self.rows(size);
        let (k, n) = (self.free.ncols(), rows.b.len());
        // Minimised: what is looked for with the other sign.
        let q: Vec<f64> = (0..k).map(|j| -sign * self.free[(i, j)]).collect();
        let (mut at, mut to, mut value) = (Vec::new(), Vec::new(), Vec::new());
        for (row, entries) in rows.a.iter().enumerate() {
            for (j, x) in entries.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                at.push(row);
                to.push(j);
                value.push(*x);
            }
        }
        let a = CscMatrix::new_from_triplets(n, k, at, to, value);
        let none = CscMatrix::<f64>::zeros((k, k));
        let mut solver = DefaultSolver::new(&none, &q, &a, &rows.b, &rows.cone, settings(tolerance)).ok()?;
        solver.solve();
        let (status, y) = (solver.solution.status, &solver.solution.x);
        if matches!(status, SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible) {
            return Some(f64::INFINITY);
        }
        let p: Vec<f64> = (0..self.found.len()).map(|i| self.at(i, y, size)).collect();
        let fits = p.iter().all(|p| p.is_finite()) && self.missed(&p) <= MISSED * size;
        fits.then(|| sign * p[i])
    }

    /// p_i at y, which is a part of the largest impulse.
    fn at(&self, i: usize, y: &[f64], size: f64) -> f64 {
        let moved: f64 = y.iter().enumerate().map(|(j, y)| self.free[(i, j)] * y).sum();
        self.found[i] + size * moved
    }

    /// How far impulses are outside of their cones.
    fn missed(&self, p: &[f64]) -> f64 {
        let (mut first, mut most) = (0, 0.0_f64);
        for block in self.block {
            most = most.max(missed(*block, &p[first..first + block.len()]));
            first += block.len();
        }
        most
    }

    /// The cones, for impulses as parts of `size`.
    fn rows(&self, size: f64) -> Rows {
        let (mut rows, mut first) = (Rows::default(), 0);
        for block in self.block {
            self.add(&mut rows, *block, first, size);
            first += block.len();
        }
        rows
    }

    /// How far p₀ itself is outside of a block: rounding, which must not leave nothing at all.
    fn slack(&self, block: Block, first: usize) -> f64 {
        missed(block, &self.found[first..first + block.len()]).max(0.0)
    }

    /// A row with value constant + Σ w_k p_k.
    fn push(&self, rows: &mut Rows, terms: &[(usize, f64)], constant: f64, size: f64) {
        let columns = 0..self.free.ncols();
        let along = |j: usize| -terms.iter().map(|(i, w)| w * self.free[(*i, j)]).sum::<f64>();
        rows.a.push(columns.map(along).collect());
        let at_found: f64 = terms.iter().map(|(i, w)| w * self.found[*i]).sum();
        rows.b.push((constant + at_found) / size);
    }

    fn add(&self, rows: &mut Rows, block: Block, first: usize, size: f64) {
        let slack = self.slack(block, first);
        match block {
            Block::Free => {}
            Block::Range(low, high) => {
                for (sign, bound) in [(1.0, low), (-1.0, high)] {
                    if bound.is_finite() {
                        self.push(rows, &[(first, sign)], slack - sign * bound, size);
                        rows.cone.push(NonnegativeConeT(1));
                    }
                }
            }
            Block::Cone(1, _) => {
                self.push(rows, &[(first, 1.0)], slack, size);
                rows.cone.push(NonnegativeConeT(1));
            }
            Block::Cone(2, mu) => {
                self.push(rows, &[(first, mu), (first + 1, 1.0)], slack, size);
                self.push(rows, &[(first, mu), (first + 1, -1.0)], slack, size);
                rows.cone.push(NonnegativeConeT(2));
            }
            Block::Cone(n, mu) | Block::Wedge(n, mu, ..) => {
                self.push(rows, &[(first, mu)], slack, size);
                (1..n).for_each(|k| self.push(rows, &[(first + k, 1.0)], 0.0, size));
                rows.cone.push(SecondOrderConeT(n));
            }
            Block::Ball(n, radius, _) => {
                self.push(rows, &[], radius + slack, size);
                (0..n).for_each(|k| self.push(rows, &[(first + k, 1.0)], 0.0, size));
                rows.cone.push(SecondOrderConeT(n + 1));
            }
        }
    }
}

/// How far impulses are outside of a block.
fn missed(block: Block, own: &[f64]) -> f64 {
    let length = |list: &[f64]| list.iter().map(|p| p * p).sum::<f64>().sqrt();
    match block {
        Block::Free => 0.0,
        Block::Range(low, high) => (low - own[0]).max(own[0] - high),
        Block::Cone(_, mu) | Block::Wedge(_, mu, ..) => (length(&own[1..]) - mu * own[0]).max(-own[0]),
        Block::Ball(_, radius, _) => length(own) - radius,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widths::freedom::null_space;

    fn range(found: &[f64], columns: &[Vec<(usize, f64)>], block: &[Block], i: usize) -> Option<[f64; 2]> {
        Range { found, free: &null_space(columns), block }.of(i)
    }

    #[track_caller]
    fn near(found: Option<[f64; 2]>, expected: [f64; 2], within: f64) {
        let found = found.unwrap();
        for k in 0..2 {
            let same = found[k] == expected[k] || (found[k] - expected[k]).abs() <= within;
            assert!(same, "{found:?} {expected:?}");
        }
    }

    /// Two columns along one row share a load of 10 as they like.
    #[test]
    fn a_load_on_two_supports_in_a_line_is_anything_between_none_and_all() {
        let columns = [vec![(0, 1.0)], vec![(0, 1.0)]];
        near(range(&[4.0, 6.0], &columns, &[Block::Cone(1, 0.0); 2], 0), [0.0, 10.0], 1e-8);
        assert_eq!(range(&[4.0], &columns[..1], &[Block::Cone(1, 0.0)], 0), Some([4.0, 4.0]));
    }

    /// Between two walls a weight of 2 hangs by friction: each presses with at least 1/μ, and as hard as it likes.
    #[test]
    fn walls_may_squeeze_as_hard_as_they_like() {
        for (n, cone) in [(2, 0.4), (3, 0.4)] {
            let column = |at: usize, x: f64| vec![(at, x)];
            let mut columns = vec![column(0, 1.0), vec![(1, 1.0), (2, 1.0)]];
            columns.extend((n == 3).then(|| column(3, 1.0)));
            columns.extend([column(0, -1.0), vec![(1, 1.0), (2, -1.0)]]);
            columns.extend((n == 3).then(|| column(3, 1.0)));
            let mut found = vec![7.0, 1.0];
            found.resize(n, 0.0);
            let found = [found.clone(), found].concat();
            near(range(&found, &columns, &[Block::Cone(n, cone); 2], 0), [2.5, f64::INFINITY], 1e-6);
        }
    }

    #[test]
    fn bounds_of_rows_and_discs_bind() {
        let columns = [vec![(0, 1.0)], vec![(0, 1.0)]];
        near(
            range(&[1.0, 1.0], &columns, &[Block::Cone(1, 0.0), Block::Range(-3.0, 1.5)], 0),
            [0.5, 5.0],
            1e-8,
        );
        let disc = [vec![(0, 1.0)], vec![(0, 1.0)], vec![(1, 1.0)]];
        near(range(&[1.0, 0.0, 0.0], &disc, &[Block::Free, Block::Ball(2, 2.0, None)], 0), [-1.0, 3.0], 1e-6);
    }
}
