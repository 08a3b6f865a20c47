//! Problems of the shipped experiments under several steppers, spread over each run: one of every [`EVERY`].

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::gallery::Entry;
use crate::shell::{ended_within, program, root, target};

/// Steps of every run.
pub(super) const STEPS: u32 = 40;
/// One of so many problems is kept.
pub(super) const EVERY: usize = 8;
/// Unknowns of a problem at most.
pub(super) const UNKNOWNS: u64 = 600;
/// Time of a run at most, s.
pub(super) const LONGEST: u64 = 20;
/// Time of a solve at most, s: some solvers take minutes for some problems.
pub(super) const LIMIT: f64 = 1.0;
/// Steppers, beside each experiment's own model. Those of class Root have callbacks, and no file.
const STEPPERS: [&str; 5] =
    ["stewart-trinkle", "anitescu-potra", "song-pang-kumar", "anitescu-qp", "quasistatic-miqp"];

/// Problems that the runs left.
#[derive(Default)]
pub(super) struct Archive {
    /// Problems by class, one per line.
    pub(super) problems: BTreeMap<String, Vec<String>>,
    /// Problems that are too large.
    pub(super) large: usize,
    /// Runs that have problems, and those that have none: refused, without contacts, or of class Root.
    pub(super) runs: [usize; 2],
}

impl Archive {
    /// Runs an experiment under its own model and under all steppers.
    pub(super) fn take_all(&mut self, entry: &Entry) -> Result<(), String> {
        self.take(entry, None)?;
        STEPPERS.iter().try_for_each(|stepper| self.take(entry, Some(stepper)))
    }

    /// Runs an experiment under its own model or another stepper, and takes its problems.
    fn take(&mut self, entry: &Entry, stepper: Option<&str>) -> Result<(), String> {
        let name = format!("{}-{}", entry.name, stepper.unwrap_or("own"));
        let directory = place().join(&name);
        record(entry, stepper, &directory)?;
        let lines = match std::fs::File::open(directory.join("problems.jsonl")) {
            Ok(file) => BufReader::new(file).lines().step_by(EVERY).map_while(Result::ok).collect(),
            Err(_) => Vec::new(),
        };
        self.runs[usize::from(lines.is_empty())] += 1;
        lines.iter().try_for_each(|line| self.add(&name, line))
    }

    fn add(&mut self, name: &str, line: &str) -> Result<(), String> {
        let mut problem: Value = serde_json::from_str(line).map_err(|e| format!("{name}: {e}"))?;
        let class = problem["class"].as_str().unwrap_or_default().to_owned();
        let at = problem["name"].as_str().unwrap_or_default().to_owned();
        problem["name"] = Value::from(format!("{name} {at}"));
        if problem["n"].as_u64().is_some_and(|n| n > UNKNOWNS) {
            self.large += 1;
        } else {
            self.problems.entry(class).or_default().push(problem.to_string());
        }
        Ok(())
    }

    /// Unknowns of the problems of a class, ascending.
    pub(super) fn sizes(&self, class: &str) -> Vec<u64> {
        let lines = self.problems.get(class).into_iter().flatten();
        let parsed = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut sizes: Vec<u64> = parsed.filter_map(|problem| problem["n"].as_u64()).collect();
        sizes.sort_unstable();
        sizes
    }

    /// A file per class, with its class.
    pub(super) fn write(&self) -> Result<Vec<(String, PathBuf)>, String> {
        let put = |(class, lines): (&String, &Vec<String>)| {
            let path = place().join(format!("{}.jsonl", class.to_lowercase()));
            let write = || {
                let mut file = std::fs::File::create(&path)?;
                lines.iter().try_for_each(|line| writeln!(file, "{line}"))
            };
            write().map(|()| (class.clone(), path.clone())).map_err(|e| format!("{}: {e}", path.display()))
        };
        self.problems.iter().map(put).collect()
    }
}

/// A run that cannot be made leaves no problems, and is counted.
fn record(entry: &Entry, stepper: Option<&str>, directory: &Path) -> Result<(), String> {
    let step = entry.step / 2.0;
    let mut command = vinci();
    command.arg("--quiet").arg("run").arg(entry.experiment()).args([
        "--record-problems",
        "always",
        "--force",
    ]);
    command.args(["--step", &step.to_string(), "--duration", &(f64::from(STEPS) * step).to_string()]);
    command.arg("--out").arg(directory);
    if let Some(stepper) = stepper {
        command.args(["--stepper", stepper, "--solver", "auto"]);
    }
    ended_within(command.stdout(Stdio::null()).stderr(Stdio::null()), LONGEST).map(drop)
}

/// The program, as it was built for use.
pub(super) fn vinci() -> Command {
    let mut command = Command::new(program("release"));
    command.current_dir(root());
    command
}

fn place() -> PathBuf {
    target().join("archive")
}
