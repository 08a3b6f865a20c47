//! Sparse LU of K = diag(a) + diag(b) M.

use vinci_core::Csr;

use crate::SparseLu;

/// State of an unknown under bounds l ≤ z ≤ u ⟂ w. It decides the row of K: an equation d_i = …, or a row of M.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowState {
    /// z = l.
    #[default]
    AtLower,
    /// w = 0.
    Between,
    /// z = u.
    AtUpper,
}

/// LU of K = diag(a) + diag(b) M for one pattern of M.
#[derive(Debug, Default)]
pub struct ShiftedLu {
    lu: SparseLu,
    /// Pattern of M with its full diagonal, by rows.
    row_start: Vec<u32>,
    column: Vec<u32>,
    /// Entry of M behind each stored entry, or [`NO_ENTRY`] for a diagonal that M does not store.
    source: Vec<u32>,
    value: Vec<f64>,
}

/// Marks a diagonal entry that M does not store.
const NO_ENTRY: u32 = u32::MAX;

impl ShiftedLu {
    /// Analyses the pattern of M + I; false when memory or the backend refuses.
    pub fn analyse(&mut self, m: Csr<'_>) -> bool {
        self.row_start.clear();
        self.row_start.push(0);
        self.column.clear();
        self.source.clear();
        for i in 0..m.n_rows() {
            for k in m.row_start[i]..m.row_start[i + 1] {
                self.column.push(m.column[k as usize]);
                self.source.push(k);
            }
            if !m.row(i).0.contains(&(i as u32)) {
                self.column.push(i as u32);
                self.source.push(NO_ENTRY);
            }
            self.row_start.push(self.column.len() as u32);
        }
        self.value.resize(self.column.len(), 0.0);
        self.lu.analyse(&self.row_start, &self.column)
    }

    /// Factorises K; false when it is singular.
    pub fn factor(&mut self, m: Csr<'_>, a: &[f64], b: &[f64]) -> bool {
        for i in 0..m.n_rows() {
            for k in self.row_start[i] as usize..self.row_start[i + 1] as usize {
                let entry = if self.source[k] == NO_ENTRY { 0.0 } else { m.value[self.source[k] as usize] };
                let shift = if self.column[k] as usize == i { a[i] } else { 0.0 };
                self.value[k] = b[i] * entry + shift;
            }
        }
        self.lu.factor(&self.value)
    }

    /// x ← K⁻¹ x after a successful [`Self::factor`].
    pub fn solve(&mut self, x: &mut [f64]) {
        self.lu.solve(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::CsrBuf;

    #[test]
    fn the_shifted_matrix_is_solved_where_m_stores_no_diagonal() {
        // M = [0 2; 3 0] without stored diagonal, K = diag(1, 4) + diag(2, 0.5) M = [1 4; 1.5 4].
        let m = CsrBuf::from_triplets(2, 2, &[(0, 1, 2.0), (1, 0, 3.0)]);
        let mut lu = ShiftedLu::default();
        assert!(lu.analyse(m.view()));
        assert!(lu.factor(m.view(), &[1.0, 4.0], &[2.0, 0.5]));
        let mut x = [1.0 * 5.0 + 4.0 * 7.0, 1.5 * 5.0 + 4.0 * 7.0];
        lu.solve(&mut x);
        assert!((x[0] - 5.0).abs() < 1e-13 && (x[1] - 7.0).abs() < 1e-13, "{x:?}");
    }
}
