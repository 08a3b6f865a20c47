//! The program in scaled units: x = D x̂, Ĝ = E G D, P̂ = ω D P D, ĉ = ω D c, ŷ = ω E⁻¹ y, with powers of two, which
//! round nothing.

use crate::QpError;
use crate::vectors::{axpy, larger};
use vinci_core::sparse::Csr;

/// Sweeps of equilibration.
const SWEEPS: usize = 2;

/// P and G as given and scaled, c and bounds scaled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Data {
    pub(crate) n: usize,
    pub(crate) m: usize,
    pub(crate) p: Scaled,
    pub(crate) g: Scaled,
    pub(crate) c: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) column_scale: Vec<f64>,
    pub(crate) row_scale: Vec<f64>,
    /// E⁻¹.
    pub(crate) row_unit: Vec<f64>,
    /// ω.
    pub(crate) cost_scale: f64,
    column_norm: Vec<f64>,
    /// Ĝ by columns of length m, or empty.
    dense: Vec<f64>,
}

/// ⌊log₂(1/x)⌋ of a positive number; 0 for zero and for what is beyond `range` or its reciprocal.
fn reciprocal_exponent(x: f64, range: f64) -> i64 {
    if !(x > 1.0 / range && x < range) {
        return 0;
    }
    let (exponent, fraction) = ((x.to_bits() >> 52) as i64 - 1023, x.to_bits() << 12);
    -exponent - i64::from(fraction != 0)
}

/// 2^k, |k| < 1023.
fn power_of_two(k: i64) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The power of two at or below 1/x.
fn reciprocal(x: f64) -> f64 {
    power_of_two(reciprocal_exponent(x, 1e150))
}

/// The power of two at or below √(1/x): every row and column takes one, so there is no division and no root in it.
fn reciprocal_root(x: f64) -> f64 {
    power_of_two(reciprocal_exponent(x, 1e300) >> 1)
}

fn checked(name: &str, matrix: Csr<'_>, n: usize) -> Result<(), QpError> {
    if matrix.n_cols != n {
        return Err(QpError::Shape(format!("{name} has {} columns instead of {n}", matrix.n_cols)));
    }
    matrix.check().map_err(|e| QpError::Shape(format!("{name}: {e}")))?;
    match matrix.value.iter().position(|v| !v.is_finite()) {
        Some(k) => Err(QpError::Shape(format!("{name} has the entry {}", matrix.value[k]))),
        None => Ok(()),
    }
}

impl Data {
    /// Takes P (n × n, or without rows for P = 0) and G (m × n).
    pub(crate) fn load(&mut self, p: Csr<'_>, g: Csr<'_>) -> Result<(), QpError> {
        let n = g.n_cols;
        checked("P", p, n)?;
        checked("G", g, n)?;
        if p.n_rows() != n && p.n_rows() != 0 {
            return Err(QpError::Shape(format!("P has {} rows instead of {n}", p.n_rows())));
        }
        (self.n, self.m) = (n, g.n_rows());
        self.equilibrate(p, g);
        let (d, e) = (&self.column_scale, &self.row_scale);
        let mut size: f64 = 0.0;
        for i in 0..p.n_rows() {
            size = p.entries(i).fold(size, |a, (j, v)| larger(a, (v * d[i] * d[j]).abs()));
        }
        self.cost_scale = reciprocal(size);
        let w = self.cost_scale;
        self.p.load(n, p, |i| w * d[i], d);
        self.g.load(self.m, g, |i| e[i], d);
        self.spread();
        for (v, value) in [(&mut self.lower, f64::NEG_INFINITY), (&mut self.upper, f64::INFINITY)] {
            v.clear();
            v.resize(g.n_rows(), value);
        }
        self.c.clear();
        self.c.resize(n, 0.0);
        Ok(())
    }

    /// Ĝ as a dense matrix where that is quicker.
    fn spread(&mut self) {
        self.dense.clear();
        if 2 * self.g.view().nnz() >= self.m * self.n {
            self.dense.resize(self.m * self.n, 0.0);
            for i in 0..self.m {
                self.g.view().entries(i).for_each(|(j, v)| self.dense[j * self.m + i] = v);
            }
        }
    }

    /// s = Ĝ x.
    pub(crate) fn rows_times(&self, x: &[f64], s: &mut [f64]) {
        if self.dense.is_empty() {
            let g = self.g.view();
            for (i, si) in s.iter_mut().enumerate() {
                let (columns, values) = g.row(i);
                *si = sparse_dot(columns, values, x);
            }
        } else {
            s.fill(0.0);
            columns_times(&self.dense, x, s);
        }
    }

