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
    // x · 0 is 0 for finite x and NaN otherwise. Four sums without early exit run at memory speed.
    let (mut sum, chunks) = ([0.0; 4], values.chunks_exact(4));
    let rest: f64 = chunks.remainder().iter().map(|x| x * 0.0).sum();
    for chunk in chunks {
        (0..4).for_each(|k| sum[k] += chunk[k] * 0.0);
    }
    sum[0] + sum[1] + sum[2] + sum[3] + rest == 0.0
}

#[cold]
fn first_not_finite(what: &str, values: &[f64]) -> Flaw {
    let place = values.iter().position(|x| !x.is_finite()).unwrap_or_default();
    Flaw::non_finite(format!("{what}[{place}] is {}", values[place]))
}
