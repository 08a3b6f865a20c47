//! Judgement of a solution of a linear system, row by row.

/// Backward error of a row up to which a solution is taken: rounding is far below, and Newton's method needs less.
const ACCURATE: f64 = 1e-10;

/// Returns true if |b − K x| ≤ 1e-10 (|K| |x| + max |b|) + `rounding` max |x| in every row of K, given by rows (starts, columns, values) that
/// are scaled to a largest entry near 1. Leaves b − K x in `defect`.
pub fn solves(
    (row_start, column, value): (&[u32], &[u32], &[f64]),
    x: &[f64],
    right: &[f64],
    rounding: f64,
    defect: &mut Vec<f64>,
) -> bool {
    let largest = right.iter().fold(0.0_f64, |m, b| m.max(b.abs()));
    let floor = rounding * x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let mut good = true;
    defect.clear();
    defect.extend(row_start.windows(2).zip(right).map(|(row, b)| {
        let (mut rest, mut size) = (*b, largest);
        for k in row[0] as usize..row[1] as usize {
            let term = value[k] * x[column[k] as usize];
            rest -= term;
            size += term.abs();
        }
        good &= rest.is_finite() && rest.abs() <= ACCURATE * size + floor;
        rest
    }));
    good
}

/// Scales a row to a largest entry between 1 and 2, so that pivots are compared with each other; what it was multiplied by, a
/// power of two.
pub fn equilibrate(row: &mut [f64]) -> f64 {
    let largest = row.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if !(largest > f64::MIN_POSITIVE && largest.is_finite()) {
        return 1.0;
    }
    let scale = 2.0_f64.powi((-largest.log2().floor()).clamp(-1000.0, 1000.0) as i32);
    row.iter_mut().for_each(|x| *x *= scale);
    scale
}
