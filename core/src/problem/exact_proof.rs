//! Exactness of proofs: a vector of finite precision seldom meets its conditions exactly, but it may stand beside one that does.
//!
//! Let B e = r be what relative changes e of the entries, y_i (1 + e_i), do to the conditions that are to vanish, each over the size of
//! its terms. Where the rows of B are independent, |Bᵀ u| ≥ σ |u|, there is an e with |e| ≤ |r|/σ that makes all of them vanish exactly. With
//! |r| of 1e-24 such an e is far below what would turn a sign, a condition that holds by far, or the value of the proof. So there is an exact
//! proof, whatever its digits are. A cone counts as one such condition, s_0 = |s_r|, on its rim away from the apex. Where rows depend on
//! each other nothing is said, unless all sums are zero exactly as they stand.

use super::ray::{Conditions, ExactSum, Sense, Vector, depth};
use crate::sparse::Csr;
use nalgebra::{Cholesky, DMatrix};

/// Part of its terms up to which a condition is one that is to vanish.
const VANISHING: f64 = 1e-24;
/// Part of its terms from which a condition holds by far: a hundred times what e can make of it.
const CLEAR: f64 = 1e-16;
/// Part of a cone's terms from which s_0 = |s_r| is away from the apex.
const RIM: f64 = 1e-3;
/// Least σ² of B: far above what rounding makes of B Bᵀ, whose entries are of size one.
const REGULAR: f64 = 1e-9;
/// Most rows of B that are looked at: a factorisation of as many takes about a second.
const MOST_ROWS: usize = 1200;

/// Way in which a condition holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Small changes of y do not matter to it.
    ByFar,
    /// It is to vanish.
    Vanishes,
    /// All sums of a cone are zero as they stand: no change of y is known to keep its apex.
    AsItStands,
}

impl Conditions {
    /// Returns true if exact numbers as near to y as its own digits meet all conditions.
    pub(super) fn hold_exactly(&self, y: &Vector) -> bool {
        let Some(held) = self.held(y) else { return false };
        let (rows, cones) = held.split_at(self.sense.len());
        let is_zero = |i: usize| is_exactly_zero(&self.k.view(), i, y);
        let stands = (0..rows.len()).filter(|&i| rows[i] == Held::Vanishes).all(is_zero);
        if stands && !cones.contains(&Held::Vanishes) {
            return true;
        }
        if cones.contains(&Held::AsItStands) {
            return false;
        }
        let mut vanishing: Vec<bool> = held.iter().map(|h| *h == Held::Vanishes).collect();
        let (b, right) = self.take_active(y, &mut vanishing);
        right.iter().all(|r| r.abs() <= VANISHING) && has_independent_rows(&b.view())
    }

    /// How rows, and then cones, hold; nothing where one holds neither by far nor vanishes.
    fn held(&self, y: &Vector) -> Option<Vec<Held>> {
        let row = |i: usize| {
            let (sense, sum) = (self.sense[i], ExactSum::row(&self.k.view(), i, y));
            let wrong = sense.wrong(sum.value()) != 0.0;
            if sense == Sense::Free { Some(Held::ByFar) } else { held(wrong, sum.value(), sum.size) }
        };
        let cone = |cone: std::ops::Range<usize>| {
            let s = self.in_cone(cone.clone(), y);
            let (depth, size) = depth(&s);
            match held(depth < 0.0, depth, size) {
                // On the rim away from the apex |s_r| is smooth, and the cone is one condition. At the apex it is as many as it has rows.
                Some(Held::Vanishes) if s[0].0.0 < RIM * size => {
                    let is_apex = cone.into_iter().all(|i| is_exactly_zero(&self.cone_rows.view(), i, y));
                    is_apex.then_some(Held::AsItStands)
                }
                other => other,
            }
        };
        (0..self.sense.len()).map(row).chain(self.cones().map(cone)).collect()
    }
}

/// The way in which a condition with this value and size of terms holds, if it is certain.
fn held(is_wrong: bool, value: f64, size: f64) -> Option<Held> {
    match value.abs() {
        _ if size == 0.0 => Some(Held::ByFar),
        v if v <= VANISHING * size => Some(Held::Vanishes),
        v => (!is_wrong && v >= CLEAR * size).then_some(Held::ByFar),
    }
}

/// Returns true if B Bᵀ − [`REGULAR`] is positive definite, by a Cholesky factorisation that goes through.
fn has_independent_rows(b: &Csr<'_>) -> bool {
    let n = b.n_rows();
    if n > MOST_ROWS.min(b.n_cols) {
        return false;
    }
    let mut gram = DMatrix::zeros(n, n);
    let mut dense = vec![0.0; b.n_cols];
    for i in 0..n {
        dense.fill(0.0);
        b.add_row_scaled(i, 1.0, &mut dense);
        (i..n).for_each(|k| gram[(k, i)] = b.row_dot(k, &dense));
        gram[(i, i)] -= REGULAR;
    }
    Cholesky::new(gram).is_some()
}

