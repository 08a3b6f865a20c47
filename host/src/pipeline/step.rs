//! One step: the picture of the book (theory, One step), in code.

use std::time::Instant;

use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::problem::ProblemClass;
use vinci_core::referee::Began;
use vinci_core::stage::{Update, Verdict};
use vinci_core::state::integrate;

use super::command;
use super::outcome::{StepFailure, Who};
use super::solvers::Chain;
use super::stored::check_convex;
use super::unsolved::unsolved;
use super::view::{Place, at_end, step_view};
use super::work::StepWork;
use super::{Simulation, Stage, Work};

/// Rounds (Again, Redetect, Impact) and attempts (Retry) a stepper may ask for in one step.
const MAX_ROUNDS: u32 = 1000;

/// Evaluations elsewhere a stepper may ask for in one attempt at a step: an implicit integrator that takes derivatives by
/// differences needs some for every velocity, iteration and shorter step it tries.
const MAX_EVALUATIONS: u32 = 1_000_000;

/// Times a step is made again because a body moved beyond the distance within which contacts were looked for. Every
/// time the distance at least doubles; a body that still goes farther passes nothing that it could have met.
const MAX_WIDENINGS: u32 = 20;

/// Part of a grid step within which a time is a grid time: rounding of sums, and no step of such a length makes sense.
pub(super) const ON_GRID: f64 = 1e-9;

/// What the loop of a step does next, with the borrowed update already read.
enum Next {
    Accept { h: f64, has_q: bool },
    Impact,
    Again,
    Redetect,
    Evaluate(f64),
    Retry(f64),
}

impl Simulation {
    /// Makes one step of at most h, s; a stepper may take less.
    ///
    /// On failure the simulation stands where it stood before the step.
    pub fn advance(&mut self, mut h: f64) -> Result<(), StepFailure> {
        let mut attempt = 0;
        self.work.v_before.clone_from(&self.v);
        self.work.guard_before.clone_from(&self.guard);
        let h_used = loop {
            self.work.impacts.clear();
            self.work.events.clear();
            let made = self.attempt(h, attempt);
            if let Ok(Ok(used)) = made {
                break used;
            }
            // Impacts of the attempt are taken back with it.
            self.v.clone_from(&self.work.v_before);
            self.guard.clone_from(&self.work.guard_before);
            match made? {
                Ok(_) => {}
                Err(smaller) => h = smaller,
            }
            attempt += 1;
            if attempt > MAX_ROUNDS {
                return Err(StepFailure::TooManyRounds(MAX_ROUNDS));
            }
        };
        self.step += 1;
        self.counts.made += 1;
        self.pass_time(h_used);
        (self.work.h_used, self.h_last) = (h_used, h_used);
        Ok(())
    }

    /// Time after a step. Grid times are products k h, never sums, and a step that ends within a billionth of the grid
    /// step of one ends there.
    fn pass_time(&mut self, h_used: f64) {
        let (h, t) = (self.settings.step, self.t + h_used);
        let next = self.next_grid_time();
        if (t - next).abs() <= ON_GRID * h {
            (self.t, self.grid) = (next, self.grid + 1);
            self.guard.begin_grid_step();
        } else {
            self.t = t;
            self.grid = self.grid.max((t / h).floor() as u64);
        }
    }

    /// One attempt at a step of size h: `Ok(Ok(h used))`, or `Ok(Err(h))` where the stepper wants to try h instead.
    fn attempt(&mut self, h: f64, attempt: u32) -> Result<Result<f64, f64>, StepFailure> {
        self.elsewhere = false;
        self.work.redetected = false;
        self.set_driven_velocities(h)?;
        self.prepare(h)?;
        self.detect_here()?;
        self.look_back();
        self.guard.watch(&self.work.contacts, &self.v, self.settings.stepping.event_tolerance);
        let (mut widenings, mut evaluations, mut pass) = (0, 0, 0);
        while pass - evaluations < MAX_ROUNDS {
            let next = self.round(h, attempt, pass)?;
            pass += 1;
            match next {
                Next::Accept { h, has_q } => {
                    let widens = !self.is_moved() && widenings < MAX_WIDENINGS;
                    let w = &mut self.work;
                    if widens && self.system.widen_margins(&w.v_next, &mut w.frames, h, &mut w.margin) {
                        widenings += 1;
                        self.place_here();
                        self.detect_here()?;
                        continue;
                    }
                    self.take(h, has_q)?;
                    return Ok(Ok(h));
                }
                Next::Impact => {
                    self.take_impact();
                    self.prepare(h)?;
                    self.detect_here()?;
                }
                Next::Again => {}
                Next::Redetect => {
                    self.system.place(&self.work.q_query, &mut self.work.frames);
                    self.detect_here()?;
                    self.work.redetected = true;
                }
                Next::Evaluate(_) if evaluations == MAX_EVALUATIONS => {
                    return Err(StepFailure::TooManyEvaluations(MAX_EVALUATIONS));
                }
                Next::Evaluate(after) => {
                    evaluations += 1;
                    self.counts.evaluations += 1;
                    self.evaluate_elsewhere(after, h)?;
                }
                Next::Retry(smaller) => return Ok(Err(smaller)),
            }
        }
        Err(StepFailure::TooManyRounds(MAX_ROUNDS))
    }

