//! Comparisons that are stopped and go on.

use std::path::Path;
use std::process::Command;

use super::program::{contents, said, same, scene, send, until, vinci};

fn compare(out: &Path, more: &[&str]) -> Command {
    let experiment = scene("block-stack-10");
    let mut command = vinci(&["compare", &experiment, "--vary", "solver=lemke,newton", "--vary"]);
    command.args(["step=0.002,0.001", "--duration", "1.5", "--out", out.to_str().unwrap()]).args(more);
    command
}

#[test]
fn a_comparison_that_gets_a_signal_stops_and_goes_on_to_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    // Under the same name, as comparisons tell where their runs are.
    let (whole, out) = (dir.path().join("whole"), dir.path().join("out"));
    let output = compare(&whole, &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for signal in ["TERM", "KILL"] {
        let child = compare(&out, &["--checkpoint-every", "1ms"]).spawn().unwrap();
        until("the second run to write", || {
            std::fs::metadata(out.join("lemke+0.001/trajectory.csv.part")).is_ok_and(|file| file.len() > 0)
        });
        send(&child, signal);
        let stopped = child.wait_with_output().unwrap();
        assert_eq!(stopped.status.code(), (signal == "TERM").then_some(8), "{}", said(&stopped));
        let left = contents(&out);
        assert!(left.contains_key(Path::new("lemke+0.002/summary.json")));
        assert!(!left.contains_key(Path::new("lemke+0.001/summary.json")));
        assert!(!left.contains_key(Path::new("compare.json")));
        let rest = vinci(&["compare", "--resume", out.to_str().unwrap()]).output().unwrap();
        assert_eq!(rest.status.code(), Some(0), "{}", said(&rest));
        assert!(said(&rest).contains("results in"), "{}", said(&rest));
        same(signal, &whole, &out);
    }
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
    command.arg(&out).args(["--step", "0.001", "--duration", "3"]);
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
