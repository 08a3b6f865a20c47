//! The directory of a judged motion, like that of a run, and its summary.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vinci_core::StageError;
use vinci_core::contact::RawContacts;
use vinci_core::model::System;
use vinci_core::stage::{DetectQuery, Detector};
use vinci_engine::pipeline::{Accepted, Simulation, SolverStats};
use vinci_run::atomic_write::{write_atomic, write_json};
use vinci_run::record::{Recorder, state_hash};
use vinci_run::report::{self, Curve};
use vinci_run::results::forget_earlier;
use vinci_run::sealed::{Ledger, Tables};
use vinci_run::summary::{
    FailureSummary, PluginUsed, SUMMARY_FORMAT, SteppingSummary, Summary, timing, warnings,
};
use vinci_run::{Scenery, Used, exit};
use vinci_scene::experiment::Record;

use crate::files::{Files, Verdict};
use crate::forces::Forces;
use crate::judged::{Judged, Watch};
use crate::motion::Motion;
use crate::widths::{self, Widths};

/// The table of ranges of forces, where they were asked for.
pub const INDETERMINACY: &str = "indeterminacy.csv";

/// Makers of the motion and the forces, in the places of stepper and solver: the names of their files.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) stepper: PluginUsed,
    pub(crate) solver: PluginUsed,
}

impl Origin {
    pub(crate) fn of(files: &Files, motion: &Motion, forces: Option<&Forces>) -> Self {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let given =
            |id: String, digest: &str| PluginUsed { id, version: String::new(), digest: digest.into() };
        let found = || PluginUsed {
            id: "forces found by the judge".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            digest: String::new(),
        };
        let contacts = files.contacts.as_deref().zip(forces);
        Self {
            stepper: given(name(&files.trajectory), &motion.digest),
            solver: contacts.map_or_else(found, |(path, forces)| given(name(path), &forces.digest)),
        }
    }
}

/// Stands where a detector was taken from.
struct Taken;

impl Detector for Taken {
    fn detect<'s>(&'s mut self, _: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        Err(StageError::bad_input("there is no detector here"))
    }
}

/// A detector that refuses every query.
pub(crate) fn no_detector() -> Box<dyn Detector> {
    Box::new(Taken)
}

/// Writes the tables of a judged motion, if it is to leave any.
pub(crate) struct Writer {
    out: Option<(PathBuf, Recorder)>,
    curve: Curve,
}

impl Writer {
    pub(crate) fn begin(
        directory: Option<&Path>,
        scenery: &Scenery,
        simulation: &Simulation,
    ) -> std::io::Result<Self> {
        let time = &scenery.loaded.experiment.time;
        let mut curve = Curve::new((time.duration / time.step).ceil() as u64);
        curve.add(0, simulation.time(), simulation.energy(), simulation.q());
        let Some(directory) = directory else { return Ok(Self { out: None, curve }) };
        std::fs::create_dir_all(directory)?;
        write_json(directory, "experiment.json", &scenery.loaded.standalone().to_json())?;
        let (tables, record) = (Tables::new(directory), Record::default());
        let mut recorder = Recorder::open(tables, &simulation.system, &record, simulation.may_deviate())?;
        recorder.initial(&simulation.system, simulation.time(), simulation.q(), simulation.v())?;
        Ok(Self { out: Some((directory.to_owned(), recorder)), curve })
    }