    /// Formulates the first step and takes nothing from it: what a stepper refuses, it refuses before anything is written.
    /// The class of its problem is returned; which solvers it does not reach, [`super::SolverChain::refusals`] tells.
    pub fn rehearse(&mut self) -> Result<ProblemClass, StepFailure> {
        let before = self.snapshot();
        self.prepare(self.settings.step)?;
        self.detect_here()?;
        let at =
            Place { step: 0, pass: 0, attempt: 0, t: self.t, h: self.settings.step, q: &self.q, v: &self.v };
        let view = step_view(&self.work, &self.system, self.settings.tolerance, at);
        let problem = self.stepper.formulate(&view).map_err(stage(Who::Stepper))?;
        // A residual cannot tell a maximum from a minimum, so what enters is looked at once.
        check_convex(&problem)
            .map_err(|why| StageError::new(ErrorKind::Fault, why))
            .map_err(stage(Who::Stepper))?;
        let class = problem.class();
        self.solvers.try_ways(&problem);
        self.restore(&before).map_err(stage(Who::Any))?;
        Ok(class)
    }

    /// formulate → solve → update, once.
    fn round(&mut self, h: f64, attempt: u32, pass: u32) -> Result<Next, StepFailure> {
        let mut mark = Instant::now();
        let (t, q, v) = if self.elsewhere {
            (self.work.t_at, &self.work.q_at, &self.work.v_at)
        } else {
            (self.t, &self.q, &self.v)
        };
        let at = Place { step: self.step, pass, attempt, t, h, q, v };
        let view = step_view(&self.work, &self.system, self.settings.tolerance, at);
        let problem = self.stepper.formulate(&view).map_err(stage(Who::Stepper))?;
        self.timing.lap(Stage::Formulate, &mut mark);
        let (residual, slack, failure) = match self.solvers.solve(&problem).map_err(stage(Who::Solver))? {
            Chain::Solved { residual, slack } => (residual, slack, None),
            Chain::Unsolved(attempts, proof) => {
                let failure = unsolved(&self.system, &problem, &view.contacts, attempts, proof);
                if !self.settings.sees_failures {
                    return Err(failure);
                }
                (f64::NAN, f64::NAN, Some(failure))
            }
        };
        self.timing.lap(Stage::Solve, &mut mark);
        let update = self.stepper.update(&view, &self.solvers.solution()).map_err(stage(Who::Stepper))?;
        // Who sees a failure may go another way, but take nothing from it.
        if let Some(failure) = failure
            && matches!(update.verdict, Verdict::Accept | Verdict::Impact | Verdict::Fail)
        {
            return Err(failure.advised(update.reason));
        }
        let next = match update.verdict {
            Verdict::Accept => Next::Accept { h: update.h_used, has_q: !update.q.is_empty() },
            Verdict::Impact => Next::Impact,
            Verdict::Again => Next::Again,
            Verdict::Redetect => Next::Redetect,
            Verdict::Evaluate => Next::Evaluate(update.h_used),
            Verdict::Retry => Next::Retry(update.h_next),
            Verdict::Fail => return Err(StepFailure::GaveUp(update.reason.to_string())),
        };
        self.counts.shortened += u64::from(update.shortens());
        self.timing.lap(Stage::Formulate, &mut mark);
        if let Next::Impact | Next::Accept { .. } = next {
            self.work.report = if let Next::Impact = next {
                self.referee.judge_impact(&view, &update).map_err(stage(Who::Stepper))?
            } else {
                command::check(&self.system, &view, &update, &self.may_deviate)
                    .map_err(stage(Who::Stepper))?;
                let judged = if self.elsewhere { at_end(&view, &self.v) } else { view };
                let began = Began {
                    q: &self.q,
                    evaluated: self.work.evaluated(self.elsewhere),
                    moving: self.elsewhere.then_some((&self.work.v_at, self.work.t_at - self.t)),
                };
                let mut report = self.referee.judge(&judged, &update, &began).map_err(stage(Who::Stepper))?;
                let place = (self.work.frames.poses(), self.work.margin.as_slice());
                self.referee.judge_detection(&judged.contacts, place, &mut report);
                report.findings.join(&self.work.detected);
                let forces = (self.work.applied.as_slice(), self.referee.effort());
                self.work.work = StepWork::of(&judged, &update, forces, &report);
                report
            };
            (self.work.residual, self.work.slack) = (residual, slack);
            self.timing.lap(Stage::Referee, &mut mark);
        }
        self.work.keep(&next, &update, self.referee.effort());
        self.timing.lap(Stage::Update, &mut mark);
        Ok(next)
    }

