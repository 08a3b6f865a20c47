//! Small symmetric positive definite matrices, dense by rows.

use std::fmt;

use vinci_sdk::prelude::*;

/// Reason why a matrix is not symmetric positive definite.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Defect {
    /// Row `row` has `found` entries where there are `rows` rows; or there are no rows.
    NotSquare { row: usize, found: usize, rows: usize },
    /// An entry that is no number.
    NotFinite { row: usize, column: usize, value: f64 },
    /// m_ij ≠ m_ji.
    NotSymmetric { row: usize, column: usize, above: f64, below: f64 },
    /// The determinant of the first `order` rows and columns is not positive.
    Minor { order: usize, value: f64 },
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::NotSquare { rows: 0, .. } => write!(f, "has no rows"),
            Self::NotSquare { row, found, rows } => {
                write!(f, "must be square: row {} has {found} entries for {rows} rows", row + 1)
            }
            Self::NotFinite { row, column, value } => {
                write!(f, "must be finite: the entry ({}, {}) is {value}", row + 1, column + 1)
            }
            Self::NotSymmetric { row, column, above, below } => write!(
                f,
                "must be symmetric: the entry ({}, {}) is {above}, but ({}, {}) is {below}",
                row + 1,
                column + 1,
                column + 1,
                row + 1
            ),
            Self::Minor { order, value } => write!(
                f,
                "must be positive definite: its leading minor of order {order} is {value}, not above 0"
            ),
        }
    }
}

/// Checks that a matrix given by rows is square, finite, symmetric and positive definite (Sylvester: every leading minor > 0).
pub(crate) fn check_spd(rows: &[Vec<f64>]) -> Result<(), Defect> {
    let n = rows.len();
    let odd = rows.iter().position(|r| r.len() != n).or(if n == 0 { Some(0) } else { None });
    if let Some(row) = odd {
        return Err(Defect::NotSquare { row, found: rows.get(row).map_or(0, Vec::len), rows: n });
    }
    for row in 0..n {
        for column in 0..n {
            let (above, below) = (rows[row][column], rows[column][row]);
            if !above.is_finite() {
                return Err(Defect::NotFinite { row, column, value: above });
            }
            if above != below {
                return Err(Defect::NotSymmetric { row, column, above, below });
            }
        }
    }
    let mut a: Vec<f64> = rows.iter().flatten().copied().collect();
    factor(&mut a, n)
}

/// Becomes the Cholesky factor L (lower part) of A = L Lᵀ.
fn factor(a: &mut [f64], n: usize) -> Result<(), Defect> {
    let mut minor = 1.0;
    for j in 0..n {
        let pivot = a[j * n + j] - (0..j).map(|k| a[j * n + k] * a[j * n + k]).sum::<f64>();
        minor *= pivot;
        if !(pivot > 0.0) {
            return Err(Defect::Minor { order: j + 1, value: minor });
        }
        let root = pivot.sqrt();
        a[j * n + j] = root;
        for i in j + 1..n {
            let dot: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            a[i * n + j] = (a[i * n + j] - dot) / root;
        }
    }
    Ok(())
}

/// x becomes (L Lᵀ)⁻¹ x.
fn substitute(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
    }
}

/// Becomes the inverse of a symmetric positive definite matrix; `column` is scratch.
pub(crate) fn invert(
    a: &mut Vec<f64>,
    n: usize,
    column: &mut Vec<f64>,
    out: &mut Vec<f64>,
) -> Result<(), Defect> {
    factor(a, n)?;
    out.clear();
    out.resize(n * n, 0.0);
    for c in 0..n {
        column.clear();
        column.resize(n, 0.0);
        column[c] = 1.0;
        substitute(a, n, column);
        for i in 0..n {
            out[i * n + c] = column[i];
        }
    }
    // The two halves differ by rounding; S must be symmetric.
    for i in 0..n {
        for j in 0..i {
            let mean = 0.5 * (out[i * n + j] + out[j * n + i]);
            (out[i * n + j], out[j * n + i]) = (mean, mean);
        }
    }
    std::mem::swap(a, out);
    Ok(())
}

/// y = A x.
pub(crate) fn multiply(a: &[f64], x: &[f64], y: &mut Vec<f64>) {
    y.clear();
    y.extend(a.chunks_exact(x.len()).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>()));
}

/// Appends one row of a patch's matrix to the row of all nodes that is being written: `members` by `stride`, zeros left out.
pub(crate) fn push_row(matrix: &mut CsrBuf, row: &[f64], members: &[u32], stride: usize, scale: f64) {
    for (block, &j) in row.chunks_exact(stride).zip(members) {
        for (k, value) in block.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            matrix.push(stride * j as usize + k, scale * value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(m: &[&[f64]]) -> Vec<Vec<f64>> {
        m.iter().map(|r| r.to_vec()).collect()
    }

    #[test]
    fn defects_are_named() {
        let defect = |m: &[&[f64]]| check_spd(&rows(m)).unwrap_err().to_string();
        assert_eq!(defect(&[]), "has no rows");
        assert_eq!(defect(&[&[1.0, 2.0]]), "must be square: row 1 has 2 entries for 1 rows");
        assert!(defect(&[&[f64::NAN]]).starts_with("must be finite: the entry (1, 1) is NaN"));
        assert!(
            defect(&[&[1.0, 2.0], &[3.0, 9.0]])
                .starts_with("must be symmetric: the entry (1, 2) is 2, but (2, 1) is 3")
        );
        assert_eq!(
            defect(&[&[1.0, 2.0], &[2.0, 1.0]]),
            "must be positive definite: its leading minor of order 2 is -3, not above 0"
        );
        assert_eq!(
            defect(&[&[0.0, 0.0], &[0.0, 1.0]]),
            "must be positive definite: its leading minor of order 1 is 0, not above 0"
        );
    }

    #[test]
    fn inverses_are_inverses() {
        let m = [4.0, 1.0, 0.5, 1.0, 3.0, -0.25, 0.5, -0.25, 2.0];
        let mut a = m.to_vec();
        invert(&mut a, 3, &mut Vec::new(), &mut Vec::new()).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                let entry: f64 = (0..3).map(|k| m[3 * i + k] * a[3 * k + j]).sum();
                assert!((entry - f64::from(u8::from(i == j))).abs() < 1e-15);
            }
        }
    }
}
