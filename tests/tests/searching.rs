//! Looking for plugins where something is wrong: the cause is told, and one damaged library does not end the search.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use std::process::{Command, Output, Stdio};

use serde_json::Value;
use vinci_tests::house;

fn vinci(arguments: &[&str]) -> Command {
    let mut command = Command::new(house::program());
    command.args(arguments);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned()
}

fn experiment() -> String {
    house::root().join("host/scenes/sliding-block.json").display().to_string()
}

/// The file that is named after the plugin cannot be used: that is why there is none.
#[test]
fn a_refused_library_of_the_right_name_is_the_cause() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("libmine_fast.so"), "no library").unwrap();
    let arguments =
        ["run", &experiment(), "--solver", "mine.solver.fast", "--plugin-dir", dir.path().to_str().unwrap()];
    let output = vinci(&arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let text = said(&output);
    assert!(
        text.contains("the solver `mine.solver.fast` was not found, and this could not be looked at"),
        "{text}"
    );
    assert!(text.contains("libmine_fast.so is a text file"), "{text}");
}

/// However few descriptors there are, a run succeeds or says that there are too few.
#[cfg(target_os = "linux")]
#[test]
fn too_few_descriptors_are_told_as_that() {
    let dir = tempfile::tempdir().unwrap();
    let (mut told, mut made) = (0, 0);
    for limit in 4..24 {
        let out = dir.path().join(limit.to_string());
        let line = format!("ulimit -n {limit}; exec \"$0\" run \"$1\" --duration 0.05 --out \"$2\"");
        let mut command = Command::new("sh");
        command.arg("-c").arg(line).arg(house::program()).arg(experiment()).arg(&out);
        let output = command.output().unwrap();
        let text = said(&output);
        match output.status.code() {
            Some(0) => made += 1,
            Some(127) => {}
            code => {
                assert!(matches!(code, Some(3 | 4 | 7)), "{limit}: {code:?} {text}");
                assert!(
                    text.contains("Too many open files") && !text.contains("known: none"),
                    "{limit}: {text}"
                );
                // The cause, not advice for others.
                assert!(!text.contains("check the permissions"), "{limit}: {text}");
                assert!(!text.contains("dlopen failed;"), "{limit}: {text}");
                told += 1;
            }
        }
    }
    assert!(told > 3 && made > 0, "{told} {made}");
}

/// What cannot be printed is not done; a reader that has seen enough is no failure.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    for arguments in [
        vec!["schema"],
        vec!["plugin", "list"],
        vec!["check", &experiment()],
        vec!["plugin", "info", "lemke"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = vinci(&arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains("cannot write to the standard output"), "{}", said(&output));
    }
    let mut child = vinci(&["schema"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Programs get objects where people get sentences.
#[test]
fn success_is_told_to_programs_as_json() {
    let dir = tempfile::tempdir().unwrap();
    let out = |name: &str| dir.path().join(name).display().to_string();
    let file = experiment();
    let (run, compare, init) = (out("run"), out("compare"), out("init"));
    let lines: [(&str, Vec<&str>); 8] = [
        ("run", vec!["run", &file, "--duration", "0.05", "--out", &run]),
        ("check", vec!["check", &file]),
        ("explain", vec!["explain", &file]),
        (
            "compare",
            vec!["compare", &file, "--duration", "0.05", "--vary", "solver=lemke", "--out", &compare],
        ),
        ("plugin list", vec!["plugin", "list"]),
        ("plugin info", vec!["plugin", "info", "lemke"]),
        ("init", vec!["init", "--out", &init]),
        ("run", vec!["run", "--resume", &run]),
    ];
    for (name, arguments) in &lines {
        let output = vinci(arguments).arg("--error-format=json").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{name}: {}", said(&output));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.is_empty(), "{name}");
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{name}: {e}: {line}"));
            assert_eq!(value["command"], *name);
        }
    }
    let output = vinci(&lines[0].1).arg("--error-format=json").output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["exit_code"], &value["summary"]["status"]), (&0.into(), &"completed".into()));
    assert_eq!(value["summary"]["steps"], 5);
}
