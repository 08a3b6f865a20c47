//! The generalized system: bodies become (q, v, M, f, N), and steppers see nothing else.

use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::point::PointJacobian;
use super::{Anchor, Body, MaterialTable, PointJoint, Shape, Space, Spring, SupportPoint, TorsionSpring};
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
    pub(super) block_of_body: Vec<Option<u32>>,
    pub(super) body_of_block: Vec<u32>,
    pub(super) block_start: Vec<u32>,
    pub(super) q_start: Vec<u32>,
    block_kind: Vec<u8>,
    quaternion: Vec<u32>,
    pub(super) reach: Vec<f64>,
    pub(super) body_inertia: Vec<Matrix3<f64>>,
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
            quaternion: Vec::new(),
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
        Layout {
            block_start: &self.block_start,
            q_start: &self.q_start,
            block_kind: &self.block_kind,
            quaternion: &self.quaternion,
        }
    }

    /// Positions at t = 0, nq.
    pub fn initial_q(&self) -> Vec<f64> {
        let n = self.space.nq();
        self.body_of_block.iter().flat_map(|&b| self.initial_pose[b as usize * n..][..n].to_vec()).collect()
    }

    /// Roles of all velocities, nv ([`DofRole`](super::DofRole) codes).
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
}

fn check_body(what: String, index: u32, bodies: usize) -> Result<(), ModelError> {
    if (index as usize) < bodies { Ok(()) } else { Err(ModelError::NoSuchBody { what, index, bodies }) }
}
