//! The Jacobian and its factors: dense for small problems, sparse for large ones; dense symmetric ones by Cholesky.
//!
//! A problem that tells the pattern of its Jacobian is eliminated by fronts, body by body, and nothing of n² numbers is formed.
//! Fronts seek their pivots within a body, and what they solve is judged: |b − J x| in every row by 1e-10 (|J| |x| + max |b|),
//! rows scaled to a largest entry of 1. What misses that (loops of joints without inertia of their own) goes to the LU that may pivot
//! anywhere, for the rest of the problem.

use vinci_linear::{DenseCholesky, DenseLu, FrontalLu, SparseLu, equilibrate, solves};
use vinci_sdk::prelude::*;

use crate::pattern::Pattern;

/// Which factors stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Dense,
    Symmetric,
    Sparse,
    Frontal,
}

/// Knowledge of the pattern of the present problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum JacobianPattern {
    #[default]
    Unknown,
    /// The problem has none, or its Jacobian is dense here.
    None,
    Sparse,
    /// A pattern whose fronts lack pivots.
    WithoutFronts,
}

/// J = L U, or L Lᵀ. Keeps its memory.
#[derive(Debug, Default)]
pub(crate) struct Linear {
    /// Factorisations of the present problem.
    pub(crate) factorizations: u32,
    /// True if the problem says that J is symmetric positive definite.
    pub(crate) symmetric: bool,
    dense: DenseLu,
    cholesky: DenseCholesky,
    sparse: SparseLu,
    frontal: FrontalLu,
    pattern_kind: JacobianPattern,
    pattern: Pattern,
    kind: Kind,
    jacobian: Vec<f64>,
    /// Pattern that `sparse` has analysed.
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    scale: Vec<f64>,
    /// Right side, while x takes its place.
    right: Vec<f64>,
    defect: Vec<f64>,
}

impl Linear {
    /// Another problem begins, which says whether J is symmetric positive definite.
    pub(crate) fn open(&mut self, symmetric: bool) {
        (self.factorizations, self.symmetric, self.pattern_kind) = (0, symmetric, JacobianPattern::Unknown);
    }

    /// Evaluates and factorises J(v); false where it is singular.
    ///
    /// Errors: those of the problem's functions; a pattern that is none.
    pub(crate) fn factor(&mut self, p: &Root<'_>, v: &[f64], sparse_from: usize) -> Result<bool, StageError> {
        self.factorizations += 1;
        if self.pattern_kind == JacobianPattern::Unknown {
            let is_sparse = v.len() >= sparse_from && self.pattern.ask(p, v)?;
            self.pattern_kind = if is_sparse { JacobianPattern::Sparse } else { JacobianPattern::None };
        }
        if self.pattern_kind == JacobianPattern::None {
            self.factor_whole(p, v, sparse_from)
        } else {
            self.factor_pattern(p, v)
        }
    }

    /// J(v) in n² numbers.
    fn factor_whole(&mut self, p: &Root<'_>, v: &[f64], sparse_from: usize) -> Result<bool, StageError> {
        let n = v.len();
        self.jacobian.resize(n * n, 0.0);
        p.oracle.call(Root::JACOBIAN, v, &mut self.jacobian)?;
        if self.symmetric && n < sparse_from && self.cholesky.factor(n, &self.jacobian) {
            self.kind = Kind::Symmetric;
            return Ok(true);
        }
        // A problem that is not what it says is solved all the same.
        self.scale.clear();
        self.scale.extend(self.jacobian.chunks_exact_mut(n.max(1)).map(equilibrate));
        self.kind = if n >= sparse_from { Kind::Sparse } else { Kind::Dense };
        Ok(if self.kind == Kind::Sparse { self.factor_nonzeros(n) } else { self.factor_dense(n) })
    }

    /// J(v) by its pattern.
    fn factor_pattern(&mut self, p: &Root<'_>, v: &[f64]) -> Result<bool, StageError> {
        let Pattern { row_start, column, .. } = &self.pattern;
        self.value.resize(column.len(), 0.0);
        p.oracle.call(Root::VALUES, v, &mut self.value)?;
        self.scale.clear();
        for rows in row_start.windows(2) {
            self.scale.push(equilibrate(&mut self.value[rows[0] as usize..rows[1] as usize]));
        }
        let fronts = self.pattern_kind == JacobianPattern::Sparse && self.frontal.analyse(row_start, column);
        if fronts && self.frontal.factor(&self.value) {
            self.kind = Kind::Frontal;
            return Ok(true);
        }
        Ok(self.factor_anywhere())
    }

    /// The LU that may pivot anywhere, of J by its pattern, and so for the rest of the problem.
    fn factor_anywhere(&mut self) -> bool {
        (self.pattern_kind, self.kind) = (JacobianPattern::WithoutFronts, Kind::Sparse);
        let (starts, columns) = (self.pattern.row_start.clone(), self.pattern.column.clone());
        self.factor_sparse(starts, columns)
    }

    fn factor_dense(&mut self, n: usize) -> bool {
        self.dense.reset(n);
        for (i, row) in self.jacobian.chunks_exact(n.max(1)).enumerate() {
            self.dense.row_mut(i).copy_from_slice(row);
        }
        self.dense.factor()
    }

    /// The nonzero entries of J.
    fn factor_nonzeros(&mut self, n: usize) -> bool {
        self.value.clear();
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(self.column.len()));
        for (i, row) in self.jacobian.chunks_exact(n).enumerate() {
            for (j, x) in row.iter().enumerate().filter(|(j, x)| **x != 0.0 || *j == i) {
                columns.push(j as u32);
                self.value.push(*x);
            }
            starts.push(columns.len() as u32);
        }
        self.factor_sparse(starts, columns)
    }

    /// The values, in this pattern.
    fn factor_sparse(&mut self, starts: Vec<u32>, columns: Vec<u32>) -> bool {
        if starts != self.row_start || columns != self.column {
            (self.row_start, self.column) = (starts, columns);
            if !self.sparse.analyse(&self.row_start, &self.column) {
                self.row_start.clear();
                return false;
            }
        }
        self.sparse.factor(&self.value)
    }

    /// x ← J⁻¹ x after a successful [`Linear::factor`]; no numbers where J turns out singular.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        if self.kind != Kind::Symmetric {
            x.iter_mut().zip(&self.scale).for_each(|(x, s)| *x *= s);
        }
        match self.kind {
            Kind::Dense => self.dense.solve(x),
            Kind::Symmetric => self.cholesky.solve(x),
            Kind::Sparse => self.sparse.solve(x),
            Kind::Frontal => self.solve_by_fronts(x),
        }
    }

    fn solve_by_fronts(&mut self, x: &mut [f64]) {
        self.right.clear();
        self.right.extend_from_slice(x);
        self.frontal.solve(x);
        let rows = (&self.pattern.row_start[..], &self.pattern.column[..], &self.value[..]);
        if solves(rows, x, &self.right, 0.0, &mut self.defect) {
            return;
        }
        self.factorizations += 1;
        if self.factor_anywhere() {
            x.copy_from_slice(&self.right);
            self.sparse.solve(x);
        } else {
            x.fill(f64::NAN);
        }
    }
}
