//! The cost of the first-order steppers' implicit springs: the damping of backward Euler, as the book states it (reference, Scenes).

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{AP, ST, experiment, planar, with};
use vinci_tests::run::run;

/// x⁺ = x + h v⁺, (1 + h² ω²) v⁺ = v − h ω² x: the energy ω² x² + v² shrinks by 1 + h² ω² in every step, exactly.
#[test]
fn an_oscillation_loses_half_h_omega_squared_of_its_amplitude_per_second() {
    let (k, m) = (90.0_f64, 0.5);
    let omega = (k / m).sqrt();
    let mut scene = planar(
        0.0,
        0.0,
        json!([{
            "name": "bob", "mass": m, "shapes": [], "inertia": 1.0, "position": [0.1, 0], "dofs": {"y": "locked", "angle": "locked"},
        }]),
    );
    scene["gravity"] = json!([0, 0]);
    scene["springs"] = json!([{
        "bodies": [null, "bob"], "anchors": [[0, 0], [0, 0]], "stiffness": k, "damping": 0, "rest_length": 0,
    }]);
    for (stepper, h) in [(ST, 5e-3), (ST, 1e-3), (AP, 5e-3)] {
        let run = run(&with(&experiment(scene.clone(), h, 1.0), stepper, "lemke"));
        let form = |x: f64, v: f64| omega * omega * x * x + v * v;
        let n = run.moments.len() as f64 - 1.0;
        let left = form(run.end().q[0], run.end().v[0]) / form(0.1, 0.0);
        let expected = (1.0 + h * h * omega * omega).powf(-n);
        close("what is left of the energy", left, expected, 1e-10);
        // The README's round figure for amplitudes.
        close("amplitude", expected.sqrt(), (-0.5 * h * omega * omega).exp(), 0.01);
    }
}

const BODIES: [(f64, f64); 2] = [(1.0, 0.02), (0.5, 0.01)];

/// A spring with its anchors on body a and on body b or the world: stiffness, damping, rest length.
type Link = (usize, [f64; 2], Option<usize>, [f64; 2], f64, f64, f64);

const LINKS: [Link; 2] = [
    (0, [0.1, 0.05], None, [0.0, 1.0], 60.0, 0.4, 0.6),
    (0, [-0.1, -0.05], Some(1), [0.08, 0.02], 90.0, 0.2, 0.3),
];

/// Two bodies on springs beside their centres: radial, whirling and spinning motion of 10 to 20 rad/s.
fn scene() -> Value {
    let name = |b: Option<usize>| b.map(|b| ["a", "b"][b]);
    let springs: Vec<Value> = LINKS
        .iter()
        .map(|(a, at_a, b, at_b, k, c, rest)| {
            json!({"bodies": [name(Some(*a)), name(*b)], "anchors": [at_a, at_b], "stiffness": k, "damping": c,
                "rest_length": rest})
        })
        .collect();
    json!({
        "format": "vinci/scene@1", "space": "planar", "gravity": [0.5, -9.81],
        "materials": {"default": {"friction": 0}}, "springs": springs,
        "bodies": [
            {"name": "a", "mass": 1.0, "inertia": 0.02, "shapes": [], "position": [0.3, 0.2], "velocity": [0.5, 0],
             "angular_velocity": 2.0},
            {"name": "b", "mass": 0.5, "inertia": 0.01, "shapes": [], "position": [0.2, -0.4], "velocity": [0, 0.3],
             "dofs": {"x": {"force": {"expression": "2*sin(7*t)"}}}},
        ],
    })
}

