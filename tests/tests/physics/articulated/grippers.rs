//! Couplers: two fingers that move against each other under every stepper that takes bilateral rows.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{AP, ST, experiment, spatial, timed, with};
use vinci_tests::run::run;

/// A hand in the air: two fingers on one rail, coupled with ratio −1; only the left one is pushed.
fn hand(offset: f64, bodies: Value) -> Value {
    let finger = |name: &str, side: f64| {
        json!({ "name": name, "mass": 0.2, "inertia": [1e-4, 1e-4, 1e-4],
            "shapes": [{ "type": "box", "size": [0.02, 0.06, 0.06], "position": [0.01 * side, 0, 0] }] })
    };
    let joint = |name: &str| json!({ "name": name, "kind": "prismatic", "child": name, "axis": [1, 0, 0], "position": [0, 0, 0.5], "damping": 2 });
    let mut scene = spatial(0.5, 0.0, bodies);
    scene["gravity"] = json!([0, 0, 0]);
    scene["pairs"] =
        json!([{ "materials": ["default", "default"], "stiffness": 1e4, "damping": 20, "dissipation": 2 }]);
    scene["trees"] = json!([
        { "name": "left", "links": [finger("left", -1.0)], "joints": [joint("left")], "start": { "left": -0.08 },
          "drives": { "left": { "force": 4.0 } } },
        { "name": "right", "links": [finger("right", 1.0)], "joints": [joint("right")], "start": { "right": 0.08 + offset } },
    ]);
    scene["couplers"] = json!([{ "joints": ["right.right", "left.left"], "ratio": -1 }]);
    scene
}

const PAIRS: [(&str, &str); 5] =
    [(ST, "lemke"), (ST, "nsgs"), (AP, "lemke"), ("trapezoidal", "lemke"), ("tamsi", "newton-tals")];

/// Both fingers share one inertia and one damping, 0.4 v̇ = 4 − 4 v: at 0.1 s v = 1 − e⁻¹, to what the integrator makes of it.
#[test]
fn coupled_fingers_share_a_force() {
    for (stepper, solver) in PAIRS {
        let run =
            run(&timed(&with(&experiment(hand(0.0, json!([])), 1e-3, 0.1), stepper, solver), 1e-3, 0.1));
        for m in &run.moments {
            close("opposed", m.q[0] + m.q[1], 0.0, 1e-9);
        }
        let v = run.end().v[0];
        println!("{stepper} + {solver}: {v:.6}");
        // Backward Euler has 1 − (1 + 10 h)⁻ⁿ, which is 1.8e-3 less; the trapezoidal rule errs by 1e-4 (h = 1 ms, n = 100).
        let exact = 1.0 - if stepper == "trapezoidal" { (-1.0_f64).exp() } else { 1.01_f64.powi(-100) };
        close("speed", v, exact, if stepper == "trapezoidal" { 1e-4 } else { 1e-9 });
    }
}

/// A ball that is not in the middle is brought there by the pair, and held with half the force on each side.
#[test]
fn coupled_fingers_hold_a_ball_in_the_middle() {
    let ball = json!([{ "name": "ball", "mass": 0.1, "shapes": [{ "type": "ball", "radius": 0.03 }], "position": [0.02, 0, 0.5] }]);
    for (stepper, solver) in PAIRS {
        let e = timed(&with(&experiment(hand(0.0, ball.clone()), 1e-3, 1.0), stepper, solver), 1e-3, 1.0);
        let run = run(&e);
        let end = run.end();
        println!("{stepper} + {solver}: ball at {:.6}, fingers {:.6} {:.6}", end.q[0], end.q[7], end.q[8]);
        close("middle", end.q[0], 0.0, 2e-3);
        assert_eq!(end.touches.iter().filter(|t| t.p_n > 0.0).count(), 2, "{stepper}: held from both sides");
        for t in &end.touches {
            close("force", t.p_n / end.h, 2.0, 0.05);
        }
    }
}

/// Stabilization takes back a fifth of an error per step: (4/5)ᵏ.
#[test]
fn a_coupler_that_starts_open_closes() {
    for (stepper, solver) in PAIRS.into_iter().filter(|p| p.0 != "trapezoidal") {
        let e = timed(&with(&experiment(hand(0.01, json!([])), 1e-3, 0.02), stepper, solver), 1e-3, 0.02);
        let run = run(&e);
        for (k, m) in run.moments.iter().enumerate() {
            close(stepper, m.q[0] + m.q[1], 0.01 * 0.8_f64.powi(k as i32), 1e-9);
        }
    }
}

/// Both fingers stand at their limits and the coupler says the same once more: redundant rows, of which TAMSI's Jacobian was singular.
#[test]
fn coupled_fingers_may_lean_on_both_limits() {
    for (stepper, solver) in PAIRS {
        let mut e = timed(&with(&experiment(hand(0.0, json!([])), 1e-3, 0.05), stepper, solver), 1e-3, 0.05);
        e["scene"]["trees"][0]["joints"][0]["limits"] = json!({ "lower": -0.08 });
        e["scene"]["trees"][1]["joints"][0]["limits"] = json!({ "upper": 0.08 });
        e["scene"]["trees"][0]["drives"] = json!({ "left": { "force": -4.0 } });
        let run = run(&e);
        close(stepper, run.end().q[0], -0.08, 1e-9);
        close(stepper, run.end().q[1], 0.08, 1e-9);
    }
}
