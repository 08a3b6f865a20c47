//! The generalized system: bodies become (q, v, M, f, N), and steppers see nothing else.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use thiserror::Error;

use super::inertia::world_inertia;
use super::point::{PointJacobian, fill};
use super::{
    Anchor, Body, DofRole, MaterialTable, PointJoint, Shape, Space, Spring, SupportPoint, TorsionSpring,
};
use crate::sparse::CsrBuf;
use crate::stage::BlockKind;
use crate::state::{Layout, quaternion_of};

/// Why a system cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ModelError {
    /// Something refers to a body that is not there.
    #[error("{what} refers to body {index}, but there are only {bodies} bodies")]
    NoSuchBody {
        /// What refers to it.
        what: String,
        /// The index.
        index: u32,
        /// How many bodies there are.
        bodies: usize,
    },
    /// A body's numbers make no physical sense.
    #[error("body `{body}`: {reason}")]
    BadBody {
        /// Its name.
        body: String,
        /// What is wrong.
        reason: String,
    },
}

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

/// How forces are prepared for a stepper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Method {
    /// Treatment of gyroscopic torques.
    pub gyroscopic: Gyroscopic,
    /// Step size, s.
    pub h: f64,
    /// Whether the stepper is of second order: springs are then implicit along themselves only, and their turning is an
    /// explicit rate.
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
    /// What [`Method::second_order`] adds: rates of spring forces that `stiffness` does not account for, nv, N/s.
    pub force_rate: Vec<f64>,
    triplets: [Vec<(u32, u32, f64)>; 2],
}

/// How far each body may move in the coming step; see [`System::active_margins`].
pub type ActiveMargins = Vec<f64>;

/// A system of bodies. Static bodies have a pose but no coordinates; block b belongs to the b-th body that moves.
#[derive(Debug, Clone)]
pub struct System {
    /// Planar or spatial.
    pub space: Space,
    /// Gravity, m/s² (z = 0 in planar scenes).
    pub gravity: Vector3<f64>,
    /// All bodies.
    pub bodies: Vec<Body>,
    /// All shapes; the index is the shape id of contacts.
    pub shapes: Vec<Shape>,
    /// Materials and pairs.
    pub materials: MaterialTable,
    /// Springs and dampers.
    pub springs: Vec<Spring>,
    /// Torsion springs (planar systems).
    pub torsion_springs: Vec<TorsionSpring>,
    /// Joints.
    pub joints: Vec<PointJoint>,
    /// Support points of 2.5D parts.
    pub supports: Vec<SupportPoint>,
    /// Pairs of bodies (a < b), flattened, whose contacts are not wanted.
    pub ignored_pairs: Vec<u32>,
    /// Poses of all bodies at t = 0, `space.nq()` numbers each.
    pub initial_pose: Vec<f64>,
    /// Velocities of the moving bodies at t = 0, `space.nv()` numbers each.
    pub initial_velocity: Vec<f64>,
    block_of_body: Vec<Option<u32>>,
    body_of_block: Vec<u32>,
    block_start: Vec<u32>,
    q_start: Vec<u32>,
    block_kind: Vec<u8>,
    reach: Vec<f64>,
    body_inertia: Vec<Matrix3<f64>>,
}

/// The parts a [`System`] is built from.
#[derive(Debug, Clone)]
pub struct Parts {
    /// Planar or spatial.
    pub space: Space,
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Shapes.
    pub shapes: Vec<Shape>,
    /// Materials.
    pub materials: MaterialTable,
    /// Springs.
    pub springs: Vec<Spring>,
    /// Torsion springs (planar systems).
    pub torsion_springs: Vec<TorsionSpring>,
    /// Joints.
    pub joints: Vec<PointJoint>,
    /// Support points of 2.5D parts.
    pub supports: Vec<SupportPoint>,
    /// Pairs of bodies whose contacts are not wanted.
    pub ignored_pairs: Vec<(u32, u32)>,
    /// Pose of every body: (x, y, θ) or (p, quaternion wxyz).
    pub initial_pose: Vec<Vec<f64>>,
    /// Velocity of every body (static ones ignored): 3 or 6 numbers.
    pub initial_velocity: Vec<Vec<f64>>,
}

