//! Plan of a comparison, kept while it runs, so that it can go on.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::compare_axes::axes;
use super::compare_flags::of_flags;
use super::files::{io_error, is_comparison};
use crate::cli::{ChangeArgs, CompareArgs};
use vinci_abi::Role;
use vinci_compare::measures::Reference;
use vinci_compare::protocols::Protocols;
use vinci_compare::{ComparisonRuns, NotRun};
use vinci_judge::Case;
use vinci_run::Prepared;
use vinci_run::atomic_write::write_json;
use vinci_run::physics::{Physics, of_stepper};
use vinci_run::record::text_hash;
use vinci_run::sealed::FileSum;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::EXPERIMENT_FORMAT;
use vinci_scene::files::{LARGEST_DOCUMENT, read_regular};
use vinci_scene::{Loaded, read_format};

const FORMAT: &str = "vinci/compare-plan@4";

/// The table of a comparison, and its format.
pub(super) const COMPARED: &str = "compare.json";
pub(super) const COMPARE_FORMAT: &str = "vinci/compare@1";

/// File of a directory of results, until the comparison has ended.
pub(super) const PLAN: &str = "compare.plan.json";

/// A comparison.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    format: String,
    pub(super) experiment: PathBuf,
    pub(super) vary: Vec<String>,
    pub(super) changes: ChangeArgs,
    pub(super) strict: bool,
    pub(super) force: bool,
    /// Reference of errors, as the command line names it.
    reference: Option<String>,
    /// True if files for papers are written.
    report: bool,
    /// Measures beside errors, as the command line says them.
    protocols: Protocols,
    runs: Vec<Planned>,
}

/// A combination of a comparison.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Planned {
    /// Its directory among the results.
    folder: String,
    /// The run that is made, or the reason why none is.
    what: Result<PlannedRun, NotRun>,
}

/// A run of a comparison.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlannedRun {
    /// SHA-256 of the `experiment.json` that it writes: experiment and scene, everything resolved.
    experiment: String,
    /// SHA-256 of its plugins.
    plugins: Vec<String>,
    physics: Physics,
}

impl PlannedRun {
    /// A motion that is judged in the place of a run.
    fn of_case(case: &Case) -> Result<Self, Diagnostics> {
        Ok(Self { experiment: written(case.loaded())?, plugins: case.digests(), physics: Physics::default() })
    }

    fn of(prepared: &Prepared) -> Result<Self, Diagnostics> {
        let Prepared { loaded, detector, others, stepper, solvers, controllers, physics, .. } = prepared;
        let experiment = written(loaded)?;
        let mut physics = physics.clone();
        physics.facts.extend(of_stepper(stepper, &loaded.experiment.time));
        let plugins = [detector, stepper].into_iter().chain(others).chain(solvers).chain(controllers);
        Ok(Self {
            experiment,
            plugins: plugins.map(|used| used.plugin.digest().to_owned()).collect(),
            physics,
        })
    }
}

/// SHA-256 of an experiment as a run writes it.
fn written(loaded: &Loaded) -> Result<String, Diagnostics> {
    let text = serde_json::to_string_pretty(&loaded.standalone().to_json());
    let text = text.map_err(|e| io_error("cannot write", &loaded.path, &e.into()))? + "\n";
    Ok(text_hash(&text))
}

impl Plan {
    /// Plan of a command line.
    pub(super) fn new(experiment: &Path, args: &CompareArgs) -> Result<Self, Diagnostics> {
        let unknown = |e: std::io::Error| io_error("cannot find", experiment, &e);
        // Gone on with from anywhere.
        let experiment = std::path::absolute(experiment).map_err(unknown)?;
        if experiment.to_str().is_none() {
            let message = format!("cannot compare {}: its path is not UTF-8", experiment.display());
            let help = "rename the file or its directory: `--resume` finds it by a name in a JSON file";
            return Err(Diagnostic::error(Code::Io, message).help(help).into());
        }
        Ok(Self {
            format: FORMAT.to_owned(),
            experiment,
            vary: args.vary.clone(),
            changes: args.changes.clone(),
            strict: args.strict,
            force: args.force,
            reference: args.reference.clone(),
            report: args.report,
            protocols: of_flags(args)?,
            runs: Vec::new(),
        })
    }

