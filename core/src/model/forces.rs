//! Everything that depends on (q, v) but not on contacts: masses, forces, implicit matrices, energy.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::dynamics::{Applied, Dynamics, Gyroscopic, Method};
use super::inertia::world_inertia;
use super::point::{PointJacobian, fill};
use super::{Frames, Space, System, TorsionSpring};
use crate::state::{integrate, quaternion_of};

/// Part of the step over which rates are taken as differences of fourth order. What (0.03 ω h)⁴/30 leaves is below the rounding of shorter ones,
/// which derivatives of steps would have in them once more.
const DIFFERENCE: f64 = 0.03;
/// Times of such a difference, in that part, and 12 times the weight of the value at each.
pub(super) const BESIDE: [[f64; 2]; 4] = [[1.0, 8.0], [-1.0, -8.0], [2.0, -1.0], [-2.0, 1.0]];

impl System {
    /// Mass, drag, forces and implicit spring matrices at (q, v); `frames` stand at q ([`System::place`]).
    pub fn evaluate(
        &self,
        q: &[f64],
        v: &[f64],
        frames: &mut Frames,
        applied: &Applied<'_>,
        method: Method,
        out: &mut Dynamics,
    ) {
        out.mass.clear();
        out.drag.clear();
        out.force.clear();
        out.force.extend_from_slice(applied.force);
        out.bias.clear();
        out.bias.resize(self.nv(), 0.0);
        for b in 0..self.body_of_block.len() {
            self.add_body(b, q, v, method, out);
        }
        for k in 0..self.trees.len() {
            self.evaluate_tree(k, v, frames, out);
        }
        out.force_rate.clear();
        out.force_rate.resize(if method.second_order { self.nv() } else { 0 }, 0.0);
        self.add_springs(q, v, frames, applied, method, out);
        if method.second_order {
            self.add_rates(q, v, frames, method.h, out);
        }
    }

    /// Mass, drag, gravity, velocity products and joint damping of tree `k`.
    fn evaluate_tree(&self, k: usize, v: &[f64], frames: &mut Frames, out: &mut Dynamics) {
        let (part, start) = (&self.trees[k], self.tree_velocity(k));
        let (tree, n, state) = (&part.tree, part.tree.nv(), &mut frames.trees[k]);
        let mass_at = out.mass.len();
        out.mass.resize(mass_at + n * n, 0.0);
        out.drag.resize(mass_at + n * n, 0.0);
        state.mass(tree, &mut out.mass[mass_at..]);
        for (i, drag) in part.drag.iter().enumerate() {
            out.drag[mass_at + i * n + i] = *drag;
        }
        if part.gravity {
            state.gravity(tree, &self.gravity, &mut out.force[start..start + n]);
        }
        state.bias(tree, &v[start..start + n], &mut out.bias[start..start + n]);
    }

    fn add_body(&self, b: usize, q: &[f64], v: &[f64], method: Method, out: &mut Dynamics) {
        let (index, start) = (self.body_of_block[b] as usize, self.block_start[b] as usize);
        let (body, n) = (&self.bodies[index], self.space.nv());
        let mass_at = out.mass.len();
        out.mass.resize(mass_at + n * n, 0.0);
        out.drag.resize(mass_at + n * n, 0.0);
        let dim = self.space.dim();
        for i in 0..n {
            out.drag[mass_at + i * n + i] = body.drag[i];
            if i < dim {
                out.mass[mass_at + i * n + i] = body.mass.mass;
                if body.gravity {
                    out.force[start + i] += body.mass.mass * self.gravity[i];
                }
            }
        }
        match self.space {
            Space::Planar => out.mass[mass_at + 8] = body.mass.moment(),
            Space::Spatial => {
                let orientation = quaternion_of(&q[self.q_start[b] as usize + 3..][..4]);
                let inertia = world_inertia(&self.body_inertia[index], &orientation);
                for i in 0..3 {
                    for j in 0..3 {
                        out.mass[mass_at + (3 + i) * 6 + 3 + j] = inertia[(i, j)];
                    }
                }
                let omega = Vector3::new(v[start + 3], v[start + 4], v[start + 5]);
                let torque =
                    gyroscopic_torque(&body.mass.inertia, &orientation, &omega, method.gyroscopic, method.h);
                out.bias[start + 3..start + 6].copy_from_slice(torque.as_slice());
            }
        }
    }

