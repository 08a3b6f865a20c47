//! The free-free block of an [`Mlcp`], factored component by component.
//!
//! The velocities of two bodies meet in a free row only through joints, so M_FF is block diagonal by bodies (or by
//! jointed groups of bodies). Every connected component of its sparsity is factored densely on its own.

use crate::problem::Mlcp;
use crate::sets::DisjointSets;
use thiserror::Error;

/// Rows without bounds whose block of M cannot be inverted: the reduction to an LCP does not exist as it stands.
///
/// In contact terms: a quasi-static body (A = 0), whose velocity only its contacts determine, or a redundant joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the block of free rows around row {row} is singular")]
pub struct SingularFreeBlock {
    /// A free row of the singular component.
    pub row: usize,
}

/// A pivot below this share of its component's largest entry counts as zero.
const PIVOT_SHARE: f64 = 1e-13;

/// Position that stands for "not in this set".
const NONE: u32 = u32::MAX;

/// One connected component: `k` free rows, `t` constraint columns that touch them.
#[derive(Debug, Clone, Copy, Default)]
struct Block {
    /// First member, in `members`, `pivot` and `shift`.
    first: usize,
    /// Number of free rows.
    k: usize,
    /// First entry of the k × k factors in `lu`.
    lu: usize,
    /// First touching column in `columns`.
    column: usize,
    /// Number of touching columns.
    t: usize,
    /// First entry of the k × t matrix X in `x`.
    x: usize,
}

/// M_FF = P L U per component, with X = M_FF⁻¹ M_FC (k × t per component) and y = M_FF⁻¹ q_F.
#[derive(Debug, Clone, Default)]
pub(super) struct FreeBlocks {
    blocks: Vec<Block>,
    /// Free rows (full numbering), component by component, increasing within each.
    members: Vec<u32>,
    /// Component of every full row, [`NONE`] for bounded rows.
    block_of: Vec<u32>,
    /// Place of every full row within its component.
    place: Vec<u32>,
    lu: Vec<f64>,
    pivot: Vec<u32>,
    columns: Vec<u32>,
    x: Vec<f64>,
    y: Vec<f64>,
    sets: DisjointSets,
    mark: Vec<u32>,
    work: Vec<f64>,
}

impl FreeBlocks {
    /// Factors the free-free block and forms X and y for `q` (full length). `lcp_index` numbers the bounded rows from 0
    /// and is ignored on free rows.
    pub(super) fn factor(
        &mut self,
        p: &Mlcp<'_>,
        q: &[f64],
        lcp_index: &[u32],
    ) -> Result<(), SingularFreeBlock> {
        self.find_components(p);
        self.lu.clear();
        self.pivot.clear();
        self.columns.clear();
        self.x.clear();
        self.y.clear();
        self.mark.clear();
        self.mark.resize(p.n(), NONE);
        for b in 0..self.blocks.len() {
            self.gather(p, q, b, lcp_index);
            self.factor_block(b)?;
            self.solve_block_columns(b);
        }
        Ok(())
    }

    /// Groups the free rows by connected component of the free-free sparsity.
    fn find_components(&mut self, p: &Mlcp<'_>) {
        let n = p.n();
        self.sets.reset_where(n, |i| p.is_free(i));
        for i in (0..n).filter(|&i| p.is_free(i)) {
            for &j in p.m.row(i).0 {
                if self.sets.has(j as usize) {
                    self.sets.unite(i, j as usize);
                }
            }
        }
        self.blocks.clear();
        self.block_of.clear();
        self.block_of.resize(n, NONE);
        self.place.clear();
        self.place.resize(n, 0);
        for i in (0..n).filter(|&i| p.is_free(i)) {
            let root = self.sets.root(i);
            if root == i {
                self.block_of[i] = self.blocks.len() as u32;
                self.blocks.push(Block::default());
            }
            // Roots are smallest members, so the root's component is already numbered.
            self.block_of[i] = self.block_of[root];
            let block = &mut self.blocks[self.block_of[i] as usize];
            self.place[i] = block.k as u32;
            block.k += 1;
        }
        self.list_members();
    }

