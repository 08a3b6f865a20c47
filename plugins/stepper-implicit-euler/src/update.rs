//! The stages of a step: what is to be evaluated next, and what is told of an accepted step.

use vinci_sdk::core::state::integrate;
use vinci_sdk::prelude::*;

use crate::ImplicitEuler;
use crate::config::ErrorControl;
use crate::control::Control;
use crate::mass::Masses;
use crate::newton::{Guess, Progress};
use crate::progress::{Half, Stage, StepReport};
use vinci_sdk::core::lists::copy;

impl ImplicitEuler {
    /// One pass: the first begins a step, all others bring an evaluation of f.
    ///
    /// Errors: a solution that is none of the empty problem; contacts of rigid pairs; a mass matrix that is not positive
    /// definite.
    pub(crate) fn advance(
        &mut self,
        step: &StepView<'_>,
        solution: &Solution<'_>,
    ) -> Result<Update<'_>, StageError> {
        if !solution.z.is_empty() || step.pass > 0 && !self.begun {
            let found = solution.z.len();
            return Err(StageError::bad_input(format!(
                "pass {} with a solution of {found} numbers, where the problem has none and pass 0 begins a step",
                step.pass
            )));
        }
        if step.pass == 0 {
            return Ok(self.begin(step));
        }
        self.forces.evaluate(step, &self.names[0])?;
        let (h, progress) = (self.progress.span(), &mut self.progress);
        self.masses.accelerations(step, &progress.v, h, &self.forces.total, &mut progress.a)?;
        let imbalance = if self.newton.at_iterate() { self.imbalance(step, h) } else { 0.0 };
        match self.newton.take(&self.progress.a, imbalance, &self.masses.free, step.nv()) {
            Progress::Ask => Ok(self.ask(step)),
            Progress::Converged => Ok(self.converged(step)),
            Progress::Failed => {
                let h = self.control.halve(self.progress.h);
                Ok(self.shorten(step, h))
            }
        }
    }

    /// At an iterate: its slips, and the worst |M (v − v_0) − h f| as a part of the row's largest term.
    fn imbalance(&mut self, step: &StepView<'_>, h: f64) -> f64 {
        self.newton.slips.take(step, &self.forces);
        let (size, residual) = (&mut self.progress.size, &mut self.report.residual);
        size.clear();
        size.extend(self.forces.largest.iter().map(|f| h * f));
        Masses::balance(step, &self.progress.v, h, &self.forces.total, residual, size);
        // A row in which nothing happens has only rounding of the others' size in it.
        let floor = 1e-9 * size.iter().fold(f64::MIN_POSITIVE, |m, s| m.max(*s));
        let parts =
            self.masses.free.iter().map(|&i| residual[i as usize].abs() / size[i as usize].max(floor));
        parts.fold(0.0, |m, part| if part > m || part.is_nan() { part } else { m })
    }

    fn begin(&mut self, step: &StepView<'_>) -> Update<'_> {
        self.masses.layout(step);
        let progress = &mut self.progress;
        copy(&mut progress.q_start, step.q);
        copy(&mut progress.v_start, step.v);
        (self.begun, self.after) = (true, None);
        // A half step that no longer fits the step is dropped.
        self.pending = self.pending.take().filter(|half| Control::fits(half.h, step.h));
        match self.pending.take() {
            None => self.try_step(step, self.control.propose(step.h)),
            Some(half) if must_follow(step, half.h) => {
                let h = half.h;
                self.pending = Some(half);
                self.try_step(step, h)
            }
            Some(half) => {
                self.accept_later(&half, step.h);
                self.ask(step)
            }
        }
    }

    /// Begins (again) with a step of h. Where drives move, the host says how far they get within it.
    fn try_step(&mut self, step: &StepView<'_>, h: f64) -> Update<'_> {
        if !(h >= self.config.min_step) && h < step.h {
            let least = self.config.min_step;
            self.report.reason =
                format!("implicit Euler does not come through: a step below min_step = {least} s is wanted");
            return Update { verdict: Verdict::Fail, reason: &self.report.reason, ..Update::default() };
        }
        if must_follow(step, h) {
            self.begun = false;
            let reason = "implicit Euler asks for a shorter step";
            return Update { verdict: Verdict::Retry, h_next: h, reason, ..Update::default() };
        }
        self.progress.h = h;
        self.solve(Stage::Whole);
        self.ask(step)
    }

    /// Gives up what was tried for a step of h, and says so.
    fn shorten(&mut self, step: &StepView<'_>, h: f64) -> Update<'_> {
        let update = self.try_step(step, h);
        let h_next = if update.verdict == Verdict::Evaluate { h } else { update.h_next };
        Update { h_next, ..update }
    }

    /// Begins to solve for a part of the step.
    fn solve(&mut self, stage: Stage) {
        let progress = &mut self.progress;
        progress.stage = stage;
        if stage == Stage::Second {
            // The view of the first half's end stands in what was asked for last.
            copy(&mut progress.q, &progress.q_asked);
            copy(&mut progress.v, &progress.v_asked);
            progress.offset = 0.5 * progress.h;
        } else {
            copy(&mut progress.q, &progress.q_start);
            copy(&mut progress.v, &progress.v_start);
            progress.offset = 0.0;
        }
        let start = self.masses.free.iter().map(|&i| progress.v[i as usize]);
        self.newton.start(start, progress.span(), Guess::Drift);
    }

    /// Begins to evaluate a half whose solution is known, for its acceptance.
    fn accept_later(&mut self, half: &Half, rest: f64) {
        let progress = &mut self.progress;
        (progress.stage, progress.h, progress.offset) = (Stage::Known, half.h.min(rest), 0.0);
        copy(&mut progress.q, &progress.q_start);
        copy(&mut progress.v, &progress.v_start);
        let start = self.masses.free.iter().map(|&i| progress.v[i as usize]);
        self.newton.start(start, progress.h, Guess::Known(&half.u, &half.v));
    }

    /// Asks for f where Newton's method wants it. Prescribed velocities are data.
    fn ask(&mut self, step: &StepView<'_>) -> Update<'_> {
        let h = self.progress.span();
        let progress = &mut self.progress;
        progress.u.clear();
        progress.u.extend(step.command.iter().map(|c| h * c));
        copy(&mut progress.v_asked, step.command);
        for (j, &dof) in self.masses.free.iter().enumerate() {
            (progress.u[dof as usize], progress.v_asked[dof as usize]) = self.newton.point(j);
        }
        progress.q_asked.resize(progress.q.len(), 0.0);
        integrate(&step.layout(), &progress.q, &progress.u, 1.0, &mut progress.q_asked);
        let (q, v) = (&progress.q_asked, &progress.v_asked);
        Update { verdict: Verdict::Evaluate, h_used: progress.offset + h, q, v, ..Update::default() }
    }

    /// Goes on after a part of the step has been solved.
    fn converged(&mut self, step: &StepView<'_>) -> Update<'_> {
        let (stage, span) = (self.progress.stage, self.progress.span());
        let doubling = self.config.error_control == ErrorControl::StepDoubling;
        match stage {
            Stage::Whole if doubling => {
                self.progress.whole.take(span, &self.newton.u, &self.newton.v);
                self.solve(Stage::First);
                self.ask(step)
            }
            Stage::First => {
                self.progress.first.take(span, &self.newton.u, &self.newton.v);
                self.solve(Stage::Second);
                self.ask(step)
            }
            Stage::Second => self.weigh(step),
            Stage::Whole | Stage::Known => {
                if !doubling {
                    self.control.succeed();
                }
                self.accept(step, span)
            }
        }
    }

    /// The whole step against its halves: back to shorter ones, or on to accept the halves one by one.
    ///
    /// C h² and 2 C (h/2)²: the halves are as far from the solution as from the whole.
    fn weigh(&mut self, step: &StepView<'_>) -> Update<'_> {
        let (progress, newton, accuracy) = (&self.progress, &self.newton, self.config.accuracy);
        let mut error = 0.0_f64;
        for j in 0..newton.u.len() {
            error = error.max((newton.v[j] - progress.whole.v[j]).abs());
            error = error.max((progress.first.u[j] + newton.u[j] - progress.whole.u[j]).abs());
        }
        let h = progress.h;
        if error > accuracy {
            let h = self.control.reject(h, error, accuracy);
            return self.shorten(step, h);
        }
        self.control.accept(h, error, accuracy);
        let mut second = self.after.take().unwrap_or_default();
        second.take(0.5 * h, &self.newton.u, &self.newton.v);
        self.after = Some(second);
        let first = std::mem::take(&mut self.progress.first);
        self.accept_later(&first, f64::INFINITY);
        self.progress.first = first;
        self.ask(step)
    }

    /// The place evaluated last is the end of the step.
    fn accept(&mut self, step: &StepView<'_>, h: f64) -> Update<'_> {
        (self.begun, self.pending) = (false, self.after.take());
        self.report.fill(step, h, &self.forces.contact, &self.forces.support);
        let (progress, report) = (&self.progress, &self.report);
        Update {
            verdict: Verdict::Accept,
            h_used: h,
            v: &progress.v_asked,
            q: &progress.q_asked,
            impulse: &report.impulse,
            support_impulse: &report.support_impulse,
            effort: &report.effort,
            normal_rate: &report.normal_rate,
            motion: &report.motion,
            ..Update::default()
        }
    }
}

impl StepReport {
    /// Impulses of the forces of the view, and what holds prescribed velocities.
    fn fill(&mut self, step: &StepView<'_>, h: f64, contact: &[f64], support: &[f64]) {
        self.impulse.clear();
        self.impulse.extend(contact.iter().map(|f| h * f));
        self.support_impulse.clear();
        self.support_impulse.extend(support.iter().map(|f| h * f));
        let prescribed = |i: usize| DofRole::from_code(step.role[i]) == DofRole::Prescribed;
        self.effort.clear();
        self.effort
            .extend(self.residual.iter().enumerate().map(|(i, r)| if prescribed(i) { *r } else { 0.0 }));
        self.motion.clear();
        self.motion.resize(step.n_blocks(), MotionModel::Dynamic as u8);
        self.normal_rate.clear();
        // The law's force belongs to the place as it stands: a contact that touches neither opens nor closes against it.
        let open = |i: usize| step.contacts.gap[i].max(0.0) / h;
        let along = |i: usize| step.contacts.jacobian.row_dot(step.contacts.row(i), step.v);
        self.normal_rate.extend((0..step.contacts.len()).map(|i| open(i) - along(i)));
    }
}

/// Returns true if a step of h must be asked of the host: commands are velocities over the whole step.
fn must_follow(step: &StepView<'_>, h: f64) -> bool {
    h < step.h && step.command.iter().any(|c| *c != 0.0)
}
