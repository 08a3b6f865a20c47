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
    let scale = inverse_power_below(largest);
    row.iter_mut().for_each(|x| *x *= scale);
    scale
}

/// 2^−k with 2^k ≤ x < 2^(k+1), for a normal x > 0; k at most 1000 in size.
fn inverse_power_below(x: f64) -> f64 {
    // The exponents of 2^k and 2^−k, as they are stored, have the sum 2 · 1023.
    let exponent = 2 * 1023 - (x.to_bits() >> 52);
    f64::from_bits(exponent.clamp(23, 2023) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_scaled_by_powers_of_two() {
        for (largest, scale) in
            [(1.0, 1.0), (1.999, 1.0), (2.0, 0.5), (0.75, 2.0), (3e-310, 1.0), (5.0, 0.25)]
        {
            let mut row = [0.0, -largest, largest / 3.0];
            assert_eq!(equilibrate(&mut row), scale, "{largest}");
            assert_eq!(row[1], -largest * scale);
        }
        assert_eq!(inverse_power_below(1e300), 2.0_f64.powi(-996));
        assert_eq!(inverse_power_below(f64::MAX), 2.0_f64.powi(-1000), "no subnormal scale");
        assert_eq!(inverse_power_below(1e-307), 2.0_f64.powi(1000));
    }
}
