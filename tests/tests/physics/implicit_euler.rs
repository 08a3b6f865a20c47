//! Implicit Euler: discrete closed forms, orders, restitution of Hunt and Crossley's law, stick and slip, the count of
//! evaluations, going back.

use std::f64::consts::PI;

use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};
use vinci_engine::pipeline::StepFailure;
use vinci_tests::experiment::{experiment, ground, planar, set, spatial, timed};
use vinci_tests::run::{prepared, run, simulation, try_run};
use vinci_tests::{close, order};

const IE: &str = "implicit-euler";

fn ie(experiment: &Value, options: Value) -> Value {
    set(&set(experiment, "/stepper/plugin", IE), "/stepper/options", options)
}

/// A planar scene whose pairs have this stiffness and dissipation.
fn compliant(mu: f64, k: f64, d: f64, bodies: Value) -> Value {
    let mut scene = planar(mu, 0.0, bodies);
    scene["combination"] = json!({"stiffness": "max", "dissipation": "max"});
    scene["materials"]["default"]["stiffness"] = json!(k);
    scene["materials"]["default"]["dissipation"] = json!(d);
    scene
}

const M: f64 = 0.33;
const W: f64 = M * 9.8;
const V_S: f64 = 1e-4;

/// The box of the paper's section IV-A in the plane, already carried by its contact.
fn stick_slip(force: &str, vx: f64) -> Value {
    let body = json!({"name": "box", "mass": M, "position": [0, 0.05 - W / 1e5], "velocity": [vx, 0],
        "shapes": [{"type": "disc", "radius": 0.05}], "dofs": {"x": {"force": {"expression": force}}, "angle": "locked"}});
    let mut scene = compliant(1.0, 1e5, 50.0, json!([ground("planar"), body]));
    scene["gravity"] = json!([0, -9.8]);
    experiment(scene, 0.01, 2.0)
}

const COS: &str = "4*cos(2*pi*t)";

/// The root of m (v − v_0)/h = f − μ̃(v) W sgn v with the linear law: three straight pieces, one of which holds it.
fn implicit_step(v: f64, h: f64, f: f64) -> f64 {
    let (slip, back) = (v + h * (f - W) / M, v + h * (f + W) / M);
    if slip >= V_S {
        slip
    } else if back <= -V_S {
        back
    } else {
        (v + h * f / M) / (1.0 + h * W / (M * V_S))
    }
}

#[test]
fn the_box_sticks_and_slips_as_its_own_equation_says() {
    for jacobian in ["full", "quasi"] {
        for (h, steps) in [(0.01, 200), (0.0025, 400)] {
            let e = timed(&ie(&stick_slip(COS, 0.0), json!({"jacobian": jacobian})), h, h * f64::from(steps));
            let run = run(&e);
            assert_eq!(run.moments.len(), steps as usize + 1, "no step is divided");
            let (mut v, mut restick) = (0.0, None);
            for (k, moment) in run.moments.iter().enumerate().skip(1) {
                v = implicit_step(v, h, 4.0 * (2.0 * PI * k as f64 * h).cos());
                close("velocity", moment.v[0], v, 1e-9);
                if restick.is_none() && k > 1 && v < V_S {
                    restick = Some((k - 1) as f64 * h);
                }
                assert!(
                    moment.report.momentum_relative.value < 1e-9,
                    "{:?}",
                    moment.report.momentum_relative
                );
            }
            if h == 0.01 {
                // The paper: the first transition from sliding to stiction is in the step that begins at 0.160 s.
                close("first restick", restick.unwrap(), 0.16, 1e-12);
            }
        }
    }
}

#[test]
fn stiction_is_found_in_one_step_with_the_line_search_and_in_shorter_ones_without() {
    // One step of h = 0.01 from 0.02 m/s under 2 N: v_s f/(μ N) approached from above, for both laws.
    let linear = |s: f64| s;
    let quadratic = |s: f64| s * (2.0 - s);
    type Law = (&'static str, fn(f64) -> f64, f64);
    let laws: [Law; 2] = [("linear", linear, 8.2167e-5), ("quadratic", quadratic, 5.7801e-5)];
    for (law, curve, printed) in laws {
        let root = |inertia: f64| {
            let off = |s: f64| inertia * (s * V_S - 0.02) - 2.0 + W * curve(s);
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if off(middle) < 0.0 { low = middle } else { high = middle }
            }
            low * V_S
        };
        let (first, creep) = (root(M / 0.01), root(0.0));
        close("worked instance", first, printed, 5e-10);
        let e = timed(&stick_slip("2", 0.02), 0.01, 0.3);
        let run_of = |tals: bool| run(&ie(&e, json!({"law": law, "tals": tals})));
        let with = run_of(true);
        close("first step", with.first().v[0], first, 1e-11);
        close("creep", with.end().v[0], creep, 1e-11);
        assert_eq!(with.moments.len(), 31, "no step is divided");
        let without = run_of(false);
        assert!(without.moments.len() > 31, "{law}: Newton's method came through without the line search");
        close("creep without", without.end().v[0], creep, 1e-11);
        let evaluations = [&with, &without].map(|r| r.simulation.counts.evaluations);
        assert!(evaluations[0] < evaluations[1], "{law}: {evaluations:?}");
    }
}

