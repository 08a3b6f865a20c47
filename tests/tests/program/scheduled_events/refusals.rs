//! Events that cannot be, found before the run: message, place and advice.

use serde_json::{Value, json};
use vinci_tests::experiment::{set, shipped};

use super::program::{Bench, text};

fn with_events(events: Value) -> Value {
    set(&shipped("sliding-block"), "/events", events)
}

/// The refusal of events; nothing may be written.
#[track_caller]
fn refusal(events: Value, code: i32) -> String {
    let bench = Bench::new();
    let output = bench.try_run("bad", &with_events(events), &[]);
    assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    assert!(!bench.path().join("bad").exists());
    text(&output)
}

#[test]
fn events_that_cannot_be_are_refused_before_the_run() {
    let at = |what: Value| {
        let mut event = what;
        event["at"] = json!(0.5);
        json!([event])
    };
    let cases: [(Value, i32, &[&str]); 15] = [
        (
            at(json!({ "set": { "scene.bodies.lid.mass": 2 } })),
            3,
            &["event 1 (at 0.5 s): `bodies` has no entry named `lid`", "known names: `ground`, `block`"],
        ),
        (
            at(json!({ "set": { "scene.materials.default.frictoin": 2 } })),
            3,
            &["unknown key `frictoin`", "did you mean `friction`?"],
        ),
        (
            at(json!({ "set": { "scene.materials.default.friction": -1 } })),
            3,
            &["must be at least 0, found -1"],
        ),
        (
            at(json!({ "swap": { "solver": "newton-tals" } })),
            3,
            &[
                "emits problems of class Mlcp or Cone, but vinci.solver.newton-tals takes `Root`",
                "solvers that would do",
            ],
        ),
        (at(json!({ "swap": { "solver": "lemkee" } })), 4, &["there is no solver `lemkee`", "did you mean"]),
        (
            at(json!({ "swap": { "solver": { "plugin": "lemke", "options": { "max_pivot": 3 } } } })),
            3,
            &["event 1 (at 0.5 s): unknown key `max_pivot`"],
        ),
        (at(json!({ "set": { "time.step": 0.1 } })), 3, &["`time.step` cannot change during a run"]),
        (
            at(json!({ "set": { "scene.bodies.block.shapes": [
                { "type": "box", "size": [0.2, 0.1] }, { "type": "disc", "radius": 0.05 } ] } })),
            3,
            &[
                "what the scene consists of: moving body `block`: 1 shapes",
                "became moving body `block`: 2 shapes",
            ],
        ),
        (
            at(json!({ "set": { "scene.bodies.block.velocity": [1, 0] } })),
            3,
            &["where bodies begin or how fast, which says nothing during a run", "drives and forces"],
        ),
        (json!([{ "when": "block.x", "stop": "x" }]), 3, &["a condition is expected, `block.x` is a number"]),
        (
            at(json!({ "set": { "solver.plugin": "newton-tals" } })),
            3,
            &["emits problems of class Mlcp or Cone, but vinci.solver.newton-tals takes `Root`"],
        ),
        (
            json!([
                { "at": 0.5, "stop": "a" }, { "at": 0.2, "stop": "b" }, { "at": 0.3, "stop": "c" },
            ]),
            3,
            &["the event at 0.2 s stands behind one at 0.5 s"],
        ),
        (json!([{ "when": "blok.x > 1", "stop": "x" }]), 3, &["unknown variable `blok.x`"]),
        (
            json!([{ "at": 0.5, "when": "block.x > 1", "stop": "x" }, { "at": 0.2 }]),
            3,
            &["both a time and a condition", "nothing happens at the event", "behind one at 0.5 s"],
        ),
        (
            json!([{ "at": 0.5, "swap": { "solvr": "lemke" } }]),
            3,
            &["unknown key `solvr`", "did you mean `solver`?"],
        ),
    ];
    for (events, code, wanted) in cases {
        let said = refusal(events, code);
        assert!(said.contains("bad.json:"), "no place: {said}");
        for part in wanted {
            assert!(said.contains(part), "{part} is not in: {said}");
        }
    }
}

/// The one event that stands wrong is told, not those behind it, which are right beside one another.
#[test]
fn one_late_event_is_one_error() {
    let at = |time: f64| json!({ "at": time, "stop": "x" });
    let said = refusal(json!([at(0.5), at(0.2), at(0.3), at(0.4)]), 3);
    assert_eq!(said.matches("stands behind one").count(), 1, "{said}");
}

/// What is wrong with the parts of an event is told once: nobody who writes `swap` is told that nothing happens.
#[test]
fn parts_that_are_wrong_are_not_told_missing() {
    for (event, said) in [
        (json!({ "at": 0.5, "swap": { "sovler": "lemke" } }), "did you mean `solver`?"),
        (json!({ "at": 0.5, "swap": "newton" }), "swap"),
        (json!({ "at": 0.5, "stop": true }), "stop"),
        (json!({ "at": -0.1, "stop": "x" }), "at least 0"),
        (json!({ "at": "0.1", "stop": "x" }), "number"),
        (json!({ "when": "", "stop": "x" }), "when"),
    ] {
        let told = refusal(json!([event]), 3);
        assert!(told.contains(said), "{told}");
        assert_eq!(told.matches("error[").count(), 1, "{told}");
    }
    assert!(refusal(json!([{ "at": 0.5, "swap": {} }]), 3).contains("nothing happens at the event"));
    assert!(refusal(json!([{ "stop": "x" }]), 3).contains("does not say when"));
}

