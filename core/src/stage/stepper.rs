//! Stepping: a generalized system in, a problem out; its solution in, a verdict out.

use super::refuse_foreign_state;
use crate::contact::Contacts;
use crate::error::StageError;
use crate::model::Space;
use crate::problem::{Problem, Solution};
use crate::sparse::Csr;
use crate::state::{BlockKind, Layout};

/// Rows that are not contacts: joints, limits, drives with bounds. n rows.
///
/// Row i: lower_i ≤ p_i ≤ upper_i ⟂ J_i v⁺ + rate_i. Bilateral: (−∞, ∞); limit: (0, ∞); saturated drive: (−τh, τh).
#[derive(Debug, Clone, Copy, Default)]
pub struct Rows<'a> {
    /// J, n × nv.
    pub jacobian: Csr<'a>,
    /// Rate the row must cancel (∂Φ/∂t + (β/h) Φ for joints, ψ/h for limits), n.
    pub rate: &'a [f64],
    /// Lower bounds of the impulses, n, N s.
    pub lower: &'a [f64],
    /// Upper bounds of the impulses, n, N s.
    pub upper: &'a [f64],
}

impl Rows<'_> {
    /// Returns true if row k has a part in an impact, which takes no time: joints have, and limits whose distance is used up to
    /// `tolerance` (m or rad). Dry friction is a force, and has no impulse within no time. `h`: step that [`Rows::rate`] is of, s.
    pub fn acts_in_impact(&self, k: usize, h: f64, tolerance: f64) -> bool {
        match (self.lower[k].is_finite(), self.upper[k].is_finite()) {
            (false, false) => true,
            (true, true) => false,
            _ => self.rate[k] * h <= tolerance,
        }
    }
}

/// Support points of 2.5D parts: friction on a plane that the part lies on, under loads that are known. n points.
///
/// The plane is the plane of the (planar) scene; every point resists sliding by at most `bound`, wherever the load comes
/// from. With ν = J v (2 rows per point, world axes): |p| ≤ h · bound, and where ν ≠ 0: p = −h · bound · ν/|ν|.
#[derive(Debug, Clone, Copy, Default)]
pub struct Supports<'a> {
    /// Body of every point, n.
    pub body: &'a [u32],
    /// World positions, 2n, m.
    pub point: &'a [f64],
    /// J: velocity of every point along x and y, 2n × nv. The two rows of a point store the same columns.
    pub jacobian: Csr<'a>,
    /// Loads N_k, n, N.
    pub load: &'a [f64],
    /// Largest friction force μ_k N_k, n, N.
    pub bound: &'a [f64],
    /// Last step's impulses (x, y), 2n, N s.
    pub last_impulse: &'a [f64],
}

impl Supports<'_> {
    /// Number of points.
    #[inline]
    pub fn len(&self) -> usize {
        self.bound.len()
    }

    /// Returns true if there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }
}

