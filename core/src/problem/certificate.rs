//! Checking a proof that a problem has no solution.

use super::Mlcp;
use super::ray::{Conditions, ExactSum, Left, ROUNDING, Sense, refine};

/// Part of its terms that the value of a proof has at least.
const LEAST_VALUE: f64 = 1e-9;

/// Part of its terms up to which conditions may be off for a vector to be worth refining.
const WORTH_REFINING: f64 = 1e-6;

/// How many times larger than the problem's own sizes a solution would have to be that a proof does not rule out.
const LEAST_MARGIN: f64 = 1e9;

/// [`LEAST_MARGIN`] where conditions are off by more than rounding of their own terms: entries that are sums of larger ones have the rounding
/// of these.
const LARGE_MARGIN: f64 = 1e15;

/// Part of their terms up to which conditions may be off at all.
const LARGEST_VIOLATION: f64 = 1e-9;

/// How well a vector y proves that a problem has no solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FarkasCheck {
    /// The sum that must be negative, over the sum of its terms' absolute values: qᵀy and the part of finite bounds.
    pub value: f64,
    /// Largest violation of the sign rules of y, relative to |y|∞, and of the conditions on Mᵀy, relative to their own terms.
    pub violation: f64,
    /// No solution has |z|_j below this in all open directions, whatever rounding did: −value/Σ |wrong part of (Mᵀy)_j|; ∞ where
    /// nothing is wrong, 0 where nothing is proved.
    pub reach: f64,
    /// `reach` over the size that the vector's own terms give a solution.
    pub margin: f64,
}

impl FarkasCheck {
    /// Check of a vector that proves nothing.
    pub(super) const NOTHING: Self =
        Self { value: f64::INFINITY, violation: f64::INFINITY, reach: 0.0, margin: 0.0 };

    /// From the sum that must be negative, a violation of signs, and what is left of the conditions.
    pub(super) fn of(sum: &ExactSum, signs: f64, left: Left) -> Self {
        let value = if sum.size > 0.0 { sum.value() / sum.size } else { 0.0 };
        let violation = signs.max(left.worst);
        if !(value < 0.0 && violation.is_finite()) {
            return Self { value, violation, reach: 0.0, margin: 0.0 };
        }
        let reach = if left.sum > 0.0 { -sum.value() / left.sum } else { f64::INFINITY };
        let margin = if left.sum > 0.0 { -value * left.size / left.sum } else { f64::INFINITY };
        Self { value, violation, reach, margin }
    }

    /// Returns true if y is a proof: its conditions hold up to the rounding of the data, and what that leaves cannot make up for the
    /// value at any size that a solution could have.
    pub fn proves(&self) -> bool {
        let rounding = self.violation <= ROUNDING && self.margin >= LEAST_MARGIN;
        let nothing = self.violation <= LARGEST_VIOLATION && self.margin >= LARGE_MARGIN;
        self.value < -LEAST_VALUE && (rounding || nothing)
    }

    /// Returns true if refinement may make it one.
    pub(super) fn is_close(&self) -> bool {
        self.value < -LEAST_VALUE && self.violation < WORTH_REFINING && !self.proves()
    }

    /// The better of two.
    pub(super) fn or(self, other: Self) -> Self {
        if other.proves() || other.reach > self.reach { other } else { self }
    }
}

/// Checks y against the system {w = M z + q; w_i = 0 on free rows, w_i ≥ 0 where z_i has only a lower bound, w_i ≤ 0
/// where it has only an upper one; l ≤ z ≤ u}, which every solution of the Mlcp satisfies.
///
/// y proves emptiness (Farkas) if y_i ≥ 0 (≤ 0) on rows with w_i ≥ 0 (≤ 0), y_i = 0 on rows with two finite bounds,
/// and sup over l ≤ z ≤ u of (Mᵀy)ᵀz + qᵀy is negative: then yᵀw < 0 for every z, against yᵀw ≥ 0.
/// In contact terms y is a system of forces that squeezes without moving anything.
///
/// A vector that is right to a solver's accuracy is refined before it is judged. Where M is nearly singular and not quite,
/// refinement has no success, and [`FarkasCheck::reach`] says how large a solution has to be at least.
pub fn check_farkas(p: &Mlcp<'_>, y: &[f64]) -> FarkasCheck {
    let rows: Vec<RowCase> = (0..p.n()).map(|i| RowCase::of(p, i)).collect();
    check_farkas_case(p, &rows, y)
}

/// Assumption about a row of an [`Mlcp`]: z_i between two bounds, and w_i = (M z + q)_i of a sense.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowCase {
    /// Least z_i, −∞ where there is none.
    pub lower: f64,
    /// Largest z_i, ∞ where there is none.
    pub upper: f64,
    /// Sense of w_i.
    pub w: Sense,
}

