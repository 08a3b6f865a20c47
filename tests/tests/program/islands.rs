//! Islands: what nothing connects is solved apart, and moves as it did.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use vinci_tests::house;

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
