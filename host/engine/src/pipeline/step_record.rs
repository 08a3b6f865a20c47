//! The record of a step: the stepper's answer, judged, and what is told of it once it is accepted.

use vinci_core::lists::copy;
use vinci_core::model::System;
use vinci_core::referee::{Findings, Report};
use vinci_core::stage::Update;
use vinci_core::state::integrate;

use super::context::StepContext;
use super::contexts::{Contexts, Site};
use super::failure::StepFailure;
use super::outcome::{ContactEvent, Impact};
use super::settings::Settings;
use super::work::StepWork;
use crate::control::{ControlError, Controllers};

/// A step as it came out. The stepper lends its answer only until it is called again, so this is a copy.
#[derive(Default)]
pub(super) struct StepRecord {
    /// Size, s.
    pub(super) h: f64,
    /// Positions at its end.
    pub(super) q: Vec<f64>,
    /// Velocities at its end, or after the impact.
    pub(super) v: Vec<f64>,
    pub(super) impulse: Vec<f64>,
    pub(super) row_impulse: Vec<f64>,
    /// Impulses of drives that prescribe velocities, as the referee recomputed them, nv.
    pub(super) effort: Vec<f64>,
    pub(super) support_impulse: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    /// Efforts of controllers over the step, nv, or empty.
    pub(super) controlled: Vec<f64>,
    /// Scratch: what controllers would do at the end of the step.
    controlled_later: Vec<f64>,
    pub(super) impacts: Vec<Impact>,
    pub(super) events: Vec<ContactEvent>,
    pub(super) report: Report,
    pub(super) work: StepWork,
    pub(super) residual: f64,
    pub(super) slack: f64,
}

impl StepRecord {
    /// Findings of the referee in the step, and in the impacts before it.
    pub(super) fn findings(&self) -> impl Iterator<Item = &Findings> {
        let of_impacts = self.impacts.iter().map(|impact| &impact.report.findings);
        of_impacts.chain([&self.report.findings])
    }

    /// An attempt begins: what happened in the one before is taken back.
    pub(super) fn begin(&mut self) {
        self.impacts.clear();
        self.events.clear();
    }

    /// Keeps an update that asks to be accepted, and what it was judged to be. `checked`: residual and slack of the solution.
    pub(super) fn keep(&mut self, update: &Update<'_>, judged: (Report, StepWork), checked: (f64, f64)) {
        self.h = update.h_used;
        (self.report, self.work) = judged;
        (self.residual, self.slack) = checked;
        copy(&mut self.q, update.q);
        copy(&mut self.v, update.v);
        copy(&mut self.impulse, update.impulse);
        copy(&mut self.row_impulse, update.row_impulse);
        copy(&mut self.support_impulse, update.support_impulse);
        copy(&mut self.gradient, update.gradient);
    }

    /// Keeps an impact, and what it was judged to be.
    pub(super) fn keep_impact(&mut self, update: &Update<'_>, report: Report, checked: (f64, f64)) {
        self.report = report;
        (self.residual, self.slack) = checked;
        copy(&mut self.v, update.v);
        copy(&mut self.impulse, update.impulse);
        copy(&mut self.row_impulse, update.row_impulse);
    }

    /// Takes down the efforts of controllers in the step, as they came out; controllers remember what they measure. A stepper of second order takes
    /// the mean of both ends.
    pub(super) fn end_control(
        &mut self,
        controllers: &mut Controllers,
        contexts: &Contexts,
        settings: &Settings,
    ) -> Result<(), ControlError> {
        if controllers.is_empty() {
            return Ok(());
        }
        let (start, h) = (&contexts.start, self.h);
        let end = start.t + h;
        copy(&mut self.controlled, controllers.applied().force);
        let part = match (contexts.site, settings.second_order) {
            (Site::Elsewhere, _) => 0.0,
            (Site::Start, true) => 0.5,
            (Site::Start, false) => 1.0,
        };
        if part == 0.5 {
            let later = &mut self.controlled_later;
            later.clear();
            later.resize(start.v.len(), 0.0);
            controllers.add_later(end, &start.q, &start.v, later)?;
            self.controlled.iter_mut().zip(later).for_each(|(now, later)| *now = 0.5 * (*now + *later));
        }
        controllers.add_implicit(part, h, &start.v, &self.v, &mut self.controlled);
        controllers.measure(&contexts.current().contacts.view(), &self.impulse, h, end)
    }

    /// Positions at the end, where the stepper leaves them to the host: q ⊕ h N v⁺. Everything must be finite.
    pub(super) fn complete(&mut self, system: &System, start: &StepContext) -> Result<(), StepFailure> {
        if self.q.is_empty() {
            self.q.resize(start.q.len(), 0.0);
            integrate(&system.layout(), &start.q, &self.v, self.h, &mut self.q);
        }
        for (what, list) in [("velocity", &self.v), ("coordinate", &self.q)] {
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(StepFailure::NotFinite { what, index, value: list[index] });
            }
        }
        Ok(())
    }
}
