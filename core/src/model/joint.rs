//! Point joints: a point of one body stays at a point of another. In the plane this is a hinge, in space a ball joint.

use nalgebra::Vector3;

use super::point::PointJacobian;
use super::{Anchor, DofRole, Frames, System};
use crate::sparse::CsrBuf;
use crate::stage::Rows;

/// Part of the range of a joint (rad or m, of 1 at most) from which on a limit is a row of the problem, beside what the joint
/// may move in the step.
const LIMIT_IN_SIGHT: f64 = 0.02;

/// β of a joint beyond its limit.
const LIMIT_STABILIZATION: f64 = 0.2;

/// Owner of a row: the joint, limit or friction it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowOwner {
    /// Point joint, by its index.
    Joint(u32),
    /// Coupler, by its index.
    Coupler(u32),
    /// Dry friction of (tree, dof of the tree).
    Friction(u32, u32),
    /// Lower limit of (tree, dof of the tree).
    Lower(u32, u32),
    /// Upper limit of (tree, dof of the tree).
    Upper(u32, u32),
}

/// The step that rows are made for.
#[derive(Debug, Clone, Copy)]
pub struct RowStep<'a> {
    /// Positions, nq.
    pub q: &'a [f64],
    /// Velocities to expect, nv ([`super::Foresight`]): limits that lie farther away are left out.
    pub speed: &'a [f64],
    /// Size of the step, s.
    pub h: f64,
    /// Size of the grid step it is a piece of, s: what stabilization takes back is spread over that.
    pub grid: f64,
    /// True if a joint beyond its limit comes back. False where bodies move with the mean of two velocities: every joint that
    /// meets its limit gets past it there by up to h |v| / 2, and to come back it would keep a part of its speed. It stays.
    pub returns: bool,
}

/// The bilateral rows of all joints at one configuration. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct JointRows {
    jacobian: CsrBuf,
    owner: Vec<RowOwner>,
    point: PointJacobian,
    rate: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl JointRows {
    /// Fills the rows of a step: those of point joints (world axes along which they hold), of couplers, then of the joints
    /// of trees.
    pub fn fill(&mut self, system: &System, frames: &Frames, step: &RowStep<'_>) {
        self.jacobian.clear(system.nv());
        self.rate.clear();
        self.owner.clear();
        for (i, joint) in system.joints.iter().enumerate() {
            let phi = system.between(&joint.a, &joint.b, frames, &mut self.point);
            for k in (0..system.space.dim()).filter(|k| joint.along[*k]) {
                self.point.entries(k).for_each(|(column, value)| self.jacobian.push(column, value));
                self.end(joint.stabilization / step.grid * phi[k], RowOwner::Joint(i as u32));
            }
        }
        self.lower.clear();
        self.upper.clear();
        self.fill_couplers(system, step);
        self.lower.resize(self.rate.len(), f64::NEG_INFINITY);
        self.upper.resize(self.rate.len(), f64::INFINITY);
        self.fill_trees(system, step);
    }

    fn end(&mut self, rate: f64, owner: RowOwner) {
        self.jacobian.end_row();
        self.rate.push(rate);
        self.owner.push(owner);
    }

    fn fill_couplers(&mut self, system: &System, step: &RowStep<'_>) {
        for (i, coupler) in system.couplers.iter().enumerate() {
            let place = coupler.joints.map(|(tree, dof)| system.tree_coordinate(tree, dof));
            let phi = system.coupler_error(i, step.q);
            self.jacobian.push(place[0].1, 1.0);
            self.jacobian.push(place[1].1, -coupler.ratio);
            self.end(coupler.stabilization / step.grid * phi, RowOwner::Coupler(i as u32));
        }
    }

    /// Limits that may be met in the step, and dry friction.
    fn fill_trees(&mut self, system: &System, step: &RowStep<'_>) {
        for (tree, part) in system.trees.iter().enumerate() {
            for dof in 0..part.tree.nv() {
                let joint = &part.tree.joints()[part.tree.joint_of_v(dof)];
                let (at, column) = system.tree_coordinate(tree as u32, dof as u32);
                let owner = |what: fn(u32, u32) -> RowOwner| what(tree as u32, dof as u32);
                if joint.friction > 0.0 {
                    let most = joint.friction * step.h;
                    self.jacobian.push(column, 1.0);
                    self.end(0.0, owner(RowOwner::Friction));
                    self.lower.push(-most);
                    self.upper.push(most);
                }
                // A drive goes where it is told: its limits are its own.
                let Some(limits) = joint.limits.filter(|_| part.role[dof] != DofRole::Prescribed) else {
                    continue;
                };
                let range = LIMIT_IN_SIGHT * (limits.upper - limits.lower).min(1.0);
                let sight = range + 2.0 * step.h * step.speed[column].abs();
                for (sign, gap) in [(1.0, step.q[at] - limits.lower), (-1.0, limits.upper - step.q[at])] {
                    if gap > sight {
                        continue;
                    }
                    // A joint that is beyond its limit comes back as joints do: by a part of the distance.
                    let back = if step.returns { LIMIT_STABILIZATION * gap / step.grid } else { 0.0 };
                    let rate = if gap >= 0.0 { gap / step.h } else { back };
                    self.jacobian.push(column, sign);
                    self.end(rate, owner(if sign > 0.0 { RowOwner::Lower } else { RowOwner::Upper }));
                    self.lower.push(0.0);
                    self.upper.push(f64::INFINITY);
                }
            }
        }
    }

    /// Owners of the rows, in order.
    pub fn owners(&self) -> &[RowOwner] {
        &self.owner
    }

    /// The rows as steppers see them.
    pub fn view(&self) -> Rows<'_> {
        Rows { jacobian: self.jacobian.view(), rate: &self.rate, lower: &self.lower, upper: &self.upper }
    }
}

