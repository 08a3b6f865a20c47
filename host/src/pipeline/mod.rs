//! One simulation: the pipeline detect → formulate → solve → update, with the host in charge.
//!
//! Stages are plain traits here; whether a foreign library or a test double stands behind them makes no difference.

mod answer;
mod audit;
mod back;
mod command;
mod crossing;
mod evaluate;
mod gaps;
mod guard;
mod held;
mod impact;
mod lean;
mod look_ahead;
mod naming;
mod outcome;
mod passing;
mod pieces;
mod provoke;
mod solvers;
mod step;
mod stepping;
mod stored;
mod timing;
mod unsolved;
mod view;
mod way;
mod work;

pub use answer::Answer;
pub use audit::{Denied, audit};
pub use command::deviation;
pub use crossing::{Bridges, NoAnswer};
pub use guard::{GuardParts, ImpactGuard};

pub use outcome::{
    Accepted, Event, EventKind, FailedSolve, Falling, Impact, Involved, Squeezed, StepFailure, Who,
};
pub use passing::{PassedThrough, Passing};
pub use solvers::{NamedSolver, SolverChain, SolverStats};
pub use stepping::{Control, EVENT_TOLERANCE, Events, MAX_IMPACTS, MIN_STEP, StepCounts, Stepping};
pub use stored::{Stored, check_convex};
pub use timing::{Stage, Timing};
pub use way::{Bridge, Form, Kind, SECOND_ORDER_CONES, Way};
pub use work::StepWork;

use vinci_core::StageError;
use vinci_core::contact::{ContactBuf, ContactMemory, FirstTangent};
use vinci_core::geometry::DetectorCheck;
use vinci_core::model::{Dynamics, Foresight, Frames, Gyroscopic, JointRows, SupportBuf, System};
use vinci_core::referee::{Declaration, Findings, Memory, Referee, Report};
use vinci_core::stage::{Detector, Stepper};

use crate::control::Controllers;
use crate::drives::Drives;
use held::Held;
use pieces::TrialWork;

/// What a run fixes besides the scene and the plugins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Step size, s.
    pub step: f64,
    /// Relative natural-map residual a solution must have to be accepted.
    pub tolerance: f64,
    /// Treatment of gyroscopic torques.
    pub gyroscopic: Gyroscopic,
    /// Active distance beyond the predicted motion, m.
    pub margin: f64,
    /// Where friction bases of new spatial contacts begin.
    pub first_tangent: FirstTangent,
    /// Whether the stepper is of second order and wants rates of forces.
    pub second_order: bool,
    /// Whether the stepper wants velocities of driven dofs as they are at both ends of a step, not their mean.
    pub drive_speeds: bool,
    /// Whether the stepper may let driven dofs deviate from their commands.
    pub deviates: bool,
    /// Whether the stepper is shown solutions that were not accepted.
    pub sees_failures: bool,
    /// Whether the stepper is shown all alternatives of OR groups, or the most open one only. The latter too where times of
    /// contact are located: they are times of single gaps.
    pub or_groups: bool,
    /// How the way from one grid time to the next is divided.
    pub stepping: Stepping,
}

/// Everything a step changes. Plugins' lasting state is bytes beside it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// Number of accepted steps.
    pub step: u64,
    /// Number of grid times k h reached.
    pub grid: u64,
    /// Time, s.
    pub t: f64,
    /// Size of the last step, s.
    pub h_last: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// What is remembered of contacts.
    pub memory: ContactMemory,
    /// Last impulses of the support points, 2 per point.
    pub support_impulse: Vec<f64>,
    /// Impacts of the grid step so far, contacts without restitution.
    pub guard: ImpactGuard,
    /// The step size controller.
    pub control: Control,
    /// What controllers remember.
    pub controllers: Vec<f64>,
    /// What the referee remembers.
    pub referee: Memory,
    /// Where the last step began.
    pub passing: Passing,
    /// State of the detector, the stepper and each solver of the chain.
    pub plugins: Vec<Vec<u8>>,
}

/// A running simulation.
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
    /// The solver and its fallbacks.
    pub solvers: SolverChain,
    /// Seconds spent per stage.
    pub timing: Timing,
    /// What became of trial steps.
    pub counts: StepCounts,
    may_deviate: Vec<u32>,
    /// Whether the work stands at `t_at`, `q_at`, `v_at` and not at the step's start.
    elsewhere: bool,
    step: u64,
    grid: u64,
    t: f64,
    h_last: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    memory: ContactMemory,
    support_impulse: Vec<f64>,
    guard: ImpactGuard,
    control: Control,
    referee: Referee,
    detector_check: DetectorCheck,
    passing: Passing,
    work: Work,
    held: Vec<Held>,
    n_held: usize,
    trial: TrialWork,
}

