//! The loop of a run and its end.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use vinci_core::model::System;

use super::changes::Happened;
use super::course::{Onlooker, course};
use super::failure::{code_of, describe};
use super::prepare::{Prepared, Used};
use super::state::{self, States};
use crate::acceptance::Limits;
use crate::exit;
use crate::pictures::Pictures;
use crate::pipeline::{Accepted, EventKind, Simulation, Stage, StepFailure, deviation};
use crate::record::{Recorder, bodies, state_hash};
use crate::report;
use crate::summary::{
    EnergySummary, EventSummary, ImpactSummary, PluginUsed, RefereeSummary, SteppingSummary, Summary, timing,
    warnings,
};
use crate::whole::write_json;

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

/// Everything the loop gathers.
struct Gathered {
    referee: RefereeSummary,
    energy: EnergySummary,
    impacts: ImpactSummary,
    max_deviation: f64,
    failure: Option<(StepFailure, f64)>,
    curve: report::Curve,
}

/// Runs to the end (or to the first failure) and writes the directory, `summary.json` last.
/// `progress` is called after every accepted step with the time reached.
///
/// Errors: only of input and output; a failed step is an end like others.
pub fn execute(
    mut prepared: Prepared,
    directory: &Path,
    mut progress: impl FnMut(f64),
) -> std::io::Result<RunEnd> {
    let started = Instant::now();
    std::fs::create_dir_all(directory)?;
    let resolved = serde_json::to_string_pretty(&prepared.loaded.resolved().to_json())?;
    std::fs::write(directory.join("experiment.json"), resolved + "\n")?;
    let record = prepared.loaded.experiment.record.clone();
    let used = PluginsUsed::of(&prepared);
    let simulation = &prepared.simulation;
    let recorder = Recorder::create(directory, &simulation.system, &record, simulation.may_deviate())?;
    let mut recorder =
        recorder.with_controllers(directory, &simulation.system, simulation.controllers.dofs())?;
    recorder.initial(&simulation.system, simulation.time(), simulation.q(), simulation.v())?;
    let states = States::new(directory, &record.states, simulation);
    let mut pictures = std::mem::take(&mut prepared.pictures);
    let simulation = &prepared.simulation;
    pictures.initial(simulation.time(), simulation.q(), simulation.v());
    let gathered = run_steps(&mut prepared, &mut recorder, states, &mut pictures, &mut progress)?;
    let mut mark = Instant::now();
    let trajectory_hash = recorder.finish()?;
    pictures.write(&prepared.simulation.system, directory)?;
    state::write_end(&prepared, directory)?;
    let simulation = &mut prepared.simulation;
    simulation.timing.lap(Stage::Record, &mut mark);
    simulation.timing.total = started.elapsed().as_secs_f64();
    let mut gathered = gathered;
    judge_end(&mut prepared.simulation, &mut gathered);
    let (summary, code) = finish(&prepared, used, directory, gathered, trajectory_hash)?;
    // Plugins end before the summary is written: one that ends the process while it is dropped leaves none.
    drop(prepared);
    // Last, and whole or not at all: without it a run did not end.
    write_json(directory, "summary.json", &summary)?;
    Ok(RunEnd { summary, directory: directory.to_path_buf(), code })
}

/// The plugins that a run begins with.
struct PluginsUsed {
    detector: PluginUsed,
    others: Vec<PluginUsed>,
    stepper: PluginUsed,
    solvers: Vec<PluginUsed>,
}

impl PluginsUsed {
    fn of(prepared: &Prepared) -> Self {
        let (detector, stepper) = (prepared.detector.summary(), prepared.stepper.summary());
        let all = |list: &[Used]| list.iter().map(Used::summary).collect();
        Self { detector, others: all(&prepared.others), stepper, solvers: all(&prepared.solvers) }
    }
}

