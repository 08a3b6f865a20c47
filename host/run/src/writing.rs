//! The results of a run on their way to its directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::archive::{self, Archive, keep};
use super::checkpoint::{self, Checkpoint, Written};
use super::clock::Clock;
use super::failure::{code_of, describe};
use super::state;
use crate::atomic_write::{write_atomic, write_json};
use crate::gathered::{Begun, Gathered};
use crate::pictures::Pictures;
use crate::prepared::Prepared;
use crate::races::Races;
use crate::record::{Recorder, state_hash};
use crate::results::forget_earlier;
use crate::sealed::{Ledger, Sums, Tables};
use crate::summary::{
    EnergySummary, EventSummary, FailureSummary, SUMMARY_FORMAT, SteppingSummary, Summary, timing, warnings,
};
use crate::{exit, report};
use vinci_abi::load::LoadedPlugin;
use vinci_engine::pipeline::{Simulation, Stage, StepFailure};

/// How a run was stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// At a grid time, from which it can go on.
    OnGrid,
    /// On the way to one: it can go on from its last checkpoint, if it has one.
    Between,
}

/// Outputs that the loop of a run writes to.
pub(super) struct Writing {
    pub(super) directory: PathBuf,
    pub(super) recorder: Recorder,
    /// Problems that are kept, where any are.
    pub(super) archive: Option<Archive>,
    pub(super) races: Races,
    pub(super) pictures: Pictures,
    pub(super) gathered: Gathered,
    pub(super) ledger: Ledger,
    begun: Begun,
    pub(super) clock: Clock,
}

impl Writing {
    /// Files of a run that begins where the simulation stands.
    pub(super) fn begin(prepared: &mut Prepared, directory: &Path) -> std::io::Result<Self> {
        let clock = Clock::at(0.0);
        let mut ledger = Ledger::default();
        write_json(directory, "experiment.json", &prepared.loaded.standalone().to_json())?;
        ledger.add(directory, "experiment.json")?;
        state::write_start(prepared, directory, &mut ledger)?;
        let tables = Tables::new(directory);
        let archive = archive(&tables, prepared)?;
        let races = Races::open(&tables, &mut prepared.simulation)?;
        let mut recorder = recorder(tables, prepared)?;
        let mut pictures = std::mem::take(&mut prepared.pictures);
        let simulation = &prepared.simulation;
        recorder.initial(&simulation.system, simulation.time(), simulation.q(), simulation.v())?;
        pictures.initial(simulation.time(), simulation.q(), simulation.v());
        Ok(Self {
            directory: directory.to_owned(),
            recorder,
            archive,
            races,
            pictures,
            gathered: Gathered::of(prepared),
            ledger,
            begun: Begun::of(prepared),
            clock,
        })
    }

