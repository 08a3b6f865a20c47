//! Checks that all numbers of an array are finite.

use crate::fault::Flaw;

/// All numbers finite, or the first that is not.
#[inline]
pub(crate) fn finite(what: &str, values: &[f64]) -> Result<(), Flaw> {
    if all_finite(values) { Ok(()) } else { Err(first_not_finite(what, values)) }
}

/// Returns true if all numbers are finite.
#[inline]
pub(crate) fn all_finite(values: &[f64]) -> bool {
    // x · 0 is ±0 for finite x and NaN otherwise. Bits are gathered, not sums: no number waits for the one before, and there is no early
    // exit.
    let bits = values.iter().fold(0, |bits, x| bits | (x * 0.0).to_bits());
    bits << 1 == 0
}

#[cold]
fn first_not_finite(what: &str, values: &[f64]) -> Flaw {
    let place = values.iter().position(|x| !x.is_finite()).unwrap_or_default();
    Flaw::non_finite(format!("{what}[{place}] is {}", values[place]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_that_is_not_finite_is_told_wherever_it_stands() {
        let lawful = [0.0, -0.0, f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, -1.5];
        for n in 0..=20 {
            let mut values: Vec<f64> = lawful.into_iter().cycle().take(n).collect();
            assert!(finite("v", &values).is_ok(), "{values:?}");
            for k in 0..n {
                for bad in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let was = std::mem::replace(&mut values[k], bad);
                    let flaw = finite("v", &values).unwrap_err();
                    assert_eq!(flaw.message, format!("v[{k}] is {bad}"));
                    values[k] = was;
                }
            }
        }
    }
}
