//! The judge of a step: what the detector said, what drives were to do, and what the referee finds.

use vinci_core::contact::RawContacts;
use vinci_core::error::{ErrorKind, StageError};
use vinci_core::geometry::{DetectorCheck, DetectorReport, Watch};
use vinci_core::model::System;
use vinci_core::referee::{Began, Criterion, Declaration, Findings, Referee, Report};
use vinci_core::sparse::Csr;
use vinci_core::stage::{DetectQuery, StepView, Update};

use super::clear_way::{Way, unrefuted};
use super::context::StepContext;
use super::contexts::{Contexts, Site};
use super::drive_check;
use super::passing::Passing;
use super::settings::Settings;
use super::state::State;
use super::work::StepWork;
use crate::drives::Drives;

/// Judges steps before they are taken. Keeps its memory.
pub(super) struct Judge {
    pub(super) referee: Referee,
    /// Driven velocities that the stepper may let deviate from their commands, ascending.
    pub(super) may_deviate: Vec<u32>,
    /// True if those deviate only where something can hold them.
    held: bool,
    detector: DetectorCheck,
    watch: Watch,
    /// Findings on the detection at the start of the step, and on the motion of the step before.
    detected: Findings,
    /// Findings on the detection at the place that the stepper last asked for.
    elsewhere: Findings,
    /// Where the step begins.
    begins: Passing,
}

impl Judge {
    pub(super) fn new(system: &System, drives: &Drives, settings: &Settings) -> Self {
        let mut referee = Referee::new(system, Declaration::default());
        referee.nominal = settings.step;
        Self {
            referee,
            held: settings.held,
            may_deviate: if settings.deviates { drives.prescribed(system) } else { Vec::new() },
            detector: DetectorCheck::new(system),
            watch: Watch::default(),
            detected: Findings::default(),
            elsewhere: Findings::default(),
            begins: Passing::default(),
        }
    }

    /// Forgets what was found: another start.
    pub(super) fn begin(&mut self) {
        self.detected = Findings::default();
        self.elsewhere = Findings::default();
        self.referee.begin();
    }

