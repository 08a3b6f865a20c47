//! Anitescu's convex programs: first steps known in closed form, hovering and its repair, robots as impedances, what
//! quasi-static and quasi-dynamic motion can and cannot do, and derivatives against differences of real steps.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, spatial, timed, with};
use vinci_tests::run::{run, simulation, try_run};

const G: f64 = 9.81;

/// The convex stepper with options, on a scene.
fn convex(scene: Value, h: f64, duration: f64, options: Value) -> Value {
    set(&with(&experiment(scene, h, duration), "anitescu-qp", "active-set"), "/stepper/options", options)
}

/// A block of 1 kg that slides at 2 m/s and does not turn, μ = 0.5.
fn sliding(options: Value, duration: f64) -> Value {
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}],
        "position": [0, 0.05], "velocity": [2, 0], "dofs": {"angle": "locked"}});
    convex(planar(0.5, 0.0, json!([ground("planar"), block])), 0.01, duration, options)
}

fn load(touches: &[vinci_tests::run::Touch]) -> f64 {
    touches.iter().map(|t| t.p_n).sum()
}

#[test]
fn the_first_step_of_a_sliding_block_throws_it_up() {
    let run = run(&sliding(json!({"motion": "dynamic"}), 0.02));
    let first = run.first();
    // p (1 + μ²) = m h g + μ m v: v_n = μ v_t.
    close("gap", first.q[1] - 0.05, 0.007_803_8, 5e-8);
    close("N", load(&first.touches) / 0.01, 87.848, 1e-9);
    close("hover", first.v[1], 0.5 * first.v[0], 1e-12);
    close("then it flies", load(&run.end().touches), 0.0, 1e-12);
}

#[test]
fn the_repaired_law_is_coulombs() {
    let repaired = run(&sliding(json!({"motion": "dynamic", "repair": "iterated"}), 0.5));
    for m in &repaired.moments[1..] {
        close("gap", m.q[1] - 0.05, 0.0, 1e-9);
        close("N", load(&m.touches) / 0.01, G, 1e-6);
    }
    let reference = run(&with(&sliding(json!({}), 0.5), "stewart-trinkle", "lemke"));
    for (a, b) in repaired.moments.iter().zip(&reference.moments) {
        close("way", a.q[0], b.q[0], 1e-9);
    }
    // One pass: the slip of the step before is μ g h too fast, so the block sinks by μ² g h² per step until the part β of its
    // depth that is expelled balances that.
    let lagged = run(&sliding(json!({"motion": "dynamic", "repair": "lagged"}), 0.35));
    close("depth", lagged.end().q[1] - 0.05, -0.25 * G * 1e-4 / 0.2, 2e-6);
    close("N", load(&lagged.end().touches) / 0.01, G, 0.05);
}

/// Random states with several contacts: the fixed point is the solution of Stewart and Trinkle's polygon problem.
#[test]
fn the_repaired_law_is_that_of_polygons_in_space() {
    let mut seed = 7_u64;
    let mut random = |size: f64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        size * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    };
    for k in 0..8 {
        let v = [random(2.0), random(2.0), random(0.5) - 0.5];
        let ball = json!({"name": "ball", "mass": 1.5, "shapes": [{"type": "ball", "radius": 0.1}],
            "position": [0, 0, 0.1 + 0.001 * random(1.0).abs()], "velocity": v, "angular_velocity": [random(9.0), random(9.0), random(9.0)]});
        let scene = spatial(0.4, 0.0, json!([ground("spatial"), ball]));
        let e = convex(scene, 0.01, 0.05, json!({"motion": "dynamic", "repair": "iterated"}));
        let reference =
            set(&with(&e, "stewart-trinkle", "lemke"), "/stepper/options", json!({"friction": "pyramid"}));
        let (a, b) = (run(&e), run(&reference));
        for (x, y) in a.end().v.iter().zip(&b.end().v) {
            close(&format!("velocity, state {k}"), *x, *y, 1e-6);
        }
    }
}

#[test]
fn a_pushed_disk_moves_when_the_spring_reaches_friction() {
    let (k, weight, v) = (500.0, 0.3 * G, 0.075);
    let behind = |motion: &str, scale: Value, h: f64| {
        let e =
            set(&shipped("push-disk-qp"), "/stepper/options", json!({"motion": motion, "mass_scale": scale}));
        let run = run(&timed(&e, h, 3.0));
        let end = run.end();
        close("they touch", (end.q[3] - end.q[0]).hypot(end.q[4] - end.q[1]), 0.2, 1e-6);
        close("the object hovers", end.q[4] - 0.1, h * 0.3 * v, 2e-6);
        0.225 - end.q[0]
    };
    for h in [0.04, 0.02, 0.01] {
        close("quasi-static", behind("quasi-static", json!("auto"), h), weight / k, 2e-5);
        // Scaled masses drag by h v/10, true ones by m v/(h K).
        close("scaled", behind("quasi-dynamic", json!("auto"), h), weight / k + h * v / 10.0, 2e-5);
        close(
            "true",
            behind("quasi-dynamic", json!("none"), h),
            weight / k + v / (h * k),
            1e-3 * v / (h * k) + 2e-5,
        );
    }
}