/// Returns true if (K y)_i is zero without any rounding: partial sums that do not overlap hold every digit (Shewchuk 1997).
fn is_exactly_zero(k: &Csr<'_>, i: usize, y: &Vector) -> bool {
    let mut parts: Vec<f64> = Vec::new();
    for (j, a) in k.entries(i) {
        let y = y.entries[j];
        for part in [y.0, y.1] {
            let product = a * part;
            // Below this the rounding of a product may be lost.
            if product != 0.0 && product.abs() < 1e-250 {
                return false;
            }
            add_exactly(&mut parts, product);
            add_exactly(&mut parts, a.mul_add(part, -product));
        }
    }
    parts.iter().all(|p| *p == 0.0)
}

fn add_exactly(parts: &mut Vec<f64>, mut x: f64) {
    let mut kept = 0;
    for k in 0..parts.len() {
        let (large, small) = if x.abs() < parts[k].abs() { (parts[k], x) } else { (x, parts[k]) };
        let sum = large + small;
        let rest = small - (sum - large);
        if rest != 0.0 {
            parts[kept] = rest;
            kept += 1;
        }
        x = sum;
    }
    parts.truncate(kept);
    parts.push(x);
}

#[cfg(test)]
mod tests {
    use super::super::ray::refine;
    use super::*;
    use crate::sparse::CsrBuf;

    fn conditions(k: &[&[f64]], sense: Sense) -> Conditions {
        let dense = DMatrix::from_fn(k.len(), k[0].len(), |i, j| k[i][j]);
        Conditions { k: CsrBuf::from_dense(&dense), sense: vec![sense; k.len()], ..Conditions::default() }
    }

    /// y = (7, 3)/10 is no number of finite precision, and there is one beside it.
    #[test]
    fn a_vector_beside_an_exact_one_is_told_from_one_that_has_none() {
        let open = conditions(&[&[0.3, -0.7]], Sense::Zero);
        let mut y = Vector::new(&[0.7, 0.3]);
        refine(&mut y, &open);
        assert!(open.hold_exactly(&y), "two unknowns, one condition");
        // The second condition is off by 1e-29 of its terms: only y = 0 meets both.
        let closed = conditions(&[&[1.0, -1.0, 0.0], &[1e12, -1e12, 1e-12], &[0.0, 1.0, -1e5]], Sense::Zero);
        let mut y = Vector::new(&[1.0, 1.0, 1e-5]);
        refine(&mut y, &closed);
        assert!(closed.left(&y, &[0.0; 3]).worst < 1e-28);
        assert!(!closed.hold_exactly(&y), "as many conditions as unknowns");
    }

    /// s = (y_0, 1e12 (y_1 − y_2) + 1e-12 y_0, y_1 − y_2) with y_0 of 1e-30: at the apex a cone is three conditions, and only
    /// y_0 = 0, y_1 = y_2 meets them. Away from it |(3, 4)| = 5 is one.
    #[test]
    fn a_cone_at_its_apex_is_more_than_one_condition() {
        let cone = |rows: &[&[f64]]| Conditions {
            cone_rows: CsrBuf::from_dense(&DMatrix::from_fn(3, 3, |i, j| rows[i][j])),
            cone_ends: vec![3],
            ..Conditions::default()
        };
        let steep: [&[f64]; 3] = [&[0.0; 3], &[1e-12, 1e12, -1e12], &[0.0, 1.0, -1.0]];
        assert!(!cone(&steep).hold_exactly(&Vector::new(&[1.0, 1.0, 1.0])));
        assert!(cone(&steep).hold_exactly(&Vector::new(&[0.0, 1.0, 1.0])), "the apex itself");
        let plain: [&[f64]; 3] = [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0]];
        assert!(cone(&plain).hold_exactly(&Vector::new(&[5.0, 3.0, 4.0])));
        let mut root = Vector::new(&[2.0_f64.sqrt() * (1.0 - 1e-9), 1.0, 1.0]);
        refine(&mut root, &cone(&plain));
        assert!(cone(&plain).hold_exactly(&root), "√2 is beside it");
    }

    #[test]
    fn sums_that_vanish_as_they_stand_need_no_independence() {
        let twice = conditions(&[&[1.0, -2.0], &[2.0, -4.0]], Sense::Zero);
        assert!(twice.hold_exactly(&Vector::new(&[2.0, 1.0])));
        assert!(!twice.hold_exactly(&Vector::new(&[2.0 + 1e-15, 1.0])), "off by a digit");
        // What the first row is off by is below what twice the precision holds, and the second row is a part of it.
        let hidden = conditions(&[&[1e30, -1e30, 1e-10], &[1.0, -1.0, 0.0]], Sense::Zero);
        assert!(!hidden.hold_exactly(&Vector::new(&[1.0, 1.0, 1.0])));
    }

    #[test]
    fn a_condition_on_one_side_holds_by_far_exactly_or_not() {
        let half = conditions(&[&[1.0, -1.0]], Sense::AtLeast);
        assert!(half.hold_exactly(&Vector::new(&[1.0, 0.5])), "by far");
        assert!(half.hold_exactly(&Vector::new(&[1.0, 1.0])), "exactly");
        assert!(!half.hold_exactly(&Vector::new(&[0.5, 1.0])), "not at all");
        assert!(
            half.hold_exactly(&Vector::new(&[1.0 + 1e-15, 1.0])),
            "by more than what is left of others can undo"
        );
        assert!(!half.hold_exactly(&Vector::new(&[1.0, 1.0 + 1e-15])), "wrong in the last digit");
    }
}
