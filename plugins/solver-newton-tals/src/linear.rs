//! The Jacobian and its factors: dense for small problems, sparse for large ones; dense symmetric ones by Cholesky.

use vinci_linear::{DenseCholesky, DenseLu, SparseLu};
use vinci_sdk::prelude::*;

/// Which factors stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Dense,
    Symmetric,
    Sparse,
}

/// J = L U, or L Lᵀ. Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Linear {
    /// Factorisations of the present problem.
    pub(crate) factorizations: u32,
    /// Whether the problem says that J is symmetric positive definite.
    pub(crate) symmetric: bool,
    dense: DenseLu,
    cholesky: DenseCholesky,
    sparse: SparseLu,
    kind: Kind,
    jacobian: Vec<f64>,
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    scale: Vec<f64>,
}

impl Linear {
    /// Evaluates and factorises J(v); false where it is singular.
    ///
    /// Errors: those of the problem's Jacobian.
    pub(crate) fn factor(&mut self, p: &Root<'_>, v: &[f64], sparse_from: usize) -> Result<bool, StageError> {
        let n = v.len();
        self.jacobian.resize(n * n, 0.0);
        p.oracle.call(Root::JACOBIAN, v, &mut self.jacobian)?;
        self.factorizations += 1;
        if self.symmetric && n < sparse_from && self.cholesky.factor(n, &self.jacobian) {
            self.kind = Kind::Symmetric;
            return Ok(true);
        }
        // A problem that is not what it says is solved all the same.
        self.equilibrate(n);
        self.kind = if n >= sparse_from { Kind::Sparse } else { Kind::Dense };
        Ok(if self.kind == Kind::Sparse { self.factor_sparse(n) } else { self.factor_dense(n) })
    }

    /// Rows to largest entry 1: pivots are compared with each other.
    fn equilibrate(&mut self, n: usize) {
        self.scale.clear();
        for row in self.jacobian.chunks_exact_mut(n.max(1)) {
            let largest = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let scale = if largest > 0.0 && largest.is_finite() { 1.0 / largest } else { 1.0 };
            row.iter_mut().for_each(|x| *x *= scale);
            self.scale.push(scale);
        }
    }

    fn factor_dense(&mut self, n: usize) -> bool {
        self.dense.reset(n);
        for (i, row) in self.jacobian.chunks_exact(n.max(1)).enumerate() {
            self.dense.row_mut(i).copy_from_slice(row);
        }
        self.dense.factor()
    }

    fn factor_sparse(&mut self, n: usize) -> bool {
        self.value.clear();
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(self.column.len()));
        for (i, row) in self.jacobian.chunks_exact(n).enumerate() {
            for (j, x) in row.iter().enumerate().filter(|(j, x)| **x != 0.0 || *j == i) {
                columns.push(j as u32);
                self.value.push(*x);
            }
            starts.push(columns.len() as u32);
        }
        if starts != self.row_start || columns != self.column {
            (self.row_start, self.column) = (starts, columns);
            if !self.sparse.analyse(&self.row_start, &self.column) {
                self.row_start.clear();
                return false;
            }
        }
        self.sparse.factor(&self.value)
    }

    /// x ← J⁻¹ x after a successful [`Linear::factor`].
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        if self.kind != Kind::Symmetric {
            x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        }
        match self.kind {
            Kind::Dense => self.dense.solve(x),
            Kind::Symmetric => self.cholesky.solve(x),
            Kind::Sparse => self.sparse.solve(x),
        }
    }
}
