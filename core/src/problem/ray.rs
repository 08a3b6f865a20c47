//! Vectors that may prove something, in twice the working precision: made as exact as that allows, and measured without rounding.
//!
//! A proof is a vector y with linear conditions K y = 0, ≤ 0 or ≥ 0 row by row, and others of cones. Solvers give it to their own
//! accuracy; what is left of the conditions is removed here by the smallest relative changes of the entries, y_i (1 + e_i), so that
//! signs and zeros stay. Where K is not singular there is nothing to remove it with, and what is left says so.

use crate::sparse::{Csr, CsrBuf};

/// Part of their terms that conditions may be off by: half a last digit of each number of the problem, which is what its rounding makes of one
/// that has no solution. Sums are in twice the precision, and add nothing.
pub(super) const ROUNDING: f64 = f64::EPSILON / 2.0;

/// Part of their terms at which conditions need no more removal.
const ENOUGH: f64 = 1e-30;

/// Rounds of removal.
const ROUNDS: usize = 8;

/// Largest relative change of an entry: more of it is another vector, and no refinement.
const LARGEST_CHANGE: f64 = 1e-3;

/// A number in twice the working precision: the sum of both, the second no more than the rounding of the first.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Twice(pub(super) f64, pub(super) f64);

impl Twice {
    /// a + b.
    fn sum(a: f64, b: f64) -> Self {
        let sum = a + b;
        let part = sum - a;
        Self(sum, (a - (sum - part)) + (b - part))
    }

    /// Square root of a sum of squares.
    fn root(square: &ExactSum) -> Self {
        let root = square.value().sqrt();
        if root == 0.0 {
            return Self::default();
        }
        // One step of Newton's: what is left of the square over twice the root.
        let mut left = *square;
        left.add(-root, root);
        Self::sum(root, left.value() / (2.0 * root))
    }
}

/// A vector in twice the working precision.
#[derive(Debug, Clone, Default)]
pub(super) struct Vector {
    pub(super) entries: Vec<Twice>,
}

impl Vector {
    pub(super) fn new(y: &[f64]) -> Self {
        Self { entries: y.iter().map(|y| Twice(*y, 0.0)).collect() }
    }

    /// y_i (1 + e_i).
    fn change(&mut self, e: &[f64]) {
        for (y, e) in self.entries.iter_mut().zip(e) {
            let sum = Twice::sum(y.0, y.0 * e);
            *y = Twice::sum(sum.0, sum.1 + y.1);
        }
    }
}

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
        let sum = Twice::sum(self.sum, product);
        self.rest += sum.1 + a.mul_add(b, -product);
        self.sum = sum.0;
        self.size += product.abs();
    }

    /// Adds a b, where b has twice the precision.
    #[inline]
    pub(super) fn add_twice(&mut self, a: f64, b: Twice) {
        self.add(a, b.0);
        self.rest += a * b.1;
    }

    /// Adds the square of a number.
    fn add_square(&mut self, a: Twice) {
        self.add(a.0, a.0);
        self.rest += 2.0 * a.0 * a.1;
    }

    /// Σ a b.
    pub(super) fn value(&self) -> f64 {
        self.sum + self.rest
    }

    /// Σ a b in twice the working precision.
    pub(super) fn twice(&self) -> Twice {
        Twice::sum(self.sum, self.rest)
    }

    /// Row i of K times y.
    pub(super) fn row(k: &Csr<'_>, i: usize, y: &Vector) -> Self {
        let mut sum = Self::default();
        k.entries(i).for_each(|(j, a)| sum.add_twice(a, y.entries[j]));
        sum
    }
}

/// s_0 − |s_r| of a vector s, and the sum of the absolute values that it comes from.
pub(super) fn depth(s: &[(Twice, f64)]) -> (f64, f64) {
    let mut square = ExactSum::default();
    s[1..].iter().for_each(|(s, _)| square.add_square(*s));
    let rest = Twice::root(&square);
    let mut depth = ExactSum::default();
    depth.add_twice(1.0, s[0].0);
    depth.add_twice(-1.0, rest);
    (depth.value(), s.iter().map(|(_, size)| size).sum())
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

/// K y against what its rows have to be, and parts of C y against the second-order cone.
#[derive(Debug, Clone, Default)]
pub(super) struct Conditions {
    pub(super) k: CsrBuf,
    pub(super) sense: Vec<Sense>,
    /// Rows C of all cones, one cone after the other.
    pub(super) cone_rows: CsrBuf,
    /// End of each cone in them.
    pub(super) cone_ends: Vec<usize>,
}

/// Residual of conditions.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Left {
    /// Largest part of its own terms that a condition is off by.
    pub(super) worst: f64,
    /// Sum of what they are off by.
    pub(super) sum: f64,
    /// Sum of them, each by the size that its multiplier has where the data are met ([`Conditions::sizes`]).
    pub(super) weighed: f64,
}

