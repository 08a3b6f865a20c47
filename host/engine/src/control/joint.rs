//! A controlled joint: where it stands, and what a law makes of it.

use vinci_core::model::System;

/// A joint of one coordinate under a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Controlled {
    /// Index in q.
    pub q: usize,
    /// Index in v.
    pub dof: usize,
    /// Index among the velocities of its tree.
    pub local: usize,
}

impl Controlled {
    /// Joint `joint` of tree `tree`, which has one coordinate.
    pub fn new(system: &System, tree: usize, joint: usize) -> Self {
        let part = &system.trees[tree].tree;
        let local = part.v_range(joint).start;
        Self {
            q: system.tree_q(tree) + part.q_range(joint).start,
            dof: system.tree_velocity(tree) + local,
            local,
        }
    }
}

/// A force k (q_ref − q) + c (v_ref − v) that acts at the end of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Implicit {
    /// Which controller, and which of its joints.
    pub(super) of: (usize, usize),
    pub(super) joint: Controlled,
    pub(super) k: f64,
    pub(super) c: f64,
}

/// Where laws write: forces that hold for the step, and what is to be implicit.
pub(super) struct Out<'a> {
    pub(super) held: &'a mut [f64],
    pub(super) implicit: &'a mut Vec<Implicit>,
}

/// Gains of a joint, its errors at the start of the step, and what is added to them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub(super) of: (usize, usize),
    pub(super) joint: Controlled,
    pub(super) k: f64,
    pub(super) c: f64,
    /// q_ref − q and v_ref − v.
    pub(super) error: [f64; 2],
    /// Force that holds for the whole step.
    pub(super) held: f64,
    /// Largest effort, or ∞.
    pub(super) limit: f64,
    pub(super) implicit: bool,
}

impl Effort {
    /// Within the limit the gains are implicit where wanted; beyond it the effort is the limit, for the whole step.
    pub(super) fn act(&self, out: &mut Out<'_>) {
        let feedback = self.k * self.error[0] + self.c * self.error[1];
        let all = self.held + feedback;
        if all.abs() > self.limit {
            out.held[self.joint.dof] += self.limit.copysign(all);
        } else if self.implicit {
            out.held[self.joint.dof] += self.held;
            out.implicit.push(Implicit { of: self.of, joint: self.joint, k: self.k, c: self.c });
        } else {
            out.held[self.joint.dof] += all;
        }
    }
}
