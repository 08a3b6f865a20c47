//! TAMSI: the box of its paper, convergence, the restitution of its contacts, piles, misuse.

mod box_step;
mod piles;
mod reference;

use box_step::{BoxStep, GRAVITY, MASS, V_S, tamsi};
use reference::Reference;
use serde_json::{Value, json};
use vinci_core::problem::Status;
use vinci_core::referee::Mode;
use vinci_solver_newton_tals::{Config, Stop};
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, timed, with};
use vinci_tests::run::{Run, run, simulation, try_run};

fn shipped_box(options: Value) -> Value {
    let mut all = set(&shipped("tamsi-box"), "/stepper/options", options);
    // The weight presses the box in: that is no accident.
    all["scene"]["description"] = json!("");
    all
}

/// Slip of the box, by time.
fn speeds(run: &Run) -> Vec<(f64, f64)> {
    run.moments.iter().map(|m| (m.t, m.v[0])).collect()
}

/// A step from 0.02 m/s into stiction under 2 N. The linear law's end is 8.2167e-5 m/s. The quadratic law's is the smaller root of
/// h μ N s² − (2 h μ N + m v_s) s + h f + m v_0 = 0, 5.78006e-5 m/s; 5.7802e-5, which goes round, is within ε v_s of it.
#[test]
fn three_newton_steps_lead_into_stiction_and_none_without_the_line_search() {
    let step = BoxStep { h: 0.01, v: 0.02, force: 2.0 };
    let (load, friction) = (0.01 * 2.0 + MASS * 0.02, 0.01 * MASS * GRAVITY);
    let b = 2.0 * friction + MASS * V_S;
    let quadratic = V_S * (b - (b * b - 4.0 * friction * load).sqrt()) / (2.0 * friction);
    let linear = load / (MASS + friction / V_S);
    close("linear", linear, 8.2167e-5, 5.1e-10);
    close("quadratic", quadratic, 5.7802e-5, 1.5e-9);
    for coupling in ["one-way", "two-way"] {
        for (law, v) in [("linear", linear), ("quadratic", quadratic)] {
            let options =
                |tals: bool| format!(r#"{{"coupling": "{coupling}", "law": "{law}", "tals": {tals}}}"#);
            let with = step.make(&mut *tamsi(&options(true)), Config::default()).unwrap();
            println!("{coupling} {law}: {:?}", with.history);
            assert_eq!(with.status, Status::Converged);
            let stop = with.history.iter().position(|i| i.update < 1.0).unwrap() + 1;
            assert_eq!(stop, 3, "{coupling} {law}");
            // A residual within 1e-8, and what quadratic convergence makes of it.
            close("v", with.v, v, 1e-12);
            // The first step crosses rest and is stopped v_s/2 before it.
            let [first, second] = [with.history[0], with.history[1]];
            let whole = 1e-2 * V_S * first.update;
            close("the first step", 0.02 - first.alpha * whole, 0.5 * V_S, 1e-12);
            assert!(first.alpha < 1.0 && second.alpha == 1.0);
            let without = step.make(&mut *tamsi(&options(false)), Config::default()).unwrap();
            // It cycles, and the solver notices long before its 100th step.
            assert_eq!(without.status, Status::NumericalFailure);
            assert!(without.history.len() < 40, "{} steps", without.history.len());
        }
    }
}

/// Where `exact` let an update enter the circle at 0.99 v_s under the quadratic law too, whose slope is next to none there, the next
/// step left on the other side, and so on for ever.
#[test]
fn entering_the_circle_of_the_quadratic_law_leads_into_stiction() {
    for law in ["linear", "quadratic"] {
        for (v, force) in [(0.02, 2.0), (0.02, 3.0), (-0.03, 2.5), (0.01, -3.1), (0.05, 3.2)] {
            let step = BoxStep { h: 0.01, v, force };
            let newton = |entry: &str| {
                let options = format!(r#"{{"line_circle": "{entry}", "law": "{law}"}}"#);
                step.make(&mut *tamsi(&options), Config::default()).unwrap()
            };
            let (exact, closest) = (newton("exact"), newton("closest"));
            let what = format!("{law}, {v} m/s, {force} N");
            assert_eq!(exact.status, Status::Converged, "{what}: {:?}", exact.history);
            assert!(exact.history.len() <= closest.history.len() + 2, "{what}: {}", exact.history.len());
            close(&what, exact.v, closest.v, 1e-11);
        }
    }
}

/// Failed solves are work, and halved steps are counted: without the line search the box is not cheaper.
#[test]
fn failed_solves_and_halvings_are_counted() {
    let counted = |tals: bool| {
        let run = run(&shipped_box(json!({ "tals": tals })));
        (run.simulation.solvers.stats, run.simulation.counts.shortened)
    };
    let ((with, halved_with), (without, halved)) = (counted(true), counted(false));
    assert_eq!((with.failures, with.iterations_failed, halved_with), (0, 0, 0));
    assert!(without.failures > 0 && halved >= without.failures, "{without:?}, {halved} halvings");
    assert!(without.iterations_failed >= 25 * without.failures / 2, "{without:?}");
    assert!(without.iterations_total > 2 * with.iterations_total, "{without:?} {with:?}");
}

/// The creep that balances 2 N: v_s f/(μ N), or v_s (1 − √(1 − f/(μ N))).
#[test]
fn bodies_in_stiction_creep_as_they_must() {
    for (law, v) in [("linear", 6.1843e-5), ("quadratic", 3.8229e-5)] {
        let mut e = timed(&shipped_box(json!({ "law": law })), 0.01, 0.5);
        e["scene"]["bodies"][1]["dofs"]["x"] = json!({ "force": 2 });
        let run = run(&e);
        close("creep", run.end().v[0], v, 5.1e-10);
        // It is seen, and it is friction within its cone.
        let touch = &run.end().touches[0];
        close("slip", touch.slip, v, 5.1e-10);
        close("friction", touch.impulse[0], -0.02, 1e-9);
        assert!(run.end().report.dissipation_deficit.value > 0.0);
        assert!(run.end().report.complementarity.value < 1e-12);
    }
}

/// What sticks creeps under this law, and was recorded as slipping: the box never stuck, and a mug in a firm grip was drawn as lost.
#[test]
fn a_box_in_stiction_is_recorded_as_sticking() {
    let run = run(&timed(&shipped_box(json!({ "law": "linear" })), 1e-3, 0.45));
    let modes = run.moments.iter().filter(|m| !m.touches.is_empty()).map(|m| (m.t, m.touches[0].mode));
    let modes: Vec<_> = modes.collect();
    let all = |from: f64, to: f64, mode: Mode| {
        let within: Vec<_> = modes.iter().filter(|(t, _)| (from..to).contains(t)).collect();
        assert!(within.len() > 10 && within.iter().all(|(_, found)| *found == mode), "{mode:?}: {within:?}");
    };
    all(0.01, 0.17, Mode::Slip);
    all(0.18, 0.39, Mode::Stick);
    all(0.41, 0.44, Mode::Slip);
}

/// Case 19: with forces at the end of the step as implicit Euler has them.
#[test]
fn the_box_restickts_and_slips_when_it_must() {
    let coarse = run(&shipped_box(json!({ "forces": "end" })));
    let first_stick = speeds(&coarse).into_iter().skip(2).find(|(_, v)| v.abs() < V_S).unwrap().0;
    close("end of the step into stiction", first_stick, 0.17, 1e-9);
    for law in ["linear", "quadratic"] {
        let fine = run(&timed(&shipped_box(json!({ "law": law })), 1e-4, 0.45));
        let after = |t0: f64, sticks: bool| {
            let found = |&(t, v): &(f64, f64)| t > t0 && (v.abs() < V_S) == sticks;
            speeds(&fine).into_iter().find(found).unwrap().0
        };
        close("restick", after(0.01, true), 0.1759, 2e-4);
        // 4 |cos 2πt| = m g again. The quadratic curve has no slope there and lets go more slowly.
        close("slip", after(0.2, false), 0.39986, if law == "linear" { 2e-4 } else { 6e-4 });
    }
}

#[test]
fn the_reference_obeys_its_equation_and_its_events() {
    let reference = Reference::new(2.0);
    let transitions: Vec<_> = reference.transitions().collect();
    println!("{transitions:?}");
    close("restick", transitions[1].0, 0.1759, 5e-5);
    assert!(transitions[1].1);
    close("slip", transitions[2].0, 0.39986, 1e-4);
    assert_eq!(transitions.len(), 9);
    // Classical Runge-Kutta with steps of 0.1 µs (λ h = 0.01): another way to the same numbers.
    let f = |t: f64, v: f64| {
        (4.0 * (2.0 * std::f64::consts::PI * t).cos()) / MASS - GRAVITY * (v / V_S).clamp(-1.0, 1.0)
    };
    let (h, mut v) = (1e-7, 0.0);
    let mut worst = 0.0_f64;
    for k in 0..5_000_000_u32 {
        let t = h * f64::from(k);
        let k1 = f(t, v);
        let k2 = f(t + 0.5 * h, v + 0.5 * h * k1);
        let k3 = f(t + 0.5 * h, v + 0.5 * h * k2);
        let k4 = f(t + h, v + h * k3);
        v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        worst = worst.max((v - reference.at(t + h)).abs());
    }
    println!("Runge-Kutta off by {worst:e}");
    assert!(worst < 1e-10, "{worst:e}");
}

/// Root of the mean square error of v over the grid.
fn error(e: &Value, h: f64, reference: &Reference) -> f64 {
    let (mut simulation, steps) = (simulation(&timed(e, h, 2.0)), (2.0 / h).round() as u64);
    let mut sum = 0.0;
    while simulation.grid_count() < steps {
        simulation.advance_to(simulation.next_grid_time()).unwrap();
        sum += (simulation.v()[0] - reference.at(simulation.time())).powi(2);
    }
    (sum / steps as f64).sqrt()
}

#[test]
fn velocities_converge_with_order_one() {
    let reference = Reference::new(2.0);
    let steps = [0.025, 0.0125, 0.01, 0.005, 0.0025, 0.001, 5e-4, 1e-4, 5e-5, 1e-5];
    for forces in ["start", "end"] {
        let e = shipped_box(json!({ "forces": forces }));
        let errors = steps.map(|h| error(&e, h, &reference));
        println!("{forces}: {errors:?}");
        let order = |i: usize, j: usize| (errors[i] / errors[j]).ln() / (steps[i] / steps[j]).ln();
        let orders: Vec<f64> = (1..steps.len()).map(|j| order(j - 1, j)).collect();
        println!("{forces}: orders {orders:?}, in all {}", order(0, steps.len() - 1));
        assert!((0.9..1.1).contains(&order(0, steps.len() - 1)), "{forces}: {errors:?}");
        assert!(errors.windows(2).all(|e| e[1] < e[0]), "{forces}: {errors:?}");
    }
}

/// Hunt and Crossley: d v − ln(1 + d v) = −d e v − ln(1 − d e v), whatever k and m.
#[test]
fn restitution_is_an_outcome_of_the_dissipation() {
    let ball = json!({"name": "ball", "mass": 1, "position": [0, 0.1], "velocity": [0, -1],
        "shapes": [{"type": "disc", "radius": 0.1}]});
    let mut scene = planar(0.0, 0.0, json!([ground("planar"), ball]));
    scene["gravity"] = json!([0, 0]);
    scene["pairs"] = json!([{"bodies": ["ground", "ball"], "stiffness": 1e4, "dissipation": 1}]);
    let e = with(&experiment(scene, 1e-3, 0.1), "tamsi", "newton-tals");
    let found = [1e-4, 5e-5, 2.5e-5].map(|h| run(&timed(&e, h, 0.1)).end().v[1]);
    let balance = |e: f64| (1.0 - 2.0_f64.ln()) + e + (1.0 - e).ln();
    assert!(balance(0.59362).abs() < 2e-5, "{}", balance(0.59362));
    println!("restitution {found:?}");
    let errors = found.map(|e| (e - 0.59362).abs());
    assert!(errors[2] < 2e-3 && errors[0] / errors[1] > 1.8 && errors[1] / errors[2] > 1.8, "{errors:?}");
}

/// Two discs that rub on each other: forces are equal and opposite, and so are their moments.
#[test]
fn momentum_is_kept_between_two_bodies() {
    let disc = |name: &str, x: f64, y: f64, vx: f64, spin: f64| {
        json!({"name": name, "mass": 1.0 + y.abs(), "position": [x, y], "velocity": [vx, 0], "angular_velocity": spin,
            "shapes": [{"type": "disc", "radius": 0.1}]})
    };
    let bodies = json!([disc("a", -0.11, 0.02, 1.0, 5.0), disc("b", 0.11, -0.03, -1.0, 2.0)]);
    let mut scene = planar(0.7, 0.0, bodies);
    scene["gravity"] = json!([0, 0]);
    scene["pairs"] = json!([{"bodies": ["a", "b"], "stiffness": 1e4, "dissipation": 0.5}]);
    for coupling in ["two-way", "one-way"] {
        let e = with(&experiment(scene.clone(), 1e-4, 0.1), "tamsi", "newton-tals");
        let run = run(&set(&e, "/stepper/options", json!({ "coupling": coupling })));
        let total = |q: &[f64], v: &[f64]| {
            let mut sum = [0.0; 3];
            for (i, m) in [1.02, 1.03].into_iter().enumerate() {
                let (q, v) = (&q[3 * i..3 * i + 3], &v[3 * i..3 * i + 3]);
                sum[0] += m * v[0];
                sum[1] += m * v[1];
                sum[2] += m * (q[0] * v[1] - q[1] * v[0]) + 0.5 * m * 0.01 * v[2];
            }
            sum
        };
        let (start, end) = (&run.moments[0], run.end());
        assert!((end.v[2] - start.v[2]).abs() > 0.5, "they rub: {:?}", end.v);
        let (before, after) = (total(&start.q, &start.v), total(&end.q, &end.v));
        close("momentum along x", after[0], before[0], 1e-12);
        close("momentum along y", after[1], before[1], 1e-12);
        // Forces act at the witness points of either body, ψ n apart: a moment that this leaves, and no other.
        let touches = run.moments.iter().flat_map(|m| &m.touches);
        let left: f64 =
            touches.map(|t| t.gap * (t.normal[0] * t.impulse[1] - t.normal[1] * t.impulse[0])).sum();
        close("angular momentum", after[2], before[2] + left, 1e-12);
    }
}

#[test]
fn steps_that_do_not_converge_are_halved_and_doubled_again() {
    let e = shipped_box(json!({ "tals": false }));
    let made = run(&e);
    let shortest = made.moments.iter().skip(1).map(|m| m.h).fold(f64::INFINITY, f64::min);
    let whole = made.moments.iter().skip(1).filter(|m| (m.h - 0.01).abs() < 1e-9).count();
    println!("{} steps, {whole} whole, shortest {shortest:e}", made.moments.len() - 1);
    assert!(shortest < 0.006 && whole > 100, "{shortest} {whole}");
    close("the end", made.end().t, 2.0, 1e-9);
    let stubborn = try_run(&set(&e, "/stepper/options/max_halvings", 0));
    let failure = format!("{:?}", stubborn.failure.unwrap());
    assert!(failure.contains("newton-tals"), "{failure}");
}

#[test]
fn runs_are_the_same_to_the_bit() {
    for options in [json!({}), json!({"tals": false}), json!({"coupling": "one-way", "law": "quadratic"})] {
        let e = timed(&shipped_box(options), 0.002, 0.5);
        let (a, b) = (run(&e), run(&e));
        assert_eq!(a.moments, b.moments);
    }
}

/// A puck on three points that slides without turning: |v| falls by μ g per second, and below v_s it creeps.
#[test]
fn support_points_rub_like_contacts() {
    let e = with(&shipped("slide-tripod"), "tamsi", "newton-tals");
    let rigid = run(&shipped("slide-tripod"));
    let run = run(&set(&e, "/stepper/options", json!({})));
    let speed = |v: &[f64]| v[0].hypot(v[1]);
    let pairs = rigid.moments.iter().zip(&run.moments);
    let worst = pairs.map(|(a, b)| (speed(&a.v) - speed(&b.v)).abs()).fold(0.0, f64::max);
    println!("worst difference of speeds {worst:e}, at the end {:e}", speed(&run.end().v));
    assert!(worst < 2e-4, "{worst:e}");
    assert!(speed(&run.end().v) < V_S);
}

/// A pendulum on a hinge, dropped onto a compliant ground: bilateral rows beside contacts.
#[test]
fn hinges_hold_beside_contacts() {
    let rod = json!({"name": "rod", "mass": 1, "position": [0.25, 0.3], "shapes": [{"type": "box", "size": [0.5, 0.04]}]});
    let mut scene = planar(0.5, 0.0, json!([ground("planar"), rod]));
    scene["pairs"] = json!([{"bodies": ["ground", "rod"], "stiffness": 1e5, "dissipation": 5}]);
    scene["joints"] = json!([{"name": "hinge", "bodies": ["rod", null], "anchors": [[-0.25, 0], [0, 0.3]]}]);
    let e = with(&experiment(scene, 1e-3, 2.0), "tamsi", "newton-tals");
    let run = run(&e);
    let end = run.end();
    let at =
        |m: &vinci_tests::run::Moment| (m.q[0] - 0.25 * m.q[2].cos(), m.q[1] - 0.25 * m.q[2].sin() - 0.3);
    let drift = run.moments.iter().map(at).map(|(x, y)| x.hypot(y)).fold(0.0, f64::max);
    println!("drift {drift:e}, end {:?}, touches {}", end.v, end.touches.len());
    assert!(drift < 2e-5, "{drift:e}");
    // The moment of the weight about the hinge is that of the ground.
    let moment: f64 =
        end.touches.iter().map(|t| t.point_a[0] * t.impulse[1] - (t.point_a[1] - 0.3) * t.impulse[0]).sum();
    assert!(end.v.iter().all(|v| v.abs() < 1e-3), "{:?}", end.v);
    close("moment", moment / end.h, 9.81 * end.q[0], 2e-2);
}

#[test]
fn the_residual_alone_may_end_the_iteration() {
    let step = BoxStep { h: 0.01, v: 0.5, force: 2.0 };
    let ends = |stop| step.make(&mut *tamsi("{}"), Config { stop, ..Config::default() }).unwrap();
    let (update, residual) = (ends(Stop::Update), ends(Stop::Residual));
    assert_eq!((update.history.len(), residual.history.len()), (2, 1));
    assert_eq!(update.v, residual.v);
    close("friction", update.impulse[1], 0.01 * MASS * GRAVITY, 1e-12);
}
