//! Units of a search. Zeros, gaps and proofs of the search are measured by the size of rows and unknowns, and a program whose
//! units differ by many orders of magnitude is searched in balanced ones: x = β D x̂, s = β E⁻¹ ŝ (see
//! [`vinci_linear::conic::Balanced`]). D and E are powers of two, so that nothing is rounded, and a row of a pair that is scaled
//! by a positive number vanishes where it did. Programs in moderate units are searched as they are given: the sums and images of
//! rows that leave out modes are seen in the given numbers.

use vinci_linear::conic::Balanced;
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::prelude::*;

/// Sizes of rows, and of unknowns as P measures them, that are moderate.
const MODERATE: std::ops::RangeInclusive<f64> = 1e-5..=1e5;

/// A program in balanced units, with its memory.
#[derive(Debug, Default)]
pub(crate) struct BalancedUnits {
    balanced: Balanced,
    /// Typical size of unknowns and rows, one for all: those that a program in wild units is given with are seldom more than a default.
    typical: Vec<f64>,
}

/// Returns true if a row of G, or √P_jj of an unknown, is of no moderate size.
pub(crate) fn are_wild(p: &Conic<'_>) -> bool {
    let rows = (0..p.m()).map(|i| p.rows.row(i).1.iter().fold(0.0, |m: f64, v| m.max(v.abs())));
    let unknowns = (0..p.n()).map(|j| p.p.entry(j, j).max(0.0).sqrt());
    rows.chain(unknowns).any(|size| size > 0.0 && !MODERATE.contains(&size))
}

/// G with the rows that ask for nothing left empty: they say nothing of the units of unknowns, and tie none together.
#[derive(Debug, Default)]
pub(crate) struct RowsThatAsk {
    rows: CsrBuf,
}

impl RowsThatAsk {
    /// The problem with such rows empty.
    pub(crate) fn of<'a>(&'a mut self, q: &Qpcc<'a>) -> Qpcc<'a> {
        let p = &q.qp;
        if (0..p.m()).all(|i| p.is_bounded(i)) {
            return *q;
        }
        self.rows.clear(p.n());
        for i in 0..p.m() {
            if p.is_bounded(i) {
                p.rows.entries(i).for_each(|(j, v)| self.rows.push(j, v));
            }
            self.rows.end_row();
        }
        Qpcc { qp: Conic { rows: self.rows.view(), ..*p }, ..*q }
    }
}

impl BalancedUnits {
    /// Balances `q`.
    pub(crate) fn build(&mut self, q: &Qpcc<'_>) {
        self.balanced.build(&q.qp);
        let size = self.size(q);
        self.typical.clear();
        self.typical.resize(q.qp.n().max(q.qp.m()), size);
    }

    /// Takes a part of the typical size, which slack is relative to.
    pub(crate) fn shrink(&mut self, part: f64) {
        self.typical.iter_mut().for_each(|size| *size *= part);
    }

    /// Largest of what the rows of pairs and the equations ask for, without them of the costs. Bounds far away say nothing.
    fn size(&self, q: &Qpcc<'_>) -> f64 {
        let p = self.balanced.view(&q.qp);
        let largest = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0_f64, |m, v| m.max(v.abs()));
        let equations = (0..p.m()).filter(|&i| p.lower[i] == p.upper[i]).map(|i| p.lower[i] - p.g[i]);
        let asked = largest(&mut q.pairs.iter().map(|&i| p.g[i as usize]).chain(equations));
        let sizes = [asked, largest(&mut p.c.iter().copied()), 1.0];
        sizes.into_iter().find(|size| *size > 0.0).map_or(1.0, |size| size.min(1.0))
    }

    /// The balanced program; pairs, groups, modes and tolerance are those of `q`, from which it was built.
    pub(crate) fn view<'a>(&'a self, q: &Qpcc<'a>) -> Qpcc<'a> {
        let qp = self.balanced.view(&q.qp);
        Qpcc { qp: Conic { x_scale: &self.typical[..qp.n()], s_scale: &self.typical[..qp.m()], ..qp }, ..*q }
    }

    /// Difference of objectives of the balanced program that is `value` in the program as given.
    pub(crate) fn gap(&self, value: f64) -> f64 {
        value / self.balanced.objective(1.0)
    }

    /// Takes x, y and the bound back to the program as given, and the vectors y of a proof by cases, whose length is free.
    pub(crate) fn expand(&self, x: &mut Vec<f64>, y: &mut Vec<f64>, bound: &mut f64, leaves: &mut [f64]) {
        let (x_hat, y_hat) = (std::mem::take(x), std::mem::take(y));
        self.balanced.expand(&x_hat, &y_hat, x, y);
        *bound = self.balanced.objective(*bound);
        let e = self.balanced.units().1;
        let mut rest = leaves;
        while let Some((&mut count, tail)) = rest.split_first_mut() {
            let (leaf, tail) = tail[2 * count as usize..].split_at_mut(e.len());
            leaf.iter_mut().zip(e).for_each(|(y, e)| *y *= e);
            rest = tail;
        }
    }
}
