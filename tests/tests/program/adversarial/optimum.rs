//! The least objective of a small program with pairs, in exact rational arithmetic: every mode, every set of active rows.

use num_traits::{Signed, Zero};
use vinci_core::problem::Qpcc;

use super::exact::{Q, exact, meet};

/// A row and the side at which it is active; an equation has none.
type Active = (usize, Option<usize>);

/// A program in rational numbers.
pub(super) struct Exact {
    p: Vec<Vec<Q>>,
    c: Vec<Q>,
    rows: Vec<Vec<Q>>,
    /// s_i − g_i lies between these.
    bounds: Vec<[Option<Q>; 2]>,
    pairs: Vec<[usize; 2]>,
}

impl Exact {
    pub(super) fn of(q: &Qpcc<'_>) -> Self {
        let (n, qp) = (q.qp.n(), &q.qp);
        let dense = |entries: &mut dyn Iterator<Item = (usize, f64)>| {
            let mut row = vec![Q::zero(); n];
            entries.for_each(|(j, v)| row[j] += exact(v));
            row
        };
        let bound = |b: f64, g: f64| b.is_finite().then(|| exact(b) - exact(g));
        Self {
            p: (0..n).map(|i| dense(&mut qp.p.entries(i))).collect(),
            c: qp.c.iter().map(|c| exact(*c)).collect(),
            rows: (0..qp.m()).map(|i| dense(&mut qp.rows.entries(i))).collect(),
            bounds: (0..qp.m()).map(|i| [qp.lower[i], qp.upper[i]].map(|b| bound(b, qp.g[i]))).collect(),
            pairs: (0..q.n_pairs()).map(|k| [q.pair(k).0, q.pair(k).1]).collect(),
        }
    }

    /// The least objective; nothing where no mode has a point. Every program here has a lowest value.
    pub(super) fn optimum(&self) -> Option<Q> {
        let modes = 0..1_usize << self.pairs.len();
        modes.filter_map(|mode| self.optimum_of(mode)).min()
    }

    /// The least objective of one mode. A convex program has an optimum whose rows, those with multipliers and some more that are
    /// active, are independent and leave the objective curved: one of the sets whose conditions have one solution.
    fn optimum_of(&self, mode: usize) -> Option<Q> {
        let zero = self.pairs.iter().enumerate().map(|(k, pair)| pair[mode >> k & 1]);
        let fixed: Vec<usize> = zero.chain((0..self.rows.len()).filter(|&i| self.is_fixed(i))).collect();
        let sides = (0..self.rows.len()).filter(|i| !fixed.contains(i)).flat_map(|i| [(i, 0), (i, 1)]);
        let sides: Vec<(usize, usize)> = sides.filter(|&(i, side)| self.bounds[i][side].is_some()).collect();
        let held = self.independent(&fixed);
        let sets = (0..1_usize << sides.len()).filter(|set| set.count_ones() as usize <= self.c.len());
        sets.filter_map(|set| {
            let chosen = (0..sides.len()).filter(|k| set >> k & 1 == 1);
            let chosen = chosen.map(|k| (sides[k].0, Some(sides[k].1)));
            self.at(&fixed, &held.iter().copied().chain(chosen).collect::<Vec<_>>())
        })
        .next()
    }

    /// The first of these rows that do not depend on those before: the conditions of all have many multipliers.
    fn independent(&self, fixed: &[usize]) -> Vec<Active> {
        let mut set: Vec<Active> = Vec::new();
        for &i in fixed {
            set.push((i, None));
            if rank(set.iter().map(|r| self.rows[r.0].clone()).collect()) < set.len() {
                set.pop();
            }
        }
        set
    }

    fn is_fixed(&self, i: usize) -> bool {
        self.bounds[i][0].is_some() && self.bounds[i][0] == self.bounds[i][1]
    }

    /// Objective of the point with these rows active, if it is lawful and the best of its mode.
    fn at(&self, fixed: &[usize], set: &[Active]) -> Option<Q> {
        let found = meet(self.conditions(set)?)?;
        let (x, y) = found.split_at(self.c.len());
        let right_sign = |(y, row): (&Q, &Active)| match row.1 {
            Some(0) => !y.is_negative(),
            Some(_) => !y.is_positive(),
            None => true,
        };
        (y.iter().zip(set).all(right_sign) && self.is_lawful(fixed, x)).then(|| self.objective(x))
    }

    /// P x + c − Gᵀy = 0 and the active rows at their bounds, as rows [A | b] of A (x, y) + b = 0.
    fn conditions(&self, set: &[Active]) -> Option<Vec<Vec<Q>>> {
        let (n, size) = (self.c.len(), self.c.len() + set.len());
        let mut rows = vec![vec![Q::zero(); size + 1]; size];
        for i in 0..n {
            rows[i][..n].clone_from_slice(&self.p[i]);
            rows[i][size] = self.c[i].clone();
        }
        for (k, &(i, side)) in set.iter().enumerate() {
            for j in 0..n {
                rows[n + k][j] = self.rows[i][j].clone();
                rows[j][n + k] = -self.rows[i][j].clone();
            }
            rows[n + k][size] = -self.bounds[i][side.unwrap_or(0)].clone()?;
        }
        Some(rows)
    }

    fn is_lawful(&self, fixed: &[usize], x: &[Q]) -> bool {
        (0..self.rows.len()).all(|i| {
            let s = dot(&self.rows[i], x);
            let [lower, upper] = &self.bounds[i];
            let held = !fixed.contains(&i) || lower.as_ref() == Some(&s);
            held && lower.as_ref().is_none_or(|b| s >= *b) && upper.as_ref().is_none_or(|b| s <= *b)
        })
    }

    fn objective(&self, x: &[Q]) -> Q {
        let curved: Q = self.p.iter().zip(x).map(|(row, x_i)| dot(row, x) * x_i).sum();
        curved / exact(2.0) + dot(&self.c, x)
    }
}

fn dot(a: &[Q], b: &[Q]) -> Q {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Rank of these rows.
fn rank(mut rows: Vec<Vec<Q>>) -> usize {
    let mut rank = 0;
    for c in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (rank..rows.len()).find(|&r| !rows[r][c].is_zero()) else { continue };
        rows.swap(rank, pivot);
        for r in rank + 1..rows.len() {
            let factor = &rows[r][c] / &rows[rank][c];
            for j in c..rows[r].len() {
                let part: Q = &factor * &rows[rank][j];
                rows[r][j] -= part;
            }
        }
        rank += 1;
    }
    rank
}
