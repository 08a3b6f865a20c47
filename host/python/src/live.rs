//! A simulation on its thread: what it is made of, and what can be asked of it.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use vinci_core::clock::seconds;
use vinci_core::model::DofRole;
use vinci_engine::control::{Called, Controller, Law};
use vinci_engine::pipeline::{Simulation, StepFailure};
use vinci_engine::registry::Registry;
use vinci_run::signals::Stop;
use vinci_run::{Observer, Prepared, RunSnapshot, change, difference, identity, ready, run_loop, solved_by};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::{Loaded, Override, grid_number};

use crate::controller::{Given, LastAnswer, PyEfforts, Sampled};
use crate::errors::Failed;
use crate::object::Object;
use crate::raised::Raised;
use crate::snapshot::PySnapshot;
use crate::solver::{PySolver, Takes};

/// Objects of Python that a simulation has.
pub(crate) struct Own {
    /// A solver, and what it takes.
    pub(crate) solver: Option<(Object, Takes)>,
    /// A controller.
    pub(crate) controller: Option<Sampled>,
    /// Its last answer.
    pub(crate) last: LastAnswer,
}

impl Own {
    /// Puts Python's solver in the place of the experiment's, where there is one.
    fn solve(&self, prepared: &mut Prepared, raised: &Raised) -> Result<(), StepFailure> {
        let Some((object, takes)) = &self.solver else { return Ok(()) };
        solved_by(prepared, PySolver::named(object.clone(), takes, raised.clone())).map(|_| ())
    }

    /// Adds the controller to those of the scene. It acts on every velocity that no drive prescribes.
    fn control(&self, prepared: &mut Prepared, raised: &Raised) {
        let Some(sampled) = self.controller.clone() else { return };
        let simulation = &mut prepared.simulation;
        let prescribed = prescribed(simulation);
        let dofs: Vec<usize> = (0..prescribed.len()).filter(|dof| !prescribed[*dof]).collect();
        let (h, last, raised) = (simulation.settings.step, self.last.clone(), raised.clone());
        let efforts = PyEfforts { sampled, dofs: dofs.clone(), h, last, raised }.shared();
        let law = Law::Called(Called { efforts, dofs, scratch: Vec::new() });
        let one = Controller { name: "python".to_owned(), law };
        simulation.controllers = simulation.controllers.and([one], &simulation.system);
    }

    /// Puts both into a simulation that stands at its start.
    fn put_in(&self, prepared: &mut Prepared, raised: &Raised) -> Result<(), StepFailure> {
        self.solve(prepared, raised)?;
        self.control(prepared, raised);
        Ok(())
    }

    /// Puts both into a simulation that was made anew where it stands.
    fn put_back(&self, prepared: &mut Prepared, raised: &Raised) -> Result<(), StepFailure> {
        if self.solver.is_some() {
            // The stepper is made anew for the solver: it goes on with what it remembers.
            let mut there = prepared.simulation.snapshot();
            there.plugins.truncate(2);
            self.solve(prepared, raised)?;
            let refused = |error: vinci_core::StageError| StepFailure::Event(error.message);
            prepared.simulation.restore(&there).map_err(refused)?;
        }
        // Behind the solver, whose first problem is written for a look alone: the controller is not asked for it.
        self.control(prepared, raised);
        Ok(())
    }
}

/// Where a simulation stands, for everybody to see without asking its thread.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shown {
    /// Time, s.
    pub(crate) time: f64,
    /// Positions, nq.
    pub(crate) q: Vec<f64>,
    /// Velocities, nv.
    pub(crate) v: Vec<f64>,
    /// Accepted steps.
    pub(crate) steps: u64,
    /// Reason why an event stopped it.
    pub(crate) stopped: Option<String>,
    /// Warnings of events that fired.
    pub(crate) warnings: Vec<String>,
}

/// Reason why something was not done.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Faults in the experiment.
    Input(Diagnostics),
    /// A step that could not be made.
    Failed(Failed),
    /// The simulation is in no state for it; what to do.
    State(String),
}

