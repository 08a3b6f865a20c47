//! How far bodies move: between configurations, in the coming step, beyond what was expected.

use super::{DofRole, Dynamics, Space, System};
use crate::state::quaternion_of;

/// How far each body may move in the coming step; see [`System::active_margins`].
pub type ActiveMargins = Vec<f64>;

impl System {
    /// Finite reach of a body from its centre, m: what turning moves; 0 where it is infinite.
    fn lever(&self, body: usize) -> f64 {
        if self.reach[body].is_finite() { self.reach[body] } else { 0.0 }
    }

    /// |v| + |ω| r of block b, m/s, with the speed of every velocity from `speed`.
    fn sweep(&self, b: usize, speed: impl Fn(usize) -> f64) -> f64 {
        let (s, e) = (self.block_start[b] as usize, self.block_start[b + 1] as usize);
        let norm = |range: std::ops::Range<usize>| range.map(|i| speed(i).powi(2)).sum::<f64>().sqrt();
        let dim = self.space.dim();
        norm(s..s + dim) + norm(s + dim..e) * self.lever(self.body_index(b))
    }

    /// How far two configurations lie apart, m: max over bodies of |p − p′| + r φ, with φ the angle between the two
    /// orientations (rad) and r the reach of the body from its centre (0 where it is infinite). No point of a body is
    /// farther from where the other configuration has it.
    pub fn distance(&self, q: &[f64], other: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        for b in 0..self.n_blocks() {
            let (s, body) = (self.q_start[b] as usize, self.body_index(b));
            let dim = self.space.dim();
            let moved = (s..s + dim).map(|i| (q[i] - other[i]).powi(2)).sum::<f64>().sqrt();
            let turned = match self.space {
                Space::Planar => (q[s + 2] - other[s + 2]).abs(),
                Space::Spatial => {
                    quaternion_of(&q[s + 3..s + 7]).angle_to(&quaternion_of(&other[s + 3..s + 7]))
                }
            };
            largest = largest.max(moved + self.lever(body) * turned);
        }
        largest
    }

    /// Widens the active distance of every body that moves farther than it in a step of size h at velocity v⁺, to twice
    /// its motion; whether there was one. A contact on its way may then have been left out, and the step is to be made
    /// again. Only the solution knows: bodies without inertia go wherever springs, drag or drives take them.
    pub fn widen_margins(&self, v: &[f64], h: f64, margin: &mut ActiveMargins) -> bool {
        let mut widened = false;
        for b in 0..self.n_blocks() {
            let (body, moved) = (self.body_index(b), h * self.sweep(b, |i| v[i]));
            if moved > margin[body] {
                margin[body] = 2.0 * moved;
                widened = true;
            }
        }
        widened
    }

    /// Active distance per body: with m_i = h (|v_i| + |ω_i| r_i) + h² |f_i|/m_i the body's own motion bound,
    /// margin_i = m_i + ½ max_j m_j + extra. The shared half covers bodies set in motion within the step by others.
    pub fn active_margins(
        &self,
        v: &[f64],
        command: &[f64],
        dynamics: &Dynamics,
        h: f64,
        extra: f64,
        out: &mut ActiveMargins,
    ) {
        out.clear();
        out.resize(self.bodies.len(), 0.0);
        let mut largest = 0.0_f64;
        for b in 0..self.n_blocks() {
            let (body, s) = (self.body_index(b), self.block_start[b] as usize);
            let role = &self.bodies[body].role;
            let speed =
                |i: usize| if role[i - s] == DofRole::Free { v[i] } else { v[i].abs().max(command[i].abs()) };
            let force = &dynamics.force[s..s + self.space.dim()];
            let pull = force.iter().map(|f| f * f).sum::<f64>().sqrt();
            out[body] = h * self.sweep(b, speed) + h * h * pull / self.bodies[body].mass.mass;
            largest = largest.max(out[body]);
        }
        for margin in out.iter_mut() {
            *margin += 0.5 * largest + extra;
        }
    }
}
