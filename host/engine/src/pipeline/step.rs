//! One step: detect → contact kinematics → formulate → solve → update → judge → the next state.
//!
//! ```text
//!           detect, kinematics   formulate     solve       update      judge        accept
//!  State ──▶ StepContext ──▶ Problem ──▶ Solution ──▶ Update ──▶ StepRecord ──▶ State'
//! ```
//!
//! A stepper may ask for another round: another problem (Again), contacts at another configuration (Redetect), everything at
//! another place in time (Evaluate, which is another context), an impact taken first, or a shorter step (Retry).

use std::time::Instant;

use vinci_core::error::one_line;
use vinci_core::lists::copy;
use vinci_core::model::System;
use vinci_core::stage::{StepView, Stepper, Update, Verdict};

use super::context::{Round, StepContext, World};
use super::contexts::{Contexts, Site};
use super::failure::{StepFailure, Who, stage};
use super::failure_report::failure_report;
use super::headway::most_evaluations;
use super::problem_log::ProblemLog;
use super::refinement::{CoarseSolution, Refinement};
use super::settings::Settings;
use super::simulation::Simulation;
use super::solver_route::{Solve, SolverRoute};
use super::tape::Tape;
use super::timing::{Stage, Timing};

/// Rounds (Again, Redetect, Impact) and attempts (Retry) a stepper may ask for in one step.
const MAX_ROUNDS: u32 = 1000;

/// Times a step is made again because a body moved beyond the distance within which contacts were looked for. Every
/// time the distance at least doubles; a body that still goes farther passes nothing that it could have met.
const MAX_WIDENINGS: u32 = 20;

/// How an attempt at a step ends.
enum Attempt {
    /// The state is the next one.
    Made,
    /// The stepper wants to try a step of this size instead, s.
    Retry(f64),
    /// The referee finds its solution too coarse.
    Coarse,
}

/// Request of a round for what the host does next.
enum Next {
    Accept,
    Impact,
    Again,
    Redetect,
    Evaluate,
    Retry(f64),
}

/// A stepper's answer, with the residual and slack of the solution it read.
struct StepperAnswer<'s> {
    update: Update<'s>,
    residual: f64,
    slack: f64,
}

impl Simulation {
    /// Makes one step of at most h, s; a stepper may take less.
    ///
    /// # Errors
    /// Why there is no step; the simulation then stands where it stood before it.
    pub fn advance(&mut self, mut h: f64) -> Result<(), StepFailure> {
        self.sample()?;
        self.headway.begin(self.state.grid)?;
        let (mut refinement, mut evaluations) = (Refinement::default(), 0);
        self.remember_stepper();
        self.trial.coarse.clear();
        self.begin_tape();
        for attempt in 0..=MAX_ROUNDS {
            match self.attempt(h, attempt, refinement, &mut evaluations) {
                Ok(Attempt::Made) => return Ok(()),
                Ok(Attempt::Retry(smaller)) => h = smaller,
                Ok(Attempt::Coarse) => {
                    self.counts.refined += u64::from(refinement == Refinement::default());
                    refinement.refine();
                    self.take_stepper_back()?;
                }
                Err(failure) if failure.is_numerical() && refinement.give_up() => self.take_stepper_back()?,
                Err(failure) => return Err(failure),
            }
        }
        Err(StepFailure::TooManyRounds(MAX_ROUNDS))
    }

    /// Saves the stepper's memory, where the referee may send a step back.
    fn remember_stepper(&mut self) {
        self.trial.stepper.clear();
        if self.settings.refine_above.is_finite() || self.tape.is_some() {
            self.stepper.save_state(&mut self.trial.stepper);
        }
    }

    fn begin_tape(&mut self) {
        if let Some(tape) = &mut self.tape {
            let stepper = (&self.trial.stepper[..], self.settings.state_numbers);
            tape.begin(&self.state, stepper, self.controllers.state());
        }
    }

    fn end_tape(&mut self) {
        let Some(tape) = &mut self.tape else { return };
        let stepper = &mut self.trial.stepper;
        stepper.clear();
        self.stepper.save_state(stepper);
        tape.end(&self.state, (&stepper[..], self.settings.state_numbers));
    }

    /// Restores the stepper's memory from before the step, which is made again.
    fn take_stepper_back(&mut self) -> Result<(), StepFailure> {
        self.stepper.load_state(&self.trial.stepper).map_err(stage(Who::Stepper))
    }

