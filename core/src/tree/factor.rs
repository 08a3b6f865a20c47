//! M = Lᵀ D L along the branches of a tree: entries of dofs on different branches stay zero.

use super::Tree;
use super::model::NONE;

/// The factorisation M = Lᵀ D L of a mass matrix, L unit lower triangular. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub struct Factor {
    /// L below the diagonal, nv × nv by rows.
    pub(super) l: Vec<f64>,
    /// 1/D.
    pub(super) inverse: Vec<f64>,
}

impl Factor {
    /// Factors `mass` (nv × nv by rows; its lower triangle is read). False: not positive definite, or not finite; what
    /// was factored before is lost.
    pub fn factor(&mut self, tree: &Tree, mass: &[f64]) -> bool {
        let n = tree.nv();
        self.inverse.resize(n, 0.0);
        self.l.clear();
        self.l.extend_from_slice(&mass[..n * n]);
        // From the leaves inwards.
        for k in (0..n).rev() {
            let pivot = self.l[k * n + k];
            if !(pivot > 0.0 && pivot < f64::INFINITY) {
                return false;
            }
            self.inverse[k] = 1.0 / pivot;
            self.take_out(tree, k);
        }
        true
    }

    /// M_ij −= M_ki M_kj / M_kk for i, j on the way to k; L_ki = M_ki / M_kk.
    #[inline]
    fn take_out(&mut self, tree: &Tree, k: usize) {
        let (n, inverse) = (tree.nv(), self.inverse[k]);
        let (above, row) = self.l.split_at_mut(k * n);
        let row = &mut row[..k];
        let mut i = tree.dofs[k].parent;
        while i != NONE {
            let a = row[i] * inverse;
            let target = &mut above[i * n..=i * n + i];
            for_runs(tree, i, |run| {
                for (t, r) in target[run.clone()].iter_mut().zip(&row[run]) {
                    *t -= a * r;
                }
            });
            row[i] = a;
            i = tree.dofs[i].parent;
        }
    }

    /// x ← M⁻¹ x, x of length nv.
    pub fn solve(&self, tree: &Tree, x: &mut [f64]) {
        let n = tree.nv();
        for k in (0..n).rev() {
            let y = x[k];
            let row = &self.l[k * n..k * n + k];
            self.ancestors(tree, k, |run| {
                for (t, l) in x[run.clone()].iter_mut().zip(&row[run]) {
                    *t -= l * y;
                }
            });
        }
        for k in 0..n {
            let row = &self.l[k * n..k * n + k];
            let mut sum = x[k] * self.inverse[k];
            self.ancestors(tree, k, |run| {
                sum -= x[run.clone()].iter().zip(&row[run]).map(|(x, l)| x * l).sum::<f64>();
            });
            x[k] = sum;
        }
    }

    /// The unbroken runs of dofs before `k` on the way from the world.
    #[inline]
    fn ancestors(&self, tree: &Tree, k: usize, each: impl FnMut(std::ops::Range<usize>)) {
        let parent = tree.dofs[k].parent;
        if parent != NONE {
            for_runs(tree, parent, each);
        }
    }
}

/// The unbroken runs of dofs up to and including `last` on the way from the world.
#[inline]
fn for_runs(tree: &Tree, last: usize, mut each: impl FnMut(std::ops::Range<usize>)) {
    let mut last = last;
    while last != NONE {
        let first = tree.dofs[last].run;
        each(first..last + 1);
        last = tree.dofs[first].parent;
    }
}
