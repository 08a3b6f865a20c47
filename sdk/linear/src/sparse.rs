//! Sparse LU by faer of a matrix given by rows, with symbolic analysis and memory kept while the pattern stays.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par};

/// LU of a square matrix of one pattern.
#[derive(Default)]
pub struct SparseLu {
    n: usize,
    /// The pattern by columns, and where each entry stands by rows.
    col_start: Vec<u32>,
    row: Vec<u32>,
    source: Vec<u32>,
    value: Vec<f64>,
    next: Vec<u32>,
    symbolic: Option<SymbolicLu<u32>>,
    numeric: NumericLu<u32, f64>,
    memory: Option<MemBuffer>,
}

impl std::fmt::Debug for SparseLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseLu({} unknowns, {} entries)", self.n, self.value.len())
    }
}

impl SparseLu {
    /// Analyses a pattern by rows; false when memory or faer refuses.
    pub fn analyse(&mut self, row_start: &[u32], column: &[u32]) -> bool {
        self.n = row_start.len().saturating_sub(1);
        self.transpose(row_start, column);
        self.numeric = NumericLu::new(); // faer keeps sizes of the last pattern in it
        let pattern = SymbolicSparseColMatRef::new_checked(self.n, self.n, &self.col_start, None, &self.row);
        let parameters = LuSymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..LuSymbolicParams::default()
        };
        let Ok(symbolic) = factorize_symbolic_lu(pattern, parameters) else {
            self.symbolic = None;
            return false;
        };
        let need = symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        self.memory = MemBuffer::try_new(need).ok();
        self.symbolic = Some(symbolic);
        self.memory.is_some()
    }

    fn transpose(&mut self, row_start: &[u32], column: &[u32]) {
        self.col_start.clear();
        self.col_start.resize(self.n + 1, 0);
        column.iter().for_each(|&j| self.col_start[j as usize + 1] += 1);
        for j in 0..self.n {
            self.col_start[j + 1] += self.col_start[j];
        }
        self.row.resize(column.len(), 0);
        self.source.resize(column.len(), 0);
        self.value.resize(column.len(), 0.0);
        self.next.clear();
        self.next.extend_from_slice(&self.col_start[..self.n]);
        for i in 0..self.n {
            for k in row_start[i]..row_start[i + 1] {
                let at = &mut self.next[column[k as usize] as usize];
                self.row[*at as usize] = i as u32;
                self.source[*at as usize] = k;
                *at += 1;
            }
        }
    }

    /// Factorises the matrix with these values (by rows); false when it is singular.
    pub fn factor(&mut self, value: &[f64]) -> bool {
        for (v, &k) in self.value.iter_mut().zip(&self.source) {
            *v = value[k as usize];
        }
        let (Some(symbolic), Some(memory)) = (&self.symbolic, &mut self.memory) else {
            return false;
        };
        let pattern = SymbolicSparseColMatRef::new_checked(self.n, self.n, &self.col_start, None, &self.row);
        let k = SparseColMatRef::new(pattern, &self.value);
        let stack = MemStack::new(memory);
        symbolic.factorize_numeric_lu(&mut self.numeric, k, Par::Seq, stack, Default::default()).is_ok()
    }

    /// x ← K⁻¹ x after a successful [`Self::factor`].
    pub fn solve(&mut self, x: &mut [f64]) {
        let (Some(symbolic), Some(memory)) = (&self.symbolic, &mut self.memory) else {
            return;
        };
        let rhs = MatMut::from_column_major_slice_mut(x, self.n, 1);
        let lu = LuRef::new_unchecked(symbolic, &self.numeric);
        lu.solve_in_place_with_conj(Conj::No, rhs, Par::Seq, MemStack::new(memory));
    }
}