/// Conditions may hold before a time or after it: what is wrong in one of the two orders only is a doubt, not an error.
#[test]
fn events_behind_conditions_are_tried_in_both_orders() {
    let bench = Bench::new();
    let swap = |event: Value, stepper: Value, solver: &str| {
        let mut event = event;
        event["swap"] = json!({ "solver": solver });
        if !stepper.is_null() {
            event["swap"]["stepper"] = stepper;
        }
        event
    };
    let (late, early) = (json!({ "when": "t > 0.25" }), json!({ "at": 0.1 }));
    let mut experiment = with_events(json!([
        swap(late.clone(), json!("tamsi"), "newton-tals"),
        { "at": 0.1, "swap": { "stepper": "tamsi" } },
    ]));
    experiment["scene"]["materials"]["default"]["stiffness"] = 1e6.into();
    let first = text(&bench.try_run("first", &experiment, &["--strict"]));
    assert!(first.contains("where events with conditions before it have not happened by then"), "{first}");
    let mut experiment =
        with_events(json!([swap(late, json!("tamsi"), "newton-tals"), swap(early, Value::Null, "newton")]));
    experiment["scene"]["materials"]["default"]["stiffness"] = 1e6.into();
    let second = text(&bench.try_run("second", &experiment, &["--strict"]));
    assert!(second.contains("where events with conditions before it have happened by then"), "{second}");
    let run = bench.try_run("run", &experiment, &[]);
    assert!(text(&run).contains("warning["), "{}", text(&run));
}

/// The place of an error is the key of the event that brings it, to the column.
#[test]
fn errors_stand_where_the_event_says_it() {
    let bench = Bench::new();
    let experiment = with_events(json!([{ "at": 0.5, "set": { "scene.bodies.lid.mass": 2 } }]));
    let said = text(&bench.try_run("bad", &experiment, &[]));
    let file = std::fs::read_to_string(bench.path().join("bad.json")).unwrap();
    let (line, row) = file.lines().enumerate().find(|(_, l)| l.contains("scene.bodies.lid")).unwrap();
    let place = format!("bad.json:{}:{}", line + 1, row.find('"').unwrap() + 1);
    assert!(said.contains(&place), "{place} is not in: {said}");
}

/// A swap that is right only after another one is right behind it.
#[test]
fn events_are_tried_over_those_before_them() {
    let tals = json!({ "swap": { "stepper": "tamsi", "solver": "newton-tals" } });
    let events = |first: Value| {
        let mut first = first;
        first["at"] = json!(0.2);
        let second = json!({ "at": 0.4, "set": { "solver.options.max_iterations": 77 } });
        let mut experiment = with_events(json!([first, second]));
        experiment["scene"]["materials"]["default"]["stiffness"] = 1e6.into();
        experiment
    };
    let bench = Bench::new();
    let output = bench.try_run("right", &events(tals), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

/// Coordinates do not jump: a position drive begins where the body is.
#[test]
fn drives_that_jump_are_refused_where_they_are_known_and_fail_where_they_are_not() {
    let drive = |expression: &str| json!({ "position": { "expression": expression } });
    let mut led = shipped("sliding-block");
    led["scene"]["bodies"][1]["dofs"] = json!({ "x": drive("0.3*t") });
    led["scene"]["bodies"][1]["velocity"] = json!([0, 0]);
    let event = |to: &str| json!([{ "at": 0.5, "set": { "scene.bodies.block.dofs.x": drive(to) } }]);
    let bench = Bench::new();
    let known = bench.try_run("known", &set(&led, "/events", event("0.25 + 0.1*(t - 0.5)")), &[]);
    assert_eq!(known.status.code(), Some(3));
    assert!(text(&known).contains("the new drive of block.x begins 1e-1 away"), "{}", text(&known));
    bench.run("smooth", &set(&led, "/events", event("0.15 + 0.1*(t - 0.5)")), &[]);
    // A free block at 2 m/s: where it is at 0.5 s the run must tell.
    let unknown = bench.try_run("unknown", &with_events(event("7")), &[]);
    assert_eq!(unknown.status.code(), Some(3));
    let said = text(&unknown);
    assert!(said.contains("event 1 (") && said.contains("unknown.json:"), "no place: {said}");
    assert!(said.contains("the new drive of block.x begins"), "{said}");
    let summary: Value = serde_json::from_str(&bench.read("unknown", "summary.json")).unwrap();
    assert_eq!((&summary["status"], &summary["failure"]["kind"]), (&json!("failed"), &json!("event")));
    assert_eq!(summary["time_end"], 0.5);
}
