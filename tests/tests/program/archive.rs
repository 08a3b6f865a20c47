//! `run --record-problems`: problems of a run, kept for `bench solvers`.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use vinci_tests::house;
use vinci_tests::program::vinci;

#[track_caller]
fn ends_with(output: &Output, code: i32) -> String {
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{text}");
    text
}

fn scene(name: &str) -> String {
    house::root().join("host/scenes").join(name).display().to_string()
}

/// Runs a shipped experiment for a while; its results.
fn run(name: &str, (duration, which): (&str, &str), out: &Path, code: i32) -> String {
    let line = [
        "run",
        &scene(name),
        "--duration",
        duration,
        "--record-problems",
        which,
        "--out",
        out.to_str().unwrap(),
    ];
    ends_with(&vinci(&line), code)
}

fn archive(out: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(out.join("problems.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A problem for every step; solvers solve them alone, and the profile counts all of them.
#[test]
fn problems_of_all_steps_are_kept_and_solved_alone() {
    let dir = tempfile::tempdir().unwrap();
    let (out, picture) = (dir.path().join("run"), dir.path().join("profile.svg"));
    run("sliding-block.json", ("0.2", "always"), &out, 0);
    let problems = archive(&out);
    assert_eq!(problems.len(), 20);
    for (k, problem) in problems.iter().enumerate() {
        let name = problem["name"].as_str().unwrap();
        assert!(name.ends_with(&format!("step {}", k + 1)), "{name}");
        assert_eq!((&problem["format"], &problem["class"]), (&"vinci/problem@1".into(), &"Mlcp".into()));
        let whats: Vec<_> =
            problem["rows"].as_array().unwrap().iter().map(|row| row["what"].to_string()).collect();
        assert!(
            whats.iter().any(|what| what.contains(" / ")),
            "rows of contacts name their bodies: {whats:?}"
        );
    }
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    assert!(summary["files"]["problems.jsonl"]["sha256"].is_string(), "the archive is sealed with the run");
    let line = [
        "bench",
        "solvers",
        out.to_str().unwrap(),
        "--solver",
        "lemke,pgs",
        "--json",
        "--profile",
        picture.to_str().unwrap(),
    ];
    let told: Value = serde_json::from_slice(&vinci(&line).stdout).unwrap();
    let lemke = told["solvers"][0]["results"].as_array().unwrap();
    assert_eq!(lemke.len(), 20);
    assert!(
        lemke.iter().all(|r| r["status"] == "Converged" && r["residual"].as_f64().unwrap() < 1e-8),
        "{lemke:?}"
    );
    let svg = std::fs::read_to_string(&picture).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("lemke") && svg.contains("pgs"), "{svg}");
}

/// The step that nobody solves is the last line, whatever else is kept.
#[test]
fn a_problem_that_nobody_solves_is_always_kept() {
    let dir = tempfile::tempdir().unwrap();
    for which in ["failed", "residual:1", "slow:1000s"] {
        let out = dir.path().join(which.split(':').next().unwrap());
        run("jammed-fingers.json", ("10", which), &out, 6);
        let (problems, failed) =
            (archive(&out), std::fs::read_dir(out.join("repro")).unwrap().next().unwrap().unwrap());
        assert_eq!(problems.len(), 1, "{which}");
        let alone: Value = serde_json::from_slice(&std::fs::read(failed.path()).unwrap()).unwrap();
        assert_eq!((&problems[0]["m"], &problems[0]["q"]), (&alone["m"], &alone["q"]));
    }
}

/// A run that was stopped goes on with its archive.
#[test]
fn the_archive_of_a_run_that_goes_on_has_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, parts) = (dir.path().join("whole"), dir.path().join("parts"));
    run("block-stack-10.json", ("1", "residual:1e-300"), &whole, 0);
    let mut command = Command::new(house::program());
    command.args([
        "run",
        &scene("block-stack-10.json"),
        "--duration",
        "1",
        "--record-problems",
        "residual:1e-300",
    ]);
    let mut child =
        command.args(["--checkpoint-every", "1ms", "--out", parts.to_str().unwrap()]).spawn().unwrap();
    // Killed at its first checkpoint, or ended before it was seen: then there is nothing to go on with.
    while !parts.join("checkpoint.cbor").exists() && child.try_wait().unwrap().is_none() {}
    child.kill().unwrap();
    child.wait().unwrap();
    ends_with(&vinci(&["run", "--resume", parts.to_str().unwrap()]), 0);
    let read = |out: &Path| std::fs::read(out.join("problems.jsonl")).unwrap();
    assert!(!read(&whole).is_empty());
    assert_eq!(read(&whole), read(&parts));
}

#[test]
fn problems_with_callbacks_are_counted_and_not_written() {
    let dir = tempfile::tempdir().unwrap();
    let text = run("tamsi-box.json", ("0.1", "always"), dir.path(), 0);
    assert!(
        text.contains("of class Root are not in `problems.jsonl`: only their stepper can evaluate them"),
        "{text}"
    );
    assert!(archive(dir.path()).is_empty());
}

#[test]
fn what_is_no_choice_of_problems_is_told() {
    for wrong in ["never", "slow", "slow:10", "residual:-1", "residual:nan", "always:1"] {
        let output = vinci(&["run", "x.json", "--record-problems", wrong]);
        let text = ends_with(&output, 2);
        assert!(
            text.contains("write always, failed, slow:TIME (slow:10ms) or residual:R (residual:1e-6)"),
            "{text}"
        );
    }
}

/// A line of an archive that is damaged is named.
#[test]
fn a_damaged_line_is_told_with_its_number() {
    let dir = tempfile::tempdir().unwrap();
    run("sliding-block.json", ("0.03", "always"), dir.path(), 0);
    let file = dir.path().join("problems.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1] = &lines[1][..40];
    let damaged = dir.path().join("damaged.jsonl");
    std::fs::write(&damaged, lines.join("\n")).unwrap();
    let text = ends_with(&vinci(&["bench", "solvers", damaged.to_str().unwrap(), "--solver", "lemke"]), 3);
    assert!(text.contains("damaged.jsonl:2:40"), "{text}");
}
