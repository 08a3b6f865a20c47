//! Sliding, sticking and rolling under constant forces. The scheme v⁺ = v + h a, q⁺ = q + h v⁺ has closed forms of its
//! own for constant a: v_k = v0 + k a h and x_k = x0 + h Σ v_j, so everything here holds to rounding.

use serde_json::{Value, json};
use vinci_core::referee::Mode;
use vinci_tests::experiment::{
    SOLVERS, STEPPERS, experiment, for_all, ground, planar, set, shipped, spatial, timed, with,
};
use vinci_tests::run::{run, try_run};
use vinci_tests::{close, order};

const G: f64 = 9.81;

/// Stopping distance of the scheme: full steps N = ⌊v0/(μ g h)⌋ with v_k = v0 − k μ g h > 0, then v = 0; so
/// d = h Σ_{k=1}^{N} v_k = h (N v0 − μ g h N (N + 1)/2).
fn stopping_distance(v0: f64, mu: f64, h: f64) -> f64 {
    let n = (v0 / (mu * G * h)).floor();
    h * (n * v0 - mu * G * h * n * (n + 1.0) / 2.0)
}

fn sliding_block(v0: f64, mu: f64, h: f64) -> Value {
    let block = set(&shipped("sliding-block"), "/scene/bodies/1/velocity/0", v0);
    let block = set(&block, "/scene/materials/default/friction", mu);
    timed(&block, h, (1.5 * v0 / (mu * G) / h).ceil() * h)
}

#[test]
fn a_block_slides_as_far_as_the_scheme_says() {
    // The box is twice as wide as high: it does not tip for μ < 2.
    for (v0, mu, h) in
        [(2.0, 0.5, 0.01), (2.0, 0.5, 0.003), (0.7, 0.1, 0.02), (5.0, 1.3, 0.004), (0.001, 0.3, 0.01)]
    {
        for_all(&sliding_block(v0, mu, h), |e, names| {
            let run = run(e);
            let (x, v) = (run.at_q("block"), run.at_v("block"));
            let what = format!("{names}: v0 = {v0}, μ = {mu}, h = {h}");
            close(&what, run.end().q[x], stopping_distance(v0, mu, h), 1e-9);
            close(&what, run.end().v[v], 0.0, 1e-12);
            close(&what, run.end().q[x + 2], 0.0, 1e-12);
            for (k, m) in run.moments.iter().enumerate() {
                close(&what, m.v[v], (v0 - k as f64 * mu * G * h).max(0.0), 1e-10);
            }
        });
    }
}

#[test]
fn projected_gauss_seidel_slides_as_far_as_the_exact_solvers() {
    for stepper in STEPPERS {
        let run = run(&with(&sliding_block(2.0, 0.5, 0.01), stepper, "pgs"));
        close(stepper, run.end().q[run.at_q("block")], stopping_distance(2.0, 0.5, 0.01), 1e-6);
    }
}

#[test]
fn a_box_in_space_slides_as_far_in_any_direction() {
    // The friction directions of a new contact begin along its slip, and a straight slide keeps them: no pyramid bias.
    for heading in [0.0_f64, 0.4, 2.0] {
        let velocity = json!([2.0 * heading.cos(), 2.0 * heading.sin(), 0]);
        let bodies = json!([ground("spatial"), {
            "name": "block", "mass": 1.7, "shapes": [{"type": "box", "size": [0.2, 0.3, 0.1]}],
            "position": [0, 0, 0.05], "velocity": velocity
        }]);
        for_all(&experiment(spatial(0.5, 0.0, bodies), 0.01, 0.6), |e, names| {
            let run = run(e);
            let q = &run.end().q;
            let d = stopping_distance(2.0, 0.5, 0.01);
            close(names, q[0], d * heading.cos(), 1e-9);
            close(names, q[1], d * heading.sin(), 1e-9);
            close(names, q[2], 0.05, 1e-9);
        });
    }
}

#[test]
fn the_stopping_distance_converges_with_order_one() {
    // With v0/(μ g h) = N + θ: d_h − v0²/(2 μ g) = −h v0/2 + μ g h² θ (1 − θ)/2.
    let (v0, mu) = (2.0, 0.5);
    for stepper in STEPPERS {
        let errors = [0.02, 0.01, 0.005, 0.0025].map(|h| {
            let run = run(&with(&sliding_block(v0, mu, h), stepper, "lemke"));
            let error = run.end().q[run.at_q("block")] - v0 * v0 / (2.0 * mu * G);
            let theta = (v0 / (mu * G * h)).fract();
            close("error", error, -h * v0 / 2.0 + mu * G * h * h * theta * (1.0 - theta) / 2.0, 1e-9);
            error.abs()
        });
        close("order", order(&errors), 1.0, 0.15);
    }
}

