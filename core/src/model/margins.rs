//! Bounds of motion: between configurations, in the coming step, beyond what was expected.

use super::{DofRole, Dynamics, Frames, MotionSource, Space, System};
use crate::sparse::Csr;
use crate::state::quaternion_of;
use crate::tree::{Articulated, Factor, Tree, TreeState};

/// How far each body may move in the coming step; see [`System::active_margins`].
pub type ActiveMargins = Vec<f64>;

/// Velocities at the end of a step as far as they can be told without contacts and rows. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub struct Foresight {
    /// Expected velocities, nv: of trees v + h (M + h C + h² K)⁻¹ (f + c) with the diagonals of C and K; of other bodies v; of driven dofs the command
    /// where it is faster. nv.
    pub v: Vec<f64>,
    matrix: Vec<f64>,
    extra: Vec<f64>,
    change: Vec<f64>,
    factor: Factor,
    articulated: Articulated,
}

/// Dofs of a tree from which on articulated bodies are faster than the factors of M, whose time grows with their cube.
const LONG: usize = 48;

impl Foresight {
    /// Looks a step of size h ahead.
    pub fn look(
        &mut self,
        (system, frames): (&System, &Frames),
        v: &[f64],
        (command, role): (&[f64], &[u8]),
        dynamics: &Dynamics,
        h: f64,
    ) {
        self.v.clear();
        self.v.extend_from_slice(v);
        let mut at = system.body_of_block.len() * system.space.nv().pow(2);
        for (k, part) in system.trees.iter().enumerate() {
            let (start, n) = (system.tree_velocity(k), part.tree.nv());
            self.load(start, n, dynamics, h);
            if self.accelerate(&part.tree, &frames.trees[k], &dynamics.mass[at..at + n * n]) {
                self.v[start..start + n].iter_mut().zip(&self.change).for_each(|(v, a)| *v += h * a);
            }
            at += n * n;
        }
        for (i, role) in role.iter().enumerate() {
            if DofRole::from_code(*role) != DofRole::Free {
                self.v[i] = if command[i].abs() > v[i].abs() { command[i] } else { v[i] };
            }
        }
    }

    /// h C + h² K and f + c of the dofs of a tree.
    fn load(&mut self, start: usize, n: usize, dynamics: &Dynamics, h: f64) {
        let entry = |m: Csr<'_>, i: usize| {
            let mut own = if m.n_rows() > 0 { Some(m.entries(i)) } else { None }.into_iter().flatten();
            own.find(|e| e.0 == i).map_or(0.0, |e| e.1)
        };
        self.extra.clear();
        self.change.clear();
        for dof in start..start + n {
            let (c, k) = (entry(dynamics.viscosity.view(), dof), entry(dynamics.stiffness.view(), dof));
            self.extra.push(h * c + h * h * k);
            self.change.push(dynamics.force[dof] + dynamics.bias[dof]);
        }
    }

    /// change ← (M + diag(extra))⁻¹ change.
    fn accelerate(&mut self, tree: &Tree, state: &TreeState, mass: &[f64]) -> bool {
        let n = tree.nv();
        if n >= LONG {
            return state.accelerations(tree, &self.extra, &mut self.articulated, &mut self.change);
        }
        self.matrix.clear();
        self.matrix.extend_from_slice(mass);
        self.extra.iter().enumerate().for_each(|(i, extra)| self.matrix[i * (n + 1)] += extra);
        let factored = self.factor.factor(tree, &self.matrix);
        if factored {
            self.factor.solve(tree, &mut self.change);
        }
        factored
    }
}

impl System {
    /// Finite reach of a body from its centre, m: what turning moves; 0 where it is infinite.
    fn lever(&self, body: usize) -> f64 {
        if self.reach[body].is_finite() { self.reach[body] } else { 0.0 }
    }

