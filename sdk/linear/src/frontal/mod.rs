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
}

impl FrontalLu {
    /// Analyses a pattern by rows, unless it is the last one; false where faer refuses it or a front is beyond 65535 rows.
    pub fn analyse(&mut self, row_start: &[u32], column: &[u32]) -> bool {
        if self.row_start == row_start && self.column == column {
            return true;
        }
        self.row_start.clear();
        self.column.clear();
        let Some(symbolic) = Symbolic::new(row_start, column) else {
            self.symbolic = Symbolic::default();
            return false;
        };
        self.symbolic = symbolic;
        self.row_start.extend_from_slice(row_start);
        self.column.extend_from_slice(column);
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