    pub(super) fn read(directory: &Path) -> Result<Self, Diagnostics> {
        let path = directory.join(PLAN);
        let bytes = read_regular(&path, LARGEST_DOCUMENT).map_err(std::io::Error::from);
        let bytes = bytes.map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                let message = format!("{} holds no comparison that can be resumed", directory.display());
                Diagnostic::error(Code::Io, message).help("run the comparison again").into()
            }
            _ => io_error("cannot read", &path, &e),
        })?;
        let read: Result<Self, _> = serde_json::from_slice(&bytes);
        match read {
            Ok(plan) if plan.format == FORMAT => Ok(plan),
            Ok(_) => Err(io_error("cannot read", &path, &std::io::Error::other("another version wrote it"))),
            Err(e) => Err(io_error("cannot read", &path, &e.into())),
        }
    }

    pub(super) fn write(&self, directory: &Path) -> Result<(), Diagnostics> {
        write_json(directory, PLAN, self).map_err(|e| io_error("cannot write to", directory, &e))
    }

    /// The runs that are asked for.
    ///
    /// # Errors
    /// A comparison file that says it all and flags beside it; nothing that is varied; those of reading.
    pub(super) fn asked(&self) -> Result<ComparisonRuns, Diagnostics> {
        let (base, is_file) = (self.changes.overrides()?, is_comparison(&self.experiment));
        let usage = |message: &str, help: &str| Diagnostic::error(Code::Usage, message).help(help).into();
        match (is_file, self.vary.is_empty()) {
            (true, true) => ComparisonRuns::of_file(&self.experiment, &base),
            (true, false) => Err(usage(
                "a comparison file says what is varied",
                "write it into its `matrix`, or leave --vary out",
            )),
            // What cannot be read is no experiment either.
            (false, true) => read_format(&self.experiment, EXPERIMENT_FORMAT).and(Err(usage(
                "nothing is varied",
                "add --vary WHAT=A,B, for example --vary solver=lemke,newton; or name a comparison file",
            ))),
            (false, false) => ComparisonRuns::of_axes(&self.experiment, &base, &axes(&self.vary)?),
        }
    }

    /// Reference of errors: the command line's word counts, else the file's.
    ///
    /// # Errors
    /// A text that names no reference.
    pub(super) fn reference(&self, asked: &ComparisonRuns) -> Result<Option<Reference>, Diagnostics> {
        let named = self.reference.as_deref().map(Reference::parse).transpose()?;
        Ok(named.or_else(|| asked.reference.clone()))
    }

    /// Returns true if files for papers are written.
    pub(super) fn has_report(&self, asked: &ComparisonRuns) -> bool {
        let has_reference = self.reference.is_some() || asked.reference.is_some();
        self.report || has_reference || !self.protocols(asked).is_empty()
    }

    /// Measures beside errors: the command line's word counts, else the file's.
    pub(super) fn protocols(&self, asked: &ComparisonRuns) -> Protocols {
        self.protocols.clone().over(&asked.protocols)
    }

    /// Adds the next combination, which can run.
    pub(super) fn add(&mut self, folder: String, prepared: &Prepared) -> Result<(), Diagnostics> {
        self.runs.push(Planned { folder, what: Ok(PlannedRun::of(prepared)?) });
        Ok(())
    }

    /// Adds the next combination, a motion that is judged.
    pub(super) fn add_case(&mut self, folder: String, case: &Case) -> Result<(), Diagnostics> {
        self.runs.push(Planned { folder, what: Ok(PlannedRun::of_case(case)?) });
        Ok(())
    }

    /// Adds the next combination, which cannot.
    pub(super) fn leave_out(&mut self, folder: String, why: NotRun) {
        self.runs.push(Planned { folder, what: Err(why) });
    }

    /// Reason why combination `k` is not run, if it is not.
    pub(super) fn not_run(&self, k: usize) -> Option<&NotRun> {
        self.runs.get(k)?.what.as_ref().err()
    }

    fn run(&self, k: usize) -> Option<&PlannedRun> {
        self.runs.get(k)?.what.as_ref().ok()
    }

    /// Directories of the runs.
    pub(super) fn folders(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().filter(|one| one.what.is_ok()).map(|one| one.folder.as_str())
    }

    /// Physics that the runs take from their scenes, in their order.
    pub(super) fn physics(&self) -> impl Iterator<Item = &Physics> {
        self.runs.iter().filter_map(|one| one.what.as_ref().ok()).map(|run| &run.physics)
    }

    /// Looks whether run `k` is still what it was.
    pub(super) fn check(&self, k: usize, prepared: &Prepared) -> Result<(), Diagnostics> {
        self.check_run(k, &PlannedRun::of(prepared)?)
    }

    /// Checks that a motion that is judged is the planned one.
    pub(super) fn check_case(&self, k: usize, case: &Case) -> Result<(), Diagnostics> {
        self.check_run(k, &PlannedRun::of_case(case)?)
    }

    fn check_run(&self, k: usize, now: &PlannedRun) -> Result<(), Diagnostics> {
        let is_same = |run: &PlannedRun| (&run.experiment, &run.plugins) == (&now.experiment, &now.plugins);
        if self.run(k).is_some_and(is_same) {
            return Ok(());
        }
        let message = "a file of the comparison (experiment, scene or plugins) was changed since it began";
        let help = "put the files back to go on, or compare anew";
        Err(Diagnostic::error(Code::Io, message).help(help).into())
    }

    /// Looks whether the run that stands in a directory, if one does, is run `k`.
    pub(super) fn check_directory(&self, k: usize, directory: &Path) -> Result<(), Diagnostics> {
        let path = directory.join("experiment.json");
        if !path.exists() {
            return Ok(());
        }
        let found = FileSum::of(&path).map_err(|e| io_error("cannot read", &path, &e))?;
        match self.run(k).is_some_and(|run| run.experiment == found.sha256) {
            true => Ok(()),
            false => Err(stranger(directory, "its experiment")),
        }
    }

    /// Looks whether a summary is that of run `k`.
    pub(super) fn check_summary(
        &self,
        k: usize,
        directory: &Path,
        summary: &Value,
    ) -> Result<(), Diagnostics> {
        let one = ["detector", "stepper"].into_iter().map(|role| &summary[role]);
        let list = |key: &str| summary[key].as_array().into_iter().flatten();
        let all = one.chain(list("other_detectors")).chain([&summary["solver"]]).chain(list("fallbacks"));
        let all = all.chain(list(Role::Controller.key()));
        let run = self.run(k);
        if !run.is_some_and(|run| summary["files"]["experiment.json"]["sha256"] == run.experiment) {
            return Err(stranger(directory, "its experiment"));
        }
        match run.is_some_and(|run| all.map(|plugin| &plugin["digest"]).eq(&run.plugins)) {
            true => Ok(()),
            false => Err(stranger(directory, "a library of its plugins")),
        }
    }
}

/// Refusal of a directory that holds a run of another comparison.
fn stranger(directory: &Path, what: &str) -> Diagnostics {
    let place = directory.display();
    let message = format!("{place} holds a run of another comparison: {what} differs");
    let help = "move it elsewhere to have the run made anew, or compare anew";
    Diagnostic::error(Code::Io, message).help(help).into()
}
