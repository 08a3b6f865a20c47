//! Rank of the rows that determine the velocities of quasi-static bodies, and the null space that they leave.
//!
//! A quasi-static block has no inertia and no drag: A is singular there (0, or what springs and films add), and its
//! velocity follows from what it touches, or from nothing. A direction d of free velocities with A d = 0 and Jd = 0 in
//! all rows J that can carry an impulse is *undetermined*: with v also v + α d solves the step, if bᵀd = 0; if bᵀd ≠ 0
//! there is no equilibrium at all. The null space of the rows [A; J] is found by elimination with full pivoting, after
//! blocks that their own rows determine have been taken out one by one (a pile falls apart from below in linear time).
//!
//! Ours because a body that nothing holds must be named, and core depends on no sparse library: see "An own linear algebra"
//! in `docs/src/decisions.md`.

/// Impulses and speeds below this part of the largest of the step count as zero.
pub(super) const ZERO: f64 = 1e-6;

/// Pivots below this count as zero, in rows whose largest entry is 1 (direction cosines, and levers in m).
const RANK: f64 = 1e-10;

const NONE: u32 = u32::MAX;

/// Rows over the velocities in question, and their null space. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Determined {
    /// The velocities in question (numbers among all velocities), block by block.
    pub(super) dofs: Vec<u32>,
    /// Where each stands in `dofs`, for all velocities; NONE where it is not in question.
    local: Vec<u32>,
    /// Block of every one of `dofs`.
    block: Vec<u32>,
    start: Vec<usize>,
    column: Vec<u32>,
    value: Vec<f64>,
    known: Vec<bool>,
    left: Vec<u32>,
    slot: Vec<u32>,
    dense: Vec<f64>,
    /// Directions that span the null space, each as long as `dofs`.
    pub(super) null: Vec<f64>,
}

impl Determined {
    /// Forgets all rows; `dofs` with their blocks, of `nv` velocities.
    pub(super) fn open(&mut self, nv: usize, dofs: impl Iterator<Item = (u32, u32)>) {
        self.dofs.clear();
        self.block.clear();
        for (dof, block) in dofs {
            self.dofs.push(dof);
            self.block.push(block);
        }
        self.local.clear();
        self.local.resize(nv, NONE);
        for (k, &dof) in self.dofs.iter().enumerate() {
            self.local[dof as usize] = k as u32;
        }
        self.clear_rows();
    }

    pub(super) fn clear_rows(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.column.clear();
        self.value.clear();
    }

    /// A row over all velocities; entries of velocities that are not in question say nothing.
    pub(super) fn push_row(&mut self, entries: impl Iterator<Item = (usize, f64)>) {
        let at = self.column.len();
        for (dof, value) in entries {
            if self.local[dof] != NONE && value != 0.0 {
                self.column.push(self.local[dof]);
                self.value.push(value);
            }
        }
        let largest = self.value[at..].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.value[at..].iter_mut().for_each(|x| *x /= largest);
        self.start.push(self.column.len());
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        (self.start[i]..self.start[i + 1]).map(|k| (self.column[k] as usize, self.value[k]))
    }

    fn n_rows(&self) -> usize {
        self.start.len() - 1
    }

    /// Number of undetermined directions; they stand in `null`.
    pub(super) fn null_space(&mut self) -> usize {
        let n = self.dofs.len();
        self.known.clear();
        self.known.resize(n, false);
        while self.take_out_a_layer() {}
        self.null.clear();
        self.left.clear();
        self.left.extend((0..n as u32).filter(|&k| !self.known[k as usize]));
        if self.left.is_empty() { 0 } else { self.null_of_the_rest() }
    }

    /// Marks blocks that rows on them alone determine; whether there were any.
    fn take_out_a_layer(&mut self) -> bool {
        let mut found = false;
        let mut first = 0;
        while first < self.dofs.len() {
            let block = self.block[first];
            let end = first + self.block[first..].iter().take_while(|b| **b == block).count();
            if !self.known[first] {
                self.left.clear();
                self.left.extend(first as u32..end as u32);
                if self.eliminate().0 == end - first {
                    self.known[first..end].fill(true);
                    found = true;
                }
            }
            first = end;
        }
        found
    }

