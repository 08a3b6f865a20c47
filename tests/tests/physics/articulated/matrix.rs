//! Every stepper on a tree: an arm of two links with a limit and dry friction pushes a block along the ground.

use serde_json::{Value, json};
use vinci_engine::pipeline::StepFailure;
use vinci_tests::experiment::{AP, ST, ground, spatial, timed, with};
use vinci_tests::run::{Run, run, try_run};

/// Shoulder at 0.6 m, links of 0.3 m, a ball as a hand; it hangs behind the block and is driven by a torque.
fn scene() -> Value {
    let link = |name: &str, shapes: Value| json!({ "name": name, "mass": 1, "com": [0, 0, -0.15], "inertia": [0.0075, 0.0075, 0.0005], "shapes": shapes });
    let hand = json!([{ "type": "ball", "radius": 0.04, "position": [0, 0, -0.3] }]);
    let block = json!({ "name": "block", "mass": 0.5, "shapes": [{ "type": "box", "size": [0.1, 0.1, 0.1] }],
        "position": [0.12, 0, 0.05] });
    let mut scene = spatial(0.4, 0.0, json!([ground("spatial"), block]));
    scene["trees"] = json!([{
        "name": "arm", "base": { "position": [0, 0, 0.65] },
        "links": [link("upper", json!([])), link("lower", hand)],
        "joints": [
            { "name": "shoulder", "kind": "revolute", "child": "upper", "axis": [0, -1, 0], "friction": 0.3 },
            { "name": "elbow", "kind": "revolute", "parent": "upper", "child": "lower", "position": [0, 0, -0.3],
              "axis": [0, -1, 0], "limits": { "lower": -0.1, "upper": 0.5 }, "damping": 0.05 },
        ],
        "drives": { "shoulder": { "force": 3.0 } },
    }]);
    scene["ignore_contacts"] = json!([["ground", "arm/lower"]]);
    scene
}

fn arm(stepper: &str, solver: &str, h: f64, scene: Value) -> Value {
    timed(&with(&vinci_tests::experiment::experiment(scene, h, 0.5), stepper, solver), h, 0.5)
}

/// The scene with layers: for steppers with compliant contact.
fn compliant() -> Value {
    let mut scene = scene();
    scene["pairs"] =
        json!([{ "materials": ["default", "default"], "stiffness": 2e4, "damping": 50, "dissipation": 2 }]);
    scene
}

/// The scene without dry friction and limit.
fn plain(mut scene: Value) -> Value {
    let joints = &mut scene["trees"][0]["joints"];
    joints[0].as_object_mut().expect("a joint").remove("friction");
    joints[1].as_object_mut().expect("a joint").remove("limits");
    scene
}

/// What an arm that pushes has done.
struct Pushed {
    block: f64,
    /// Least angle of the elbow.
    elbow: f64,
    aside: f64,
}

fn pushed(run: &Run) -> Pushed {
    let (block, arm) = (run.at_q("block"), run.at_q("arm"));
    let most =
        |f: &dyn Fn(&[f64]) -> f64| run.moments.iter().map(|m| f(&m.q)).fold(f64::NEG_INFINITY, f64::max);
    Pushed { block: run.end().q[block], elbow: -most(&|q| -q[arm + 1]), aside: most(&|q| q[block + 1].abs()) }
}

/// Dynamic steppers: block pushed alike, limit kept, all in the plane y = 0, every step within the referee's tolerances.
#[test]
fn dynamic_steppers_push_the_block_alike() {
    let runs = [
        (ST, "lemke", scene(), 2e-3),
        (ST, "newton", scene(), 2e-3),
        (ST, "nsgs", scene(), 2e-3),
        (AP, "lemke", scene(), 2e-3),
        ("trapezoidal", "lemke", scene(), 2e-3),
        ("song-pang-kumar", "lemke", compliant(), 1e-3),
        ("tamsi", "newton-tals", compliant(), 1e-3),
    ];
    let mut places = Vec::new();
    for (stepper, solver, scene, h) in runs {
        let run = run(&arm(stepper, solver, h, scene));
        let Pushed { block, elbow, aside } = pushed(&run);
        println!("{stepper} + {solver}: block at {block:.5}, elbow down to {elbow:.5}, aside {aside:.1e}");
        assert!(block > 0.2, "{stepper} + {solver}: pushed: {block}");
        assert!((-0.106..-0.099).contains(&elbow), "{stepper} + {solver}: the limit holds: {elbow}");
        assert!(aside < 1e-3, "{stepper} + {solver}: in its plane: {aside}");
        places.push(block);
    }
    let (low, high) = places.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
    assert!(high - low < 0.2 * (high - 0.12), "alike: {places:?}");
}

