//! Files of a run that somebody changed, or that are no files: told, with everything left as it was.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::program::{contents, said, scene, send, until, vinci};

fn resume(out: &Path) -> Output {
    vinci(&["run", "--resume", out.to_str().unwrap()]).output().unwrap()
}

/// A run that was stopped at a grid time on its way.
fn stopped(out: &Path) {
    let experiment = scene("block-stack-10");
    let more = ["--step", "0.001", "--duration", "3"];
    let child = vinci(&["run", &experiment, "--out", out.to_str().unwrap()]).args(more).spawn().unwrap();
    until("the run to write", || {
        fs::metadata(out.join("trajectory.csv.part")).is_ok_and(|file| file.len() > 4096)
    });
    send(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(8));
}

/// The table was sealed with the hash of whatever stood there.
#[test]
fn a_table_that_was_changed_while_the_run_stood_still_is_not_sealed() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    stopped(&out);
    let table = out.join("trajectory.csv");
    let mut bytes = fs::read(&table).unwrap();
    let digit = bytes.iter().rposition(|b| b.is_ascii_digit()).unwrap() / 2;
    let at = digit + bytes[digit..].iter().position(u8::is_ascii_digit).unwrap();
    bytes[at] = if bytes[at] == b'9' { b'8' } else { bytes[at] + 1 };
    fs::write(&table, bytes).unwrap();
    let before = contents(&out);
    let output = resume(&out);
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(contents(&out) == before, "a refusal changes nothing");
    let words = "trajectory.csv does not hold what the run wrote to it before it was stopped";
    assert!(said(&output).contains(words) && !out.join("summary.json").exists(), "{}", said(&output));
}

/// Some bits changed what the referee had gathered, and nobody noticed.
#[test]
fn every_bit_of_a_checkpoint_counts() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    stopped(&out);
    let good = fs::read(out.join("checkpoint.cbor")).unwrap();
    for k in 0..24 {
        let mut bytes = good.clone();
        let at = k * (good.len() - 1) / 23;
        bytes[at] ^= 1 << (k % 8);
        fs::write(out.join("checkpoint.cbor"), bytes).unwrap();
        let output = resume(&out);
        assert_eq!(output.status.code(), Some(7), "byte {at}: {}", said(&output));
    }
    fs::write(out.join("checkpoint.cbor"), &good[..good.len() / 2]).unwrap();
    assert_eq!(resume(&out).status.code(), Some(7));
    fs::write(out.join("checkpoint.cbor"), good).unwrap();
    assert_eq!(resume(&out).status.code(), Some(0));
}

#[test]
fn a_damaged_summary_costs_no_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    stopped(&out);
    for text in ["{}", "{", r#"{"exit_code": 0}"#] {
        fs::write(out.join("summary.json"), text).unwrap();
        let output = resume(&out);
        assert_eq!(output.status.code(), Some(7), "{text}: {}", said(&output));
        assert!(out.join("checkpoint.cbor").exists(), "{text}");
    }
    fs::remove_file(out.join("summary.json")).unwrap();
    assert_eq!(resume(&out).status.code(), Some(0));
}

/// They were read to an end that never comes, and no signal ended that.
#[test]
fn files_of_a_run_that_are_none_hold_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let (out, aside) = (dir.path().join("run"), dir.path().join("aside"));
    stopped(&out);
    for name in ["trajectory.csv", "experiment.json", "contacts.csv"] {
        let path = out.join(name);
        fs::rename(&path, &aside).unwrap();
        for (make, kind) in [(&["mkfifo"][..], "a pipe"), (&["ln", "-s", "/dev/zero"], "a device")] {
            assert!(Command::new(make[0]).args(&make[1..]).arg(&path).status().unwrap().success());
            let output = resume(&out);
            assert_eq!(output.status.code(), Some(7), "{name} {kind}: {}", said(&output));
            let words = format!("{name}: it is {kind}, not a file");
            let read = name == "experiment.json" && said(&output).contains(kind);
            assert!(read || said(&output).contains(&words), "{name} {kind}: {}", said(&output));
            fs::remove_file(&path).unwrap();
        }
        let output = resume(&out);
        assert_ne!(output.status.code(), Some(0), "{name} is missing: {}", said(&output));
        assert!(said(&output).contains(name), "{}", said(&output));
        fs::rename(&aside, &path).unwrap();
    }
    assert_eq!(resume(&out).status.code(), Some(0));
}

