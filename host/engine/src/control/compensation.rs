//! −g (and −c): joints that carry the weight of what hangs on them.

use vinci_core::model::Frames;

use super::joint::Out;
use super::sight::Sight;

/// Compensation of gravity, and where wanted of velocity products.
#[derive(Debug, Clone)]
pub struct Compensation {
    /// Index of the tree.
    pub tree: usize,
    /// The velocities it acts on: (in v, among those of the tree).
    pub dofs: Vec<(usize, usize)>,
    /// True if velocity products are compensated too.
    pub bias: bool,
    /// Scratch, nv of the tree.
    pub scratch: Vec<f64>,
}

impl Compensation {
    pub(super) fn act(&mut self, sight: &Sight<'_>, frames: &mut Frames, out: &mut Out<'_>) {
        let part = &sight.system.trees[self.tree];
        let (state, n) = (&mut frames.trees[self.tree], part.tree.nv());
        self.scratch.clear();
        self.scratch.resize(n, 0.0);
        if self.bias {
            let first = sight.system.tree_velocity(self.tree);
            state.bias(&part.tree, &sight.v[first..first + n], &mut self.scratch);
        }
        if part.gravity {
            state.gravity(&part.tree, &sight.system.gravity, &mut self.scratch);
        }
        for &(dof, local) in &self.dofs {
            out.held[dof] -= self.scratch[local];
        }
    }
}
