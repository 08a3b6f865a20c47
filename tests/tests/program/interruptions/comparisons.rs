//! Comparisons that are stopped and go on.

use std::path::Path;
use std::process::Command;

use super::program::{contents, said, same, scene, send, until, vinci};

fn compare(out: &Path, more: &[&str]) -> Command {
    let experiment = scene("block-stack-10");
    let mut command = vinci(&["compare", &experiment, "--vary", "solver=lemke,newton", "--vary"]);
    command.args(["step=0.002,0.001", "--out", out.to_str().unwrap()]);
    let duration: &[&str] = if more.contains(&"--duration") { &[] } else { &["--duration", "1.5"] };
    command.args(duration).args(more);
    command
}

#[test]
fn a_comparison_that_gets_a_signal_stops_and_goes_on_to_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    // Under the same name, as comparisons tell where their runs are.
    let (whole, out) = (dir.path().join("whole"), dir.path().join("out"));
    let output = compare(&whole, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // Several at once in turns, and one after the other in processes of their own.
    for (signal, jobs) in [("TERM", &[][..]), ("KILL", &[]), ("TERM", &["--jobs", "1"])] {
        let child = compare(&out, &[&["--checkpoint-every", "1ms"], jobs].concat()).spawn().unwrap();
        let last = if jobs.is_empty() { "newton+0.001" } else { "lemke+0.001" };
        until("the last run that is begun to write", || {
            std::fs::metadata(out.join(last).join("trajectory.csv.part")).is_ok_and(|file| file.len() > 0)
        });
        send(&child, signal);
        let stopped = child.wait_with_output().unwrap();
        assert_eq!(stopped.status.code(), (signal == "TERM").then_some(8), "{}", said(&stopped));
        let left = contents(&out);
        assert_eq!(left.contains_key(Path::new("lemke+0.002/summary.json")), !jobs.is_empty());
        assert!(!left.contains_key(Path::new("lemke+0.001/summary.json")));
        assert!(!left.contains_key(Path::new("compare.json")));
        let rest = vinci(&["compare", "--resume", out.to_str().unwrap()]).output().unwrap();
        assert_eq!(rest.status.code(), Some(0), "{}", said(&rest));
        assert!(said(&rest).contains("results in"), "{}", said(&rest));
        same(signal, &whole, &out);
        // Once more, and there is nothing left to do.
        let again = vinci(&["compare", "--resume", out.to_str().unwrap()]).output().unwrap();
        assert_eq!(again.status.code(), Some(0), "{}", said(&again));
        assert!(said(&again).contains("has ended (exit code 0)"), "{}", said(&again));
        same(signal, &whole, &out);
    }
}

/// Files of others stay, and are not written beside unless that is asked for.
#[test]
fn a_comparison_looks_at_what_is_in_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("notes.txt"), "precious").unwrap();
    let short = |more: &[&str]| compare(&out, &[&["--duration", "0.01"], more].concat()).output().unwrap();
    let output = short(&[]);
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(said(&output).contains("is in use: it holds"), "{}", said(&output));
    let output = short(&["--force"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    std::fs::remove_file(out.join("notes.txt")).unwrap();
    // An earlier comparison is replaced.
    assert_eq!(short(&[]).status.code(), Some(0));
}

#[test]
fn a_comparison_whose_files_changed_does_not_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let path = dir.path().join("e.json");
    let scenes = scene("block-stack-10").replace(".json", ".scene.json");
    let text = std::fs::read_to_string(scene("block-stack-10")).unwrap();
    let text = text.replace("block-stack-10.scene.json", &scenes);
    std::fs::write(&path, &text).unwrap();
    let arguments = ["compare", path.to_str().unwrap(), "--vary", "solver=lemke,newton", "--out"];
    let mut command = vinci(&arguments);
    // The second run is not begun, so that it is read again.
    command.arg(&out).args(["--step", "0.001", "--duration", "3", "--jobs", "1"]);
    let child = command.spawn().unwrap();
    until("the first run to write", || {
        std::fs::metadata(out.join("lemke/trajectory.csv.part")).is_ok_and(|file| file.len() > 0)
    });
    send(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(8));
    std::fs::write(&path, text.replacen('{', "{ \"friction_basis\": \"axes\",", 1)).unwrap();
    let rest = vinci(&["compare", "--resume", out.to_str().unwrap()]).output().unwrap();
    assert_eq!(rest.status.code(), Some(7), "{}", said(&rest));
    assert!(said(&rest).contains("was changed since it began"), "{}", said(&rest));
}

