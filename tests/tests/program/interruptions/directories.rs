//! Directories of runs: which process may write into one, and what is in it when.

use std::path::Path;

use serde_json::Value;
use vinci_conformance::fixture::build_member;
use vinci_run::lock::Lock;
use vinci_run::sealed::FileSum;
use vinci_tests::house;

use super::program::{contents, said, scene, until, vinci};

fn run<'a>(out: &'a str, more: &[&'a str]) -> std::process::Command {
    let experiment = scene("sliding-block");
    let mut command = vinci(&["run", &experiment, "--out", out, "--duration", "0.1"]);
    command.args(more);
    command
}

fn summary(out: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn the_second_run_into_a_directory_ends_with_a_message_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (out, text) = (dir.path().join("out"), dir.path().join("out").display().to_string());
    assert_eq!(run(&text, &[]).output().unwrap().status.code(), Some(0));
    let before = contents(&out);
    let lock = Lock::take(&out).unwrap();
    for more in [vec![], vec!["--force"], vec!["--solver", "newton"]] {
        let second = run(&text, &more).output().unwrap();
        assert_eq!(second.status.code(), Some(7), "{}", said(&second));
        assert!(said(&second).contains("another run or sweep is writing there"), "{}", said(&second));
    }
    drop(lock);
    assert!(contents(&out) == before);
    assert_eq!(run(&text, &[]).output().unwrap().status.code(), Some(0));
    assert!(contents(&out) == before);
}

/// Two programs at once, the first held in its first step by its solver.
#[test]
fn of_two_runs_at_once_one_writes() {
    house::build();
    let bad = build_member("vinci-bad-plugins").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (out, text) = (dir.path().join("out"), dir.path().join("out").display().to_string());
    let stalls =
        format!(r#"solver={{"plugin": {:?}, "options": {{"at": "solve", "do": "stall"}}}}"#, bad.display());
    let mut first = run(&text, &["--set", &stalls]).spawn().unwrap();
    until("the first run to begin", || out.join("trajectory.csv.part").exists());
    let second = run(&text, &[]).output().unwrap();
    assert_eq!(second.status.code(), Some(7), "{}", said(&second));
    assert!(!out.join("summary.json").exists() && out.join("trajectory.csv.part").exists());
    first.kill().unwrap();
    first.wait().unwrap();
    let third = run(&text, &[]).output().unwrap();
    assert_eq!(third.status.code(), Some(0), "a lock ends with its process: {}", said(&third));
    assert!(contents(&out).keys().all(|name| !name.display().to_string().ends_with(".part")));
}

/// Everything but the summary itself, with its size and hash, and nothing else.
#[test]
fn the_summary_lists_every_file_with_size_and_hash() {
    let dir = tempfile::tempdir().unwrap();
    for (name, more) in [
        ("needle-peg", vec!["--duration", "0.5"]),
        ("jammed-fingers", vec![]),
        ("domino-10-3d", vec!["--duration", "0.1", "--set", "record.states=[0.05]"]),
    ] {
        let out = dir.path().join(name);
        let experiment = scene(name);
        let mut command = vinci(&["run", &experiment, "--out", out.to_str().unwrap()]);
        let output = command.args(more).output().unwrap();
        let summary = summary(&out);
        assert_eq!(summary["exit_code"].as_i64(), output.status.code().map(i64::from), "{name}");
        let listed = summary["files"].as_object().unwrap();
        let mut there: Vec<String> = contents(&out).keys().map(|name| name.display().to_string()).collect();
        there.retain(|file| file != "summary.json");
        there.sort();
        assert_eq!(there, listed.keys().cloned().collect::<Vec<_>>(), "{name}");
        for (file, sum) in listed {
            let found = FileSum::of(&out.join(file)).unwrap();
            assert_eq!(sum["size"], std::fs::metadata(out.join(file)).unwrap().len(), "{name}: {file}");
            assert_eq!(sum["sha256"], found.sha256, "{name}: {file}");
        }
    }
}

/// A run that is refused leaves the earlier one as it was; one whose plugin takes the process along does not leave its success.
#[test]
fn no_success_of_an_earlier_run_is_left_for_a_plugin_that_ends_the_process() {
    house::build();
    let bad = build_member("vinci-bad-plugins").unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (out, text) = (dir.path().join("out"), dir.path().join("out").display().to_string());
    assert_eq!(run(&text, &[]).output().unwrap().status.code(), Some(0));
    let before = contents(&out);
    for (set, code) in [("solver.options.max_iterations=-1", 3), ("solver.plugin=nowhere", 4)] {
        let refused = run(&text, &["--set", set]).output().unwrap();
        assert_eq!(refused.status.code(), Some(code), "{}", said(&refused));
        assert!(contents(&out) == before, "{set}");
    }
    for deed in ["exit", "exit-now", "exit-thread", "abort"] {
        let plugin = format!(
            r#"solver={{"plugin": {:?}, "options": {{"at": "create", "do": "{deed}"}}}}"#,
            bad.display()
        );
        assert_eq!(run(&text, &[]).output().unwrap().status.code(), Some(0));
        let gone = run(&text, &["--set", &plugin]).output().unwrap();
        assert!(!out.join("summary.json").exists(), "{deed}: {:?} {}", gone.status, said(&gone));
    }
}