    fn add_springs(
        &self,
        q: &[f64],
        v: &[f64],
        frames: &Frames,
        applied: &Applied<'_>,
        method: Method,
        out: &mut Dynamics,
    ) {
        let [stiff, viscous] = &mut out.triplets;
        stiff.clear();
        viscous.clear();
        for (dof, c) in self.dampers() {
            out.force[dof] -= c * v[dof];
            viscous.push((dof as u32, dof as u32, c));
        }
        for (list, diagonal) in [(&mut *stiff, applied.stiffness), (&mut *viscous, applied.viscosity)] {
            let given = diagonal.iter().enumerate().filter(|(_, x)| **x != 0.0);
            list.extend(given.map(|(dof, x)| (dof as u32, dof as u32, *x)));
        }
        for spring in &self.springs {
            let jacobian = &mut out.jacobian;
            let d = self.between(&spring.a, &spring.b, frames, jacobian);
            let rate = jacobian.velocity(v);
            let at = spring.evaluate(&d, &rate);
            jacobian.add_force(&at.force, &mut out.force);
            let implicit = if method.second_order { spring.along(&d) } else { at.stiffness };
            jacobian.add_matrix(&implicit, stiff);
            jacobian.add_matrix(&at.viscosity, viscous);
        }
        for torsion in &self.torsion_springs {
            self.add_torsion(torsion, q, v, &mut out.force, [stiff, viscous]);
        }
        self.add_films(v, frames, &mut out.force, viscous, &mut out.jacobian);
        fill(self.nv(), stiff, &mut out.stiffness);
        fill(self.nv(), viscous, &mut out.viscosity);
    }

    /// (velocity, c) of everything that damps one velocity alone: bodies' dofs and joints of trees.
    fn dampers(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let own =
            |b: usize| (self.block_start[b] as usize, &self.bodies[self.body_of_block[b] as usize].damping);
        let of_bodies = (0..self.body_of_block.len())
            .map(own)
            .flat_map(|(start, list)| list.iter().enumerate().map(move |(i, c)| (start + i, *c)));
        let of_trees = self.trees.iter().enumerate().flat_map(|(k, part)| {
            let start = self.tree_velocity(k);
            (0..part.tree.nv()).map(move |i| (start + i, part.tree.joints()[part.tree.joint_of_v(i)].damping))
        });
        of_bodies.chain(of_trees).filter(|(_, c)| *c != 0.0)
    }

    /// Torque, stiffness and viscosity of a torsion spring.
    fn add_torsion(
        &self,
        torsion: &TorsionSpring,
        q: &[f64],
        v: &[f64],
        force: &mut [f64],
        [stiff, viscous]: [&mut Vec<(u32, u32, f64)>; 2],
    ) {
        let ends = [(torsion.a, -1.0), (torsion.b, 1.0)];
        let dofs = ends.map(|(body, sign)| Some((self.first_velocity(body?)? + 2, sign)));
        let turned = |list: &[f64]| dofs.iter().flatten().map(|(dof, sign)| sign * list[*dof]).sum::<f64>();
        let twist = turned(q) + self.fixed_angle(torsion) - torsion.rest_angle;
        let torque = -torsion.stiffness * twist - torsion.damping * turned(v);
        for (i, si) in dofs.into_iter().flatten() {
            force[i] += si * torque;
            for (j, sj) in dofs.into_iter().flatten() {
                stiff.push((i as u32, j as u32, si * sj * torsion.stiffness));
                viscous.push((i as u32, j as u32, si * sj * torsion.damping));
            }
        }
    }

    /// θ_b − θ_a as far as static bodies make it.
    fn fixed_angle(&self, torsion: &TorsionSpring) -> f64 {
        let angle = |body: Option<u32>| match body {
            Some(body) if self.first_velocity(body).is_none() => self.initial_pose[3 * body as usize + 2],
            _ => 0.0,
        };
        angle(torsion.b) - angle(torsion.a)
    }

