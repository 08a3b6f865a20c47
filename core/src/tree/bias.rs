//! Recursive Newton–Euler: velocity-product forces and inverse dynamics.

use nalgebra::Vector3;

use super::model::{Body, NONE};
use super::spatial::{Motion, Wrench};
use super::{JointKind, Tree, TreeState};

impl TreeState {
    /// Velocity-product forces as they stand on the right of M v̇ = f + c: out = c(q, v) = −C(q, v) v, without gravity.
    pub fn bias(&mut self, tree: &Tree, v: &[f64], out: &mut [f64]) {
        self.forward::<false>(tree, v, &[], &Vector3::zeros());
        self.backward(tree, |k, tau| out[k] = -tau);
    }

    /// Forces that make the tree accelerate by `vdot` under gravity g: out = M v̇ − c(q, v) − g(q), rotors included.
    pub fn inverse_dynamics(
        &mut self,
        tree: &Tree,
        v: &[f64],
        vdot: &[f64],
        g: &Vector3<f64>,
        out: &mut [f64],
    ) {
        self.forward::<true>(tree, v, vdot, g);
        self.backward(tree, |k, tau| out[k] = tau + tree.bodies[tree.dofs[k].body].rotor * vdot[k]);
    }

    /// Motions from the world outwards, and the wrenches they take. Gravity is a world that accelerates by −g.
    #[inline(always)]
    fn forward<const ACCELERATES: bool>(&mut self, tree: &Tree, v: &[f64], vdot: &[f64], g: &Vector3<f64>) {
        let world = Motion { origin: -g, ..Motion::REST };
        // The body before is the parent more often than not: it stays in registers.
        let (mut before, mut motion) = (NONE, world);
        for (b, body) in tree.bodies.iter().enumerate() {
            if body.parent != before {
                motion = if body.parent == NONE { world } else { self.motions[body.parent] };
            }
            let (w, u) = self.relative(body, v);
            let mut origin = motion.at(&self.poses[b].lever);
            let mut alpha = motion.alpha + motion.omega.cross(&w);
            if body.kind != JointKind::Revolute {
                origin += motion.omega.cross(&u) * 2.0;
            }
            if ACCELERATES {
                let (dw, du) = self.relative(body, vdot);
                alpha += dw;
                origin += du;
            }
            motion = Motion { omega: motion.omega + w, alpha, origin };
            self.wrenches[b] = self.wrench(b, body, &motion);
            self.motions[b] = motion;
            before = b;
        }
    }

    /// Newton and Euler for one body.
    #[inline(always)]
    fn wrench(&self, b: usize, body: &Body, motion: &Motion) -> Wrench {
        let pose = &self.poses[b];
        let force = motion.at(&pose.arm) * body.lump.mass;
        let spin = pose.inertia * motion.omega;
        let own = pose.inertia * motion.alpha + motion.omega.cross(&spin);
        Wrench { force, torque: own + pose.com.cross(&force) }
    }

    /// Wrenches from the leaves inwards, and what of them each dof carries.
    #[inline(always)]
    fn backward(&mut self, tree: &Tree, mut set: impl FnMut(usize, f64)) {
        for (b, body) in tree.bodies.iter().enumerate().rev() {
            let own = self.wrenches[b];
            for k in body.dofs() {
                let s = &self.columns[k];
                set(k, s.angular.dot(&own.torque) + s.linear.dot(&own.force));
            }
            if body.parent != NONE {
                let parent = &mut self.wrenches[body.parent];
                parent.force += own.force;
                parent.torque += own.torque;
            }
        }
    }
}
