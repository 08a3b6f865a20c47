//! Checkpoints, from which a run that was stopped or killed goes on to the same bits: its state, the lengths of its tables, and everything that
//! it gathered for its summary, behind a digest. CBOR, because what was gathered may be no numbers, for which JSON has no form.

use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::prepare::prepare;
use super::state::{END, StateFile, put_back, state_of};
use crate::atomic_write::write_atomic;
use crate::gathered::{Begun, Gathered};
use crate::pictures;
use crate::prepared::Prepared;
use crate::scheduled_events::FiredEvent;
use crate::sealed::{Ledger, Synced};
use vinci_engine::pipeline::{Passing, SolverStats, StepCounts, Timing};
use vinci_engine::registry::Registry;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::read_regular;
use vinci_scene::{Override, load_running};

const FORMAT: &str = "vinci/checkpoint@1";

/// Largest checkpoint that is read, bytes.
const LARGEST: u64 = 4 << 30;

/// File of a directory of results, there from the first checkpoint to the end of the run.
pub const CHECKPOINT: &str = "checkpoint.cbor";

/// A place in a run, between two of its steps.
#[derive(Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    format: String,
    /// Version of the host.
    host: String,
    /// The experiment as it was named: results are called after it.
    experiment: String,
    /// True if the host chose the solver, and chooses again where the stepper changes.
    default_solver: bool,
    state: StateFile,
    /// Where the last step began, and what the referee saw there.
    passing: Passing,
    seen: Vec<f64>,
    /// Departures of the run from its scene, in words.
    told: Vec<String>,
    pub(super) begun: Begun,
    pub(super) gathered: Gathered,
    pub(super) pictures: Vec<pictures::Gathered>,
    fired: Vec<FiredEvent>,
    replayed: Vec<usize>,
    warnings: Vec<String>,
    counts: StepCounts,
    stats: SolverStats,
    #[serde(rename = "crossed")]
    bridged_routes: Vec<String>,
    timing: Timing,
    /// True if the run follows the races of another one.
    #[serde(default)]
    pub(super) follows: bool,
    /// The tables as far as they were written.
    pub(super) tables: Synced,
    /// The files that are whole.
    pub(super) files: Ledger,
}

/// Parts of a checkpoint beside the simulation.
pub(super) struct Written<'a> {
    pub(super) begun: &'a Begun,
    pub(super) gathered: &'a Gathered,
    pub(super) pictures: Vec<pictures::Gathered>,
    pub(super) tables: Synced,
    pub(super) files: &'a Ledger,
    /// Wall time of the run so far, s.
    pub(super) seconds: f64,
}

impl Checkpoint {
    /// Where a run stands.
    pub(super) fn of(prepared: &Prepared, written: Written<'_>) -> Self {
        let (simulation, scheduled) = (&prepared.simulation, &prepared.scheduled);
        let mut timing = simulation.timing;
        timing.total = written.seconds;
        let (passing, seen) = simulation.looking_back();
        Self {
            format: FORMAT.to_owned(),
            host: env!("CARGO_PKG_VERSION").to_owned(),
            experiment: prepared.loaded.path.to_string_lossy().into_owned(),
            default_solver: prepared.loaded.default_solver,
            state: state_of(prepared),
            passing: passing.clone(),
            seen,
            told: prepared.physics.told.clone(),
            begun: written.begun.clone(),
            gathered: written.gathered.clone(),
            pictures: written.pictures,
            fired: scheduled.fired().to_vec(),
            replayed: scheduled.replayed().to_vec(),
            warnings: scheduled.warnings().to_vec(),
            counts: simulation.counts.clone(),
            stats: simulation.solvers.stats,
            bridged_routes: simulation.solvers.bridged_routes(),
            timing,
            follows: simulation.solvers.race_log.follows(),
            tables: written.tables,
            files: written.files.clone(),
        }
    }

