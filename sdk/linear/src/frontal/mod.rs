//! Multifrontal LU of a sparse matrix whose pattern is symmetric and whose diagonal blocks carry it: bodies that touch.
//!
//! Unknowns that share their columns are one block (a body or a tree, with the impulses of its joints where the pattern puts
//! them there). Blocks are ordered by minimum degree over the graph of blocks; what a block leaves behind is a dense front,
//! added to that of the next one which it touches. Pivots are sought within the rows of a front alone, so that the pattern is
//! known beforehand and memory is that of the factors. That is stable where no block depends on a later one to be invertible:
//! inertia with dampers and springs. For anything else the caller compares K x with its right side, and takes
//! [`crate::SparseLu`], which may pivot anywhere.
//!
//! Everything kept between matrices is a function of the pattern alone.

mod blocks;
mod numeric;
mod symbolic;

use blocks::Blocks;
use numeric::Numeric;
use symbolic::Symbolic;

/// P K Q = L U by fronts.
#[derive(Debug, Default)]
pub struct FrontalLu {
    symbolic: Symbolic,
    numeric: Numeric,
    /// Pattern that was analysed.
    row_start: Vec<u32>,
    column: Vec<u32>,
    /// Blocks that were named with it.
    of: Vec<u32>,
    late: Vec<bool>,
}

impl FrontalLu {
    /// Analyses a pattern by rows, unless it is the last one; false where faer refuses it or a front is beyond 65535 rows.
    pub fn analyse(&mut self, row_start: &[u32], column: &[u32]) -> bool {
        self.keep((row_start, column), &[], &[], Blocks::new)
    }

    /// As [`Self::analyse`], in blocks that the caller names by row (0, 1, … without gaps), those of `late` (by block) eliminated
    /// after all others: blocks that have pivots of their own only when what they touch is gone. The pattern need not be symmetric
    /// within a block.
    pub fn analyse_blocks(&mut self, row_start: &[u32], column: &[u32], of: &[u32], late: &[bool]) -> bool {
        self.keep((row_start, column), of, late, |rows, columns| Blocks::given(rows, columns, of, late))
    }

    fn keep(
        &mut self,
        (row_start, column): (&[u32], &[u32]),
        of: &[u32],
        late: &[bool],
        blocks: impl FnOnce(&[u32], &[u32]) -> Option<Blocks>,
    ) -> bool {
        let same = self.row_start == row_start && self.column == column;
        if same && self.of == of && self.late == late {
            return true;
        }
        self.row_start.clear();
        self.column.clear();
        let found = blocks(row_start, column).and_then(|blocks| Symbolic::new(row_start, column, &blocks));
        let Some(symbolic) = found else {
            self.symbolic = Symbolic::default();
            return false;
        };
        self.symbolic = symbolic;
        self.row_start.extend_from_slice(row_start);
        self.column.extend_from_slice(column);
        (self.of, self.late) = (of.to_vec(), late.to_vec());
        true
    }

    /// Factorises the matrix with these values, in the order of the pattern; false where a front has no pivot.
    pub fn factor(&mut self, value: &[f64]) -> bool {
        self.numeric.factor(&self.symbolic, value)
    }

    /// x ← K⁻¹ x after a successful [`Self::factor`].
    pub fn solve(&mut self, x: &mut [f64]) {
        self.numeric.solve(&self.symbolic, x);
    }

    /// Numbers stored for L and U.
    pub fn stored(&self) -> usize {
        self.symbolic.stored
    }
}