/// Scratch of a step; could be dropped between steps.
#[derive(Default)]
struct Work {
    role: Vec<u8>,
    motion: Vec<u8>,
    impedance: Vec<f64>,
    command: Vec<f64>,
    drive_speed: Vec<f64>,
    applied: Vec<f64>,
    frames: Frames,
    frames_query: Frames,
    foresight: Foresight,
    margin: Vec<f64>,
    dynamics: Dynamics,
    contacts: ContactBuf,
    joints: JointRows,
    joints_middle: JointRows,
    joints_end: JointRows,
    q_query: Vec<f64>,
    t_at: f64,
    q_at: Vec<f64>,
    v_at: Vec<f64>,
    q_next: Vec<f64>,
    v_next: Vec<f64>,
    impulse: Vec<f64>,
    row_impulse: Vec<f64>,
    effort: Vec<f64>,
    supports: SupportBuf,
    support_impulse: Vec<f64>,
    gradient: Vec<f64>,
    later: Vec<f64>,
    /// Efforts of controllers over the step, nv, or empty.
    controlled: Vec<f64>,
    v_before: Vec<f64>,
    guard_before: ImpactGuard,
    impacts: Vec<Impact>,
    events: Vec<Event>,
    report: Report,
    /// What is to be said of the detection at the start of the step, and of the way there.
    detected: Findings,
    /// Where the step begins.
    start: Passing,
    work: StepWork,
    residual: f64,
    slack: f64,
    h_used: f64,
    /// Whether contacts are those of `q_query`, where the stepper wanted them.
    redetected: bool,
}

impl Work {
    fn new(system: &System, settings: &Settings) -> Self {
        let mut work = Self { role: system.roles(), motion: system.motions(), ..Self::default() };
        work.impedance = system.impedances();
        work.command = vec![0.0; system.nv()];
        work.applied = vec![0.0; system.nv()];
        work.q_next = vec![0.0; system.nq()];
        work.contacts.first_tangent = settings.first_tangent;
        work.contacts.single = !settings.or_groups;
        work
    }
}

impl Simulation {
    /// At the initial state of the scene.
    pub fn new(
        system: System,
        drives: Drives,
        settings: Settings,
        detector: Box<dyn Detector>,
        stepper: Box<dyn Stepper>,
        solvers: SolverChain,
    ) -> Self {
        let (q, v) = (system.initial_q(), system.initial_velocity.clone());
        let work = Work::new(&system, &settings);
        let support_impulse = vec![0.0; 2 * system.supports.len()];
        let mut referee = Referee::new(&system, Declaration::default());
        referee.nominal = settings.step;
        let detector_check = DetectorCheck::new(&system);
        let may_deviate = if settings.deviates { drives.prescribed(&system) } else { Vec::new() };
        Self {
            may_deviate,
            elsewhere: false,
            system,
            drives,
            controllers: Controllers::default(),
            settings,
            detector,
            stepper,
            solvers,
            timing: Timing::default(),
            counts: StepCounts::default(),
            step: 0,
            grid: 0,
            t: 0.0,
            h_last: 0.0,
            q,
            v,
            memory: ContactMemory::default(),
            support_impulse,
            guard: ImpactGuard::default(),
            control: Control::default(),
            referee,
            detector_check,
            passing: Passing::default(),
            work,
            held: Vec::new(),
            n_held: 0,
            trial: TrialWork::default(),
        }
    }

    /// The same with controllers.
    pub fn controlled_by(self, controllers: Controllers) -> Self {
        Self { controllers, ..self }
    }

    /// The same with a stepper that declares its law: what the referee holds it to.
    pub fn judged_by(mut self, declared: Declaration) -> Self {
        self.referee.declared = declared;
        self
    }

    /// What the referee holds the stepper to.
    pub fn declared(&self) -> &Declaration {
        &self.referee.declared
    }

    /// Contacts at the present state, judged: overlap, and gaps that the last step does not explain.
    pub fn judge_end(&mut self) -> Result<Report, StepFailure> {
        self.contacts_now()?;
        self.look_back();
        let mut report = Report::default();
        let place = (self.work.frames.poses(), self.work.margin.as_slice());
        self.referee.judge_detection(&self.work.contacts.view(), place, &mut report);
        report.findings.join(&self.work.detected);
        Ok(report)
    }

    /// Where the last step began, and what the referee saw there: what saved states leave out.
    pub(crate) fn looking_back(&self) -> (&Passing, Vec<f64>) {
        (&self.passing, self.referee.memory.places())
    }

