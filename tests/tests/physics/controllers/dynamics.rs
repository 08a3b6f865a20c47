//! Inverse dynamics, and weight that is carried.

use super::arms::{arm, with_tree};
use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};
use vinci_core::state::quaternion_of;
use vinci_tests::close;
use vinci_tests::run::{run, simulation};

const G: f64 = 9.81;

/// q_ref, q̇_ref, q̈_ref of joint i.
fn reference(i: usize, t: f64) -> [f64; 3] {
    let (a, w) = (0.4 + 0.1 * i as f64, 3.0 - 0.5 * i as f64);
    [a * (w * t).sin(), a * w * (w * t).cos(), -a * w * w * (w * t).sin()]
}

fn tracking(kp: f64, kd: f64, implicit: bool, step: f64) -> Value {
    let target =
        |i: usize| json!({"expression": format!("{}*sin({}*t)", 0.4 + 0.1 * i as f64, 3.0 - 0.5 * i as f64)});
    let law = json!({"type": "inverse-dynamics", "tree": "arm", "kp": kp, "kd": kd, "implicit": implicit,
        "targets": {"j0": target(0), "j1": target(1), "j2": target(2)}});
    let mut tree = arm(3);
    tree["start"] = json!({"j0": 0.2, "j1": -0.1, "j2": 0.3});
    with_tree(tree, json!([law]), G, step, 1.0)
}

/// The same from a start on the trajectory.
fn on_it(mut e: Value) -> Value {
    let rate = |i: usize| reference(i, 0.0)[1];
    e["scene"]["trees"][0]["start"] = json!({});
    e["scene"]["trees"][0]["velocity"] = json!({"j0": rate(0), "j1": rate(1), "j2": rate(2)});
    e
}

#[test]
fn every_joint_obeys_the_linear_law_to_rounding() {
    // M, c and g cancel: v⁺ = v + h (a_ref + kp e + kd ė), joint by joint, whatever the arm weighs.
    let (h, kp, kd) = (0.002, 100.0, 20.0);
    let run = run(&tracking(kp, kd, false, h));
    let (mut q, mut v) = ([0.2, -0.1, 0.3], [0.0; 3]);
    let mut worst = 0.0_f64;
    for m in &run.moments[1..] {
        for i in 0..3 {
            let [r, rate, second] = reference(i, m.t - h);
            v[i] += h * (second + kp * (r - q[i]) + kd * (rate - v[i]));
            q[i] += h * v[i];
            worst = worst.max((m.q[i] - q[i]).abs());
        }
    }
    println!("largest difference from the linear law: {worst:.2e} rad");
    assert!(worst < 1e-11, "{worst}");
}

#[test]
fn the_arm_follows_the_trajectory_to_the_order_of_the_step() {
    let worst = |h: f64, implicit: bool| {
        let run = run(&on_it(tracking(100.0, 20.0, implicit, h)));
        let moments = run.moments.iter();
        moments.flat_map(|m| (0..3).map(move |i| (m.q[i] - reference(i, m.t)[0]).abs())).fold(0.0, f64::max)
    };
    for implicit in [false, true] {
        let (coarse, fine) = (worst(0.004, implicit), worst(0.001, implicit));
        println!("implicit {implicit}: {coarse:.2e} rad at h = 4 ms, {fine:.2e} at 1 ms");
        assert!(fine < 4e-3, "{fine}");
        close("order", (coarse / fine).log2() / 2.0, 1.0, 0.15);
    }
}

#[test]
fn implicit_gains_bear_any_stiffness() {
    let run = run(&tracking(1e8, 1e4, true, 0.01));
    for m in run.moments.iter().filter(|m| m.t > 0.2) {
        for i in 0..3 {
            close(&format!("q{i} at {}", m.t), m.q[i], reference(i, m.t)[0], 1e-4);
        }
    }
}

#[test]
fn a_seven_joint_arm_floats_where_its_weight_is_carried() {
    let mut tree = arm(7);
    let start = [0.3, -0.7, 0.4, 1.1, -0.6, 0.9, 0.2];
    tree["start"] =
        (0..7).map(|i| (format!("j{i}"), json!(start[i]))).collect::<serde_json::Map<_, _>>().into();
    let law = json!([{"type": "gravity-compensation", "tree": "arm"}]);
    let run = run(&with_tree(tree, law, G, 0.01, 2.0));
    let fastest = run.end().v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let moved = (0..7).map(|i| (run.end().q[i] - start[i]).abs()).fold(0.0, f64::max);
    println!("after 2 s: {fastest:.1e} rad/s, moved {moved:.1e} rad");
    assert!(fastest < 1e-12 && moved < 1e-12, "{fastest} {moved}");
}

#[test]
fn without_bias_and_weight_momentum_about_the_first_axis_stays() {
    // With −c and −g taken away M v̇ = 0: at fixed q that is v̇ = 0, so all joints keep their rates.
    let mut tree = arm(3);
    tree["velocity"] = json!({"j0": 1.0, "j1": -0.5, "j2": 2.0});
    let law = json!([{"type": "gravity-compensation", "tree": "arm", "bias": true}]);
    let run = run(&with_tree(tree, law, G, 0.002, 0.5));
    for (v, expected) in run.end().v.iter().zip([1.0, -0.5, 2.0]) {
        close("rate", *v, expected, 1e-11);
    }
}

#[test]
fn a_way_through_space_passes_its_keyframes() {
    let key =
        |t: f64, p: [f64; 3], rpy: [f64; 3]| json!({"t": t, "position": p, "orientation": {"rpy": rpy}});
    let keys = [
        (0.0, [0.5, 0.3, 1.2], [0.2, 0.9, 0.1]),
        (0.5, [0.6, -0.1, 1.0], [0.0, 1.2, 0.3]),
        (1.0, [0.4, -0.3, 1.3], [-0.2, 0.7, 0.0]),
    ];
    let law = json!({"type": "inverse-dynamics", "tree": "arm", "kp": 400, "kd": 40, "cartesian": {
        "link": "l6", "point": [0, 0, 0.1], "keyframes": keys.map(|(t, p, o)| key(t, p, o))}});
    let e = with_tree(arm(7), json!([law]), G, 0.001, 1.0);
    let mut simulation = simulation(&e);
    let mut worst = [0.0_f64; 2];
    while simulation.grid_count() < 1000 {
        simulation.advance_to(simulation.next_grid_time()).unwrap();
        let t = simulation.time();
        for (_, place, rpy) in keys.iter().filter(|(key, ..)| (key - t).abs() < 1e-9) {
            let frames = simulation.system.placed(simulation.q());
            let link = frames.trees[0].frame(6);
            let point = link * nalgebra::Point3::new(0.0, 0.0, 0.1);
            let turned = UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]);
            let wxyz = [link.rotation.w, link.rotation.i, link.rotation.j, link.rotation.k];
            let apart = (point.coords - Vector3::from(*place)).norm();
            let angle = quaternion_of(&wxyz).angle_to(&turned);
            worst = [worst[0].max(apart), worst[1].max(angle)];
        }
    }
    println!("at the keyframes: {:.1e} m, {:.1e} rad", worst[0], worst[1]);
    assert!(worst[0] < 5e-3 && worst[1] < 2e-2, "{worst:?}");
}