impl System {
    /// Builds the system and checks what only the whole can check (references, masses, lengths).
    pub fn new(parts: Parts) -> Result<Self, ModelError> {
        let (nq, nv) = (parts.space.nq() as u32, parts.space.nv() as u32);
        let n = parts.bodies.len();
        for (i, shape) in parts.shapes.iter().enumerate() {
            check_body(format!("shape {i}"), shape.body, n)?;
        }
        for spring in &parts.springs {
            for anchor in [&spring.a, &spring.b] {
                if let Anchor::Body(body, _) = anchor {
                    check_body(format!("spring `{}`", spring.name), *body, n)?;
                }
            }
        }
        for joint in &parts.joints {
            for anchor in [&joint.a, &joint.b] {
                if let Anchor::Body(body, _) = anchor {
                    check_body(format!("joint `{}`", joint.name), *body, n)?;
                }
            }
        }
        for torsion in &parts.torsion_springs {
            for body in [torsion.a, torsion.b].into_iter().flatten() {
                check_body(format!("torsion spring `{}`", torsion.name), body, n)?;
            }
        }
        for (i, support) in parts.supports.iter().enumerate() {
            check_body(format!("support point {i}"), support.body, n)?;
        }
        let mut system = Self {
            space: parts.space,
            gravity: parts.gravity,
            ignored_pairs: parts.ignored_pairs.iter().flat_map(|&(a, b)| [a.min(b), a.max(b)]).collect(),
            initial_pose: parts.initial_pose.concat(),
            initial_velocity: Vec::new(),
            block_of_body: vec![None; n],
            body_of_block: Vec::new(),
            block_start: vec![0],
            q_start: vec![0],
            block_kind: Vec::new(),
            reach: vec![0.0; n],
            body_inertia: parts.bodies.iter().map(|b| b.mass.inertia).collect(),
            bodies: parts.bodies,
            shapes: parts.shapes,
            materials: parts.materials,
            springs: parts.springs,
            torsion_springs: parts.torsion_springs,
            joints: parts.joints,
            supports: parts.supports,
        };
        for i in 0..n {
            system.add_block(i, &parts.initial_velocity[i], nq, nv)?;
        }
        for shape in &system.shapes {
            let reach = &mut system.reach[shape.body as usize];
            *reach = reach.max(shape.reach());
        }
        Ok(system)
    }

