//! Cases of the reduced LCP as cases of the problem as given, in which core judges the proofs.
//!
//! | pair of the LCP | x = 0 | w′ = 0 |
//! |---|---|---|
//! | row with one bound | z at the bound | w = 0 |
//! | row with two, its first pair | z = l | w = −x₂ ≤ 0 |
//! | row with two, the pair of its upper bound | x₂ = 0, w ≥ 0 | z = u |

use vinci_sdk::core::problem::{Mlcp, RowCase, Sense, check_farkas_case};

use crate::branch::Case;
use crate::dense::Dense;

/// Returns true if y on the equilibrated rows of the LCP proves that the problem has no solution in these cases.
pub(crate) fn is_empty_case(dense: &mut Dense, p: &Mlcp<'_>, cases: &[Case], y_rows: &[f64]) -> bool {
    let rows = rows_of(dense, p, cases);
    if rows.iter().any(|row| row.lower > row.upper) {
        return true;
    }
    let mut y = vec![0.0; p.n()];
    dense.expand_case(p, y_rows, &mut y);
    check_farkas_case(p, &rows, &y).proves()
}

fn rows_of(dense: &Dense, p: &Mlcp<'_>, cases: &[Case]) -> Vec<RowCase> {
    let mut rows: Vec<RowCase> = (0..p.n()).map(|i| RowCase::of(p, i)).collect();
    for (r, case) in cases.iter().enumerate().filter(|(_, case)| **case != Case::Open) {
        let i = dense.bridge.full_row(r);
        let (row, is_first, is_zero) = (&mut rows[i], r < dense.bridge.n_bounded(), *case == Case::ZZero);
        match (p.lower[i].is_finite(), p.upper[i].is_finite()) {
            (true, true) if is_first && is_zero => row.upper = p.lower[i],
            (true, true) if is_first => row.w = both(row.w, Sense::AtMost),
            (true, true) if is_zero => row.w = both(row.w, Sense::AtLeast),
            (true, true) => row.lower = p.upper[i],
            (true, false) if is_zero => row.upper = p.lower[i],
            (false, true) if is_zero => row.lower = p.upper[i],
            _ => row.w = Sense::Zero,
        }
    }
    rows
}

/// Intersection of two senses, of which the second is one-sided.
fn both(known: Sense, half: Sense) -> Sense {
    if known == Sense::Free || known == half { half } else { Sense::Zero }
}
