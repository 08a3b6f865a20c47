//! What goes to a stepper, and its answer.

use abi_stable::StableAbi;
use vinci_core::model::Space;
use vinci_core::stage::{self, Verdict};
use vinci_core::{Csr, StageError};

use super::problem::find;
use super::{Channel, Contacts, Matrix, Slice};
use crate::codes::channel;
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

/// What came after version 1.0.
#[derive(Default)]
struct Later<'a> {
    supports: stage::Supports<'a>,
    force_rate: &'a [f64],
    drive_speed: &'a [f64],
    rows_middle: Csr<'a>,
    rows_end: Csr<'a>,
    dissipation: &'a [f64],
    quaternion: &'a [u32],
}

/// Room for the channels of a step.
pub type StepChannels = [Channel; 12];

impl StepView {
    /// The view of a step; valid as long as `room` and the arrays of the step stay as they are.
    #[inline]
    pub fn outgoing(s: &stage::StepView<'_>, room: &mut StepChannels) -> Self {
        let channels = Self::channels(s, room);
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
            channels,
        }
    }

    /// What version 1.0 does not know: nothing in most steps.
    #[inline]
    fn channels(s: &stage::StepView<'_>, room: &mut StepChannels) -> Slice<Channel> {
        let v1_3 = !(s.contacts.dissipation.is_empty() && s.quaternion.is_empty());
        let order_2 = !(s.force_rate.is_empty() && s.drive_speed.is_empty());
        if s.supports.is_empty() && !order_2 && !v1_3 {
            return Slice::default();
        }
        *room = [
            Channel::integers(channel::SUPPORT_BODY, 1, s.supports.body),
            Channel::reals(channel::SUPPORT_POINT, s.supports.point),
            Channel::matrix(channel::SUPPORT_JACOBIAN, &s.supports.jacobian),
            Channel::reals(channel::SUPPORT_LOAD, s.supports.load),
            Channel::reals(channel::SUPPORT_BOUND, s.supports.bound),
            Channel::reals(channel::SUPPORT_IMPULSE, s.supports.last_impulse),
            Channel::reals(channel::FORCE_RATE, s.force_rate),
            Channel::matrix(channel::ROWS_MIDDLE, &s.rows_middle),
            Channel::matrix(channel::ROWS_END, &s.rows_end),
            Channel::reals(channel::DISSIPATION, s.contacts.dissipation),
            Channel::integers(channel::QUATERNION, 2, s.quaternion),
            Channel::reals(channel::DRIVE_SPEED, s.drive_speed),
        ];
        room.as_slice().into()
    }

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
        let later = unsafe { self.get_channels() };
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
                contacts: vinci_core::contact::Contacts {
                    dissipation: later.dissipation,
                    ..self.contacts.get()
                },
                rows,
                supports: later.supports,
                force_rate: later.force_rate,
                drive_speed: later.drive_speed,
                rows_middle: later.rows_middle,
                rows_end: later.rows_end,
                quaternion: later.quaternion,
            }
        }
    }

    /// # Safety
    /// As [`StepView::get`].
    #[inline]
    unsafe fn get_channels<'a>(&self) -> Later<'a> {
        if self.channels.len == 0 {
            return Default::default();
        }
        // SAFETY: the caller's promise, here and below.
        let channels = unsafe { self.channels.get() };
        let reals = |id| unsafe { find(channels, id).f.get() };
        let jacobian = find(channels, channel::SUPPORT_JACOBIAN);
        // SAFETY: as above.
        let supports = unsafe {
            stage::Supports {
                body: find(channels, channel::SUPPORT_BODY).i.get(),
                point: reals(channel::SUPPORT_POINT),
                jacobian: jacobian.get_csr(),
                load: reals(channel::SUPPORT_LOAD),
                bound: reals(channel::SUPPORT_BOUND),
                last_impulse: reals(channel::SUPPORT_IMPULSE),
            }
        };
        // SAFETY: as above.
        let quaternion = unsafe { find(channels, channel::QUATERNION).i.get() };
        // SAFETY: as above.
        let matrix = |id| unsafe { find(channels, id).get_csr() };
        Later {
            supports,
            force_rate: reals(channel::FORCE_RATE),
            drive_speed: reals(channel::DRIVE_SPEED),
            rows_middle: matrix(channel::ROWS_MIDDLE),
            rows_end: matrix(channel::ROWS_END),
            dissipation: reals(channel::DISSIPATION),
            quaternion,
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

impl UpdateView {
    /// The view of an update; valid as long as `room` and the arrays of the update stay as they are.
    #[inline]
    pub fn outgoing(u: &stage::Update<'_>, room: &mut [Channel; 4]) -> Self {
        let more = [u.support_impulse, u.slip_rate, u.gradient, u.mass_scale];
        let channels = if more.iter().all(|list| list.is_empty()) {
            Slice::default()
        } else {
            *room = [
                Channel::reals(channel::SUPPORT_IMPULSE, u.support_impulse),
                Channel::reals(channel::SLIP_RATE, u.slip_rate),
                Channel::reals(channel::GRADIENT, u.gradient),
                Channel::reals(channel::MASS_SCALE, u.mass_scale),
            ];
            room.as_slice().into()
        };
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
            channels,
        }
    }

    /// The answer as core writes it, code and arrays checked one by one.
    ///
    /// # Safety
    /// As [`Slice::checked`] for all arrays.
    #[inline]
    pub unsafe fn checked<'a>(&self) -> Result<stage::Update<'a>, Flaw> {
        // SAFETY: the caller's promise.
        let channels = unsafe { self.channels.checked("channels") }?;
        let support_impulse = find(channels, channel::SUPPORT_IMPULSE).f;
        let slip_rate = find(channels, channel::SLIP_RATE).f;
        let gradient = find(channels, channel::GRADIENT).f;
        let mass_scale = find(channels, channel::MASS_SCALE).f;
        // SAFETY: as above.
        unsafe {
            Ok(stage::Update {
                support_impulse: support_impulse.checked("impulses of support points")?,
                verdict: verdict(self.verdict)?,
                h_used: self.h_used,
                h_next: self.h_next,
                v: self.v.checked("v")?,
                q: self.q.checked("q")?,
                impulse: self.impulse.checked("impulses")?,
                row_impulse: self.row_impulse.checked("row impulses")?,
                effort: self.effort.checked("efforts")?,
                normal_rate: self.normal_rate.checked("normal rates")?,
                slip_rate: slip_rate.checked("slip rates")?,
                motion: self.motion.checked("motion models")?,
                gradient: gradient.checked("derivatives")?,
                mass_scale: mass_scale.checked("factors of masses")?,
                reason: self.reason.text("reason")?,
            })
        }
    }
}

fn verdict(code: u32) -> Result<Verdict, Flaw> {
    use Verdict::{Accept, Again, Evaluate, Fail, Impact, Redetect, Retry};
    let all = [Accept, Again, Redetect, Retry, Fail, Impact, Evaluate];
    let known = all.into_iter().find(|v| *v as u32 == code);
    known.ok_or_else(|| Flaw::output(format!("{code} is not the code of a verdict")))
}