/// Implicit Euler has no rows beside contacts: without limit and dry friction it goes where TAMSI goes, as h → 0.
#[test]
fn implicit_euler_pushes_without_limit_and_dry_friction() {
    let apart = |h: f64| {
        let place = |stepper: &str| pushed(&run(&arm(stepper, "newton-tals", h, plain(compliant())))).block;
        let (euler, tamsi) = (place("implicit-euler"), place("tamsi"));
        println!("h = {h}: implicit Euler {euler:.5}, TAMSI {tamsi:.5}");
        assert!(euler > 0.125 && tamsi > 0.125, "pushed: {euler} {tamsi}");
        (euler - tamsi).abs()
    };
    let (coarse, fine) = (apart(1e-3), apart(2.5e-4));
    assert!(fine < 0.5 * coarse, "{coarse} {fine}");
}

fn refusal(e: &Value) -> String {
    match try_run(e).failure {
        Some(StepFailure::Unsolved { attempts, .. }) => panic!("not solved: {attempts:?}"),
        Some(failure) => failure.to_string(),
        None => panic!("it ran"),
    }
}

/// What steppers cannot do with the rows of trees they say.
#[test]
fn steppers_without_bounded_rows_say_so() {
    let cases = [
        ("implicit-euler", "newton-tals", compliant(), "ordinary differential equations"),
        ("anitescu-qp", "active-set", scene(), "this stepper takes joints and one-sided limits"),
        ("quasistatic-miqp", "branch-and-bound", impeded(true), "joints and one-sided limits are known"),
    ];
    for (stepper, solver, scene, words) in cases {
        let said = refusal(&arm(stepper, solver, 2e-3, scene));
        println!("{stepper}: {said}");
        assert!(said.contains(words), "{stepper}: {said}");
    }
}

/// The shoulder follows a command, the elbow is a spring: what quasi-static steppers know.
fn impeded(friction: bool) -> Value {
    let mut scene = scene();
    let tree = &mut scene["trees"][0];
    tree["drives"] = json!({
        "shoulder": { "position": { "keyframes": [[0, 0], [0.5, 0.2]] } },
        "elbow": { "impedance": { "stiffness": 200, "command": 0 } },
    });
    tree["gravity"] = false.into();
    if !friction {
        tree["joints"][0].as_object_mut().expect("a joint").remove("friction");
    }
    scene
}

/// Quasi-static steps: the hand goes where the shoulder's command takes it, and the block is in front of it.
#[test]
fn quasi_static_steppers_push_as_commanded() {
    let runs = [
        ("anitescu-qp", "active-set", json!({ "motion": "quasi-dynamic" })),
        ("anitescu-qp", "clarabel", json!({ "motion": "quasi-dynamic" })),
        ("quasistatic-miqp", "branch-and-bound", json!({ "squeeze": "none", "lexicographic": false })),
    ];
    for (stepper, solver, options) in runs {
        let mut e = arm(stepper, solver, 0.02, impeded(false));
        e["stepper"]["options"] = options;
        e["detector"]["margin"] = 0.02.into();
        let run = run(&e);
        let Pushed { block, elbow, aside } = pushed(&run);
        let arm = run.at_q("arm");
        println!(
            "{stepper} + {solver}: block at {block:.5}, shoulder {:.5}, elbow down to {elbow:.5}, aside {aside:.1e}",
            run.end().q[arm]
        );
        assert!((run.end().q[arm] - 0.2).abs() < 1e-6, "{stepper}: shoulder as commanded");
        // The hand's front: 0.6 sin 0.2 + 0.04, and half a block.
        assert!((block - (0.6 * 0.2_f64.sin() + 0.09)).abs() < 0.01, "{stepper}: {block}");
        assert!(aside < 1e-3, "{stepper}: {aside}");
    }
}