    /// Files of a run that goes on.
    pub(super) fn go_on(
        prepared: &mut Prepared,
        directory: &Path,
        checkpoint: Checkpoint,
    ) -> std::io::Result<Self> {
        let clock = Clock::at(checkpoint.seconds());
        if checkpoint.follows && !prepared.simulation.solvers.race_log.follows() {
            let why = "the run follows the races of another one: name its directory again (--follow-races)";
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, why));
        }
        let Checkpoint { begun, gathered, pictures: drawn, tables, files: ledger, .. } = checkpoint;
        let tables = Tables::resumed(directory, tables)?;
        checkpoint::reopen(directory)?;
        let archive = archive(&tables, prepared)?;
        let races = Races::open(&tables, &mut prepared.simulation)?;
        let recorder = recorder(tables, prepared)?;
        let mut pictures = std::mem::take(&mut prepared.pictures);
        pictures.go_on(drawn);
        let directory = directory.to_owned();
        Ok(Self { directory, recorder, archive, races, pictures, gathered, ledger, begun, clock })
    }

    /// Everything that is needed to go on here, on the disk.
    pub(super) fn checkpoint(&mut self, prepared: &Prepared) -> std::io::Result<()> {
        let mut tables = self.recorder.sync()?;
        tables.sums.extend(self.archive.as_mut().map(Archive::sync).transpose()?);
        tables.sums.extend(self.races.sync()?);
        let written = Written {
            begun: &self.begun,
            gathered: &self.gathered,
            pictures: self.pictures.gathered(),
            tables,
            files: &self.ledger,
            seconds: self.clock.seconds(),
        };
        Checkpoint::of(prepared, written).write(&self.directory)
    }

    /// The end of a run that is stopped. The summary is returned, not written: the run has not ended. Its exit code says whether there is
    /// a checkpoint to go on from.
    pub(super) fn stop(mut self, prepared: &mut Prepared, stopped: Stopped) -> std::io::Result<Summary> {
        let on_grid = stopped == Stopped::OnGrid;
        if on_grid {
            self.checkpoint(prepared)?;
        }
        prepared.simulation.timing.total = self.clock.seconds();
        let Self { directory, recorder, archive, races, gathered, mut ledger, begun, .. } = self;
        let (_, trajectory_hash) = recorder.finish()?;
        archive.map(Archive::seal).transpose()?;
        races.seal()?;
        let goes_on = directory.join(checkpoint::CHECKPOINT).exists();
        let exit_code = if goes_on { exit::STOPPED } else { exit::STOPPED_ANEW };
        if on_grid {
            state::write_end(prepared, &directory, &mut ledger)?;
        } else {
            tracing::warn!(
                "the run was stopped between two grid times: it can only go on from an earlier checkpoint, if it has one \
                 (--checkpoint-every)"
            );
        }
        let summary = summary(prepared, begun, &gathered, trajectory_hash);
        Ok(Summary { status: "stopped", exit_code, ..summary })
    }

    /// The end of a run: everything that is left to be written, `summary.json` last. `damage`: what plugins did to the process, in words.
    pub(super) fn end(
        self,
        mut prepared: Prepared,
        failure: Option<(StepFailure, f64)>,
        damage: Option<String>,
    ) -> std::io::Result<Summary> {
        let mut mark = Instant::now();
        let Self {
            directory,
            recorder,
            archive,
            mut races,
            pictures,
            mut gathered,
            mut ledger,
            begun,
            clock,
        } = self;
        let (mut tables, trajectory_hash) = recorder.finish()?;
        tables.extend(archive.map(|archive| sealed_archive(archive, &mut prepared.simulation)).transpose()?);
        races.write(&mut prepared.simulation)?;
        tables.extend(races.seal()?);
        for (name, sum) in &tables {
            tracing::debug!(bytes = sum.file.size, sha256 = %sum.file.sha256, "wrote {name}");
        }
        ledger.extend(tables);
        pictures.write(&prepared.simulation.system, &directory)?;
        pictures.files().try_for_each(|file| ledger.add(&directory, file))?;
        state::write_end(&prepared, &directory, &mut ledger)?;
        let simulation = &mut prepared.simulation;
        simulation.timing.lap(Stage::Record, &mut mark);
        simulation.timing.total = clock.seconds();
        if failure.is_none() {
            gathered.judge_end(simulation);
        }
        let summary = summary(&prepared, begun, &gathered, trajectory_hash);
        let summary = failed(summary, &prepared, &directory, failure, damage)?;
        let problem = summary.failure.as_ref().and_then(|f| f.problem.as_deref());
        problem.map_or(Ok(()), |file| ledger.add(&directory, file))?;
        let html = report::html(
            &prepared.loaded,
            &prepared.simulation.system,
            (&summary, &directory),
            &gathered.curve,
        );
        write_atomic(&directory, "report.html", |out| out.write_all(html.as_bytes()))?;
        ledger.add(&directory, "report.html")?;
        // Plugins end before the summary is written: one that ends the process while it is dropped leaves none.
        let plugins = prepared.plugins();
        drop(prepared);
        sealed(&directory, ledger, parted(summary, &plugins))
    }
}

/// The summary after all plugins have ended: what processes of their own could report to no call fails the run.
fn parted(summary: Summary, plugins: &[LoadedPlugin]) -> Summary {
    let failures: Vec<String> =
        plugins.iter().flat_map(LoadedPlugin::unreported).map(|e| e.to_string()).collect();
    if failures.is_empty() || summary.failure.is_some() {
        return summary;
    }
    let failure = FailureSummary::plain("plugin", failures.join("; "), summary.time_end);
    Summary { status: "failed", exit_code: exit::PLUGIN_FAULT, failure: Some(failure), ..summary }
}

