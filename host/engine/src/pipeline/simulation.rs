//! A simulation: a scene, the three stages, and the state they carry forward.

use vinci_core::model::System;
use vinci_core::referee::Declaration;
use vinci_core::stage::{Detector, Stepper};

use super::contexts::Contexts;
use super::headway::Headway;
use super::judge::Judge;
use super::passing::Passing;
use super::pending_steps::PendingSteps;
use super::problem_log::ProblemLog;
use super::settings::Settings;
use super::solver_route::SolverRoute;
use super::state::State;
use super::step_control::StepCounts;
use super::step_record::StepRecord;
use super::tape::{Beside, Tape};
use super::timing::Timing;
use super::trial::TrialScratch;
use crate::control::Controllers;
use crate::drives::Drives;

/// A running simulation. Its stages are plain traits: a foreign library and a test double look the same here.
pub struct Simulation {
    /// The system.
    pub system: System,
    /// Its drives.
    pub drives: Drives,
    /// Its controllers.
    pub controllers: Controllers,
    /// Settings.
    pub settings: Settings,
    /// The detector.
    pub detector: Box<dyn Detector>,
    /// The stepper.
    pub stepper: Box<dyn Stepper>,
    /// The solver, its fallbacks, and the bridges to them.
    pub solvers: SolverRoute,
    /// Seconds spent per stage.
    pub timing: Timing,
    /// Counts of steps and trial steps.
    pub counts: StepCounts,
    /// Problems that are kept, where any are.
    pub problem_log: Option<ProblemLog>,
    pub(super) state: State,
    pub(super) judge: Judge,
    pub(super) contexts: Contexts,
    pub(super) record: StepRecord,
    pub(super) pending: PendingSteps,
    pub(super) trial: TrialScratch,
    pub(super) tape: Option<Box<Tape>>,
    pub(super) beside: Beside,
    /// Scratch: velocities of all bodies, for controllers.
    pub(super) twist: Vec<f64>,
    /// How far it has come since the last grid time.
    pub(super) headway: Headway,
}

impl Simulation {
    /// A simulation at the initial state of the scene.
    pub fn new(
        system: System,
        drives: Drives,
        settings: Settings,
        detector: Box<dyn Detector>,
        stepper: Box<dyn Stepper>,
        solvers: SolverRoute,
    ) -> Self {
        let (q, v) = (system.initial_q(), system.initial_velocity.clone());
        Self {
            state: State::new(q, v, system.supports.len()),
            judge: Judge::new(&system, &drives, &settings),
            contexts: Contexts::new(&system, &settings),
            record: StepRecord::default(),
            pending: PendingSteps::default(),
            trial: TrialScratch::default(),
            tape: None,
            beside: Beside::default(),
            twist: Vec::new(),
            headway: Headway::default(),
            system,
            drives,
            controllers: Controllers::default(),
            settings,
            detector,
            stepper,
            solvers,
            timing: Timing::default(),
            counts: StepCounts::default(),
            problem_log: None,
        }
    }

    /// Adds controllers.
    pub fn controlled_by(self, controllers: Controllers) -> Self {
        Self { controllers, ..self }
    }

    /// Adds what the stepper declares of its law: the referee holds it to that.
    pub fn judged_by(mut self, declared: Declaration) -> Self {
        self.judge.referee.declared = declared;
        self
    }

    /// Law that the referee holds the stepper to.
    pub fn declared(&self) -> &Declaration {
        &self.judge.referee.declared
    }

    /// Driven velocities that the stepper may let deviate from their commands, ascending.
    pub fn may_deviate(&self) -> &[u32] {
        &self.judge.may_deviate
    }

    /// Number of accepted steps.
    pub fn step_count(&self) -> u64 {
        self.state.step
    }

    /// Number of grid times k h reached.
    pub fn grid_count(&self) -> u64 {
        self.state.grid
    }

    /// The next grid time, (k + 1) h as a product: no sum of steps drifts into it.
    pub fn next_grid_time(&self) -> f64 {
        self.state.next_grid_time(self.settings.step)
    }

    /// Where the next interval of a run of `duration` seconds ends: the next grid time or the run's end, None at the end. A
    /// remainder below a billionth of a step is rounding of duration/h, not a step.
    pub fn next_end(&self, duration: f64) -> Option<f64> {
        let rounding = 1e-9 * self.settings.step;
        let end = self.next_grid_time();
        let end = if end - duration <= rounding { end } else { duration };
        (duration - self.state.t > rounding).then_some(end)
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// Positions, nq.
    pub fn q(&self) -> &[f64] {
        &self.state.q
    }

    /// Velocities, nv.
    pub fn v(&self) -> &[f64] {
        &self.state.v
    }

    /// Kinetic plus potential energy, J.
    pub fn energy(&self) -> f64 {
        self.system.energy(&self.state.q, &self.state.v)
    }

    /// Where the last step began, and what the referee saw there: what saved states leave out.
    pub fn looking_back(&self) -> (&Passing, Vec<f64>) {
        (&self.state.passing, self.judge.referee.memory.places())
    }

    /// Goes on with the counts and times of another simulation.
    pub fn count_on(&mut self, from: &mut Self) {
        self.counts = std::mem::take(&mut from.counts);
        self.timing = std::mem::take(&mut from.timing);
        self.solvers.count_on(&mut from.solvers);
    }

    /// Bodies (A, B) of every contact of the last step, accepted or not.
    pub fn contact_bodies(&self) -> Vec<(u32, u32)> {
        let contacts = self.contexts.current().contacts.view();
        contacts.body_a.iter().copied().zip(contacts.body_b.iter().copied()).collect()
    }
}
