//! Mass matrix by composite rigid bodies, and gravity.

use nalgebra::Vector3;

use super::spatial::Composite;
use super::{Column, Tree, TreeState};

impl Composite {
    /// I S: momentum and angular momentum about the reference point.
    #[inline]
    pub(super) fn momentum(&self, s: &Column) -> (Vector3<f64>, Vector3<f64>) {
        let linear = s.linear * self.mass + s.angular.cross(&self.first);
        (linear, self.second * s.angular + self.first.cross(&s.linear))
    }
}

impl TreeState {
    /// M(q), nv × nv by rows, symmetric, in `out` (length nv²): M_jk = S_j·I_k S_k for j on the way to k, with the
    /// composite inertia I_k of all that dof k carries; reflected inertias of rotors on the diagonal.
    pub fn mass(&self, tree: &Tree, out: &mut [f64]) {
        let nv = tree.nv();
        out[..nv * nv].fill(0.0);
        for (b, body) in tree.bodies.iter().enumerate() {
            let path = tree.path(body);
            let before = path.len() - body.kind.nv();
            for (i, k) in body.dofs().enumerate() {
                let (linear, angular) = self.composites[b].momentum(&self.columns[k]);
                for &j in &path[..=before + i] {
                    let s = &self.columns[j];
                    let entry = s.linear.dot(&linear) + s.angular.dot(&angular);
                    out[k * nv + j] = entry;
                    out[j * nv + k] = entry;
                }
                out[k * nv + k] += body.rotor;
            }
        }
    }

    /// Forces of gravity g (m/s², world) on the dofs, as they stand on the right-hand side, **added** to `out` (length nv).
    pub fn gravity(&self, tree: &Tree, g: &Vector3<f64>, out: &mut [f64]) {
        for (b, body) in tree.bodies.iter().enumerate() {
            let all = &self.composites[b];
            let (weight, torque) = (g * all.mass, all.first.cross(g));
            for k in body.dofs() {
                let s = &self.columns[k];
                out[k] += s.linear.dot(&weight) + s.angular.dot(&torque);
            }
        }
    }

    /// Sum of the sizes of the terms of M_kk: rounding of M_kk is a small multiple of 1e-16 of it.
    pub(super) fn scale_of_dof(&self, tree: &Tree, dof: usize) -> f64 {
        let (all, s) = (&self.composites[tree.dofs[dof].body], &self.columns[dof]);
        let (w, u) = (s.angular.norm(), s.linear.norm());
        w * w * all.second.trace() + 2.0 * w * u * all.first.norm() + u * u * all.mass
    }
}
