//! Sparse LU by faer, with symbolic analysis and memory kept while the pattern stays.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par};
use vinci_sdk::core::Csr;

/// LU of K = diag(a) + diag(b) M for one pattern of M.
#[derive(Default)]
pub(crate) struct SparseLu {
    n: usize,
    /// Pattern of M with its full diagonal, by columns.
    col_start: Vec<u32>,
    row: Vec<u32>,
    value: Vec<f64>,
    /// Entry of M behind each stored entry, or [`NO_ENTRY`] for a diagonal that M does not store.
    source: Vec<u32>,
    next: Vec<u32>,
    symbolic: Option<SymbolicLu<u32>>,
    numeric: NumericLu<u32, f64>,
    memory: Option<MemBuffer>,
}

/// Marks a diagonal entry that M does not store.
const NO_ENTRY: u32 = u32::MAX;

impl std::fmt::Debug for SparseLu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseLu({} unknowns, {} entries)", self.n, self.value.len())
    }
}

impl SparseLu {
    /// Analyses the pattern of M + I; false when memory or faer refuses.
    pub(crate) fn analyse(&mut self, m: Csr<'_>) -> bool {
        self.n = m.n_rows();
        self.transpose_pattern(m);
        self.numeric = NumericLu::new(); // faer keeps sizes of the last pattern in it
        let pattern = SymbolicSparseColMatRef::new_checked(self.n, self.n, &self.col_start, None, &self.row);
        // Supernodes always: twice to three times as fast on contact problems from a few hundred unknowns on.
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

    /// Columns of M + I from the rows of M.
    fn transpose_pattern(&mut self, m: Csr<'_>) {
        let n = self.n;
        self.col_start.clear();
        self.col_start.resize(n + 1, 0);
        self.next.clear();
        self.next.resize(n, 1); // 1 where row i stores no diagonal
        for i in 0..n {
            for &j in m.row(i).0 {
                self.col_start[j as usize + 1] += 1;
                if j as usize == i {
                    self.next[i] = 0;
                }
            }
        }
        for j in 0..n {
            self.col_start[j + 1] += self.col_start[j] + self.next[j];
        }
        let nnz = self.col_start[n] as usize;
        self.row.resize(nnz, 0);
        self.source.resize(nnz, 0);
        self.value.resize(nnz, 0.0);
        let missing = std::mem::take(&mut self.next);
        self.next.extend_from_slice(&self.col_start[..n]);
        for i in 0..n {
            let (start, end) = (m.row_start[i], m.row_start[i + 1]);
            for k in start..end {
                self.put(m.column[k as usize] as usize, i, k);
            }
            if missing[i] == 1 {
                self.put(i, i, NO_ENTRY);
            }
        }
    }

    fn put(&mut self, column: usize, row: usize, source: u32) {
        let at = self.next[column] as usize;
        self.row[at] = row as u32;
        self.source[at] = source;
        self.next[column] += 1;
    }

    /// Factorises K = diag(a) + diag(b) M; false when K is singular.
    pub(crate) fn factor(&mut self, m: Csr<'_>, a: &[f64], b: &[f64]) -> bool {
        for j in 0..self.n {
            for k in self.col_start[j] as usize..self.col_start[j + 1] as usize {
                let i = self.row[k] as usize;
                let entry = if self.source[k] == NO_ENTRY { 0.0 } else { m.value[self.source[k] as usize] };
                self.value[k] = b[i] * entry + if i == j { a[i] } else { 0.0 };
            }
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
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let (Some(symbolic), Some(memory)) = (&self.symbolic, &mut self.memory) else {
            return;
        };
        let rhs = MatMut::from_column_major_slice_mut(x, self.n, 1);
        let lu = LuRef::new_unchecked(symbolic, &self.numeric);
        lu.solve_in_place_with_conj(Conj::No, rhs, Par::Seq, MemStack::new(memory));
    }
}
