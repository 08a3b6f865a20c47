//! A test for choice: a cone { y : C y ≥ 0 } holds more than the origin, or it does not.

use nalgebra::{DMatrix, DVector};

/// Residuals and multipliers below this count as zero (rows of C have length 1).
const ZERO: f64 = 1e-9;

/// A y ≠ 0 with C y ≥ 0, if there is one; the rows of C (m × k) have length 1 or 0, and k > 0.
///
/// By Stiemke's theorem there is none exactly if C has rank k and Cᵀλ = 0 for some λ ≥ 1. So |Cᵀλ|² is minimised over
/// λ ≥ 1 by the method of Lawson and Hanson (1974); where it stays positive, y = Cᵀλ is such a direction, by the
/// conditions of that minimum.
pub(super) fn direction(c: &DMatrix<f64>) -> Option<DVector<f64>> {
    let svd = c.clone().svd(false, true);
    let v_t = svd.v_t.as_ref()?;
    // Fewer singular values than columns: the missing ones are zero.
    let smallest = if c.nrows() < c.ncols() { 0.0 } else { svd.singular_values.min() };
    if smallest <= ZERO {
        let at = svd.singular_values.imin();
        let thin = c.nrows() < c.ncols();
        return Some(if thin { outside(v_t) } else { v_t.row(at).transpose() });
    }
    let y = least(&c.transpose());
    (y.norm() > ZERO).then_some(y)
}

/// A direction at right angles to all rows of V.
fn outside(v_t: &DMatrix<f64>) -> DVector<f64> {
    let n = v_t.ncols();
    let rest = |i: usize| {
        let e = DVector::from_fn(n, |j, _| f64::from(u8::from(i == j)));
        &e - v_t.transpose() * (v_t * &e)
    };
    (1..n).map(rest).fold(rest(0), |best, next| if next.norm() > best.norm() { next } else { best })
}

/// A λ of least |A λ| over λ ≥ 1, as the vector A λ (A is k × m of rank k).
fn least(a: &DMatrix<f64>) -> DVector<f64> {
    let (k, m) = a.shape();
    let base = a * DVector::from_element(m, 1.0);
    let mut u = DVector::<f64>::zeros(m);
    let mut passive: Vec<usize> = Vec::new();
    for _ in 0..10 * (m + k) {
        let residual = &base + a * &u;
        let gradient = a.transpose() * &residual;
        let size = residual.norm();
        let falling = (0..m).filter(|i| !passive.contains(i) && gradient[*i] < -ZERO * size.max(ZERO));
        let Some(enter) = falling.reduce(|i, j| if gradient[j] < gradient[i] { j } else { i }) else {
            return residual;
        };
        passive.push(enter);
        settle(a, &base, &mut u, &mut passive);
    }
    &base + a * &u
}

/// Least squares on the passive columns, giving up those that would turn negative.
fn settle(a: &DMatrix<f64>, base: &DVector<f64>, u: &mut DVector<f64>, passive: &mut Vec<usize>) {
    while !passive.is_empty() {
        let columns = DMatrix::from_fn(a.nrows(), passive.len(), |i, j| a[(i, passive[j])]);
        let Ok(target) = columns.svd(true, true).solve(&(-base), 1e-13) else { return };
        let falling = (0..passive.len()).filter(|&j| target[j] <= 0.0);
        let part = |j: usize| u[passive[j]] / (u[passive[j]] - target[j]);
        let blocked = falling.reduce(|i, j| if part(j) < part(i) { j } else { i });
        let t = blocked.map_or(1.0, part);
        for (j, &p) in passive.iter().enumerate() {
            u[p] += t * (target[j] - u[p]);
        }
        let Some(j) = blocked else { return };
        u[passive[j]] = 0.0;
        passive.remove(j);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone(rows: &[&[f64]]) -> DMatrix<f64> {
        DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| {
            rows[i][j] / rows[i].iter().map(|x| x * x).sum::<f64>().sqrt()
        })
    }

    #[test]
    fn a_half_line_is_found() {
        let c = cone(&[&[1.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]]);
        let y = direction(&c).unwrap();
        assert!((&c * &y).iter().all(|x| *x >= -1e-12) && y.norm() > 0.1, "{y}");
    }

    #[test]
    fn a_point_is_a_point() {
        assert!(direction(&cone(&[&[1.0, 0.0], &[-1.0, 1.0], &[-1.0, -1.0]])).is_none());
        assert!(direction(&cone(&[&[1.0], &[-1.0]])).is_none());
        assert!(direction(&cone(&[&[1.0, 0.0], &[-1.0, 0.0], &[0.0, 1.0], &[0.0, -1.0]])).is_none());
    }

    #[test]
    fn narrow_cones_are_told_from_points() {
        // Half-planes that leave a wedge of ±e about (1, 0), or close it by a third one.
        for e in [0.5_f64, 0.1, 1e-3] {
            let wedge: [&[f64]; 2] = [&[e.sin(), e.cos()], &[e.sin(), -e.cos()]];
            let y = direction(&cone(&wedge)).unwrap();
            assert!(y[0] > 0.0 && y[1].abs() <= e.tan() * y[0] * (1.0 + 1e-6), "{e}: {y}");
            assert!(direction(&cone(&[wedge[0], wedge[1], &[-1.0, 0.0]])).is_none(), "{e}");
        }
    }

    #[test]
    fn lines_and_planes_are_directions_too() {
        for rows in [
            &[[1.0, 0.0, 0.0]; 1][..],
            &[[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
            &[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]],
        ] {
            let c = DMatrix::from_fn(rows.len(), 3, |i, j| rows[i][j]);
            let y = direction(&c).unwrap();
            assert!((&c * &y).iter().all(|x| *x >= -1e-9) && y.norm() > 0.5, "{y}");
        }
    }
}
