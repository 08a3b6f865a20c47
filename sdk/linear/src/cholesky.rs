//! Dense Cholesky for small symmetric positive definite systems, by rows, in memory that is kept.

/// K = L Lᵀ.
#[derive(Debug, Default)]
pub struct DenseCholesky {
    n: usize,
    /// L on and below the diagonal, by rows.
    l: Vec<f64>,
}

impl DenseCholesky {
    /// Factorises K (n × n by rows, of which the lower triangle is read); false where it is not positive definite.
    pub fn factor(&mut self, n: usize, k: &[f64]) -> bool {
        self.n = n;
        self.l.clear();
        self.l.extend_from_slice(&k[..n * n]);
        cholesky(&mut self.l, n)
    }

    /// x ← K⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.l[i * n..=i * n + i];
            x[i] = (x[i] - dot(&row[..i], &x[..i])) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.l[i * n..=i * n + i];
            x[i] /= row[i];
            let (known, value) = (&mut x[..=i], row);
            let last = known[i];
            known[..i].iter_mut().zip(value).for_each(|(x, l)| *x -= l * last);
        }
    }
}

/// Puts L of K = L Lᵀ in the place of K (n × n by rows, of which the lower triangle is read); false where K is not positive definite.
pub fn cholesky(k: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        let (above, rest) = k.split_at_mut(i * n);
        let row = &mut rest[..=i];
        for j in 0..i {
            let of = &above[j * n..=j * n + j];
            row[j] = (row[j] - dot(&row[..j], &of[..j])) / of[j];
        }
        let square = row[i] - dot(&row[..i], &row[..i]);
        if !(square > f64::MIN_POSITIVE && square.is_finite()) {
            return false;
        }
        row[i] = square.sqrt();
    }
    true
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_refuses_what_is_not_definite() {
        let mut factors = DenseCholesky::default();
        let k = [4.0, 1.0, -1.0, 1.0, 3.0, 0.5, -1.0, 0.5, 2.0];
        assert!(factors.factor(3, &k));
        let mut x = [3.0, 8.5, 6.0]; // K (1, 2, 3)
        factors.solve(&mut x);
        for (got, want) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - want).abs() < 1e-14, "{x:?}");
        }
        assert!(!factors.factor(2, &[1.0, 2.0, 2.0, 1.0]));
        assert!(!factors.factor(1, &[f64::NAN]));
        assert!(factors.factor(0, &[]));
    }
}