impl System {
    /// Largest distance between the two points of a joint at configuration q, m.
    pub fn joint_drift(&self, q: &[f64]) -> f64 {
        self.joint_drifts(q).fold(0.0, f64::max)
    }

    /// |Φ| of every joint at configuration q, m.
    pub fn joint_drifts<'a>(&'a self, q: &[f64]) -> impl Iterator<Item = f64> + 'a {
        let frames = self.placed(q);
        let held = |d: Vector3<f64>, along: [bool; 3]| {
            (0..3).filter(|k| along[*k]).map(|k| d[k] * d[k]).sum::<f64>().sqrt()
        };
        self.joints.iter().map(move |j| held(frames.anchor(&j.b) - frames.anchor(&j.a), j.along))
    }

    /// Φ = q₁ − ratio q₂ − offset of coupler i at configuration q, in the unit of its first joint (rad or m).
    pub fn coupler_error(&self, i: usize, q: &[f64]) -> f64 {
        let coupler = &self.couplers[i];
        let [first, second] = coupler.joints.map(|(tree, dof)| q[self.tree_coordinate(tree, dof).0]);
        first - coupler.ratio * second - coupler.offset
    }

    /// (index in q, index in v) of a dof of a tree; of quaternions the place of their first number.
    pub fn tree_coordinate(&self, tree: u32, dof: u32) -> (usize, usize) {
        let (k, dof) = (tree as usize, dof as usize);
        let tree = &self.trees[k].tree;
        let joint = tree.joint_of_v(dof);
        let at = tree.q_range(joint).start + (dof - tree.v_range(joint).start);
        (self.tree_q(k) + at, self.tree_velocity(k) + dof)
    }

    /// p_b − p_a and the Jacobian of its rate.
    pub(super) fn between(
        &self,
        a: &Anchor,
        b: &Anchor,
        frames: &Frames,
        jacobian: &mut PointJacobian,
    ) -> Vector3<f64> {
        let ends = [frames.anchor(a), frames.anchor(b)];
        self.relative_jacobian([a, b], [&ends[0], &ends[1]], frames, jacobian);
        ends[1] - ends[0]
    }
}
