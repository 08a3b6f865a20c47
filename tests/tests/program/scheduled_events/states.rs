//! A run whose event changes something at t equals, to the bit, the run that begins in the state saved at t with the change.

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, timed, with};

use super::program::{Bench, text};

/// Runs `base` with the event at `t`, and `after` (the experiment as the event leaves it) from the state at `t`: same rows of
/// all tables, same states.
#[track_caller]
fn same(what: &str, base: &Value, t: f64, event: Value, after: &Value) {
    let bench = Bench::new();
    let mut event = event;
    event["at"] = t.into();
    let changed = set(&set(base, "/events", json!([event])), "/record", json!({ "states": [t] }));
    let whole = bench.run("whole", &changed, &[]);
    let state = bench.path().join(format!("whole/states/{t}.json"));
    let rest = bench.run("rest", after, &["--from", state.to_str().unwrap()]);
    assert_eq!(whole["events"][0]["time"], t, "{what}");
    assert_eq!(whole["state_hash"], rest["state_hash"], "{what}");
    let rows = bench.rows_from("whole", "trajectory.csv", t);
    assert!(rows.len() > 10, "{what}: {}", rows.len());
    assert_eq!(rows, bench.rows_from("rest", "trajectory.csv", t), "{what}");
    // The contacts of the row at t are those of the step before.
    let later = |name| bench.rows_from(name, "contacts.csv", t + 1e-6);
    assert_eq!(later("whole"), later("rest"), "{what}");
    // And the change is one: without it the run ends elsewhere, or at least by another way.
    let plain = bench.run("plain", base, &[]);
    let by = |s: &Value| (s["state_hash"].clone(), s["solver_stats"].clone());
    assert_ne!(by(&plain), by(&whole), "{what}: the event does nothing");
}

/// A box and a ball that fall, knock each other and slide.
fn knocked() -> Value {
    let scene = planar(
        0.3,
        0.4,
        json!([
            ground("planar"),
            { "name": "box", "mass": 1.0, "shapes": [{ "type": "box", "size": [0.2, 0.1] }],
              "position": [0, 0.2], "angle": 0.3, "velocity": [1.5, 0] },
            { "name": "ball", "mass": 0.5, "shapes": [{ "type": "disc", "radius": 0.08 }],
              "position": [0.5, 0.3], "velocity": [-1, 0], "angular_velocity": 8 },
        ]),
    );
    experiment(scene, 0.005, 1.5)
}

#[test]
fn stepper_and_solver_swapped_at_one_second() {
    let base = knocked();
    let swap = json!({ "swap": { "stepper": "anitescu-potra", "solver": { "plugin": "newton", "fallback": ["lemke"] } } });
    let mut after = with(&base, "anitescu-potra", "newton");
    after["solver"]["fallback"] = json!(["lemke"]);
    same("stepper and solver", &base, 1.0, swap, &after);
}

#[test]
fn stepper_with_impacts_solver_or_detector_swapped() {
    let base = shipped("bouncing-ball-backup");
    let t = 0.4;
    same("solver, events", &timed(&base, 0.001, 0.9), t, json!({ "swap": { "solver": "newton" } }), &{
        let mut after = timed(&base, 0.001, 0.9);
        after["solver"] = json!("newton");
        after
    });
    let dominoes = timed(&shipped("domino-10-3d"), 0.004, 0.4);
    let solver = set(&dominoes, "/solver", json!("pgs"));
    same("solver in space", &dominoes, 0.2, json!({ "swap": { "solver": "pgs" } }), &solver);
    let other = json!({ "plugin": "parry", "options": { "max_points": 4, "rim_points": 5 } });
    let detector = set(&dominoes, "/detector", other.clone());
    let event = json!({ "swap": { "detector": other, "solver": "newton" } });
    same("detector", &dominoes, 0.2, event, &set(&detector, "/solver", json!("newton")));
}