    /// Adds what changes the generalized forces of springs and films along the motion beyond their implicit matrices:
    /// d/dt (Jᵀ f) at fixed v, plus K v, by differences. It is the turning of springs, of their levers and of films.
    ///
    /// The tension of a spring too stiff for the step is not that of its stretch, but what the implicit rule leaves of it,
    /// 1/(1 + (h c/2 + h² k/4)/m) of it with m the mass that it moves: a change O(h²) for springs that the step resolves,
    /// and no turning force at all for a rigid link.
    fn add_rates(&self, q: &[f64], v: &[f64], frames: &Frames, h: f64, out: &mut Dynamics) {
        let tau = DIFFERENCE * h;
        for (frames, [time, _]) in out.frames_beside.iter_mut().zip(BESIDE) {
            out.beside.resize(q.len(), 0.0);
            integrate(&self.layout(), q, v, time * tau, &mut out.beside);
            self.place(&out.beside, frames);
        }
        let jacobian = &mut out.jacobian;
        for spring in &self.springs {
            let d = self.between(&spring.a, &spring.b, frames, jacobian);
            let stiff = 0.5 * h * spring.damping + 0.25 * h * h * spring.stiffness;
            let left = 1.0 / (1.0 + stiff * self.mobility(jacobian, &d, &out.mass));
            jacobian.add_force(&(spring.along(&d) * jacobian.velocity(v) * left), &mut out.force_rate);
            for (frames, [_, weight]) in out.frames_beside.iter().zip(BESIDE) {
                let d = self.between(&spring.a, &spring.b, frames, jacobian);
                let force = spring.evaluate(&d, &jacobian.velocity(v)).force;
                jacobian.add_force(&(force * (weight * left / (12.0 * tau))), &mut out.force_rate);
            }
        }
        self.add_film_rates(&out.frames_beside, v, tau, &mut out.force_rate, jacobian);
    }

    /// 1/m of what moves along d: Σ (d̂·J_i)²/M_ii; along all axes together where d = 0.
    fn mobility(&self, jacobian: &PointJacobian, d: &Vector3<f64>, mass: &[f64]) -> f64 {
        let length = d.norm();
        let diagonal = |dof: usize| mass[self.diagonal(dof)];
        if length == 0.0 {
            let axis = |k: usize| jacobian.entries(k).map(|(dof, x)| x * x / diagonal(dof)).sum::<f64>();
            return (0..3).map(axis).sum();
        }
        jacobian.along(&(d / length)).map(|(dof, w)| w * w / diagonal(dof)).sum()
    }
}

impl System {
    /// Where M_ii of a velocity stands among the dense blocks of the mass matrix.
    pub(super) fn diagonal(&self, dof: usize) -> usize {
        let block = self.block_of_dof(dof);
        let size = |b: usize| (self.block_start[b + 1] - self.block_start[b]) as usize;
        // Blocks of free bodies are all of one size and come first.
        let (n, own) = (self.space.nv(), self.body_of_block.len());
        let before = block.min(own) * n * n + (own..block).map(|b| size(b) * size(b)).sum::<usize>();
        before + (dof - self.block_start[block] as usize) * (size(block) + 1)
    }
}

/// Equivalent torque over the step, world axes, N m.
fn gyroscopic_torque(
    inertia: &Matrix3<f64>,
    orientation: &UnitQuaternion<f64>,
    omega_world: &Vector3<f64>,
    method: Gyroscopic,
    h: f64,
) -> Vector3<f64> {
    if method == Gyroscopic::None || *omega_world == Vector3::zeros() {
        return Vector3::zeros();
    }
    let omega = orientation.inverse_transform_vector(omega_world);
    let momentum = inertia * omega;
    let product = omega.cross(&momentum);
    let body_torque = match method {
        Gyroscopic::Explicit | Gyroscopic::None => -product,
        Gyroscopic::Implicit => {
            // r(ω⁺) = J(ω⁺ − ω) + h ω⁺ × Jω⁺ at ω⁺ = ω; ∂r/∂ω⁺ = J + h([ω]× J − [Jω]×).
            let jacobian = inertia + (omega.cross_matrix() * inertia - momentum.cross_matrix()) * h;
            match jacobian.lu().solve(&(product * h)) {
                Some(delta) => -(inertia * delta) / h,
                None => -product,
            }
        }
    };
    orientation * body_torque
}
