//! Drives and springs: prescribed motion is followed to rounding, efforts are the forces one knows, implicit springs do what
//! their scheme says.

use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};
use vinci_core::state::quaternion_of;
use vinci_tests::close;
use vinci_tests::experiment::{STEPPERS, experiment, for_all, ground, planar, spatial, with};
use vinci_tests::run::run;

const G: f64 = 9.81;

fn weightless(mut e: Value) -> Value {
    let dim = if e["scene"]["space"] == "planar" { 2 } else { 3 };
    e["scene"]["gravity"] = vec![0.0; dim].into();
    e
}

/// A drive as a scene writes it, and the coordinate it asks for over time.
type Case = (&'static str, Value, Box<dyn Fn(f64) -> f64>);

/// One planar body without shapes, its x driven.
fn driven(drive: Value) -> Value {
    let at_start = if drive == "locked" { 0 } else { 7 };
    let body = json!({"name": "body", "mass": 2.0, "inertia": 0.5, "position": [0.25, 0], "velocity": [at_start, 0.5],
        "dofs": {"x": drive}});
    weightless(experiment(planar(0.5, 0.0, json!([body])), 0.01, 1.0))
}

/// Piecewise cubic Hermite through (t, x): slopes of the parabola through three neighbours inside, zero at both ends.
fn hermite(points: &[(f64, f64)], t: f64) -> f64 {
    let last = points.len() - 1;
    if t <= points[0].0 || t >= points[last].0 {
        return if t <= points[0].0 { points[0].1 } else { points[last].1 };
    }
    let slope = |i: usize| {
        if i == 0 || i == last {
            return 0.0;
        }
        let ((ta, xa), (tb, xb), (tc, xc)) = (points[i - 1], points[i], points[i + 1]);
        let (left, right) = ((xb - xa) / (tb - ta), (xc - xb) / (tc - tb));
        left + (right - left) * (tb - ta) / (tc - ta)
    };
    let i = (0..last).find(|&i| t < points[i + 1].0).expect("t lies inside");
    let ((t0, x0), (t1, x1)) = (points[i], points[i + 1]);
    let (s, d) = ((t - t0) / (t1 - t0), t1 - t0);
    let (a, b) = (slope(i) * d, slope(i + 1) * d);
    x0 + s * (a + s * (3.0 * (x1 - x0) - 2.0 * a - b + s * (2.0 * (x0 - x1) + a + b)))
}

#[test]
fn prescribed_coordinates_are_where_they_are_told_to_be() {
    let points = [(0.0, 0.25), (0.213, 0.6), (0.5, -0.3), (0.9, 0.1)];
    let linear = move |t: f64| {
        let i = points.iter().rposition(|p| p.0 <= t).unwrap();
        if i == 3 {
            0.1
        } else {
            points[i].1
                + (points[i + 1].1 - points[i].1) * (t - points[i].0) / (points[i + 1].0 - points[i].0)
        }
    };
    let keyframes =
        |kind: &str| json!({"position": {"keyframes": points.map(|(t, x)| [t, x]), "interpolation": kind}});
    let cases: Vec<Case> = vec![
        ("locked", json!("locked"), Box::new(|_| 0.25)),
        ("constant", json!({"position": 0.25}), Box::new(|_| 0.25)),
        ("linear", keyframes("linear"), Box::new(linear)),
        ("cubic", keyframes("cubic"), Box::new(move |t| hermite(&points, t))),
        (
            "expression",
            json!({"position": {"expression": "0.25 + 0.3*sin(2*pi*t) - t^2"}}),
            Box::new(|t| 0.25 + 0.3 * (2.0 * std::f64::consts::PI * t).sin() - t * t),
        ),
    ];
    for (name, drive, expected) in cases {
        for_all(&driven(drive), |e, names| {
            let run = run(e);
            for m in &run.moments[1..] {
                close(&format!("{name}, {names}, t = {}", m.t), m.q[0], expected(m.t), 2e-15);
            }
            // The free dofs of the same body are free: y goes on at 0.5 m/s, the angle rests.
            close(name, run.end().q[1], 0.5, 1e-12);
            close(name, run.end().q[2], 0.0, 1e-15);
        });
    }
}

#[test]
fn a_prescribed_acceleration_takes_mass_times_acceleration() {
    // x = a t²/2: v over a step is a (t + h/2), so v grows by a h in every step but the first, where it comes from 7 m/s.
    let run = run(&driven(json!({"position": {"expression": "0.25 + 1.5*t^2"}})));
    close("first", run.first().effort[0], 2.0 * (1.5 * 0.01 - 7.0), 1e-11);
    for m in &run.moments[2..] {
        close("effort", m.effort[0], 2.0 * 3.0 * 0.01, 1e-11);
        close("no effort on free dofs", m.effort[1].abs() + m.effort[2].abs(), 0.0, 0.0);
    }
}

#[test]
fn pushing_a_block_over_a_floor_takes_mu_m_g() {
    for space in ["planar", "spatial"] {
        let (size, position, velocity) = if space == "planar" {
            (json!([0.2, 0.1]), json!([0, 0.05]), json!([0.4, 0]))
        } else {
            (json!([0.2, 0.3, 0.1]), json!([0, 0, 0.05]), json!([0.4, 0, 0]))
        };
        let bodies = json!([ground(space), {"name": "block", "mass": 3.0, "shapes": [{"type": "box", "size": size}],
            "position": position, "velocity": velocity, "dofs": {"x": {"position": {"expression": "0.4*t"}}}}]);
        let scene = if space == "planar" { planar(0.35, 0.0, bodies) } else { spatial(0.35, 0.0, bodies) };
        for_all(&experiment(scene, 0.005, 0.1), |e, names| {
            let run = run(e);
            for m in &run.moments[1..] {
                close(&format!("{space} {names}"), m.effort[0], 0.35 * 3.0 * G * 0.005, 1e-9);
            }
        });
    }
}

#[test]
fn lifting_takes_the_weight_and_a_finger_pushing_a_block_takes_its_friction() {
    // A finger pushes a block at constant speed: its effort is the block's friction; lifted bodies weigh m g.
    let bodies = json!([ground("planar"),
        {"name": "block", "mass": 2.0, "shapes": [{"type": "box", "size": [0.2, 0.1]}], "position": [0, 0.05], "velocity": [0.2, 0]},
        {"name": "finger", "mass": 0.7, "shapes": [{"type": "disc", "radius": 0.02}], "position": [-0.12, 0.05], "velocity": [0.2, 0],
         "dofs": {"x": {"position": {"expression": "-0.12 + 0.2*t"}}, "y": "locked", "angle": "locked"}},
        {"name": "crane", "mass": 5.0, "inertia": 1.0, "position": [3, 1], "velocity": [0, 0.3],
         "dofs": {"y": {"position": {"expression": "1 + 0.3*t"}}}}]);
    let mut scene = planar(0.4, 0.0, bodies);
    // Without friction at the finger nothing presses the block down or lifts it.
    scene["pairs"] = json!([{"bodies": ["block", "finger"], "friction": 0}]);
    for_all(&experiment(scene, 0.01, 0.2), |e, names| {
        let run = run(e);
        let (finger, crane) = (run.at_v("finger"), run.at_v("crane"));
        for m in &run.moments[1..] {
            close(names, m.effort[finger], 0.4 * 2.0 * G * 0.01, 1e-9);
            close(names, m.effort[finger + 1], 0.7 * G * 0.01, 1e-9);
            close(names, m.effort[crane + 1], 5.0 * G * 0.01, 1e-9);
        }
    });
}

#[test]
fn an_impedance_dof_settles_where_its_stiffness_holds_the_load() {
    // Quasi-static: h² k Δ… = h (k (command − y) − m g) at once, y = command − m g/k.
    let body = json!({"name": "body", "mass": 2.0, "inertia": 1.0, "motion": "quasi-static",
        "dofs": {"x": "locked", "angle": "locked", "y": {"impedance": {"stiffness": 500, "command": {"expression": "0.1*t"}}}}});
    for_all(&experiment(planar(0.5, 0.0, json!([body])), 0.01, 0.1), |e, names| {
        for m in &run(e).moments[1..] {
            close(names, m.q[1], 0.1 * m.t - 2.0 * G / 500.0, 1e-12);
        }
    });
}

#[test]
fn a_force_by_expression_of_the_bodys_own_state_is_symplectic() {
    // f = −k x explicit, then q⁺ = q + h v⁺: symplectic Euler. v² + ω² x² − h ω² x v is kept exactly, so the energy only
    // oscillates, by a part of h ω/2 at most.
    let (k, mass, h) = (8.0, 2.0, 0.01);
    let w2 = k / mass;
    let body = json!({"name": "body", "mass": mass, "inertia": 1.0, "position": [0.3, 0], "dofs": {
        "x": {"force": {"expression": "-8*x"}}, "y": {"force": {"expression": "3*cos(t) - 0.5*vy"}}, "angle": {"force": 0.25}}});
    let e = weightless(experiment(planar(0.5, 0.0, json!([body])), h, 10.0));
    for stepper in STEPPERS {
        let run = run(&with(&e, stepper, "lemke"));
        let kept = |x: f64, v: f64| v * v + w2 * x * x - h * w2 * x * v;
        let start = kept(0.3, 0.0);
        let (mut v_y, mut y) = (0.0, 0.0);
        for (step, m) in run.moments.iter().enumerate() {
            let (x, v) = (m.q[0], m.v[0]);
            close("invariant", kept(x, v), start, 1e-12);
            close("energy", v * v + w2 * x * x, start, h * w2.sqrt() * start);
            // Constant torque: ω = τ t/J.
            close("ω", m.v[2], 0.25 * m.t, 1e-11);
            close("y", m.q[1], y, 1e-11);
            let t = step as f64 * h;
            v_y += h * (3.0 * t.cos() - 0.5 * v_y) / mass;
            y += h * v_y;
        }
    }
}

/// A mass of 2 kg on a spring from the origin along x; `rest` its length without force.
fn on_spring(k: f64, c: f64, rest: f64, h: f64, duration: f64) -> Value {
    let body = json!({"name": "body", "mass": 2.0, "inertia": 1.0, "position": [rest + 0.1, 0]});
    let mut scene = planar(0.5, 0.0, json!([body]));
    scene["springs"] = json!([{"bodies": [null, "body"], "anchors": [[0, 0], [0, 0]], "stiffness": k, "damping": c, "rest_length": rest}]);
    weightless(experiment(scene, h, duration))
}

#[test]
fn an_implicit_spring_is_backward_euler_and_never_gains() {
    // (1 + h c/m + h² k/m) v⁺ = v − h (k/m) x, x⁺ = x + h v⁺. For c = 0, u = x + i v/ω: u⁺ = u/(1 + i h ω), so the amplitude
    // falls by (1 + h² ω²)^(−1/2) per step, whatever h ω is.
    for (k, c, rest, h) in
        [(200.0, 0.0, 0.0, 0.01), (200.0, 0.0, 0.5, 0.01), (200.0, 3.0, 0.5, 0.01), (1e7, 0.0, 0.5, 0.01)]
    {
        for_all(&on_spring(k, c, rest, h, 1.0), |e, names| {
            let run = run(e);
            let (mut x, mut v) = (0.1, 0.0);
            for (step, m) in run.moments.iter().enumerate() {
                let what = format!("{names}: k = {k}, c = {c}, L = {rest}, step {step}");
                close(&what, m.q[0] - rest, x, 1e-11);
                close(&what, m.v[0], v, 1e-9);
                if c == 0.0 {
                    let w = (k / 2.0_f64).sqrt();
                    let amplitude = 0.1 * (1.0 + h * h * w * w).powf(-0.5 * step as f64);
                    close(&what, (m.q[0] - rest).hypot(m.v[0] / w), amplitude, 1e-11);
                }
                v = (v - h * k / 2.0 * x) / (1.0 + h * c / 2.0 + h * h * k / 2.0);
                x += h * v;
            }
        });
    }
}

#[test]
fn a_damped_spring_has_the_frequency_and_decay_of_its_closed_form() {
    // x = A e^(−δ t) (cos ω_d t + (δ/ω_d) sin ω_d t), δ = c/2m, ω_d² = k/m − δ². Backward Euler is of order one.
    let (k, c, mass) = (50.0_f64, 2.0, 2.0);
    let (delta, w) = (c / (2.0 * mass), (k / mass - (c / (2.0 * mass)).powi(2)).sqrt());
    let exact = |t: f64| 0.1 * (-delta * t).exp() * ((w * t).cos() + delta / w * (w * t).sin());
    let worst = |h: f64| {
        let run = run(&on_spring(k, c, 0.5, h, 2.0));
        run.moments.iter().map(|m| (m.q[0] - 0.5 - exact(m.t)).abs()).fold(0.0, f64::max)
    };
    let (coarse, fine) = (worst(0.002), worst(0.0005));
    assert!(fine < 1e-3, "{fine}");
    close("order", (coarse / fine).log2() / 2.0, 1.0, 0.15);
}

#[test]
fn linear_damping_of_a_body_is_implicit_in_time() {
    // (1 + h c/m) v⁺ = v, in every motion of the body; even h c/m = 500 only brakes.
    let body = json!({"name": "body", "mass": 2.0, "inertia": 4.0, "velocity": [1, 1], "angular_velocity": 1,
        "damping": [0.5, 1e5, 2]});
    let e = weightless(experiment(planar(0.5, 0.0, json!([body])), 0.01, 0.5));
    for_all(&e, |e, names| {
        let end = run(e).moments.pop().unwrap();
        for (i, c_over_m) in [0.25_f64, 5e4, 0.5].into_iter().enumerate() {
            close(names, end.v[i], (1.0 + 0.01 * c_over_m).powi(-50), 1e-12);
        }
    });
}

#[test]
fn a_spring_between_two_bodies_keeps_their_momentum() {
    let mut scene = spatial(
        0.5,
        0.0,
        json!([
            {"name": "a", "mass": 1.0, "inertia": [1, 1, 1], "position": [0, 0, 0], "velocity": [0, 1, 0]},
            {"name": "b", "mass": 3.0, "inertia": [1, 1, 1], "position": [1, 0, 0.2], "velocity": [0, 0, 0.5]}
        ]),
    );
    scene["springs"] = json!([{"bodies": ["a", "b"], "anchors": [[0.1, 0, 0], [0, 0.2, 0]], "stiffness": 40, "damping": 1, "rest_length": 0.8}]);
    for_all(&weightless(experiment(scene, 0.01, 1.0)), |e, names| {
        let run = run(e);
        let p = |v: &[f64]| [0, 1, 2].map(|i| v[i] + 3.0 * v[6 + i]);
        for m in &run.moments {
            for i in 0..3 {
                close(names, p(&m.v)[i], p(&run.moments[0].v)[i], 1e-9);
            }
        }
        assert!(run.end().energy < run.moments[0].energy);
    });
}

#[test]
fn a_spatial_orientation_follows_its_rotation_vector() {
    // All three rotations prescribed: R = exp(rx, ry, rz) R_0, exactly.
    let start = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), 0.7);
    let body = |dofs: Value| {
        json!([{"name": "body", "mass": 1.0, "inertia": [1, 2, 3],
        "orientation": {"axis": [0, 1, 0], "angle": 0.7}, "dofs": dofs}])
    };
    let all = json!({
        "rx": {"position": {"expression": "0.5*t"}},
        "ry": {"position": {"keyframes": [[0, 0], [1, 0.8]]}},
        "rz": {"position": {"expression": "sin(2*t)"}}
    });
    let about_z = json!({"rx": "locked", "ry": "locked", "rz": {"position": {"expression": "40*t"}}});
    let rotations: [fn(f64) -> Vector3<f64>; 2] =
        [|t| Vector3::new(0.5 * t, 0.8 * t, (2.0 * t).sin()), |t| Vector3::new(0.0, 0.0, 40.0 * t)];
    for (dofs, rotation) in [all, about_z].into_iter().zip(rotations) {
        for_all(&weightless(experiment(spatial(0.5, 0.0, body(dofs)), 0.01, 1.0)), |e, names| {
            let run = run(e);
            for m in &run.moments {
                let expected = UnitQuaternion::from_scaled_axis(rotation(m.t)) * start;
                close(
                    &format!("{names}, t = {}", m.t),
                    quaternion_of(&m.q[3..7]).angle_to(&expected),
                    0.0,
                    1e-7,
                );
            }
        });
    }
}

#[test]
fn a_single_driven_rotation_leaves_the_others_free() {
    // ω_z follows its rate; x and y turn under their own momentum (none here).
    let body = json!([{"name": "body", "mass": 1.0, "inertia": [1, 1, 1], "dofs": {"rz": {"position": {"expression": "t^2"}}}}]);
    let run = run(&weightless(experiment(spatial(0.5, 0.0, body), 0.01, 1.0)));
    for m in &run.moments[1..] {
        close("ω_z", m.v[5], 2.0 * m.t - 0.01, 1e-12);
        close("angle", quaternion_of(&m.q[3..7]).angle(), m.t * m.t, 1e-10);
    }
}