/// A box on the incline of the shipped scenes (30°) with another μ.
fn on_incline(mu: f64) -> Value {
    set(&shipped("incline-slip"), "/scene/materials/default/friction", mu)
}

const INCLINE: f64 = std::f64::consts::FRAC_PI_6;

#[test]
fn a_block_sticks_on_an_incline_from_tan_theta_on() {
    for mu in [INCLINE.tan() * 1.001, 0.7, 1.5] {
        for_all(&on_incline(mu), |e, names| {
            let run = run(e);
            let v = run.at_v("block");
            for m in &run.moments[1..] {
                let pressed = m.touches.iter().filter(|t| t.mode != Mode::Open);
                assert!(pressed.clone().all(|t| t.mode == Mode::Stick), "{names}, μ = {mu}: {:?}", m.touches);
                close(names, m.v[v].hypot(m.v[v + 1]), 0.0, 1e-10);
            }
            close(names, run.end().q[0], run.moments[0].q[0], 1e-10);
        });
    }
}

#[test]
fn a_block_slips_on_an_incline_below_tan_theta() {
    // a = g (sin θ − μ cos θ), v_k = k h a, s_k = a h² k (k + 1)/2.
    for mu in [0.0, 0.3, INCLINE.tan() * 0.999] {
        let a = G * (INCLINE.sin() - mu * INCLINE.cos());
        for_all(&on_incline(mu), |e, names| {
            let run = run(e);
            for (k, m) in run.moments.iter().enumerate() {
                let speed = m.v[0] * INCLINE.cos() - m.v[1] * INCLINE.sin();
                close(&format!("{names}, μ = {mu}, step {k}"), speed, k as f64 * 0.01 * a, 1e-9);
            }
            let way = (run.end().q[0] - run.moments[0].q[0]) / INCLINE.cos();
            close(names, way, a * 0.01 * 0.01 * 100.0 * 101.0 / 2.0, 1e-9);
        });
    }
}

#[test]
fn a_quasi_static_block_is_in_equilibrium_only_from_tan_theta_on() {
    let quasi_static = |mu: f64| {
        let e = set(&timed(&on_incline(mu), 0.01, 0.05), "/stepper/options/motion", "quasi-static");
        set(&e, "/stepper/plugin", "stewart-trinkle")
    };
    for solver in SOLVERS {
        let held = try_run(&set(&quasi_static(0.7), "/solver/plugin", solver));
        assert!(held.failure.is_none(), "{solver}: {:?}", held.failure);
        close(solver, held.end().q[0], held.moments[0].q[0], 1e-9);
        // 0 = h f + W p has no solution in the cone. Nobody may say it has.
        let lost = try_run(&set(&quasi_static(0.5), "/solver/plugin", solver));
        assert!(lost.failure.is_some(), "{solver} solved an equilibrium that does not exist");
        assert_eq!(lost.moments.len(), 1);
    }
}

/// Slide to roll: v falls by μ g h and the slip v − R|ω| by μ g h (1 + 1/c) per step (I = c m R²).
fn check_slide_to_roll(e: &Value, names: &str, c: f64, spin: usize, spin_sign: f64) {
    let (v0, mu, r) = (3.0, 0.3, 0.1);
    let h = e["time"]["step"].as_f64().unwrap();
    let run = run(e);
    let slipping = (v0 / (mu * G * h * (1.0 + 1.0 / c))).floor() as usize;
    for (k, m) in run.moments.iter().enumerate() {
        let what = format!("{names}, step {k} of {slipping} slipping");
        // Angular momentum about the floor's line is kept, so the end is exact whatever h: v_roll = v0/(1 + c).
        let expected = if k <= slipping { v0 - k as f64 * mu * G * h } else { v0 / (1.0 + c) };
        close(&what, m.v[0], expected, 1e-9);
        let spin_expected = if k <= slipping { k as f64 * mu * G * h / (c * r) } else { v0 / (1.0 + c) / r };
        close(&what, spin_sign * m.v[spin], spin_expected, 1e-8);
    }
    assert!(run.moments.len() > slipping + 10);
}

#[test]
fn a_sliding_disc_rolls_at_two_thirds_of_its_speed() {
    for_all(&timed(&shipped("slide-to-roll"), 0.002, 0.5), |e, names| {
        check_slide_to_roll(e, names, 0.5, 2, -1.0)
    });
}