fn run_steps(
    prepared: &mut Prepared,
    recorder: &mut Recorder,
    states: States,
    pictures: &mut Pictures,
    progress: &mut impl FnMut(f64),
) -> std::io::Result<Gathered> {
    let duration = prepared.loaded.experiment.time.duration;
    let simulation = &prepared.simulation;
    let h = simulation.settings.step;
    let initial = simulation.energy();
    let mut gathered = Gathered {
        referee: RefereeSummary::new(simulation.declared(), Limits::of(&prepared.loaded.experiment.referee)),
        energy: EnergySummary { initial, r#final: initial, max: initial },
        impacts: ImpactSummary::default(),
        max_deviation: 0.0,
        failure: None,
        curve: report::Curve::new((duration / h).ceil() as u64),
    };
    gathered.curve.add(simulation.grid_count(), simulation.time(), initial, simulation.q());
    let mut recording = Recording { recorder, pictures, gathered: &mut gathered, states, progress };
    let failure = course(prepared, duration, &mut recording)?;
    gathered.failure = failure;
    Ok(gathered)
}

/// What `vinci run` does with every piece: judge, count, write.
struct Recording<'a, P: FnMut(f64)> {
    recorder: &'a mut Recorder,
    pictures: &'a mut Pictures,
    gathered: &'a mut Gathered,
    states: States,
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
        record_piece(simulation, before, row, (&mut *self.recorder, &mut *self.pictures), self.gathered)?;
        (self.progress)(simulation.time());
        simulation.timing.lap(Stage::Record, &mut mark);
        Ok(ControlFlow::Continue(()))
    }

    fn grid(&mut self, prepared: &Prepared) -> std::io::Result<()> {
        self.states.at_grid(prepared)
    }

    fn changed(&mut self, happened: &Happened) -> std::io::Result<()> {
        self.recorder.change(happened.t, &format!("event {}: {}", happened.event + 1, happened.words))
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

/// The state at the end has no step after it whose detection would judge it.
fn judge_end(simulation: &mut Simulation, gathered: &mut Gathered) {
    let step = simulation.step_count();
    if gathered.failure.is_none() && step > 0 {
        match simulation.judge_end() {
            Ok(report) => gathered.referee.add_end(step, &report, &simulation.last(), &simulation.system),
            Err(failure) => tracing::warn!("contacts at the end could not be judged: {failure}"),
        }
    }
    let change = gathered.energy.r#final - gathered.energy.initial;
    gathered.referee.finish(change, &simulation.system);
}

fn finish(
    prepared: &Prepared,
    used: PluginsUsed,
    directory: &Path,
    gathered: Gathered,
    trajectory_hash: String,
) -> std::io::Result<(Summary, u8)> {
    let simulation = &prepared.simulation;
    let mut solvers = used.solvers;
    let solver = solvers.remove(0);
    let referee = gathered.referee;
    let mut code = if referee.accepted { exit::OK } else { exit::NOT_ACCEPTED };
    let failure = match gathered.failure {
        None => None,
        Some((failure, at)) => {
            code = code_of(&failure);
            Some(describe(prepared, directory, failure, at)?)
        }
    };
    let summary = Summary {
        format: "vinci/summary@1",
        status: if failure.is_some() { "failed" } else { "completed" },
        steps: simulation.step_count(),
        time_end: simulation.time(),
        detector: used.detector,
        other_detectors: used.others,
        stepper: used.stepper,
        solver,
        fallbacks: solvers,
        events: prepared.changes.happened().iter().map(EventSummary::from).collect(),
        stopped: prepared.changes.stopped().map(str::to_owned),
        bridges: simulation.solvers.crossed(),
        timing: timing(&simulation.timing),
        solver_stats: simulation.solvers.stats.into(),
        referee,
        energy: gathered.energy,
        stepping: SteppingSummary::new(simulation.grid_count(), &simulation.counts),
        warnings: [
            prepared.physics.told.clone(),
            warnings(&gathered.impacts, &simulation.counts),
            prepared.changes.warnings().to_vec(),
        ]
        .concat(),
        impacts: gathered.impacts,
        max_command_deviation: simulation.settings.deviates.then_some(gathered.max_deviation),
        state_hash: state_hash(simulation.q(), simulation.v()),
        trajectory_hash,
        failure,
    };
    let html = report::html(&prepared.loaded, &simulation.system, &summary, &gathered.curve);
    std::fs::write(directory.join("report.html"), html)?;
    Ok((summary, code))
}
