//! One shared test suite for every Vinci plugin, run on the plugin's file through the very loader the host uses.
//!
//! [`check`] runs everything in this process. [`check_isolated`] runs every test in a child process, so that a plugin
//! that exits, aborts, crashes or hangs becomes a result; the child calls [`run_one`] and prints [`Outcome::to_line`].
//!
//! What is judged, and by whom: a claim of success by core's residual, a claim of infeasibility by core's certificate
//! check, gaps and normals by closed forms, steps by the momentum balance, controllers by what they repeat. An honest failure is a pass; a false success
//! never is.

mod common;
mod controller;
mod detector;
pub mod fixture;
mod isolate;
mod levels;
mod random;
mod repeated;
mod report;
mod solver;
mod stepper;
mod subject;
mod threads;

use std::path::Path;

use vinci_abi::Role;
use vinci_abi::load::LoadedPlugin;

pub use isolate::{Child, check_isolated, word_from};
pub use levels::{DEFAULT_LEVEL, HIGHEST, LEVELS};
pub use report::{Outcome, Report, TestResult};
use subject::{Stop, Subject};

/// Seed of the random tests unless another is asked for.
pub const DEFAULT_SEED: u64 = 20_070_410;

/// One test of one role. Ok: passed, with a remark.
struct Test {
    role: Role,
    name: &'static str,
    run: fn(&Subject) -> Result<String, Stop>,
}

impl Test {
    fn full_name(&self) -> String {
        format!("{}/{}", self.role.name(), self.name)
    }
}

fn tests() -> Vec<Test> {
    let mut all = Vec::new();
    for role in Role::ALL {
        let specific = match role {
            Role::Detector => detector::TESTS,
            Role::Stepper => stepper::TESTS,
            Role::Solver => solver::TESTS,
            Role::Controller => controller::TESTS,
        };
        let both = common::TESTS.iter().chain(specific);
        all.extend(both.map(|&(name, run)| Test { role, name, run }));
    }
    all
}

/// Names and levels of all tests up to a level, by level: "solver/options", ….
pub fn names(highest: u8) -> Vec<(String, u8)> {
    let tests = tests();
    let mut named: Vec<_> = tests.iter().map(|t| (t.full_name(), levels::level(t.name))).collect();
    named.retain(|(_, level)| *level <= highest);
    named.sort_by_key(|(_, level)| *level);
    named
}

/// Runs all tests up to [`DEFAULT_LEVEL`] that concern the library at `path`, here and now.
pub fn check(path: &Path, seed: u64) -> Report {
    let results = names(DEFAULT_LEVEL).into_iter().map(|(name, level)| {
        let outcome = run_one(path, &name, seed);
        TestResult { name, level, outcome }
    });
    Report::new(path, seed, results)
}

/// Runs the test of one name on the library at `path`.
pub fn run_one(path: &Path, name: &str, seed: u64) -> Outcome {
    match vinci_abi::load::load(path) {
        Ok(plugin) => run_one_of(plugin, name, seed),
        Err(error) => Outcome::Failed { reason: error.to_string() },
    }
}

/// Runs the test of one name on a plugin, wherever its code runs.
pub fn run_one_of(plugin: LoadedPlugin, name: &str, seed: u64) -> Outcome {
    let Some(test) = tests().into_iter().find(|t| t.full_name() == name) else {
        return Outcome::Failed { reason: format!("there is no test {name}") };
    };
    let Some(subject) = Subject::new(plugin, test.role, seed) else {
        return Outcome::NotApplicable;
    };
    match (test.run)(&subject) {
        Ok(remark) => Outcome::Passed { remark },
        Err(Stop::Failed(reason)) => Outcome::Failed { reason },
        Err(Stop::Skipped(reason)) => Outcome::Skipped { reason },
    }
}
