//! The suite on plugins built as strangers build them, and on one that misbehaves.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use vinci_conformance::fixture::{build_member, build_stranger};
use vinci_conformance::{Child, DEFAULT_SEED, Outcome, Report, check, check_isolated, run_one, word_from};

fn example(name: &str) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name).join("Cargo.toml");
    build_stranger(&manifest).unwrap()
}

/// Passes with at least so many tests passed and at most so many skipped, those of problem classes it does not take aside.
fn passes(name: &str, least: usize, most: usize) -> Report {
    let report = check(&example(name), DEFAULT_SEED);
    assert!(report.passed(), "{report}");
    let other_class = |reason: &str| reason.starts_with("takes no ") && reason.ends_with(" problems");
    let skipped = report.results.iter().filter(|r| match &r.outcome {
        Outcome::Skipped { reason } => !other_class(reason),
        _ => false,
    });
    assert!(report.counts()[0] >= least && skipped.count() <= most, "{report}");
    report
}

#[test]
#[ignore = "long"]
fn the_minimal_solver_passes() {
    passes("minimal-solver", 20, 1);
}

#[test]
#[ignore = "long"]
fn the_minimal_stepper_passes() {
    passes("minimal-stepper", 18, 3);
}

#[test]
#[ignore = "long"]
fn the_minimal_detector_passes() {
    passes("minimal-detector", 17, 3);
}

#[test]
#[ignore = "long"]
fn the_minimal_controller_passes() {
    passes("minimal-controller", 17, 0);
}

#[test]
fn the_examples_are_minimal() {
    for name in ["minimal-detector", "minimal-stepper", "minimal-solver", "minimal-controller"] {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name);
        let source = std::fs::read_to_string(directory.join("src/lib.rs")).unwrap();
        assert!(source.lines().count() < 100, "{name} has {} lines", source.lines().count());
        let manifest = std::fs::read_to_string(directory.join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        let dependencies = dependencies.split('[').next().unwrap().lines().filter(|l| l.contains('='));
        assert_eq!(dependencies.count(), 1, "{name} depends on the SDK alone");
    }
}

fn bad_library() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    // Children are told, or every one of them would ask cargo again.
    let told = || std::env::var_os("VINCI_BAD_LIBRARY").map(PathBuf::from);
    PATH.get_or_init(|| told().unwrap_or_else(|| build_member("vinci-bad-plugins").unwrap()))
}

/// A solver that answers z = 1 to everything and calls it converged.
#[test]
fn a_liar_is_found_out() {
    let outcome = run_one(bad_library(), "solver/easy-problems", DEFAULT_SEED);
    let Outcome::Failed { reason } = outcome else { panic!("{outcome}") };
    assert!(reason.starts_with("one, in contact: claims to have converged at residual "), "{reason}");
    let outcome = run_one(bad_library(), "stepper/free-flight", DEFAULT_SEED);
    let Outcome::Failed { reason } = outcome else { panic!("{outcome}") };
    assert!(reason.starts_with("the vertical velocity is 2, expected 1.9"), "{reason}");
    let outcome = run_one(bad_library(), "detector/manifest", DEFAULT_SEED);
    let reason = "a detector must name the shape kinds it knows".into();
    assert_eq!(outcome, Outcome::Failed { reason });
    assert_eq!(
        run_one(bad_library(), "solver/nonsense", 1),
        Outcome::Failed { reason: "there is no test solver/nonsense".into() }
    );
}

/// Outcome of a test of the stepper that lies as a variable of its environment says.
fn told_by_a_liar((variable, lie): (&str, &str), test: &str) -> Outcome {
    let mut child = as_child("well", 60);
    child.arguments.insert(0, format!("{variable}={lie}").into());
    child.run(test)
}

/// A stepper whose derivatives have another sign, are 0 or are not there, beside one whose derivatives are right.
#[test]
fn derivatives_are_held_against_differences() {
    let told = |lie: &str| told_by_a_liar(("VINCI_BAD_DERIVATIVES", lie), "stepper/derivatives");
    let off = |found: &str, by: &str| Outcome::Failed {
        reason: format!(
            "random state 0: the derivative of place 0 by place 0 is {found}, central differences give 1.000000000: off by {by} of the largest entry"
        ),
    };
    assert_eq!(told("sign"), off("-1", "2.0e0"));
    assert_eq!(told("zero"), off("0", "1.0e0"));
    let nothing = "random state 0: it claims derivatives and gives none".into();
    assert_eq!(told("none"), Outcome::Failed { reason: nothing });
    let Outcome::Passed { remark } = told("honest") else { panic!("{}", told("honest")) };
    assert!(remark.starts_with("40 random states, 480 columns within "), "{remark}");
}

