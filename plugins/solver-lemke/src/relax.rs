//! A Farkas proof sought for itself: are the linear conditions of the problem alone without a solution?
//!
//! The point of {l ≤ z ≤ u, (M z + q)_i ≥, =, ≤ 0 by the bounds of row i} nearest to the origin has as optimality
//! conditions the monotone mixed problem ⟂ [I, −Mᵀ; M, 0] (z, y) + (0, q). Lemke's method solves it, or ends on a ray whose
//! y part proves the set empty; the proof is checked on the problem itself by the caller.

use crate::dense::clean;
use crate::sparse::path::{End, Path, Rules};
use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{Mlcp, MlcpBuf};

/// The search for a proof and its memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Relaxation {
    path: Path,
    /// Candidate for a proof, see [`vinci_sdk::core::problem::check_farkas`].
    pub(crate) y: Vec<f64>,
}

impl Relaxation {
    /// Returns true if a candidate proof was found; it stands in `y`.
    pub(crate) fn seems_empty(&mut self, p: &Mlcp<'_>) -> bool {
        let n = p.n();
        let nearest = nearest_point(p);
        let view = nearest.view();
        self.path.m.load(&view, 0.0);
        let rules =
            Rules { max_pivots: 6 * n as u32 + 200, refactor_every: 50, perturbation: 1e-9, variant: 1 };
        if !self.path.begin_cold() || self.path.follow(rules) != End::Ray {
            return false;
        }
        let col = &self.path.m.scaling.col;
        self.y.clear();
        self.y.extend((n..2 * n).map(|j| self.path.ray[j] * col[j]));
        clean(&mut self.y);
        true
    }
}

fn nearest_point(p: &Mlcp<'_>) -> MlcpBuf {
    let n = p.n();
    let mut triplets = Vec::with_capacity(2 * p.m.nnz() + n);
    for i in 0..n {
        triplets.push((i, i, 1.0));
        for (j, v) in p.m.entries(i) {
            triplets.push((j, n + i, -v));
            triplets.push((n + i, j, v));
        }
    }
    let (mut lower, mut upper) = (p.lower.to_vec(), p.upper.to_vec());
    for i in 0..n {
        // Signs of the multiplier of row i: those of w_i; none where w_i may have either sign.
        let boxed = p.lower[i].is_finite() && p.upper[i].is_finite();
        lower.push(if p.lower[i].is_finite() || boxed { 0.0 } else { f64::NEG_INFINITY });
        upper.push(if p.upper[i].is_finite() || boxed { 0.0 } else { f64::INFINITY });
    }
    let q = std::iter::repeat_n(0.0, n).chain(p.q.iter().copied()).collect();
    MlcpBuf::from_parts(CsrBuf::from_triplets(2 * n, 2 * n, &triplets), q, lower, upper, p.tolerance)
}
