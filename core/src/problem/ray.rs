//! Vectors that may prove something, made as exact as their numbers can be, and measured without rounding of sums.
//!
//! A proof is a vector y with linear conditions K y = 0, ≤ 0 or ≥ 0 row by row. Solvers give it to their own accuracy; what is
//! left of the conditions is removed here by the smallest relative changes of the entries, y_i (1 + e_i), so that signs and
//! zeros stay. Where K is not singular there is nothing to remove it with, and what is left says so.

use crate::sparse::{Csr, CsrBuf};

/// Part of its terms up to which a condition holds: what rounding of the entries makes of it, and of the sums that they come from.
pub(super) const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Rounds of removal.
const ROUNDS: usize = 6;

/// Largest relative change of an entry: more of it is another vector, and no refinement.
const LARGEST_CHANGE: f64 = 1e-3;

/// A sum of products in twice the working precision (Ogita, Rump & Oishi 2005, algorithm 5.3).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ExactSum {
    sum: f64,
    rest: f64,
    /// Sum of the terms' absolute values.
    pub(super) size: f64,
}

impl ExactSum {
    /// Adds a b.
    #[inline]
    pub(super) fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let sum = self.sum + product;
        let part = sum - self.sum;
        let lost = (self.sum - (sum - part)) + (product - part);
        self.rest += lost + a.mul_add(b, -product);
        self.sum = sum;
        self.size += product.abs();
    }

    /// Σ a b.
    pub(super) fn value(&self) -> f64 {
        self.sum + self.rest
    }

    /// Row i of K times y.
    pub(super) fn row(k: &Csr<'_>, i: usize, y: &[f64]) -> Self {
        let mut sum = Self::default();
        k.entries(i).for_each(|(j, a)| sum.add(a, y[j]));
        sum
    }
}

/// Condition on a number: a row of K y, or w_i of a complementarity problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Anything.
    Free,
    /// 0.
    Zero,
    /// At most 0.
    AtMost,
    /// At least 0.
    AtLeast,
}

impl Sense {
    /// Recession cone of {l ≤ x ≤ u}: directions that lead from no point of it out of it.
    pub(super) fn recession(lower: f64, upper: f64) -> Self {
        match (lower.is_finite(), upper.is_finite()) {
            (false, false) => Self::Free,
            (true, false) => Self::AtLeast,
            (false, true) => Self::AtMost,
            (true, true) => Self::Zero,
        }
    }

    /// Dual cone: numbers without a negative product with any of this sense.
    pub(super) fn dual(self) -> Self {
        match self {
            Self::Free => Self::Zero,
            Self::Zero => Self::Free,
            half => half,
        }
    }

    /// Polar cone: numbers without a positive product with any of this sense.
    pub(super) fn polar(self) -> Self {
        match self.dual() {
            Self::AtMost => Self::AtLeast,
            Self::AtLeast => Self::AtMost,
            whole => whole,
        }
    }

    /// How far a value is from it, with the value's sign.
    #[inline]
    pub(super) fn wrong(self, value: f64) -> f64 {
        match self {
            Self::Free => 0.0,
            Self::Zero => value,
            Self::AtMost => value.max(0.0),
            Self::AtLeast => value.min(0.0),
        }
    }
}

/// K y against what its rows have to be.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    pub(super) k: CsrBuf,
    pub(super) sense: Vec<Sense>,
}

/// Residual of conditions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Left {
    /// Largest part of its own terms that a condition is off by.
    pub(super) worst: f64,
    /// Sum of what they are off by.
    pub(super) sum: f64,
    /// Largest sum of terms of a condition.
    pub(super) size: f64,
}

impl Conditions {
    /// Residual of the conditions at y.
    pub(super) fn left(&self, y: &[f64]) -> Left {
        let mut left = Left::default();
        for (i, sense) in self.sense.iter().enumerate() {
            let row = ExactSum::row(&self.k.view(), i, y);
            let wrong = sense.wrong(row.value()).abs();
            if wrong > 0.0 {
                left.worst = left.worst.max(wrong / row.size);
                left.sum += wrong;
            }
            if *sense != Sense::Free {
                left.size = left.size.max(row.size);
            }
        }
        left
    }

    /// Adds the rows that are wrong at y, over their sizes, to what is to vanish: B of e ↦ K (y e), and −K y.
    fn take_active(&self, y: &[f64], active: &mut [bool]) -> (CsrBuf, Vec<f64>) {
        let (mut b, mut right, k) = (CsrBuf::default(), Vec::new(), self.k.view());
        b.clear(y.len());
        for (i, sense) in self.sense.iter().enumerate() {
            let row = ExactSum::row(&k, i, y);
            active[i] |= sense.wrong(row.value()) != 0.0;
            if active[i] && row.size > 0.0 {
                k.entries(i).for_each(|(j, a)| b.push(j, a * y[j] / row.size));
                b.end_row();
                right.push(-row.value() / row.size);
            }
        }
        (b, right)
    }
}

