//! The lexicographic choice among tied rows.

/// Relative difference below which two components count as equal.
const EQUAL: f64 = 1e-10;

/// The row of `tied` whose vector (component(row, carrier_1), component(row, carrier_2), …) / pivot(row) is
/// lexicographically smallest. With exact numbers it is unique, because the rows of [q̄, B⁻¹] are independent.
pub(crate) fn lexicographic_min(
    tied: &mut Vec<u32>,
    carriers: &[u32],
    component: impl Fn(usize, u32) -> f64,
    pivot: impl Fn(usize) -> f64,
) -> usize {
    for &carrier in carriers {
        if tied.len() == 1 {
            break;
        }
        let value = |r: u32| component(r as usize, carrier) / pivot(r as usize);
        let least = tied.iter().fold(f64::INFINITY, |m, &r| m.min(value(r)));
        tied.retain(|&r| value(r) <= least + EQUAL * (1.0 + least.abs()));
    }
    tied[0] as usize
}
