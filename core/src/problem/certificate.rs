//! Checking a proof that a problem has no solution.

use super::Mlcp;
use super::ray::{Conditions, ExactSum, Left, ROUNDING, Sense, Twice, Vector, refine};
use std::cmp::Ordering;

/// Part of its terms that the value of a proof has at least.
const LEAST_VALUE: f64 = 1e-9;

/// Part of its value that what is left of a proof's conditions may make: rounding of the data makes 1e-16, and terms that cancel, with any
/// multiple of them beside a proof of something else, make as much of it as they like.
const LARGEST_SHARE: f64 = 1e-9;

/// Largest of the whole numbers that a vector is tried in, and how near to them it has to be: what is tried is checked like any other.
const LARGEST_WHOLE: u32 = 2000;
const WHOLE: f64 = 1e-9;

/// Smallest reach that is told.
const LEAST_REACH: f64 = 1e3;

/// Part of its terms up to which conditions may be off for a vector to be worth refining.
const WORTH_REFINING: f64 = 1e-6;

/// How well a vector y proves that a problem has no solution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FarkasCheck {
    /// The sum that must be negative, over the sum of its terms' absolute values: qᵀy and the part of finite bounds.
    pub value: f64,
    /// Largest violation of the conditions on Mᵀy, relative to their own terms. Entries of y with a wrong sign are taken as 0.
    pub violation: f64,
    /// Part of the value that what is left of the conditions makes where unknowns have the size of the data.
    pub share: f64,
    /// No solution has |z|_j below this in all open directions: −value/Σ |wrong part of (Mᵀy)_j|; ∞ where nothing is wrong, 0 where
    /// nothing is proved.
    pub reach: f64,
    /// True if exact numbers beside y, or y itself, prove it without rounding.
    pub exact: bool,
}

impl FarkasCheck {
    /// Check of a vector that proves nothing.
    pub(super) const NOTHING: Self = Self {
        value: f64::INFINITY,
        violation: f64::INFINITY,
        share: f64::INFINITY,
        reach: 0.0,
        exact: false,
    };

    /// From the sum that must be negative, and what is left of the conditions.
    pub(super) fn of(sum: &ExactSum, left: Left) -> Self {
        let value = if sum.size > 0.0 { sum.value() / sum.size } else { 0.0 };
        let violation = left.worst;
        if !(value < 0.0 && violation.is_finite()) {
            return Self { value, violation, share: f64::INFINITY, reach: 0.0, exact: false };
        }
        let reach = if left.sum > 0.0 { -sum.value() / left.sum } else { f64::INFINITY };
        let share = left.weighed / -sum.value();
        Self { value, violation, share, reach, exact: false }
    }

    /// Returns true if y is a proof: after refinement in twice the precision its conditions hold to half a last digit of the problem's own
    /// numbers, each condition by its own terms. What is off by more is none, however small beside other rows or beside what a solution would be:
    /// the numbers may mean what they say, and [`FarkasCheck::reach`] tells how far a solution is at least.
    pub fn proves(&self) -> bool {
        self.value < -LEAST_VALUE && self.violation <= ROUNDING && self.share <= LARGEST_SHARE
    }

    /// Reach of a proof that holds to rounding only: exact numbers may have a solution, with an unknown above this. None for a proof that
    /// holds exactly, and for no proof.
    pub fn rounding_reach(&self) -> Option<f64> {
        (self.proves() && !self.exact).then_some(self.reach)
    }

    /// How far it reaches where that says something, although it proves nothing ([`FarkasCheck::reach`], at least 1e3).
    pub fn told_reach(&self) -> Option<f64> {
        Some(self.reach).filter(|reach| reach.is_finite() && *reach >= LEAST_REACH && !self.proves())
    }

    /// Returns true if refinement may make it a proof, or one that holds to rounding an exact one.
    fn is_close(&self) -> bool {
        self.value < -LEAST_VALUE && self.violation < WORTH_REFINING && !self.exact
    }