    /// Moves to the new state.
    fn take(&mut self, h: f64, has_q: bool) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        let w = &mut self.work;
        if !has_q {
            w.q_next.resize(self.q.len(), 0.0);
            integrate(&self.system.layout(), &self.q, &w.v_next, h, &mut w.q_next);
        }
        for (what, list) in [("velocity", &w.v_next), ("coordinate", &w.q_next)] {
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(StepFailure::NotFinite { what, index, value: list[index] });
            }
        }
        self.end_control(h)?;
        let w = &mut self.work;
        std::mem::swap(&mut self.q, &mut w.q_next);
        std::mem::swap(&mut self.v, &mut w.v_next);
        self.memory.remember(&w.contacts.view(), &w.impulse);
        self.referee.commit(&w.contacts.view(), w.frames.poses());
        std::mem::swap(&mut self.passing, &mut w.start);
        copy(&mut self.support_impulse, &w.support_impulse);
        self.timing.lap(Stage::Update, &mut mark);
        Ok(())
    }
}

impl Work {
    /// Where contacts and forces are taken, if not at the start of the step.
    fn evaluated(&self, elsewhere: bool) -> Option<&[f64]> {
        match (elsewhere, self.redetected) {
            (_, true) => Some(&self.q_query),
            (true, false) => Some(&self.q_at),
            _ => None,
        }
    }

    /// Copies what follows from an update, and the drives' impulses as the referee found them: the stepper's memory is lent only until it is called again.
    fn keep(&mut self, next: &Next, update: &Update<'_>, effort: &[f64]) {
        match next {
            Next::Impact => {
                copy(&mut self.v_next, update.v);
                copy(&mut self.impulse, update.impulse);
                copy(&mut self.row_impulse, update.row_impulse);
            }
            Next::Accept { has_q, .. } => {
                copy(&mut self.v_next, update.v);
                copy(&mut self.impulse, update.impulse);
                copy(&mut self.effort, effort);
                copy(&mut self.support_impulse, update.support_impulse);
                copy(&mut self.gradient, update.gradient);
                if *has_q {
                    copy(&mut self.q_next, update.q);
                }
            }
            Next::Redetect => copy(&mut self.q_query, update.q),
            Next::Evaluate(_) => {
                copy(&mut self.q_at, update.q);
                copy(&mut self.v_at, update.v);
            }
            Next::Again | Next::Retry(_) => {}
        }
    }
}

impl Simulation {
    /// Bodies (A, B) of every contact of the last step, accepted or not.
    pub fn contact_bodies(&self) -> Vec<(u32, u32)> {
        let contacts = self.work.contacts.view();
        contacts.body_a.iter().copied().zip(contacts.body_b.iter().copied()).collect()
    }
}

pub(super) fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}

/// A stage's refusal or fault as a failure of the step.
pub(super) fn stage(stage: Who) -> impl Fn(StageError) -> StepFailure {
    move |error| StepFailure::Stage { stage, error }
}