/// The result of whatever stood in the directory of a run was taken for the run's.
#[test]
fn a_comparison_does_not_take_the_run_of_something_else_for_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let (out, text) = (dir.path().join("out"), dir.path().join("out").display().to_string());
    let child = compare(&out, &["--duration", "10"]).spawn().unwrap();
    until("the first run to write", || {
        std::fs::metadata(out.join("lemke+0.002/trajectory.csv.part")).is_ok_and(|file| file.len() > 0)
    });
    send(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(8));
    let row = out.join("newton+0.002");
    let stranger = |more: &[&str]| {
        let experiment = scene("sliding-block");
        vinci(&["run", &experiment, "--out", row.to_str().unwrap()]).args(more).output().unwrap()
    };
    let output = stranger(&[]);
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(said(&output).contains("it belongs to the comparison in"), "{}", said(&output));
    assert_eq!(stranger(&["--force"]).status.code(), Some(0));
    let before = contents(&out);
    let rest = vinci(&["compare", "--resume", &text]).output().unwrap();
    assert_eq!(rest.status.code(), Some(7), "{}", said(&rest));
    let words = "newton+0.002 holds a run of another comparison: its experiment differs";
    assert!(said(&rest).contains(words), "{}", said(&rest));
    assert!(contents(&out) == before, "nothing is run beside it");
}

/// A row was read from whatever table stood there.
#[test]
fn a_comparison_reads_only_tables_that_its_runs_wrote() {
    let dir = tempfile::tempdir().unwrap();
    let (out, text) = (dir.path().join("out"), dir.path().join("out").display().to_string());
    let child = compare(&out, &["--checkpoint-every", "1ms", "--jobs", "1"]).spawn().unwrap();
    until("the second run to write", || {
        std::fs::metadata(out.join("lemke+0.001/trajectory.csv.part")).is_ok_and(|file| file.len() > 0)
    });
    send(&child, "TERM");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(8));
    let table = out.join("lemke+0.002/trajectory.csv");
    let states = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, states.trim_end().to_owned() + "5\n").unwrap();
    let rest = vinci(&["compare", "--resume", &text]).output().unwrap();
    assert_eq!(rest.status.code(), Some(7), "{}", said(&rest));
    assert!(said(&rest).contains("does not hold what the run wrote to it"), "{}", said(&rest));
    std::fs::write(&table, states).unwrap();
    // Nor is another file of it taken for its own, before the comparison has ended and after.
    let contacts = out.join("lemke+0.002/contacts.csv");
    let rows = std::fs::read_to_string(&contacts).unwrap();
    let refused = || {
        std::fs::write(&contacts, rows.clone() + "\n").unwrap();
        let output = vinci(&["compare", "--resume", &text]).output().unwrap();
        assert_eq!(output.status.code(), Some(7), "{}", said(&output));
        assert!(said(&output).contains("contacts.csv does not hold what the run wrote"), "{}", said(&output));
        std::fs::write(&contacts, &rows).unwrap();
    };
    refused();
    // A run of an ended comparison is not written over, either.
    assert_eq!(vinci(&["compare", "--resume", &text]).output().unwrap().status.code(), Some(0));
    refused();
    let output = vinci(&["run", &scene("sliding-block"), "--out", out.join("lemke+0.002").to_str().unwrap()]);
    let output = { output }.output().unwrap();
    assert!(said(&output).contains("it belongs to the comparison in"), "{}", said(&output));
}

/// Killed before it had looked at its runs.
#[test]
fn what_is_no_comparison_yet_is_to_be_run_again() {
    let dir = tempfile::tempdir().unwrap();
    let output = vinci(&["compare", "--resume", dir.path().to_str().unwrap()]).output().unwrap();
    assert_eq!(output.status.code(), Some(7), "{}", said(&output));
    assert!(said(&output).contains("run the comparison again"), "{}", said(&output));
}