#[test]
fn a_robot_presses_with_its_stiffness_and_lifts_what_friction_holds() {
    for motion in ["quasi-static", "quasi-dynamic"] {
        let e = set(&shipped("gripper-2d-qp"), "/stepper/options", json!({"motion": motion}));
        let held = run(&e);
        let finger = held.at_q("left");
        for m in held.moments.iter().filter(|m| m.t > 0.6) {
            let press: f64 = m.touches.iter().filter(|t| t.a == "left" || t.b == "left").map(|t| t.p_n).sum();
            close(motion, press / 0.01, 1000.0 * (-0.04 - m.q[finger]), 1e-7);
            close(motion, press / 0.01, 20.0, 1e-6);
        }
        // The vertical drive of 1000 N/m gives way to the weight.
        close(motion, held.end().q[1], 0.15 - G / 1000.0, 1e-4);
        // Half as deep as the weight needs: 2 μ N < m g, the fingers slide up along it.
        let mut loose = e.clone();
        for (body, value) in [(2, -0.076 + 0.022), (3, 0.054)] {
            let place = format!("/scene/bodies/{body}/dofs/x/impedance/command");
            let start = if body == 2 { -0.08 } else { 0.08 };
            loose = set(&loose, &place, json!({"keyframes": [[0, start], [0.3, value]]}));
        }
        let loose = run(&loose);
        close(motion, loose.end().q[1], 0.05, 1e-6);
        close(motion, loose.end().q[finger + 1], 0.15, 1e-2);
    }
}

#[test]
fn an_unsupported_object_sinks_by_g_h_squared_per_step() {
    let run = run(&shipped("drop-quasidynamic"));
    for (k, m) in run.moments.iter().enumerate().take(45) {
        close("height", m.q[1], 0.1 - k as f64 * G * 1e-4, 1e-12);
    }
    close("it lands", run.end().q[1], 0.05, 1e-12);
}

#[test]
fn a_rolling_ball_goes_with_the_pusher_and_stays() {
    let run = run(&shipped("ball-push-quasidynamic"));
    close("place", run.end().q[3], 0.4, 1e-3);
    close("it rolls", run.end().q[5], -(run.end().q[3] - 0.25) / 0.1, 1e-9);
}

/// The sentence with which a run of quasi-static bodies ends.
#[track_caller]
fn refusal(e: &Value) -> String {
    try_run(e).failure.expect("the run ends").to_string()
}

#[test]
fn what_has_no_equilibrium_or_no_single_answer_is_named() {
    let quasi_static = json!({"motion": "quasi-static"});
    let e = set(&shipped("ball-push-quasidynamic"), "/stepper/options", quasi_static.clone());
    let said = refusal(&e);
    assert!(said.contains("`ball`") && said.contains("angle"), "{said}");
    let said = refusal(&set(&shipped("drop-quasidynamic"), "/stepper/options", quasi_static.clone()));
    assert!(said.contains("`box`") && said.contains("along `y`"), "{said}");
    // A block beside a wall that nothing presses on it: friction sees the fall and cannot hold it.
    let wall = json!({"name": "wall", "static": true, "shapes": [{"type": "half-plane", "normal": [1, 0]}]});
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}],
        "position": [0.1, 0], "dofs": {"angle": "locked"}});
    let scene = planar(0.5, 0.0, json!([wall, block]));
    for friction in ["pyramid", "cone"] {
        let options = json!({"motion": "quasi-static", "friction": friction});
        let said = refusal(&convex(scene.clone(), 0.01, 0.02, options));
        assert!(said.contains("`block`") && said.contains("nothing resists it along"), "{said}");
    }
    // A block on ice behind an idle pusher: it could slide away.
    let pusher = json!({"name": "pusher", "mass": 1, "gravity": false, "shapes": [{"type": "box", "size": [0.1, 0.1]}],
        "position": [-0.15, 0.05], "dofs": {"x": {"impedance": {"stiffness": 100, "command": -0.15}}, "y": "locked", "angle": "locked"}});
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}],
        "position": [0, 0.05], "dofs": {"angle": "locked"}});
    let scene = planar(0.0, 0.0, json!([ground("planar"), pusher, block]));
    let said = refusal(&convex(scene.clone(), 0.01, 0.02, quasi_static));
    assert!(said.contains("`block`") && said.contains("not determined"), "{said}");
    let accepted =
        run(&convex(scene, 0.01, 0.02, json!({"motion": "quasi-static", "undetermined": "accept"})));
    assert!(accepted.end().q[3] >= -1e-12);
}

