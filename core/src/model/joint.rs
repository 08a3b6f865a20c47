//! Point joints: a point of one body stays at a point of another. In the plane this is a hinge, in space a ball joint.

use nalgebra::Vector3;

use super::{Anchor, System};
use crate::sparse::CsrBuf;
use crate::stage::Rows;

/// Two points that stay together: Φ = p_b − p_a = 0, a bilateral row per coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct PointJoint {
    /// Name for messages.
    pub name: String,
    /// One end.
    pub a: Anchor,
    /// The other end.
    pub b: Anchor,
    /// β, part of a distance Φ that a step takes back, 0 … 1: the rows are J v⁺ + (β/h) Φ = 0. Pieces of a divided grid
    /// step take the grid's h.
    pub stabilization: f64,
}

/// The bilateral rows of all joints at one configuration. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct JointRows {
    jacobian: CsrBuf,
    rate: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl JointRows {
    /// Fills the rows for a step of size h, s: `space.dim()` rows per joint, in world axes.
    pub fn fill(&mut self, system: &System, q: &[f64], h: f64) {
        self.jacobian.clear(system.nv());
        self.rate.clear();
        for joint in &system.joints {
            let (phi, jacobian) = system.between(&joint.a, &joint.b, q);
            for k in 0..system.space.dim() {
                jacobian.entries(k).for_each(|(column, value)| self.jacobian.push(column, value));
                self.jacobian.end_row();
                self.rate.push(joint.stabilization / h * phi[k]);
            }
        }
        self.lower.resize(self.rate.len(), f64::NEG_INFINITY);
        self.upper.resize(self.rate.len(), f64::INFINITY);
    }

    /// As steppers see them.
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
    pub fn joint_drifts<'a>(&'a self, q: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        self.joints.iter().map(|j| self.between(&j.a, &j.b, q).0.norm())
    }

    /// p_b − p_a and the Jacobian of its rate.
    pub(super) fn between(
        &self,
        a: &Anchor,
        b: &Anchor,
        q: &[f64],
    ) -> (Vector3<f64>, super::point::PointJacobian) {
        let ends = [self.point(a, q), self.point(b, q)];
        (ends[1] - ends[0], self.relative_jacobian(&[a, b], &ends, q))
    }
}