/// q̈ of (x, y, θ) of both bodies at (t, q, v).
fn acceleration(t: f64, q: &[f64; 6], v: &[f64; 6]) -> [f64; 6] {
    let mut f = [0.0; 6];
    for (b, (m, _)) in BODIES.iter().enumerate() {
        (f[3 * b], f[3 * b + 1]) = (0.5 * m, -9.81 * m);
    }
    f[3] += 2.0 * (7.0 * t).sin();
    let end = |b: Option<usize>, at: [f64; 2]| match b {
        None => ([0.0; 2], at, [0.0; 2]),
        Some(b) => {
            let (s, c) = q[3 * b + 2].sin_cos();
            let lever = [c * at[0] - s * at[1], s * at[0] + c * at[1]];
            let rate = [v[3 * b] - v[3 * b + 2] * lever[1], v[3 * b + 1] + v[3 * b + 2] * lever[0]];
            (lever, [q[3 * b] + lever[0], q[3 * b + 1] + lever[1]], rate)
        }
    };
    for (a, at_a, b, at_b, k, c, rest) in LINKS {
        let ((lever_a, p_a, v_a), (lever_b, p_b, v_b)) = (end(Some(a), at_a), end(b, at_b));
        let d = [p_b[0] - p_a[0], p_b[1] - p_a[1]];
        let length = d[0].hypot(d[1]);
        let u = [d[0] / length, d[1] / length];
        let pull = k * (length - rest) + c * (u[0] * (v_b[0] - v_a[0]) + u[1] * (v_b[1] - v_a[1]));
        let ends = [(Some(a), lever_a, pull), (b, lever_b, -pull)];
        for (body, lever, pull) in ends.into_iter().filter_map(|(b, l, p)| Some((b?, l, p))) {
            f[3 * body] += pull * u[0];
            f[3 * body + 1] += pull * u[1];
            f[3 * body + 2] += pull * (lever[0] * u[1] - lever[1] * u[0]);
        }
    }
    std::array::from_fn(|i| f[i] / if i % 3 == 2 { BODIES[i / 3].1 } else { BODIES[i / 3].0 })
}

/// Velocities after 1 s by the classical Runge-Kutta method with steps of 0.1 ms, whose error is below 1e-6 here.
fn reference() -> [f64; 6] {
    let add = |a: &[f64; 6], h: f64, b: &[f64; 6]| -> [f64; 6] { std::array::from_fn(|i| a[i] + h * b[i]) };
    let (mut q, mut v, h) = ([0.3, 0.2, 0.0, 0.2, -0.4, 0.0], [0.5, 0.0, 2.0, 0.0, 0.3, 0.0], 1e-4);
    for k in 0..10_000 {
        let t = f64::from(k) * h;
        let a1 = acceleration(t, &q, &v);
        let (q2, v2) = (add(&q, 0.5 * h, &v), add(&v, 0.5 * h, &a1));
        let a2 = acceleration(t + 0.5 * h, &q2, &v2);
        let (q3, v3) = (add(&q, 0.5 * h, &v2), add(&v, 0.5 * h, &a2));
        let a3 = acceleration(t + 0.5 * h, &q3, &v3);
        let (q4, v4) = (add(&q, h, &v3), add(&v, h, &a3));
        let a4 = acceleration(t + h, &q4, &v4);
        for i in 0..6 {
            q[i] += h / 6.0 * (v[i] + 2.0 * v2[i] + 2.0 * v3[i] + v4[i]);
            v[i] += h / 6.0 * (a1[i] + 2.0 * a2[i] + 2.0 * a3[i] + a4[i]);
        }
    }
    v
}

/// The example of the book: spin of the second body after 1 s.
#[test]
fn the_readmes_figures_for_two_bodies_on_springs_are_right() {
    let spin = reference()[5];
    let error = |stepper: &str, h: f64| {
        let run = run(&with(&experiment(scene(), h, 1.0), stepper, "lemke"));
        run.end().v[run.at_v("b") + 2] - spin
    };
    for (stepper, h, expected) in [
        (ST, 5e-3, -14.26),
        (ST, 2.5e-3, -11.02),
        (ST, 1.25e-3, -8.33),
        (ST, 6.25e-4, -4.76),
        ("trapezoidal", 5e-3, -0.09),
        ("trapezoidal", 2.5e-3, -0.02),
    ] {
        close(&format!("{stepper} at {h} s"), error(stepper, h), expected, 0.01);
    }
}

/// What backward Euler takes from the spins is far more than the rule for one oscillation says, and falls with h: the numbers of the
/// theory page.
#[test]
fn spins_lose_most() {
    let spin = |stepper: &str, h: f64| run(&with(&experiment(scene(), h, 1.0), stepper, "lemke")).end().v[5];
    close("trapezoidal at 5 ms", spin("trapezoidal", 5e-3), 17.24, 0.1);
    for (h, expected) in [(5e-3, 2.977), (2e-3, 6.885), (1e-3, 10.103), (1e-4, 16.481)] {
        close("Stewart and Trinkle", spin(ST, h), expected, 1e-2);
    }
}
