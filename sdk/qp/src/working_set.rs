//! Which rows hold as equations, and at which bound.

/// The bound at which a row of the working set holds. For an equation both are the same, and its multiplier is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// s_i = l_i, y_i ≥ 0.
    Lower,
    /// s_i = u_i, y_i ≤ 0.
    Upper,
}

/// One row of a working set: its number in G and its side.
pub type ActiveRow = (u32, Side);

/// The working set that a dual vector implies: rows with y_i > `threshold` at their lower, with y_i < −`threshold` at
/// their upper bound, in the order of the rows.
pub fn working_set_of_dual(y: &[f64], threshold: f64, rows: &mut Vec<ActiveRow>) {
    rows.clear();
    for (i, &yi) in y.iter().enumerate().filter(|(_, yi)| yi.abs() > threshold) {
        rows.push((i as u32, if yi > 0.0 { Side::Lower } else { Side::Upper }));
    }
}