#[test]
fn a_sliding_ball_rolls_at_five_sevenths_of_its_speed() {
    for_all(&timed(&shipped("slide-to-roll-3d"), 0.002, 0.4), |e, names| {
        check_slide_to_roll(e, names, 0.4, 4, 1.0)
    });
}

#[test]
fn slide_to_roll_converges_with_order_one() {
    // Continuous: slips until t* = v0/(μ g (1 + 1/c)), then rolls with v0/(1 + c). The scheme's velocity is late by half
    // a step on average while slipping: x_h(T) − x(T) = −h (v0 − v_roll)/2 + O(h²).
    let (v0, mu, c, end) = (3.0, 0.3, 0.5, 0.5);
    let t_roll = v0 / (mu * G * (1.0 + 1.0 / c));
    let exact = v0 * t_roll - mu * G * t_roll * t_roll / 2.0 + v0 / (1.0 + c) * (end - t_roll);
    for stepper in STEPPERS {
        let errors = [0.01, 0.005, 0.0025, 0.00125].map(|h| {
            let run = run(&with(&timed(&shipped("slide-to-roll"), h, end), stepper, "lemke"));
            run.end().q[0] - exact
        });
        close("order", order(&errors.map(f64::abs)), 1.0, 0.15);
        close("constant", errors[3] / 0.00125, -(v0 - v0 / (1.0 + c)) / 2.0, 0.02);
    }
}

#[test]
fn the_incline_converges_with_order_one() {
    // s_h(T) − a T²/2 = a h T/2, exactly.
    let a = G * (INCLINE.sin() - 0.3 * INCLINE.cos());
    for stepper in STEPPERS {
        let errors = [0.02, 0.01, 0.005].map(|h| {
            let run = run(&with(&timed(&on_incline(0.3), h, 0.4), stepper, "lemke"));
            (run.end().q[0] - run.moments[0].q[0]) / INCLINE.cos() - a * 0.4 * 0.4 / 2.0
        });
        close("constant", errors[0], a * 0.02 * 0.4 / 2.0, 1e-9);
        close("order", order(&errors), 1.0, 0.15);
    }
}

/// A round body on the incline of 30°, at rest; c = 1/2 (disc) or 2/5 (ball).
fn rolling(space: &str, mu: f64) -> (Value, f64, usize) {
    let (sin, cos) = INCLINE.sin_cos();
    if space == "planar" {
        let bodies = json!([
            {"name": "incline", "static": true, "shapes": [{"type": "half-plane"}], "angle": -INCLINE},
            {"name": "wheel", "mass": 1.3, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0.1 * sin, 0.1 * cos]}
        ]);
        (experiment(planar(mu, 0.0, bodies), 0.01, 0.3), 0.5, 2)
    } else {
        let bodies = json!([
            {"name": "incline", "static": true, "shapes": [{"type": "half-space", "normal": [sin, 0, cos]}]},
            {"name": "wheel", "mass": 1.3, "shapes": [{"type": "ball", "radius": 0.1}], "position": [0.1 * sin, 0, 0.1 * cos]}
        ]);
        (experiment(spatial(mu, 0.0, bodies), 0.01, 0.3), 0.4, 4)
    }
}

#[test]
fn a_wheel_rolls_down_an_incline_or_slips_as_well() {
    for space in ["planar", "spatial"] {
        let critical = |c: f64| INCLINE.tan() * c / (1.0 + c);
        for part in [0.5, 0.99, 1.01, 3.0] {
            let (_, c, spin) = rolling(space, 0.0);
            let mu = part * critical(c);
            for_all(&rolling(space, mu).0, |e, names| {
                let run = run(e);
                // Rolls with a = g sin θ/(1 + c), or slips with a = g (sin θ − μ cos θ), α = μ g cos θ/(c R).
                let rolls = part > 1.0;
                let a = if rolls {
                    G * INCLINE.sin() / (1.0 + c)
                } else {
                    G * (INCLINE.sin() - mu * INCLINE.cos())
                };
                let alpha = if rolls { a / 0.1 } else { mu * G * INCLINE.cos() / (c * 0.1) };
                let v = &run.end().v;
                close(&format!("{space} {names} {part}"), v[0] / INCLINE.cos(), a * 0.3, 1e-9);
                close(&format!("{space} {names} {part}"), v[spin].abs(), alpha * 0.3, 1e-8);
            });
        }
    }
}
