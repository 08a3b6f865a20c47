//! LU of the systems of contact problems: bodies or trees eliminated first, then contacts; rows that are equations of one unknown
//! not at all.
//!
//! ```text
//! K = [ A   −W ]    A: block diagonal by bodies or trees, regular by itself
//!     [ Wᵀ   C ]    C: by contacts; regular by itself or not
//! ```
//!
//! Fronts ([`FrontalLu`]) seek their pivots within a body or a contact. Where C may be singular, as for contacts that stick, bodies
//! come first and contacts meet C + Wᵀ A⁻¹ W ([`Order::FirstRowsFirst`]). Where C is regular by itself, as on the path of interior
//! points, the order of least fill is free ([`Order::Any`]), and few but bodies are left. Every solution is judged: |b − K x| in every
//! row by 1e-10 (|K| |x| + max |b|) + 1e-13 max |x|, rows scaled to a largest entry near 1. What misses that goes, for the rest of the problem, to an
//! LU of contacts with pivots anywhere among them (hyperstatic contacts of which some slip need that), and then to one with pivots
//! anywhere in K (a mass matrix of zeros).

mod groups;
mod schur;

pub use groups::Structure;

use groups::Groups;
use schur::Schur;
use vinci_core::lists::copy;

use crate::{FrontalLu, SparseLu, equilibrate, solves};

/// Order in which blocks are eliminated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// First rows, then the others.
    #[default]
    FirstRowsFirst,
    /// The order of least fill: every block is regular by itself.
    Any,
}

/// Rounding of a row, of the largest unknown: what elimination leaves in rows of small ones.
const ROUNDING: f64 = 1e-13;
/// Refinements of a solution before it is judged for good: light bodies between heavy ones need one.
const REFINEMENTS: u32 = 2;

/// Which factors stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    /// By fronts, in the free order.
    Free,
    /// By fronts, first rows first.
    Ordered,
    /// First rows, and then pivots anywhere among the others.
    Contacts,
    #[default]
    Anywhere,
}

impl Kind {
    fn next(self) -> Self {
        match self {
            Self::Free => Self::Ordered,
            Self::Ordered => Self::Contacts,
            _ => Self::Anywhere,
        }
    }
}

/// K = L U. Keeps its memory, and what it knows of a pattern while that stays.
#[derive(Debug, Default)]
pub struct BlockLu {
    fronts: [FrontalLu; 2],
    schur: Schur,
    sparse: SparseLu,
    /// Pattern that `sparse` has analysed.
    analysed: Option<(Vec<u32>, Vec<u32>)>,
    kind: Kind,
    /// Factorisations that failed on this problem.
    failed: [bool; 3],
    /// K by rows, scaled, and what rows were multiplied by.
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    scale: Vec<f64>,
    first: Vec<bool>,
    group: Vec<u32>,
    /// K without rows that say a x_i = b.
    rest: Rest,
    /// Blocks of `rest`, and the pattern they were found in.
    groups: Groups,
    grouped: Grouped,
    right: Vec<f64>,
    defect: Vec<f64>,
    packed: Vec<f64>,
}

/// A part of K: rows and columns that are kept.
#[derive(Debug, Default)]
struct Rest {
    kept: Vec<u32>,
    /// Place of every row among them, or [`REMOVED`].
    place: Vec<u32>,
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
}

/// Input from which groups were found: pattern, first rows and groups of the rows that are kept.
#[derive(Debug, Default, PartialEq, Eq)]
struct Grouped {
    row_start: Vec<u32>,
    column: Vec<u32>,
    first: Vec<bool>,
    group: Vec<u32>,
}

/// Place of a row that is not kept.
const REMOVED: u32 = u32::MAX;

impl BlockLu {
    /// Another problem begins: nothing is held against any factors.
    pub fn begin(&mut self) {
        self.failed = [false; 3];
    }

    /// Factorises K, given by rows; false where it is singular to working precision or memory is refused.
    pub fn factor(
        &mut self,
        (row_start, column, value): (&[u32], &[u32], &[f64]),
        structure: Structure<'_>,
        order: Order,
    ) -> bool {
        copy(&mut self.row_start, row_start);
        copy(&mut self.column, column);
        copy(&mut self.value, value);
        copy(&mut self.first, structure.first);
        copy(&mut self.group, structure.group);
        self.scale.clear();
        for rows in row_start.windows(2) {
            self.scale.push(equilibrate(&mut self.value[rows[0] as usize..rows[1] as usize]));
        }
        self.kind = if order == Order::Any { Kind::Free } else { Kind::Ordered };
        self.rest.take(&self.row_start, &self.column, &self.value);
        self.find_groups();
        self.factor_on()
    }

    /// Factors of this kind or the next one that holds.
    fn factor_on(&mut self) -> bool {
        while self.kind != Kind::Anywhere {
            if !self.failed[self.kind as usize] && self.factor_as(self.kind) {
                return true;
            }
            self.failed[self.kind as usize] = true;
            self.kind = self.kind.next();
        }
        self.anywhere()
    }

    fn factor_as(&mut self, kind: Kind) -> bool {
        let Self { rest: Rest { row_start, column, value, .. }, groups, .. } = self;
        if kind == Kind::Contacts {
            return self.schur.factor((row_start, column, value), groups);
        }
        let late: &[bool] = if kind == Kind::Free { &[] } else { &groups.late };
        let fronts = &mut self.fronts[kind as usize];
        fronts.analyse_blocks(row_start, column, &groups.of, late) && fronts.factor(value)
    }