impl Conditions {
    /// Residual of the conditions at y, which proves something by Σ a_i y_i.
    pub(super) fn left(&self, y: &Vector, a: &[f64]) -> Left {
        let mut left = Left::default();
        let sizes = self.sizes(y, a);
        let mut take = |wrong: f64, size: f64, multiplier: f64| {
            if wrong > 0.0 {
                left.worst = left.worst.max(wrong / size);
                left.sum += wrong;
                left.weighed += wrong * multiplier;
            }
        };
        for (i, sense) in self.sense.iter().enumerate() {
            let row = ExactSum::row(&self.k.view(), i, y);
            take(sense.wrong(row.value()).abs(), row.size, sizes[i]);
        }
        for cone in self.cones() {
            let (depth, size) = depth(&self.in_cone(cone, y));
            take(-depth, size, 0.0);
        }
        left
    }

    /// Sizes of the multipliers x of the rows of K at which a_i is met by one of them, |a_i|/|k_ij|: the largest of the row, or where its
    /// a_i are all 0 what its neighbours' sizes make of it.
    fn sizes(&self, y: &Vector, a: &[f64]) -> Vec<f64> {
        let k = self.k.view();
        let taken = |i: usize| k.entries(i).filter(|&(j, v)| v != 0.0 && y.entries[j].0 != 0.0);
        let largest = |list: &mut dyn Iterator<Item = f64>| list.fold(0.0_f64, f64::max);
        let mut sizes: Vec<f64> =
            (0..k.n_rows()).map(|i| largest(&mut taken(i).map(|(j, v)| (a[j] / v).abs()))).collect();
        loop {
            // The effect of known rows in every column.
            let mut effect = vec![0.0_f64; y.entries.len()];
            for (i, size) in sizes.iter().enumerate() {
                taken(i).for_each(|(j, v)| effect[j] = effect[j].max((v * size).abs()));
            }
            let reached = |i: usize| largest(&mut taken(i).map(|(j, v)| (effect[j] / v).abs()));
            let next: Vec<f64> =
                sizes.iter().enumerate().map(|(i, s)| if *s > 0.0 { *s } else { reached(i) }).collect();
            if next == sizes {
                return sizes;
            }
            sizes = next;
        }
    }

    /// Ranges of the cones' rows.
    pub(super) fn cones(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.cone_ends.iter().copied());
        starts.zip(&self.cone_ends).map(|(start, end)| start..*end)
    }

    /// s = C y of a cone with the sizes of its sums.
    pub(super) fn in_cone(&self, cone: std::ops::Range<usize>, y: &Vector) -> Vec<(Twice, f64)> {
        let rows = self.cone_rows.view();
        let of = |i| ExactSum::row(&rows, i, y);
        cone.map(of).map(|sum| (sum.twice(), sum.size)).collect()
    }

    /// Adds the conditions that are wrong at y, over their sizes, to what is to vanish: B of e ↦ K (y e), and −K y.
    pub(super) fn take_active(&self, y: &Vector, active: &mut [bool]) -> (CsrBuf, Vec<f64>) {
        let (mut b, mut right, k) = (CsrBuf::default(), Vec::new(), self.k.view());
        b.clear(y.entries.len());
        for (i, sense) in self.sense.iter().enumerate() {
            let row = ExactSum::row(&k, i, y);
            active[i] |= sense.wrong(row.value()) != 0.0;
            if active[i] && row.size > 0.0 {
                k.entries(i).for_each(|(j, a)| b.push(j, a * y.entries[j].0 / row.size));
                b.end_row();
                right.push(-row.value() / row.size);
            }
        }
        for (cone, active) in self.cones().zip(&mut active[self.sense.len()..]) {
            let s = self.in_cone(cone.clone(), y);
            let (depth, size) = depth(&s);
            *active |= depth < 0.0;
            if *active && size > 0.0 {
                self.push_rim(&mut b, cone, (&s, size), y);
                right.push(-depth / size);
            }
        }
        (b, right)
    }

    /// The row of s_0 − s_r·(s_r/|s_r|) for s = C (y e), over a size.
    fn push_rim(
        &self,
        b: &mut CsrBuf,
        cone: std::ops::Range<usize>,
        (s, size): (&[(Twice, f64)], f64),
        y: &Vector,
    ) {
        let rest = s[1..].iter().map(|(s, _)| s.0 * s.0).sum::<f64>().sqrt();
        for (at, i) in cone.enumerate().filter(|(at, _)| *at == 0 || rest > 0.0) {
            let weight = if at == 0 { 1.0 } else { -s[at].0.0 / rest };
            let entries = self.cone_rows.view();
            entries.entries(i).for_each(|(j, a)| b.push(j, weight * a * y.entries[j].0 / size));
        }
        b.end_row();
    }
}

