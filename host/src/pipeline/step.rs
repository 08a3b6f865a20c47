//! One step: the picture of the README, in code.

use std::time::Instant;

use vinci_core::Csr;
use vinci_core::StageError;
use vinci_core::contact::Contacts;
use vinci_core::error::ErrorKind;
use vinci_core::model::{Applied, Gyroscopic, Method, RowStep, System};
use vinci_core::problem::{Problem, ProblemClass, Status};
use vinci_core::stage::{DetectQuery, StepView, Supports, Verdict};
use vinci_core::state::integrate;

use super::command;
use super::naming::{falling, involved, squeezed};
use super::outcome::{FailedSolve, StepFailure};
use super::solvers::{Chain, Proof};
use super::stored::{Stored, check_convex};
use super::{Events, Settings, Simulation, Stage, Work};
use crate::control::When;

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
        self.prepare(h)?;
        self.detect_here()?;
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

    /// Everything at the time, positions and velocities that the stepper asked for, in the work's `t_at`, `q_at`, `v_at`.
    fn evaluate_elsewhere(&mut self, after: f64, h: f64) -> Result<(), StepFailure> {
        self.elsewhere = true;
        self.work.t_at = self.t + after;
        self.swap_place();
        let evaluated = self.evaluate(h).and_then(|()| self.detect_here());
        self.swap_place();
        evaluated
    }

    /// Whether the work stands at other positions or velocities than the step's start.
    fn is_moved(&self) -> bool {
        self.elsewhere && (self.q != self.work.q_at || self.v != self.work.v_at)
    }

    fn swap_place(&mut self) {
        let w = &mut self.work;
        std::mem::swap(&mut self.t, &mut w.t_at);
        std::mem::swap(&mut self.q, &mut w.q_at);
        std::mem::swap(&mut self.v, &mut w.v_at);
    }

    /// Drives, forces, masses and active distances at the start of the step.
    pub(super) fn prepare(&mut self, h: f64) -> Result<(), StepFailure> {
        self.drives.commands(&self.system, self.t, h, &self.q, &mut self.work.command)?;
        self.evaluate(h)
    }

    /// What [`Simulation::prepare`] does, but for the commands.
    fn evaluate(&mut self, h: f64) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        let moved = self.is_moved();
        let w = &mut self.work;
        w.applied.fill(0.0);
        self.system.place(&self.q, &mut w.frames);
        self.drives.add_forces(&self.system, self.t, &self.q, &self.v, &mut w.applied)?;
        self.ask_controllers(h)?;
        let w = &mut self.work;
        let Settings { gyroscopic, second_order, stepping, margin, .. } = self.settings;
        // A torque that looks ahead over the step belongs to the step's start.
        let gyroscopic = match gyroscopic {
            Gyroscopic::Implicit if moved => Gyroscopic::Explicit,
            asked => asked,
        };
        let method = Method { gyroscopic, h, second_order };
        let applied = Applied { force: &w.applied, ..self.controllers.applied() };
        self.system.evaluate(&self.q, &self.v, &mut w.frames, &applied, method, &mut w.dynamics);
        w.foresight.look(&self.system, &self.v, &w.command, &w.role, &w.dynamics, h);
        // Contacts that count as closed are looked at even where the step is next to nothing.
        let closed = if stepping.events == Events::None { 0.0 } else { 10.0 * stepping.event_tolerance };
        let extra = margin.max(closed);
        self.system.active_margins(&w.foresight.v, &mut w.frames, &w.dynamics, h, extra, &mut w.margin);
        // A piece of a grid step takes back its part of a joint's distance: all of it in a moment would be a blow.
        let rows = RowStep { q: &self.q, speed: &w.foresight.v, h, grid: h.max(self.settings.step) };
        w.joints.fill(&self.system, &w.frames, &rows);
        if second_order {
            self.look_forward(h)?;
        }
        self.timing.lap(Stage::Kinematics, &mut mark);
        Ok(())
    }

    /// Adds what controllers do. Elsewhere within a step they hold what they did at its start, but for implicit gains.
    fn ask_controllers(&mut self, h: f64) -> Result<(), StepFailure> {
        if self.controllers.is_empty() {
            return Ok(());
        }
        if self.elsewhere {
            self.controllers.look_again(self.t, &self.q, &self.v)?;
        } else {
            let reference = if self.settings.second_order { self.t } else { self.t + h };
            let when = When { t: self.t, reference };
            self.controllers.act(&self.system, &mut self.work.frames, when, &self.q, &self.v)?;
        }
        let force = self.controllers.applied().force;
        self.work.applied.iter_mut().zip(force).for_each(|(sum, more)| *sum += more);
        Ok(())
    }

    /// What a stepper of second order gets: rates of forces, joints at the middle and at the end of the step.
    fn look_forward(&mut self, h: f64) -> Result<(), StepFailure> {
        let (w, system) = (&mut self.work, &self.system);
        w.q_query.resize(self.q.len(), 0.0);
        integrate(&system.layout(), &self.q, &self.v, 0.5 * h, &mut w.q_query);
        let rows = RowStep { q: &self.q, speed: &w.foresight.v, h, grid: h };
        system.place(&w.q_query, &mut w.frames_query);
        w.joints_middle.fill(system, &w.frames_query, &rows);
        integrate(&system.layout(), &self.q, &self.v, h, &mut w.q_query);
        system.place(&w.q_query, &mut w.frames_query);
        w.joints_end.fill(system, &w.frames_query, &rows);
        w.later.clear();
        w.later.resize(self.v.len(), 0.0);
        self.drives.add_forces(system, self.t + h, &w.q_query, &self.v, &mut w.later)?;
        self.controllers.add_later(self.t + h, &self.q, &self.v, &mut w.later)?;
        let change = w.later.iter().zip(&w.applied).map(|(later, now)| (later - now) / h);
        w.dynamics.force_rate.iter_mut().zip(change).for_each(|(rate, more)| *rate += more);
        Ok(())
    }

    fn place_here(&mut self) {
        self.system.place(&self.q, &mut self.work.frames);
    }

    /// Detects where the frames stand and computes the kinematics of what is found.
    pub(super) fn detect_here(&mut self) -> Result<(), StepFailure> {
        let mut mark = Instant::now();
        let w = &mut self.work;
        let query = DetectQuery { t: self.t, pose: w.frames.poses(), margin: &w.margin };
        let raw = self.detector.detect(&query).map_err(stage("detector"))?;
        self.timing.lap(Stage::Detect, &mut mark);
        w.contacts.fill(&self.system, &w.frames, &self.v, &raw, &self.memory)?;
        self.guard.apply(&mut w.contacts);
        if !self.system.supports.is_empty() {
            w.supports.fill(&self.system, &w.frames);
            w.supports.last_impulse.clone_from(&self.support_impulse);
        }
        self.timing.lap(Stage::Kinematics, &mut mark);
        Ok(())
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
        let problem = self.stepper.formulate(&view).map_err(stage("stepper"))?;
        // A residual cannot tell a maximum from a minimum, so what enters is looked at once.
        check_convex(&problem)
            .map_err(|why| StageError::new(ErrorKind::Fault, why))
            .map_err(stage("stepper"))?;
        let class = problem.class();
        self.solvers.try_ways(&problem);
        self.restore(&before).map_err(stage("stepper"))?;
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
        let problem = self.stepper.formulate(&view).map_err(stage("stepper"))?;
        self.timing.lap(Stage::Formulate, &mut mark);
        let (residual, slack, failure) = match self.solvers.solve(&problem).map_err(stage("solver"))? {
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
        let update = self.stepper.update(&view, &self.solvers.solution()).map_err(stage("stepper"))?;
        // Who sees a failure may go another way, but take nothing from it.
        if let Some(failure) = failure
            && matches!(update.verdict, Verdict::Accept | Verdict::Impact | Verdict::Fail)
        {
            return Err(failure);
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
        self.timing.lap(Stage::Formulate, &mut mark);
        match next {
            Next::Impact => {
                self.work.report = self.referee.judge_impact(&view, &update).map_err(stage("stepper"))?;
                (self.work.residual, self.work.slack) = (residual, slack);
                copy(&mut self.work.v_next, update.v);
                copy(&mut self.work.impulse, update.impulse);
                copy(&mut self.work.row_impulse, update.row_impulse);
                self.timing.lap(Stage::Referee, &mut mark);
            }
            Next::Accept { has_q, .. } => {
                command::check(&self.system, &view, &update, &self.may_deviate).map_err(stage("stepper"))?;
                let judged = if self.elsewhere { at_end(&view, &self.v) } else { view };
                self.work.report = self.referee.judge(&judged, &update).map_err(stage("stepper"))?;
                self.work.residual = residual;
                self.work.slack = slack;
                self.timing.lap(Stage::Referee, &mut mark);
                copy(&mut self.work.v_next, update.v);
                copy(&mut self.work.impulse, update.impulse);
                copy(&mut self.work.effort, update.effort);
                copy(&mut self.work.support_impulse, update.support_impulse);
                copy(&mut self.work.gradient, update.gradient);
                if has_q {
                    copy(&mut self.work.q_next, update.q);
                }
                self.timing.lap(Stage::Update, &mut mark);
            }
            Next::Redetect => copy(&mut self.work.q_query, update.q),
            Next::Evaluate(_) => {
                copy(&mut self.work.q_at, update.q);
                copy(&mut self.work.v_at, update.v);
            }
            Next::Again | Next::Retry(_) => {}
        }
        Ok(next)
    }

    /// What controllers did in the step, as it came out; they remember what they measure.
    fn end_control(&mut self, h: f64) -> Result<(), StepFailure> {
        if self.controllers.is_empty() {
            return Ok(());
        }
        let (w, end) = (&mut self.work, self.t + h);
        copy(&mut w.controlled, self.controllers.applied().force);
        let part = match (self.elsewhere, self.settings.second_order) {
            (true, _) => 0.0,
            (_, true) => 0.5,
            _ => 1.0,
        };
        if part == 0.5 {
            w.later.clear();
            w.later.resize(self.v.len(), 0.0);
            self.controllers.add_later(end, &self.q, &self.v, &mut w.later)?;
            w.controlled.iter_mut().zip(&w.later).for_each(|(now, later)| *now = 0.5 * (*now + later));
        }
        self.controllers.add_implicit(part, h, &self.v, &w.v_next, &mut w.controlled);
        Ok(self.controllers.measure(&w.contacts.view(), &w.impulse, h, end)?)
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
        copy(&mut self.support_impulse, &w.support_impulse);
        self.timing.lap(Stage::Update, &mut mark);
        Ok(())
    }
}

fn unsolved(
    system: &System,
    problem: &Problem<'_>,
    contacts: &Contacts<'_>,
    attempts: Vec<FailedSolve>,
    proof: Option<Proof>,
) -> StepFailure {
    let Some(stored) = Stored::of(problem) else {
        let class = problem.class().name();
        let said: Vec<_> = attempts.iter().map(ToString::to_string).collect();
        return StepFailure::GaveUp(format!(
            "no solver solved its problem of class {class}: {}",
            said.join("; ")
        ));
    };
    let (mut squeezing, mut unbounded, mut leant_on) = (Vec::new(), Vec::new(), Vec::new());
    let certificate = proof.and_then(|Proof { status, certificate: y, weight }| {
        if status == Status::Unbounded {
            unbounded = falling(system, stored.unknown_tags(), &y);
        } else if problem.class() != ProblemClass::Qpcc {
            // A tree is no list of rows, not even one of a single leaf.
            squeezing = squeezed(system, stored.row_tags(), contacts, &y);
        }
        if squeezing.is_empty() {
            leant_on = involved(system, stored.row_tags(), contacts, &weight);
        }
        (!y.is_empty()).then_some(y)
    });
    let problem = Box::new(stored);
    let (squeezed, falling, involved) = (squeezing, unbounded.into(), leant_on.into());
    StepFailure::Unsolved { problem, attempts, certificate, squeezed, falling, involved }
}

impl Simulation {
    /// Bodies (A, B) of every contact of the last step, accepted or not.
    pub fn contact_bodies(&self) -> Vec<(u32, u32)> {
        let contacts = self.work.contacts.view();
        contacts.body_a.iter().copied().zip(contacts.body_b.iter().copied()).collect()
    }
}

/// A view that was evaluated elsewhere, as the balance of the step: velocities at the start are the step's, and forces are
/// those of the place as they stand there, nothing of them to be extrapolated.
fn at_end<'a>(view: &StepView<'a>, v_start: &'a [f64]) -> StepView<'a> {
    StepView { v: v_start, stiffness: Csr::default(), viscosity: Csr::default(), ..*view }
}

/// Where in the run a view stands.
struct Place<'a> {
    step: u64,
    pass: u32,
    attempt: u32,
    t: f64,
    h: f64,
    q: &'a [f64],
    v: &'a [f64],
}

fn step_view<'a>(w: &'a Work, system: &'a System, tolerance: f64, at: Place<'a>) -> StepView<'a> {
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
    }
}

pub(super) fn copy(to: &mut Vec<f64>, from: &[f64]) {
    to.clear();
    to.extend_from_slice(from);
}

/// A stage's refusal or fault as a failure of the step.
pub(super) fn stage(stage: &'static str) -> impl Fn(StageError) -> StepFailure {
    move |error| StepFailure::Stage { stage, error }
}