    /// Symmetric equilibration of [P Gᵀ; G 0] in the largest entries, then rows of G to the largest entry 1.
    fn equilibrate(&mut self, p: Csr<'_>, g: Csr<'_>) {
        for (v, len) in [(&mut self.column_scale, self.n), (&mut self.row_scale, self.m)] {
            v.clear();
            v.resize(len, 1.0);
        }
        for _ in 0..SWEEPS {
            self.column_norm.clear();
            self.column_norm.resize(self.n, 0.0);
            let (d, e) = (&mut self.column_scale, &mut self.row_scale);
            for i in 0..p.n_rows() {
                for (j, v) in p.entries(i) {
                    self.column_norm[j] = larger(self.column_norm[j], (v * d[i] * d[j]).abs());
                }
            }
            for (i, ei) in e.iter_mut().enumerate() {
                let mut size: f64 = 0.0;
                for (j, v) in g.entries(i) {
                    let entry = (v * *ei * d[j]).abs();
                    size = larger(size, entry);
                    self.column_norm[j] = larger(self.column_norm[j], entry);
                }
                *ei *= reciprocal_root(size);
            }
            for (dj, norm) in d.iter_mut().zip(&self.column_norm) {
                *dj *= reciprocal_root(*norm);
            }
        }
        for (i, ei) in self.row_scale.iter_mut().enumerate() {
            let size = g.entries(i).fold(0.0, |a, (j, v)| larger(a, (v * self.column_scale[j]).abs()));
            *ei = reciprocal(size);
        }
        self.row_unit.clear();
        self.row_unit.extend(self.row_scale.iter().map(|e| 1.0 / e));
    }

    /// Takes the linear cost c.
    pub(crate) fn set_cost(&mut self, c: &[f64]) {
        for ((to, from), d) in self.c.iter_mut().zip(c).zip(&self.column_scale) {
            *to = self.cost_scale * d * from;
        }
    }

    /// Takes the bounds of one row.
    #[inline]
    pub(crate) fn set_bound(&mut self, i: usize, lower: f64, upper: f64) {
        self.lower[i] = self.row_scale[i] * lower;
        self.upper[i] = self.row_scale[i] * upper;
    }

    /// Returns true if row i is an equation.
    #[inline]
    pub(crate) fn is_equation(&self, i: usize) -> bool {
        self.lower[i] == self.upper[i]
    }

    /// gradient = P̂ x + ĉ.
    pub(crate) fn gradient(&self, x: &[f64], gradient: &mut [f64]) {
        self.p.view().multiply(x, gradient);
        for (g, c) in gradient.iter_mut().zip(&self.c) {
            *g += c;
        }
    }

    /// ½ xᵀP̂x + ĉᵀx, with a vector of length n to work in.
    pub(crate) fn objective(&self, x: &[f64], work: &mut [f64]) -> f64 {
        self.p.view().multiply(x, work);
        (0..self.n).map(|j| x[j] * (0.5 * work[j] + self.c[j])).sum()
    }
}

/// A matrix by rows whose values are scaled.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scaled {
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    n_cols: usize,
}

impl Scaled {
    /// The matrix with entries (i, j) times row(i) · d_j; rows that it has not got are empty.
    fn load(&mut self, n_rows: usize, from: Csr<'_>, row: impl Fn(usize) -> f64, d: &[f64]) {
        self.n_cols = from.n_cols;
        self.row_start.clear();
        self.row_start.push(0);
        self.column.clear();
        self.column.extend_from_slice(from.column);
        self.value.clear();
        for i in 0..n_rows {
            if i < from.n_rows() {
                let (columns, values) = from.row(i);
                let factor = row(i);
                self.value.extend(columns.iter().zip(values).map(|(&j, v)| factor * d[j as usize] * v));
            }
            self.row_start.push(self.value.len() as u32);
        }
    }

    #[inline]
    pub(crate) fn view(&self) -> Csr<'_> {
        Csr { n_cols: self.n_cols, row_start: &self.row_start, column: &self.column, value: &self.value }
    }
}

/// Σ values x[columns] in four sums.
#[inline]
fn sparse_dot(columns: &[u32], values: &[f64], x: &[f64]) -> f64 {
    let mut sum = [0.0; 4];
    let (c, v) = (columns.chunks_exact(4), values.chunks_exact(4));
    let rest = c.remainder().iter().zip(v.remainder());
    let rest: f64 = rest.map(|(&j, v)| v * x[j as usize]).sum();
    for (c, v) in c.zip(v) {
        for k in 0..4 {
            sum[k] += v[k] * x[c[k] as usize];
        }
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest
}

/// s += Σ x_j column_j, four columns of length m at a time: along a column neighbours are added at once, and rows of few
/// unknowns are too short for that.
fn columns_times(columns: &[f64], x: &[f64], s: &mut [f64]) {
    let m = s.len();
    let mut fours = columns.chunks_exact(4 * m.max(1));
    for (four, x) in fours.by_ref().zip(x.chunks_exact(4)) {
        let (ab, cd) = four.split_at(2 * m);
        let ((a, b), (c, d)) = (ab.split_at(m), cd.split_at(m));
        for ((((si, a), b), c), d) in s.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *si += (x[0] * a + x[1] * b) + (x[2] * c + x[3] * d);
        }
    }
    let rest = x.len() - x.len() % 4;
    for (column, &xj) in fours.remainder().chunks_exact(m.max(1)).zip(&x[rest..]) {
        axpy(xj, column, s);
    }
}
