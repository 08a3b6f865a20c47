//! The loop of a run and its end.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use vinci_core::model::System;

use super::changes::Happened;
use super::checkpoint::Checkpoint;
use super::course::{Onlooker, course};
use super::prepare::{Prepared, Used};
use super::state::States;
use super::surroundings::Surroundings;
use super::writing::Writing;
use crate::exit;
use crate::pictures::Pictures;
use crate::pipeline::{Accepted, EventKind, Simulation, Stage, StepFailure, deviation};
use crate::record::{Recorder, bodies};
use crate::report;
use crate::signals::Stop;
use crate::summary::{EnergySummary, ImpactSummary, PluginUsed, RefereeTotals, Summary};

/// How a run ended.
#[derive(Debug, Clone)]
pub struct RunEnd {
    /// The summary, as written.
    pub summary: Summary,
    /// Where everything was written.
    pub directory: PathBuf,
    /// Exit code.
    pub code: u8,
}

/// What a run is guided by beside its experiment.
#[derive(Debug, Default)]
pub struct Guidance {
    /// Whether it is to stop: it then ends with its step, and can go on later.
    pub stop: Stop,
    /// How often it writes a checkpoint on its way; at its start too.
    pub checkpoint_every: Option<Duration>,
    /// Where it goes on.
    pub from: Option<Checkpoint>,
    /// What the process had before any plugin was loaded.
    pub surroundings: Option<Surroundings>,
}

/// Everything the loop gathers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Gathered {
    pub(super) referee: RefereeTotals,
    pub(super) energy: EnergySummary,
    pub(super) impacts: ImpactSummary,
    pub(super) max_deviation: f64,
    pub(super) curve: report::Curve,
}

/// How the loop ended.
struct Ended {
    failure: Option<(StepFailure, f64)>,
    is_stopped: bool,
}

/// Runs to the end (or to the first failure) and writes the directory, `summary.json` last.
/// `progress` is called after every accepted step with the time reached.
///
/// Errors: only of input and output; a failed step is an end like others.
pub fn execute(prepared: Prepared, directory: &Path, progress: impl FnMut(f64)) -> std::io::Result<RunEnd> {
    execute_guided(prepared, directory, Guidance::default(), progress)
}

/// The same, stopped from outside, with checkpoints, or going on from one. A run that is stopped ends with a checkpoint and without
/// `summary.json`.
///
/// # Errors
/// As of [`execute`].
pub fn execute_guided(
    mut prepared: Prepared,
    directory: &Path,
    guidance: Guidance,
    mut progress: impl FnMut(f64),
) -> std::io::Result<RunEnd> {
    std::fs::create_dir_all(directory)?;
    // Whatever becomes of the working directory while plugins run.
    let place = std::path::absolute(directory)?;
    let Guidance { stop, checkpoint_every, from, surroundings } = guidance;
    let mut writing = match from {
        None => Writing::begin(&mut prepared, &place)?,
        Some(checkpoint) => Writing::go_on(&mut prepared, &place, checkpoint)?,
    };
    let pace = Pace { stop, every: checkpoint_every, last: None };
    let ended = run_steps(&mut prepared, &mut writing, pace, &mut progress)?;
    if ended.is_stopped {
        let end = RunEnd::of(writing.stop(&mut prepared)?, directory);
        return Ok(RunEnd { code: exit::STOPPED, ..end });
    }
    let damage = surroundings.and_then(|before| before.restore());
    let summary = writing.end(prepared, ended.failure, damage)?;
    Ok(RunEnd::of(summary, directory))
}

impl RunEnd {
    fn of(summary: Summary, directory: &Path) -> Self {
        Self { code: summary.exit_code, summary, directory: directory.to_path_buf() }
    }
}

/// The plugins that a run begins with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Begun {
    pub(super) detector: PluginUsed,
    pub(super) others: Vec<PluginUsed>,
    pub(super) stepper: PluginUsed,
    pub(super) solvers: Vec<PluginUsed>,
}

impl Begun {
    pub(super) fn of(prepared: &Prepared) -> Self {
        let (detector, stepper) = (prepared.detector.summary(), prepared.stepper.summary());
        let all = |list: &[Used]| list.iter().map(Used::summary).collect();
        Self { detector, others: all(&prepared.others), stepper, solvers: all(&prepared.solvers) }
    }

    fn all(&self) -> impl Iterator<Item = &PluginUsed> {
        [&self.detector, &self.stepper].into_iter().chain(&self.others).chain(&self.solvers)
    }

    /// The first pair of plugins that differ.
    pub(super) fn other<'a>(&'a self, other: &'a Self) -> Option<(&'a PluginUsed, &'a PluginUsed)> {
        self.all().zip(other.all()).find(|(a, b)| a != b)
    }
}

