//! What a comparison consists of, kept while it runs, so that it can go on.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::io_error;
use crate::cli::{ChangeArgs, CompareArgs};
use vinci_run::Prepared;
use vinci_run::atomic_write::write_json;
use vinci_run::physics::Physics;
use vinci_run::record::text_hash;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

const FORMAT: &str = "vinci/compare-plan@1";

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
    runs: Vec<Planned>,
}

/// A run of a comparison.
#[derive(Debug, Serialize, Deserialize)]
struct Planned {
    /// Hash of experiment, scene and plugins.
    identity: String,
    physics: Physics,
}

impl Plan {
    /// Of a command line.
    pub(super) fn new(experiment: &Path, args: &CompareArgs) -> Result<Self, Diagnostics> {
        let unknown = |e: std::io::Error| io_error("cannot find", experiment, &e);
        Ok(Self {
            format: FORMAT.to_owned(),
            // Gone on with from anywhere.
            experiment: std::path::absolute(experiment).map_err(unknown)?,
            vary: args.vary.clone(),
            changes: args.changes.clone(),
            strict: args.strict,
            force: args.force,
            runs: Vec::new(),
        })
    }

    pub(super) fn read(directory: &Path) -> Result<Self, Diagnostics> {
        let path = directory.join(PLAN);
        let text = std::fs::read_to_string(&path).map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => {
                let message = format!("there is no comparison in {} that could go on", directory.display());
                Diagnostic::error(Code::Io, message).into()
            }
            _ => io_error("cannot read", &path, &e),
        })?;
        let read: Result<Self, _> = serde_json::from_str(&text);
        match read {
            Ok(plan) if plan.format == FORMAT => Ok(plan),
            Ok(_) => Err(io_error("cannot read", &path, &std::io::Error::other("another version wrote it"))),
            Err(e) => Err(io_error("cannot read", &path, &e.into())),
        }
    }

    pub(super) fn write(&self, directory: &Path) -> Result<(), Diagnostics> {
        write_json(directory, PLAN, self).map_err(|e| io_error("cannot write to", directory, &e))
    }

    /// Adds the next run.
    pub(super) fn add(&mut self, prepared: &Prepared) {
        let (identity, physics) = (identity(prepared), prepared.physics.clone());
        self.runs.push(Planned { identity, physics });
    }

    /// What the runs take from their scenes, in their order.
    pub(super) fn physics(&self) -> impl Iterator<Item = &Physics> {
        self.runs.iter().map(|run| &run.physics)
    }

    /// Looks whether run `k` is still what it was.
    pub(super) fn check(&self, k: usize, prepared: &Prepared) -> Result<(), Diagnostics> {
        if self.runs.get(k).is_some_and(|run| run.identity == identity(prepared)) {
            return Ok(());
        }
        let message = "a file of the comparison (experiment, scene or plugins) was changed since it began";
        let help = "put the files back to go on, or compare anew";
        Err(Diagnostic::error(Code::Io, message).help(help).into())
    }
}

fn identity(prepared: &Prepared) -> String {
    let Prepared { loaded, detector, others, stepper, solvers, .. } = prepared;
    let plugins = [detector, stepper].into_iter().chain(others).chain(solvers);
    let digests: String = plugins.map(|used| used.plugin.digest()).collect();
    text_hash(&format!("{} {digests}", loaded.resolved().to_json()))
}
