//! Random numbers by counting: every number is a function of what it is for, not of what was drawn before.
//!
//! u = (w + ½)/2⁵³ with w the upper 53 bits of the first 8 bytes (big-endian) of
//! SHA-256("vinci/draw@1\0" ‖ seed ‖ level ‖ case ‖ index ‖ attempt ‖ name), numbers as 8 bytes, little-endian. `level` is 0 for cases
//! and 1 for samples; `case` is that of samples that are not common, else 2⁶⁴ − 1. So a draw is the same in any order, in any
//! shard, and whatever other parameters there are; a few lines in any language draw the same.

use sha2::{Digest, Sha256};

/// Identity of a random number: seed, case, sample and parameter it is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw<'a> {
    /// Seed of the sweep.
    pub seed: u64,
    /// 0: cases, 1: samples.
    pub level: u64,
    /// Case of samples that are not common.
    pub case: Option<u64>,
    /// Number of the case or sample.
    pub index: u64,
    /// Name of the parameter.
    pub name: &'a str,
}

impl Draw<'_> {
    /// A number in (0, 1], evenly distributed (1 by rounding alone, once in 2⁵³); `attempt` counts draws for one value.
    pub fn unit(&self, attempt: u64) -> f64 {
        let mut hash = Sha256::new();
        hash.update(b"vinci/draw@1\0");
        for word in [self.seed, self.level, self.case.unwrap_or(u64::MAX), self.index, attempt] {
            hash.update(word.to_le_bytes());
        }
        hash.update(self.name.as_bytes());
        let digest = hash.finalize();
        let word = digest[..8].iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
        ((word >> 11) as f64 + 0.5) * (0.5_f64).powi(53)
    }

    /// Standard normal (Box and Muller) from attempts 2k and 2k + 1.
    pub fn normal(&self, k: u64) -> f64 {
        let (u, w) = (self.unit(2 * k), self.unit(2 * k + 1));
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * w).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(index: u64, name: &str) -> Draw<'_> {
        Draw { seed: 7, level: 1, case: None, index, name }
    }

    /// Written down once: rows of published sweeps must stay what they are. The number is that of Python's hashlib.
    #[test]
    fn draws_are_what_their_definition_says() {
        assert_eq!(draw(3, "mu").unit(0).to_bits(), EXPECTED.to_bits());
    }
    const EXPECTED: f64 = 0.5570843163298065;

    #[test]
    fn every_part_of_what_a_draw_is_for_counts() {
        let base = draw(3, "mu");
        let others = [
            Draw { seed: 8, ..base },
            Draw { level: 0, ..base },
            Draw { case: Some(0), ..base },
            Draw { index: 4, ..base },
            Draw { name: "m", ..base },
        ];
        assert!(others.iter().all(|d| d.unit(0) != base.unit(0)));
        assert!(base.unit(1) != base.unit(0));
    }

    /// Mean 1/2 and variance 1/12 of 10⁴ numbers, within five standard errors; neighbours are uncorrelated.
    #[test]
    fn numbers_are_even_and_neighbours_independent() {
        let n = 10_000;
        let u: Vec<f64> = (0..n).map(|i| draw(i, "mu").unit(0)).collect();
        let mean = u.iter().sum::<f64>() / n as f64;
        let variance = u.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>() / n as f64;
        let product = u.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5)).sum::<f64>() / n as f64;
        assert!((mean - 0.5).abs() < 5.0 * (1.0_f64 / 12.0 / n as f64).sqrt(), "{mean}");
        assert!((variance - 1.0 / 12.0).abs() < 5.0 * (1.0_f64 / 180.0 / n as f64).sqrt(), "{variance}");
        assert!(product.abs() < 5.0 / 12.0 / (n as f64).sqrt(), "{product}");
    }

    #[test]
    fn normal_numbers_have_mean_0_and_variance_1() {
        let n = 10_000;
        let z: Vec<f64> = (0..n).map(|i| draw(i, "d").normal(0)).collect();
        let mean = z.iter().sum::<f64>() / n as f64;
        let variance = z.iter().map(|x| x * x).sum::<f64>() / n as f64;
        assert!(mean.abs() < 5.0 / (n as f64).sqrt(), "{mean}");
        assert!((variance - 1.0).abs() < 5.0 * (2.0 / n as f64).sqrt(), "{variance}");
    }
}