    fn list_members(&mut self) {
        let mut first = 0;
        for block in &mut self.blocks {
            block.first = first;
            first += block.k;
        }
        self.members.clear();
        self.members.resize(first, 0);
        for (i, &b) in self.block_of.iter().enumerate() {
            if b != NONE {
                self.members[self.blocks[b as usize].first + self.place[i] as usize] = i as u32;
            }
        }
    }

    /// Copies block b of M into `lu`, its constraint columns into `x` (unsolved) and its part of q into `y`.
    fn gather(&mut self, p: &Mlcp<'_>, q: &[f64], b: usize, lcp_index: &[u32]) {
        let Block { first, k, .. } = self.blocks[b];
        let (lu, column, x) = (self.lu.len(), self.columns.len(), self.x.len());
        self.lu.resize(lu + k * k, 0.0);
        for a in 0..k {
            let i = self.members[first + a] as usize;
            self.y.push(q[i]);
            for (j, v) in p.m.entries(i) {
                if self.block_of[j] != NONE {
                    self.lu[lu + a * k + self.place[j] as usize] += v;
                } else if self.mark[j] == NONE || (self.mark[j] as usize) < column {
                    self.mark[j] = self.columns.len() as u32;
                    self.columns.push(lcp_index[j]);
                }
            }
        }
        let t = self.columns.len() - column;
        self.x.resize(x + k * t, 0.0);
        for a in 0..k {
            let i = self.members[first + a] as usize;
            for (j, v) in p.m.entries(i) {
                if self.block_of[j] == NONE {
                    self.x[x + a * t + self.mark[j] as usize - column] += v;
                }
            }
        }
        self.blocks[b] = Block { first, k, lu, column, t, x };
    }

    /// Dense LU with partial pivoting of block b, in place.
    fn factor_block(&mut self, b: usize) -> Result<(), SingularFreeBlock> {
        let Block { first, k, lu, .. } = self.blocks[b];
        let m = &mut self.lu[lu..lu + k * k];
        let largest = m.iter().fold(0.0_f64, |s, v| s.max(v.abs()));
        for c in 0..k {
            let best = (c..k).fold(c, |r, i| if m[i * k + c].abs() > m[r * k + c].abs() { i } else { r });
            // Written so that a NaN counts as singular too.
            if !(m[best * k + c].abs() > PIVOT_SHARE * largest) {
                return Err(SingularFreeBlock { row: self.members[first + c] as usize });
            }
            self.pivot.push(best as u32);
            for j in 0..k {
                m.swap(c * k + j, best * k + j);
            }
            let inverse = 1.0 / m[c * k + c];
            for i in c + 1..k {
                let factor = m[i * k + c] * inverse;
                m[i * k + c] = factor;
                for j in c + 1..k {
                    m[i * k + j] -= factor * m[c * k + j];
                }
            }
        }
        Ok(())
    }

    /// X ← M_FF⁻¹ X and y ← M_FF⁻¹ y for block b.
    fn solve_block_columns(&mut self, b: usize) {
        let Block { first, k, lu, t, x, .. } = self.blocks[b];
        let lu = &self.lu[lu..lu + k * k];
        let pivot = &self.pivot[first..first + k];
        solve_columns(lu, pivot, k, &mut self.x[x..x + k * t], t);
        solve_columns(lu, pivot, k, &mut self.y[first..first + k], 1);
    }

    /// Place of a full row in `y` and friends, if it is free.
    #[inline]
    pub(super) fn is_free(&self, row: usize) -> bool {
        self.block_of[row] != NONE
    }

    /// For a free row j: its row of X as (LCP columns, values) and its entry of y.
    #[inline]
    pub(super) fn row(&self, j: usize) -> (&[u32], &[f64], f64) {
        let block = self.blocks[self.block_of[j] as usize];
        let place = self.place[j] as usize;
        let x = block.x + place * block.t;
        (
            &self.columns[block.column..block.column + block.t],
            &self.x[x..x + block.t],
            self.y[block.first + place],
        )
    }

    /// Free rows in the full numbering.
    pub(super) fn members(&self) -> &[u32] {
        &self.members
    }

