//! The one linear system of the method, K d = r with K = diag(a) + diag(b) M: dense below a size, sparse above.
//!
//! Rows with b_i = 0 say a_i d_i = r_i; the dense path removes them before it factorises.

use crate::scaled::Scaled;
use vinci_linear::{DenseLu, Order, Refine, ShiftedLu, norm, refine};
use vinci_sdk::core::problem::Mlcp;

/// Factorisation of K, with iterative refinement.
#[derive(Debug, Default)]
pub(crate) struct Linear {
    dense: DenseLu,
    sparse: ShiftedLu,
    use_dense: bool,
    /// Rows with b ≠ 0, and where each row stands among them.
    kept: Vec<usize>,
    position: Vec<usize>,
    a: Vec<f64>,
    b: Vec<f64>,
    packed: Vec<f64>,
    residual: Vec<f64>,
    /// Factorisations made since [`Self::start`].
    pub(crate) factorizations: u32,
}

/// Position of a row that was removed.
const REMOVED: usize = usize::MAX;

impl Linear {
    /// Prepares for a problem.
    pub(crate) fn start(&mut self, problem: &Mlcp<'_>, dense_limit: usize) {
        self.use_dense = problem.n() <= dense_limit;
        if !self.use_dense {
            self.sparse.begin(problem);
        }
        self.factorizations = 0;
    }

    /// Factorises K (with the proximal term of M) in this order of large systems; false when it is singular to working precision.
    pub(crate) fn factor(&mut self, p: &Scaled, a: &[f64], b: &[f64], order: Order) -> bool {
        self.factorizations += 1;
        self.a.clear();
        self.a.extend(a.iter().zip(b).enumerate().map(|(i, (a, b))| a + b * p.softness(i)));
        self.b.clear();
        self.b.extend_from_slice(b);
        if self.use_dense {
            return self.factor_dense(p);
        }
        self.sparse.factor(p.m(), &self.a, &self.b, order)
    }

    fn factor_dense(&mut self, p: &Scaled) -> bool {
        self.kept.clear();
        self.position.clear();
        for (i, &b) in self.b.iter().enumerate() {
            self.position.push(if b == 0.0 { REMOVED } else { self.kept.len() });
            if b != 0.0 {
                self.kept.push(i);
            }
        }
        self.dense.reset(self.kept.len());
        for (row, &i) in self.kept.iter().enumerate() {
            let target = self.dense.row_mut(row);
            for (j, v) in p.m().entries(i) {
                if self.position[j] != REMOVED {
                    target[self.position[j]] += self.b[i] * v;
                }
            }
            target[row] += self.a[i];
        }
        self.dense.factor()
    }

    /// x ← K⁻¹ x.
    fn apply_inverse(&mut self, p: &Scaled, x: &mut [f64]) {
        if !self.use_dense {
            self.sparse.solve(x);
            return;
        }
        for i in 0..x.len() {
            if self.position[i] == REMOVED {
                x[i] /= self.a[i];
            }
        }
        self.packed.clear();
        for &i in &self.kept {
            let known: f64 =
                p.m().entries(i).filter(|&(j, _)| self.position[j] == REMOVED).map(|(j, v)| v * x[j]).sum();
            self.packed.push(x[i] - self.b[i] * known);
        }
        self.dense.solve(&mut self.packed);
        for (&i, &v) in self.kept.iter().zip(&self.packed) {
            x[i] = v;
        }
    }

    /// Solves (K − diag(b) ε) d = r by at most `rounds` refinements with the factors of K (ε is the shift that was
    /// added to M when K was factorised). Returns the last relative residual |r − (K − diag(b) ε) d|∞ / |r|∞.
    pub(crate) fn solve(&mut self, p: &Scaled, epsilon: f64, r: &[f64], d: &mut [f64], rounds: u32) -> f64 {
        let size = norm(r);
        if size == 0.0 {
            d.fill(0.0);
            return 0.0;
        }
        d.copy_from_slice(r);
        self.apply_inverse(p, d);
        let mut residual = std::mem::take(&mut self.residual);
        let relative = refine(&mut Unshifted { linear: self, p, epsilon, r }, size, d, &mut residual, rounds);
        self.residual = residual;
        relative
    }
}

/// K − diag(b) ε, the matrix without the shift, with the factors of K.
struct Unshifted<'a> {
    linear: &'a mut Linear,
    p: &'a Scaled,
    epsilon: f64,
    r: &'a [f64],
}

impl Refine for Unshifted<'_> {
    fn apply_inverse(&mut self, x: &mut [f64]) {
        self.linear.apply_inverse(self.p, x);
    }

    fn defect(&self, d: &[f64], out: &mut [f64]) -> f64 {
        let (m, Linear { a, b, .. }) = (self.p.m(), &*self.linear);
        for i in 0..d.len() {
            let product = if b[i] == 0.0 { 0.0 } else { b[i] * m.row_dot(i, d) };
            out[i] = self.r[i] - (a[i] - b[i] * self.epsilon) * d[i] - product;
        }
        norm(out)
    }
}