#[test]
fn regularized_contact_takes_over_from_rigid() {
    let mut base = knocked();
    base["scene"]["materials"]["default"]["stiffness"] = 1e5.into();
    let stepper = json!({ "plugin": "tamsi", "options": {} });
    let event = json!({ "swap": { "stepper": stepper, "solver": "newton-tals" } });
    let after = set(&set(&base, "/stepper", stepper), "/solver", json!("newton-tals"));
    same("tamsi", &base, 1.0, event, &after);
}

#[test]
fn a_material_and_gravity_set() {
    let base = knocked();
    let event = json!({ "set": { "scene.materials.default.friction": 0.9, "scene.gravity": [0.5, -3.0] } });
    let after = set(&base, "/scene/materials/default/friction", 0.9);
    same("material", &base, 0.5, event, &set(&after, "/scene/gravity", json!([0.5, -3.0])));
}

#[test]
fn a_shape_set() {
    let mut base = knocked();
    // What grows into the ground is on purpose here.
    base["referee"] = json!({ "penetration": false, "work": false });
    let event = json!({ "set": { "scene.bodies.ball.shapes[0].radius": 0.1 } });
    let after = set(&base, "/scene/bodies/2/shapes/0/radius", 0.1);
    same("shape", &base, 0.5, event, &after);
}

/// A pusher under a position drive that is given another way, which begins where the old one is then.
#[test]
fn a_drive_set() {
    let mut base = knocked();
    let drive = |expression: &str| json!({ "position": { "expression": expression } });
    base["scene"]["bodies"].as_array_mut().unwrap().push(json!({
        "name": "pusher", "mass": 1.0, "shapes": [{ "type": "box", "size": [0.05, 0.2] }], "position": [-0.4, 0.11],
        "dofs": { "x": drive("-0.4 + 0.2*t"), "y": "locked", "angle": "locked" },
    }));
    let event = json!({ "set": { "scene.bodies.pusher.dofs.x": drive("-0.3 + 0.4*(t - 0.5)") } });
    let after = set(&base, "/scene/bodies/3/dofs/x", drive("-0.3 + 0.4*(t - 0.5)"));
    same("drive", &base, 0.5, event, &after);
    let event = json!({ "set": { "scene.bodies.pusher.dofs.x": { "velocity": 0.0 } } });
    let after = set(&base, "/scene/bodies/3/dofs/x", json!({ "velocity": 0.0 }));
    same("released drive", &base, 0.5, event, &after);
}

/// The same experiment goes on from its own state: events that happened are not lost and do not happen twice.
#[test]
fn a_run_with_events_goes_on_from_its_own_states() {
    let bench = Bench::new();
    let events = json!([
        { "at": 0.25, "set": { "scene.gravity": [0.5, -5.0] } },
        { "when": "box.x > 0.3", "set": { "scene.materials.default.friction": 0.8 } },
        { "at": 0.5, "swap": { "solver": "newton" } },
    ]);
    let base =
        set(&set(&knocked(), "/events", events), "/record", json!({ "states": [0.25, 0.4, 0.5, 1.0] }));
    let whole = bench.run("whole", &base, &[]);
    assert_eq!(whole["events"].as_array().unwrap().len(), 3);
    for t in [0.25, 0.4, 0.5, 1.0] {
        let state = bench.path().join(format!("whole/states/{t}.json"));
        let rest = bench.run("rest", &base, &["--from", state.to_str().unwrap()]);
        assert_eq!(whole["state_hash"], rest["state_hash"], "from {t} s");
        let rows = |name| bench.rows_from(name, "trajectory.csv", t);
        assert_eq!(rows("whole"), rows("rest"), "from {t} s");
        assert_eq!(
            bench.read("whole", "states/end.json"),
            bench.read("rest", "states/end.json"),
            "from {t} s"
        );
    }
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    bench.run("whole", &knocked(), &[]);
    let state = bench.path().join("whole/states/end.json");
    let from = |experiment: &Value| {
        let output = bench.try_run("other", experiment, &["--from", state.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output));
        text(&output)
    };
    let longer = timed(&knocked(), 0.005, 2.0);
    let said = from(&set(&longer, "/scene/bodies/2/name", "stone"));
    assert!(said.contains("the state is of another scene") && said.contains("body `stone`"), "{said}");
    assert!(from(&knocked()).contains("but the run ends at 1.5 s"));
    let said = from(&timed(&knocked(), 0.007, 2.0));
    assert!(said.contains("which is not a multiple of the step 0.007 s"), "{said}");
    let whole = bench.read("whole", "states/end.json");
    for (cut, wanted) in [
        (whole.replace("vinci/state@1", "vinci/state@2"), "`format` must be"),
        (whole.replacen("\"grid\"", "\"gird\"", 1), "unknown field `gird`"),
        (whole[..whole.len() / 2].to_owned(), "error"),
    ] {
        std::fs::write(&state, cut).unwrap();
        let said = from(&longer);
        assert!(said.contains(wanted), "{said}");
    }
}

