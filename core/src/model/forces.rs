//! Everything that depends on (q, v) but not on contacts: masses, forces, implicit matrices, energy.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::inertia::world_inertia;
use super::point::{PointJacobian, fill};
use super::{Space, System, TorsionSpring};
use crate::sparse::CsrBuf;
use crate::state::{integrate, quaternion_of};

/// Treatment of the velocity-product torque −ω × J ω of spatial bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Gyroscopic {
    /// One Newton step on J_b (ω⁺ − ω) + h ω⁺ × J_b ω⁺ = 0 in body axes: does not gain energy at fast spin.
    #[default]
    Implicit,
    /// −ω × J ω at the start of the step: gains energy for fast spin.
    Explicit,
    /// Left out.
    None,
}

/// Part of the step over which rates are taken as differences, each way.
const DIFFERENCE: f64 = 1e-4;

/// How forces are prepared for a stepper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Method {
    /// Treatment of gyroscopic torques.
    pub gyroscopic: Gyroscopic,
    /// Step size, s.
    pub h: f64,
    /// Whether the stepper is of second order: springs are then implicit along themselves only, and everything that turns
    /// is an explicit rate.
    pub second_order: bool,
}

/// Everything that depends on (q, v) but not on contacts. Keeps its memory between steps.
#[derive(Debug, Clone, Default)]
pub struct Dynamics {
    /// Mass matrix blocks, dense, one after another.
    pub mass: Vec<f64>,
    /// Drag blocks D of the first-order model, like `mass`.
    pub drag: Vec<f64>,
    /// Explicit forces without velocity products, nv.
    pub force: Vec<f64>,
    /// Velocity-product forces (gyroscopic), nv.
    pub bias: Vec<f64>,
    /// −∂f/∂q N of springs, or no rows.
    pub stiffness: CsrBuf,
    /// −∂f/∂v of dampers, or no rows.
    pub viscosity: CsrBuf,
    /// What [`Method::second_order`] adds: rates of forces along the motion that `stiffness` does not account for, nv, N/s.
    pub force_rate: Vec<f64>,
    /// q ⊕ τ N v and q ⊖ τ N v, for differences along the motion.
    beside: [Vec<f64>; 2],
    triplets: [Vec<(u32, u32, f64)>; 2],
}

impl System {
    /// Mass, drag, forces and implicit spring matrices at (q, v). `applied` are the drives' forces, nv.
    pub fn evaluate(&self, q: &[f64], v: &[f64], applied: &[f64], method: Method, out: &mut Dynamics) {
        out.mass.clear();
        out.drag.clear();
        out.force.clear();
        out.force.extend_from_slice(applied);
        out.bias.clear();
        out.bias.resize(self.nv(), 0.0);
        for b in 0..self.n_blocks() {
            self.add_body(b, q, v, method, out);
        }
        out.force_rate.clear();
        out.force_rate.resize(if method.second_order { self.nv() } else { 0 }, 0.0);
        self.add_springs(q, v, method, out);
        if method.second_order {
            self.add_rates(q, v, method.h, out);
        }
    }

    fn add_body(&self, b: usize, q: &[f64], v: &[f64], method: Method, out: &mut Dynamics) {
        let body = self.body_of(b);
        let (n, start) = (self.space.nv(), self.block_start[b] as usize);
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
                let inertia = world_inertia(&self.body_inertia[self.body_index(b)], &orientation);
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

    fn add_springs(&self, q: &[f64], v: &[f64], method: Method, out: &mut Dynamics) {
        let [stiff, viscous] = &mut out.triplets;
        stiff.clear();
        viscous.clear();
        for b in 0..self.n_blocks() {
            for (i, &c) in self.body_of(b).damping.iter().enumerate().filter(|(_, c)| **c != 0.0) {
                let dof = self.block_start[b] as usize + i;
                out.force[dof] -= c * v[dof];
                viscous.push((dof as u32, dof as u32, c));
            }
        }
        for spring in &self.springs {
            let (d, jacobian) = self.between(&spring.a, &spring.b, q);
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
        self.add_films(q, v, &mut out.force, viscous);
        fill(self.nv(), stiff, &mut out.stiffness);
        fill(self.nv(), viscous, &mut out.viscosity);
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
            Some(body) if self.block_of(body).is_none() => self.initial_pose[3 * body as usize + 2],
            _ => 0.0,
        };
        angle(torsion.b) - angle(torsion.a)
    }

    /// Adds what changes the generalized forces of springs and films along the motion beyond their implicit matrices:
    /// d/dt (Jᵀ f) at fixed v, plus K v, by central differences. It is the turning of springs, of their levers and of films.
    ///
    /// The tension of a spring too stiff for the step is not that of its stretch, but what the implicit rule leaves of it,
    /// 1/(1 + (h c/2 + h² k/4)/m) of it with m the mass that it moves: a change O(h²) for springs that the step resolves,
    /// and no turning force at all for a rigid link.
    fn add_rates(&self, q: &[f64], v: &[f64], h: f64, out: &mut Dynamics) {
        let tau = DIFFERENCE * h;
        for (q_beside, time) in out.beside.iter_mut().zip([tau, -tau]) {
            q_beside.resize(q.len(), 0.0);
            integrate(&self.layout(), q, v, time, q_beside);
        }
        let [ahead, behind] = &out.beside;
        for spring in &self.springs {
            let (d, jacobian) = self.between(&spring.a, &spring.b, q);
            let stiff = 0.5 * h * spring.damping + 0.25 * h * h * spring.stiffness;
            let left = 1.0 / (1.0 + stiff * self.mobility(&jacobian, &d, &out.mass));
            for (q_beside, sign) in [(ahead, 1.0), (behind, -1.0)] {
                let (d, jacobian) = self.between(&spring.a, &spring.b, q_beside);
                let force = spring.evaluate(&d, &jacobian.velocity(v)).force;
                jacobian.add_force(&(force * (sign * left / (2.0 * tau))), &mut out.force_rate);
            }
            jacobian.add_force(&(spring.along(&d) * jacobian.velocity(v) * left), &mut out.force_rate);
        }
        self.add_film_rates([ahead, behind], v, tau, &mut out.force_rate);
    }

    /// 1/m of what moves along d: Σ (d̂·J_i)²/M_ii; along all axes together where d = 0.
    fn mobility(&self, jacobian: &PointJacobian, d: &Vector3<f64>, mass: &[f64]) -> f64 {
        let (n, length) = (self.space.nv(), d.norm());
        // Blocks are dense n × n and follow each other, so entry (i, i) of dof b n + i stands at b n² + i (n + 1).
        let diagonal = |dof: usize| mass[dof / n * n * n + dof % n * (n + 1)];
        if length == 0.0 {
            let axis = |k: usize| jacobian.entries(k).map(|(dof, x)| x * x / diagonal(dof)).sum::<f64>();
            return (0..3).map(axis).sum();
        }
        let row = |k: usize| jacobian.entries(k).map(|(_, value)| value);
        let along = row(0).zip(row(1)).zip(row(2)).map(|((x, y), z)| d.dot(&Vector3::new(x, y, z)) / length);
        jacobian.entries(0).zip(along).map(|((dof, _), w)| w * w / diagonal(dof)).sum()
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
