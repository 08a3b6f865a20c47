//! An answer of a stepper that can be changed.

use vinci_sdk::prelude::*;

/// What a stepper claims: an [`Update`] that owns its arrays.
#[derive(Debug, Clone, Default)]
pub struct Claim {
    /// What is asked of the host.
    pub verdict: Verdict,
    /// Step taken, s.
    pub h_used: f64,
    /// v⁺.
    pub v: Vec<f64>,
    /// q⁺ or nothing.
    pub q: Vec<f64>,
    /// Impulses of contacts.
    pub impulse: Vec<f64>,
    /// Impulses of other rows.
    pub row_impulse: Vec<f64>,
    /// Impulses of support points.
    pub support_impulse: Vec<f64>,
    /// Drive impulses.
    pub effort: Vec<f64>,
    /// Constants of normal rows.
    pub normal_rate: Vec<f64>,
    /// Slip of the stepper's own.
    pub slip_rate: Vec<f64>,
    /// Motion models.
    pub motion: Vec<u8>,
    /// Factors of masses.
    pub mass_scale: Vec<f64>,
    /// Why not.
    pub reason: String,
}

impl Claim {
    /// Takes an answer over.
    pub fn of(u: &Update<'_>) -> Self {
        Self {
            verdict: u.verdict,
            h_used: u.h_used,
            v: u.v.to_vec(),
            q: u.q.to_vec(),
            impulse: u.impulse.to_vec(),
            row_impulse: u.row_impulse.to_vec(),
            support_impulse: u.support_impulse.to_vec(),
            effort: u.effort.to_vec(),
            normal_rate: u.normal_rate.to_vec(),
            slip_rate: u.slip_rate.to_vec(),
            motion: u.motion.to_vec(),
            mass_scale: u.mass_scale.to_vec(),
            reason: u.reason.to_owned(),
        }
    }

    /// A claim without any impulse that moves on with v.
    pub fn empty(step: &StepView<'_>, verdict: Verdict) -> Self {
        Self {
            verdict,
            h_used: step.h,
            v: step.v.to_vec(),
            impulse: vec![0.0; step.contacts.jacobian.n_rows()],
            row_impulse: vec![0.0; step.rows.rate.len()],
            support_impulse: vec![0.0; 2 * step.supports.len()],
            effort: vec![0.0; step.nv()],
            normal_rate: vec![0.0; step.contacts.len()],
            motion: vec![MotionModel::Dynamic as u8; step.n_blocks()],
            ..Self::default()
        }
    }

    /// The answer.
    pub fn view(&self) -> Update<'_> {
        Update {
            verdict: self.verdict,
            h_used: self.h_used,
            v: &self.v,
            q: &self.q,
            impulse: &self.impulse,
            row_impulse: &self.row_impulse,
            support_impulse: &self.support_impulse,
            effort: &self.effort,
            normal_rate: &self.normal_rate,
            slip_rate: &self.slip_rate,
            motion: &self.motion,
            mass_scale: &self.mass_scale,
            reason: &self.reason,
            ..Update::default()
        }
    }
}
