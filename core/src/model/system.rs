//! The generalized system: bodies become (q, v, M, f, N), and steppers see nothing else.

use nalgebra::{Matrix3, Vector3};
use thiserror::Error;

use super::point::PointJacobian;
use super::{
    Anchor, Body, Coupler, Frames, MaterialTable, Place, PointJoint, Shape, Space, Spring, SupportPoint,
    TorsionSpring, TreePart,
};
use crate::stage::BlockKind;
use crate::state::Layout;

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

/// A system of bodies. Static bodies have a pose but no coordinates; block b belongs to the b-th body that moves by itself,
/// and after those come the trees, whose links are bodies too.
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
    /// Articulated trees.
    pub trees: Vec<TreePart>,
    /// Joints of trees that move together.
    pub couplers: Vec<Coupler>,
    /// Pairs of bodies (a < b), flattened, whose contacts are not wanted.
    pub ignored_pairs: Vec<u32>,
    /// Poses of all bodies at t = 0, `space.nq()` numbers each.
    pub initial_pose: Vec<f64>,
    /// Velocities at t = 0, nv.
    pub initial_velocity: Vec<f64>,
    pub(super) place_of_body: Vec<Place>,
    pub(super) body_of_block: Vec<u32>,
    pub(super) block_start: Vec<u32>,
    pub(super) q_start: Vec<u32>,
    pub(super) block_kind: Vec<u8>,
    pub(super) quaternion: Vec<u32>,
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
    /// Articulated trees; their links are among the bodies.
    pub trees: Vec<TreePart>,
    /// Joints of trees that move together.
    pub couplers: Vec<Coupler>,
    /// Pairs of bodies whose contacts are not wanted.
    pub ignored_pairs: Vec<(u32, u32)>,
    /// Pose of every body: (x, y, θ) or (p, quaternion wxyz).
    pub initial_pose: Vec<Vec<f64>>,
    /// Velocity of every body (static ones and links ignored): 3 or 6 numbers.
    pub initial_velocity: Vec<Vec<f64>>,
}

impl Parts {
    /// No bodies in a space with gravity (m/s²): what else a system has is laid over it, `Parts { bodies, ..Parts::empty(..) }`.
    pub fn empty(space: Space, gravity: Vector3<f64>) -> Self {
        Self {
            space,
            gravity,
            bodies: vec![],
            shapes: vec![],
            materials: MaterialTable::default(),
            springs: vec![],
            torsion_springs: vec![],
            joints: vec![],
            supports: vec![],
            trees: vec![],
            couplers: vec![],
            ignored_pairs: vec![],
            initial_pose: vec![],
            initial_velocity: vec![],
        }
    }
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
            place_of_body: vec![Place::Fixed; n],
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
            trees: parts.trees,
            couplers: parts.couplers,
        };
        let mut is_link = vec![false; n];
        system.trees.iter().flat_map(|t| &t.bodies).for_each(|&b| is_link[b as usize] = true);
        for i in (0..n).filter(|i| !is_link[*i]) {
            system.add_block(i, &parts.initial_velocity[i], nq, nv)?;
        }
        (0..system.trees.len()).try_for_each(|k| system.add_tree(k))?;
        system.place_links();
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
        self.place_of_body[i] = Place::Block(self.body_of_block.len() as u32);
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

    /// Number of blocks: bodies that move by themselves, then trees.
    pub fn n_blocks(&self) -> usize {
        self.block_kind.len()
    }

    /// Where a body's motion comes from.
    #[inline]
    pub fn place_of(&self, body: u32) -> Place {
        self.place_of_body[body as usize]
    }

    /// Block of a body: its own or that of its tree; `None` for static ones.
    #[inline]
    pub fn block_of(&self, body: u32) -> Option<usize> {
        match self.place_of_body[body as usize] {
            Place::Fixed => None,
            Place::Block(block) => Some(block as usize),
            Place::Link { tree, .. } => Some(self.tree_block(tree as usize)),
        }
    }

    /// First velocity of a body that moves by itself; `None` for static ones and links.
    #[inline]
    pub fn first_velocity(&self, body: u32) -> Option<usize> {
        match self.place_of_body[body as usize] {
            Place::Block(block) => Some(self.block_start[block as usize] as usize),
            Place::Fixed | Place::Link { .. } => None,
        }
    }

    /// Body of a block; `None` for trees.
    #[inline]
    pub fn body_of(&self, block: usize) -> Option<&Body> {
        self.body_index(block).map(|body| &self.bodies[body])
    }

    /// Index of the body of a block; `None` for trees.
    #[inline]
    pub fn body_index(&self, block: usize) -> Option<usize> {
        self.body_of_block.get(block).map(|&body| body as usize)
    }

    /// Name of a block: of its body or its tree.
    pub fn block_name(&self, block: usize) -> &str {
        match (self.body_of(block), self.tree_of(block)) {
            (Some(body), _) => &body.name,
            (None, Some(part)) => part.tree.name(),
            (None, None) => "",
        }
    }

    /// Block of a velocity.
    pub fn block_of_dof(&self, dof: usize) -> usize {
        self.block_start.partition_point(|&start| start as usize <= dof) - 1
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
        let pose = |&b: &u32| &self.initial_pose[b as usize * n..][..n];
        let of_trees = self.trees.iter().flat_map(|t| &t.q);
        self.body_of_block.iter().flat_map(pose).chain(of_trees).copied().collect()
    }

    /// Roles of all velocities, nv ([`DofRole`](super::DofRole) codes).
    pub fn roles(&self) -> Vec<u8> {
        let of_trees = self.trees.iter().flat_map(|t| &t.role);
        let of_bodies = self.body_of_block.iter().flat_map(|&b| &self.bodies[b as usize].role);
        of_bodies.chain(of_trees).map(|r| *r as u8).collect()
    }

    /// Stiffness of impedance dofs, nv.
    pub fn impedances(&self) -> Vec<f64> {
        let of_trees = self.trees.iter().flat_map(|t| &t.impedance);
        let of_bodies = self.body_of_block.iter().flat_map(|&b| &self.bodies[b as usize].impedance);
        of_bodies.chain(of_trees).copied().collect()
    }

    /// Motion model of every block (0: the stepper's default).
    pub fn motions(&self) -> Vec<u8> {
        let of_bodies = self.body_of_block.iter().map(|&b| self.bodies[b as usize].motion);
        let all = of_bodies.chain(self.trees.iter().map(|t| t.motion));
        all.map(|motion| motion.map_or(0, |m| m as u8)).collect()
    }

    /// Links at the trees' initial coordinates.
    fn place_links(&mut self) {
        if !self.trees.is_empty() {
            self.initial_pose = self.placed(&self.initial_q()).poses().to_vec();
        }
    }

    /// Velocity of p_b − p_a as a linear function of v, at two points of two anchors.
    pub(super) fn relative_jacobian(
        &self,
        anchors: [&Anchor; 2],
        points: [&Vector3<f64>; 2],
        frames: &Frames,
        out: &mut PointJacobian,
    ) {
        out.clear();
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Anchor::Body(body, _) = anchors[side] {
                out.add_body(self, *body, points[side], sign, frames);
            }
        }
    }
}

fn check_body(what: String, index: u32, bodies: usize) -> Result<(), ModelError> {
    if (index as usize) < bodies { Ok(()) } else { Err(ModelError::NoSuchBody { what, index, bodies }) }
}