impl RowCase {
    /// The case that every solution of a problem satisfies in row i, whichever way it obeys its law.
    pub fn of(p: &Mlcp<'_>, i: usize) -> Self {
        let (lower, upper) = (p.lower[i], p.upper[i]);
        Self { lower, upper, w: Sense::recession(lower, upper).dual() }
    }
}

/// [`check_farkas`] for the system in which row i is `rows[i]`, one case of the problem: y proves that the case is empty.
/// A problem all of whose cases are empty has no solution.
pub fn check_farkas_case(p: &Mlcp<'_>, rows: &[RowCase], y: &[f64]) -> FarkasCheck {
    if y.len() != p.n()
        || rows.len() != p.n()
        || !y.iter().all(|y| y.is_finite())
        || y.iter().all(|y| *y == 0.0)
    {
        return FarkasCheck::NOTHING;
    }
    let conditions = conditions(p, rows);
    let check = measure(p, rows, &conditions, y);
    if !check.is_close() {
        return check;
    }
    let lawful = |(y, row): (&f64, &RowCase)| y - row.w.dual().wrong(*y);
    let mut refined: Vec<f64> = y.iter().zip(rows).map(lawful).collect();
    refine(&mut refined, |_| conditions.clone());
    check.or(measure(p, rows, &conditions, &refined))
}

/// Senses that (Mᵀy)_j must have so that no z_j makes it large.
fn conditions(p: &Mlcp<'_>, rows: &[RowCase]) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.k.transpose_of(&p.m, &mut Vec::new());
    conditions.sense.extend(rows.iter().map(|row| Sense::recession(row.lower, row.upper).polar()));
    conditions
}

fn measure(p: &Mlcp<'_>, rows: &[RowCase], conditions: &Conditions, y: &[f64]) -> FarkasCheck {
    let y_max = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
    let (mut sum, mut signs) = (ExactSum::default(), 0.0_f64);
    for (i, (&y, row)) in y.iter().zip(rows).enumerate() {
        signs = signs.max(row.w.dual().wrong(y).abs() / y_max);
        sum.add(p.q[i], y);
    }
    for (j, row) in rows.iter().enumerate() {
        // sup over z_j of (Mᵀy)_j z_j
        let mty = ExactSum::row(&conditions.k.view(), j, y).value();
        let bound = if mty > 0.0 { row.upper } else { row.lower };
        if bound.is_finite() {
            sum.add(mty, bound);
        }
    }
    FarkasCheck::of(&sum, signs, conditions.left(y))
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

    /// [[1 + δ, −1], [−1, 1 + δ]]: at δ = 1e-10 the solution is (1e10, 1e10), and no vector proves that there is none.
    #[test]
    fn nearly_singular_is_not_infeasible() {
        for delta in [1e-7, 1e-10, 1e-13, 1e-14] {
            let mut p = jam();
            p.m = CsrBuf::from_triplets(
                2,
                2,
                &[(0, 0, 1.0 + delta), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0 + delta)],
            );
            let solution = 1.0 / delta;
            for y in [[1.0, 1.0], [1.0, 1.0 + 1e-8], [1.0 - 1e-7, 1.0]] {
                let check = check_farkas(&p.view(), &y);
                assert!(!check.proves() && check.reach <= 1.001 * solution, "{delta} {y:?} {check:?}");
                assert!(check.reach > 0.5 * solution, "{delta} {y:?} {check:?}");
            }
        }
    }

    /// The accuracy of a solver is enough where the problem is what it says, in whatever units.
    #[test]
    fn vectors_of_a_solvers_accuracy_prove() {
        for units in [1.0, 1e9, 1e-9] {
            let (c, s) = (0.1_f64.cos(), 0.1_f64.sin());
            // Two walls that are turned, in a unit of their own, and a third row that has no part in it.
            let w = [[units * c, units * s], [-c, -s], [3.0, 1.0]];
            let m = nalgebra::DMatrix::from_fn(3, 3, |i, j| w[i][0] * w[j][0] + w[i][1] * w[j][1]);
            let p = MlcpBuf::from_parts(
                CsrBuf::from_dense(&m),
                vec![-units, -1.0, 5.0],
                vec![0.0; 3],
                vec![f64::INFINITY; 3],
                1e-10,
            );
            let y = [1.0 / units, 1.0 + 1e-7, 0.0];
            assert!(check_farkas(&p.view(), &y).proves(), "{units} {:?}", check_farkas(&p.view(), &y));
        }
    }
}