    /// Driven velocities that the stepper may let deviate from their commands, ascending.
    pub fn may_deviate(&self) -> &[u32] {
        &self.may_deviate
    }

    /// Number of accepted steps.
    pub fn step_count(&self) -> u64 {
        self.step
    }

    /// Number of grid times k h reached.
    pub fn grid_count(&self) -> u64 {
        self.grid
    }

    /// The next grid time, (k + 1) h as a product: no sum of steps drifts into it.
    pub fn next_grid_time(&self) -> f64 {
        (self.grid + 1) as f64 * self.settings.step
    }

    /// Where the next piece of a run of `duration` seconds ends: the next grid time or the run's end, None at the end. A
    /// remainder below a billionth of a step is rounding of duration/h, not a step.
    pub fn next_end(&self, duration: f64) -> Option<f64> {
        let rounding = 1e-9 * self.settings.step;
        let end = self.next_grid_time();
        let end = if end - duration <= rounding { end } else { duration };
        (duration - self.t > rounding).then_some(end)
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Positions, nq.
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// Velocities, nv.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// Kinetic plus potential energy, J.
    pub fn energy(&self) -> f64 {
        self.system.energy(&self.q, &self.v)
    }

    /// All that is needed to come back to this very state.
    pub fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        self.snapshot_into(&mut snapshot);
        snapshot
    }

    /// The same into memory that is there.
    pub fn snapshot_into(&self, to: &mut Snapshot) {
        (to.step, to.grid, to.t, to.h_last) = (self.step, self.grid, self.t, self.h_last);
        to.control = self.control;
        to.q.clone_from(&self.q);
        to.v.clone_from(&self.v);
        to.memory.clone_from(&self.memory);
        to.support_impulse.clone_from(&self.support_impulse);
        to.guard.clone_from(&self.guard);
        to.controllers.clear();
        to.controllers.extend_from_slice(self.controllers.state());
        to.referee.clone_from(&self.referee.memory);
        to.passing.clone_from(&self.passing);
        to.plugins.resize_with(2 + self.solvers.len(), Vec::new);
        to.plugins.iter_mut().for_each(Vec::clear);
        self.detector.save_state(&mut to.plugins[0]);
        self.stepper.save_state(&mut to.plugins[1]);
        self.solvers.save_states(&mut to.plugins[2..]);
    }

    /// Back to a saved state, plugins included.
    pub fn restore(&mut self, from: &Snapshot) -> Result<(), StageError> {
        self.detector.load_state(&from.plugins[0])?;
        self.stepper.load_state(&from.plugins[1])?;
        self.solvers.load_states(&from.plugins[2..])?;
        (self.step, self.grid, self.t, self.h_last) = (from.step, from.grid, from.t, from.h_last);
        self.control = from.control;
        self.q.clone_from(&from.q);
        self.v.clone_from(&from.v);
        self.memory.clone_from(&from.memory);
        self.support_impulse.clone_from(&from.support_impulse);
        self.guard.clone_from(&from.guard);
        self.controllers.set_state(&from.controllers);
        self.referee.memory.clone_from(&from.referee);
        self.passing.clone_from(&from.passing);
        Ok(())
    }

    /// Takes over where another simulation of the same layout stands. `plugins`: state of the detector, the stepper and each
    /// solver of the chain here; a plugin without one begins anew.
    ///
    /// # Errors
    /// A plugin that refuses its state.
    pub fn adopt(&mut self, from: &Snapshot, plugins: Vec<Option<Vec<u8>>>) -> Result<(), StageError> {
        let fresh = self.snapshot().plugins;
        let plugins = fresh.into_iter().zip(plugins).map(|(own, kept)| kept.unwrap_or(own)).collect();
        self.restore(&Snapshot { plugins, ..from.clone() })?;
        // Shapes and materials may be others: what was seen before says nothing of them.
        self.referee.memory.forget_places();
        self.passing = Passing::default();
        Ok(())
    }

    /// Goes on with the counts and times of another simulation.
    pub fn count_on(&mut self, from: &mut Self) {
        self.counts = std::mem::take(&mut from.counts);
        self.timing = std::mem::take(&mut from.timing);
        self.solvers.count_on(&from.solvers);
    }

    /// Contacts at the present state, for checks before the first step (overlap) and after the last (penetration).
    pub fn contacts_now(&mut self) -> Result<vinci_core::contact::Contacts<'_>, StepFailure> {
        self.prepare(self.settings.step)?;
        self.detect_here()?;
        Ok(self.work.contacts.view())
    }
}
