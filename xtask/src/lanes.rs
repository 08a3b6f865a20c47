//! The two lanes of tests: what a change needs, and everything.

use crate::setup::tell_missing;
use crate::shell::{self, answers, cargo, is_linting, linted, root, run};
use crate::{docs, gallery, highs, miri, mutants, python, valgrind};
use std::process::Command;
use std::time::Instant;

/// Counts that the long lane asks of tests which count their cases: kills and pairs of runs, damaged inputs.
const LONG: [(&str, &str); 3] = [("VINCI_KILLS", "12"), ("VINCI_PAIRS", "3"), ("VINCI_MUTATIONS", "200")];

/// Mutants that the long lane tries, by name: one of each kind of judgement. All of them take hours (`cargo xtask mutants`).
const MUTANTS: [&str; 3] = [
    "referee: friction is never weak",
    "referee: impulses at a distance are not judged",
    "referee: approach is not judged",
];

/// Targets of the tests' build: those that have tests (`--lib` would build tests of libraries that say they have none). Examples
/// and benches are left to clippy, which reads them without making programs of them.
const TARGETS: [&str; 2] = ["--workspace", "--tests"];

/// The short lane: formatting, lints, the tests that are not marked as long.
pub(crate) fn short() -> Result<(), String> {
    formatted()?;
    run(linted(&mut tests()).args(TARGETS))?;
    run(linted(&mut tests()).args(["--workspace", "--doc"]))
}

/// Both lanes, and what needs more than Rust where that is installed: in an environment in which all that the lane builds is linted.
pub(crate) fn all() -> Result<(), String> {
    if is_linting() {
        return everything();
    }
    let own = std::env::current_exe().map_err(|e| format!("the path of this program: {e}"))?;
    run(linted(Command::new(own).args(["test", "--all"])))
}

fn everything() -> Result<(), String> {
    tell_missing();
    formatted()?;
    timed("build of the tests", || run(tests().args(TARGETS).arg("--no-run")))?;
    timed("tests", long_tests)?;
    timed("examples and benches", || {
        run(cargo().args(["build", "--workspace", "--quiet", "--examples", "--bench", "*"]))
    })?;
    timed("tests of the documents", || run(tests().args(["--workspace", "--doc"])))?;
    timed("program and plugins", shell::build)?;
    std::thread::scope(|scope| {
        let others = scope.spawn(all_that_builds_apart);
        let here = all_that_runs();
        let there = others.join().map_err(|_| "a part of the lane panicked".to_owned())?;
        here.and(there)
    })?;
    timed("the package of Python", python::in_lane)?;
    licences()
}

/// Parts that build, and leave program and plugins alone: those are in use meanwhile.
fn all_that_builds_apart() -> Result<(), String> {
    timed("documents of the crates", docs::crates)?;
    timed("HiGHS", solver_highs)
}

/// Parts that run what is built, most of them on one core. Mutants and Miri are built apart.
fn all_that_runs() -> Result<(), String> {
    timed("mutants", || mutants::run(&MUTANTS.map(str::to_owned)))?;
    timed("gallery", gallery::in_lane)?;
    timed("valgrind", valgrind::in_lane)?;
    timed("Miri", miri::in_lane)?;
    if answers(&["python3", "--version"]) {
        timed("generated pages", docs::check_generated)?;
    }
    timed("the book", docs::book)?;
    timed("Chromium", browser)
}

/// Tests that are marked as long run too, each with more cases where it counts them; `child` is what some tests run in a child.
fn long_tests() -> Result<(), String> {
    let mut long = tests();
    long.envs(LONG).args(TARGETS).args([
        "--no-fail-fast",
        "--",
        "--include-ignored",
        "--exact",
        "--skip",
        "child",
    ]);
    run(&mut long)
}

/// Does a part of the lane and says how long it took: what a lane of half an hour spends its time on is no guess.
fn timed(name: &str, part: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    let begun = Instant::now();
    part()?;
    eprintln!("lane: {name}, {:.0} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn solver_highs() -> Result<(), String> {
    if let highs::Tested::Missing(what) = highs::test()? {
        eprintln!("plugins/solver-highs was not built or tested: {what}");
    }
    Ok(())
}

fn formatted() -> Result<(), String> {
    run(cargo().args(["fmt", "--all", "--check"]))
}

/// Tests that need shared libraries ask for them with the features of all tests, and nothing is built twice.
fn tests() -> Command {
    let mut command = cargo();
    command.arg("test").env("VINCI_ALL_TESTS", "1");
    command
}

/// The page of `vinci view` in Chromium, where both it and Python are there.
fn browser() -> Result<(), String> {
    let chromium = ["chromium", "chromium-browser", "google-chrome"];
    if !answers(&["python3", "--version"]) || !chromium.iter().any(|name| answers(&[name, "--version"])) {
        return Ok(());
    }
    run(Command::new("python3").current_dir(root().join("tests/browser")).args(["-m", "unittest", "-q"]))
}

/// Licences, bans and sources of all dependencies, where cargo-deny is installed (it is no part of a toolchain).
fn licences() -> Result<(), String> {
    if !answers(&["cargo-deny", "--version"]) {
        return Ok(());
    }
    run(cargo().args(["deny", "--offline", "check", "licenses", "bans", "sources"]))
}
