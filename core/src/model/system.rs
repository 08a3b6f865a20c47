//! The generalized system: bodies become (q, v, M, f, N), and steppers see nothing else.

use nalgebra::{Matrix3, Vector3};

use super::{
    Body, Coupler, MaterialTable, MotionSource, PointJoint, Shape, Space, Spring, SupportPoint,
    TorsionSpring, TreePart,
};
use crate::state::Layout;

/// A system of bodies. Static bodies have a pose but no coordinates; block b belongs to the b-th body that moves by itself,
/// and after those come the trees, whose links are bodies too.
#[derive(Debug, Clone, PartialEq)]
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
    pub(super) motion_sources: Vec<MotionSource>,
    pub(super) body_of_block: Vec<u32>,
    pub(super) block_start: Vec<u32>,
    pub(super) q_start: Vec<u32>,
    pub(super) block_kind: Vec<u8>,
    pub(super) quaternion: Vec<u32>,
    pub(super) reach: Vec<f64>,
    pub(super) body_inertia: Vec<Matrix3<f64>>,
}

impl System {
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
    pub fn motion_source(&self, body: u32) -> MotionSource {
        self.motion_sources[body as usize]
    }

    /// Block of a body: its own or that of its tree; `None` for static ones.
    #[inline]
    pub fn block_of(&self, body: u32) -> Option<usize> {
        match self.motion_sources[body as usize] {
            MotionSource::Fixed => None,
            MotionSource::Block(block) => Some(block as usize),
            MotionSource::Link { tree, .. } => Some(self.tree_block(tree as usize)),
        }
    }

    /// First velocity of a body that moves by itself; `None` for static ones and links.
    #[inline]
    pub fn first_velocity(&self, body: u32) -> Option<usize> {
        match self.motion_sources[body as usize] {
            MotionSource::Block(block) => Some(self.block_start[block as usize] as usize),
            MotionSource::Fixed | MotionSource::Link { .. } => None,
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

    /// Block of tree `k`: trees follow the free bodies.
    #[inline]
    pub fn tree_block(&self, k: usize) -> usize {
        self.body_of_block.len() + k
    }

    /// The tree of a block, if it is one.
    #[inline]
    pub fn tree_of(&self, block: usize) -> Option<&TreePart> {
        self.trees.get(block.checked_sub(self.body_of_block.len())?)
    }

    /// First velocity of a tree.
    #[inline]
    pub fn tree_velocity(&self, k: usize) -> usize {
        self.block_start[self.tree_block(k)] as usize
    }

    /// First coordinate of a tree.
    #[inline]
    pub fn tree_q(&self, k: usize) -> usize {
        self.q_start[self.tree_block(k)] as usize
    }
}
