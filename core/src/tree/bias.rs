//! Recursive Newton–Euler: velocity-product forces and inverse dynamics.

use nalgebra::{Matrix3, Vector3};

use super::model::{Body, NONE};
use super::{Tree, TreeState};

/// Motion of a body: angular velocity and acceleration, acceleration of the origin, and [α]× + [ω]×², which takes an arm
/// of the body to the acceleration it adds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Motion {
    omega: Vector3<f64>,
    alpha: Vector3<f64>,
    origin: Vector3<f64>,
    arm: Matrix3<f64>,
}

impl Motion {
    pub(super) const REST: Self = Self {
        omega: Vector3::new(0.0, 0.0, 0.0),
        alpha: Vector3::new(0.0, 0.0, 0.0),
        origin: Vector3::new(0.0, 0.0, 0.0),
        arm: Matrix3::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };
}

/// Force, and torque about the reference point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrench {
    force: Vector3<f64>,
    torque: Vector3<f64>,
}

impl Wrench {
    pub(super) const ZERO: Self =
        Self { force: Vector3::new(0.0, 0.0, 0.0), torque: Vector3::new(0.0, 0.0, 0.0) };
}

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
    #[inline]
    fn forward<const ACCELERATES: bool>(&mut self, tree: &Tree, v: &[f64], vdot: &[f64], g: &Vector3<f64>) {
        for (b, body) in tree.bodies.iter().enumerate() {
            let (w, u) = self.relative(tree, body, v);
            let (dw, du) = match ACCELERATES {
                true => self.relative(tree, body, vdot),
                false => (Vector3::zeros(), Vector3::zeros()),
            };
            let motion = match body.parent {
                NONE => moving(w, dw, du - g),
                p => {
                    let (parent, d) = (&self.motions[p], self.poses[b].origin - self.poses[p].origin);
                    let origin = parent.origin + parent.arm * d + parent.omega.cross(&u) * 2.0 + du;
                    moving(parent.omega + w, parent.alpha + parent.omega.cross(&w) + dw, origin)
                }
            };
            self.wrenches[b] = self.wrench(b, body, &motion);
            self.motions[b] = motion;
        }
    }

    /// Newton and Euler for one body.
    #[inline]
    fn wrench(&self, b: usize, body: &Body, motion: &Motion) -> Wrench {
        let pose = &self.poses[b];
        let force = (motion.origin + motion.arm * pose.arm) * body.lump.mass;
        let spin = pose.inertia * motion.omega;
        let own = pose.inertia * motion.alpha + motion.omega.cross(&spin);
        Wrench { force, torque: own + pose.com.cross(&force) }
    }

    /// Wrenches from the leaves inwards, and what of them each dof carries.
    #[inline]
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

#[inline]
fn moving(omega: Vector3<f64>, alpha: Vector3<f64>, origin: Vector3<f64>) -> Motion {
    let (xx, yy, zz) = (omega.x * omega.x, omega.y * omega.y, omega.z * omega.z);
    let (xy, xz, yz) = (omega.x * omega.y, omega.x * omega.z, omega.y * omega.z);
    let arm = Matrix3::new(
        -yy - zz,
        xy - alpha.z,
        xz + alpha.y,
        xy + alpha.z,
        -xx - zz,
        yz - alpha.x,
        xz - alpha.y,
        yz + alpha.x,
        -xx - yy,
    );
    Motion { omega, alpha, origin, arm }
}