/// q'' = −ω² q by implicit Euler is a linear map; what is found must be its power, and of order one.
#[test]
fn a_spring_is_the_discrete_closed_form_and_of_order_one() {
    let (m, k, x0, t) = (0.7_f64, 40.0_f64, 0.3, 1.0_f64);
    let bob =
        json!({"name": "bob", "mass": m, "position": [x0, 0], "shapes": [{"type": "disc", "radius": 0.05}]});
    let mut scene = planar(0.5, 0.0, json!([bob]));
    scene["gravity"] = json!([0, 0]);
    scene["springs"] =
        json!([{"bodies": [null, "bob"], "anchors": [[0, 0], [0, 0]], "stiffness": k, "rest_length": 0}]);
    let omega = (k / m).sqrt();
    for jacobian in ["full", "quasi"] {
        let mut errors = Vec::new();
        for h in [0.004, 0.002, 0.001] {
            let run = run(&ie(&experiment(scene.clone(), h, t), json!({"jacobian": jacobian})));
            let (mut x, mut v) = (x0, 0.0);
            for _ in 0..(t / h).round() as u32 {
                v = (v - h * omega * omega * x) / (1.0 + h * h * omega * omega);
                x += h * v;
            }
            close("place", run.end().q[0], x, 1e-8);
            errors.push((run.end().q[0] - x0 * (omega * t).cos()).abs());
        }
        let p = order(&errors);
        println!("{jacobian}: errors {errors:?}, order {p}");
        assert!((p - 1.0).abs() < 0.1, "order {p}");
    }
}

