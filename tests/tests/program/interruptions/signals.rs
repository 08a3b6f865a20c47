//! The program and its signals. A run is long enough to be still on its way when the signal comes, and its end does not depend on when.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use super::program::{contents, said, same, scene, send, until, vinci};

/// A run of many steps.
fn long(out: &Path, more: &[&str]) -> Command {
    let experiment = scene("block-stack-10");
    let mut command = vinci(&["run", &experiment, "--out", out.to_str().unwrap(), "--step", "0.001"]);
    command.args(["--duration", "3"]).args(more);
    command
}

fn resume(out: &Path) -> Output {
    vinci(&["run", "--resume", out.to_str().unwrap()]).output().unwrap()
}

#[test]
fn a_run_that_gets_a_signal_stops_and_goes_on_to_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    let output = long(&whole, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for signal in ["INT", "TERM"] {
        let out = dir.path().join(signal);
        let child = long(&out, &[]).spawn().unwrap();
        until("the run to write", || {
            std::fs::metadata(out.join("trajectory.csv.part")).is_ok_and(|file| file.len() > 0)
        });
        send(&child, signal);
        let stopped = child.wait_with_output().unwrap();
        assert_eq!(stopped.status.code(), Some(8), "{signal}: {}", said(&stopped));
        assert!(said(&stopped).contains("vinci run --resume"), "{}", said(&stopped));
        let left = contents(&out);
        let has = |name: &str| left.keys().any(|file| file.ends_with(name));
        assert!(has("trajectory.csv") && has("checkpoint.cbor") && !has("summary.json"), "{:?}", left.keys());
        assert!(left.keys().all(|file| file.extension().is_none_or(|end| end != "part")));
        let rest = resume(&out);
        assert_eq!(rest.status.code(), Some(0), "{signal}: {}", said(&rest));
        same(signal, &whole, &out);
        // There is nothing left to go on with.
        let again = resume(&out);
        assert!(again.status.code() == Some(0) && said(&again).contains("has ended"), "{}", said(&again));
        same(signal, &whole, &out);
    }
    let out = dir.path().join("KILL");
    let mut child = long(&out, &["--checkpoint-every", "0s"]).spawn().unwrap();
    until("the run to write", || {
        std::fs::metadata(out.join("trajectory.csv.part")).is_ok_and(|file| file.len() > 4096)
    });
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    assert_eq!(resume(&out).status.code(), Some(0));
    same("KILL", &whole, &out);
}

#[test]
fn what_has_no_checkpoint_does_not_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let output = resume(&dir.path().join("nowhere"));
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(said(&output).contains("there is no directory"), "{}", said(&output));
    let output = resume(dir.path());
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(said(&output).contains("it has no checkpoint"), "{}", said(&output));
    let both = vinci(&["run", "x.json", "--resume", dir.path().to_str().unwrap()]).output().unwrap();
    assert_eq!(both.status.code(), Some(2), "{}", said(&both));
}
