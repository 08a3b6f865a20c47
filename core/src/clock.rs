//! Times as people read them.

/// A time, s, without the noise of rounding: a multiple of a step prints as what it stands for, 0.41 and not 0.41000000000000003. For
/// words alone: files keep all digits.
pub fn seconds(t: f64) -> f64 {
    format!("{t:.11e}").parse().unwrap_or(t)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    /// Messages said that a run had failed at 0.41000000000000003 s.
    #[test]
    fn grid_times_have_no_noise_and_other_times_their_digits() {
        let told: Vec<String> = [41.0 * 0.01, 9.0 * 0.0005, 1.0 / 3.0, 0.0, -0.3, 12_345.678_901_2]
            .iter()
            .map(|t| seconds(*t).to_string())
            .collect();
        assert_eq!(told, ["0.41", "0.0045", "0.333333333333", "0", "-0.3", "12345.6789012"]);
        assert!(seconds(f64::NAN).is_nan() && seconds(f64::INFINITY).is_infinite());
    }
}
