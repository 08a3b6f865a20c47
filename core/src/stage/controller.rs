//! Controlling: the state and the contacts at a grid time in, efforts and set-points out.

use super::refuse_foreign_state;
use crate::contact::Contacts;
use crate::error::StageError;
use crate::model::Space;
use crate::state::Layout;

/// A grid time of a run as a controller sees it when it is asked, ahead of the step that begins there.
///
/// The system has nv velocities, and the controller governs m efforts and n set-points of it
/// ([`crate::model::SystemView::efforts`], [`crate::model::SystemView::set_points`]).
#[derive(Debug, Clone, Copy)]
pub struct ControlView<'a> {
    /// Number of the grid time, from 0.
    pub grid: u64,
    /// Time, s.
    pub t: f64,
    /// Step of the grid, s.
    pub h: f64,
    /// Time until the controller is asked again, s: so long its answer holds. A whole number of grid steps.
    pub period: f64,
    /// Size of the step that the last impulses of the contacts are of, s; 0 before the first step. Contact forces are impulses over it.
    pub h_last: f64,
    /// Planar or spatial.
    pub space: Space,
    /// Positions, nq.
    pub q: &'a [f64],
    /// Velocities, nv.
    pub v: &'a [f64],
    /// First velocity of every block, blocks + 1 entries.
    pub block_start: &'a [u32],
    /// First position coordinate of every block, blocks + 1 entries.
    pub q_start: &'a [u32],
    /// Kind of every block ([`crate::state::BlockKind`] codes).
    pub block_kind: &'a [u8],
    /// Quaternions of trees: (first of the four in q, first of the three angular velocities in v) each, flattened.
    pub quaternion: &'a [u32],
    /// Poses of all bodies, links and static ones too, world: planar (x, y, θ), spatial (p, quaternion wxyz); 3 or 7 per body.
    pub pose: &'a [f64],
    /// Velocities of all bodies, world: of the centre of mass, m/s, then angular, rad/s; 3 or 6 per body.
    pub twist: &'a [f64],
    /// Mass matrix M(q), dense symmetric blocks one after another, kg, kg m².
    pub mass: &'a [f64],
    /// Non-contact forces f(t, q, v): gravity, springs, drives and the laws of the scene, without those of plugins, nv, N and N m.
    pub force: &'a [f64],
    /// Velocity-product forces (gyroscopic torque, Coriolis terms of trees), nv; they stand beside f in M v̇ = f + bias.
    pub bias: &'a [f64],
    /// Reference of every effort, then of every set-point: place, rate and acceleration, 3 (m + n); 0 where there is none.
    pub reference: &'a [f64],
    /// 1 for every effort and every set-point that has a reference, else 0; m + n.
    pub has_reference: &'a [u8],
    /// Contacts here, with the impulses of the last step.
    pub contacts: Contacts<'a>,
}

impl ControlView<'_> {
    /// Where blocks and quaternions stand in q and v.
    #[inline]
    pub fn layout(&self) -> Layout<'_> {
        Layout {
            block_start: self.block_start,
            q_start: self.q_start,
            block_kind: self.block_kind,
            quaternion: self.quaternion,
        }
    }

    /// Normal force of contact i in the last step, N; 0 before the first.
    #[inline]
    pub fn normal_force(&self, i: usize) -> f64 {
        let impulse = self.contacts.last_impulse[self.contacts.row(i)];
        if self.h_last > 0.0 { impulse / self.h_last } else { 0.0 }
    }

    /// Place, rate and acceleration that channel k is to follow, where it has a reference: efforts come first, then set-points.
    #[inline]
    pub fn reference(&self, k: usize) -> Option<[f64; 3]> {
        let jet = || [self.reference[3 * k], self.reference[3 * k + 1], self.reference[3 * k + 2]];
        (self.has_reference[k] != 0).then(jet)
    }
}

/// A controller's answer, borrowed from it until its next call; it holds until the controller is asked again.
#[derive(Debug, Clone, Copy, Default)]
pub struct Commands<'a> {
    /// Generalised forces along the velocities of [`crate::model::SystemView::efforts`], m, N and N m.
    pub effort: &'a [f64],
    /// Values of the drives of [`crate::model::SystemView::set_points`], n: a place, a velocity or a force, as the drive is.
    pub set_point: &'a [f64],
}

/// Puts forces on degrees of freedom and leads drives, at grid times.
pub trait Controller {
    /// Efforts and set-points from here until the next call. It is called once for every grid time at which it is due, never for
    /// steps that are tried: what it remembers may change.
    fn control<'s>(&'s mut self, view: &ControlView<'_>) -> Result<Commands<'s>, StageError>;

    /// Appends whatever must survive a checkpoint or rollback: integrals, filters, modes.
    fn save_state(&self, _bytes: &mut Vec<u8>) {}

    /// Restores what [`Controller::save_state`] wrote.
    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        refuse_foreign_state(bytes)
    }
}
