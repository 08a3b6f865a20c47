//! Accuracy-target stepping: error, cost, order.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{AP, ST, experiment, ground, planar, set, timed, with};
use vinci_tests::run::{Run, run};

/// A mass m = 1 kg on a spring of 400 N/m with damping 10 N s/m, released at 1 m: x = e^(−5t) (cos ωt + (5/ω) sin ωt),
/// ω² = 375. Fast at first, at rest in the end.
fn spring() -> Value {
    let body = json!({"name": "mass", "mass": 1, "inertia": 1, "position": [1, 0], "gravity": false, "damping": [10, 0, 0]});
    let mut scene = planar(0.0, 0.0, json!([body]));
    scene["springs"] = json!([{"bodies": ["mass", null], "anchors": [[0, 0], [0, 0]], "stiffness": 400}]);
    experiment(scene, 0.1, 4.0)
}

fn spring_exact(t: f64) -> [f64; 2] {
    let w = 375.0_f64.sqrt();
    [(-5.0 * t).exp() * ((w * t).cos() + 5.0 / w * (w * t).sin()), 0.0]
}

/// Kepler's ellipse, semi-major axis 1, eccentricity 0.8, from the far end: fast at the near end only. The force comes from
/// expressions of the state.
fn ellipse() -> Value {
    let speed = (0.2_f64 / 1.8).sqrt();
    let pull = |x: &str| json!({"force": {"expression": format!("-{x}/(x*x + y*y)^1.5")}});
    let body = json!({"name": "planet", "mass": 1, "inertia": 1, "position": [1.8, 0], "velocity": [0, speed],
        "gravity": false, "dofs": {"x": pull("x"), "y": pull("y"), "angle": "locked"}});
    experiment(planar(0.0, 0.0, json!([body])), 0.1, 5.0)
}

/// t + π = E − 0.8 sin E (the far end is E = π), x = cos E − 0.8, turned by half a circle.
fn ellipse_exact(t: f64) -> [f64; 2] {
    let mean = t + std::f64::consts::PI;
    let mut e = mean;
    for _ in 0..200 {
        e -= (e - 0.8 * e.sin() - mean) / (1.0 - 0.8 * e.cos());
    }
    [-(e.cos() - 0.8), -0.6 * e.sin()]
}

/// Largest distance from the exact place over the times k · 0.1 s.
fn error(run: &Run, exact: fn(f64) -> [f64; 2]) -> f64 {
    let on_grid = |t: f64| (t * 10.0 - (t * 10.0).round()).abs() < 1e-9;
    let off = |m: &vinci_tests::run::Moment| {
        let x = exact(m.t);
        (m.q[0] - x[0]).hypot(m.q[1] - x[1])
    };
    run.moments.iter().filter(|m| on_grid(m.t)).map(off).fold(0.0, f64::max)
}

/// A block with μ = 1/2 that slides 2 m/s fast, stops after v₀/(μ g) = 0.408 s, and stays.
fn block() -> Value {
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.4, 0.2]}], "position": [0, 0.1],
        "velocity": [2, 0]});
    experiment(planar(0.5, 0.0, json!([ground("planar"), block])), 0.1, 8.0)
}

fn block_exact(t: f64) -> [f64; 2] {
    let stop = 2.0 / (0.5 * 9.81);
    let t = t.min(stop);
    [2.0 * t - 0.25 * 9.81 * t * t, 0.1]
}

/// Steps a run kept and made, and its largest error.
struct Cost {
    kept: u64,
    made: u64,
    error: f64,
}

/// With a tolerance, and with the longest fixed step 0.1 s/2ᵏ that is as exact. Prints both.
fn compare(name: &str, scene: &Value, exact: fn(f64) -> [f64; 2], tolerance: f64) -> (Cost, Cost) {
    let adaptive = run(&set(&with(scene, ST, "lemke"), "/time/tolerance", tolerance));
    let counts = &adaptive.simulation.counts;
    let wanted = Cost { kept: counts.substeps, made: counts.made, error: error(&adaptive, exact) };
    let mut n: u32 = 1;
    let fixed = loop {
        let fixed = run(&timed(
            &with(scene, ST, "lemke"),
            0.1 / f64::from(n),
            scene["time"]["duration"].as_f64().unwrap(),
        ));
        let (kept, found) = (fixed.moments.len() as u64 - 1, error(&fixed, exact));
        if found <= wanted.error {
            break Cost { kept, made: kept, error: found };
        }
        n *= 2;
    };
    for (what, cost) in [(format!("tolerance {tolerance:.0e}"), &wanted), (format!("h = 0.1/{n}"), &fixed)] {
        println!("{name:<9} {what:<16} {:>9.2e} {:>9} {:>9}", cost.error, cost.kept, cost.made);
    }
    (wanted, fixed)
}