#[test]
fn a_file_called_lock_is_nobodys_but_the_users() {
    let dir = tempfile::tempdir().unwrap();
    let (out, experiment) = (dir.path().to_str().unwrap(), scene("sliding-block"));
    fs::write(dir.path().join("lock"), "precious").unwrap();
    let output = vinci(&["run", "--resume", out]).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    let output = vinci(&["run", &experiment, "--out", out]).output().unwrap();
    assert!(output.status.code() == Some(7) && said(&output).contains("lock"), "{}", said(&output));
    assert_eq!(fs::read_to_string(dir.path().join("lock")).unwrap(), "precious");
}

/// `vinci view` read tables whatever they were: all memory of `/dev/zero`, and no end of a pipe.
#[test]
fn what_is_no_file_ends_view_and_resume_with_a_message() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let experiment = scene("sliding-block");
    let run = vinci(&["run", &experiment, "--out", out.to_str().unwrap()]).output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let page = dir.path().join("page.html");
    let line = ["view", out.to_str().unwrap(), "--force", "--out", page.to_str().unwrap()];
    let view = || vinci(&line).output().unwrap();
    assert_eq!(view().status.code(), Some(0), "{}", said(&view()));
    let in_place_of = |name: &str, make: &dyn Fn(&Path)| {
        let (file, aside) = (out.join(name), dir.path().join("aside"));
        fs::rename(&file, &aside).unwrap();
        make(&file);
        let output = view();
        fs::remove_file(&file).unwrap();
        fs::rename(aside, file).unwrap();
        output
    };
    let pipe = |at: &Path| assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
    let zeros = |at: &Path| std::os::unix::fs::symlink("/dev/zero", at).unwrap();
    for name in ["trajectory.csv", "events.csv"] {
        for make in [&pipe as &dyn Fn(&Path), &zeros] {
            let output = in_place_of(name, make);
            assert!(output.status.code() == Some(7) && said(&output).contains(name), "{}", said(&output));
        }
    }
    for make in [&pipe as &dyn Fn(&Path), &zeros] {
        let output = in_place_of("summary.json", make);
        assert!(
            output.status.code() == Some(7) && said(&output).contains("summary.json"),
            "{}",
            said(&output)
        );
        make(&out.join("checkpoint.cbor"));
        fs::rename(out.join("summary.json"), dir.path().join("aside")).unwrap();
        assert_eq!(resume(&out).status.code(), Some(7));
        fs::rename(dir.path().join("aside"), out.join("summary.json")).unwrap();
        fs::remove_file(out.join("checkpoint.cbor")).unwrap();
    }
    // One digit that is not what the run wrote.
    let output = in_place_of("trajectory.csv", &|at| {
        let text = fs::read_to_string(dir.path().join("aside")).unwrap();
        fs::write(at, text.replacen('1', "2", 1)).unwrap();
    });
    let words = "it does not hold what the run wrote to it";
    assert!(output.status.code() == Some(7) && said(&output).contains(words), "{}", said(&output));
}

/// An experiment of substeps that are as small as `least` allows, s.
fn of_small_substeps(least: f64, file: &Path) {
    let experiment = serde_json::json!({
        "format": "vinci/experiment@1", "scene": scene("sliding-block.scene"),
        "time": { "step": 0.01, "duration": 0.1, "events": "backup",
            "min_step": least, "tolerance": 1e-300, "event_tolerance": 1e-300 },
        "detector": "planar", "stepper": "stewart-trinkle", "solver": "lemke"
    });
    fs::write(file, experiment.to_string()).unwrap();
}