    /// Everything that is left to be written, `summary.json` last. `given`: whether forces were given; `short`: the motion ends early,
    /// in words.
    pub(crate) fn end(
        self,
        (scenery, origin): (&Scenery, Origin),
        judged: Judged,
        (motion, given): (&Motion, bool),
        short: Option<String>,
    ) -> std::io::Result<Verdict> {
        let mut ledger = Ledger::default();
        let (directory, trajectory_hash) = match self.out {
            None => (None, String::new()),
            Some((directory, recorder)) => {
                let (tables, hash) = recorder.finish()?;
                ledger.add(&directory, "experiment.json")?;
                ledger.extend(tables);
                (Some(directory), hash)
            }
        };
        if let Some(directory) = directory.as_ref().filter(|_| !judged.looks.is_empty()) {
            let text = widths::csv(&judged.looks);
            write_atomic(directory, INDETERMINACY, |out| std::io::Write::write_all(out, text.as_bytes()))?;
            ledger.add(directory, INDETERMINACY)?;
        }
        let tally = serde_json::to_value(&judged.tally).map_err(std::io::Error::other)?;
        let (longest, looks) = (judged.longest, judged.looks.clone());
        let mut summary = summary((scenery, origin), judged, (motion, given), trajectory_hash);
        if let Some(message) = short {
            summary.failure = Some(FailureSummary::plain("motion", message, summary.time_end));
            (summary.status, summary.exit_code) = ("failed", exit::NOT_ACCEPTED);
        }
        if let Some(directory) = &directory {
            let html = report::html(&scenery.loaded, &scenery.system, (&summary, directory), &self.curve);
            write_atomic(directory, "report.html", |out| std::io::Write::write_all(out, html.as_bytes()))?;
            ledger.add(directory, "report.html")?;
            ledger.check(directory)?;
        }
        summary.files = ledger.into_files();
        let code = summary.exit_code;
        let mut summary = serde_json::to_value(&summary).map_err(std::io::Error::other)?;
        summary["judged"] = told(tally, given, longest);
        if !looks.is_empty() {
            summary["judged"]["indeterminacy"] = Widths::of(&looks).to_json(&looks);
        }
        if let Some(directory) = &directory {
            write_json(directory, "summary.json", &summary)?;
            forget_earlier(directory);
        }
        Ok(Verdict { summary, code })
    }
}

/// `judged` of the summary.
fn told(mut tally: Value, given: bool, longest: f64) -> Value {
    tally["forces"] = json!(if given { "given" } else { "found" });
    tally["longest_step"] = json!(longest);
    tally
}

impl Watch for Writer {
    fn step(&mut self, system: &System, number: u64, accepted: &Accepted<'_>) -> std::io::Result<()> {
        self.curve.add(number, accepted.t, system.energy(accepted.q, accepted.v), accepted.q);
        match &mut self.out {
            Some((_, recorder)) => recorder.step(system, Some(number), accepted).map(drop),
            None => Ok(()),
        }
    }
}

fn summary(
    (scenery, origin): (&Scenery, Origin),
    judged: Judged,
    (motion, given): (&Motion, bool),
    trajectory_hash: String,
) -> Summary {
    let Judged { simulation, totals, energy, impacts, deviation, .. } = judged;
    let mut referee = totals.summary(energy.r#final - energy.initial, &simulation.system);
    let strays = scenery.settings.deviates;
    referee.not_judged.extend(not_judged(motion, (given, strays), &simulation).map(str::to_owned));
    Summary {
        format: SUMMARY_FORMAT,
        status: "completed",
        exit_code: if referee.accepted { exit::OK } else { exit::NOT_ACCEPTED },
        steps: simulation.step_count(),
        time_end: motion.t.last().copied().unwrap_or(0.0),
        detector: scenery.detector.summary(),
        other_detectors: scenery.others.iter().map(Used::summary).collect(),
        stepper: origin.stepper,
        solver: origin.solver,
        fallbacks: Vec::new(),
        controllers: scenery.controlling.iter().map(Used::summary).collect(),
        solver_chosen: None,
        events: Vec::new(),
        stopped: None,
        bridges: Vec::new(),
        timing: timing(&simulation.timing),
        solver_stats: SolverStats::default().into(),
        referee,
        energy,
        stepping: SteppingSummary::new(simulation.grid_count(), &simulation.counts),
        warnings: warnings(&impacts, &simulation.counts),
        impacts,
        max_command_deviation: (!simulation.may_deviate().is_empty()).then_some(deviation),
        state_hash: state_hash(simulation.q(), simulation.v()),
        trajectory_hash,
        files: Default::default(),
        failure: None,
    }
}

/// Subjects that the verdict says nothing of.
fn not_judged<'a>(
    motion: &Motion,
    (given, strays): (bool, bool),
    simulation: &Simulation,
) -> impl Iterator<Item = &'a str> + use<'a> {
    let system = &simulation.system;
    let held = !(system.joints.is_empty() && system.trees.is_empty() && system.supports.is_empty());
    [
        (!given).then_some(
            "contact forces of the record (it has none: the best within the friction cones count)",
        ),
        (given && held)
            .then_some("forces of joints, limits and support points (the best that are lawful count)"),
        (!motion.has_velocities)
            .then_some("velocities of the record (it has none: they are differences of its places)"),
        (motion.t[0] != 0.0).then_some(
            "the first places and velocities of the record (it begins at another time than the scene)",
        ),
        strays
            .then_some("drives (the stepper that is declared lets driven bodies stay behind their commands)"),
        Some("what happened between the rows, but for bodies that passed through each other"),
    ]
    .into_iter()
    .flatten()
}