#[test]
fn fewer_steps_than_fixed_ones_at_the_same_error() {
    println!("{:<9} {:<16} {:>9} {:>9} {:>9}", "scene", "steps", "error m", "kept", "made");
    for (adaptive, fixed) in
        [compare("spring", &spring(), spring_exact, 1e-5), compare("block", &block(), block_exact, 1e-5)]
    {
        assert!(adaptive.kept < fixed.kept, "{} kept, {} fixed", adaptive.kept, fixed.kept);
        // Whole steps beside their halves and what was taken back: all work counted.
        assert!(adaptive.made < fixed.kept, "{} made, {} fixed", adaptive.made, fixed.kept);
    }
    // Where it does not pay: with steps that do not change the scheme is symplectic, and an orbit, although fast at one
    // end and slow at the other, comes out better than with steps of any rule.
    let (adaptive, fixed) = compare("ellipse", &ellipse(), ellipse_exact, 1e-5);
    assert!(adaptive.kept > fixed.kept, "{} kept, {} fixed", adaptive.kept, fixed.kept);
}

#[test]
fn the_error_follows_the_tolerance() {
    // Error per step ~ h², kept at the tolerance, so that the error of the whole goes with h ~ tolerance^(1/2).
    let at = |tolerance: f64| error(&run(&set(&spring(), "/time/tolerance", tolerance)), spring_exact);
    let errors = [at(1e-3), at(1e-5), at(1e-7)];
    println!("errors at 1e-3, 1e-5, 1e-7: {errors:?}");
    assert!(errors.windows(2).all(|w| w[1] < 0.2 * w[0]), "{errors:?}");
}

#[test]
fn the_order_that_is_observed_is_that_of_the_stepper() {
    for (stepper, order) in [(ST, 1.0), (AP, 1.0), ("trapezoidal", 2.0)] {
        let run = run(&set(&with(&spring(), stepper, "lemke"), "/time/tolerance", 1e-6));
        let counts = &run.simulation.counts;
        println!("{stepper}: order {:?} in {} probes", counts.observed_order(), counts.orders.len());
        assert!(counts.orders.len() >= 5, "{stepper}: {} probes", counts.orders.len());
        close(stepper, counts.observed_order().unwrap(), order, 0.1);
    }
}

/// Location stands around the doubled step: the ball bounces at ψ = 0 with errors that follow the tolerance.
#[test]
fn events_and_tolerance_work_together() {
    let apexes = |tolerance: f64, method: &str| {
        let ball = vinci_tests::experiment::shipped("bouncing-ball-backup");
        let ball = set(&set(&timed(&ball, 0.01, 1.2), "/time/tolerance", tolerance), "/time/events", method);
        let run = run(&ball);
        let hit: Vec<_> = run.moments.iter().flat_map(|m| &m.impacts).collect();
        assert_eq!(hit.len(), 2, "{method}");
        assert!(hit.iter().all(|i| (i.q[1] - 0.1).abs() <= 1e-7), "{method}");
        let first = hit[0].t;
        run.moments.iter().filter(|m| m.t > first).map(|m| m.q[1] - 0.1).fold(0.0, f64::max)
    };
    for method in ["backup", "predict"] {
        let errors = [1e-5, 1e-6, 2e-7].map(|tolerance| (apexes(tolerance, method) - 0.64).abs());
        println!("{method}: errors of the first apex {errors:?}");
        // h ~ tolerance^(1/2), and the apex is off by 0.72 h v: see the bouncing ball.
        assert!(errors[1] < 0.5 * errors[0] && errors[2] < 0.7 * errors[1], "{method}: {errors:?}");
    }
}