    /// Compares the detector's answer with the shapes. At the start of a step findings add to earlier ones there, because impacts
    /// and wider distances only ask it again. Elsewhere only the last place counts, because no step is accepted at the others.
    pub(super) fn judge_detector(
        &mut self,
        (query, site): (&DetectQuery<'_>, Site),
        raw: &RawContacts<'_>,
        step: u64,
    ) {
        let mut report = self.detector.judge(query, raw, step);
        self.watch.judge(&self.detector, query, raw, &mut report);
        let found = findings(&report, raw, self.detector.shapes().len());
        match site {
            Site::Start => self.detected.join(&found),
            Site::Elsewhere => self.elsewhere = found,
        }
    }

    /// Notes where the step begins, and whether the one before carried a body across another on the way there.
    pub(super) fn look_back(&mut self, system: &System, start: &StepContext, state: &State) {
        self.begins.begin(&start.frames, &start.contacts.view(), &start.margin);
        let shapes = self.detector.shapes();
        if let Some(passed) = state.passing.end(shapes, system, &start.frames, &start.v, state.h_last) {
            let at = passed.pass.shape_a as usize * system.shapes.len() + passed.pass.shape_b as usize;
            self.detected.take(Criterion::Crossing, passed.share(), at);
        }
    }

    /// Judges the contacts of a context, with what was found at the start of the step.
    pub(super) fn judge_start(&self, context: &StepContext, report: &mut Report) {
        let place = (context.frames.poses(), context.margin.as_slice());
        self.referee.judge_detection(&context.contacts.view(), place, report);
        report.findings.join(&self.detected);
        report.findings.join(&self.elsewhere);
    }

    /// Judges an update that asks to be accepted; `view` is what the stepper saw.
    ///
    /// # Errors
    /// A stepper that breaks the contract: lengths, motion models, prescribed velocities.
    pub(super) fn judge_step(
        &mut self,
        system: &System,
        contexts: &Contexts,
        view: &StepView<'_>,
        update: &Update<'_>,
    ) -> Result<(Report, StepWork), StageError> {
        drive_check::check(system, view, update, (&self.may_deviate, self.held))?;
        let (start, context) = (&contexts.start, contexts.current());
        let elsewhere = contexts.site == Site::Elsewhere;
        let judged = if elsewhere { as_balance(view, &start.v) } else { *view };
        let began = Began {
            q: &start.q,
            evaluated: context.redetected().or(elsewhere.then_some(&context.q)),
            moving: elsewhere.then_some((&context.v, context.t - start.t)),
        };
        let mut report = self.referee.judge(&judged, update, &began)?;
        if !self.held && !elsewhere {
            self.refute(system, contexts, &judged, update, &mut report);
        }
        self.judge_start(context, &mut report);
        let forces = (context.applied.as_slice(), self.referee.effort());
        let work = StepWork::of(&judged, update, forces, &report);
        Ok((report, work))
    }

    /// Of somebody else's motion: what approaches by its linearisation alone does not approach.
    fn refute(
        &self,
        system: &System,
        contexts: &Contexts,
        view: &StepView<'_>,
        update: &Update<'_>,
        report: &mut Report,
    ) {
        let approaching = self.referee.approaching();
        if approaching.is_empty() || update.q.is_empty() {
            return;
        }
        let way = Way { start: &contexts.start.frames, end: update.q, v: update.v, h: update.h_used };
        let worst = unrefuted((self.detector.shapes(), system), &view.contacts, approaching, &way);
        report.findings.replace(Criterion::Approach, worst);
    }

    /// Judges an impact, which is one of the start of the step.
    ///
    /// # Errors
    /// A stepper that breaks the contract: lengths, impacts at another place or with other velocities.
    pub(super) fn judge_impact(
        &mut self,
        contexts: &Contexts,
        view: &StepView<'_>,
        update: &Update<'_>,
    ) -> Result<Report, StageError> {
        let context = contexts.current();
        if contexts.is_moved() || context.redetected().is_some_and(|place| place != context.q) {
            let what = "the stepper asks for an impact where contacts or velocities are not those at the start of the step";
            return Err(StageError::new(ErrorKind::Fault, what));
        }
        self.referee.judge_impact(view, update)
    }

    /// The step that was judged last is accepted.
    pub(super) fn commit(&mut self, context: &StepContext, state: &mut State) {
        self.referee.commit(&context.contacts.view(), context.frames.poses());
        std::mem::swap(&mut state.passing, &mut self.begins);
    }
}

/// A view that was evaluated elsewhere, as the balance of the step: velocities at the start are the step's, and forces are
/// those of the place as they stand there, nothing of them to be extrapolated.
fn as_balance<'a>(view: &StepView<'a>, v_start: &'a [f64]) -> StepView<'a> {
    StepView { v: v_start, stiffness: Csr::default(), viscosity: Csr::default(), ..*view }
}

/// A look at a detector's answer as findings; places are pairs of shapes.
fn findings(report: &DetectorReport, raw: &RawContacts<'_>, n_shapes: usize) -> Findings {
    let mut findings = Findings::default();
    let pair = |contact: u32| {
        let key = raw.key.get(contact as usize).copied().unwrap_or_default();
        key.shape_a as usize * n_shapes + key.shape_b as usize
    };
    for amount in [report.unit, report.gap, report.surface] {
        findings.take(Criterion::Detected, amount.value, pair(amount.contact));
    }
    findings.take(Criterion::Barred, report.barred.value, pair(report.barred.contact));
    findings.take(Criterion::Grouped, report.grouped.value, pair(report.grouped.contact));
    findings.take(Criterion::Normal, report.normal.value, pair(report.normal.contact));
    let pairs = [
        (Criterion::WrongGap, report.distance),
        (Criterion::Missed, report.missed),
        (Criterion::Bare, report.bare),
    ];
    for (criterion, fault) in pairs {
        if let Some(fault) = fault {
            findings.take(criterion, fault.share, fault.shape_a as usize * n_shapes + fault.shape_b as usize);
        }
    }
    findings
}