    fn anywhere(&mut self) -> bool {
        let known =
            |(rows, columns): &(Vec<u32>, Vec<u32>)| *rows == self.row_start && *columns == self.column;
        if !self.analysed.as_ref().is_some_and(known) {
            let pattern = (self.row_start.clone(), self.column.clone());
            self.analysed = self.sparse.analyse(&pattern.0, &pattern.1).then_some(pattern);
        }
        self.analysed.is_some() && self.sparse.factor(&self.value)
    }

    fn find_groups(&mut self) {
        let Rest { kept, row_start, column, .. } = &self.rest;
        let first = kept.iter().map(|&i| self.first[i as usize]);
        let group = kept.iter().map(|&i| self.group[i as usize]);
        let before = &self.grouped;
        let same = before.row_start == *row_start && before.column == *column;
        if same
            && before.first.iter().copied().eq(first.clone())
            && before.group.iter().copied().eq(group.clone())
        {
            return;
        }
        let (first, group): (Vec<bool>, Vec<u32>) = (first.collect(), group.collect());
        self.groups = Groups::find(row_start, column, Structure { first: &first, group: &group });
        self.grouped = Grouped { row_start: row_start.clone(), column: column.clone(), first, group };
    }

    /// x ← K⁻¹ x after a successful [`Self::factor`]; no numbers where K turns out singular.
    pub fn solve(&mut self, x: &mut [f64]) {
        x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        let (mut right, mut defect) = (std::mem::take(&mut self.right), std::mem::take(&mut self.defect));
        copy(&mut right, x);
        while !self.solve_with_factors(&right, &mut defect, x) {
            self.failed[self.kind as usize] = true;
            if !self.factor_on() {
                x.fill(f64::NAN);
                break;
            }
            x.copy_from_slice(&right);
        }
        (self.right, self.defect) = (right, defect);
    }

    /// x ← F⁻¹ x with the factors F that stand, refined. False where that does not solve K x = b.
    fn solve_with_factors(&mut self, right: &[f64], defect: &mut Vec<f64>, x: &mut [f64]) -> bool {
        if self.kind == Kind::Anywhere {
            self.sparse.solve(x);
            return true;
        }
        self.apply(x);
        for round in 0..=REFINEMENTS {
            let rows = (&self.row_start[..], &self.column[..], &self.value[..]);
            if solves(rows, x, right, ROUNDING, defect) {
                return true;
            }
            if round < REFINEMENTS {
                self.apply(defect);
                x.iter_mut().zip(defect.iter()).for_each(|(x, d)| *x += d);
            }
        }
        false
    }

    /// x ← F⁻¹ x with factors that are not [`Kind::Anywhere`].
    fn apply(&mut self, x: &mut [f64]) {
        let Self { rest, packed, .. } = self;
        rest.reduce((&self.row_start, &self.column, &self.value), x, packed);
        match self.kind {
            Kind::Contacts => self.schur.solve((&rest.row_start, &rest.column, &rest.value), packed),
            kind => self.fronts[kind as usize].solve(packed),
        }
        rest.kept.iter().zip(packed).for_each(|(&i, v)| x[i as usize] = *v);
    }

    /// Numbers stored for L and U by fronts; None where they stand elsewhere.
    pub fn stored(&self) -> Option<usize> {
        self.fronts.get(self.kind as usize).map(FrontalLu::stored)
    }
}

impl Rest {
    /// Keeps all rows but those with a single number, on the diagonal.
    fn take(&mut self, row_start: &[u32], column: &[u32], value: &[f64]) {
        let row = |i: usize| row_start[i] as usize..row_start[i + 1] as usize;
        let n = row_start.len().saturating_sub(1);
        self.kept.clear();
        self.place.clear();
        for i in 0..n {
            let entries = || row(i).map(|k| (column[k] as usize, value[k]));
            let alone = entries().all(|(j, v)| (j == i) == (v != 0.0));
            self.place.push(if alone { REMOVED } else { self.kept.len() as u32 });
            if !alone {
                self.kept.push(i as u32);
            }
        }
        self.row_start.clear();
        self.row_start.push(0);
        self.column.clear();
        self.value.clear();
        for &i in &self.kept {
            for k in row(i as usize).filter(|&k| self.place[column[k] as usize] != REMOVED) {
                self.column.push(self.place[column[k] as usize]);
                self.value.push(value[k]);
            }
            self.row_start.push(self.column.len() as u32);
        }
    }

    /// Solves the rows that are not kept, and leaves the right side of the others in `packed`.
    fn reduce(
        &self,
        (row_start, column, value): (&[u32], &[u32], &[f64]),
        x: &mut [f64],
        packed: &mut Vec<f64>,
    ) {
        let row = |i: usize| row_start[i] as usize..row_start[i + 1] as usize;
        for i in (0..x.len()).filter(|&i| self.place[i] == REMOVED) {
            let diagonal = row(i).find(|&k| column[k] as usize == i).map_or(f64::NAN, |k| value[k]);
            x[i] /= diagonal;
        }
        packed.clear();
        packed.extend(self.kept.iter().map(|&i| {
            let known = row(i as usize).filter(|&k| self.place[column[k] as usize] == REMOVED);
            x[i as usize] - known.map(|k| value[k] * x[column[k] as usize]).sum::<f64>()
        }));
    }
}

#[cfg(test)]
mod tests;
