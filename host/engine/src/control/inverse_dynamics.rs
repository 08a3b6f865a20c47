//! τ = M (a_ref + kp e + kd ė) − c − g: what makes the joints accelerate as wanted.

use vinci_core::model::Frames;

use super::joint::{Controlled, Effort, Out};
use super::sight::{Fault, Sight};
use crate::drives::Signal;

/// Inverse dynamics towards references: each joint then obeys ë + kd ė + kp e = 0. Joints that it does not drive are taken
/// as not accelerating; damping, dry friction and contacts are disturbances.
///
/// Implicit gains are weighed with the diagonal of M in the place of M: τ = M a_ref − c − g + diag M (kp e⁺ + kd ė⁺).
#[derive(Debug, Clone)]
pub struct InverseDynamics {
    /// Index of the tree.
    pub tree: usize,
    /// The joints.
    pub joints: Vec<Controlled>,
    /// Reference of each, rad or m.
    pub target: Vec<Signal>,
    /// Acceleration per error of each, 1/s².
    pub kp: Vec<f64>,
    /// Acceleration per error of velocity of each, 1/s.
    pub kd: Vec<f64>,
    /// Largest effort of each, ∞ for none.
    pub limit: Vec<f64>,
    /// True if gains act at the end of the step.
    pub implicit: bool,
    /// Scratch: accelerations, efforts (nv of the tree), mass matrix.
    pub scratch: [Vec<f64>; 3],
}

impl InverseDynamics {
    pub(super) fn act(
        &mut self,
        index: usize,
        sight: &Sight<'_>,
        frames: &mut Frames,
        out: &mut Out<'_>,
    ) -> Result<(), Fault> {
        let part = &sight.system.trees[self.tree];
        let (tree, state, n) = (&part.tree, &mut frames.trees[self.tree], part.tree.nv());
        let [wanted, effort, mass] = &mut self.scratch;
        wanted.clear();
        wanted.resize(n, 0.0);
        for (i, joint) in self.joints.iter().enumerate() {
            let [place, rate, mut wish] = self.target[i].jet(sight.when.t);
            if !self.implicit {
                wish += self.kp[i] * (place - sight.q[joint.q]) + self.kd[i] * (rate - sight.v[joint.dof]);
            }
            if !wish.is_finite() {
                return Err(Fault { dof: Some(joint.dof), value: wish });
            }
            wanted[joint.local] = wish;
        }
        let first = sight.system.tree_velocity(self.tree);
        let gravity = if part.gravity { sight.system.gravity } else { Default::default() };
        effort.resize(n, 0.0);
        state.inverse_dynamics(tree, &sight.v[first..first + n], wanted, &gravity, effort);
        mass.resize(n * n, 0.0);
        if self.implicit {
            state.mass(tree, mass);
        }
        for (i, &joint) in self.joints.iter().enumerate() {
            let (limit, held) = (self.limit[i], effort[joint.local]);
            let m = if self.implicit { mass[joint.local * (n + 1)] } else { 0.0 };
            let [place, rate, _] = self.target[i].jet(sight.when.reference);
            let error = [place - sight.q[joint.q], rate - sight.v[joint.dof]];
            let (k, c) = (m * self.kp[i], m * self.kd[i]);
            Effort { of: (index, i), joint, k, c, error, held, limit, implicit: self.implicit }.act(out);
        }
        Ok(())
    }
}
