//! Dense LU with partial pivoting for small systems, by rows, in memory that is kept.

/// A factorised dense matrix P K = L U.
#[derive(Debug, Default)]
pub struct DenseLu {
    n: usize,
    /// K before, L below and U on and above the diagonal after factorisation; by rows.
    a: Vec<f64>,
    /// Row taken as pivot of each column.
    pivot: Vec<usize>,
}

impl DenseLu {
    /// Starts an n × n matrix of zeros.
    pub fn reset(&mut self, n: usize) {
        self.n = n;
        self.a.clear();
        self.a.resize(n * n, 0.0);
    }

    /// Row `i` of the matrix under construction.
    #[inline]
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.a[i * self.n..(i + 1) * self.n]
    }

    /// Factorises in place; false when a pivot vanishes or is not a number.
    pub fn factor(&mut self) -> bool {
        let n = self.n;
        self.pivot.clear();
        for k in 0..n {
            let p = self.largest_below(k);
            let pivot = self.a[p * n + k];
            if !(pivot.abs() > f64::MIN_POSITIVE && pivot.is_finite()) {
                return false;
            }
            self.pivot.push(p);
            if p != k {
                let (top, bottom) = self.a.split_at_mut(p * n);
                top[k * n..(k + 1) * n].swap_with_slice(&mut bottom[..n]);
            }
            self.eliminate(k);
        }
        true
    }

    fn largest_below(&self, k: usize) -> usize {
        let n = self.n;
        let mut best = k;
        for i in k + 1..n {
            if self.a[i * n + k].abs() > self.a[best * n + k].abs() {
                best = i;
            }
        }
        best
    }

    fn eliminate(&mut self, k: usize) {
        let n = self.n;
        let (top, bottom) = self.a.split_at_mut((k + 1) * n);
        let pivot_row = &top[k * n + k..];
        for row in bottom.chunks_exact_mut(n) {
            if row[k] == 0.0 {
                continue;
            }
            let factor = row[k] / pivot_row[0];
            row[k] = factor;
            for (x, u) in row[k + 1..].iter_mut().zip(&pivot_row[1..]) {
                *x -= factor * u;
            }
        }
    }

    /// Smallest |pivot| of a factorised matrix (∞ without rows).
    pub fn smallest_pivot(&self) -> f64 {
        (0..self.n).map(|k| self.a[k * self.n + k].abs()).fold(f64::INFINITY, f64::min)
    }

    /// x ← K⁻¹ x.
    pub fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for (k, &p) in self.pivot.iter().enumerate() {
            x.swap(k, p);
        }
        for i in 0..n {
            let row = &self.a[i * n..i * n + i];
            let dot: f64 = row.iter().zip(&x[..i]).map(|(l, v)| l * v).sum();
            x[i] -= dot;
        }
        for i in (0..n).rev() {
            let row = &self.a[i * n + i..(i + 1) * n];
            let dot: f64 = row[1..].iter().zip(&x[i + 1..n]).map(|(u, v)| u * v).sum();
            x[i] = (x[i] - dot) / row[0];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_with_row_exchange() {
        let mut lu = DenseLu::default();
        lu.reset(3);
        let k = [[0.0, 2.0, 1.0], [4.0, -1.0, 0.5], [1.0, 1.0, 1.0]];
        for (i, row) in k.iter().enumerate() {
            lu.row_mut(i).copy_from_slice(row);
        }
        assert!(lu.factor());
        let mut x = [7.0, 3.5, 6.0]; // K (1, 2, 3)
        lu.solve(&mut x);
        for (got, want) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - want).abs() < 1e-14, "{x:?}");
        }
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let mut lu = DenseLu::default();
        lu.reset(2);
        lu.row_mut(0).copy_from_slice(&[1.0, 2.0]);
        lu.row_mut(1).copy_from_slice(&[2.0, 4.0]);
        assert!(!lu.factor());
    }
}