/// Removes from y what is left of its conditions, as far as the smallest relative changes of its entries can.
pub(super) fn refine(y: &mut Vector, conditions: &Conditions) {
    let mut active = vec![false; conditions.sense.len() + conditions.cone_ends.len()];
    for _ in 0..ROUNDS {
        let (b, right) = conditions.take_active(y, &mut active);
        if right.iter().all(|r| r.abs() <= ENOUGH) {
            return;
        }
        let change = least_change(&b.view(), right, y.entries.len());
        y.change(&change);
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
        Conditions {
            k: CsrBuf::from_dense(&dense),
            sense: vec![Sense::Zero; k.len()],
            ..Conditions::default()
        }
    }

    #[test]
    fn errors_of_a_solver_are_removed() {
        let k: [&[f64]; 3] = [&[0.3, -0.7, 0.0], &[0.0, 1e6, -0.2e6], &[0.3, 0.3, -0.2]];
        let conditions = zero(&k);
        // 3/7 is no number of working precision, and the third row has no part in it.
        let mut y = Vector::new(&[7.0 * (1.0 + 3e-7), 3.0, 15.0 * (1.0 - 8e-7)]);
        assert!(conditions.left(&y, &[0.0; 4]).worst > 1e-8);
        refine(&mut y, &zero(&k[..2]));
        assert!(zero(&k[..2]).left(&y, &[0.0; 4]).worst <= 1e-26, "{:?}", zero(&k[..2]).left(&y, &[0.0; 4]));
        let parts: Vec<f64> = y.entries.iter().map(|y| y.0 / 3.0).collect();
        assert!((parts[0] / parts[1] - 7.0 / 3.0).abs() < 1e-14 && (parts[2] / parts[1] - 5.0).abs() < 1e-14);
    }

    /// Only y = 0 makes both rows vanish: it is another vector.
    #[test]
    fn what_cannot_vanish_stays() {
        for delta in [1e-10, 4.0 * f64::EPSILON] {
            let k: [&[f64]; 2] = [&[1.0 + delta, -1.0], &[-1.0, 1.0 + delta]];
            let mut y = Vector::new(&[1.0, 1.0 + 1e-7]);
            refine(&mut y, &zero(&k));
            let left = zero(&k).left(&y, &[0.0; 4]);
            assert!(left.worst > 0.4 * delta && y.entries[0].0 > 0.99, "{left:?} {y:?}");
        }
    }

    #[test]
    fn signs_that_are_right_already_are_left_alone() {
        let mut conditions = zero(&[&[1.0, -1.0, 0.0], &[1.0, 1.0, 1.0]]);
        conditions.sense[1] = Sense::AtLeast;
        let mut y = Vector::new(&[1.0, 1.0 + 1e-8, 5.0]);
        refine(&mut y, &conditions);
        assert!(conditions.left(&y, &[0.0; 4]).worst <= 1e-26 && y.entries[2] == Twice(5.0, 0.0), "{y:?}");
    }

    /// A rim whose direction is no number of working precision: |(1, 1)| = √2.
    #[test]
    fn rims_of_cones_are_exact() {
        let cone_rows = CsrBuf::from_dense(&nalgebra::DMatrix::identity(3, 3));
        let conditions = Conditions { cone_rows, cone_ends: vec![3], ..Conditions::default() };
        let mut y = Vector::new(&[2.0_f64.sqrt() * (1.0 - 1e-9), 1.0, 1.0]);
        assert!(conditions.left(&y, &[0.0; 4]).worst > 1e-11);
        refine(&mut y, &conditions);
        assert!(conditions.left(&y, &[0.0; 4]).worst <= 1e-26, "{:?}", conditions.left(&y, &[0.0; 4]));
        let outside = Vector::new(&[2.0_f64.sqrt() * (1.0 - f64::EPSILON), 1.0, 1.0]);
        assert!(conditions.left(&outside, &[0.0; 4]).worst > 1e-17);
    }
}
