//! The directions before any row is active: J₂ with J₂ᵀPJ₂ = I, and a basis of the null space of P, both from
//! Cholesky's factorisation with diagonal pivoting, ΠᵀPΠ = [L₁; L₂][L₁; L₂]ᵀ.

use crate::QpError;
use crate::vectors::axpy;
use vinci_core::sparse::Csr;

/// Pivots below this, where the largest entry of P̂ is about 1, are rounding.
const RANK: f64 = 1e-14;
/// A remainder below −this is no rounding: P is indefinite.
const INDEFINITE: f64 = 1e-10;

/// Cholesky's factorisation of the rows of P that are not empty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Curvature {
    /// Variables in the objective, in the order of the pivots.
    pub(crate) support: Vec<usize>,
    /// [L₁; L₂] by rows, then L₁⁻¹ in place of L₁.
    l: Vec<f64>,
    /// Rank of P.
    pub(crate) rank: usize,
    place: Vec<usize>,
    row: Vec<f64>,
}

impl Curvature {
    /// Factors P̂.
    pub(crate) fn factor(&mut self, p: Csr<'_>) -> Result<(), QpError> {
        let n = p.n_rows();
        self.support.clear();
        self.support.extend((0..n).filter(|&i| !p.row(i).0.is_empty()));
        let k = self.support.len();
        self.place.clear();
        self.place.resize(n, usize::MAX);
        for (at, &i) in self.support.iter().enumerate() {
            self.place[i] = at;
        }
        self.l.clear();
        self.l.resize(k * k, 0.0);
        for (at, &i) in self.support.iter().enumerate() {
            for (j, v) in p.entries(i) {
                if self.place[j] == usize::MAX {
                    return Err(QpError::Asymmetric(i, j));
                }
                self.l[at * k + self.place[j]] = v;
            }
        }
        self.check_symmetry()?;
        self.rank = 0;
        while self.rank < k && self.eliminate(self.rank) {
            self.rank += 1;
        }
        self.check_remainder()?;
        self.invert();
        Ok(())
    }

    fn check_symmetry(&self) -> Result<(), QpError> {
        let k = self.support.len();
        for i in 0..k {
            for j in 0..i {
                if (self.l[i * k + j] - self.l[j * k + i]).abs() > 1e-12 {
                    return Err(QpError::Asymmetric(self.support[i], self.support[j]));
                }
            }
        }
        Ok(())
    }

    /// One step with the largest remaining diagonal as pivot; false when nothing positive is left.
    fn eliminate(&mut self, r: usize) -> bool {
        let k = self.support.len();
        let pivot =
            (r..k).fold(r, |best, i| if self.l[i * k + i] > self.l[best * k + best] { i } else { best });
        let size = self.l[pivot * k + pivot];
        if size <= RANK {
            return false;
        }
        if pivot != r {
            self.support.swap(r, pivot);
            (0..k).for_each(|j| self.l.swap(r * k + j, pivot * k + j));
            (0..k).for_each(|i| self.l.swap(i * k + r, i * k + pivot));
        }
        // What remains is symmetric: row r serves as the column.
        let (done, below) = self.l.split_at_mut((r + 1) * k);
        let row = &done[r * k + r + 1..];
        let root = size.sqrt();
        for other in below.chunks_exact_mut(k) {
            let factor = other[r];
            if factor != 0.0 {
                axpy(-factor / size, row, &mut other[r + 1..]);
                other[r] = factor / root;
            }
        }
        self.l[r * k + r] = root;
        true
    }

    /// Checks that what is left after the last pivot is rounding.
    fn check_remainder(&self) -> Result<(), QpError> {
        let k = self.support.len();
        for i in self.rank..k {
            for j in self.rank..k {
                if self.l[i * k + j].abs() > INDEFINITE {
                    return Err(QpError::Indefinite(self.support[i]));
                }
            }
        }
        Ok(())
    }

    /// L₁⁻¹ in place of L₁, row by row: row i is −(Σ_t L_it (row t))/L_ii.
    fn invert(&mut self) {
        let (k, r) = (self.support.len(), self.rank);
        for i in 0..r {
            let (done, rest) = self.l.split_at_mut(i * k);
            let row = &mut rest[..=i];
            self.row.clear();
            self.row.resize(i, 0.0);
            for (t, known) in done.chunks_exact(k).enumerate().filter(|&(t, _)| row[t] != 0.0) {
                axpy(row[t], &known[..=t], &mut self.row);
            }
            let pivot = 1.0 / row[i];
            row[..i].iter_mut().zip(&self.row).for_each(|(to, sum)| *to = -sum * pivot);
            row[i] = pivot;
        }
    }

    /// Columns of J by `put(row, column, value)`: first `rank` columns J₂, then the null space of P.
    pub(crate) fn directions(&self, n: usize, mut put: impl FnMut(usize, usize, f64)) {
        let (k, r) = (self.support.len(), self.rank);
        for i in 0..r {
            (0..=i).for_each(|j| put(self.support[j], i, self.l[i * k + j]));
        }
        for t in r..k {
            put(self.support[t], t, 1.0);
            for j in 0..r {
                let sum: f64 = (j..r).map(|i| self.l[i * k + j] * self.l[t * k + i]).sum();
                put(self.support[j], t, -sum);
            }
        }
        for (next, i) in (k..).zip((0..n).filter(|&i| self.place[i] == usize::MAX)) {
            put(i, next, 1.0);
        }
    }
}
