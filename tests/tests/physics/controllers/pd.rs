//! Stiffness and damping towards a reference.

use super::arms::{LEVER_INERTIA as I, lever, with_tree};
use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{for_all, set};
use vinci_tests::run::{run, simulation};

/// 0.3 sin(2 t), its rate.
fn reference(t: f64) -> (f64, f64) {
    (0.3 * (2.0 * t).sin(), 0.6 * (2.0 * t).cos())
}

fn following(kp: f64, kd: f64, more: Value, step: f64, duration: f64) -> Value {
    let mut pd = json!({"type": "pd", "tree": "arm", "kp": kp, "kd": kd, "targets": {"j": {"expression": "0.3*sin(2*t)"}}});
    for (key, value) in more.as_object().unwrap() {
        pd[key] = value.clone();
    }
    let mut tree = lever();
    tree["start"] = json!({"j": 0.5});
    tree["velocity"] = json!({"j": -0.4});
    with_tree(tree, json!([pd]), 0.0, step, duration)
}

#[test]
fn implicit_gains_are_those_of_backward_euler() {
    // (I + h c + h² k) v⁺ = I v + h (k (r(t + h) − q) + c ṙ(t + h)) + h c v … with c ṙ⁺ − c v⁺ the damper at the end.
    let h = 0.01;
    for (k, c) in [(40.0, 3.0), (1e9, 1e6), (25.0, 0.0), (0.0, 2.0)] {
        for_all(&following(k, c, json!({}), h, 1.0), |e, names| {
            let run = run(e);
            let (mut q, mut v) = (0.5, -0.4);
            for m in &run.moments[1..] {
                let (r, rate) = reference(m.t);
                v = (I * v + h * (k * (r - q) + c * rate)) / (I + h * c + h * h * k);
                q += h * v;
                close(&format!("{names}: v at {}", m.t), m.v[0], v, 1e-11 * (1.0 + k * 1e-3));
                close(&format!("{names}: q at {}", m.t), m.q[0], q, 1e-11 * (1.0 + k * 1e-5));
            }
        });
    }
}

#[test]
fn gains_converge_to_the_oscillator_they_are() {
    // Constant target: q = a + e^(−δt) (A cos ωt + B sin ωt).
    let (k, c, a) = (40.0_f64, 3.0_f64, 0.2_f64);
    let (delta, w) = (c / (2.0 * I), (k / I - (c / (2.0 * I)).powi(2)).sqrt());
    let exact = |t: f64| {
        let (x, u) = (0.5 - a, -0.4);
        a + (-delta * t).exp() * (x * (w * t).cos() + (u + delta * x) / w * (w * t).sin())
    };
    let worst = |h: f64, plugin: &str| {
        let e = set(&following(k, c, json!({"targets": {"j": a}}), h, 1.0), "/stepper/plugin", plugin);
        run(&e).moments.iter().map(|m| (m.q[0] - exact(m.t)).abs()).fold(0.0, f64::max)
    };
    for (plugin, order, most) in [("stewart-trinkle", 1.0, 2e-3), ("trapezoidal", 2.0, 1e-5)] {
        let (coarse, fine) = (worst(0.002, plugin), worst(0.0005, plugin));
        println!("{plugin}: {coarse:.3e} at h = 2 ms, {fine:.3e} at 0.5 ms");
        assert!(fine < most, "{plugin}: {fine}");
        close(plugin, (coarse / fine).log2() / 2.0, order, 0.15);
    }
}

#[test]
fn explicit_gains_hold_for_the_step() {
    let (h, k, c) = (0.01, 40.0, 3.0);
    let run = run(&following(k, c, json!({"implicit": false}), h, 1.0));
    let (mut q, mut v) = (0.5, -0.4);
    for m in &run.moments[1..] {
        let (r, rate) = reference(m.t - h);
        v += h * (k * (r - q) + c * (rate - v)) / I;
        q += h * v;
        close(&format!("q at {}", m.t), m.q[0], q, 1e-12);
    }
}

#[test]
fn recorded_efforts_are_what_acted() {
    // Nothing else acts: effort = I (v⁺ − v)/h, whatever the scheme.
    for plugin in ["stewart-trinkle", "anitescu-potra", "trapezoidal"] {
        for more in [json!({}), json!({"implicit": false}), json!({"effort_limit": 4})] {
            let h = 0.01;
            let e = set(&following(40.0, 3.0, more, h, 1.0), "/stepper/plugin", plugin);
            let mut simulation = simulation(&e);
            for _ in 0..100 {
                let before = simulation.v()[0];
                simulation.advance_to(simulation.next_grid_time()).unwrap();
                let last = simulation.last();
                close(plugin, last.controlled[0], I * (last.v[0] - before) / h, 1e-10);
            }
        }
    }
}

#[test]
fn beyond_the_limit_the_effort_is_the_limit() {
    // 40 · 0.3 is above 4: constant acceleration 4/I towards the target until the gains ask for less.
    let (h, limit) = (0.01, 4.0);
    let more = json!({"effort_limit": {"j": limit}, "targets": {"j": 0.2}});
    let run = run(&following(40.0, 3.0, more, h, 1.0));
    let (mut q, mut v, mut free) = (0.5, -0.4, 0);
    for m in &run.moments[1..] {
        let asked: f64 = 40.0 * (0.2 - q) - 3.0 * v;
        v = if asked.abs() > limit {
            v + h * limit.copysign(asked) / I
        } else {
            free += 1;
            (I * v + h * 40.0 * (0.2 - q)) / (I + h * 3.0 + h * h * 40.0)
        };
        q += h * v;
        close(&format!("q at {}", m.t), m.q[0], q, 1e-11);
    }
    assert!((10..90).contains(&free), "{free} of 100 steps within the limit");
}

#[test]
fn the_joints_own_limit_holds_where_none_is_given() {
    let mut e = following(40.0, 0.0, json!({"targets": {"j": -4}}), 0.01, 0.1);
    e["scene"]["trees"][0]["joints"][0]["limits"] = json!({"effort": 2.5});
    let run = run(&e);
    close("v", run.end().v[0], -0.4 - 0.1 * 2.5 / I, 1e-12);
}

#[test]
fn keyframes_of_joints_are_followed() {
    // Stiff gains and a straight line: after the first steps the joint is where the line is.
    let more = json!({"targets": {}, "keyframes": [{"t": 0, "q": {"j": 0.5}}, {"t": 1, "q": {"j": 1.5}}]});
    let run = run(&following(1e8, 1e5, more, 0.01, 1.0));
    for m in &run.moments[10..] {
        close(&format!("q at {}", m.t), m.q[0], 0.5 + m.t, 1e-6);
    }
}

#[test]
fn a_step_that_takes_less_or_halves_keeps_the_law() {
    // An accuracy target divides steps and goes back: the end is the oscillator's to that accuracy.
    let mut e = following(40.0, 3.0, json!({"targets": {"j": 0.2}}), 0.05, 1.0);
    e["time"]["tolerance"] = json!(1e-5);
    let run = run(&e);
    let (delta, w) = (3.0 / (2.0 * I), (40.0 / I - (3.0 / (2.0 * I)).powi(2)).sqrt());
    let exact = 0.2 + (-delta).exp() * (0.3 * w.cos() + (-0.4 + delta * 0.3) / w * w.sin());
    assert!(run.moments.len() > 30);
    close("q at 1", run.end().q[0], exact, 2e-3);
}
