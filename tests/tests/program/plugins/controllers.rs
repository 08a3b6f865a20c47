//! Controllers of others: in C by its path, by the law that ships, locked, listed and told.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use vinci_tests::house;

use super::{built_in_c, ends_with, experiment, vinci};

/// The controller in C of the SDK.
fn in_c(directory: &Path) -> PathBuf {
    let library = directory.join("libpid.so");
    built_in_c(&house::root().join("sdk/c/examples/pid.c"), &library, true);
    library
}

/// The sliding block, pulled to x = 1 under a PID law by every third grid time.
fn pulled(home: &Path, plugin: &str) -> String {
    experiment(home, |e| {
        e["time"]["duration"] = json!(0.6);
        e["record"] = json!({ "states": [0.2] });
        e["controllers"] = json!([{ "plugin": plugin, "options": { "kp": 80, "kd": 12, "ki": 30 }, "every": 3,
            "efforts": ["block.x"], "reference": { "block.x": { "keyframes": [[0, 0], [0.5, 1]] } } }]);
    })
}

fn summary(run: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(run.join("summary.json")).unwrap()).unwrap()
}

/// Three ways to the same law give the same bits: the one that ships, in C, and in C from a saved state on, with its integral.
#[test]
#[cfg(target_os = "linux")]
fn a_controller_in_c_moves_as_the_one_that_ships_to_the_bit() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let library = in_c(home).display().to_string();
    let shipped = pulled(home, "guarded-pid");
    ends_with(&vinci(home, &["run", &shipped, "--out", "a"]), 0);
    let own = pulled(home, &library);
    let allowed = ["--allow-plugin", &library];
    ends_with(&vinci(home, &["run", &own, "--out", "refused"]), 4);
    let told = ends_with(&vinci(home, &[&["run", &own, "--out", "b"], &allowed[..]].concat()), 0);
    assert!(told.contains("control   example.controller.pid-in-c 0.1.0"), "{told}");
    let state = home.join("b/states/0.2.json").display().to_string();
    ends_with(&vinci(home, &[&["run", &own, "--from", &state, "--out", "c"], &allowed[..]].concat()), 0);
    let all = ["a", "b", "c"].map(|run| summary(&home.join(run)));
    assert_eq!(all[0]["trajectory_hash"], all[1]["trajectory_hash"]);
    assert_eq!(all[0]["state_hash"], all[1]["state_hash"]);
    assert_eq!(all[1]["state_hash"], all[2]["state_hash"]);
    assert_eq!(all[0]["controllers"][0]["id"], "vinci.controller.guarded-pid");
    assert_eq!(all[1]["controllers"][0]["id"], "example.controller.pid-in-c");
    let table = std::fs::read_to_string(home.join("b/controllers.csv")).unwrap();
    assert!(table.starts_with("time,block.fx\n"), "{table}");
    // Made again from its own directory, with the very library.
    ends_with(&vinci(home, &[&["rerun", "b"], &allowed[..]].concat()), 0);
}

/// The distance at which contacts are looked for was infinite, and the detector was blamed for it.
#[test]
fn an_effort_beyond_all_distances_is_told_as_an_effort() {
    let dir = tempfile::tempdir().unwrap();
    let file = experiment(dir.path(), |e| {
        e["controllers"] = json!([{ "plugin": "guarded-pid", "options": { "kp": 1e308 },
            "efforts": ["block.x"], "reference": { "block.x": 1 } }]);
    });
    let text = ends_with(&vinci(dir.path(), &["run", &file, "--out", "out"]), 3);
    let told = "the largest force or torque, block.vx, is 1e308 N or N m";
    assert!(text.contains(told) && !text.contains("detector"), "{text}");
}

#[test]
fn controllers_are_listed_told_and_locked() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let file = pulled(home, "guarded-pid");
    let list = ends_with(&vinci(home, &["plugin", "list"]), 0);
    assert!(list.contains("controller vinci.controller.guarded-pid"), "{list}");
    let info = ends_with(&vinci(home, &["plugin", "info", "guarded-pid"]), 0);
    assert!(info.contains("(controller)") && info.contains("stop_force"), "{info}");
    let told = ends_with(&vinci(home, &["explain", &file]), 0);
    for line in [
        "`controllers[0]`, asked every 3 grid times, 0.03 s",
        "puts forces on block.x",
        "follows references of block.x",
    ] {
        assert!(told.contains(line), "{told}");
    }
    ends_with(&vinci(home, &["plugin", "lock", &file]), 0);
    let lock: Value = serde_json::from_slice(&std::fs::read(home.join("vinci.lock")).unwrap()).unwrap();
    let role = |e: &&Value| e["role"] == "controller";
    let locked = lock["plugins"].as_array().unwrap().iter().find(role).unwrap();
    assert_eq!(locked["id"], "vinci.controller.guarded-pid");
    ends_with(&vinci(home, &["run", &file, "--out", "out", "--locked"]), 0);
    // Another build of it is not what was locked.
    let text = std::fs::read_to_string(home.join("vinci.lock")).unwrap();
    let sha = locked["sha256"].as_str().unwrap();
    std::fs::write(home.join("vinci.lock"), text.replace(sha, &"0".repeat(64))).unwrap();
    ends_with(&vinci(home, &["run", &file, "--out", "two", "--locked"]), 4);
}

/// An event gives a controller other gains: it is made anew and asked at once.
#[test]
fn an_event_exchanges_what_a_controller_is() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path();
    let run = |change: fn(&mut Value), out: &str| {
        let file = pulled(home, "guarded-pid");
        let mut e: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        change(&mut e);
        std::fs::write(&file, e.to_string()).unwrap();
        ends_with(&vinci(home, &["run", &file, "--out", out]), 0);
        let table = std::fs::read_to_string(home.join(out).join("controllers.csv")).unwrap();
        let effort = |line: &str| line.split(',').nth(1).unwrap().parse::<f64>().unwrap();
        table.lines().skip(1).map(effort).collect::<Vec<_>>()
    };
    let ends = run(
        |e| e["events"] = json!([{ "at": 0.32, "set": { "controllers[0].options": { "kp": 0 } } }]),
        "ends",
    );
    assert!(ends[31] != 0.0 && ends[32..].iter().all(|effort| *effort == 0.0), "{ends:?}");
    assert_eq!(ends[31], ends[30], "the answer holds until then");
}