    /// v_F ← M_FF⁻ᵀ v_F on the free entries of a full-length vector.
    pub(super) fn solve_transposed(&mut self, v: &mut [f64]) {
        for block in &self.blocks {
            let (k, members) = (block.k, &self.members[block.first..block.first + block.k]);
            self.work.clear();
            self.work.extend(members.iter().map(|&i| v[i as usize]));
            let pivot = &self.pivot[block.first..block.first + k];
            solve_transposed(&self.lu[block.lu..block.lu + k * k], pivot, k, &mut self.work);
            for (&i, &value) in members.iter().zip(&self.work) {
                v[i as usize] = value;
            }
        }
    }
}

/// Solves (P L U) X = B for `t` columns stored by rows, in place. All exchanges come first: the multipliers in L stand in the
/// rows where the last exchange left them.
fn solve_columns(lu: &[f64], pivot: &[u32], k: usize, b: &mut [f64], t: usize) {
    for c in 0..k {
        let r = pivot[c] as usize;
        if r != c {
            (0..t).for_each(|j| b.swap(c * t + j, r * t + j));
        }
    }
    for c in 0..k {
        for i in c + 1..k {
            let factor = lu[i * k + c];
            if factor != 0.0 {
                (0..t).for_each(|j| b[i * t + j] -= factor * b[c * t + j]);
            }
        }
    }
    for c in (0..k).rev() {
        let inverse = 1.0 / lu[c * k + c];
        (0..t).for_each(|j| b[c * t + j] *= inverse);
        for i in 0..c {
            let factor = lu[i * k + c];
            if factor != 0.0 {
                (0..t).for_each(|j| b[i * t + j] -= factor * b[c * t + j]);
            }
        }
    }
}

/// Solves (P L U)ᵀ x = b in place.
fn solve_transposed(lu: &[f64], pivot: &[u32], k: usize, b: &mut [f64]) {
    for c in 0..k {
        let sum: f64 = (0..c).map(|i| lu[i * k + c] * b[i]).sum();
        b[c] = (b[c] - sum) / lu[c * k + c];
    }
    for c in (0..k).rev() {
        let sum: f64 = (c + 1..k).map(|i| lu[i * k + c] * b[i]).sum();
        b[c] -= sum;
    }
    for c in (0..k).rev() {
        b.swap(c, pivot[c] as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::MlcpBuf;
    use crate::sparse::CsrBuf;
    use nalgebra::{DMatrix, DVector};

    /// Free blocks whose elimination exchanges rows several times, as masses with bilateral rows do.
    #[test]
    fn exchanges_after_the_first_keep_their_multipliers() {
        let mut s = 1_u64;
        let mut random = || {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (s >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for k in 1..8 {
            let n = k + 2;
            let m = DMatrix::from_fn(n, n, |_, _| random());
            let q = DVector::from_fn(n, |_, _| random());
            let lower = (0..n).map(|i| if i < k { f64::NEG_INFINITY } else { 0.0 }).collect();
            let problem = MlcpBuf::from_parts(
                CsrBuf::from_dense(&m),
                q.as_slice().to_vec(),
                lower,
                vec![f64::INFINITY; n],
                1e-10,
            );
            let lcp_index: Vec<u32> = (0..n).map(|i| i.saturating_sub(k) as u32).collect();
            let mut blocks = FreeBlocks::default();
            blocks.factor(&problem.view(), q.as_slice(), &lcp_index).unwrap();
            let free = m.view((0, 0), (k, k)).into_owned().lu();
            let x = free.solve(&m.view((0, k), (k, 2)).into_owned()).unwrap();
            let y = free.solve(&q.rows(0, k).into_owned()).unwrap();
            for j in 0..k {
                let (columns, values, constant) = blocks.row(j);
                assert!((constant - y[j]).abs() < 1e-10 * (1.0 + y[j].abs()), "{k} rows, y[{j}]");
                for (c, value) in columns.iter().zip(values) {
                    let right = x[(j, *c as usize)];
                    assert!((value - right).abs() < 1e-10 * (1.0 + right.abs()), "{k} rows, X[{j}, {c}]");
                }
            }
        }
    }
}