/// Writes the summary with the sums of all files, if they are what was written.
fn sealed(directory: &Path, ledger: Ledger, summary: Summary) -> std::io::Result<Summary> {
    ledger.check(directory)?;
    let summary = Summary { files: ledger.into_files(), ..summary };
    // Last, and whole or not at all: without it a run did not end.
    write_json(directory, "summary.json", &summary)?;
    forget_earlier(directory);
    checkpoint::remove(directory)?;
    Ok(summary)
}

/// The archive of problems, where the experiment wants one.
fn archive(tables: &Tables, prepared: &mut Prepared) -> std::io::Result<Option<Archive>> {
    let Some(problems) = prepared.loaded.experiment.record.problems else { return Ok(None) };
    // Not the name of the file: a run that goes on has another one.
    let name = prepared.loaded.experiment.name.as_ref().map_or_else(String::new, |name| format!("{name}, "));
    Archive::open(tables, (keep(problems), &name), &mut prepared.simulation).map(Some)
}

/// The archive with the problems of a step that failed.
fn sealed_archive(mut archive: Archive, simulation: &mut Simulation) -> std::io::Result<(String, Sums)> {
    archive.write(simulation)?;
    archive.seal()
}

fn recorder(tables: Tables, prepared: &Prepared) -> std::io::Result<Recorder> {
    let (simulation, record) = (&prepared.simulation, &prepared.loaded.experiment.record);
    let recorder = Recorder::open(tables, &simulation.system, record, simulation.may_deviate())?;
    recorder.with_controllers(&simulation.system, simulation.controllers.dofs())
}

/// The summary of a run without failure.
fn summary(prepared: &Prepared, begun: Begun, gathered: &Gathered, trajectory_hash: String) -> Summary {
    let simulation = &prepared.simulation;
    let mut solvers = begun.solvers;
    let solver = solvers.remove(0);
    let EnergySummary { initial, r#final, .. } = gathered.energy;
    let referee = gathered.referee.summary(r#final - initial, &simulation.system);
    Summary {
        format: SUMMARY_FORMAT,
        status: "completed",
        exit_code: if referee.accepted { exit::OK } else { exit::NOT_ACCEPTED },
        steps: simulation.step_count(),
        time_end: simulation.time(),
        detector: begun.detector,
        other_detectors: begun.others,
        stepper: begun.stepper,
        solver,
        fallbacks: solvers,
        controllers: begun.controllers,
        solver_chosen: prepared.chosen(),
        events: prepared.scheduled.fired().iter().map(EventSummary::from).collect(),
        stopped: prepared.scheduled.stopped().map(str::to_owned),
        bridges: simulation.solvers.bridged_routes(),
        timing: timing(&simulation.timing),
        solver_stats: simulation.solvers.stats.into(),
        referee,
        energy: gathered.energy,
        stepping: SteppingSummary::new(simulation.grid_count(), &simulation.counts),
        warnings: [
            prepared.physics.told.clone(),
            warnings(&gathered.impacts, &simulation.counts),
            archive::warning(simulation).into_iter().collect(),
            prepared.scheduled.warnings().to_vec(),
        ]
        .concat(),
        impacts: gathered.impacts,
        max_command_deviation: simulation.settings.deviates.then_some(gathered.max_deviation),
        state_hash: state_hash(simulation.q(), simulation.v()),
        trajectory_hash,
        files: Default::default(),
        failure: None,
    }
}

/// Adds what stopped the run, if something did, to its summary.
fn failed(
    summary: Summary,
    prepared: &Prepared,
    directory: &Path,
    failure: Option<(StepFailure, f64)>,
    damage: Option<String>,
) -> std::io::Result<Summary> {
    let failure = match failure {
        Some((failure, at)) => Some((code_of(&failure), describe(prepared, directory, failure, at)?)),
        None => None,
    };
    let (exit_code, failure) = match (failure, damage) {
        (None, None) => return Ok(summary),
        (Some(failure), None) => failure,
        (None, Some(damage)) => {
            (exit::PLUGIN_FAULT, FailureSummary::plain("plugin", damage, prepared.simulation.time()))
        }
        // Whatever failed, it did so in a process that was not left alone.
        (Some((_, failure)), Some(damage)) => {
            let message = format!("{damage}; beside that, {}", failure.message);
            (exit::PLUGIN_FAULT, FailureSummary { kind: "plugin".into(), message, ..failure })
        }
    };
    Ok(Summary { status: "failed", exit_code, failure: Some(failure), ..summary })
}
