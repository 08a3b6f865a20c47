//! Laws of single rows, blocks and cones at a solution.

use super::own_sizes::{Size, part};

/// Size of z_i − l_i and of w_i, in sizes of both, below which both are 0.
pub(super) const TIE: f64 = 1e-6;

/// How ties are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    /// Equations: w_i = 0, contacts stick.
    Equations,
    /// Bounds: z_i = l_i, contacts slip or are open.
    Bounds,
}

/// Law of one unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Row {
    /// w_i = 0.
    Equation,
    /// z_i = l_i.
    Lower,
    /// z_i = u_i.
    Upper,
    /// z_i keeps this value: nothing depends on it.
    Held(f64),
    /// The law of its block or cone.
    Block,
}

/// Law of a friction block or of a second-order cone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// z = 0 (cones: y = 0).
    Open,
    /// w = 0 (cones: s = 0).
    Stick,
    /// Both on the boundary.
    Slip,
    /// About to slip: friction has its bound, and a slip would be against it.
    Edge,
    /// Presses (w_n = 0) next to nothing, and hardly slips: nothing tells where its friction points, and it has none.
    Smooth,
}

/// The law of a row, and whether two hold.
pub(super) fn row_of(
    (z, w): (f64, f64),
    (lower, upper): (f64, f64),
    (z_size, w_size): (Size, Size),
    ties: Ties,
) -> (Row, bool) {
    if lower == f64::NEG_INFINITY && upper == f64::INFINITY {
        return (Row::Equation, false);
    }
    let (below, above) = (z - lower, upper - z);
    let (gap, bound) = if below <= above { (below, Row::Lower) } else { (above, Row::Upper) };
    let (gap, w) = (part(gap.abs(), z_size), part(w.abs(), w_size));
    match (gap <= TIE && w <= TIE, ties) {
        (true, Ties::Equations) => (Row::Equation, true),
        (true, Ties::Bounds) => (bound, true),
        (false, _) => (if gap > w { Row::Equation } else { bound }, false),
    }
}
