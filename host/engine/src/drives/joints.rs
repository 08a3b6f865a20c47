//! Drives of joints of trees with one coordinate each.

use vinci_core::model::System;

use super::signal::{DriveError, DriveKind, Signal};

/// Variables a force expression of a joint may use, in the order of their values.
pub const JOINT_STATE: [&str; 2] = ["q", "v"];

/// One driven joint.
#[derive(Debug, Clone, PartialEq)]
pub struct JointDrive {
    /// Index of the tree.
    pub tree: u32,
    /// Index of the joint, of one coordinate.
    pub joint: u32,
    /// Quantity that the signal gives.
    pub kind: DriveKind,
    /// The signal.
    pub signal: Signal,
}

impl JointDrive {
    /// Where its coordinate and its velocity stand: (in q, in v).
    pub fn place(&self, system: &System) -> (usize, usize) {
        let (tree, joint) = (self.tree as usize, self.joint as usize);
        let part = &system.trees[tree].tree;
        (
            system.tree_q(tree) + part.q_range(joint).start,
            system.tree_velocity(tree) + part.v_range(joint).start,
        )
    }

    /// Force at (t, q, v) and the velocity it acts on; `None` where the drive is no force.
    pub(super) fn force(
        &self,
        system: &System,
        t: f64,
        q: &[f64],
        v: &[f64],
    ) -> Result<Option<(usize, f64)>, DriveError> {
        if self.kind != DriveKind::Force {
            return Ok(None);
        }
        let (at, dof) = self.place(system);
        Ok(Some((dof, self.finite(system, self.signal.at(t, &[q[at], v[dof]]), t)?)))
    }

    /// Velocity of the step of size h from t that the drive commands, and which it is: (q_d(t + h) − q)/h, or the value of a
    /// velocity drive at t + h/2.
    pub(super) fn command(
        &self,
        system: &System,
        t: f64,
        h: f64,
        q: &[f64],
    ) -> Result<Option<(usize, f64)>, DriveError> {
        let (at, dof) = self.place(system);
        let value = |t: f64| self.finite(system, self.signal.at(t, &[]), t);
        Ok(match self.kind {
            DriveKind::Force => None,
            DriveKind::Velocity => Some((dof, value(t + 0.5 * h)?)),
            DriveKind::Position | DriveKind::Impedance => Some((dof, (value(t + h)? - q[at]) / h)),
        })
    }

    pub(super) fn finite(&self, system: &System, value: f64, t: f64) -> Result<f64, DriveError> {
        if value.is_finite() {
            return Ok(value);
        }
        let tree = &system.trees[self.tree as usize].tree;
        let of = format!("joint `{}.{}`", tree.name(), tree.joints()[self.joint as usize].name);
        Err(DriveError { of, value, t })
    }
}
