//! A run that was stopped, or killed behind a checkpoint, ends with the bytes of one in a piece. Here the test decides where, by steps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use vinci_run::exit;
use vinci_run::signals::Stop;
use vinci_run::{Guidance, RunEnd, execute, execute_guided, take_up};
use vinci_tests::experiment::{planar, set, shipped, timed};
use vinci_tests::house;
use vinci_tests::run::prepared;

use super::program::same;

/// Runs from the start or from what is in `out`, as long as `goes_on` says so of the number of progresses.
fn go(experiment: Option<&Value>, out: &Path, last: u64, killed: bool) -> Option<RunEnd> {
    let (prepared, from) = match experiment {
        Some(experiment) => (prepared(experiment), None),
        None => {
            take_up(out, &house::registry(), &[]).map(|(p, c)| (p, Some(c))).unwrap_or_else(|e| panic!("{e}"))
        }
    };
    let (stop, mut seen) = (Stop::default(), 0);
    let checkpoint_every = killed.then_some(Duration::ZERO);
    let guidance = Guidance { stop: stop.clone(), checkpoint_every, from, surroundings: None, turn: None };
    let progress = |_| {
        seen += 1;
        if seen == last {
            assert!(!killed, "killed, as it were");
            stop.ask();
        }
    };
    let run = || execute_guided(prepared, out, guidance, progress).unwrap();
    if killed { catch_unwind(AssertUnwindSafe(run)).ok() } else { Some(run()) }
}

fn count(experiment: &Value, out: &Path) -> u64 {
    let mut seen = 0;
    assert_eq!(execute(prepared(experiment), out, |_| seen += 1).unwrap().code, exit::OK);
    seen
}

#[track_caller]
fn survives(name: &str, experiment: &Value) {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole");
    let pieces = count(experiment, &whole);
    assert!(pieces > 20, "{name}: {pieces}");
    for (k, (first, second, killed)) in
        [(1, pieces / 2, false), (pieces / 3, 5, false), (pieces / 3, 7, true), (pieces - 1, 0, true)]
            .into_iter()
            .enumerate()
    {
        let out = dir.path().join(k.to_string());
        let end = go(Some(experiment), &out, first, killed);
        assert!(!out.join("summary.json").exists(), "{name}, {k}");
        match end {
            Some(end) => assert_eq!((end.code, end.summary.status), (exit::STOPPED, "stopped")),
            // Behind the checkpoint there may be anything.
            None => std::fs::write(out.join("trajectory.csv.part"), {
                let mut bytes = std::fs::read(out.join("trajectory.csv.part")).unwrap();
                bytes.extend(b"0.123,torn");
                bytes
            })
            .unwrap(),
        }
        if second > 0 {
            go(None, &out, second, killed);
        }
        let end = go(None, &out, u64::MAX, false).unwrap();
        assert_eq!(end.code, exit::OK, "{name}, {k}");
        same(&format!("{name}, {k}"), &whole, &out);
    }
}

#[test]
fn stacks_dominoes_and_balls() {
    for (name, step, duration) in [("block-stack-10", 0.01, 0.3), ("domino-10-3d", 0.004, 0.12)] {
        let states = json!([0.0, 0.04, 0.08, 0.12]);
        survives(name, &set(&timed(&shipped(name), step, duration), "/record/states", states));
    }
    // Steps between grid times, impacts, a controller of the step size.
    survives("backup", &timed(&shipped("bouncing-ball-backup"), 0.02, 0.9));
    let mut adaptive = timed(&shipped("bouncing-ball-predict"), 0.05, 1.5);
    adaptive["time"]["tolerance"] = json!(1e-4);
    survives("adaptive", &adaptive);
}

/// Support points, drives, pictures, gradients and commands that are deviated from.
#[test]
fn tables_and_pictures_of_all_kinds() {
    let frames = json!([0, 0.2, 0.6]);
    let pictures = set(&shipped("needle-peg"), "/record/pictures/0/frames/times", frames);
    survives("needle-peg", &timed(&pictures, 0.02, 0.6));
    survives("gripper-2d-miqp", &timed(&shipped("gripper-2d-miqp"), 0.02, 0.5));
    let controllers = timed(&shipped("iiwa-pick-st"), 0.005, 0.15);
    survives("iiwa-pick-st", &controllers);
    // A plugin that is asked at every third grid time and remembers an integral; its efforts hold between.
    let mut guarded = timed(&shipped("guarded-push"), 0.01, 0.6);
    guarded["controllers"][0]["every"] = json!(3);
    guarded["controllers"][0]["options"]["ki"] = json!(20);
    survives("guarded-push", &guarded);
}