/// Everything a stepper sees of one step: a generalized system, never bodies. nv velocities in blocks.
#[derive(Debug, Clone, Copy)]
pub struct StepView<'a> {
    /// Number of the host step, from 0.
    pub step: u64,
    /// Round within the step: 0 first, then one more after every Again or Redetect.
    pub pass: u32,
    /// Attempt at this step: 0 first, then one more after every Retry.
    pub attempt: u32,
    /// Time at the start, s.
    pub t: f64,
    /// Step size, s.
    pub h: f64,
    /// Planar or spatial (decides n_t).
    pub space: Space,
    /// Tolerance wanted of the solver, relative natural map.
    pub tolerance: f64,
    /// Positions at the start, nq.
    pub q: &'a [f64],
    /// Velocities at the start, nv.
    pub v: &'a [f64],
    /// First velocity of every block, blocks + 1 entries; body i is block i as long as there are no trees.
    pub block_start: &'a [u32],
    /// First position coordinate of every block, blocks + 1 entries.
    pub q_start: &'a [u32],
    /// Kind of every block ([`BlockKind`] codes).
    pub block_kind: &'a [u8],
    /// Quaternions of trees: (first of the four in q, first of the three angular velocities in v) each, flattened.
    pub quaternion: &'a [u32],
    /// Motion model of every block: 0 = the stepper's default, else [`crate::model::MotionModel`] codes.
    pub motion: &'a [u8],
    /// Mass matrix M(q), dense symmetric blocks one after another, kg, kg m².
    pub mass: &'a [f64],
    /// Damping matrix D of the first-order model, blocks like `mass`; all zero where none was given.
    pub drag: &'a [f64],
    /// Explicit non-contact forces f(t, q, v) with gravity, drives and springs, nv.
    pub force: &'a [f64],
    /// Velocity-product forces (gyroscopic torque, Coriolis terms of trees), nv; only dynamic blocks feel them.
    pub bias: &'a [f64],
    /// −∂f/∂q N of the implicit springs, nv × nv, symmetric positive semidefinite; may have no rows.
    pub stiffness: Csr<'a>,
    /// −∂f/∂v of the implicit dampers, nv × nv, symmetric positive semidefinite; may have no rows.
    pub viscosity: Csr<'a>,
    /// Role of every velocity ([`crate::model::DofRole`] codes), nv.
    pub role: &'a [u8],
    /// Velocity that takes a prescribed dof to its place at t + h, m/s, nv (0 elsewhere). For impedance dofs:
    /// (commanded place at t + h − q)/h.
    pub command: &'a [f64],
    /// Stiffness of impedance dofs, nv, N/m (0 elsewhere).
    pub impedance: &'a [f64],
    /// Contacts.
    pub contacts: Contacts<'a>,
    /// Other rows.
    pub rows: Rows<'a>,
    /// J of the other rows at q ⊕ (h/2) N v: where impulses act under a stepper of second order; empty for others.
    pub rows_middle: Csr<'a>,
    /// J of the other rows at q ⊕ h N v: what the velocities at the end must obey under a stepper of second order.
    pub rows_end: Csr<'a>,
    /// Support points of 2.5D parts.
    pub supports: Supports<'a>,
    /// Rate of `force` along the motion beyond what `stiffness` accounts for, nv, N/s: of drives
    /// (f(t + h, q ⊕ h N v, v) − f(t, q, v))/h, of springs and films the turning of their directions and levers. Only for
    /// steppers with capability `order-2`, empty for others.
    pub force_rate: &'a [f64],
    /// Velocities of prescribed dofs at t + h as their drives have them there, nv (0 elsewhere), where `command` is the mean
    /// over the step; their velocities at t stand in `v`. Only for steppers with capability `drive-speeds`, empty for others.
    pub drive_speed: &'a [f64],
}

impl StepView<'_> {
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

    /// Number of velocities.
    #[inline]
    pub fn nv(&self) -> usize {
        self.v.len()
    }

    /// J of the other rows through which impulses act, W_bᵀ. In an impact (h = 0) and at first order that of the start.
    #[inline]
    pub fn row_wrenches(&self) -> Csr<'_> {
        if self.h > 0.0 && self.rows_middle.n_rows() > 0 { self.rows_middle } else { self.rows.jacobian }
    }

    /// J of the other rows that v⁺ obeys.
    #[inline]
    pub fn row_rates(&self) -> Csr<'_> {
        if self.h > 0.0 && self.rows_end.n_rows() > 0 { self.rows_end } else { self.rows.jacobian }
    }

    /// v⁺ of prescribed dof i: the command; with [`StepView::drive_speed`] that, and in an impact (h = 0) what `v` has.
    #[inline]
    pub fn prescribed_speed(&self, i: usize) -> f64 {
        match self.drive_speed.get(i) {
            None => self.command[i],
            Some(_) if self.h == 0.0 => self.v[i],
            Some(speed) => *speed,
        }
    }

    /// Number of blocks.
    #[inline]
    pub fn n_blocks(&self) -> usize {
        self.block_start.len() - 1
    }

    /// Block of a velocity.
    #[inline]
    pub fn block_of(&self, dof: usize) -> usize {
        self.block_start.partition_point(|&start| start as usize <= dof) - 1
    }

    /// How many coordinates of block b are lengths: they stand before its angles. 0 for trees, which count as a whole.
    #[inline]
    pub fn lengths(&self, b: usize) -> usize {
        match self.block_kind[b] {
            kind if kind == BlockKind::Planar as u8 => 2,
            kind if kind == BlockKind::Spatial as u8 => 3,
            _ => 0,
        }
    }
}