/// A simulation on its thread.
pub(crate) struct Live {
    pub(crate) prepared: Prepared,
    own: Own,
    raised: Raised,
    shown: Arc<Mutex<Shown>>,
    /// Meaning of the state and of plugins' memories, at the start of the experiment.
    of: Arc<[String]>,
    /// True if the last step is one of the state as it is: nothing was restored or changed since.
    stepped: bool,
    /// The failure that has to be put right first.
    failed: Option<String>,
}

impl Live {
    /// Prepares an experiment and puts in what is Python's.
    ///
    /// # Errors
    /// As of [`ready`]; a solver that the first problem does not reach.
    pub(crate) fn new(
        loaded: Loaded,
        registry: &Registry,
        own: Own,
        shown: Arc<Mutex<Shown>>,
    ) -> Result<Self, Refused> {
        let prepared = ready(loaded, registry, false, None).map_err(Refused::Input)?;
        let of = identity(&prepared).into();
        let mut live =
            Self { prepared, own, raised: Raised::default(), shown, of, stepped: false, failed: None };
        let made = live.own.put_in(&mut live.prepared, &live.raised);
        made.map_err(|failure| Refused::Failed(live.told(&failure)))?;
        live.show();
        Ok(live)
    }

    /// Goes to the next grid times, `n` of them, or until it is asked to stop.
    ///
    /// # Errors
    /// The step that failed; an earlier one did.
    pub(crate) fn step(&mut self, n: u64, stop: &Stop) -> Result<(), Refused> {
        for _ in 0..n {
            let end = self.simulation().next_grid_time();
            self.advance(end, stop)?;
            if stop.is_asked() || self.prepared.scheduled.stopped().is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Goes to the first grid time that is not before t, s; to the experiment's duration itself where t is that.
    ///
    /// # Errors
    /// As of [`Live::step`]; t lies behind.
    pub(crate) fn run_until(&mut self, t: f64, stop: &Stop) -> Result<(), Refused> {
        let now = self.simulation().time();
        if t.is_nan() || t == f64::INFINITY {
            let told = if t.is_nan() { "nan" } else { "inf" };
            let message =
                format!("t = {told} s is never reached: give a time, as `sim.run_until(sim.duration)`");
            return Err(Refused::State(message));
        }
        if !(t >= now) {
            let [now, t] = [now, t].map(seconds);
            let message = format!(
                "the simulation stands at t = {now} s, it cannot go back to {t} s: restore a snapshot"
            );
            return Err(Refused::State(message));
        }
        let h = self.simulation().settings.step;
        let whole = t == self.prepared.loaded.experiment.time.duration;
        self.advance(if whole { t } else { grid_number(t, h) as f64 * h }, stop)
    }

    fn advance(&mut self, end: f64, stop: &Stop) -> Result<(), Refused> {
        if let Some(why) = &self.failed {
            let advice = "restore a snapshot, or change something with `set`, and go on";
            return Err(Refused::State(format!("an earlier step failed ({why}): {advice}")));
        }
        if let Some(reason) = self.prepared.scheduled.stopped() {
            let advice =
                "a simulation that an event has stopped goes no further: restore a snapshot from before";
            return Err(Refused::State(format!("an event stopped the simulation ({reason}): {advice}")));
        }
        let mut until = Until { stop, own: &self.own, raised: &self.raised, stepped: self.stepped };
        let ended = run_loop(&mut self.prepared, end, &mut until);
        self.stepped = until.stepped;
        self.show();
        match ended {
            Ok(None) => Ok(()),
            Ok(Some((failure, _))) => {
                let told = self.told(&failure);
                self.failed = Some(told.message.clone());
                Err(Refused::Failed(told))
            }
            // The observer writes nothing.
            Err(error) => Err(Refused::State(error.to_string())),
        }
    }

    /// Puts values into the experiment where the simulation stands, as an event of a run does. Gives overlaps that come of it.
    ///
    /// # Errors
    /// What is wrong with them.
    pub(crate) fn set(&mut self, one: Override) -> Result<Vec<String>, Refused> {
        if self.own.solver.is_some() && one.path().segments().first() == Some(&"solver".into()) {
            let message =
                "the simulation has a solver of its own: make another simulation to use the experiment's";
            return Err(Refused::State(message.to_owned()));
        }
        let before = RunSnapshot::of(&self.prepared);
        let overlaps = change(&mut self.prepared, &[one]).map_err(Refused::Input)?;
        let Self { prepared, own, raised, .. } = self;
        if let Err(failure) = own.put_back(prepared, raised) {
            let refused = Diagnostic::error(Code::Contradiction, failure.to_string());
            let back = before.restore(prepared, |prepared| own.put_in(prepared, raised));
            back.map_err(Refused::State)?;
            return Err(Refused::Input(refused.into()));
        }
        (self.failed, self.stepped) = (None, false);
        self.show();
        Ok(overlaps)
    }

    /// The state as it is, to come back to.
    pub(crate) fn snapshot(&self) -> PySnapshot {
        let (state, given) = (RunSnapshot::of(&self.prepared), self.own.last.saved());
        PySnapshot { state, given, of: Arc::clone(&self.of) }
    }

    /// Back to a state of this scene.
    ///
    /// # Errors
    /// The state is of another scene, or a plugin refuses its own part of it.
    pub(crate) fn restore(
        &mut self,
        (state, given): (&RunSnapshot, Option<Given>),
        of: &[String],
    ) -> Result<(), Refused> {
        if let Some((had, has)) = difference(of, &self.of) {
            let message = format!("the snapshot is of another scene: it has {had}, here is {has}");
            return Err(Refused::State(format!("{message}; restore it where it was taken")));
        }
        let Self { prepared, own, raised, .. } = self;
        let back = state.restore(prepared, |prepared| own.put_in(prepared, raised));
        back.map_err(Refused::State)?;
        self.own.last.put(given);
        (self.failed, self.stepped) = (None, false);
        self.show();
        Ok(())
    }

    /// The simulation, if its last step led to the state as it is.
    pub(crate) fn last_step(&self) -> Option<&Simulation> {
        self.stepped.then_some(&self.prepared.simulation)
    }

    /// The simulation.
    pub(crate) fn simulation(&self) -> &Simulation {
        &self.prepared.simulation
    }

    fn told(&self, failure: &StepFailure) -> Failed {
        Failed::of(failure, self.simulation().time(), &self.raised)
    }

    fn show(&self) {
        let simulation = self.simulation();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        (shown.time, shown.steps) = (simulation.time(), simulation.step_count());
        shown.warnings.clear();
        shown.warnings.extend_from_slice(self.prepared.scheduled.warnings());
        shown.stopped = self.prepared.scheduled.stopped().map(str::to_owned);
        shown.q.clear();
        shown.q.extend_from_slice(simulation.q());
        shown.v.clear();
        shown.v.extend_from_slice(simulation.v());
    }
}

/// For each velocity, true if a drive prescribes it.
pub(crate) fn prescribed(simulation: &Simulation) -> Vec<bool> {
    let roles = simulation.system.roles();
    roles.iter().map(|role| DofRole::from_code(*role) == DofRole::Prescribed).collect()
}

/// Watches a simulation until somebody wants it to stop.
struct Until<'a> {
    stop: &'a Stop,
    own: &'a Own,
    raised: &'a Raised,
    stepped: bool,
}

impl Observer for Until<'_> {
    fn interval(&mut self, _: &mut Simulation, _: u64, _: Option<u64>) -> std::io::Result<ControlFlow<()>> {
        self.stepped = true;
        Ok(if self.stop.is_asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn remade(&mut self, prepared: &mut Prepared) -> Result<(), StepFailure> {
        self.stepped = false;
        self.own.put_back(prepared, self.raised)
    }
}
