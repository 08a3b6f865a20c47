//! kp (q_ref − q) + kd (v_ref − v), joint by joint.

use vinci_core::model::Frames;

use super::joint::{Controlled, Effort, Out};
use super::sight::{Fault, Sight};
use crate::drives::Signal;

/// Stiffness and damping towards references.
#[derive(Debug, Clone)]
pub struct Pd {
    /// Index of the tree.
    pub tree: usize,
    /// The joints.
    pub joints: Vec<Controlled>,
    /// Reference of each, rad or m.
    pub target: Vec<Signal>,
    /// Stiffness of each, N m/rad or N/m.
    pub kp: Vec<f64>,
    /// Damping of each, N m s/rad or N s/m.
    pub kd: Vec<f64>,
    /// Largest effort of each, ∞ for none.
    pub limit: Vec<f64>,
    /// True if gains act at the end of the step.
    pub implicit: bool,
    /// True if v_ref is the rate of the references; otherwise 0.
    pub follows: bool,
    /// True if the weight is carried too.
    pub compensates: bool,
    /// Scratch, nv of the tree.
    pub scratch: Vec<f64>,
}

impl Pd {
    pub(super) fn act(
        &mut self,
        index: usize,
        sight: &Sight<'_>,
        frames: &Frames,
        out: &mut Out<'_>,
    ) -> Result<(), Fault> {
        let part = &sight.system.trees[self.tree];
        self.scratch.clear();
        self.scratch.resize(part.tree.nv(), 0.0);
        if self.compensates && part.gravity {
            frames.trees[self.tree].gravity(&part.tree, &sight.system.gravity, &mut self.scratch);
        }
        let t = if self.implicit { sight.when.reference } else { sight.when.t };
        for (i, &joint) in self.joints.iter().enumerate() {
            let [place, rate, _] = self.target[i].jet(t);
            let rate = if self.follows { rate } else { 0.0 };
            let error = [place - sight.q[joint.q], rate - sight.v[joint.dof]];
            if !(error[0] + error[1]).is_finite() {
                return Err(Fault { dof: Some(joint.dof), value: error[0] + error[1] });
            }
            let (k, c, limit) = (self.kp[i], self.kd[i], self.limit[i]);
            let held = -self.scratch[joint.local];
            Effort { of: (index, i), joint, k, c, error, held, limit, implicit: self.implicit }.act(out);
        }
        Ok(())
    }
}