/// A state that another build of a plugin saved is not its own; that is told.
#[test]
fn states_of_other_builds_are_told() {
    let bench = Bench::new();
    let experiment = shipped("sliding-block");
    bench.run("first", &set(&experiment, "/record/states", json!([0.5])), &[]);
    let file = bench.path().join("first/states/0.5.json");
    let mut state: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let from = ["--from", file.to_str().unwrap()];
    let same = bench.try_run("same", &experiment, &from);
    assert!(!text(&same).contains("another build"), "{}", text(&same));
    let stepper = state["plugins"][1]["id"].as_str().unwrap().to_owned();
    state["plugins"][1]["digest"] = json!("00");
    std::fs::write(&file, state.to_string()).unwrap();
    let other = bench.try_run("other", &experiment, &from);
    let told = format!("{stepper} is another build than the one whose state was saved");
    assert!(text(&other).contains(&told), "{}", text(&other));
}

/// A number of the grid that is not that of the time ended as a success after no step; others ended the program.
#[test]
fn states_that_no_run_has_are_refused() {
    let bench = Bench::new();
    let experiment = shipped("sliding-block");
    bench.run("first", &set(&experiment, "/record/states", json!([0.5])), &[]);
    let file = bench.path().join("first/states/0.5.json");
    let good: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let from = |state: &Value| {
        std::fs::write(&file, state.to_string()).unwrap();
        let output = bench.try_run("other", &experiment, &["--from", file.to_str().unwrap()]);
        (output.status.code(), text(&output))
    };
    for (at, value, words) in [
        ("/simulation/grid", json!(u64::MAX), "does not belong to the number of its grid time"),
        ("/simulation/grid", json!(1_u64 << 53), "does not belong to the number of its grid time"),
        ("/simulation/grid", json!(0), "does not belong to the number of its grid time"),
        ("/time", json!(0.25), "does not belong to the number of its grid time"),
        ("/simulation/step", json!(u64::MAX), "no step has the size or the number"),
        ("/simulation/h_last", json!(-1), "no step has the size or the number"),
        ("/simulation/q/0", json!([]), "error"),
        ("/simulation/v", json!([0]), "another number of coordinates"),
    ] {
        let (code, said) = from(&set(&good, at, value.clone()));
        assert_eq!(code, Some(3), "{at} = {value}: {said}");
        assert!(said.contains(words), "{at} = {value}: {said}");
    }
    // Counts that only grow stay where their type ends.
    let (code, said) = from(&set(&good, "/simulation/contacts/0/age", json!(u32::MAX)));
    assert_eq!(code, Some(0), "{said}");
    // What the referee remembers is read, or left out as a whole.
    for numbers in [json!([1e300]), json!([0, 1e300]), json!([-1, 0, 0]), json!([0, 0, 1e18])] {
        let (code, said) = from(&set(&good, "/simulation/referee", numbers.clone()));
        assert_eq!(code, Some(3), "{numbers}: {said}");
        assert!(said.contains("the memory of the referee is that of another version"), "{said}");
    }
    assert_eq!(from(&set(&good, "/simulation/referee", json!([]))).0, Some(0));
    assert_eq!(from(&good).0, Some(0));
}