fn run_steps(
    prepared: &mut Prepared,
    writing: &mut Writing,
    pace: Pace,
    progress: &mut impl FnMut(f64),
) -> std::io::Result<Ended> {
    let duration = prepared.loaded.experiment.time.duration;
    let times = &prepared.loaded.experiment.record.states;
    let states = States::new(&writing.directory, times, &prepared.simulation);
    let mut recording = Recording { writing, pace, states, duration, is_stopped: false, progress };
    let failure = course(prepared, duration, &mut recording)?;
    Ok(Ended { failure, is_stopped: recording.is_stopped })
}

/// When a run stops, and when it writes a checkpoint.
struct Pace {
    stop: Stop,
    every: Option<Duration>,
    last: Option<Instant>,
}

impl Pace {
    fn is_due(&mut self) -> bool {
        let is_due = self.every.is_some_and(|every| self.last.is_none_or(|last| last.elapsed() >= every));
        if is_due {
            self.last = Some(Instant::now());
        }
        is_due
    }
}

/// What `vinci run` does with every piece: judge, count, write.
struct Recording<'a, P: FnMut(f64)> {
    writing: &'a mut Writing,
    pace: Pace,
    states: States,
    duration: f64,
    is_stopped: bool,
    progress: P,
}

impl<P: FnMut(f64)> Onlooker for Recording<'_, P> {
    fn piece(
        &mut self,
        simulation: &mut Simulation,
        before: u64,
        row: Option<u64>,
    ) -> std::io::Result<ControlFlow<()>> {
        let mut mark = Instant::now();
        let Writing { recorder, pictures, gathered, .. } = &mut *self.writing;
        record_piece(simulation, before, row, (recorder, pictures), gathered)?;
        (self.progress)(simulation.time());
        trace(simulation, before);
        simulation.timing.lap(Stage::Record, &mut mark);
        // A run goes on from grid times only, and one that is at its end anyway ends.
        let may_stop = row.is_some() && simulation.next_end(self.duration).is_some();
        self.is_stopped = may_stop && self.pace.stop.is_asked();
        Ok(if self.is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    fn grid(&mut self, prepared: &Prepared) -> std::io::Result<()> {
        // Before the states of this time: a run that goes on writes them again.
        if self.pace.is_due() {
            tracing::debug!(t = prepared.simulation.time(), "writes a checkpoint");
            self.writing.checkpoint(prepared)?;
        }
        self.states.at_grid(prepared, &mut self.writing.ledger)
    }

    fn changed(&mut self, happened: &Happened) -> std::io::Result<()> {
        tracing::info!(t = happened.t, "event {}: {}", happened.event + 1, happened.words);
        self.writing.recorder.change(happened.t, &format!("event {}: {}", happened.event + 1, happened.words))
    }
}

/// Steps for people who want to see all of them.
fn trace(simulation: &Simulation, before: u64) {
    for k in 0..simulation.n_last() {
        let (step, accepted) = (before + 1 + k as u64, simulation.of_last(k));
        let (t, h, contacts, residual) = (accepted.t, accepted.h, accepted.contacts.len(), accepted.residual);
        tracing::trace!(step, t, h, contacts, residual, "accepted");
    }
}

/// Judges, counts and writes the steps of a piece. `row`: number of the grid time it ends at, if it does.
fn record_piece(
    simulation: &Simulation,
    before: u64,
    row: Option<u64>,
    (recorder, pictures): (&mut Recorder, &mut Pictures),
    gathered: &mut Gathered,
) -> std::io::Result<()> {
    let system = &simulation.system;
    let n = simulation.n_last();
    for k in 0..n {
        let (accepted, step) = (simulation.of_last(k), before + 1 + k as u64);
        gathered.referee.add(step, &accepted, system);
        gathered.impacts.add(&accepted);
        gathered.max_deviation = gathered.max_deviation.max(deviation(&accepted, simulation.may_deviate()));
        warn_of(system, &accepted);
        let written = recorder.step(system, row.filter(|_| k + 1 == n), &accepted)?;
        pictures.step(&accepted, written);
    }
    let energy = simulation.energy();
    gathered.energy.r#final = energy;
    gathered.energy.max = gathered.energy.max.max(energy);
    if let Some(row) = row {
        gathered.curve.add(row, simulation.time(), energy, simulation.q());
    }
    Ok(())
}

/// What deserves attention while the run goes on.
fn warn_of(system: &System, accepted: &Accepted<'_>) {
    for impact in accepted.impacts.iter().filter(|i| i.grew) {
        let (t, change) = (impact.t, impact.energy_change);
        tracing::warn!("the impact at t = {t} s added {change:e} J: {}", bodies(system, &impact.contacts));
    }
    for event in accepted.events.iter().filter(|e| e.kind == EventKind::Zeno) {
        let pair = bodies(system, &[event.contact]);
        tracing::warn!(
            "too many impacts within a step at t = {} s: {pair} has no restitution until it opens",
            event.t
        );
    }
}