#[test]
fn a_program_never_makes_kinetic_energy() {
    // ½ vᵀA v − bᵀv is at most its value at any feasible velocity, and rest is feasible where gaps are not negative.
    for k in 0..12 {
        let angle = 0.5 * f64::from(k);
        let body = json!({"name": "box", "mass": 2, "shapes": [{"type": "box", "size": [0.3, 0.2]}], "position": [0, 0.3],
            "angle": angle, "velocity": [angle.cos(), -2.0], "angular_velocity": 3.0 * angle.sin()});
        let e = convex(
            planar(0.6, 0.0, json!([ground("planar"), body])),
            0.005,
            0.6,
            json!({"motion": "dynamic"}),
        );
        let run = run(&e);
        for pair in run.moments.windows(2) {
            let grown = pair[1].energy - pair[0].energy;
            assert!(grown <= 2.0 * 0.005_f64.powi(2) * G * G + 1e-9 * pair[0].energy.abs(), "{k}: {grown}");
        }
    }
}

/// One step: q⁺ and its derivatives.
fn one_step(e: &Value) -> (Vec<f64>, Vec<f64>) {
    let mut simulation = simulation(e);
    let end = simulation.next_grid_time();
    simulation.advance_to(end).unwrap_or_else(|failure| panic!("{failure}"));
    (simulation.q().to_vec(), simulation.last().gradient.to_vec())
}

/// A finger beside a block on the floor: (block x, y, finger x, y) and what the finger is told (x, y).
fn pushed(state: [f64; 4], command: [f64; 2]) -> Value {
    let drive = |k: f64, c: f64| json!({"impedance": {"stiffness": k, "command": c}});
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}],
        "position": [state[0], state[1]], "velocity": [0.1, 0], "dofs": {"angle": "locked"}});
    let finger = json!({"name": "finger", "mass": 0.1, "gravity": false, "shapes": [{"type": "box", "size": [0.02, 0.04]}],
        "position": [state[2], state[3]],
        "dofs": {"x": drive(500.0, command[0]), "y": drive(300.0, command[1]), "angle": "locked"}});
    planar(0.4, 0.0, json!([ground("planar"), block, finger]))
}

/// Derivatives of one step against central differences with step `e`, relative to the largest of 1.
#[track_caller]
fn check_derivatives(
    name: &str,
    make: &dyn Fn([f64; 4], [f64; 2]) -> Value,
    state: [f64; 4],
    command: [f64; 2],
    e: f64,
    tolerance: f64,
) {
    let (q, gradient) = one_step(&make(state, command));
    let nv = q.len();
    assert_eq!(gradient.len(), 2 * nv * nv, "{name}");
    // Places of the state among the velocities, and of the commands.
    let (places, driven) = ([0, 1, 3, 4], [3, 4]);
    let check = |what: &str, column: usize, up: Value, down: Value| {
        let (up, down) = (one_step(&up).0, one_step(&down).0);
        for row in places {
            let difference = (up[row] - down[row]) / (2.0 * e);
            close(
                &format!("{name}: row {row}, {what}"),
                gradient[row * 2 * nv + column],
                difference,
                tolerance,
            );
        }
    };
    for (k, &dof) in driven.iter().enumerate() {
        let moved = |d: f64| {
            let mut c = command;
            c[k] += d;
            make(state, c)
        };
        check("command", dof, moved(e), moved(-e));
    }
    for (k, &dof) in places.iter().enumerate() {
        let moved = |d: f64| {
            let mut s = state;
            s[k] += d;
            make(s, command)
        };
        check("coordinate", nv + dof, moved(e), moved(-e));
    }
}

const STATES: [([f64; 4], [f64; 2]); 4] = [
    // All a little apart: at φ = 0 penetrations begin, of which only a part is expelled, and derivatives have a kink there.
    // The finger presses and moves the block; presses too weakly; slides up along it; does not reach it.
    ([0.0, 0.0501, -0.1101, 0.05], [-0.09, 0.05]),
    ([0.0, 0.0501, -0.1101, 0.05], [-0.105, 0.05]),
    ([0.0, 0.0501, -0.1101, 0.05], [-0.095, 0.08]),
    ([0.0, 0.052, -0.113, 0.05], [-0.113, 0.053]),
];

fn stepped(scene: Value, solver: &str, options: &Value) -> Value {
    let mut options = options.clone();
    options["gradient"] = true.into();
    if options.get("motion").is_none() {
        options["motion"] = "quasi-dynamic".into();
    }
    set(&convex(scene, 0.01, 0.01, options), "/solver/plugin", solver)
}

