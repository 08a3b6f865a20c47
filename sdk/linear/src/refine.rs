//! Iterative refinement: the residual of a solution, solved again with the same factors.

/// A residual has to fall below this part of the one before, or refinement ends.
const PROGRESS: f64 = 0.9;
/// Relative residual that counts as rounding.
const ROUNDING: f64 = 1e-15;

/// Factors of a matrix near K, and the residual of K itself.
pub trait Refine {
    /// x ← F⁻¹ x with the factors F.
    fn apply_inverse(&mut self, x: &mut [f64]);

    /// out = r − K d; returns |out|∞, ∞ where anything is not a number.
    fn defect(&self, d: &[f64], out: &mut [f64]) -> f64;
}

/// Refines d = F⁻¹ r, r ≠ 0 of size |r|∞, by at most `rounds` solves. `residual` is memory. Returns the last |r − K d|∞ / |r|∞.
pub fn refine(k: &mut impl Refine, size: f64, d: &mut [f64], residual: &mut Vec<f64>, rounds: u32) -> f64 {
    residual.resize(d.len(), 0.0);
    let mut relative = k.defect(d, residual) / size;
    for _ in 0..rounds {
        if !(relative > ROUNDING && relative.is_finite()) {
            break;
        }
        k.apply_inverse(residual);
        d.iter_mut().zip(residual.iter()).for_each(|(x, c)| *x += c);
        let next = k.defect(d, residual) / size;
        let better = next < PROGRESS * relative;
        relative = next;
        if !better {
            break;
        }
    }
    relative
}

/// |x|∞, ∞ where anything is not a number.
pub fn norm(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |m, v| if v.is_nan() { f64::INFINITY } else { m.max(v.abs()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K = 2, factorised as 2 + ε.
    struct Shifted(f64);

    impl Refine for Shifted {
        fn apply_inverse(&mut self, x: &mut [f64]) {
            x[0] /= 2.0 + self.0;
        }

        fn defect(&self, d: &[f64], out: &mut [f64]) -> f64 {
            out[0] = 1.0 - 2.0 * d[0];
            norm(out)
        }
    }

    #[test]
    fn a_shift_is_refined_away() {
        let (mut d, mut memory) = ([1.0 / 2.1], Vec::new());
        assert!(refine(&mut Shifted(0.1), 1.0, &mut d, &mut memory, 20) <= 1e-15);
        assert!((d[0] - 0.5).abs() < 1e-15);
        let mut far = [1.0 / 9.0];
        assert!(refine(&mut Shifted(7.0), 1.0, &mut far, &mut memory, 2) > 0.1, "two rounds are not enough");
        assert_eq!(norm(&[1.0, f64::NAN]), f64::INFINITY);
    }
}
