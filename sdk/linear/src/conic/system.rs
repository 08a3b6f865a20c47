//! A square linear system, dense or sparse, with memory that is kept; the pattern is analysed when it changes.

use crate::{DenseLu, SparseLu};
use vinci_core::CsrBuf;

/// M z = r.
#[derive(Debug, Default)]
pub(super) struct System {
    /// M, by rows; every diagonal entry is stored.
    pub(super) matrix: CsrBuf,
    /// r.
    pub(super) rhs: Vec<f64>,
    /// z.
    pub(super) step: Vec<f64>,
    correction: Vec<f64>,
    /// Pattern that was analysed last.
    pattern: (Vec<u32>, Vec<u32>),
    sparse: SparseLu,
    dense: DenseLu,
}

impl System {
    /// Starts a system of this size.
    pub(super) fn clear(&mut self, size: usize) {
        self.matrix.clear(size);
        self.rhs.clear();
    }

    /// z from (M + δ I)⁻¹, applied to r and to what it leaves of it; false when the matrix cannot be factorised.
    pub(super) fn solve(&mut self, delta: f64, refinements: usize, dense: bool) -> bool {
        if !self.factor(delta, dense) {
            return false;
        }
        let m = self.matrix.view();
        self.step.clear();
        self.step.resize(m.n_cols, 0.0);
        for _ in 0..=refinements {
            self.correction.clear();
            self.correction.extend((0..m.n_cols).map(|i| self.rhs[i] - m.row_dot(i, &self.step)));
            if dense {
                self.dense.solve(&mut self.correction);
            } else {
                self.sparse.solve(&mut self.correction);
            }
            self.step.iter_mut().zip(&self.correction).for_each(|(s, c)| *s += c);
        }
        true
    }

    /// Factorises M + δ I.
    fn factor(&mut self, delta: f64, dense: bool) -> bool {
        let m = self.matrix.view();
        if dense {
            self.dense.reset(m.n_cols);
            for i in 0..m.n_cols {
                let row = self.dense.row_mut(i);
                m.entries(i).for_each(|(j, v)| row[j] += v);
                row[i] += delta;
            }
            return self.dense.factor();
        }
        if self.pattern.0 != m.row_start || self.pattern.1 != m.column {
            if !self.sparse.analyse(m.row_start, m.column) {
                return false;
            }
            self.pattern = (m.row_start.to_vec(), m.column.to_vec());
        }
        self.correction.clear();
        for i in 0..m.n_cols {
            self.correction.extend(m.entries(i).map(|(j, v)| if i == j { v + delta } else { v }));
        }
        self.sparse.factor(&self.correction)
    }
}