/// Free fall counts: an evaluation at the guess, two per free velocity for the derivative (displacements and velocities),
/// one where it ends; a kept derivative saves its own.
#[test]
fn evaluations_are_counted_with_those_for_differences() {
    let body = json!({"name": "disc", "mass": 2, "position": [0, 5], "velocity": [1, 0], "shapes": [{"type": "disc", "radius": 0.1}]});
    let e = experiment(planar(0.5, 0.0, json!([body])), 0.01, 0.2);
    for (jacobian, expected) in [("full", 20 * 8), ("quasi", 8 + 19 * 2)] {
        let out = tempfile::tempdir().unwrap();
        let e = ie(&e, json!({"jacobian": jacobian}));
        let end = vinci_run::execute(prepared(&e), out.path(), |_| {}).unwrap();
        assert_eq!(end.summary.stepping.evaluations, expected, "{jacobian}");
        let text = std::fs::read_to_string(out.path().join("summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(summary["stepping"]["evaluations"], expected, "{jacobian}");
        let run = run(&e);
        close("speed", run.end().v[1], -9.81 * 0.2, 1e-12);
        close("way", run.end().q[1], 5.0 - 9.81 * 1e-4 * f64::from(20 * 21 / 2), 1e-12);
    }
}

/// d v_0 = 1: e solves d v_0 − ln(1 + d v_0) = −d e v_0 − ln(1 − d e v_0), whatever k and m.
#[test]
fn restitution_is_that_of_hunt_and_crossley() {
    let e_of = |k: f64, h: f64| {
        let disc = json!({"name": "disc", "mass": 1, "position": [0, 0.1], "velocity": [0, -1], "shapes": [{"type": "disc", "radius": 0.1}]});
        let mut scene = compliant(0.0, k, 1.0, json!([ground("planar"), disc]));
        scene["gravity"] = json!([0, 0]);
        let mut s = simulation(&ie(&experiment(scene, h, 1.0), json!({"jacobian": "quasi"})));
        while s.v()[1] < 0.0 || s.q()[1] < 0.1 {
            s.advance_to(s.next_grid_time()).unwrap();
        }
        s.v()[1]
    };
    let balance = |e: f64| 1.0 - 2.0_f64.ln() + e + (1.0 - e).ln();
    assert!(balance(0.59362).abs() < 1e-5 && balance(0.593).abs() > 1e-4, "{}", balance(0.59362));
    for k in [1e3, 1e4] {
        // In units of the time of contact, about π √(m/k).
        let unit = (1.0_f64 / k).sqrt();
        let found = [4e-3, 2e-3, 1e-3].map(|h| e_of(k, h * unit));
        let errors: Vec<f64> = found.iter().map(|e| 0.59362 - e).collect();
        println!("k = {k}: {found:?}, order {}", order(&errors));
        assert!(errors[2].abs() < 1e-3, "{found:?}");
        assert!((order(&errors) - 1.0).abs() < 0.1, "{errors:?}");
    }
}

/// J_b ω' = −ω × J_b ω in body axes by the classical Runge-Kutta method; R' = R [ω].
fn tumbled(inertia: Vector3<f64>, mut w: Vector3<f64>, t: f64) -> Vector3<f64> {
    let f = |w: &Vector3<f64>| -w.cross(&inertia.component_mul(w)).component_div(&inertia);
    let (n, mut r) = (20_000, UnitQuaternion::identity());
    let h = t / f64::from(n);
    for _ in 0..n {
        let a = f(&w);
        let b = f(&(w + a * (h / 2.0)));
        let c = f(&(w + b * (h / 2.0)));
        let d = f(&(w + c * h));
        let next = w + (a + 2.0 * b + 2.0 * c + d) * (h / 6.0);
        r *= UnitQuaternion::from_scaled_axis(0.5 * h * (w + next));
        w = next;
    }
    r * w
}

#[test]
fn a_tumbling_body_turns_with_order_one() {
    let (inertia, w) = (Vector3::new(0.02, 0.03, 0.045), Vector3::new(0.4, 3.0, 0.5));
    let body = json!({"name": "body", "mass": 1, "inertia": inertia.as_slice(), "angular_velocity": w.as_slice(),
        "shapes": [{"type": "ball", "radius": 0.1}]});
    let mut scene = spatial(0.5, 0.0, json!([body]));
    scene["gravity"] = json!([0, 0, 0]);
    let exact = tumbled(inertia, w, 1.0);
    let errors: Vec<f64> = [4e-3, 2e-3, 1e-3]
        .iter()
        .map(|&h| {
            let run = run(&ie(&experiment(scene.clone(), h, 1.0), json!({})));
            (Vector3::from_column_slice(&run.end().v[3..6]) - exact).norm()
        })
        .collect();
    println!("errors {errors:?}, order {}", order(&errors));
    assert!((order(&errors) - 1.0).abs() < 0.15 && errors[2] < 0.02, "{errors:?}");
}

/// A block on a plate that is driven to and fro sticks to it; where steps are shortened the drive is asked again.
#[test]
fn a_driven_plate_takes_what_lies_on_it_along() {
    let plate = json!({"name": "plate", "mass": 1, "position": [0, -0.05], "shapes": [{"type": "box", "size": [2, 0.1]}],
        "dofs": {"x": {"position": {"expression": "0.02*(1 - cos(2*pi*t))"}}, "y": "locked", "angle": "locked"}});
    let block = json!({"name": "block", "mass": 1, "position": [0, 0.05 - 9.81 / 2e5], "shapes": [{"type": "box", "size": [0.2, 0.1]}]});
    let e = experiment(compliant(0.5, 1e5, 1.0, json!([plate, block])), 0.01, 0.5);
    for tals in [true, false] {
        let run = run(&ie(&e, json!({"tals": tals})));
        let pressed = run.moments[1..].iter().flat_map(|m| &m.touches).filter(|touch| touch.p_n > 0.0);
        let worst = pressed.map(|touch| touch.slip).fold(0.0, f64::max);
        println!("tals {tals}: slip {worst}, {} steps", run.moments.len() - 1);
        assert!(worst < V_S, "slips with {worst} m/s");
        close("the plate's place", run.end().q[0], 0.04, 1e-12);
    }
}

#[test]
fn halves_are_kept_and_the_error_stays_near_what_is_asked_for() {
    let of = |accuracy: f64| {
        let options = json!({"error_control": "step-doubling", "accuracy": accuracy, "jacobian": "quasi"});
        run(&ie(&timed(&stick_slip(COS, 0.0), 0.025, 0.15), options))
    };
    // Sliding from rest: v = ∫ f/m − g t after the first moments in stiction, which last some 1e-5 s.
    let exact = 4.0 / (M * 2.0 * PI) * (2.0 * PI * 0.15_f64).sin() - 9.8 * 0.15;
    let mut steps = Vec::new();
    for accuracy in [1e-4, 1e-6] {
        let run = of(accuracy);
        let n = run.moments.len() - 1;
        let error = (run.end().v[0] - exact).abs();
        println!(
            "accuracy {accuracy}: {n} steps, error {error}, {} evaluations",
            run.simulation.counts.evaluations
        );
        assert!(error < accuracy * n as f64 + 3e-4, "{error}");
        steps.push(n);
    }
    assert!(steps[1] > 5 * steps[0], "{steps:?}");
}

#[test]
fn runs_repeat_and_go_on_from_saved_state_to_the_bit() {
    for options in [
        json!({"jacobian": "quasi"}),
        json!({"jacobian": "quasi", "error_control": "step-doubling", "accuracy": 1e-4}),
        json!({"jacobian": "full", "tals": false}),
    ] {
        let e = timed(&ie(&stick_slip(COS, 0.0), options.clone()), 0.01, 0.5);
        let mut straight = simulation(&e);
        let mut other = None;
        // Piece by piece: some saved states lie between the halves of a doubled step.
        for k in 0..200 {
            if k % 7 == 3 {
                let mut fresh = simulation(&e);
                fresh.restore(&straight.snapshot()).unwrap();
                other = Some(fresh);
            }
            straight.advance_to(straight.next_grid_time()).unwrap();
            if let Some(other) = &mut other {
                other.advance_to(other.next_grid_time()).unwrap();
                assert!(other.snapshot() == straight.snapshot(), "{options}: piece {k}");
            }
        }
    }
}

#[test]
fn what_it_cannot_integrate_is_refused_by_name() {
    let rigid =
        json!({"name": "disc", "mass": 1, "position": [0, 0.1], "shapes": [{"type": "disc", "radius": 0.1}]});
    let e = ie(&experiment(planar(0.5, 0.0, json!([ground("planar"), rigid])), 0.01, 0.1), json!({}));
    let refused = |e: &Value| match try_run(e).failure {
        Some(StepFailure::Stage { error, .. }) => error.message,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused(&e),
        "`ground` and `disc` are rigid to each other, and implicit Euler integrates compliant contact: give their material, \
         or the pair, a positive `stiffness`"
    );
}

/// Without the line search some tries fail. What that costs is how long they go on: the steps are the same.
#[test]
fn what_failing_tries_cost_is_the_stopping_rules_choice() {
    let body = json!({"name": "box", "mass": 0.33, "position": [0, 0.05 - 0.33 * 9.8 / 1e5],
        "shapes": [{"type": "disc", "radius": 0.05}],
        "dofs": {"x": {"force": {"expression": "4*cos(2*pi*t)"}}, "angle": "locked"}});
    let mut scene = planar(1.0, 0.0, json!([ground("planar"), body]));
    scene["gravity"] = json!([0, -9.8]);
    scene["combination"] = json!({"stiffness": "max", "dissipation": "max"});
    scene["materials"]["default"]["stiffness"] = json!(1e5);
    scene["materials"]["default"]["dissipation"] = json!(50.0);
    let counts = |options: serde_json::Value| {
        let mut e = set(&experiment(scene.clone(), 0.025, 2.0), "/stepper/plugin", IE);
        e["stepper"]["options"] = options;
        // What Newton's method leaves at this accuracy is more than the judge of other tests takes.
        let mut s = simulation(&e);
        while s.grid_count() < 80 {
            s.advance_to(s.next_grid_time()).unwrap();
        }
        (s.counts.evaluations, s.counts.shortened, s.q().to_vec())
    };
    let early = counts(json!({"tals": false, "balance": null}));
    let late = counts(json!({"tals": false, "balance": null, "give_up": "iterations", "iterations": 20}));
    let searched = counts(json!({"balance": null, "give_up": "iterations", "iterations": 20}));
    assert!(early.1 > 0 && early.1 == late.1 && early.2 == late.2, "{early:?} {late:?}");
    assert!(late.0 > 2 * early.0, "{late:?} {early:?}");
    assert!(searched.1 == 0 && early.0 > 2 * searched.0, "{early:?} {searched:?}");
}
