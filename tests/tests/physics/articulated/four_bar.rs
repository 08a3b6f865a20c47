//! `pendulum-4bar`: loops closed by point joints along two axes, against one coordinate and against free rods with hinges.

use serde_json::{Value, json};
use vinci_tests::experiment::{AP, ST, experiment, planar, set, shipped, timed, with};
use vinci_tests::run::{Moment, Run, run};
use vinci_tests::{close, order};

use super::four_bar_reference::crank;

/// Angles from hanging at the start: crank, coupler, rocker.
const START: [f64; 3] = [0.9, 1.359_025_668_975_790_7, 0.754_014_357_424_832_5];
const DURATION: f64 = 0.5;
/// Steppers that take joints, with a solver.
const PAIRS: [(&str, &str); 4] =
    [(ST, "lemke"), (AP, "newton"), ("trapezoidal", "lemke"), ("tamsi", "newton-tals")];

fn linkage(stepper: &str, solver: &str, h: f64, duration: f64) -> Value {
    timed(&with(&shipped("pendulum-4bar"), stepper, solver), h, duration)
}

/// The same rods as bodies of a planar scene, all three with a place of their own and four hinges.
fn hinged_rods(h: f64, duration: f64) -> Value {
    let e = |angle: f64| [angle.sin(), -angle.cos()];
    let [crank, coupler, rocker] = START;
    let middle = |from: [f64; 2], l: f64, angle: f64| {
        [from[0] + 0.5 * l * e(angle)[0], from[1] + 0.5 * l * e(angle)[1]]
    };
    let tip = [0.3 * e(crank)[0], 0.3 * e(crank)[1]];
    let rod = |name: &str, l: f64, place: [f64; 2], angle: f64| json!({ "name": name, "mass": l, "inertia": l * l * l / 12.0, "position": place, "angle": angle });
    let bodies = json!([
        rod("crank", 0.3, middle([0.0, 0.0], 0.3, crank), crank),
        rod("coupler", 0.5, middle(tip, 0.5, coupler), coupler),
        rod("rocker", 0.4, middle([0.45, 0.0], 0.4, rocker), rocker),
    ]);
    let mut scene = planar(0.5, 0.0, bodies);
    scene["joints"] = json!([
        { "bodies": [null, "crank"], "anchors": [[0, 0], [0, 0.15]] },
        { "bodies": ["crank", "coupler"], "anchors": [[0, -0.15], [0, 0.25]] },
        { "bodies": [null, "rocker"], "anchors": [[0.45, 0], [0, 0.2]] },
        { "bodies": ["coupler", "rocker"], "anchors": [[0, -0.25], [0, -0.2]] },
    ]);
    experiment(scene, h, duration)
}

fn reference() -> f64 {
    let found = crank(START[0], [START[1], START[2]], DURATION, 500).0;
    close("reference", found, crank(START[0], [START[1], START[2]], DURATION, 1000).0, 1e-9);
    found
}

/// §16 case 16: the angle errs to the order of h, the loop is open to the order of h² at every time.
#[test]
fn the_linkage_swings_as_its_equation_says() {
    let exact = reference();
    for (stepper, solver) in PAIRS {
        let mut opened = Vec::new();
        let errors = [4e-3, 2e-3, 1e-3].map(|h| {
            let run = run(&linkage(stepper, solver, h, DURATION));
            let system = &run.simulation.system;
            opened.push(run.moments.iter().map(|m| system.joint_drift(&m.q)).fold(0.0, f64::max));
            (run.end().q[0] - exact).abs()
        });
        let (p, drift) = (order(&errors), order(&opened));
        println!("{stepper}: errors {errors:?}, order {p:.3}; drift {opened:?}, order {drift:.3}");
        assert!(p > 0.9 && errors[2] < 5e-3, "{stepper}: order {p} from {errors:?}");
        assert!(drift > 1.8 && opened[2] < 1e-4, "{stepper}: drift {opened:?}");
    }
}

/// Free rods with four hinges end where the trees do, to the order of h.
#[test]
fn rods_with_four_hinges_move_alike() {
    let exact = reference();
    let errors = [4e-3, 2e-3, 1e-3].map(|h| (run(&hinged_rods(h, DURATION)).end().q[2] - exact).abs());
    let p = order(&errors);
    println!("hinged rods: {errors:?}, order {p:.3}");
    assert!(p > 0.9 && errors[2] < 1e-2, "order {p} from {errors:?}");
}

