//! `cargo xtask archive`: problems of the shipped experiments under several steppers, and every solver on them, as a page of the book.
//!
//! `vinci run --record-problems always` keeps them; `vinci bench solvers` solves them, judges and draws the profile. Problems are spread
//! over each run: one of every [`EVERY`].

mod page;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::gallery::{Entry, Gallery};
use crate::shell::{cargo, ended_within, root, run, target};

/// Steps of every run.
const STEPS: u32 = 40;
/// One of so many problems is kept.
const EVERY: usize = 5;
/// Unknowns of a problem at most: larger ones take some solvers minutes.
const UNKNOWNS: u64 = 600;
/// Time of a run at most, s.
const LONGEST: u64 = 60;
/// Steppers, beside each experiment's own model. Those of class Root have callbacks, and no file.
const STEPPERS: [&str; 5] =
    ["stewart-trinkle", "anitescu-potra", "song-pang-kumar", "anitescu-qp", "quasistatic-miqp"];
/// Every solver that takes what a file can hold.
const SOLVERS: &str = "lemke,newton,pgs,nsgs,accelerated-gs,active-set,branch-and-bound,clarabel";

/// What the runs left.
#[derive(Default)]
struct Archive {
    /// Problems by class, one per line.
    problems: BTreeMap<String, Vec<String>>,
    /// Problems that are too large.
    large: usize,
    /// Runs that have problems, and those that have none: refused, without contacts, or of class Root.
    runs: [usize; 2],
}

/// Records, solves, and writes the page.
pub(crate) fn build() -> Result<(), String> {
    run(cargo().args(["build", "--release"]))?;
    let mut archive = Archive::default();
    for entry in &Gallery::read()?.scenes {
        archive.take(entry, None)?;
        STEPPERS.iter().try_for_each(|stepper| archive.take(entry, Some(stepper)))?;
    }
    let files = archive.write()?;
    let solved: Result<Vec<_>, _> = files.iter().map(|(class, file)| solve(class, file)).collect();
    page::write(&archive, &solved?)
}

impl Archive {
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

    /// A file per class, with its class.
    fn write(&self) -> Result<Vec<(String, PathBuf)>, String> {
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

/// All solvers on the problems of a class: what `vinci bench solvers` says, with the picture in the book.
fn solve(class: &str, file: &Path) -> Result<page::Solved, String> {
    let picture = format!("profile-{}.svg", class.to_lowercase());
    let mut command = vinci();
    command.args(["bench", "solvers"]).arg(file).args(["--solver", SOLVERS, "--json", "--profile"]);
    command.arg(root().join("docs/src/figures").join(&picture));
    let done = command.output().map_err(|e| format!("vinci: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout);
    let said = serde_json::from_str(&text)
        .map_err(|e| format!("{class}: {e}\n{}", String::from_utf8_lossy(&done.stderr)))?;
    Ok(page::Solved { class: class.to_owned(), picture, said })
}

fn vinci() -> Command {
    let mut command =
        Command::new(target().join("release").join(format!("vinci{}", std::env::consts::EXE_SUFFIX)));
    command.current_dir(root());
    command
}

fn place() -> PathBuf {
    target().join("archive")
}
