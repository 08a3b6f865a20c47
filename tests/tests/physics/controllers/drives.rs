//! Driven joints: prescribed, pushed, pulled, locked.

use super::arms::{LEVER_INERTIA as I, arm, lever, with_tree};
use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::for_all;
use vinci_tests::run::run;

const G: f64 = 9.81;

fn driven(drive: Value, start: f64, velocity: f64) -> Value {
    let mut tree = lever();
    tree["drives"] = json!({"j": drive});
    tree["start"] = json!({"j": start});
    tree["velocity"] = json!({"j": velocity});
    with_tree(tree, json!([]), 0.0, 0.01, 1.0)
}

#[test]
fn prescribed_joints_are_where_they_are_told_to_be() {
    let keyframes = json!({"position": {"keyframes": [[0, 0.2], [0.5, 1.2], [1, 0.4]]}});
    let line = |t: f64| if t < 0.5 { 0.2 + 2.0 * t } else { 1.2 - 1.6 * (t - 0.5) };
    for_all(&driven(keyframes, 0.2, 2.0), |e, names| {
        run(e)
            .moments
            .iter()
            .for_each(|m| close(&format!("{names}: q at {}", m.t), m.q[0], line(m.t), 1e-12));
    });
    for_all(&driven(json!({"velocity": {"expression": "1 + 2*t"}}), 0.3, 1.0), |e, names| {
        for m in &run(e).moments {
            close(&format!("{names}: q at {}", m.t), m.q[0], 0.3 + m.t + m.t * m.t, 1e-12);
        }
    });
    for_all(&driven(json!("locked"), 0.3, 0.0), |e, _| assert_eq!(run(e).end().q[0], 0.3));
}

#[test]
fn the_effort_of_a_prescribed_joint_is_what_its_motion_takes() {
    // Constant acceleration 3: the drive pushes with 3 I.
    let run = run(&driven(json!({"position": {"expression": "0.3 + 1.5*t^2"}}), 0.3, 0.0));
    for m in &run.moments[2..] {
        close(&format!("effort at {}", m.t), m.effort[0] / m.h, 3.0 * I, 1e-9);
    }
}

#[test]
fn a_prescribed_joint_carries_the_arm_behind_it() {
    // The second joint locked: its effort is the weight's moment, and the others move as one body.
    let mut tree = arm(3);
    tree["drives"] = json!({"j0": "locked", "j1": "locked", "j2": "locked"});
    tree["start"] = json!({"j1": 1.0});
    let run = run(&with_tree(tree, json!([]), G, 0.01, 0.1));
    let system = &run.simulation.system;
    let frames = system.placed(run.simulation.q());
    let mut weight = vec![0.0; 3];
    frames.trees[0].gravity(&system.trees[0].tree, &system.gravity, &mut weight);
    for (i, w) in weight.iter().enumerate() {
        close("effort", run.end().effort[i] / run.end().h, -w, 1e-9);
    }
    assert!(weight[1] > 1.0);
}

#[test]
fn forces_see_the_joint_they_push() {
    let (h, mut q, mut v) = (0.01, 0.3, 1.0);
    let run = run(&driven(json!({"force": {"expression": "cos(t) - 4*q - 0.5*v"}}), q, v));
    for m in &run.moments[1..] {
        v += h * ((m.t - h).cos() - 4.0 * q - 0.5 * v) / I;
        q += h * v;
        close(&format!("q at {}", m.t), m.q[0], q, 1e-12);
    }
}

#[test]
fn an_impedance_pulls_the_joint_to_its_command() {
    // (I + h² k) v⁺ = I v + h k (r(t + h) − q).
    let (h, k, mut q, mut v) = (0.01, 60.0, 0.3, 1.0);
    let run = run(&driven(json!({"impedance": {"stiffness": k, "command": {"expression": "sin(t)"}}}), q, v));
    for m in &run.moments[1..] {
        v = (I * v + h * k * (m.t.sin() - q)) / (I + h * h * k);
        q += h * v;
        close(&format!("q at {}", m.t), m.q[0], q, 1e-12);
    }
}

#[test]
fn several_coordinates_can_be_locked() {
    let mut tree = lever();
    tree["joints"][0]["kind"] = "ball".into();
    tree["drives"] = json!({"j": "locked"});
    let run = run(&with_tree(tree, json!([]), G, 0.01, 0.5));
    assert_eq!(run.end().q, [1.0, 0.0, 0.0, 0.0]);
    // The weight of 2 kg at 0.5 m along x turns about y.
    close("effort", run.end().effort[1] / run.end().h, -2.0 * G * 0.5, 1e-9);
}