    /// Elimination on the columns `left`, by the rows that have no other unknown ones: rank and where the pivots stand.
    /// `dense` then holds the reduced rows, columns in the order of `slot`.
    fn eliminate(&mut self) -> (usize, usize) {
        let n = self.left.len();
        self.slot.clear();
        self.slot.resize(self.dofs.len(), NONE);
        for (k, &c) in self.left.iter().enumerate() {
            self.slot[c as usize] = k as u32;
        }
        self.dense.clear();
        let mut m = 0;
        for i in 0..self.n_rows() {
            let inside = |c: usize| self.known[c] || self.slot[c] != NONE;
            if self.row(i).all(|(c, _)| inside(c)) && self.row(i).any(|(c, _)| self.slot[c] != NONE) {
                self.load_row(i, n);
                m += 1;
            }
        }
        (gauss_jordan(&mut self.dense, &mut self.left, m, n), m)
    }

    /// Row i on the columns `left`.
    fn load_row(&mut self, i: usize, n: usize) {
        let at = self.dense.len();
        self.dense.resize(at + n, 0.0);
        for k in self.start[i]..self.start[i + 1] {
            let c = self.column[k] as usize;
            if self.slot[c] != NONE && !self.known[c] {
                self.dense[at + self.slot[c] as usize] += self.value[k];
            }
        }
    }

    fn null_of_the_rest(&mut self) -> usize {
        let (n, total) = (self.left.len(), self.dofs.len());
        let rank = self.eliminate().0;
        for free in rank..n {
            let at = self.null.len();
            self.null.resize(at + total, 0.0);
            // x_pivot = −R x_free.
            for row in 0..rank {
                self.null[at + self.left[row] as usize] = -self.dense[row * n + free];
            }
            self.null[at + self.left[free] as usize] = 1.0;
            self.null[at..].iter_mut().filter(|x| x.abs() <= RANK).for_each(|x| *x = 0.0);
        }
        n - rank
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

/// Reduces the m × n matrix to [1 R; 0 0] by full pivoting; columns change places, and `names` with them. The rank.
fn gauss_jordan(a: &mut [f64], names: &mut [u32], m: usize, n: usize) -> usize {
    for rank in 0..m.min(n) {
        let (mut best, mut at) = (0.0, (rank, rank));
        for i in rank..m {
            for j in rank..n {
                if a[i * n + j].abs() > best {
                    (best, at) = (a[i * n + j].abs(), (i, j));
                }
            }
        }
        if best <= RANK {
            return rank;
        }
        (0..n).for_each(|j| a.swap(rank * n + j, at.0 * n + j));
        (0..m).for_each(|i| a.swap(i * n + rank, i * n + at.1));
        names.swap(rank, at.1);
        let pivot = a[rank * n + rank];
        (0..n).for_each(|j| a[rank * n + j] /= pivot);
        for i in (0..m).filter(|&i| i != rank) {
            let factor = a[i * n + rank];
            if factor != 0.0 {
                (0..n).for_each(|j| a[i * n + j] -= factor * a[rank * n + j]);
            }
        }
    }
    m.min(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(rows: &[&[f64]], n: usize, per_block: usize) -> Determined {
        let mut d = Determined::default();
        d.open(n, (0..n as u32).map(|i| (i, i / per_block as u32)));
        for row in rows {
            d.push_row(row.iter().copied().enumerate());
        }
        d
    }

    #[test]
    fn what_no_row_sees_is_undetermined() {
        let mut d = with(&[&[1.0, 0.0, 0.5]], 3, 3);
        assert_eq!(d.null_space(), 2);
        for k in 0..2 {
            let x = &d.null[3 * k..3 * k + 3];
            assert!((x[0] + 0.5 * x[2]).abs() < 1e-15 && x.iter().any(|x| *x != 0.0), "{x:?}");
        }
    }

    #[test]
    fn enough_rows_leave_nothing() {
        let mut d = with(&[&[1.0, 0.0, 0.5], &[0.0, 1.0, 0.0], &[0.0, 1.0, 1e-3]], 3, 3);
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
        let mut d = with(&rows, 6, 2);
        assert_eq!(d.null_space(), 1);
        assert_eq!(d.null, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn two_bodies_may_only_move_together() {
        let mut d = with(&[&[1.0, -2.0]], 2, 1);
        assert_eq!(d.null_space(), 1);
        assert!((d.null[0] - 2.0 * d.null[1]).abs() < 1e-15, "{:?}", d.null);
        let (load, size) = d.load_along(0, &[1.0, -2.0]);
        assert!(load.abs() <= 1e-12 * size);
        assert!(d.load_along(0, &[1.0, 0.0]).0.abs() > 0.1);
    }
}
