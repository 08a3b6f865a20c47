//! Balanced units of a problem in w = M z + q: M̄ = C M C, q̄ = C q / s, z = s C z̄.
//!
//! C is diagonal and the same on both sides, so that the change of units is a congruence: monotone, copositive, P₀ and
//! symmetric matrices stay what they are. Its entries are powers of two, so that no digit is lost. s = |C q|∞ makes the
//! size of a typical impulse and velocity one; bounds are divided like the unknowns.

use vinci_core::Csr;

/// C and s of the module's formulas; memory is kept between problems.
#[derive(Debug, Default)]
pub struct Congruence {
    /// Diagonal of C.
    c: Vec<f64>,
    /// s.
    size: f64,
    largest: Vec<f64>,
}

impl Congruence {
    /// Ruiz's balancing (2001), restricted to one factor per index: c_i is divided by the root of the largest entry in row and
    /// column i, `rounds` times. `share` sees the largest entries of every round and may make those equal that are to have
    /// the same factor. The factors are then rounded to powers of two.
    pub fn balance(&mut self, m: Csr<'_>, rounds: u32, share: impl Fn(&mut [f64])) {
        let n = m.n_rows();
        self.c.clear();
        self.c.resize(n, 1.0);
        for _ in 0..rounds {
            self.largest.clear();
            self.largest.resize(n, 0.0);
            for i in 0..n {
                for (j, v) in m.entries(i) {
                    let size = (self.c[i] * v * self.c[j]).abs();
                    self.largest[i] = self.largest[i].max(size);
                    self.largest[j] = self.largest[j].max(size);
                }
            }
            share(&mut self.largest);
            for (c, &size) in self.c.iter_mut().zip(&self.largest) {
                if size > 0.0 {
                    *c /= size.sqrt();
                }
            }
        }
        for c in &mut self.c {
            *c = 2.0_f64.powi(c.log2().round().clamp(-500.0, 500.0) as i32);
        }
    }

    /// Chooses s by `q` and writes q̄ to `out`.
    pub fn scale(&mut self, q: &[f64], out: &mut Vec<f64>) {
        self.size = self.c.iter().zip(q).fold(0.0_f64, |m, (c, q)| m.max((c * q).abs()));
        if self.size == 0.0 {
            self.size = 1.0;
        }
        out.clear();
        out.extend(self.c.iter().zip(q).map(|(c, q)| c * q / self.size));
    }

    /// C_ii.
    #[inline]
    pub fn factor(&self, i: usize) -> f64 {
        self.c[i]
    }

    /// z̄_i = z_i / (s C_ii): an unknown of the given problem, or a bound of it, in balanced units.
    #[inline]
    pub fn inward(&self, i: usize, z: f64) -> f64 {
        z / (self.c[i] * self.size)
    }

    /// z = s C z̄.
    pub fn outward(&self, balanced: &[f64], z: &mut [f64]) {
        for (i, z) in z.iter_mut().enumerate() {
            *z = self.c[i] * self.size * balanced[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::CsrBuf;

    #[test]
    fn entries_come_near_one_and_unknowns_come_back_to_the_bit() {
        let m =
            CsrBuf::from_triplets(3, 3, &[(0, 0, 1e8), (0, 1, 3.0), (1, 0, 3.0), (1, 1, 1e-6), (2, 2, 5.0)]);
        let (mut units, mut q) = (Congruence::default(), Vec::new());
        units.balance(m.view(), 8, |_| ());
        units.scale(&[1e3, -2.0, 0.1], &mut q);
        for i in 0..3 {
            let largest = m.view().entries(i).map(|(j, v)| (units.factor(i) * v * units.factor(j)).abs());
            let largest = largest.fold(0.0, f64::max);
            assert!((0.25..4.0).contains(&largest), "row {i}: {largest}");
            assert_eq!(units.factor(i).log2().fract(), 0.0);
        }
        assert_eq!(q.iter().fold(0.0_f64, |m, q| m.max(q.abs())), 1.0);
        let (z, mut back) = ([0.3, -7.0, 11.0], [0.0; 3]);
        let balanced: Vec<f64> = (0..3).map(|i| units.inward(i, z[i])).collect();
        units.outward(&balanced, &mut back);
        assert!(z.iter().zip(back).all(|(z, b)| (z - b).abs() <= 1e-15 * z.abs()), "{back:?}");
    }

    #[test]
    fn shared_rows_have_one_factor() {
        let m = CsrBuf::from_triplets(2, 2, &[(0, 0, 1e6), (1, 1, 1.0)]);
        let mut units = Congruence::default();
        units.balance(m.view(), 6, |largest| largest.fill(largest.iter().copied().fold(0.0, f64::max)));
        assert_eq!(units.factor(0), units.factor(1));
    }
}
