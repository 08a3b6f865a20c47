//! Anderson's acceleration of a fixed point z = G(z) (Walker & Ni 2011, type II): a sweep, or a program with something frozen.
//!
//! From the last m differences ΔF of residuals f = G(z) − z and ΔG of images: γ minimises |f − ΔF γ|, and the next point
//! is G(z) − ΔG γ. Unknowns are measured in their scales. The caller keeps it honest: a step that makes the residual
//! grow is taken back and the memory cleared.

/// Memory of the acceleration.
#[derive(Debug, Clone, Default)]
pub struct Anderson {
    depth: usize,
    stored: usize,
    next: usize,
    has_last: bool,
    d_f: Vec<Vec<f64>>,
    d_g: Vec<Vec<f64>>,
    last_f: Vec<f64>,
    last_g: Vec<f64>,
    f: Vec<f64>,
    normal: Vec<f64>,
    gamma: Vec<f64>,
}

/// Tikhonov term of the least-squares problem, relative to its diagonal.
const DAMPING: f64 = 1e-12;

impl Anderson {
    /// Empties the memory for `n` unknowns and `depth` remembered steps.
    pub fn start(&mut self, n: usize, depth: usize) {
        self.depth = depth;
        self.d_f.resize_with(depth, Vec::new);
        self.d_g.resize_with(depth, Vec::new);
        for x in
            self.d_f.iter_mut().chain(&mut self.d_g).chain([&mut self.last_f, &mut self.last_g, &mut self.f])
        {
            x.resize(n, 0.0);
        }
        self.clear();
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        (self.stored, self.next, self.has_last) = (0, 0, false);
    }

    /// Takes z and g = G(z), replaces g by the accelerated point; false when there was nothing to accelerate with.
    pub fn accelerate(&mut self, z: &[f64], g: &mut [f64], scale: &[f64]) -> bool {
        if self.depth == 0 {
            return false;
        }
        for i in 0..z.len() {
            self.f[i] = (g[i] - z[i]) / scale[i];
        }
        if self.has_last {
            let slot = self.next;
            for i in 0..z.len() {
                self.d_f[slot][i] = self.f[i] - self.last_f[i];
                self.d_g[slot][i] = g[i] - self.last_g[i];
            }
            self.next = (slot + 1) % self.depth;
            self.stored = (self.stored + 1).min(self.depth);
        }
        self.has_last = true;
        self.last_f.copy_from_slice(&self.f);
        self.last_g.copy_from_slice(g);
        if self.stored == 0 || !self.find_gamma() {
            return false;
        }
        for k in 0..self.stored {
            let gamma = self.gamma[k];
            for (g, d) in g.iter_mut().zip(&self.d_g[k]) {
                *g -= gamma * d;
            }
        }
        true
    }

    /// γ from the damped normal equations, by Cholesky's method.
    fn find_gamma(&mut self) -> bool {
        let m = self.stored;
        self.normal.resize(m * m, 0.0);
        self.gamma.resize(m, 0.0);
        for r in 0..m {
            for c in 0..=r {
                self.normal[r * m + c] = dot(&self.d_f[r], &self.d_f[c]);
            }
            self.normal[r * m + r] *= 1.0 + DAMPING;
            self.gamma[r] = dot(&self.d_f[r], &self.f);
        }
        for c in 0..m {
            for r in c..m {
                let sum: f64 = (0..c).map(|k| self.normal[r * m + k] * self.normal[c * m + k]).sum();
                let value = self.normal[r * m + c] - sum;
                if r == c && !(value > 0.0) {
                    return false;
                }
                self.normal[r * m + c] = if r == c { value.sqrt() } else { value / self.normal[c * m + c] };
            }
        }
        for r in 0..m {
            let sum: f64 = (0..r).map(|k| self.normal[r * m + k] * self.gamma[k]).sum();
            self.gamma[r] = (self.gamma[r] - sum) / self.normal[r * m + r];
        }
        for r in (0..m).rev() {
            let sum: f64 = (r + 1..m).map(|k| self.normal[k * m + r] * self.gamma[k]).sum();
            self.gamma[r] = (self.gamma[r] - sum) / self.normal[r * m + r];
        }
        self.gamma[..m].iter().all(|g| g.is_finite())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_fixed_point_is_found_in_as_many_steps_as_it_has_unknowns() {
        // G(z) = A z + c with spectral radius 0.99.
        let g = |z: &[f64]| vec![0.99 * z[0] + 0.1 * z[1] + 1.0, 0.9 * z[1] - 2.0];
        let exact = [(1.0 - 2.0) / 0.01, -20.0];
        let mut z = vec![0.0, 0.0];
        let mut anderson = Anderson::default();
        anderson.start(2, 3);
        for _ in 0..5 {
            let mut next = g(&z);
            anderson.accelerate(&z, &mut next, &[1.0, 1.0]);
            z = next;
        }
        assert!((z[0] - exact[0]).abs() < 1e-6 && (z[1] - exact[1]).abs() < 1e-6, "{z:?}");
    }
}
