//! Exact line search along a convex function, from its slope alone.

/// Part of the first slope that counts for nothing.
const FLAT: f64 = 1e-2;
/// Longest step.
const LONGEST: f64 = 1024.0;
/// Halvings at most.
const HALVINGS: usize = 50;

/// t > 0 where the slope φ'(t) of a convex φ nearly vanishes; 1 where the slope there is small enough, or where rounding has
/// left no descent at 0.
pub(super) fn minimise(mut slope: impl FnMut(f64) -> f64) -> f64 {
    let flat = FLAT * slope(0.0).abs();
    let (mut low, mut high) = (0.0, 1.0);
    let mut at = slope(high);
    if at.abs() <= flat || !(slope(0.0) < 0.0) {
        return 1.0;
    }
    while at < -flat && high < LONGEST {
        (low, high) = (high, 2.0 * high);
        at = slope(high);
    }
    if at <= flat {
        return high;
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let at = slope(middle);
        if at.abs() <= flat {
            return middle;
        }
        if at < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::minimise;

    /// φ = (t − a)² and one with a kink in its slope.
    #[test]
    fn finds_the_minimum_on_both_sides_of_one() {
        for a in [1e-6, 0.3, 1.0, 7.0] {
            let t = minimise(|t| t - a);
            assert!((t - a).abs() <= 0.011 * a, "{a}: {t}");
            let t = minimise(|t| if t < a { t - a } else { 1e6 * (t - a) });
            assert!((t - a).abs() <= 0.011 * a, "{a}: {t}");
        }
        assert_eq!(minimise(|_| 0.0), 1.0);
        assert_eq!(minimise(|t| t - 1e9), 1024.0);
    }
}
