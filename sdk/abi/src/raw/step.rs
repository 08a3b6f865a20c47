//! What goes to a stepper, and its answer.

use abi_stable::StableAbi;
use vinci_core::StageError;
use vinci_core::model::Space;
use vinci_core::stage::{self, Verdict};

use super::{Channel, Contacts, Matrix, Slice};
use crate::fault::Flaw;

/// Mirrors [`stage::Rows`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Rows {
    /// J, n × nv.
    pub jacobian: Matrix,
    /// Rates, n.
    pub rate: Slice<f64>,
    /// Lower bounds of the impulses, n.
    pub lower: Slice<f64>,
    /// Upper bounds of the impulses, n.
    pub upper: Slice<f64>,
}

/// Mirrors [`stage::StepView`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
#[allow(missing_docs)] // The fields are those of `stage::StepView`, name by name.
pub struct StepView {
    pub step: u64,
    pub pass: u32,
    pub attempt: u32,
    pub t: f64,
    pub h: f64,
    pub tolerance: f64,
    pub space: u32,
    pub reserved: u32,
    pub q: Slice<f64>,
    pub v: Slice<f64>,
    pub block_start: Slice<u32>,
    pub q_start: Slice<u32>,
    pub block_kind: Slice<u8>,
    pub motion: Slice<u8>,
    pub mass: Slice<f64>,
    pub drag: Slice<f64>,
    pub force: Slice<f64>,
    pub bias: Slice<f64>,
    pub stiffness: Matrix,
    pub viscosity: Matrix,
    pub role: Slice<u8>,
    pub command: Slice<f64>,
    pub impedance: Slice<f64>,
    pub contacts: Contacts,
    pub rows: Rows,
    pub channels: Slice<Channel>,
}

impl From<&stage::StepView<'_>> for StepView {
    #[inline]
    fn from(s: &stage::StepView<'_>) -> Self {
        Self {
            step: s.step,
            pass: s.pass,
            attempt: s.attempt,
            t: s.t,
            h: s.h,
            tolerance: s.tolerance,
            space: s.space as u32,
            reserved: 0,
            q: s.q.into(),
            v: s.v.into(),
            block_start: s.block_start.into(),
            q_start: s.q_start.into(),
            block_kind: s.block_kind.into(),
            motion: s.motion.into(),
            mass: s.mass.into(),
            drag: s.drag.into(),
            force: s.force.into(),
            bias: s.bias.into(),
            stiffness: (&s.stiffness).into(),
            viscosity: (&s.viscosity).into(),
            role: s.role.into(),
            command: s.command.into(),
            impedance: s.impedance.into(),
            contacts: (&s.contacts).into(),
            rows: Rows {
                jacobian: (&s.rows.jacobian).into(),
                rate: s.rows.rate.into(),
                lower: s.rows.lower.into(),
                upper: s.rows.upper.into(),
            },
            channels: Slice::default(),
        }
    }
}

impl StepView {
    /// The space of the step.
    #[inline]
    pub fn space(&self) -> Result<Space, StageError> {
        Space::from_code(self.space)
            .ok_or_else(|| StageError::bad_input(format!("{} is not the code of a space", self.space)))
    }

    /// The step as core writes it, in the space of [`StepView::space`].
    ///
    /// # Safety
    /// All arrays must be readable during `'a`.
    #[inline]
    pub unsafe fn get<'a>(&self, space: Space) -> stage::StepView<'a> {
        // SAFETY: the caller's promise.
        let rows = unsafe {
            stage::Rows {
                jacobian: self.rows.jacobian.get(),
                rate: self.rows.rate.get(),
                lower: self.rows.lower.get(),
                upper: self.rows.upper.get(),
            }
        };
        // SAFETY: as above.
        unsafe {
            stage::StepView {
                step: self.step,
                pass: self.pass,
                attempt: self.attempt,
                t: self.t,
                h: self.h,
                space,
                tolerance: self.tolerance,
                q: self.q.get(),
                v: self.v.get(),
                block_start: self.block_start.get(),
                q_start: self.q_start.get(),
                block_kind: self.block_kind.get(),
                motion: self.motion.get(),
                mass: self.mass.get(),
                drag: self.drag.get(),
                force: self.force.get(),
                bias: self.bias.get(),
                stiffness: self.stiffness.get(),
                viscosity: self.viscosity.get(),
                role: self.role.get(),
                command: self.command.get(),
                impedance: self.impedance.get(),
                contacts: self.contacts.get(),
                rows,
            }
        }
    }
}

/// Mirrors [`stage::Update`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Default)]
#[allow(missing_docs)] // The fields are those of `stage::Update`, name by name.
pub struct UpdateView {
    pub verdict: u32,
    pub reserved: u32,
    pub h_used: f64,
    pub h_next: f64,
    pub v: Slice<f64>,
    pub q: Slice<f64>,
    pub impulse: Slice<f64>,
    pub row_impulse: Slice<f64>,
    pub effort: Slice<f64>,
    pub normal_rate: Slice<f64>,
    pub motion: Slice<u8>,
    pub reason: Slice<u8>,
    pub channels: Slice<Channel>,
}

impl From<&stage::Update<'_>> for UpdateView {
    #[inline]
    fn from(u: &stage::Update<'_>) -> Self {
        Self {
            verdict: u.verdict as u32,
            reserved: 0,
            h_used: u.h_used,
            h_next: u.h_next,
            v: u.v.into(),
            q: u.q.into(),
            impulse: u.impulse.into(),
            row_impulse: u.row_impulse.into(),
            effort: u.effort.into(),
            normal_rate: u.normal_rate.into(),
            motion: u.motion.into(),
            reason: u.reason.into(),
            channels: Slice::default(),
        }
    }
}

impl UpdateView {
    /// The answer as core writes it, code and arrays checked one by one.
    ///
    /// # Safety
    /// As [`Slice::checked`] for all arrays.
    #[inline]
    pub unsafe fn checked<'a>(&self) -> Result<stage::Update<'a>, Flaw> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(stage::Update {
                verdict: verdict(self.verdict)?,
                h_used: self.h_used,
                h_next: self.h_next,
                v: self.v.checked("v")?,
                q: self.q.checked("q")?,
                impulse: self.impulse.checked("impulses")?,
                row_impulse: self.row_impulse.checked("row impulses")?,
                effort: self.effort.checked("efforts")?,
                normal_rate: self.normal_rate.checked("normal rates")?,
                motion: self.motion.checked("motion models")?,
                reason: self.reason.text("reason")?,
            })
        }
    }
}

fn verdict(code: u32) -> Result<Verdict, Flaw> {
    let all = [Verdict::Accept, Verdict::Again, Verdict::Redetect, Verdict::Retry, Verdict::Fail];
    let known = all.into_iter().find(|v| *v as u32 == code);
    known.ok_or_else(|| Flaw::output(format!("{code} is not the code of a verdict")))
}
