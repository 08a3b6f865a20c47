//! Articulated trees as parts of a system: their place among blocks and bodies, and what they add to its dynamics.

use super::{DofRole, Dynamics, Frames, ModelError, MotionModel, Space, System};
use crate::stage::BlockKind;
use crate::tree::Tree;

/// A tree and what a system needs to know of it. Its links are bodies of the system, its velocities one block after those
/// of the free bodies.
#[derive(Debug, Clone)]
pub struct TreePart {
    /// The tree.
    pub tree: Tree,
    /// Body of every link.
    pub bodies: Vec<u32>,
    /// Coordinates at t = 0, nq.
    pub q: Vec<f64>,
    /// Velocities at t = 0, nv.
    pub v: Vec<f64>,
    /// Role of every velocity, nv.
    pub role: Vec<DofRole>,
    /// Stiffness of impedance dofs (0 elsewhere), nv, N/m or N m/rad.
    pub impedance: Vec<f64>,
    /// Diagonal of the drag matrix D of the first-order model, nv (0: none), N s/m or N m s.
    pub drag: Vec<f64>,
    /// Motion model of the tree, or the experiment's default.
    pub motion: Option<MotionModel>,
    /// Whether gravity pulls at it.
    pub gravity: bool,
}

/// Two joints of one dof each that move together: Φ = q_a − ratio q_b − offset = 0, a bilateral row.
#[derive(Debug, Clone, PartialEq)]
pub struct Coupler {
    /// Name for messages.
    pub name: String,
    /// (tree, dof of the tree) of both joints.
    pub joints: [(u32, u32); 2],
    /// Ratio.
    pub ratio: f64,
    /// Offset, m or rad.
    pub offset: f64,
    /// β as of [`super::PointJoint::stabilization`].
    pub stabilization: f64,
}

/// Where a body's motion comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It never moves.
    Fixed,
    /// It has a block of its own.
    Block(u32),
    /// It is a link of a tree.
    Link {
        /// Index of the tree.
        tree: u32,
        /// Index of the link.
        link: u32,
    },
}

impl System {
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

    pub(super) fn add_tree(&mut self, k: usize) -> Result<(), ModelError> {
        let part = &self.trees[k];
        let (nq, nv) = (part.tree.nq(), part.tree.nv());
        let bad = |reason: String| Err(ModelError::BadBody { body: part.tree.name().to_owned(), reason });
        if self.space == Space::Planar {
            return bad("trees live in spatial systems only".into());
        }
        let lengths = [
            (part.bodies.len(), part.tree.links().len()),
            (part.q.len(), nq),
            (part.v.len(), nv),
            (part.role.len(), nv),
            (part.impedance.len(), nv),
            (part.drag.len(), nv),
        ];
        if lengths.iter().any(|(found, expected)| found != expected) {
            return bad(format!("lists of {lengths:?} entries, found and expected, do not fit"));
        }
        for (link, &body) in part.bodies.iter().enumerate() {
            let place = match self.place_of_body.get_mut(body as usize) {
                Some(place) => place,
                None => return bad(format!("link {link} refers to body {body}, which is not there")),
            };
            *place = Place::Link { tree: k as u32, link: link as u32 };
        }
        let (q0, v0) = (self.q_start[self.q_start.len() - 1], self.block_start[self.block_start.len() - 1]);
        self.quaternion.extend(part.tree.quaternions().flat_map(|(i, j)| [q0 + i as u32, v0 + j as u32]));
        self.block_start.push(v0 + nv as u32);
        self.q_start.push(q0 + nq as u32);
        self.block_kind.push(BlockKind::Tree as u8);
        self.initial_velocity.extend_from_slice(&part.v);
        Ok(())
    }

    /// Mass, drag, gravity, velocity products and joint damping of tree `k`.
    pub(super) fn evaluate_tree(&self, k: usize, v: &[f64], frames: &mut Frames, out: &mut Dynamics) {
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
}
