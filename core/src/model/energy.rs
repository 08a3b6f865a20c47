//! Energy of a system.

use nalgebra::Vector3;

use super::{Space, Spring, System, TorsionSpring};
use crate::state::quaternion_of;

impl System {
    /// Kinetic energy plus potential of gravity and springs, J.
    pub fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let frames = self.placed(q);
        let bodies: f64 = (0..self.body_of_block.len()).map(|b| self.body_energy(b, q, v)).sum();
        let trees = self.trees.iter().zip(&frames.trees).enumerate().map(|(k, (part, state))| {
            let v = &v[self.tree_velocity(k)..][..part.tree.nv()];
            let height = if part.gravity { state.potential_energy(&part.tree, &self.gravity) } else { 0.0 };
            state.kinetic_energy(&part.tree, v) + height
        });
        let stretch = |s: &Spring| s.energy(&(frames.anchor(&s.b) - frames.anchor(&s.a)));
        let twist = |t: &TorsionSpring| {
            let angle = |body: Option<u32>| body.map_or(0.0, |b| frames.pose(b)[2]);
            0.5 * t.stiffness * (angle(t.b) - angle(t.a) - t.rest_angle).powi(2)
        };
        bodies
            + trees.sum::<f64>()
            + self.springs.iter().map(stretch).sum::<f64>()
            + self.torsion_springs.iter().map(twist).sum::<f64>()
    }

    /// Kinetic energy and height of the body of block b.
    fn body_energy(&self, b: usize, q: &[f64], v: &[f64]) -> f64 {
        let body = &self.bodies[self.body_of_block[b] as usize];
        let (s, at, m) = (self.block_start[b] as usize, self.q_start[b] as usize, body.mass.mass);
        let (moving, centre) = match self.space {
            Space::Planar => {
                let turning = body.mass.moment() * v[s + 2] * v[s + 2];
                (m * (v[s] * v[s] + v[s + 1] * v[s + 1]) + turning, Vector3::new(q[at], q[at + 1], 0.0))
            }
            Space::Spatial => {
                let omega = quaternion_of(&q[at + 3..at + 7]).inverse_transform_vector(&Vector3::new(
                    v[s + 3],
                    v[s + 4],
                    v[s + 5],
                ));
                let sliding = m * (v[s] * v[s] + v[s + 1] * v[s + 1] + v[s + 2] * v[s + 2]);
                (sliding + omega.dot(&(body.mass.inertia * omega)), Vector3::new(q[at], q[at + 1], q[at + 2]))
            }
        };
        0.5 * moving - if body.gravity { m * self.gravity.dot(&centre) } else { 0.0 }
    }
}
