//! Exactness of proofs: a vector of finite precision seldom meets its conditions exactly, but it may stand beside one that does.
//!
//! Let B e = r be what relative changes e of the entries, y_i (1 + e_i), do to the conditions that are to vanish, each over the size of
//! its terms. Where the rows of B are independent, |Bᵀ u| ≥ σ |u|, there is an e with |e| ≤ |r|/σ that makes all of them vanish exactly. With
//! |r| of 1e-24 such an e is far below what would turn a sign, a condition that holds by far, or the value of the proof. So there is an exact
//! proof, whatever its digits are. Where rows depend on each other nothing is said, unless all sums are zero exactly as they stand.

use super::ray::{Conditions, ExactSum, Vector, depth};
use nalgebra::{Cholesky, DMatrix};

/// Part of its terms up to which a condition is one that is to vanish.
const VANISHING: f64 = 1e-24;
/// Part of its terms from which a condition holds by far.
const CLEAR: f64 = 1e-12;
/// Least σ² of B: far above what rounding makes of B Bᵀ, whose entries are of size one.
const REGULAR: f64 = 1e-9;
/// Most rows of B that are looked at: a factorisation of as many takes about a second.
const MOST_ROWS: usize = 1200;

impl Conditions {
    /// Returns true if exact numbers as near to y as its own digits meet all conditions.
    pub(super) fn hold_exactly(&self, y: &Vector) -> bool {
        let Some(mut active) = self.vanishing(y) else { return false };
        let rows = self.sense.len();
        let is_zero = |i: usize| is_exactly_zero(self.k.view().entries(i).map(|(j, a)| (a, y.entries[j])));
        if !active[rows..].contains(&true) && (0..rows).filter(|&i| active[i]).all(is_zero) {
            return true;
        }
        let (b, right) = self.take_active(y, &mut active);
        right.iter().all(|r| r.abs() <= VANISHING) && has_independent_rows(&b.view())
    }

    /// The conditions that are to vanish, rows and then cones; nothing where another one holds neither by far nor vanishes.
    fn vanishing(&self, y: &Vector) -> Option<Vec<bool>> {
        let side = |wrong: bool, value: f64, size: f64| {
            if size == 0.0 {
                Some(false)
            } else if value.abs() <= VANISHING * size {
                Some(true)
            } else {
                (!wrong && value.abs() >= CLEAR * size).then_some(false)
            }
        };
        let row = |i: usize| {
            let (sense, sum) = (self.sense[i], ExactSum::row(&self.k.view(), i, y));
            if sense.is_free() {
                Some(false)
            } else {
                side(sense.wrong(sum.value()) != 0.0, sum.value(), sum.size)
            }
        };
        let cone = |cone| {
            let (depth, size) = depth(&self.in_cone(cone, y));
            side(depth < 0.0, depth, size)
        };
        (0..self.sense.len()).map(row).chain(self.cones().map(cone)).collect()
    }
}

/// Returns true if B Bᵀ − [`REGULAR`] is positive definite, by a Cholesky factorisation that goes through.
fn has_independent_rows(b: &crate::sparse::Csr<'_>) -> bool {
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

/// Returns true if Σ a y is zero without any rounding: partial sums that do not overlap hold every digit (Shewchuk 1997).
fn is_exactly_zero(terms: impl Iterator<Item = (f64, super::ray::Twice)>) -> bool {
    let mut parts: Vec<f64> = Vec::new();
    for (a, y) in terms {
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
    use super::super::ray::{Sense, refine};
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
    fn a_condition_that_holds_by_little_is_not_called_exact() {
        let half = conditions(&[&[1.0, -1.0]], Sense::AtLeast);
        assert!(half.hold_exactly(&Vector::new(&[1.0, 0.5])), "by far");
        assert!(half.hold_exactly(&Vector::new(&[1.0, 1.0])), "exactly");
        assert!(!half.hold_exactly(&Vector::new(&[0.5, 1.0])), "not at all");
        assert!(!half.hold_exactly(&Vector::new(&[1.0 + 1e-15, 1.0])), "by the last digits");
    }
}