    /// |v_c| + |ω| r of every body that moves, m/s, with `v` the velocities: a bound of how fast its points go.
    fn sweeps<'a>(&'a self, v: &'a [f64], frames: &'a mut Frames) -> impl Iterator<Item = (usize, f64)> + 'a {
        self.set_velocity(v, frames);
        let frames: &'a Frames = frames;
        let moving = (0..self.bodies.len()).filter(|b| self.motion_sources[*b] != MotionSource::Fixed);
        moving.map(move |body| {
            let (centre, omega) = self.body_velocity(body as u32, v, frames);
            (body, centre.norm() + omega.norm() * self.lever(body))
        })
    }

    /// How far two configurations lie apart, m: max over bodies of |p − p′| + r φ, with φ the angle between the two
    /// orientations (rad) and r the reach of the body from its centre (0 where it is infinite). No point of a body is
    /// farther from where the other configuration has it.
    pub fn distance(&self, q: &[f64], other: &[f64]) -> f64 {
        let (here, there) = (self.placed(q), self.placed(other));
        let mut largest = 0.0_f64;
        for body in 0..self.bodies.len() as u32 {
            let moved = (here.centre(body) - there.centre(body)).norm();
            let (a, b) = (here.pose(body), there.pose(body));
            let turned = match self.space {
                Space::Planar => (a[2] - b[2]).abs(),
                Space::Spatial => quaternion_of(&a[3..7]).angle_to(&quaternion_of(&b[3..7])),
            };
            largest = largest.max(moved + self.lever(body as usize) * turned);
        }
        largest
    }

    /// Widens the active distance of every body that moves farther than it in a step of size h at velocity v⁺, to twice
    /// its motion; whether there was one. A contact on its way may then have been left out, and the step is to be made
    /// again. Only the solution knows: bodies without inertia go wherever springs, drag or drives take them.
    pub fn widen_margins(&self, v: &[f64], frames: &mut Frames, h: f64, margin: &mut ActiveMargins) -> bool {
        let mut widened = false;
        for (body, speed) in self.sweeps(v, frames) {
            if h * speed > margin[body] {
                margin[body] = 2.0 * h * speed;
                widened = true;
            }
        }
        widened
    }

    /// h |ω| r of every body that moves by itself, m, at velocities v: what its own turning adds to its active distance.
    pub fn turning(&self, v: &[f64], h: f64, out: &mut Vec<f64>) {
        let spin = |body: usize| {
            let first = self.first_velocity(body as u32)? + self.space.dim();
            let omega = v.get(first..first + self.space.nv() - self.space.dim())?;
            Some(h * omega.iter().map(|w| w * w).sum::<f64>().sqrt() * self.lever(body))
        };
        out.clear();
        out.extend((0..self.bodies.len()).map(|body| spin(body).unwrap_or(0.0)));
    }

    /// Active distance per body: with m_i = h (|v_i| + |ω_i| r_i) + h² |f_i|/m_i the body's own motion bound,
    /// margin_i = m_i + ½ max_j m_j + extra. The shared half covers bodies set in motion within the step by others.
    /// `foreseen` is what [`Foresight`] says.
    pub fn active_margins(
        &self,
        foreseen: &[f64],
        frames: &mut Frames,
        dynamics: &Dynamics,
        h: f64,
        extra: f64,
        out: &mut ActiveMargins,
    ) {
        out.clear();
        out.resize(self.bodies.len(), 0.0);
        let mut largest = 0.0_f64;
        for (body, speed) in self.sweeps(foreseen, frames) {
            out[body] = h * speed;
            if let MotionSource::Block(block) = self.motion_sources[body] {
                let s = self.block_start[block as usize] as usize;
                let force = &dynamics.force[s..s + self.space.dim()];
                let pull = force.iter().map(|f| f * f).sum::<f64>().sqrt();
                out[body] += h * h * pull / self.bodies[body].mass.mass;
            }
            largest = largest.max(out[body]);
        }
        for margin in out.iter_mut() {
            *margin += 0.5 * largest + extra;
        }
    }
}
