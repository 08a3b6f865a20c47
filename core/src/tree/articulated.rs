//! Accelerations by articulated bodies, in time linear in the number of dofs.
//!
//! Featherstone 2008, §7.3, at rest and without gravity: (M + diag(e)) v̇ = τ. From the leaves inwards, with I the inertia that is
//! felt through the dofs already taken out and p the force that they leave,
//!
//! ```text
//!   U = I s      d = s·U + rotor + e      u = τ − s·p      I ← I − U Uᵀ/d      p ← p + U u/d
//! ```
//!
//! and from the world outwards v̇ = (u − U·a)/d, a ← a + s v̇. Every body stands about its own origin. For small trees the factors
//! of M are faster (see [`super::Factor`]): a 6 × 6 matrix a body stands against n²/6 numbers a dof.

use nalgebra::{Matrix6, Vector6};

use super::inertia::{moved, shift};
use super::model::NONE;
use super::{Tree, TreeState};

/// Scratch of [`TreeState::accelerations`]. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub struct Articulated {
    inertia: Vec<Matrix6<f64>>,
    /// p, and later the acceleration of the body.
    force: Vec<Vector6<f64>>,
    /// s, U, and u/d with 1/d.
    dofs: Vec<(Vector6<f64>, Vector6<f64>, [f64; 2])>,
}

impl TreeState {
    /// out = (M + diag(extra))⁻¹ out, of length nv; `extra` ≥ 0. False: a dof moves no inertia; `out` is as it was.
    pub fn accelerations(
        &self,
        tree: &Tree,
        extra: &[f64],
        scratch: &mut Articulated,
        out: &mut [f64],
    ) -> bool {
        let bodies = tree.bodies.len();
        scratch.inertia.clear();
        scratch.inertia.extend((0..bodies).map(|b| self.own_inertia(tree, b)));
        scratch.force.clear();
        scratch.force.resize(bodies, Vector6::zeros());
        scratch.dofs.clear();
        scratch.dofs.resize(tree.nv(), (Vector6::zeros(), Vector6::zeros(), [0.0; 2]));
        if !self.inwards(tree, extra, scratch, out) {
            return false;
        }
        self.outwards(tree, scratch, out);
        true
    }

    fn inwards(&self, tree: &Tree, extra: &[f64], scratch: &mut Articulated, tau: &[f64]) -> bool {
        for (b, body) in tree.bodies.iter().enumerate().rev() {
            let (mut inertia, mut force) = (scratch.inertia[b], scratch.force[b]);
            for k in body.dofs().rev() {
                let s = self.motion(body, k);
                let u = inertia * s;
                let d = s.dot(&u) + body.rotor + extra[k];
                if !(d > 0.0 && d < f64::INFINITY) {
                    return false;
                }
                let left = tau[k] - s.dot(&force);
                inertia -= u * (u / d).transpose();
                force += u * (left / d);
                scratch.dofs[k] = (s, u, [left / d, 1.0 / d]);
            }
            if body.parent != NONE {
                let lever = &self.poses[b].lever;
                scratch.inertia[body.parent] += moved(&inertia, lever);
                scratch.force[body.parent] += shift(lever).transpose() * force;
            }
        }
        true
    }

    fn outwards(&self, tree: &Tree, scratch: &mut Articulated, out: &mut [f64]) {
        for (b, body) in tree.bodies.iter().enumerate() {
            let mut a = match body.parent {
                NONE => Vector6::zeros(),
                parent => shift(&self.poses[b].lever) * scratch.force[parent],
            };
            for k in body.dofs() {
                let (s, u, [own, inverse]) = &scratch.dofs[k];
                out[k] = own - inverse * u.dot(&a);
                a += s * out[k];
            }
            scratch.force[b] = a;
        }
    }
}
