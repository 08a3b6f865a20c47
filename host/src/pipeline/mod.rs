//! One simulation: the pipeline detect → formulate → solve → update, with the host in charge.
//!
//! Stages are plain traits here; whether a foreign library or a test double stands behind them makes no difference.

mod outcome;
mod solvers;
mod step;
mod timing;

pub use outcome::{Accepted, FailedSolve, Impact, StepFailure};
pub use solvers::{NamedSolver, SolverChain, SolverStats, audit};
pub use timing::{Stage, Timing};

use vinci_core::StageError;
use vinci_core::contact::{ContactBuf, ContactMemory, FirstTangent};
use vinci_core::model::{Dynamics, Gyroscopic, JointRows, SupportBuf, System};
use vinci_core::referee::{Referee, Report};
use vinci_core::stage::{Detector, Stepper};

use crate::drives::Drives;

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
}

/// Everything a step changes. Plugins' lasting state is bytes beside it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// Number of accepted steps.
    pub step: u64,
    /// Time, s.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// What is remembered of contacts.
    pub memory: ContactMemory,
    /// Last impulses of the support points, 2 per point.
    pub support_impulse: Vec<f64>,
    /// State of the detector, the stepper and each solver of the chain.
    pub plugins: Vec<Vec<u8>>,
}

/// A running simulation.
pub struct Simulation {
    /// The system.
    pub system: System,
    /// Its drives.
    pub drives: Drives,
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
    step: u64,
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    memory: ContactMemory,
    support_impulse: Vec<f64>,
    referee: Referee,
    work: Work,
}

/// Scratch of a step; could be dropped between steps.
#[derive(Default)]
struct Work {
    role: Vec<u8>,
    motion: Vec<u8>,
    impedance: Vec<f64>,
    command: Vec<f64>,
    applied: Vec<f64>,
    pose: Vec<f64>,
    margin: Vec<f64>,
    dynamics: Dynamics,
    contacts: ContactBuf,
    joints: JointRows,
    q_query: Vec<f64>,
    q_next: Vec<f64>,
    v_next: Vec<f64>,
    impulse: Vec<f64>,
    effort: Vec<f64>,
    supports: SupportBuf,
    support_impulse: Vec<f64>,
    later: Vec<f64>,
    v_before: Vec<f64>,
    impacts: Vec<Impact>,
    report: Report,
    residual: f64,
    slack: f64,
    h_used: f64,
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
        let (nq, nv) = (system.nq(), system.nv());
        let mut work = Work { role: system.roles(), motion: system.motions(), ..Work::default() };
        work.impedance = system.impedances();
        work.command = vec![0.0; nv];
        work.applied = vec![0.0; nv];
        work.q_next = vec![0.0; nq];
        work.contacts.first_tangent = settings.first_tangent;
        let support_impulse = vec![0.0; 2 * system.supports.len()];
        Self {
            system,
            drives,
            settings,
            detector,
            stepper,
            solvers,
            timing: Timing::default(),
            step: 0,
            t: 0.0,
            q,
            v,
            memory: ContactMemory::default(),
            support_impulse,
            referee: Referee::default(),
            work,
        }
    }

    /// Number of accepted steps.
    pub fn step_count(&self) -> u64 {
        self.step
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
        let mut plugins = vec![Vec::new(), Vec::new()];
        self.detector.save_state(&mut plugins[0]);
        self.stepper.save_state(&mut plugins[1]);
        plugins.extend(self.solvers.save_states());
        Snapshot {
            step: self.step,
            t: self.t,
            q: self.q.clone(),
            v: self.v.clone(),
            memory: self.memory.clone(),
            support_impulse: self.support_impulse.clone(),
            plugins,
        }
    }

    /// Back to a saved state, plugins included.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), StageError> {
        self.detector.load_state(&snapshot.plugins[0])?;
        self.stepper.load_state(&snapshot.plugins[1])?;
        self.solvers.load_states(&snapshot.plugins[2..])?;
        (self.step, self.t) = (snapshot.step, snapshot.t);
        self.q.clone_from(&snapshot.q);
        self.v.clone_from(&snapshot.v);
        self.memory = snapshot.memory.clone();
        self.support_impulse.clone_from(&snapshot.support_impulse);
        Ok(())
    }

    /// Contacts at the present state, for checks before the first step (overlap) and after the last (penetration).
    pub fn contacts_now(&mut self) -> Result<vinci_core::contact::Contacts<'_>, StepFailure> {
        self.prepare(self.settings.step)?;
        let q = self.q.clone();
        self.detect(&q)?;
        Ok(self.work.contacts.view())
    }
}
