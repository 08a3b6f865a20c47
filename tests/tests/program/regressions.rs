//! Bugs that were found, each as a test named for what broke.

use std::process::Command;

use serde_json::json;
use vinci_tests::experiment::{experiment, planar, set, shipped, spatial};
use vinci_tests::{close, house, run::run};

/// A disc of radius 0.1 m in front of a wall whose face stands at 0.4 m.
fn disc_and_wall(disc: serde_json::Value) -> serde_json::Value {
    let wall = json!({"name": "wall", "static": true, "position": [0.5, 0], "shapes": [{"type": "box", "size": [0.2, 2]}]});
    let mut scene = planar(0.0, 0.0, json!([wall, disc]));
    scene["gravity"] = json!([0, 0]);
    scene
}

/// h f/D = 1 m per step: the dynamic bound h² f/m on the motion of a step saw no wall.
#[test]
fn first_order_bodies_do_not_tunnel_through_walls() {
    let disc = json!({"name": "disc", "mass": 1, "drag": [0.01, 1, 1], "shapes": [{"type": "disc", "radius": 0.1}],
        "dofs": {"x": {"force": 1}}});
    let e = experiment(disc_and_wall(disc), 0.01, 0.05);
    let e = set(&e, "/stepper", json!({"plugin": "stewart-trinkle", "options": {"motion": "first-order"}}));
    close("x", run(&e).end().q[0], 0.3, 1e-12);
}

#[test]
fn springs_do_not_pull_quasi_static_bodies_through_walls() {
    let disc = json!({"name": "disc", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}],
        "dofs": {"y": "locked", "angle": "locked"}});
    let mut scene = disc_and_wall(disc);
    scene["springs"] = json!([{"bodies": ["disc", null], "anchors": [[0, 0], [2, 0]], "stiffness": 100}]);
    let e = experiment(scene, 0.01, 0.05);
    let e = set(&e, "/stepper", json!({"plugin": "stewart-trinkle", "options": {"motion": "quasi-static"}}));
    close("x", run(&e).end().q[0], 0.3, 1e-12);
}

/// The command of a rotational impedance was the rate of its signal, so that it damped and never pulled.
#[test]
fn a_rotational_impedance_turns_a_spatial_body_to_its_command() {
    let body = json!({"name": "box", "mass": 1, "inertia": [1, 1, 1], "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1]}],
        "damping": [0, 0, 0, 20, 20, 20], "gravity": false,
        "dofs": {"rz": {"impedance": {"stiffness": 100, "command": 0.5}}}});
    let e = experiment(spatial(0.0, 0.0, json!([body])), 0.01, 3.0);
    let e = set(&e, "/detector", json!("parry"));
    let q = run(&e).end().q.clone();
    close("angle about z", 2.0 * q[6].atan2(q[3]), 0.5, 1e-4);
}

/// Paths of plugins given by flags are relative to the working directory, not to the experiment.
#[test]
fn a_plugin_path_in_a_flag_is_relative_to_the_working_directory() {
    let dir = tempfile::tempdir().unwrap();
    let name = format!("{}vinci_solver_lemke{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    std::fs::copy(house::build().join(&name), dir.path().join("mine.so")).unwrap();
    let scene = house::root().join("host/scenes/sliding-block.json");
    let output = Command::new(house::program())
        .current_dir(dir.path())
        .args(["run", scene.to_str().unwrap(), "--solver", "./mine.so", "--out", "out", "--duration", "0.02"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What drives must push was computed and written nowhere. A finger of 1 kg reaches 0.1 m/s in the first 10 ms: 10 N.
#[test]
fn efforts_of_drives_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let scene = house::root().join("host/scenes/jammed-fingers.json");
    let out = dir.path().join("out");
    let arguments = ["run", scene.to_str().unwrap(), "--out", out.to_str().unwrap(), "--duration", "0.1"];
    assert!(Command::new(house::program()).args(arguments).output().unwrap().status.success());
    let text = std::fs::read_to_string(out.join("drives.csv")).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), "time,left.fx,left.fy,left.torque,right.fx,right.fy,right.torque");
    let row: Vec<f64> = lines.next().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    close("force on the left finger", row[1], 10.0, 1e-9);
    close("force on the right finger", row[4], -10.0, 1e-9);
}

/// A stepper's refusal at the first step left an output directory behind.
#[test]
fn what_the_stepper_refuses_at_once_leaves_no_directory() {
    let dir = tempfile::tempdir().unwrap();
    let mut e = shipped("peg-in-hole-first-order");
    e["scene"]["bodies"][2].as_object_mut().unwrap().remove("drag");
    let file = dir.path().join("e.json");
    std::fs::write(&file, e.to_string()).unwrap();
    let out = dir.path().join("out");
    let output =
        Command::new(house::program()).arg("run").arg(&file).arg("--out").arg(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has no drag"));
    assert!(!out.exists());
}

/// The first iterate was taken for a ray where all gaps were rounding (in units of it costs were 1e12).
#[test]
fn interior_points_follow_contacts_at_rest() {
    let dir = tempfile::tempdir().unwrap();
    // The last state of a run that the program accepts.
    let end = |name: &str, solver: &str| -> Vec<f64> {
        let (scene, out) =
            (house::root().join(format!("host/scenes/{name}.json")), dir.path().join(name).join(solver));
        let mut vinci = Command::new(house::program());
        vinci.arg("run").arg(scene).args(["--solver", solver]).arg("--out").arg(&out);
        let output = vinci.output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let text = std::fs::read_to_string(out.join("trajectory.csv")).unwrap();
        text.lines().last().unwrap().split(',').filter_map(|x| x.parse().ok()).collect()
    };
    for name in ["push-disk-qp", "gripper-2d-qp", "ball-push-quasidynamic"] {
        let (clarabel, active_set) = (end(name, "clarabel"), end(name, "active-set"));
        assert!(clarabel.len() >= 7 && clarabel.len() == active_set.len(), "{name}");
        clarabel.iter().zip(&active_set).for_each(|(a, b)| close(name, *a, *b, 1e-6));
    }
}

/// Newton steps alone left weakly active cones of a hyperstatic pile at 5e-8 (t = 0.26 s); the same bits twice.
#[test]
#[ignore = "long"]
fn a_hyperstatic_pile_with_cones_runs_to_its_end() {
    let e = shipped("box-block-pile-socp");
    let (once, twice) = (run(&e), run(&e));
    assert_eq!(once.moments.len(), 201);
    assert!(once.moments == twice.moments);
}

/// Where nothing but fingers between which it was squeezed ever acted on a block, the rounding of the squeeze was judged beside
/// nothing: an error of 1e-16 N s in a step without contact was called a broken balance.
#[test]
fn what_a_squeeze_leaves_is_rounding_after_it_too() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let experiment = house::root().join("host/scenes/jam-compliant.json");
    let output = Command::new(house::program())
        .args(["run", experiment.to_str().unwrap(), "--solver", "nsgs", "--out", out.to_str().unwrap()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}
