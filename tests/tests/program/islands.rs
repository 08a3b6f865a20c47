//! Islands: what nothing connects is solved apart, and moves as it did; on any number of threads to the same bits.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use vinci_run::signals::Stop;
use vinci_run::{Guidance, execute_guided, exit};
use vinci_tests::house;
use vinci_tests::run::prepared;

/// Two stacks of two boxes, one pushed over the floor, and a ball in flight; islands or not.
fn experiment(solver: &str, islands: bool) -> Value {
    let body = |name: &str, x: f64, z: f64, shape: Value| json!({ "name": name, "mass": 1.0 + z, "shapes": [shape], "position": [x, 0.0, z] });
    let cube = || json!({ "type": "box", "size": [0.2, 0.2, 0.2] });
    let mut pushed = body("c", 3.0, 0.1, cube());
    pushed["velocity"] = json!([0.5, 0.0, 0.0]);
    let floor = json!({ "name": "floor", "static": true, "shapes": [{ "type": "half-space" }] });
    let ball = body("ball", 6.0, 5.0, json!({ "type": "ball", "radius": 0.1 }));
    let bodies = [
        floor,
        body("a", 0.0, 0.1, cube()),
        body("b", 0.0, 0.3, cube()),
        pushed,
        body("d", 3.0, 0.3, cube()),
        ball,
    ];
    let scene = json!({
        "format": "vinci/scene@1", "space": "spatial", "bodies": bodies,
        "materials": { "default": { "friction": 0.3, "restitution": 0.0 } }
    });
    json!({
        "format": "vinci/experiment@1", "scene": scene, "time": { "step": 0.005, "duration": 0.1 },
        "detector": { "plugin": "vinci.detector.parry" }, "stepper": { "plugin": "vinci.stepper.anitescu-potra" },
        "solver": { "plugin": solver, "islands": islands }
    })
}

