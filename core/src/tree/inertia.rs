//! A check that every degree of freedom moves inertia, in time linear in their number.
//!
//! With D the diagonal of what the M_kk are made of, the least eigenvalue of D^-½ M D^-½ is above δ where M − δ D is positive
//! definite. The pivots of its elimination from the leaves inwards are those of articulated bodies (Featherstone 2008, §7.3)
//! whose rotors lack δ D_kk, so M is never written: it has the square of the number of dofs of a chain for entries, and its
//! factors take the cube for time. Every body is looked at from its own origin, where nothing large cancels.

use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};

use super::model::{Body, NONE};
use super::{Tree, TreeState};

/// Relative to the inertia about the reference point, what counts as none at all: far above rounding (1e-15 or less in
/// random trees that are singular), below what trees have that are not (1e-12 and more).
const NO_INERTIA: f64 = 1e-13;

impl TreeState {
    /// The first dof from the leaves inwards that moves no inertia beyond what the dofs after it move.
    pub(super) fn check_inertia(&self, tree: &Tree) -> Result<(), usize> {
        let mut articulated: Vec<Matrix6<f64>> =
            (0..tree.bodies.len()).map(|b| self.own_inertia(tree, b)).collect();
        for (b, body) in tree.bodies.iter().enumerate().rev() {
            let mut inertia = articulated[b];
            for dof in body.dofs().rev() {
                self.take_out(tree, dof, &mut inertia)?;
            }
            if body.parent != NONE {
                articulated[body.parent] += moved(&inertia, &self.poses[b].lever);
            }
        }
        Ok(())
    }

    /// Inertia of a body about its origin: (angular momentum, momentum) of a motion (angular velocity, velocity there).
    pub(super) fn own_inertia(&self, tree: &Tree, b: usize) -> Matrix6<f64> {
        let (pose, mass) = (&self.poses[b], tree.bodies[b].lump.mass);
        let first = pose.arm.cross_matrix() * mass;
        let mut inertia = Matrix6::zeros();
        inertia
            .fixed_view_mut::<3, 3>(0, 0)
            .copy_from(&(pose.inertia + first * pose.arm.cross_matrix().transpose()));
        inertia.fixed_view_mut::<3, 3>(0, 3).copy_from(&first);
        inertia.fixed_view_mut::<3, 3>(3, 0).copy_from(&first.transpose());
        inertia.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() * mass));
        inertia
    }

    /// I − U Uᵀ/d with U = I S and the pivot d = S·U + rotor − δ D_kk: what is felt through a dof that yields.
    fn take_out(&self, tree: &Tree, dof: usize, inertia: &mut Matrix6<f64>) -> Result<(), usize> {
        let body = &tree.bodies[tree.dofs[dof].body];
        let s = self.motion(body, dof);
        let u = *inertia * s;
        let pivot = s.dot(&u) + body.rotor - NO_INERTIA * (self.scale_of_dof(tree, dof) + body.rotor);
        if !(pivot > 0.0 && pivot < f64::INFINITY) {
            return Err(dof);
        }
        *inertia -= u * (u / pivot).transpose();
        Ok(())
    }

    /// Motion that a unit of a dof gives to the origin of its body.
    pub(super) fn motion(&self, body: &Body, dof: usize) -> Vector6<f64> {
        let column = &self.columns[dof];
        let slides = dof < body.v + body.kind.n_translations();
        let linear = if slides { column.linear } else { Vector3::zeros() };
        Vector6::from_iterator(column.angular.iter().chain(linear.iter()).copied())
    }
}

/// Matrix that shifts a motion (angular velocity, velocity) to a point at `lever`.
pub(super) fn shift(lever: &Vector3<f64>) -> Matrix6<f64> {
    let mut shift = Matrix6::identity();
    shift.fixed_view_mut::<3, 3>(3, 0).copy_from(&lever.cross_matrix().transpose());
    shift
}

/// An inertia about the point at `lever` from where it is asked for.
pub(super) fn moved(inertia: &Matrix6<f64>, lever: &Vector3<f64>) -> Matrix6<f64> {
    let shift = shift(lever);
    shift.transpose() * inertia * shift
}
