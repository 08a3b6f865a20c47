//! Frames of everything at one configuration: poses of all bodies, frames and columns of trees.

use nalgebra::Vector3;

use super::{Anchor, MotionSource, Space, System};
use crate::state::quaternion_of;
use crate::tree::TreeState;

/// The bodies of a system at one configuration, see [`System::place`]. Keeps its memory.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    space: Space,
    pose: Vec<f64>,
    /// Every tree at this configuration.
    pub trees: Vec<TreeState>,
}

impl Frames {
    /// Poses of all bodies: planar (x, y, θ), spatial (p, quaternion wxyz).
    #[inline]
    pub fn poses(&self) -> &[f64] {
        &self.pose
    }

    /// Pose of a body.
    #[inline]
    pub fn pose(&self, body: u32) -> &[f64] {
        let n = self.space.nq();
        &self.pose[body as usize * n..][..n]
    }

    /// World position of the centre of mass of a body.
    #[inline]
    pub fn centre(&self, body: u32) -> Vector3<f64> {
        let pose = self.pose(body);
        Vector3::new(pose[0], pose[1], if self.space == Space::Planar { 0.0 } else { pose[2] })
    }

    /// World position of a point of a body, body frame.
    pub fn point(&self, body: u32, local: &Vector3<f64>) -> Vector3<f64> {
        let pose = self.pose(body);
        match self.space {
            Space::Planar => {
                let (sin, cos) = pose[2].sin_cos();
                let (x, y) = (cos * local.x - sin * local.y, sin * local.x + cos * local.y);
                Vector3::new(pose[0] + x, pose[1] + y, 0.0)
            }
            Space::Spatial => Vector3::new(pose[0], pose[1], pose[2]) + quaternion_of(&pose[3..7]) * local,
        }
    }

    /// World position of an anchor.
    pub(super) fn anchor(&self, anchor: &Anchor) -> Vector3<f64> {
        match anchor {
            Anchor::World(p) => *p,
            Anchor::Body(body, local) => self.point(*body, local),
        }
    }
}

impl System {
    /// Everything at configuration q: moving bodies from q, links by their trees, static ones as they stand.
    pub fn place(&self, q: &[f64], frames: &mut Frames) {
        frames.space = self.space;
        frames.pose.clear();
        frames.pose.extend_from_slice(&self.initial_pose);
        frames.trees.resize_with(self.trees.len(), TreeState::default);
        for (k, (part, state)) in self.trees.iter().zip(&mut frames.trees).enumerate() {
            state.update(&part.tree, &q[self.q_start[self.tree_block(k)] as usize..][..part.tree.nq()]);
        }
        let n = self.space.nq();
        for (body, place) in self.motion_sources.iter().enumerate() {
            let pose = &mut frames.pose[body * n..][..n];
            match *place {
                MotionSource::Fixed => {}
                MotionSource::Block(block) => {
                    pose.copy_from_slice(&q[self.q_start[block as usize] as usize..][..n])
                }
                MotionSource::Link { tree, link } => {
                    let state = &frames.trees[tree as usize];
                    let centre = state.centre(&self.trees[tree as usize].tree, link as usize);
                    pose[..3].copy_from_slice(centre.as_slice());
                    let turned = state.rotation(link as usize);
                    (pose[3], pose[4], pose[5], pose[6]) = (turned.w, turned.i, turned.j, turned.k);
                }
            }
        }
    }

    /// Frames at q, in new memory.
    pub fn placed(&self, q: &[f64]) -> Frames {
        let mut frames = Frames::default();
        self.place(q, &mut frames);
        frames
    }

    /// Links move as v says: needed before [`System::body_velocity`].
    pub fn set_velocity(&self, v: &[f64], frames: &mut Frames) {
        for (k, (part, state)) in self.trees.iter().zip(&mut frames.trees).enumerate() {
            state.set_velocity(&part.tree, &v[self.block_start[self.tree_block(k)] as usize..]);
        }
    }

    /// Velocity of the centre of mass and angular velocity of a body, world axes, m/s and rad/s: of links as
    /// [`System::set_velocity`] left them.
    pub fn body_velocity(&self, body: u32, v: &[f64], frames: &Frames) -> (Vector3<f64>, Vector3<f64>) {
        match self.motion_sources[body as usize] {
            MotionSource::Fixed => (Vector3::zeros(), Vector3::zeros()),
            MotionSource::Link { tree, link } => {
                frames.trees[tree as usize].link_velocity(link as usize, &frames.centre(body))
            }
            MotionSource::Block(block) => {
                let s = self.block_start[block as usize] as usize;
                match self.space {
                    Space::Planar => (Vector3::new(v[s], v[s + 1], 0.0), Vector3::new(0.0, 0.0, v[s + 2])),
                    Space::Spatial => {
                        (Vector3::new(v[s], v[s + 1], v[s + 2]), Vector3::new(v[s + 3], v[s + 4], v[s + 5]))
                    }
                }
            }
        }
    }
}