    /// The better of two: an exact proof, one to rounding, or what reaches further.
    fn or(self, other: Self) -> Self {
        let rank = |check: &Self| (check.proves(), check.exact);
        match rank(&other).cmp(&rank(&self)) {
            Ordering::Greater => other,
            Ordering::Equal if other.reach > self.reach => other,
            _ => self,
        }
    }
}

/// The measure of a vector, refined where that may make it a proof, or an exact one.
pub(super) fn checked(
    y: &[f64],
    conditions: &Conditions,
    measure: impl Fn(&Vector) -> FarkasCheck,
) -> FarkasCheck {
    let settled = |y: &Vector| {
        let check = measure(y);
        FarkasCheck { exact: check.proves() && conditions.hold_exactly(y), ..check }
    };
    let mut y = Vector::new(y);
    let check = settled(&y);
    if !check.is_close() {
        return check;
    }
    refine(&mut y, conditions);
    let check = check.or(settled(&y));
    if !check.proves() || check.exact {
        return check;
    }
    whole_numbers(&y).map_or(check, |y| check.or(settled(&y)))
}

/// The vector in whole numbers where its entries are to each other as small ones: sums of whole numbers are exact.
fn whole_numbers(y: &Vector) -> Option<Vector> {
    let largest = y.entries.iter().fold(0.0_f64, |m, y| m.max(y.0.abs()));
    let whole = |times: f64| {
        let near = |y: &Twice| {
            let (x, slack) = (times * (y.0 / largest), WHOLE * times);
            Some(x.round()).filter(|whole| (x - whole).abs() <= slack)
        };
        y.entries.iter().map(near).collect::<Option<Vec<f64>>>()
    };
    (1..=LARGEST_WHOLE).find_map(|times| whole(f64::from(times))).map(|y| Vector::new(&y))
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
    let lawful: Vec<f64> = y.iter().zip(rows).map(|(y, row)| y - row.w.dual().wrong(*y)).collect();
    checked(&lawful, &conditions, |y| measure(p, rows, &conditions, y))
}

/// Senses that (Mᵀy)_j must have so that no z_j makes it large.
fn conditions(p: &Mlcp<'_>, rows: &[RowCase]) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.k.transpose_of(&p.m, &mut Vec::new());
    conditions.sense.extend(rows.iter().map(|row| Sense::recession(row.lower, row.upper).polar()));
    conditions
}