    /// One attempt at a step of size h: rounds, until the stepper's answer is accepted. `evaluations`: elsewhere, in all attempts.
    fn attempt(
        &mut self,
        h: f64,
        attempt: u32,
        refinement: Refinement,
        evaluations: &mut u32,
    ) -> Result<Attempt, StepFailure> {
        self.begin(h)?;
        let mut round = Round { step: self.state.step, attempt, pass: 0, refinement };
        let (before, most) = (*evaluations, most_evaluations(self.state.v.len()));
        let mut widenings = 0;
        while round.pass - (*evaluations - before) < MAX_ROUNDS {
            let next = self.round(round, h)?;
            round.pass += 1;
            match next {
                Next::Accept => {
                    if widenings < MAX_WIDENINGS && self.widen()? {
                        widenings += 1;
                    } else if self.is_solved_for()
                        && refinement.wants_more(&self.settings, self.record.findings())
                    {
                        self.trial.coarse.keep(&self.solvers.solution(), round.pass);
                        return Ok(Attempt::Coarse);
                    } else {
                        return self.accept().map(|()| Attempt::Made);
                    }
                }
                Next::Impact => self.take_impact(h)?,
                Next::Again => {}
                Next::Redetect => self.find_contacts()?,
                Next::Evaluate if *evaluations == most => return Err(StepFailure::TooManyEvaluations(most)),
                Next::Evaluate => {
                    *evaluations += 1;
                    self.evaluate_elsewhere(h)?;
                }
                Next::Retry(smaller) => return Ok(Attempt::Retry(smaller)),
            }
        }
        Err(StepFailure::TooManyRounds(MAX_ROUNDS))
    }

    /// Returns true if the step has unknowns: a stepper that leaves none to the solver does not solve more exactly with a smaller tolerance.
    fn is_solved_for(&self) -> bool {
        !self.solvers.solution().z.is_empty()
    }

    /// State → StepContext: the start of a step of h, with its forces, masses and contacts.
    fn begin(&mut self, h: f64) -> Result<(), StepFailure> {
        self.record.begin();
        self.stand_at_start();
        let (world, start, _) = self.world();
        start.set_driven_velocities(&world, h)?;
        self.prepare(h)?;
        if let Some(tape) = &mut self.tape {
            tape.attempt(h);
        }
        self.find_contacts()?;
        let mut mark = Instant::now();
        let start = &mut self.contexts.start;
        self.judge.look_back(&self.system, start, &self.state);
        self.timing.lap(Stage::Referee, &mut mark);
        start.guard.watch(&start.contacts, &start.v, self.settings.control.event_tolerance);
        Ok(())
    }

    /// detect → contact kinematics, in the context in use.
    fn find_contacts(&mut self) -> Result<(), StepFailure> {
        let Self { system, detector, judge, state, contexts, timing, tape, .. } = self;
        let mut mark = Instant::now();
        let (site, context) = (contexts.site, contexts.current_mut());
        let raw = detector.detect(&context.query()).map_err(stage(Who::Detector))?;
        if let Some(tape) = tape {
            tape.look_at(&context.q, &context.margin).found(context.nodes(system, &raw)?);
        }
        timing.lap(Stage::Detect, &mut mark);
        judge.judge_detector((&context.query(), site), &raw, state.step);
        timing.lap(Stage::Referee, &mut mark);
        context.fill_contacts(system, &raw, state)?;
        timing.lap(Stage::Kinematics, &mut mark);
        Ok(())
    }

    /// formulate → solve → update → judge, once, in the context in use.
    fn round(&mut self, round: Round, h: f64) -> Result<Next, StepFailure> {
        let Self { system, settings, contexts, judge, record, counts, timing, tape, problem_log, .. } = self;
        let view = contexts.view((system, settings), round, h);
        let (stepper, solvers) = (&mut self.stepper, (&mut self.solvers, &self.trial.coarse));
        let observers = (&mut *timing, problem_log);
        let StepperAnswer { update, residual, slack } =
            ask(stepper.as_mut(), solvers, (system, settings, round), (&view, tape), observers)?;
        if let Some(tape) = tape {
            tape.answered(&update);
        }
        let mut mark = Instant::now();
        counts.shortened += u64::from(update.shortens());
        let next = match update.verdict {
            Verdict::Accept => {
                let judged = judge.judge_step(system, contexts, &view, &update);
                record.keep(&update, judged.map_err(stage(Who::Stepper))?, (residual, slack));
                Next::Accept
            }
            Verdict::Impact => {
                let judged = judge.judge_impact(contexts, &view, &update);
                record.keep_impact(&update, judged.map_err(stage(Who::Stepper))?, (residual, slack));
                Next::Impact
            }
            Verdict::Redetect => {
                contexts.current_mut().redetect_at(system, update.q);
                Next::Redetect
            }
            Verdict::Evaluate => {
                let t = contexts.start.t + update.h_used;
                contexts.elsewhere.stand_elsewhere(t, update.q, update.v);
                Next::Evaluate
            }
            Verdict::Again => Next::Again,
            Verdict::Retry => Next::Retry(update.h_next),
            Verdict::Fail => return Err(StepFailure::GaveUp(one_line(update.reason))),
        };
        timing.lap(Stage::Referee, &mut mark);
        Ok(next)
    }