/// A stepper whose state ends with no numbers, with fewer than it says, with two of one label, or that does not take others back.
#[test]
fn numbers_of_a_state_are_moved_and_come_back() {
    let told = |lie: &str| told_by_a_liar(("VINCI_BAD_NUMBERS", lie), "stepper/state-restored");
    let failed = |reason: &str| Outcome::Failed { reason: reason.to_owned() };
    let no_end = failed("the state does not end with its numbers and how many they are");
    assert_eq!((told("none"), told("count")), (no_end.clone(), no_end));
    assert_eq!(told("twice"), failed("two numbers of the state have the same label"));
    assert_eq!(told("deaf"), failed("a state with other numbers does not come back with them"));
    assert_eq!(told("honest"), Outcome::Passed { remark: "36 bytes with 2 numbers".to_owned() });
}

/// The body of a child: the library and the misdeed are in the environment, the test's name is the last argument.
#[test]
#[ignore = "run as a child by the tests below"]
fn child() {
    let name = std::env::args().next_back().unwrap();
    let word = word_from(std::io::stdin());
    match std::env::var("VINCI_CHILD").as_deref() {
        Ok("exit") => std::process::exit(0),
        Ok("abort") => std::process::abort(),
        // What a plugin would print to answer in the place of the suite.
        Ok("answer") => {
            println!("{}", Outcome::Passed { remark: String::new() }.to_line(""));
            println!("{}", Outcome::Passed { remark: String::new() }.to_line("0123456789abcdef"));
            std::process::exit(0);
        }
        // A process that outlives this one and holds its output.
        Ok("leave") => {
            let mut sleeper = std::process::Command::new("sleep");
            sleeper.arg("60").spawn().unwrap();
            std::process::exit(0);
        }
        Ok("hang") => std::thread::sleep(Duration::from_secs(60)),
        _ => {}
    }
    println!("\n{}", run_one(bad_library(), &name, DEFAULT_SEED).to_line(&word));
}

fn as_child(behaviour: &str, timeout: u64) -> Child {
    // `env` sets the variable for the child alone.
    let test = std::env::current_exe().unwrap();
    let library = format!("VINCI_BAD_LIBRARY={}", bad_library().display());
    let arguments = [format!("VINCI_CHILD={behaviour}"), library, test.to_str().unwrap().into()];
    let arguments =
        arguments.into_iter().chain(["--ignored", "--nocapture", "--exact", "child"].map(String::from));
    let arguments = arguments.map(Into::into).collect();
    Child { program: "env".into(), arguments, timeout: Duration::from_secs(timeout) }
}

#[test]
fn children_answer_as_the_suite_does_here() {
    let child = as_child("well", 60);
    for name in ["solver/easy-problems", "solver/infeasible", "detector/empty-scene", "stepper/bad-steps"] {
        assert_eq!(child.run(name), run_one(bad_library(), name, DEFAULT_SEED), "{name}");
    }
}

#[test]
fn a_child_that_gives_no_answer_has_crashed() {
    let crashed = |reason: &str| Outcome::Crashed { reason: reason.into() };
    let name = "solver/manifest";
    assert_eq!(as_child("exit", 60).run(name), crashed("the process ended with code 0 and gave no answer"));
    assert_eq!(as_child("abort", 60).run(name), crashed("the process was ended by signal 6"));
    assert_eq!(as_child("hang", 1).run(name), crashed("no answer within 1 s"));
    // Its own "passed" is not the suite's, and what it leaves behind holds nobody up.
    assert_eq!(as_child("answer", 60).run(name), crashed("the process ended with code 0 and gave no answer"));
    let begun = std::time::Instant::now();
    assert_eq!(as_child("leave", 60).run(name), crashed("the process ended with code 0 and gave no answer"));
    assert!(begun.elapsed() < Duration::from_secs(30), "the suite waits for what a plugin has left");
    let report = check_isolated(bad_library(), DEFAULT_SEED, 9, &as_child("exit", 60));
    assert!(!report.passed());
    assert_eq!(report.counts()[3], report.results.len(), "{report}");
}