    /// Writes it; an older one stays until the new one is there.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn write(&self, directory: &Path) -> io::Result<()> {
        let mut bytes = Vec::new();
        ciborium::into_writer(self, &mut bytes).map_err(io::Error::other)?;
        write_atomic(directory, CHECKPOINT, |out| {
            out.write_all(&Sha256::digest(&bytes))?;
            out.write_all(&bytes)
        })
    }

    /// A digest comes first: what is gathered for the summary may be damaged and still make sense.
    fn read(directory: &Path) -> io::Result<Self> {
        let bytes = read_regular(&directory.join(CHECKPOINT), LARGEST)?;
        let (digest, bytes) = bytes.split_at_checked(32).ok_or_else(|| io::Error::other("it is cut off"))?;
        if digest != Sha256::digest(bytes).as_slice() {
            return Err(io::Error::other("it is damaged"));
        }
        let read: Self = ciborium::from_reader(bytes).map_err(io::Error::other)?;
        if (read.format.as_str(), read.host.as_str()) == (FORMAT, env!("CARGO_PKG_VERSION")) {
            Ok(read)
        } else {
            Err(io::Error::other(format!("it is of vinci {}", read.host)))
        }
    }

    /// Wall time of the run before it, s.
    pub(super) fn seconds(&self) -> f64 {
        self.timing.total
    }

    /// Lays what was counted and told over a simulation that stands in this state.
    fn count_on(&mut self, prepared: &mut Prepared) {
        prepared.physics.told = std::mem::take(&mut self.told);
        let simulation = &mut prepared.simulation;
        (simulation.counts, simulation.timing) = (std::mem::take(&mut self.counts), self.timing);
        simulation.solvers.go_on(self.stats, std::mem::take(&mut self.bridged_routes));
        let (fired, replayed) = (std::mem::take(&mut self.fired), std::mem::take(&mut self.replayed));
        prepared.scheduled.go_on(fired, replayed, std::mem::take(&mut self.warnings));
    }
}

/// Removes the checkpoint of a run that has ended.
pub fn remove(directory: &Path) -> io::Result<()> {
    remove_if_there(directory, &[CHECKPOINT, &format!("{CHECKPOINT}.part")])
}

/// Removes the end of a run that goes on: the state it was stopped in is not that of its end.
pub(super) fn reopen(directory: &Path) -> io::Result<()> {
    remove_if_there(directory, &[END])
}

fn remove_if_there(directory: &Path, names: &[&str]) -> io::Result<()> {
    for name in names {
        match std::fs::remove_file(directory.join(name)) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// Takes a run up where its last checkpoint is, with changes that change no bit of it (`threads`). Nothing is written.
///
/// # Errors
/// No checkpoint, or one that cannot be read; files, plugins or a host that are not those of the run.
pub fn take_up(
    directory: &Path,
    registry: &Registry,
    changes: &[Override],
) -> Result<(Prepared, Checkpoint), Diagnostics> {
    let wrong = |what: String| -> Diagnostics {
        let message = format!("the run in {} cannot go on: {what}", directory.display());
        Diagnostic::error(Code::Io, message).help("run the experiment again").into()
    };
    let mut checkpoint = Checkpoint::read(directory).map_err(|e| match e.kind() {
        ErrorKind::NotFound => wrong("it has no checkpoint".into()),
        _ => wrong(format!("its checkpoint cannot be read: {e}")),
    })?;
    checkpoint.files.check(directory).map_err(|e| wrong(e.to_string()))?;
    let mut loaded = load_running(&directory.join("experiment.json"), changes)?;
    loaded.default_solver = checkpoint.default_solver;
    let mut prepared = prepare(loaded, registry)?;
    prepared.loaded.path = PathBuf::from(&checkpoint.experiment);
    let begun = Begun::of(&prepared);
    if !checkpoint.begun.has_as_many(&begun) {
        return Err(wrong("it began with another number of plugins".into()));
    }
    if let Some((was, is)) = checkpoint.begun.other(&begun) {
        return Err(wrong(format!(
            "{} {} is not the library it began with ({} {})",
            is.id, is.digest, was.version, was.digest
        )));
    }
    let before = (&checkpoint.passing, checkpoint.seen.as_slice());
    put_back(&mut prepared, &checkpoint.state, before).map_err(wrong)?;
    checkpoint.count_on(&mut prepared);
    Ok((prepared, checkpoint))
}