    fn add_block(&mut self, i: usize, velocity: &[f64], nq: u32, nv: u32) -> Result<(), ModelError> {
        let body = &self.bodies[i];
        if body.is_static {
            return Ok(());
        }
        let moment = body.mass.moment();
        let bad = |reason: String| Err(ModelError::BadBody { body: body.name.clone(), reason });
        if !(body.mass.mass > 0.0 && body.mass.mass.is_finite()) {
            return bad(format!("mass must be positive and finite, found {}", body.mass.mass));
        }
        if self.space == Space::Planar && !(moment > 0.0 && moment.is_finite()) {
            return bad(format!("moment of inertia must be positive and finite, found {moment}"));
        }
        if self.space == Space::Spatial
            && let Err(reason) = super::inertia::check_inertia(&body.mass.inertia)
        {
            return bad(reason);
        }
        self.block_of_body[i] = Some(self.body_of_block.len() as u32);
        self.body_of_block.push(i as u32);
        self.block_start.push(self.block_start[self.block_start.len() - 1] + nv);
        self.q_start.push(self.q_start[self.q_start.len() - 1] + nq);
        let kind = if self.space == Space::Planar { BlockKind::Planar } else { BlockKind::Spatial };
        self.block_kind.push(kind as u8);
        self.initial_velocity.extend_from_slice(velocity);
        Ok(())
    }

    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.block_start[self.block_start.len() - 1] as usize
    }

    /// Number of position coordinates.
    pub fn nq(&self) -> usize {
        self.q_start[self.q_start.len() - 1] as usize
    }

    /// Number of blocks (moving bodies).
    pub fn n_blocks(&self) -> usize {
        self.block_kind.len()
    }

    /// Block of a body, `None` for static ones.
    #[inline]
    pub fn block_of(&self, body: u32) -> Option<usize> {
        self.block_of_body[body as usize].map(|b| b as usize)
    }

    /// First velocity of a body, `None` for static ones.
    #[inline]
    pub fn first_velocity(&self, body: u32) -> Option<usize> {
        self.block_of(body).map(|block| self.block_start[block] as usize)
    }

    /// Body of a block.
    #[inline]
    pub fn body_of(&self, block: usize) -> &Body {
        &self.bodies[self.body_of_block[block] as usize]
    }

    /// Index of the body of a block.
    #[inline]
    pub fn body_index(&self, block: usize) -> usize {
        self.body_of_block[block] as usize
    }

    /// Where blocks stand in q and v.
    #[inline]
    pub fn layout(&self) -> Layout<'_> {
        Layout { block_start: &self.block_start, q_start: &self.q_start, block_kind: &self.block_kind }
    }

    /// Positions at t = 0, nq.
    pub fn initial_q(&self) -> Vec<f64> {
        let n = self.space.nq();
        self.body_of_block.iter().flat_map(|&b| self.initial_pose[b as usize * n..][..n].to_vec()).collect()
    }

    /// Roles of all velocities, nv ([`DofRole`] codes).
    pub fn roles(&self) -> Vec<u8> {
        self.body_of_block.iter().flat_map(|&b| &self.bodies[b as usize].role).map(|r| *r as u8).collect()
    }

    /// Stiffness of impedance dofs, nv.
    pub fn impedances(&self) -> Vec<f64> {
        self.body_of_block.iter().flat_map(|&b| &self.bodies[b as usize].impedance).copied().collect()
    }

    /// Motion model of every block (0: the stepper's default).
    pub fn motions(&self) -> Vec<u8> {
        self.body_of_block.iter().map(|&b| self.bodies[b as usize].motion.map_or(0, |m| m as u8)).collect()
    }

    /// Poses of all bodies at configuration q: moving ones from q, static ones as they stand.
    pub fn poses_into(&self, q: &[f64], pose: &mut Vec<f64>) {
        pose.clear();
        pose.extend_from_slice(&self.initial_pose);
        let n = self.space.nq();
        for (block, &body) in self.body_of_block.iter().enumerate() {
            pose[body as usize * n..][..n].copy_from_slice(&q[block * n..][..n]);
        }
    }

    /// Pose of a body at configuration q.
    #[inline]
    pub fn pose_of<'a>(&'a self, body: u32, q: &'a [f64]) -> &'a [f64] {
        let n = self.space.nq();
        match self.block_of(body) {
            Some(block) => &q[block * n..][..n],
            None => &self.initial_pose[body as usize * n..][..n],
        }
    }

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
            if method.second_order && spring.rest_length > 0.0 {
                let (along, rate) = self.second_order(spring, &d, &rate, &jacobian, method.h, &out.mass);
                jacobian.add_force(&rate, &mut out.force_rate);
                jacobian.add_matrix(&along, stiff);
            } else {
                jacobian.add_matrix(&at.stiffness, stiff);
            }
            jacobian.add_matrix(&at.viscosity, viscous);
        }
        for torsion in &self.torsion_springs {
            let ends = [(torsion.a, -1.0), (torsion.b, 1.0)];
            let dofs = ends.map(|(body, sign)| Some((self.first_velocity(body?)? + 2, sign)));
            let turned =
                |list: &[f64]| dofs.iter().flatten().map(|(dof, sign)| sign * list[*dof]).sum::<f64>();
            let torque = -torsion.stiffness * (turned(q) + self.fixed_angle(torsion) - torsion.rest_angle)
                - torsion.damping * turned(v);
            for (i, si) in dofs.into_iter().flatten() {
                out.force[i] += si * torque;
                for (j, sj) in dofs.into_iter().flatten() {
                    stiff.push((i as u32, j as u32, si * sj * torsion.stiffness));
                    viscous.push((i as u32, j as u32, si * sj * torsion.damping));
                }
            }
        }
        self.add_films(q, v, &mut out.force, viscous);
        fill(self.nv(), stiff, &mut out.stiffness);
        fill(self.nv(), viscous, &mut out.viscosity);
    }

    /// θ_b − θ_a as far as static bodies make it.
    fn fixed_angle(&self, torsion: &TorsionSpring) -> f64 {
        let angle = |body: Option<u32>| match body {
            Some(body) if self.block_of(body).is_none() => self.initial_pose[3 * body as usize + 2],
            _ => 0.0,
        };
        angle(torsion.b) - angle(torsion.a)
    }

    /// Stiffness k d̂ d̂ᵀ and explicit rate of a spring for steppers of second order.
    ///
    /// The rate is what turning does to the tension. The tension of a spring too stiff for the step is not that of its
    /// stretch, but what the implicit rule leaves of it, 1/(1 + (h c/2 + h² k/4)/m) of it with m the mass that the spring
    /// moves: a change O(h²) for springs that the step resolves, and no turning force at all for a rigid link.
    fn second_order(
        &self,
        spring: &Spring,
        d: &Vector3<f64>,
        rate: &Vector3<f64>,
        jacobian: &PointJacobian,
        h: f64,
        mass: &[f64],
    ) -> (Matrix3<f64>, Vector3<f64>) {
        let length = d.norm();
        if length == 0.0 {
            return (Matrix3::identity() * spring.stiffness, Vector3::zeros());
        }
        let (unit, n) = (d / length, self.space.nv());
        // Blocks are dense n × n and follow each other, so entry (i, i) of dof b n + i stands at b n² + i (n + 1).
        let diagonal = |dof: usize| mass[dof / n * n * n + dof % n * (n + 1)];
        let row = |k: usize| jacobian.entries(k).map(|(_, value)| value);
        let along = row(0).zip(row(1)).zip(row(2)).map(|((x, y), z)| unit.dot(&Vector3::new(x, y, z)));
        let mobility: f64 = jacobian.entries(0).zip(along).map(|((dof, _), w)| w * w / diagonal(dof)).sum();
        let left = 1.0 / (1.0 + (0.5 * h * spring.damping + 0.25 * h * h * spring.stiffness) * mobility);
        (unit * unit.transpose() * spring.stiffness, spring.turning_rate(d, rate) * left)
    }

    /// World position of an anchor.
    pub(super) fn point(&self, anchor: &Anchor, q: &[f64]) -> Vector3<f64> {
        match anchor {
            Anchor::World(p) => *p,
            Anchor::Body(body, local) => self.transform(*body, q, local),
        }
    }

    /// World position of a point of a body.
    pub fn transform(&self, body: u32, q: &[f64], local: &Vector3<f64>) -> Vector3<f64> {
        let pose = self.pose_of(body, q);
        match self.space {
            Space::Planar => {
                let (sin, cos) = pose[2].sin_cos();
                Vector3::new(
                    pose[0] + cos * local.x - sin * local.y,
                    pose[1] + sin * local.x + cos * local.y,
                    0.0,
                )
            }
            Space::Spatial => Vector3::new(pose[0], pose[1], pose[2]) + quaternion_of(&pose[3..7]) * local,
        }
    }

    /// World position of the centre of mass of a body.
    #[inline]
    pub fn centre(&self, body: u32, q: &[f64]) -> Vector3<f64> {
        let pose = self.pose_of(body, q);
        let z = if self.space == Space::Planar { 0.0 } else { pose[2] };
        Vector3::new(pose[0], pose[1], z)
    }

    pub(super) fn relative_jacobian(
        &self,
        anchors: &[&Anchor; 2],
        points: &[Vector3<f64>; 2],
        q: &[f64],
    ) -> PointJacobian {
        let mut out = PointJacobian::default();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Anchor::Body(body, _) = anchors[side]
                && let Some(block) = self.block_of(*body)
            {
                let start = self.block_start[block] as usize;
                out.add_point(self.space, start, &(points[side] - self.centre(*body, q)), sign);
            }
        }
        out
    }

    /// Kinetic energy plus potential of gravity and springs, J.
    pub fn energy(&self, q: &[f64], v: &[f64]) -> f64 {
        let mut total = 0.0;
        for b in 0..self.n_blocks() {
            let (body, s) = (self.body_of(b), self.block_start[b] as usize);
            let centre = self.centre(self.body_of_block[b], q);
            let m = body.mass.mass;
            total += match self.space {
                Space::Planar => {
                    0.5 * (m * (v[s] * v[s] + v[s + 1] * v[s + 1]) + body.mass.moment() * v[s + 2] * v[s + 2])
                }
                Space::Spatial => {
                    let omega = quaternion_of(&q[self.q_start[b] as usize + 3..][..4])
                        .inverse_transform_vector(&Vector3::new(v[s + 3], v[s + 4], v[s + 5]));
                    0.5 * m * (v[s] * v[s] + v[s + 1] * v[s + 1] + v[s + 2] * v[s + 2])
                        + 0.5 * omega.dot(&(body.mass.inertia * omega))
                }
            };
            if body.gravity {
                total -= m * self.gravity.dot(&centre);
            }
        }
        let stretch = |s: &Spring| s.energy(&(self.point(&s.b, q) - self.point(&s.a, q)));
        let twist = |t: &TorsionSpring| {
            let angle = |body: Option<u32>| body.map_or(0.0, |b| self.pose_of(b, q)[2]);
            0.5 * t.stiffness * (angle(t.b) - angle(t.a) - t.rest_angle).powi(2)
        };
        total
            + self.springs.iter().map(stretch).sum::<f64>()
            + self.torsion_springs.iter().map(twist).sum::<f64>()
    }

    /// How far two configurations lie apart, m: max over bodies of |p − p′| + r φ, with φ the angle between the two
    /// orientations (rad) and r the reach of the body from its centre (0 where it is infinite). No point of a body is
    /// farther from where the other configuration has it.
    pub fn distance(&self, q: &[f64], other: &[f64]) -> f64 {
        let mut largest = 0.0_f64;
        for b in 0..self.n_blocks() {
            let (s, body) = (self.q_start[b] as usize, self.body_of_block[b] as usize);
            let dim = self.space.dim();
            let moved = (s..s + dim).map(|i| (q[i] - other[i]).powi(2)).sum::<f64>().sqrt();
            let turned = match self.space {
                Space::Planar => (q[s + 2] - other[s + 2]).abs(),
                Space::Spatial => {
                    quaternion_of(&q[s + 3..s + 7]).angle_to(&quaternion_of(&other[s + 3..s + 7]))
                }
            };
            let reach = if self.reach[body].is_finite() { self.reach[body] } else { 0.0 };
            largest = largest.max(moved + reach * turned);
        }
        largest
    }

    /// Widens the active distance of every body that moves farther than it in a step of size h at velocity v⁺, to twice
    /// its motion; whether there was one. A contact on its way may then have been left out, and the step is to be made
    /// again. Only the solution knows: bodies without inertia go wherever springs, drag or drives take them.
    pub fn widen_margins(&self, v: &[f64], h: f64, margin: &mut ActiveMargins) -> bool {
        let dim = self.space.dim();
        let mut widened = false;
        for b in 0..self.n_blocks() {
            let (body, s, e) = (
                self.body_of_block[b] as usize,
                self.block_start[b] as usize,
                self.block_start[b + 1] as usize,
            );
            let reach = if self.reach[body].is_finite() { self.reach[body] } else { 0.0 };
            let norm = |range: std::ops::Range<usize>| v[range].iter().map(|x| x * x).sum::<f64>().sqrt();
            let moved = h * (norm(s..s + dim) + norm(s + dim..e) * reach);
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
        let dim = self.space.dim();
        let mut largest = 0.0_f64;
        for b in 0..self.n_blocks() {
            let (body, s, e) = (
                self.body_of_block[b] as usize,
                self.block_start[b] as usize,
                self.block_start[b + 1] as usize,
            );
            let role = &self.bodies[body].role;
            let speed = |i: usize| {
                if role[i - s] == DofRole::Free { v[i].abs() } else { v[i].abs().max(command[i].abs()) }
            };
            let linear = (s..s + dim).map(|i| speed(i).powi(2)).sum::<f64>().sqrt();
            let angular = (s + dim..e).map(|i| speed(i).powi(2)).sum::<f64>().sqrt();
            let pull = (s..s + dim).map(|i| dynamics.force[i].powi(2)).sum::<f64>().sqrt();
            let reach = if self.reach[body].is_finite() { self.reach[body] } else { 0.0 };
            out[body] = h * (linear + angular * reach) + h * h * pull / self.bodies[body].mass.mass;
            largest = largest.max(out[body]);
        }
        for margin in out.iter_mut() {
            *margin += 0.5 * largest + extra;
        }
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

fn check_body(what: String, index: u32, bodies: usize) -> Result<(), ModelError> {
    if (index as usize) < bodies { Ok(()) } else { Err(ModelError::NoSuchBody { what, index, bodies }) }
}