fn measure(p: &Mlcp<'_>, rows: &[RowCase], conditions: &Conditions, y: &Vector) -> FarkasCheck {
    let mut sum = ExactSum::default();
    p.q.iter().zip(&y.entries).for_each(|(q, y)| sum.add_twice(*q, *y));
    for (j, row) in rows.iter().enumerate() {
        // sup over z_j of (Mᵀy)_j z_j
        let mty = ExactSum::row(&conditions.k.view(), j, y).value();
        let bound = if mty > 0.0 { row.upper } else { row.lower };
        if bound.is_finite() {
            sum.add(mty, bound);
        }
    }
    FarkasCheck::of(&sum, conditions.left(y, p.q))
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

    /// (1, 1) solves the second exactly, and both look alike to rounding: the reach is what can be said of either.
    #[test]
    fn a_proof_that_holds_to_rounding_tells_its_reach() {
        assert_eq!(check_farkas(&jam().view(), &[1.0, 1.0]).rounding_reach(), None);
        let eps = f64::EPSILON;
        for (q, reach) in [(-1.0, 1.0 / eps), (-eps, 1.0)] {
            let entries = [(0, 0, 1.0 + eps), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0 + eps)];
            let mut p = jam();
            (p.m, p.q) = (CsrBuf::from_triplets(2, 2, &entries), vec![q; 2]);
            let check = check_farkas(&p.view(), &[1.0, 1.0]);
            assert_eq!((check.proves(), check.rounding_reach()), (true, Some(reach)), "{check:?}");
        }
        assert_eq!(FarkasCheck::NOTHING.rounding_reach(), None);
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

    /// Two walls against each other, in a direction and a unit of their own, and a third row that has no part in it.
    fn walls(direction: [f64; 2], units: f64) -> MlcpBuf {
        let [c, s] = direction;
        let w = [[units * c, units * s], [-c, -s], [3.0, 1.0]];
        let m = nalgebra::DMatrix::from_fn(3, 3, |i, j| w[i][0] * w[j][0] + w[i][1] * w[j][1]);
        let q = vec![-units, -1.0, 5.0];
        MlcpBuf::from_parts(CsrBuf::from_dense(&m), q, vec![0.0; 3], vec![f64::INFINITY; 3], 1e-10)
    }

    /// The accuracy of a solver is enough where the problem's numbers say what it is, in whatever units.
    #[test]
    fn vectors_of_a_solvers_accuracy_prove() {
        for units in [1.0, 1e9, 2.0_f64.powi(-30)] {
            let p = walls([3.0, 4.0], units);
            let y = [1.0 / units, 1.0 + 1e-7, 0.0];
            assert!(check_farkas(&p.view(), &y).proves(), "{units} {:?}", check_farkas(&p.view(), &y));
        }
    }

    /// Products of sines and cosines are rounded: the matrix has an inverse, by less than its last digits.
    #[test]
    fn walls_that_are_singular_but_for_rounding_are_a_jam() {
        for units in [1.0, 1e9, 1e-9] {
            let p = walls([0.1_f64.cos(), 0.1_f64.sin()], units);
            let check = check_farkas(&p.view(), &[1.0 / units, 1.0 + 1e-7, 0.0]);
            assert!(check.proves() && check.reach * units > 1e14, "{units} {check:?}");
        }
    }

    /// Solutions (1, 1), (1, 1, 0) and (2³¹, 2³¹) that are exact: rounding of 4 ε was taken for 0, or one stiff column made a gap of 2⁻³¹ look like
    /// rounding. All solvers but one said "infeasible, proof checked".
    #[test]
    fn numbers_mean_what_they_say() {
        let four = 4.0 * f64::EPSILON;
        let delta = 2.0_f64.powi(-31);
        let stiff = 2.0_f64.powi(20);
        let pair = |d: f64| vec![(0, 0, 1.0 + d), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0 + d)];
        let mut with_stiff = pair(delta);
        with_stiff.extend([(2, 0, stiff), (2, 1, -stiff), (0, 2, -stiff), (1, 2, stiff), (2, 2, 1.0)]);
        for (entries, q, z) in [
            (pair(four), vec![-four; 2], vec![1.0; 2]),
            (with_stiff, vec![-delta, -delta, 0.0], vec![1.0, 1.0, 0.0]),
            (pair(delta), vec![-1.0; 2], vec![1.0 / delta; 2]),
            // Two last digits of a number of a million.
            (
                pair(delta).into_iter().map(|(i, j, m)| (i, j, m + 1_048_576.0 * m.signum())).collect(),
                vec![-1.0; 2],
                vec![1.0 / delta; 2],
            ),
        ] {
            let n = q.len();
            let m = CsrBuf::from_triplets(n, n, &entries);
            let p = MlcpBuf::from_parts(m, q, vec![0.0; n], vec![f64::INFINITY; n], 1e-10);
            assert_eq!(p.view().residual(&z).natural, 0.0);
            let mut y = vec![1.0; n];
            for third in [0.0, 1e-12, 1e-6] {
                y[2.min(n - 1)] = if n == 3 { third } else { 1.0 + third };
                let check = check_farkas(&p.view(), &y);
                let size: f64 = z.iter().sum();
                assert!(!check.proves() && check.reach <= 1.001 * size, "{z:?} {y:?} {check:?}");
            }
        }
    }

    /// A liar: an entry of the wrong sign, small beside the other and not beside its row.
    #[test]
    fn an_entry_of_the_wrong_sign_proves_nothing() {
        let row = 2.0_f64.powi(33);
        let m = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (0, 1, 1.0), (1, 0, row), (1, 1, row)]);
        let p = MlcpBuf::from_parts(m, vec![-1.0, 0.0], vec![0.0; 2], vec![f64::INFINITY; 2], 1e-10);
        assert_eq!(p.view().residual(&[1.0, 0.0]).natural, 0.0);
        let check = check_farkas(&p.view(), &[1.0, -1.0 / row]);
        assert!(!check.proves() && check.reach <= 1.0, "{check:?}");
    }
}
