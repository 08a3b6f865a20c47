//! The accepted steps of the last interval: those that are pending, and the last one.

use vinci_core::lists::copy;
use vinci_core::momentum::Impulses;
use vinci_core::referee::Mode;
use vinci_core::stage::StepView;

use super::context::{Round, StepContext};
use super::outcome::Accepted;
use super::pending_steps::PendingStep;
use super::refinement::Refinement;
use super::simulation::Simulation;
use super::step_record::StepRecord;

impl Simulation {
    /// Sets the step that was just made aside.
    pub(super) fn set_pending(&mut self) {
        let Self { pending, contexts, record, judge, state, .. } = self;
        if pending.steps.len() == pending.n {
            let context = StepContext::new(&self.system, &self.settings);
            let (record, mode, slip) = (StepRecord::default(), Vec::new(), Vec::new());
            pending.steps.push(PendingStep { context, record, t: 0.0, mode, slip });
        }
        let step = &mut pending.steps[pending.n];
        std::mem::swap(&mut step.context, contexts.current_mut());
        std::mem::swap(&mut step.record, record);
        step.t = state.t;
        step.mode.clear();
        step.mode.extend_from_slice(judge.referee.modes());
        copy(&mut step.slip, judge.referee.slip());
        pending.n += 1;
    }

    /// Number of accepted steps of the last interval.
    pub fn n_last(&self) -> usize {
        self.pending.n + 1
    }

    /// Accepted step k of the last interval, in time.
    pub fn of_last(&self, k: usize) -> Accepted<'_> {
        match self.pending.steps[..self.pending.n].get(k) {
            Some(s) => {
                let end = (s.t, s.record.q.as_slice(), s.record.v.as_slice());
                accepted(&s.context, &s.record, end, (&s.mode, &s.slip))
            }
            None => self.last(),
        }
    }

    /// The last accepted step.
    pub fn last(&self) -> Accepted<'_> {
        let (state, referee) = (&self.state, &self.judge.referee);
        let end = (state.t, state.q.as_slice(), state.v.as_slice());
        accepted(self.contexts.current(), &self.record, end, (referee.modes(), referee.slip()))
    }

    /// The last accepted step as its stepper saw it, and all impulses that acted over it. Before the first step it has no contacts.
    pub fn last_step(&self) -> (StepView<'_>, Impulses<'_>) {
        let round = Round {
            step: self.state.step.saturating_sub(1),
            attempt: 0,
            pass: 0,
            refinement: Refinement::default(),
        };
        let view = self.contexts.view((&self.system, &self.settings), round, self.record.h);
        let StepRecord { impulse, row_impulse, support_impulse, .. } = &self.record;
        (view, Impulses { contact: impulse, row: row_impulse, support: support_impulse })
    }
}

/// `end`: time, positions and velocities at the end of the step; `told`: what the referee tells of contacts.
fn accepted<'a>(
    context: &'a StepContext,
    record: &'a StepRecord,
    (t, q, v): (f64, &'a [f64], &'a [f64]),
    (mode, slip): (&'a [Mode], &'a [f64]),
) -> Accepted<'a> {
    Accepted {
        t,
        h: record.h,
        q,
        v,
        contacts: context.contacts.view(),
        impulse: &record.impulse,
        effort: &record.effort,
        controlled: &record.controlled,
        command: &context.command,
        supports: context.supports.view(),
        row_owners: context.joints.owners(),
        support_impulse: &record.support_impulse,
        gradient: &record.gradient,
        impacts: &record.impacts,
        events: &record.events,
        mode,
        slip,
        report: record.report,
        work: record.work,
        residual: record.residual,
        slack: record.slack,
    }
}