/// Removes from y what is left of its conditions, as far as the smallest relative changes of its entries can. Conditions may
/// depend on y.
pub(super) fn refine(y: &mut [f64], conditions: impl Fn(&[f64]) -> Conditions) {
    let mut active = Vec::new();
    for _ in 0..ROUNDS {
        let conditions = conditions(y);
        active.resize(conditions.sense.len(), false);
        let (b, right) = conditions.take_active(y, &mut active);
        if right.iter().all(|r| r.abs() <= f64::EPSILON) {
            return;
        }
        let change = least_change(&b.view(), right, y.len());
        y.iter_mut().zip(&change).for_each(|(y, e)| *y *= 1.0 + e);
    }
}

/// The smallest e that makes |B e − r| least, by conjugate gradients (CGLS); e as far as it stays a small change.
fn least_change(b: &Csr<'_>, mut rest: Vec<f64>, n: usize) -> Vec<f64> {
    let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
    let transposed = |rest: &[f64]| {
        let mut out = vec![0.0; n];
        rest.iter().enumerate().for_each(|(i, r)| b.add_row_scaled(i, *r, &mut out));
        out
    };
    let (mut e, mut direction, mut image) = (vec![0.0; n], transposed(&rest), vec![0.0; rest.len()]);
    let mut slope = square(&direction);
    for _ in 0..2 * rest.len().min(n) + 10 {
        b.multiply(&direction, &mut image);
        let step = slope / square(&image);
        let is_small = |(e, d): (&f64, &f64)| (e + step * d).abs() <= LARGEST_CHANGE;
        if !step.is_finite() || !e.iter().zip(&direction).all(is_small) {
            break;
        }
        e.iter_mut().zip(&direction).for_each(|(e, d)| *e += step * d);
        rest.iter_mut().zip(&image).for_each(|(r, q)| *r -= step * q);
        let gradient = transposed(&rest);
        let before = std::mem::replace(&mut slope, square(&gradient));
        direction.iter_mut().zip(&gradient).for_each(|(d, g)| *d = g + slope / before * *d);
    }
    e
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_cancel_are_right() {
        let mut sum = ExactSum::default();
        [(1e16, 1.0), (1.0, 1.0), (-1e16, 1.0), (1e-8, 1e-8)].into_iter().for_each(|(a, b)| sum.add(a, b));
        assert_eq!(sum.value(), 1.0 + 1e-16);
        let mut square = ExactSum::default();
        square.add(1.0 + f64::EPSILON, 1.0 + f64::EPSILON);
        square.add(-1.0, 1.0);
        assert_eq!(square.value(), 2.0 * f64::EPSILON + f64::EPSILON * f64::EPSILON);
    }

    fn zero(k: &[&[f64]]) -> Conditions {
        let dense = nalgebra::DMatrix::from_fn(k.len(), k[0].len(), |i, j| k[i][j]);
        Conditions { k: CsrBuf::from_dense(&dense), sense: vec![Sense::Zero; k.len()] }
    }

    #[test]
    fn errors_of_a_solver_are_removed() {
        let k: [&[f64]; 3] = [&[0.3, -0.7, 0.0], &[0.0, 1e6, -0.2e6], &[0.3, 0.3, -0.2]];
        let (true_y, mut y) = ([7.0, 3.0, 15.0], [7.0 * (1.0 + 3e-7), 3.0, 15.0 * (1.0 - 8e-7)]);
        assert!(zero(&k).left(&y).worst > 1e-8);
        refine(&mut y, |_| zero(&k));
        assert!(zero(&k).left(&y).worst <= ROUNDING, "{:?}", zero(&k).left(&y));
        assert!((0..3).all(|i| (y[i] / y[0] - true_y[i] / 7.0).abs() < 1e-14), "{y:?}");
    }

    /// Only y = 0 makes both rows vanish: it is another vector.
    #[test]
    fn what_cannot_vanish_stays() {
        let k: [&[f64]; 2] = [&[1.0 + 1e-10, -1.0], &[-1.0, 1.0 + 1e-10]];
        let mut y = [1.0, 1.0 + 1e-7];
        refine(&mut y, |_| zero(&k));
        let left = zero(&k).left(&y);
        assert!(left.worst > 4e-11 && left.worst < 6e-11 && y[0] > 0.99, "{left:?} {y:?}");
    }

    #[test]
    fn signs_that_are_right_already_are_left_alone() {
        let mut conditions = zero(&[&[1.0, -1.0, 0.0], &[1.0, 1.0, 1.0]]);
        conditions.sense[1] = Sense::AtLeast;
        let mut y = [1.0, 1.0 + 1e-8, 5.0];
        refine(&mut y, |_| conditions.clone());
        assert!(conditions.left(&y).worst <= ROUNDING && y[2] == 5.0, "{y:?}");
    }
}
