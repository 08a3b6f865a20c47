//! Helpers of the bridges' tests: numbers, small problems, all solutions by enumeration.

use super::MlcpAsConic;
use crate::problem::{ConicBuf, Mlcp, MlcpBuf};
use crate::sparse::CsrBuf;
use nalgebra::{DMatrix, DVector};

/// Deterministic numbers.
pub(super) struct Numbers(pub u64);

impl Numbers {
    /// Uniform in [a, b).
    pub(super) fn of(&mut self, a: f64, b: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        a + (b - a) * ((self.0 >> 11) as f64 / (1u64 << 53) as f64)
    }
}

fn csr(rows: &[Vec<f64>], n_cols: usize) -> CsrBuf {
    CsrBuf::from_dense(&DMatrix::from_fn(rows.len(), n_cols, |i, j| rows[i][j]))
}

pub(super) fn mlcp(rows: &[Vec<f64>], q: &[f64], bounds: &[(f64, f64)]) -> MlcpBuf {
    let (lower, upper) = bounds.iter().copied().unzip();
    MlcpBuf::from_parts(csr(rows, q.len()), q.to_vec(), lower, upper, 1e-9)
}

pub(super) fn conic(
    p: &[Vec<f64>],
    c: &[f64],
    rows: &[Vec<f64>],
    g: &[f64],
    bounds: &[(f64, f64)],
) -> ConicBuf {
    let bounds = bounds.iter().copied().unzip();
    ConicBuf::from_parts(csr(p, c.len()), c.to_vec(), csr(rows, c.len()), g.to_vec(), bounds)
}

/// All solutions of a small Mlcp with regular basic matrices: every row at its lower bound, at its upper one, or an equation.
pub(super) fn solutions(p: &Mlcp<'_>) -> Vec<Vec<f64>> {
    let n = p.n();
    let m = p.m.to_dense();
    (0..3_usize.pow(n as u32)).filter_map(|code| basic(p, &m, code)).collect()
}

fn basic(p: &Mlcp<'_>, m: &DMatrix<f64>, mut code: usize) -> Option<Vec<f64>> {
    let n = p.n();
    let (mut a, mut b) = (m.clone(), DVector::from_fn(n, |i, _| -p.q[i]));
    for i in 0..n {
        let at = [None, Some(p.lower[i]), Some(p.upper[i])][code % 3];
        code /= 3;
        if let Some(bound) = at {
            if !bound.is_finite() {
                return None;
            }
            a.row_mut(i).fill(0.0);
            a[(i, i)] = 1.0;
            b[i] = bound;
        }
    }
    let z = a.full_piv_lu().solve(&b)?;
    (p.residual(z.as_slice()).natural < 1e-11).then(|| z.as_slice().to_vec())
}

/// Asserts that solutions of the Mlcp are solutions of its program, forth by the guess and back.
pub(super) fn assert_program_of(problem: &MlcpBuf, solutions: &[Vec<f64>]) {
    let mut problem = problem.clone();
    for z in solutions {
        problem.guess = z.clone();
        let mut bridge = MlcpAsConic::default();
        bridge.write(&problem.view()).unwrap();
        let p = bridge.view();
        p.check().unwrap();
        let residual = p.residual(p.guess, p.dual_guess);
        assert!(residual.natural < 1e-9, "{residual:?} of {z:?}");
        let mut back = vec![f64::NAN; z.len()];
        bridge.expand(p.guess, p.dual_guess, &mut back);
        assert!(back.iter().zip(z).all(|(a, b)| (a - b).abs() < 1e-12), "{z:?} became {back:?}");
        // Something else is no solution, on both sides.
        let mut wrong = p.guess.to_vec();
        wrong[0] += 0.1;
        bridge.expand(&wrong, p.dual_guess, &mut back);
        assert!(p.residual(&wrong, p.dual_guess).natural > 1e-4);
    }
}