/// Over 2 s energy stays to the order of h.
#[test]
fn energy_errs_to_the_order_of_h() {
    for (stepper, solver) in PAIRS {
        let errors = [4e-3, 2e-3].map(|h| {
            let run = run(&linkage(stepper, solver, h, 2.0));
            let start = run.moments[0].energy;
            run.moments.iter().map(|m| (m.energy - start).abs()).fold(0.0, f64::max)
        });
        println!("{stepper}: energy {errors:?} of a swing of 2.2 J");
        assert!(errors[1] < 0.65 * errors[0] && errors[1] < 0.1, "{stepper}: {errors:?}");
    }
}

/// The least coordinate over a run of something, with what opened the loop and the energy that was made.
fn extremes(e: &Value, least: &dyn Fn(&Run, &Moment) -> f64) -> (f64, f64, f64, Run) {
    let run = run(e);
    let low = run.moments.iter().map(|m| least(&run, m)).fold(f64::INFINITY, f64::min);
    let drift = run.moments.iter().map(|m| run.simulation.system.joint_drift(&m.q)).fold(0.0, f64::max);
    let most = run.moments.iter().map(|m| m.energy).fold(f64::NEG_INFINITY, f64::max);
    let made = most - run.moments[0].energy;
    (low, drift, made, run)
}

/// A rocker that may not swing below 0.3 rad: without the limit it swings below 0.2.
#[test]
fn a_limit_holds_beside_the_loop() {
    for (stepper, solver) in PAIRS {
        let free = linkage(stepper, solver, 1e-3, 1.0);
        let angle = |run: &Run, m: &Moment| m.q[run.at_q("right")];
        assert!(extremes(&free, &angle).0 < 0.2, "{stepper}: the limit is met");
        let mut e = free.clone();
        e["scene"]["trees"][1]["joints"][0]["kind"] = "revolute".into();
        e["scene"]["trees"][1]["joints"][0]["limits"] = json!({ "lower": 0.3 });
        let (least, drift, made, _) = extremes(&e, &angle);
        println!("{stepper}: limit: least angle {least:.6}, drift {drift:.2e}, energy made {made:.2e}");
        // What acts on velocities lets a joint in by a step's way: 3 rad/s · 1 ms.
        assert!(least > 0.3 - 4e-3 && least < 0.301, "{stepper}: {least}");
        assert!(drift < 1e-4 && made < 0.02, "{stepper}: drift {drift}, energy {made}");
    }
}

/// A stop in the way of the crank's tip: its face is where the tip, a ball of 2 cm, stands at sin φ = 0.4.
#[test]
fn a_stop_holds_beside_the_loop() {
    for (stepper, solver) in PAIRS {
        let mut e = linkage(stepper, solver, 1e-3, 1.0);
        let scene = &mut e["scene"];
        scene["trees"][0]["links"][0]["shapes"] =
            json!([{ "type": "ball", "radius": 0.02, "position": [0, 0, -0.3] }]);
        scene["bodies"] = json!([{ "name": "stop", "static": true, "position": [0.0, 0, -0.3],
            "shapes": [{ "type": "box", "size": [0.2, 0.2, 0.4] }] }]);
        scene["pairs"] =
            json!([{ "materials": ["default", "default"], "stiffness": 1e5, "dissipation": 1.0 }]);
        let (least, drift, made, run) = extremes(&e, &|_, m| 0.3 * m.q[0].sin() - 0.02);
        let touched = run.moments.iter().flat_map(|m| &m.touches).any(|t| t.p_n > 0.0);
        println!(
            "{stepper}: stop: least place {least:.6}, touched {touched}, drift {drift:.2e}, energy made {made:.2e}"
        );
        assert!(touched && least > 0.1 - 4e-3, "{stepper}: {least}");
        assert!(drift < 1e-4 && made < 0.02, "{stepper}: drift {drift}, energy {made}");
    }
}

/// The third axis would say nothing about a loop that stays in its plane: the row is redundant, and two do.
#[test]
fn a_loop_along_all_axes_moves_alike() {
    let two = run(&linkage(ST, "newton", 2e-3, 0.2));
    let mut e = set(&linkage(ST, "newton", 2e-3, 0.2), "/scene/joints/0/along", json!(["x", "y", "z"]));
    e["solver"]["plugin"] = "newton".into();
    let three = run(&e);
    two.end().q.iter().zip(&three.end().q).for_each(|(a, b)| close("q", *a, *b, 1e-8));
}