/// Half a million substeps lead to the next grid time, later than anybody waits.
#[test]
fn a_run_that_comes_to_no_grid_time_stops_all_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("e.json"), dir.path().join("run"));
    of_small_substeps(2e-8, &file);
    let child = vinci(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()]).spawn().unwrap();
    until("the run to begin", || out.join("trajectory.csv.part").exists());
    send(&child, "INT");
    let output = child.wait_with_output().unwrap();
    // Not 8, which promises a checkpoint.
    assert_eq!(output.status.code(), Some(10), "{}", said(&output));
    assert!(said(&output).contains("no checkpoint to go on from"), "{}", said(&output));
    assert!(!out.join("summary.json").exists() && !out.join("checkpoint.cbor").exists());
}

/// Substeps next to nothing lead to no grid time in the life of anybody: the run ends by itself.
#[test]
fn a_run_of_substeps_next_to_nothing_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (file, out) = (dir.path().join("e.json"), dir.path().join("run"));
    of_small_substeps(1e-320, &file);
    let output = vinci(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(6), "{}", said(&output));
    let words = "more than 1000 steps in a row, each less than a millionth of the grid's step";
    assert!(said(&output).contains(words), "{}", said(&output));
}

/// Whoever writes to a pipe waits until somebody reads it: the command had no end.
#[test]
fn a_pipe_that_nobody_reads_is_no_place_for_results() {
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let sweep = scene("part-feeder.sweep");
    let show = ["sweep", "show", &sweep, "--case", "0", "--out", pipe.to_str().unwrap()];
    let output = vinci(&show).output().unwrap();
    let words = "it is a pipe that nobody reads";
    assert!(output.status.code() == Some(7) && said(&output).contains(words), "{}", said(&output));
    let reader = Command::new("cat").arg(&pipe).stdout(std::process::Stdio::piped()).spawn().unwrap();
    // Until it has opened the pipe, nobody reads.
    until("somebody to read", || vinci(&show).output().unwrap().status.code() == Some(0));
    let read = reader.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&read.stdout).contains("vinci/experiment@1"));
}

/// The digest says that nothing was damaged by accident: whoever makes a checkpoint makes its digest, too.
#[test]
fn checkpoints_that_somebody_made_are_refused() {
    use ciborium::Value;
    use sha2::{Digest, Sha256};
    fn at<'v>(value: &'v mut Value, path: &str) -> &'v mut Value {
        path.split('/').fold(value, |value, key| {
            let map = value.as_map_mut().unwrap();
            &mut map.iter_mut().find(|(name, _)| name.as_text() == Some(key)).unwrap().1
        })
    }
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    stopped(&out);
    let good = fs::read(out.join("checkpoint.cbor")).unwrap();
    let read: Value = ciborium::from_reader(&good[32..]).unwrap();
    let write = |value: &Value| {
        let mut bytes = Vec::new();
        ciborium::into_writer(value, &mut bytes).unwrap();
        fs::write(out.join("checkpoint.cbor"), [Sha256::digest(&bytes).as_slice(), &bytes].concat()).unwrap();
    };
    for (path, value) in [
        ("state/simulation/q", Value::Array(vec![])),
        ("state/simulation/v", Value::Array(vec![Value::Float(0.0)])),
        ("state/simulation/grid", Value::Integer(u64::MAX.into())),
        ("state/simulation/step", Value::Integer(u64::MAX.into())),
        ("begun/solvers", Value::Array(vec![])),
    ] {
        let mut changed = read.clone();
        *at(&mut changed, path) = value;
        write(&changed);
        let output = resume(&out);
        assert_eq!(output.status.code(), Some(7), "{path}: {}", said(&output));
        assert!(said(&output).contains("cannot go on"), "{path}: {}", said(&output));
    }
    write(&read);
    assert_eq!(resume(&out).status.code(), Some(0));
}