/// Last row of the trajectory, and the statistics of the solvers.
fn run(directory: &Path, e: &Value) -> (Vec<f64>, Value) {
    let (file, out) = (directory.join("e.json"), directory.join("out"));
    std::fs::write(&file, e.to_string()).unwrap();
    let told = Command::new(house::program())
        .args(["run", file.to_str().unwrap(), "--force", "--out", out.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let rows = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
    let last = rows.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    let summary: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    (last, summary["solver_stats"].clone())
}

#[test]
fn stacks_move_apart_as_they_do_together() {
    let directory = tempfile::tempdir().unwrap();
    for solver in ["vinci.solver.lemke", "vinci.solver.nsgs"] {
        let (whole, together) = run(directory.path(), &experiment(solver, false));
        let (parts, apart) = run(directory.path(), &experiment(solver, true));
        assert_eq!(whole.len(), parts.len());
        for (k, (a, b)) in whole.iter().zip(&parts).enumerate() {
            assert!((a - b).abs() < 1e-7, "{solver}, column {k}: {a} {b}");
        }
        assert_eq!([&together["failures"], &apart["failures"]], [0, 0]);
        // Islands are counted one by one, and each has a tolerance of its own.
        assert_ne!(together["iterations_total"], apart["iterations_total"], "{solver} was not divided");
    }
}

/// A stack of boxes on every place of a lattice, some of them pushed, and balls that fall between them: many islands, which meet.
fn field(solver: &str) -> Value {
    // Its 2000 sweeps leave one island of the sixth step at 1.0e-8, the tolerance itself.
    let options = if solver.ends_with("accelerated-gs") { json!({ "max_sweeps": 4000 }) } else { json!({}) };
    let mut bodies = vec![json!({ "name": "floor", "static": true, "shapes": [{ "type": "half-space" }] })];
    for k in 0..12 {
        let (x, y) = (f64::from(k % 4), f64::from(k / 4));
        for level in 0..=k % 3 {
            let pushed = if level == 0 && k % 4 == 1 { 0.4 } else { 0.0 };
            bodies.push(json!({
                "name": format!("box{k}-{level}"), "mass": 1.0 + 0.1 * f64::from(k), "velocity": [pushed, 0.0, 0.0],
                "shapes": [{ "type": "box", "size": [0.2, 0.2, 0.2] }],
                "position": [x, y, 0.1 + 0.2 * f64::from(level)]
            }));
        }
        bodies.push(json!({
            "name": format!("ball{k}"), "mass": 0.5, "shapes": [{ "type": "ball", "radius": 0.1 }],
            "position": [x + 0.05, y, 0.75 + 0.01 * f64::from(k)]
        }));
    }
    json!({
        "format": "vinci/experiment@1", "time": { "step": 0.005, "duration": 0.15 },
        "scene": {
            "format": "vinci/scene@1", "space": "spatial", "bodies": bodies,
            "materials": { "default": { "friction": 0.3, "restitution": 0.0 } }
        },
        "detector": { "plugin": "vinci.detector.parry" },
        "stepper": { "plugin": "vinci.stepper.stewart-trinkle" },
        "solver": { "plugin": solver, "options": options, "islands": true }
    })
}

/// Hashes and counts of a run, from its command line on.
fn told(directory: &Path, arguments: &[&str]) -> [Value; 3] {
    let run = Command::new(house::program()).arg("run").args(arguments).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let text = std::fs::read_to_string(directory.join("summary.json")).unwrap();
    let mut summary: Value = serde_json::from_str(&text).unwrap();
    ["state_hash", "trajectory_hash", "solver_stats"].map(|key| summary[key].take())
}

#[test]
fn any_number_of_threads_gives_the_same_run() {
    let directory = tempfile::tempdir().unwrap();
    for solver in ["vinci.solver.nsgs", "vinci.solver.accelerated-gs", "auto"] {
        let (file, out) = (directory.path().join("e.json"), directory.path().join("out"));
        let (file_name, out_name) = (file.to_str().unwrap(), out.to_str().unwrap());
        std::fs::write(&file, field(solver).to_string()).unwrap();
        let on = |threads: &str| {
            told(
                &out,
                &[
                    file_name,
                    "--out",
                    out_name,
                    "--force",
                    "--record-problems",
                    "failed",
                    "--threads",
                    threads,
                ],
            )
        };
        let one = on("1");
        for threads in ["2", "3"] {
            assert_eq!(on(threads), one, "{solver} on {threads} threads");
        }
        // Stopped on one thread after some steps, ended on three.
        for steps in [1, 13] {
            std::fs::remove_dir_all(&out).unwrap();
            stopped(&field(solver), &out, steps);
            assert_eq!(
                told(&out, &["--resume", out_name, "--threads", "3"]),
                one,
                "{solver} after {steps} steps"
            );
        }
    }
}

/// A run in `out` that is stopped after so many steps.
fn stopped(experiment: &Value, out: &Path, steps: u32) {
    let (stop, mut seen) = (Stop::default(), 0);
    let guidance =
        Guidance { stop: stop.clone(), checkpoint_every: None, from: None, surroundings: None, turn: None };
    let count = |_| {
        seen += 1;
        if seen == steps {
            stop.ask();
        }
    };
    assert_eq!(execute_guided(prepared(experiment), out, guidance, count).unwrap().code, exit::STOPPED);
}

#[test]
fn threads_without_islands_have_nothing_to_do_and_that_is_said() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("e.json");
    let mut whole = experiment("vinci.solver.nsgs", false);
    whole["threads"] = json!(2);
    std::fs::write(&file, whole.to_string()).unwrap();
    let check = |more: &[&str]| {
        let run = Command::new(house::program())
            .args(["check", file.to_str().unwrap()])
            .args(more)
            .output()
            .unwrap();
        (run.status.code(), String::from_utf8_lossy(&run.stderr).into_owned())
    };
    let (code, said) = check(&[]);
    assert!(
        code == Some(0) && said.contains("2 threads solve islands, and problems are not divided"),
        "{said}"
    );
    let (code, said) = check(&["--set", "solver.islands=true"]);
    assert!(code == Some(0) && !said.contains("threads"), "{said}");
    let (code, said) = check(&["--set", "threads=0"]);
    assert!(code == Some(3) && said.contains("must be at least 1 and at most 256"), "{code:?} {said}");
}

/// Stacks at rest, and a box that slides into the first of them.
fn resting(solver: &str, part: Option<f64>) -> Value {
    let mut bodies = vec![json!({ "name": "floor", "static": true, "shapes": [{ "type": "half-space" }] })];
    let cube = || json!([{ "type": "box", "size": [0.2, 0.2, 0.2] }]);
    for k in 0..6 {
        for level in 0..=k % 3 {
            let z = 0.1 + 0.2 * f64::from(level);
            let name = format!("box{k}-{level}");
            bodies.push(json!({ "name": name, "mass": 1.0 + 0.1 * f64::from(k), "shapes": cube(), "position": [k, 0.0, z] }));
        }
    }
    bodies.push(json!({ "name": "pusher", "mass": 1.0, "velocity": [3, 0, 0], "shapes": cube(), "position": [-0.5, 0.0, 0.1] }));
    let mut e = field(solver);
    (e["scene"]["bodies"], e["time"]["duration"]) = (json!(bodies), json!(0.2));
    e["solver"]["sleeping"] = json!(part);
    e
}

/// Stewart and Trinkle: six stacks sleep until something comes. What they would have done without sleep they do.
#[test]
fn what_rests_sleeps_moves_as_without_and_wakes() {
    let directory = tempfile::tempdir().unwrap();
    for solver in ["vinci.solver.lemke", "vinci.solver.nsgs"] {
        let (awake, none) = run(directory.path(), &resting(solver, None));
        let (asleep, counts) = run(directory.path(), &resting(solver, Some(1e-4)));
        let apart = awake.iter().zip(&asleep).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-11, "{solver}: {apart}");
        // 40 steps of seven islands, of six once the pusher has met the first stack. That one and the pusher never rest.
        let count = counts["asleep"].as_u64().unwrap();
        assert!((195..=225).contains(&count) && none["asleep"].is_null(), "{solver}: {counts}");
        let pushed = asleep[1]; // box0-0.x
        assert!(pushed > 0.05, "{solver}: {pushed}");
    }
}

#[test]
fn a_run_with_sleep_goes_on_from_every_step() {
    let directory = tempfile::tempdir().unwrap();
    let (file, out) = (directory.path().join("e.json"), directory.path().join("out"));
    let (file_name, out_name) = (file.to_str().unwrap(), out.to_str().unwrap());
    let experiment = resting("vinci.solver.nsgs", Some(1e-4));
    std::fs::write(&file, experiment.to_string()).unwrap();
    let whole = told(&out, &[file_name, "--out", out_name, "--threads", "2"]);
    assert!(whole[2]["asleep"].as_u64() > Some(0), "{whole:?}");
    for steps in 1..40 {
        std::fs::remove_dir_all(&out).unwrap();
        stopped(&experiment, &out, steps);
        assert_eq!(told(&out, &["--resume", out_name, "--threads", "2"]), whole, "after {steps} steps");
    }
}
