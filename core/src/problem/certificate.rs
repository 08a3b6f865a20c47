//! Checking a proof that a problem has no solution.

use super::Mlcp;

/// How well a vector y proves that the linear part of an [`Mlcp`] has no solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FarkasCheck {
    /// qᵀy divided by |q|∞ |y|₁, with the contribution of finite bounds added: must be clearly negative.
    pub value: f64,
    /// Largest violation of the sign rules of y and of Mᵀy, relative to |y|∞ times the row's size: must be tiny.
    pub violation: f64,
}

impl FarkasCheck {
    /// Whether y is a proof, within rounding: the violation cannot make up for the value.
    pub fn proves(&self) -> bool {
        self.value < -1e-9 && self.violation < 1e-9 && self.violation < -1e-3 * self.value
    }
}

/// Checks y against the system {w = M z + q; w_i = 0 on free rows, w_i ≥ 0 where z_i has only a lower bound, w_i ≤ 0
/// where it has only an upper one; l ≤ z ≤ u}, which every solution of the Mlcp satisfies.
///
/// y proves emptiness (Farkas) if y_i ≥ 0 (≤ 0) on rows with w_i ≥ 0 (≤ 0), y_i = 0 on rows with two finite bounds,
/// and sup over l ≤ z ≤ u of (Mᵀy)ᵀz + qᵀy is negative: then yᵀw < 0 for every z, against yᵀw ≥ 0.
/// In contact terms y is a system of forces that squeezes without moving anything.
pub fn check_farkas(p: &Mlcp<'_>, y: &[f64]) -> FarkasCheck {
    let y_max = y.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if y.len() != p.n() || y_max == 0.0 || !y_max.is_finite() {
        return FarkasCheck { value: f64::INFINITY, violation: f64::INFINITY };
    }
    let (mut mty, mut size) = (vec![0.0; p.n()], vec![0.0_f64; p.n()]);
    let mut violation = 0.0_f64;
    let mut value = 0.0;
    for i in 0..p.n() {
        let (has_lower, has_upper) = (p.lower[i].is_finite(), p.upper[i].is_finite());
        let wrong = match (has_lower, has_upper) {
            (false, false) => 0.0,
            (true, false) => (-y[i]).max(0.0),
            (false, true) => y[i].max(0.0),
            (true, true) => y[i].abs(),
        };
        violation = violation.max(wrong / y_max);
        value += p.q[i] * y[i];
        for (j, m) in p.m.entries(i) {
            mty[j] += m * y[i];
            size[j] = size[j].max((m * y[i]).abs());
        }
    }
    for j in 0..p.n() {
        // sup over z_j of (Mᵀy)_j z_j
        let bound = if mty[j] > 0.0 { p.upper[j] } else { p.lower[j] };
        if bound.is_finite() {
            value += mty[j] * bound;
        } else if size[j] > 0.0 {
            violation = violation.max(mty[j].abs() / size[j]);
        }
    }
    let y_sum: f64 = y.iter().map(|x| x.abs()).sum();
    FarkasCheck { value: value / (p.q_norm() * y_sum), violation }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::MlcpBuf;
    use crate::sparse::CsrBuf;

    /// Instance 16b b): unit mass between plates closing at 1 m/s each.
    fn jam() -> MlcpBuf {
        let m = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)]);
        MlcpBuf::from_parts(m, vec![-1.0, -1.0], vec![0.0; 2], vec![f64::INFINITY; 2], 1e-10)
    }

    #[test]
    fn equal_squeeze_proves_the_jam() {
        let check = check_farkas(&jam().view(), &[1.0, 1.0]);
        assert!(check.proves(), "{check:?}");
    }

    #[test]
    fn a_wrong_vector_proves_nothing() {
        assert!(!check_farkas(&jam().view(), &[1.0, 0.0]).proves());
        assert!(!check_farkas(&jam().view(), &[-1.0, -1.0]).proves());
        assert!(!check_farkas(&jam().view(), &[0.0, 0.0]).proves());
        let mut solvable = jam();
        solvable.q = vec![-1.0, 1.0];
        assert!(!check_farkas(&solvable.view(), &[1.0, 1.0]).proves());
    }
}
