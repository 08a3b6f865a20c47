//! A model that is put onto states of another run, and goes on from there for a while.

use std::ops::ControlFlow;
use vinci_core::clock::seconds;
use vinci_core::referee::Limits;

use vinci_engine::pipeline::{Simulation, Snapshot, Timing};
use vinci_engine::registry::Registry;
use vinci_run::acceptance::{Refusal, limits_of};
use vinci_run::summary::RefereeTotals;
use vinci_run::{Observer, Prepared, SavedState, ready, run_loop};
use vinci_scene::Override;
use vinci_scene::diagnostics::Diagnostics;

use super::owners::Stand;
use crate::first_error::first_error;
use crate::{Combination, ComparisonRuns};

/// The runs of a comparison, as models that can begin anywhere.
pub struct Field<'a> {
    /// Which runs there are.
    pub asked: &'a ComparisonRuns,
    /// Where their plugins are.
    pub registry: &'a Registry,
    /// True once somebody asks to stop.
    pub stop: &'a dyn Fn() -> bool,
}

impl Field<'_> {
    /// A run with some values changed, at its start.
    pub(super) fn ready(&self, run: &Combination, more: &[Override]) -> Result<Prepared, Diagnostics> {
        let mut run = run.clone();
        run.overrides.extend_from_slice(more);
        ready(self.asked.load(&run)?, self.registry, false, None)
    }
}

/// How a model went from a state to a time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Leg {
    /// State at the end of the leg.
    pub(super) end: Stand,
    /// Largest relative natural-map residual of its steps; none where nothing was solved.
    pub(super) residual: Option<f64>,
    /// Seconds of the clock in detector, kinematics, stepper, solver and update: the referee and the recorder are nobody's cost.
    pub(super) seconds: f64,
    /// Iterations of the solvers.
    pub(super) iterations: u64,
    /// Accepted steps.
    pub(super) steps: u64,
    /// True if the referee does not accept one of the steps.
    pub(super) refused: bool,
}

/// Part of the step within which a time is the one that was asked for.
const SAME: f64 = 1e-6;

/// A model that is put onto states.
pub(super) struct Follower<'a> {
    field: &'a Field<'a>,
    run: Combination,
    more: Vec<Override>,
    prepared: Prepared,
    /// How it is before it is put anywhere: plugins remember nothing.
    anew: Snapshot,
    limits: Limits,
    /// The first step that the referee does not accept.
    pub(super) refusal: Option<Refusal>,
}

impl<'a> Follower<'a> {
    pub(super) fn new(
        field: &'a Field<'a>,
        run: &Combination,
        more: Vec<Override>,
    ) -> Result<Self, Diagnostics> {
        let prepared = field.ready(run, &more)?;
        let anew = prepared.simulation.snapshot();
        let limits = limits_of(&prepared.loaded.experiment.referee);
        Ok(Self { field, run: run.clone(), more, prepared, anew, limits, refusal: None })
    }

    /// Bytes that its stepper remembers where nothing has happened yet: a memory that states of other models do not have.
    pub(super) fn own_memory(&self) -> usize {
        self.anew.plugins.get(1).map_or(0, Vec::len)
    }

    /// Tries whether it takes a state at all: one of the same bodies and joints.
    ///
    /// Errors: why not, in words.
    pub(super) fn try_on(&mut self, state: &SavedState) -> Result<(), String> {
        state.resume(&mut self.prepared).map_err(|found| first_error(&found))?;
        self.prepared = self.field.ready(&self.run, &self.more).map_err(|found| first_error(&found))?;
        Ok(())
    }

    /// From a state to the time `end`, s. Its plugins begin anew, unless the state has their own memory.
    ///
    /// Errors: why there is no such state or step, in words.
    pub(super) fn go(&mut self, (state, stand): (&SavedState, &Stand), end: f64) -> Result<Leg, String> {
        if self.prepared.loaded.experiment.events.is_empty() {
            self.prepared.simulation.restore(&self.anew).map_err(|e| e.message)?;
        } else {
            // Events that have fired do so once.
            self.prepared = self.field.ready(&self.run, &self.more).map_err(|found| first_error(&found))?;
        }
        state.resume(&mut self.prepared).map_err(|found| first_error(&found))?;
        let simulation = &self.prepared.simulation;
        if !stand.is_at(simulation.q(), simulation.v()) {
            return Err("it does not begin at the state that it was put onto".to_owned());
        }
        let (timing, stats) = (simulation.timing, simulation.solvers.stats);
        let totals = RefereeTotals::new(simulation.declared(), self.limits);
        let mut watch = Watch { totals, residual: 0.0, steps: 0 };
        match run_loop(&mut self.prepared, end, &mut watch) {
            Ok(None) => {}
            Ok(Some((failure, t))) => return Err(format!("{failure} at t = {} s", seconds(t))),
            Err(error) => return Err(error.to_string()),
        }
        let simulation = &self.prepared.simulation;
        let t = simulation.time();
        if (t - end).abs() > SAME * simulation.settings.step {
            return Err(format!("it ended at t = {} s", seconds(t)));
        }
        let refusal = watch.totals.refusal().cloned();
        let refused = refusal.is_some();
        self.refusal = self.refusal.take().or(refusal);
        Ok(Leg {
            end: Stand::of(&simulation.system, (t, simulation.q(), simulation.v())),
            residual: (simulation.solvers.stats.asked > stats.asked).then_some(watch.residual),
            seconds: cost(&simulation.timing) - cost(&timing),
            iterations: simulation.solvers.stats.iterations_total - stats.iterations_total,
            steps: watch.steps,
            refused,
        })
    }
}

/// Seconds of the stages that make a step.
fn cost(timing: &Timing) -> f64 {
    let own = Timing::NAMES.iter().zip(timing.seconds());
    own.filter(|(name, _)| Timing::OF_A_STEP.contains(name)).map(|(_, seconds)| seconds).sum()
}

struct Watch {
    totals: RefereeTotals,
    residual: f64,
    steps: u64,
}

impl Observer for Watch {
    fn interval(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        _row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        for k in 0..simulation.n_last() {
            let accepted = simulation.of_last(k);
            self.totals.add(before + k as u64 + 1, &accepted, &simulation.system);
            let impacts = accepted.impacts.iter().map(|impact| impact.residual);
            self.residual = impacts.fold(self.residual.max(accepted.residual), f64::max);
            self.steps += 1;
        }
        Ok(ControlFlow::Continue(()))
    }
}