#[test]
#[ignore = "long"]
fn exact_derivatives_are_those_of_real_steps() {
    for (k, (state, command)) in STATES.into_iter().enumerate() {
        for motion in ["quasi-dynamic", "dynamic"] {
            for (repair, tolerance) in [("none", 1e-6), ("iterated", 1e-4)] {
                let options = json!({"motion": motion, "repair": repair, "repair_tolerance": 1e-12});
                let make = |s: [f64; 4], c: [f64; 2]| stepped(pushed(s, c), "active-set", &options);
                check_derivatives(&format!("{k} {motion} {repair}"), &make, state, command, 1e-7, tolerance);
            }
        }
    }
}

#[test]
#[ignore = "long"]
fn smoothed_derivatives_are_those_of_real_steps() {
    for (k, (state, command)) in STATES.into_iter().enumerate() {
        for (kappa, e, tolerance) in [(100.0, 1e-6, 1e-6), (1e5, 2e-9, 2e-4)] {
            for friction in ["pyramid", "cone"] {
                let options = json!({"friction": friction, "smoothing": {"kappa": kappa}});
                let make = |s: [f64; 4], c: [f64; 2]| stepped(pushed(s, c), "newton-tals", &options);
                check_derivatives(
                    &format!("{k} κ = {kappa} {friction}"),
                    &make,
                    state,
                    command,
                    e,
                    tolerance,
                );
            }
        }
    }
}

/// A ball behind springs pressed on the floor and dragged aslant.
fn dragged(command: [f64; 3], options: &Value, solver: &str) -> Value {
    let drive = |c: f64| json!({"impedance": {"stiffness": 400, "command": c}});
    let ball = json!({"name": "ball", "mass": 0.1, "gravity": false, "shapes": [{"type": "ball", "radius": 0.05}],
        "position": [0, 0, 0.0501],
        "dofs": {"x": drive(command[0]), "y": drive(command[1]), "z": drive(command[2]), "rx": "locked", "ry": "locked", "rz": "locked"}});
    stepped(spatial(0.4, 0.0, json!([ground("spatial"), ball])), solver, options)
}

#[test]
fn derivatives_in_space_are_those_of_real_steps() {
    let cases = [
        (json!({"friction": "pyramid"}), "active-set", 1e-7, 1e-6),
        (json!({"friction": "cone"}), "clarabel", 1e-6, 1e-5),
        (json!({"friction": "pyramid", "smoothing": {"kappa": 1e3}}), "newton-tals", 1e-7, 1e-5),
        (json!({"friction": "cone", "smoothing": {"kappa": 1e3}}), "newton-tals", 1e-7, 1e-5),
    ];
    for (options, solver, e, tolerance) in cases {
        // Dragged beyond friction, and held by it.
        for command in [[0.013, 0.021, 0.04], [0.001, 0.0005, 0.04]] {
            let (_, gradient) = one_step(&dragged(command, &options, solver));
            for k in 0..3 {
                let moved = |d: f64| {
                    let mut c = command;
                    c[k] += d;
                    one_step(&dragged(c, &options, solver)).0
                };
                let (up, down) = (moved(e), moved(-e));
                for row in 0..3 {
                    let difference = (up[row] - down[row]) / (2.0 * e);
                    close(
                        &format!("{options} {command:?}: {row} {k}"),
                        gradient[row * 12 + k],
                        difference,
                        tolerance,
                    );
                }
            }
        }
    }
}

#[test]
fn the_barrier_tends_to_the_program_and_starts_from_contact() {
    let options = json!({});
    let scene = pushed([0.0, 0.05, -0.11, 0.05], [-0.09, 0.055]);
    let (exact, _) = one_step(&stepped(scene.clone(), "active-set", &options));
    let mut last = f64::INFINITY;
    for kappa in [1e2, 1e4, 1e6, 1e8] {
        let options = json!({"smoothing": {"kappa": kappa}});
        let (smooth, _) = one_step(&stepped(scene.clone(), "newton-tals", &options));
        let error = exact.iter().zip(&smooth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error < 0.2 * last, "κ = {kappa}: {error} after {last}");
        last = error;
    }
    assert!(last < 1e-7, "{last}");
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    for (options, word) in [
        (json!({"repair": "iterated", "smoothing": {"kappa": 10}}), "choose one"),
        (json!({"smoothing": {"kappa": -1}}), "smoothing.kappa"),
        (json!({"mass_scale": {"factor": 0}}), "mass_scale.factor"),
        (json!({"motion": "first-order"}), "first-order"),
        (json!({"repair_iterations": 0}), "repair_iterations"),
    ] {
        let e = sliding(options, 0.01);
        let refused = std::panic::catch_unwind(|| simulation(&e)).err().expect("it is refused");
        let said = refused.downcast_ref::<String>().expect("a message");
        assert!(said.contains(word), "{said}");
    }
}
