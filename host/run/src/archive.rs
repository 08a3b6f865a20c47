//! `problems.jsonl`: the problems of a run that are kept, one to a line, for `vinci bench solvers`.

use std::io::Write;
use std::time::Duration;

use super::repro::describe;
use super::sealed::{FileSum, Sums, Table, Tables};
use crate::problem_file;
use vinci_core::model::System;
use vinci_engine::pipeline::{Keep, ProblemLog, Simulation};
use vinci_scene::experiment::KeptProblems;

/// The file of the archive.
pub const ARCHIVE: &str = "problems.jsonl";

/// Problems that an experiment asks to keep, for the engine.
pub(super) fn keep(problems: KeptProblems) -> Keep {
    match problems {
        KeptProblems::Always => Keep::Always,
        KeptProblems::Failed => Keep::Failed,
        // The schema leaves no negative number; one that is too long is longer than any solve.
        KeptProblems::SlowerThan(s) => Keep::Slow(Duration::try_from_secs_f64(s).unwrap_or(Duration::MAX)),
        KeptProblems::ResidualAbove(residual) => Keep::Residual(residual),
    }
}

/// Writes what a simulation keeps.
pub(super) struct Archive {
    table: Table,
    name: String,
}

impl Archive {
    /// Opens the archive of a run, a new one or that of a run that goes on, and has its problems kept. `name` stands before the steps.
    ///
    /// # Errors
    /// Of input and output.
    pub(super) fn open(
        tables: &Tables,
        (keep, name): (Keep, &str),
        simulation: &mut Simulation,
    ) -> std::io::Result<Self> {
        simulation.problem_log = Some(ProblemLog::new(keep));
        Ok(Self { table: tables.open_plain(ARCHIVE)?, name: name.to_owned() })
    }

    /// Writes the problems that were kept since the last call.
    ///
    /// # Errors
    /// Of output.
    pub(super) fn write(&mut self, simulation: &mut Simulation) -> std::io::Result<()> {
        let Simulation { problem_log: Some(log), system, .. } = simulation else { return Ok(()) };
        let system: &System = system;
        for kept in log.take() {
            let name = format!("{}step {}", self.name, kept.step);
            let what = |tag: &_| describe(tag, system, &kept.contacts);
            let line = problem_file::write_line(&name, &kept.problem, what)?;
            self.table.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// Brings everything written so far to the disk.
    pub(super) fn sync(&mut self) -> std::io::Result<(String, FileSum)> {
        self.table.sync()
    }

    /// Gives the file its name.
    pub(super) fn seal(self) -> std::io::Result<(String, Sums)> {
        self.table.seal()
    }
}

/// The warning about problems that no file holds, if there were any.
pub(super) fn warning(simulation: &Simulation) -> Option<String> {
    let bound = simulation.problem_log.as_ref().map_or(0, ProblemLog::bound);
    let told = || {
        format!("{bound} problems of class Root are not in `{ARCHIVE}`: only their stepper can evaluate them")
    };
    (bound > 0).then(told)
}
