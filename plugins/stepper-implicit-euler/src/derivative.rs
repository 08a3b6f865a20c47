//! ∂a/∂(u, v) by forward differences, column by column, and the Newton matrix made of it.

use vinci_linear::DenseLu;
use vinci_sdk::prelude::{Deserialize, Serialize};

/// The derivative of accelerations by displacements and velocities.
#[derive(Debug, Default, Clone, PartialEq, Serialize, Deserialize)]
#[serde(crate = "vinci_sdk::serde")]
pub(crate) struct Derivative {
    /// True if there is one.
    pub(crate) known: bool,
    n: usize,
    by_u: Vec<f64>,
    by_v: Vec<f64>,
    /// Accelerations at the point where differences begin; nothing that lasts.
    #[serde(skip)]
    base: Vec<f64>,
}

impl Derivative {
    /// For n unknowns each; one of another size is forgotten.
    pub(crate) fn fit(&mut self, n: usize) {
        if self.n != n {
            self.known = false;
        }
        self.n = n;
        self.by_u.resize(n * n, 0.0);
        self.by_v.resize(n * n, 0.0);
    }

    /// Returns true if both matrices have n rows of n.
    pub(crate) fn is_sound(&self) -> bool {
        let size = self.n.checked_mul(self.n);
        self.known && [&self.by_u, &self.by_v].into_iter().all(|matrix| Some(matrix.len()) == size)
    }

    /// Where the difference of an unknown x is taken: √ε · max(1, |x|) ahead.
    pub(crate) fn beside(x: f64) -> f64 {
        x + f64::EPSILON.sqrt() * x.abs().max(1.0)
    }

    /// Begins at a point with these accelerations.
    pub(crate) fn begin(&mut self, a: &[f64]) {
        self.known = false;
        self.base.clear();
        self.base.extend_from_slice(a);
    }

    /// Accelerations where unknown c (of u, then of v) is `dx` ahead.
    pub(crate) fn column(&mut self, c: usize, a: &[f64], dx: f64) {
        let n = self.n;
        let (matrix, j) = if c < n { (&mut self.by_u, c) } else { (&mut self.by_v, c - n) };
        for i in 0..n {
            matrix[i * n + j] = (a[i] - self.base[i]) / dx;
        }
    }

    /// Row i of ∂a/∂u.
    pub(crate) fn by_u(&self, i: usize) -> &[f64] {
        &self.by_u[i * self.n..(i + 1) * self.n]
    }

    /// Row i of ∂a/∂v.
    pub(crate) fn by_v(&self, i: usize) -> &[f64] {
        &self.by_v[i * self.n..(i + 1) * self.n]
    }

    /// 1 − h a_v − h² a_u.
    pub(crate) fn matrix(&self, h: f64, lu: &mut DenseLu) {
        let n = self.n;
        lu.reset(n);
        for i in 0..n {
            let row = lu.row_mut(i);
            for j in 0..n {
                let unit = if i == j { 1.0 } else { 0.0 };
                row[j] = unit - h * self.by_v(i)[j] - h * h * self.by_u(i)[j];
            }
        }
    }
}