/// Changes on the way, by time and by state: they happen once.
#[test]
#[ignore = "long"]
fn events_and_swapped_plugins() {
    let mut experiment = timed(&shipped("block-stack-10"), 0.01, 0.4);
    experiment["events"] = json!([
        { "at": 0.1, "swap": { "solver": { "plugin": "newton", "fallback": ["lemke"] } } },
        { "when": "t > 0.195", "set": { "scene.gravity": [0.5, -9.81] } },
        { "at": 0.3, "swap": { "stepper": "anitescu-potra" } },
    ]);
    survives("events", &experiment);
    // The host chooses the solver, and another one for the stepper that comes.
    let mut unnamed = timed(&shipped("block-stack-10"), 0.01, 0.4);
    unnamed.as_object_mut().unwrap().remove("solver");
    unnamed["events"] = json!([{ "at": 0.2, "swap": { "stepper": "anitescu-qp" } }]);
    survives("default solver", &unnamed);
}

/// A run that is not accepted, stopped behind each of its steps: also before the step that is judged by where the last one began.
#[test]
fn the_referee_forgets_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let bodies = json!([
        { "name": "wall", "static": true, "shapes": [{ "type": "box", "size": [0.02, 4] }], "position": [1, 0] },
        { "name": "disc", "mass": 1, "shapes": [{ "type": "disc", "radius": 0.1 }], "velocity": [60, 0] },
    ]);
    let mut experiment = vinci_tests::experiment::experiment(planar(0.0, 0.0, bodies), 0.01, 0.06);
    experiment["stepper"] = json!("anitescu-potra");
    let whole = dir.path().join("whole");
    let end = execute(prepared(&experiment), &whole, |_| ()).unwrap();
    let refusal = end.summary.referee.refusal.unwrap();
    assert_eq!((end.code, refusal.check.as_str()), (exit::NOT_ACCEPTED, "passing_through"));
    for (k, killed) in (1..6).flat_map(|k| [(k, false), (k, true)]) {
        let out = dir.path().join(format!("{k}-{killed}"));
        go(Some(&experiment), &out, k, killed);
        assert_eq!(go(None, &out, u64::MAX, false).unwrap().code, exit::NOT_ACCEPTED);
        same(&format!("{k}, {killed}"), &whole, &out);
    }
}

/// Warm starts and other state of plugins, fallbacks, bridges.
#[test]
fn solvers_with_memory() {
    for solver in [
        json!("pgs"),
        json!({ "plugin": "pgs", "options": { "max_sweeps": 1, "polish": false }, "fallback": ["newton"] }),
    ] {
        survives("memory", &set(&timed(&shipped("domino-10-3d"), 0.004, 0.1), "/solver", solver));
    }
    let tamsi = timed(&shipped("tamsi-box"), 0.01, 0.4);
    survives("tamsi", &tamsi);
}

#[test]
fn a_run_that_goes_on_from_a_state_goes_on_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let experiment = timed(&shipped("block-stack-10"), 0.01, 0.3);
    let with = set(&experiment, "/record/states", json!([0.1]));
    execute(prepared(&with), &dir.path().join("first"), |_| ()).unwrap();
    let state = dir.path().join("first/states/0.1.json");
    let begun = |out: &Path, last: u64| {
        let mut prepared = prepared(&experiment);
        vinci_run::resume(&mut prepared, &state).unwrap_or_else(|e| panic!("{e}"));
        let (stop, mut seen) = (Stop::default(), 0);
        let guidance = Guidance { stop: stop.clone(), ..Guidance::default() };
        let progress = |_| {
            seen += 1;
            if seen == last {
                stop.ask();
            }
        };
        execute_guided(prepared, out, guidance, progress).unwrap().code
    };
    let (whole, out) = (dir.path().join("whole"), dir.path().join("out"));
    assert_eq!(begun(&whole, u64::MAX), exit::OK);
    assert_eq!(begun(&out, 7), exit::STOPPED);
    assert_eq!(go(None, &out, u64::MAX, false).unwrap().code, exit::OK);
    same("from a state", &whole, &out);
}

#[test]
fn what_was_changed_does_not_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let experiment = timed(&shipped("block-stack-10"), 0.01, 0.3);
    let refused = |name: &str, damage: &dyn Fn(&Path)| {
        let out = dir.path().join(name);
        assert_eq!(go(Some(&experiment), &out, 9, false).unwrap().code, exit::STOPPED);
        damage(&out);
        take_up(&out, &house::registry(), &[]).err().map(|found| found.to_string()).unwrap_or_default()
    };
    let edit = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap() + "\n";
        std::fs::write(path, text).unwrap();
    };
    let said = refused("experiment", &|out| edit(out.join("experiment.json")));
    assert!(said.contains("experiment.json does not hold what was written to it"), "{said}");
    let said = refused("checkpoint", &|out| std::fs::write(out.join("checkpoint.cbor"), "x").unwrap());
    assert!(said.contains("its checkpoint cannot be read"), "{said}");
    let said = refused("none", &|out| std::fs::remove_file(out.join("checkpoint.cbor")).unwrap());
    assert!(said.contains("it has no checkpoint"), "{said}");
}
