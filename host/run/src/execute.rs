//! The loop of a run and its end.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::checkpoint::Checkpoint;
use super::recording::{Pace, Recording};
use super::run_loop::run_loop;
use super::state::States;
use super::surroundings::Surroundings;
use super::turns::Turn;
use super::writing::{Stopped, Writing};
use crate::prepared::Prepared;
use crate::signals::Stop;
use crate::summary::Summary;
use vinci_engine::pipeline::StepFailure;

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

/// Guidance of a run besides its experiment: signals, checkpoints, saved states.
#[derive(Debug, Default)]
pub struct Guidance {
    /// Request to stop: the run then ends with its step, and can go on later.
    pub stop: Stop,
    /// How often it writes a checkpoint on its way; at its start too.
    pub checkpoint_every: Option<Duration>,
    /// Where it goes on.
    pub from: Option<Checkpoint>,
    /// Working directory and streams of the process before any plugin was loaded.
    pub surroundings: Option<Surroundings>,
    /// Its place among runs that take turns.
    pub turn: Option<Turn>,
}

/// How the loop ended.
struct Ended {
    failure: Option<(StepFailure, f64)>,
    stopped: Option<Stopped>,
}

/// Runs to the end (or to the first failure) and writes the directory, `summary.json` last.
/// `progress` is called after every accepted step with the time reached.
///
/// Errors: only of input and output; a failed step is an end like others.
pub fn execute(prepared: Prepared, directory: &Path, progress: impl FnMut(f64)) -> std::io::Result<RunEnd> {
    execute_guided(prepared, directory, Guidance::default(), progress)
}

/// Executes a run that can be stopped from outside, writes checkpoints, or goes on from one. A run that is stopped ends with a checkpoint and without
/// `summary.json`; one that comes to no grid time within five seconds ends without a new checkpoint.
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
    let Guidance { stop, checkpoint_every, from, surroundings, turn } = guidance;
    let mut writing = match from {
        None => Writing::begin(&mut prepared, &place)?,
        Some(checkpoint) => Writing::go_on(&mut prepared, &place, checkpoint)?,
    };
    let mut pace = Pace { stop, every: checkpoint_every, surroundings, turn, ..Pace::default() };
    let ended = run_steps(&mut prepared, &mut writing, &mut pace, &mut progress)?;
    if let Some(stopped) = ended.stopped {
        return Ok(RunEnd::of(writing.stop(&mut prepared, stopped)?, directory));
    }
    pace.put_back();
    let summary = writing.end(prepared, ended.failure, pace.damage.take())?;
    Ok(RunEnd::of(summary, directory))
}

impl RunEnd {
    fn of(summary: Summary, directory: &Path) -> Self {
        Self { code: summary.exit_code, summary, directory: directory.to_path_buf() }
    }
}

fn run_steps(
    prepared: &mut Prepared,
    writing: &mut Writing,
    pace: &mut Pace,
    progress: &mut impl FnMut(f64),
) -> std::io::Result<Ended> {
    let duration = prepared.loaded.experiment.time.duration;
    let times = &prepared.loaded.experiment.record.states;
    let states = States::new(&writing.directory, times, &prepared.simulation);
    let mut recording = Recording { writing, pace, states, duration, stopped: None, progress };
    let failure = run_loop(prepared, duration, &mut recording)?;
    Ok(Ended { failure, stopped: recording.stopped })
}