    /// StepRecord → State: the simulation stands at the end of the step.
    fn accept(&mut self) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        self.record.complete(&self.system, &self.contexts.start)?;
        let Self { state, record, contexts, judge, controllers, settings, headway, .. } = self;
        record.end_control(controllers, contexts, settings)?;
        let context = contexts.current();
        copy(&mut record.effort, judge.referee.effort());
        copy(&mut state.q, &record.q);
        copy(&mut state.v, &record.v);
        state.memory.remember(&context.contacts.view(), &record.impulse);
        copy(&mut state.support_impulse, &record.support_impulse);
        state.guard.assign(&contexts.start.guard);
        judge.commit(context, state);
        state.step += 1;
        state.pass_time(record.h, settings.step);
        headway.came(record.h, settings.step);
        self.counts.made += 1;
        self.end_tape();
        self.timing.lap(Stage::Update, &mut mark);
        Ok(())
    }

    /// Looks for contacts within wider distances where a body went farther than they were looked for; whether it did.
    fn widen(&mut self) -> Result<bool, StepFailure> {
        let is_moved = self.contexts.is_moved();
        let context = self.contexts.current_mut();
        let widened = !is_moved && context.widen(&self.system, &self.record.v, self.record.h);
        if widened {
            self.tape.iter_mut().for_each(|tape| tape.again());
            self.find_contacts()?;
        }
        Ok(widened)
    }
}

/// Ways to a context that rounds of a step and looks outside of steps share.
impl Simulation {
    /// Contacts, forces and masses where the simulation stands, outside of steps; `h` is the size of a step from there.
    pub(super) fn look_around(&mut self, h: f64) -> Result<(), StepFailure> {
        self.stand_at_start();
        self.prepare(h)?;
        self.find_contacts()
    }

    /// Takes an impact, and looks at the start again with the velocities after it.
    fn take_impact(&mut self, h: f64) -> Result<(), StepFailure> {
        self.note_impact();
        self.contexts.site = Site::Start;
        self.prepare(h)?;
        self.find_contacts()
    }

    /// Another context: everything at the time, positions and velocities that the stepper asked for.
    fn evaluate_elsewhere(&mut self, h: f64) -> Result<(), StepFailure> {
        self.counts.evaluations += 1;
        self.prepare_elsewhere(h)?;
        self.find_contacts()
    }

    pub(super) fn stand_at_start(&mut self) {
        self.contexts.site = Site::Start;
        self.contexts.start.stand_at(&self.state);
        self.judge.begin();
    }

    pub(super) fn prepare(&mut self, h: f64) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        let (mut world, start, _) = self.world();
        start.prepare(&mut world, h)?;
        self.timing.lap(Stage::Kinematics, &mut mark);
        Ok(())
    }

    pub(super) fn prepare_elsewhere(&mut self, h: f64) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        self.contexts.site = Site::Elsewhere;
        let (mut world, start, elsewhere) = self.world();
        elsewhere.prepare_elsewhere(&mut world, start, h)?;
        self.timing.lap(Stage::Kinematics, &mut mark);
        Ok(())
    }

    /// Splits the simulation into what acts on the scene and the contexts at the start and elsewhere.
    pub(super) fn world(&mut self) -> (World<'_>, &mut StepContext, &mut StepContext) {
        let Self { system, drives, controllers, settings, contexts, .. } = self;
        let Contexts { codes, start, elsewhere, .. } = contexts;
        (World { system, drives, controllers, settings, codes }, start, elsewhere)
    }
}

/// Problem → Solution → Update: asks the stepper, the solvers, and the stepper again. A failure of the solvers is shown to
/// steppers that want to see it; they may then ask for something else, but have no solution to accept.
fn ask<'s>(
    stepper: &'s mut dyn Stepper,
    (solvers, coarse): (&mut SolverRoute, &CoarseSolution),
    (system, settings, round): (&System, &Settings, Round),
    (view, tape): (&StepView<'_>, &mut Option<Box<Tape>>),
    (timing, problem_log): (&mut Timing, &mut Option<ProblemLog>),
) -> Result<StepperAnswer<'s>, StepFailure> {
    let mut mark = Instant::now();
    let problem = stepper.formulate(view).map_err(stage(Who::Stepper))?;
    let problem = coarse.guess(problem, (round.refinement, round.pass), settings.tolerance);
    timing.lap(Stage::Formulate, &mut mark);
    solvers.race_log.begin_step(round.step);
    let solved = solvers.solve(&problem).map_err(stage(Who::Solver))?;
    if let Some(log) = problem_log {
        log.add(round.step, (&problem, &view.contacts), solved.residual(), mark.elapsed());
    }
    let (residual, slack, failure) = match solved {
        Solve::Solved { residual, slack } => (residual, slack, None),
        Solve::Unsolved(attempts, proof) => {
            let failure = failure_report(system, &problem, &view.contacts, attempts, proof);
            if !settings.sees_failures {
                return Err(failure);
            }
            (f64::NAN, f64::NAN, Some(failure))
        }
    };
    timing.lap(Stage::Solve, &mut mark);
    if let (Some(tape), None) = (tape, &failure) {
        tape.solved(&problem, &solvers.solution(), round);
    }
    let update = stepper.update(view, &solvers.solution()).map_err(stage(Who::Stepper))?;
    timing.lap(Stage::Formulate, &mut mark);
    match failure {
        Some(failure) if matches!(update.verdict, Verdict::Accept | Verdict::Impact | Verdict::Fail) => {
            Err(failure.advised(&one_line(update.reason)))
        }
        _ => Ok(StepperAnswer { update, residual, slack }),
    }
}
