//! What a stepper sees of a step.

use vinci_core::Csr;
use vinci_core::model::System;
use vinci_core::stage::{StepView, Supports};

use super::Work;

/// A view that was evaluated elsewhere, as the balance of the step: velocities at the start are the step's, and forces are
/// those of the place as they stand there, nothing of them to be extrapolated.
pub(super) fn at_end<'a>(view: &StepView<'a>, v_start: &'a [f64]) -> StepView<'a> {
    StepView { v: v_start, stiffness: Csr::default(), viscosity: Csr::default(), ..*view }
}

/// Where in the run a view stands.
pub(super) struct Place<'a> {
    pub(super) step: u64,
    pub(super) pass: u32,
    pub(super) attempt: u32,
    pub(super) t: f64,
    pub(super) h: f64,
    pub(super) q: &'a [f64],
    pub(super) v: &'a [f64],
}

pub(super) fn step_view<'a>(w: &'a Work, system: &'a System, tolerance: f64, at: Place<'a>) -> StepView<'a> {
    let layout = system.layout();
    StepView {
        step: at.step,
        pass: at.pass,
        attempt: at.attempt,
        t: at.t,
        h: at.h,
        space: system.space,
        tolerance,
        q: at.q,
        v: at.v,
        block_start: layout.block_start,
        q_start: layout.q_start,
        block_kind: layout.block_kind,
        quaternion: layout.quaternion,
        motion: &w.motion,
        mass: &w.dynamics.mass,
        drag: &w.dynamics.drag,
        force: &w.dynamics.force,
        bias: &w.dynamics.bias,
        stiffness: w.dynamics.stiffness.view(),
        viscosity: w.dynamics.viscosity.view(),
        role: &w.role,
        command: &w.command,
        impedance: &w.impedance,
        contacts: w.contacts.view(),
        rows: w.joints.view(),
        rows_middle: w.joints_middle.view().jacobian,
        rows_end: w.joints_end.view().jacobian,
        supports: if system.supports.is_empty() { Supports::default() } else { w.supports.view() },
        force_rate: &w.dynamics.force_rate,
        drive_speed: &w.drive_speed,
    }
}
