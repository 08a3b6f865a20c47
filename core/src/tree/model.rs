//! The tree: links, joints and where their coordinates stand.

use std::ops::Range;

use nalgebra::{Isometry3, Vector3};

use super::link::Lump;
use super::{Joint, JointKind, Link};
use crate::stage::BlockKind;
use crate::state::{Layout, integrate};

/// No body, no degree of freedom.
pub(super) const NONE: usize = usize::MAX;

/// Links that move as one, and the joint that moves them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    /// The link whose joint moves.
    pub(super) link: usize,
    /// Parent body, or [`NONE`].
    pub(super) parent: usize,
    /// Tree of bodies it belongs to (one per body that stands on the world).
    pub(super) root: usize,
    pub(super) kind: JointKind,
    pub(super) q: usize,
    pub(super) v: usize,
    /// Joint frame in the parent body's frame, or in the world.
    pub(super) place: Isometry3<f64>,
    /// Axis of the joint, or the axes x, y, n of a planar one, joint frame.
    pub(super) axes: [Vector3<f64>; 3],
    pub(super) lump: Lump,
    /// Inertia of the rotor as each dof feels it.
    pub(super) rotor: f64,
    /// Where its dofs' path stands in `Tree::paths`.
    pub(super) path: (usize, usize),
}

impl Body {
    #[inline]
    pub(super) fn dofs(&self) -> Range<usize> {
        self.v..self.v + self.kind.nv()
    }
}

/// A link that does not move by itself: fixed to a body ([`NONE`]: to the world).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Attached {
    pub(super) link: usize,
    pub(super) body: usize,
    /// Link frame in the body's frame, or in the world.
    pub(super) place: Isometry3<f64>,
}

/// One degree of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dof {
    pub(super) body: usize,
    /// Turns about the origin of its body rather than translates.
    pub(super) turns: bool,
    /// The dof before it on the way from the world, or [`NONE`].
    pub(super) parent: usize,
    /// First of the unbroken run of dofs that ends here on the way from the world: run..=dof all lie on it.
    pub(super) run: usize,
}

/// An articulated tree (or several on the same world). Made by [`Tree::new`], which checks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub(super) name: String,
    pub(super) links: Vec<Link>,
    pub(super) joints: Vec<Joint>,
    pub(super) q_start: Vec<usize>,
    pub(super) v_start: Vec<usize>,
    pub(super) bodies: Vec<Body>,
    pub(super) attached: Vec<Attached>,
    pub(super) dofs: Vec<Dof>,
    /// Body of every link, or [`NONE`].
    pub(super) body_of_link: Vec<usize>,
    /// Dofs on the way from the world to each body, ascending.
    pub(super) paths: Vec<usize>,
    /// The body whose centre of mass is the reference point, one per root.
    pub(super) references: Vec<usize>,
    /// (first in q, first in v) of every quaternion, flattened, ascending.
    pub(super) quaternion: Vec<u32>,
}

impl Tree {
    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Links; link i is moved by joint i.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Joints.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// Number of position coordinates.
    #[inline]
    pub fn nq(&self) -> usize {
        self.q_start[self.joints.len()]
    }

    /// Number of velocities.
    #[inline]
    pub fn nv(&self) -> usize {
        self.dofs.len()
    }

    /// Where the position coordinates of a joint stand in q.
    #[inline]
    pub fn q_range(&self, joint: usize) -> Range<usize> {
        self.q_start[joint]..self.q_start[joint + 1]
    }

    /// Where the velocities of a joint stand in v.
    #[inline]
    pub fn v_range(&self, joint: usize) -> Range<usize> {
        self.v_start[joint]..self.v_start[joint + 1]
    }

    /// The joint of a degree of freedom.
    #[inline]
    pub fn joint_of_v(&self, dof: usize) -> usize {
        self.bodies[self.dofs[dof].body].link
    }

    /// Quaternions in q: (index of w in q, index of ω_x in v).
    pub fn quaternions(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.quaternion.chunks_exact(2).map(|pair| (pair[0] as usize, pair[1] as usize))
    }

    /// q at which every link stands at its joint frame: zeros and identity quaternions.
    pub fn neutral_q(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.nq()];
        self.quaternions().for_each(|(w, _)| q[w] = 1.0);
        q
    }

    /// The dof before `dof` on the way from the world; `None` for the first.
    #[inline]
    pub fn dof_parent(&self, dof: usize) -> Option<usize> {
        let parent = self.dofs[dof].parent;
        (parent != NONE).then_some(parent)
    }

    /// The dofs that move a link, ascending.
    #[inline]
    pub fn dof_path(&self, link: usize) -> &[usize] {
        match self.body_of_link[link] {
            NONE => &[],
            body => self.path(&self.bodies[body]),
        }
    }

    #[inline]
    pub(super) fn path(&self, body: &Body) -> &[usize] {
        &self.paths[body.path.0..body.path.1]
    }

    /// q⁺ = q ⊕ h v: sums, and Q⁺ = exp(h ω/2) Q, normalised; a resting quaternion keeps its bits ([`integrate`]).
    ///
    /// `q` and `out` have length nq, `v` nv.
    pub fn integrate(&self, q: &[f64], v: &[f64], h: f64, out: &mut [f64]) {
        let layout = Layout {
            block_start: &[0, self.nv() as u32],
            q_start: &[0, self.nq() as u32],
            block_kind: &[BlockKind::Tree as u8],
            quaternion: &self.quaternion,
        };
        integrate(&layout, q, v, h, out);
    }
}
