//! Memcheck over a short run of every stepper and every solver: reads of dead frames and of memory that nobody set, which tests
//! pass by chance.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::highs;
use crate::shell::{self, answers, library, plugins, program, root, target};

/// Exit code of a process in which memcheck found something; the program itself has none as high.
const FOUND: i32 = 99;

/// A scene, the plugins of its short run, the time of some ten steps in s, and what else the command line says.
struct Run(&'static str, &'static [&'static str], &'static str, &'static [&'static str]);

/// Together every stepper and every solver.
const RUNS: &[Run] = &[
    Run("block-stack-10", &["stewart-trinkle", "lemke"], "0.05", &[]),
    Run("block-stack-10", &["stewart-trinkle", "newton"], "0.05", &["--solver", "newton"]),
    Run("block-stack-10", &["stewart-trinkle", "pgs"], "0.03", &["--solver", "pgs"]),
    Run("slide-tripod", &["stewart-trinkle", "nsgs"], "0.05", &[]),
    Run("slide-to-roll-3d", &["stewart-trinkle", "nsgs"], "0.02", &["--solver", "nsgs"]),
    Run("slide-to-roll-3d", &["stewart-trinkle", "accelerated-gs"], "0.02", &["--solver", "accelerated-gs"]),
    Run("pendulum-4bar", &["stewart-trinkle", "lemke"], "0.01", &[]),
    Run("ellipse-rocking", &["stewart-trinkle", "lemke"], "0.005", &[]),
    Run("newton-cradle-3-sequential", &["anitescu-potra", "lemke"], "0.1", &[]),
    Run("bouncing-ball-backup", &["anitescu-potra", "lemke"], "0.02", &[]),
    Run("gripper-2d-qp", &["anitescu-qp", "active-set"], "0.1", &[]),
    Run("box-block-pile-socp", &["anitescu-qp", "clarabel"], "0.05", &[]),
    Run("tamsi-box", &["implicit-euler", "newton-tals"], "0.05", &["--stepper", "implicit-euler"]),
    Run("gripper-2d-miqp", &["quasistatic-miqp", "branch-and-bound"], "0.02", &[]),
    Run("compliant-bounce", &["song-pang-kumar", "lemke"], "0.001", &[]),
    Run("tamsi-box", &["tamsi", "newton-tals"], "0.05", &[]),
    Run("stiff-spring-slider", &["trapezoidal", "lemke"], "0.01", &[]),
];

/// Only where its plugin was built.
const HIGHS: Run = Run("gripper-2d-qp", &["anitescu-qp", "highs"], "0.05", &["--solver", "highs"]);

/// Builds the program and its plugins and runs them under memcheck.
pub(crate) fn check() -> Result<(), String> {
    if !answers(&["valgrind", "--version"]) {
        return Err("valgrind is not installed (apt-get install valgrind)".into());
    }
    shell::build()?;
    check_built()
}

/// Runs memcheck on what the tests have built; does nothing where valgrind is not installed.
pub(crate) fn in_lane() -> Result<(), String> {
    if answers(&["valgrind", "--version"]) { check_built() } else { Ok(()) }
}

fn check_built() -> Result<(), String> {
    check_complete(&shipped()?)?;
    let highs = highs::place().join("release");
    let highs = highs.join(library("solver-highs")).is_file().then_some(highs);
    if highs.is_none() {
        eprintln!("solver-highs was not built (cargo xtask highs): it is not run under valgrind");
    }
    let runs: Vec<(&Run, Option<&Path>)> =
        RUNS.iter().map(|one| (one, None)).chain(highs.as_deref().map(|at| (&HIGHS, Some(at)))).collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some((one, plugins)) = runs.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(wrong) = one.memcheck(*plugins) {
                found.lock().unwrap_or_else(PoisonError::into_inner).push(wrong);
            }
        }
    };
    // Nothing of memcheck runs on more than one core.
    std::thread::scope(|scope| (0..cores()).for_each(|_| drop(scope.spawn(work))));
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    if found.is_empty() { Ok(()) } else { Err(found.join("\n        ")) }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Directories of steppers and solvers that are shipped.
fn shipped() -> Result<BTreeSet<String>, String> {
    let mut names = plugins()?;
    names.retain(|n| n.starts_with("stepper-") || n.starts_with("solver-"));
    Ok(names)
}

/// A plugin without a run would look clean.
fn check_complete(shipped: &BTreeSet<String>) -> Result<(), String> {
    let covered: BTreeSet<&str> =
        RUNS.iter().chain([&HIGHS]).flat_map(|Run(_, plugins, ..)| plugins.iter().copied()).collect();
    let short = |name: &str| name.split_once('-').map_or(String::new(), |(_, short)| short.to_owned());
    match shipped.iter().find(|name| !covered.contains(short(name).as_str())) {
        Some(name) => {
            Err(format!("plugins/{name} has no run under valgrind: add one to xtask/src/valgrind.rs"))
        }
        None => Ok(()),
    }
}

impl Run {
    fn memcheck(&self, plugins: Option<&Path>) -> Result<(), String> {
        let Run(scene, names, ..) = self;
        eprintln!("{scene}: {}", names.join(", "));
        match self.command(plugins, "--track-origins=no")?.code() {
            Some(0) => Ok(()),
            Some(FOUND) => {
                // Once more, slowly: where the bytes came from.
                self.command(plugins, "--track-origins=yes")?;
                Err(format!("memcheck found errors in {scene} with {}", names.join(", ")))
            }
            code => Err(format!("{scene} with {} did not run ({code:?})", names.join(", "))),
        }
    }

    fn command(&self, plugins: Option<&Path>, origins: &str) -> Result<ExitStatus, String> {
        let Run(scene, names, duration, more) = self;
        let directory = target().join("valgrind").join(format!("{scene}-{}", names.join("-")));
        let mut command = Command::new("valgrind");
        command.current_dir(root());
        command.args(["--quiet", &format!("--error-exitcode={FOUND}"), origins]);
        command.arg(program("debug")).args(["--quiet", "run"]);
        command.arg(root().join("host/scenes").join(format!("{scene}.json")));
        command.args(["--duration", duration, "--force", "--out"]).arg(&directory).args(*more);
        if let Some(plugins) = plugins {
            command.arg("--plugin-dir").arg(plugins);
        }
        command.status().map_err(|e| format!("valgrind: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_stepper_and_solver_has_a_run() {
        check_complete(&shipped().unwrap()).unwrap();
        let error = check_complete(&BTreeSet::from(["solver-new".to_owned()])).unwrap_err();
        assert!(error.starts_with("plugins/solver-new has no run"), "{error}");
    }
}