/// Request of a stepper to the host after [`Stepper::update`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Verdict {
    /// Take v⁺ (or q⁺), impulses and h used; the step is done.
    Accept = 1,
    /// Formulate and solve another problem for the same step and contacts.
    Again = 2,
    /// Detect at `Update::q`, then formulate again.
    Redetect = 3,
    /// Evaluate everything (masses, forces, drives, other rows, contacts) at time t + `Update::h_used`, positions `Update::q`,
    /// velocities `Update::v`, then formulate again (pass + 1) with a view whose t, q, v are these. The next Evaluate counts
    /// its time from the step's start again. Forces are what they are there: gyroscopic torques too, whatever way over the
    /// step is asked for at its start. Of such a view the referee takes everything but v as the step's own.
    Evaluate = 7,
    /// Roll back and repeat with step `Update::h_next`.
    Retry = 4,
    /// An impact without duration: `Update::v` and the impulses are taken at the same time and place, then the step is
    /// formulated again (pass + 1) from there. The host judges and reports every impact by itself.
    Impact = 6,
    /// The step cannot be made; `Update::reason` says why.
    #[default]
    Fail = 5,
}

/// A stepper's answer to a solution, borrowed from it until its next call.
#[derive(Debug, Clone, Copy, Default)]
pub struct Update<'a> {
    /// Request to the host.
    pub verdict: Verdict,
    /// Accept: the step taken, s. May be less than asked for (the host goes on with the rest). Evaluate: time after the
    /// step's start, s, 0 … h.
    pub h_used: f64,
    /// Retry: step to try. Accept: suggestion for the next step, or 0. Evaluate: where what was tried so far did not come out and
    /// is given up for a shorter step, that step (the host counts it); else 0.
    pub h_next: f64,
    /// Accept, Impact: v⁺, nv. Evaluate: velocities to evaluate at.
    pub v: &'a [f64],
    /// Accept: q⁺, nq, or empty for q ⊕ h N v⁺. Redetect, Evaluate: configuration to detect at.
    pub q: &'a [f64],
    /// Accept, Impact: contact impulses (normal, tangents in the contact's basis), (1 + n_t) n, N s.
    pub impulse: &'a [f64],
    /// Accept: impulses of the other rows, N s.
    pub row_impulse: &'a [f64],
    /// Accept: impulses of the support points (x, y), 2 per point, N s.
    pub support_impulse: &'a [f64],
    /// Accept: drive effort on prescribed dofs, as impulse over the step, nv, N s (0 elsewhere).
    pub effort: &'a [f64],
    /// Accept: the whole constant c of every contact's normal row as used in 0 ≤ p_n ⟂ Wnᵀ v⁺ + c ≥ 0
    /// m/s; +∞ where the contact was left out. The referee judges complementarity against it.
    pub normal_rate: &'a [f64],
    /// Accept: what is to be added to Wtᵀ v⁺ to have the slip of the touching surfaces, n_t n, m/s: where layers
    /// deform, (δ_t⁺ − δ_t)/h. Friction is judged by that slip. Empty: nothing.
    pub slip_rate: &'a [f64],
    /// Accept: motion model used per block ([`crate::model::MotionModel`] codes); the referee judges momentum by it.
    pub motion: &'a [u8],
    /// Accept: factor on the mass matrix of every block in the balance that was used, where it is not 1 (the scaled masses of
    /// quasi-dynamic steps); the referee judges momentum by it. Empty: 1 everywhere.
    pub mass_scale: &'a [f64],
    /// Accept: derivatives of the step where the stepper has them, nv × 2 nv by rows: h ∂v⁺/∂u, u the commanded displacement
    /// over the step (m, rad; columns of dofs without a command are 0), then ∂q⁺/∂q as a map of displacements (rotations: rotation vectors in world axes). Or
    /// empty.
    pub gradient: &'a [f64],
    /// Fail or Retry: one sentence.
    pub reason: &'a str,
}

impl Update<'_> {
    /// Returns true if the stepper goes on with a shorter step than it tried before.
    pub fn shortens(&self) -> bool {
        self.verdict == Verdict::Retry || self.verdict == Verdict::Evaluate && self.h_next > 0.0
    }
}

/// Formulates and advances.
pub trait Stepper {
    /// The problem of this step (or of this pass of it).
    fn formulate<'s>(&'s mut self, step: &StepView<'_>) -> Result<Problem<'s>, StageError>;

    /// The verdict on the step, from the solution of its problem. The host has checked the status: only accepted solutions come here, unless the
    /// manifest has the capability `sees-failures`: then those of the last solver come too, with their status, and may be
    /// answered by anything but Accept and Impact; Fail ends the step with the solvers' own story.
    fn update<'s>(
        &'s mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'s>, StageError>;

    /// Appends whatever must survive a checkpoint or rollback (deformations, controllers).
    fn save_state(&self, _bytes: &mut Vec<u8>) {}

    /// Restores what [`Stepper::save_state`] wrote.
    fn load_state(&mut self, bytes: &[u8]) -> Result<(), StageError> {
        refuse_foreign_state(bytes)
    }
}
