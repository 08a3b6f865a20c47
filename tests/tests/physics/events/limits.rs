//! Impacts beside limits of joints: one that is not reached has no part in them.

use serde_json::{Value, json};
use vinci_tests::run::run;

/// A ball on a vertical rail falls 17 mm onto the floor; the rail ends 18 mm above.
fn slider(stepper: &str, solver: &str) -> Value {
    let link = json!({"name": "bob", "mass": 1, "com": [0, 0, 0], "inertia": [0.004, 0.004, 0.004],
        "shapes": [{"type": "ball", "radius": 0.1}]});
    let joint = json!({"name": "rail", "kind": "prismatic", "child": "bob", "axis": [0, 0, 1],
        "limits": {"lower": -1.0, "upper": 0.118}});
    let tree = json!({"name": "slider", "links": [link], "joints": [joint], "start": {"rail": 0.117}, "velocity": {"rail": -1}});
    let ground = json!({"name": "ground", "static": true, "shapes": [{"type": "half-space"}]});
    json!({"format": "vinci/experiment@1",
        "scene": {"format": "vinci/scene@1", "space": "spatial", "gravity": [0, 0, -9.81],
            "materials": {"default": {"friction": 0, "restitution": 0.8}}, "bodies": [ground], "trees": [tree]},
        "time": {"step": 0.001, "duration": 0.06}, "detector": {"plugin": "parry"},
        "stepper": {"plugin": stepper}, "solver": {"plugin": solver}})
}

#[test]
fn a_limit_that_is_not_reached_does_not_stop_a_bounce() {
    for (stepper, solver) in
        [("anitescu-potra", "newton"), ("anitescu-potra", "lemke"), ("trapezoidal", "lemke")]
    {
        let run = run(&slider(stepper, solver));
        let at = run.moments.iter().position(|m| !m.impacts.is_empty()).expect("it meets the floor");
        let (before, after) = (run.moments[at - 1].v[0], run.moments[at].v[0]);
        assert!(before < -1.1, "{stepper} {solver}: {before}");
        // Gravity within the step is all that the bounce may lack of e |v|.
        assert!((after + 0.8 * before).abs() < 0.02, "{stepper} {solver}: {before} {after}");
        // And the limit stops it on the way up; positions of second order go half a step of .75 m/s beyond.
        let beyond = if stepper == "trapezoidal" { 4e-4 } else { 1e-6 };
        let highest = run.moments.iter().map(|m| m.q[0]).fold(f64::NEG_INFINITY, f64::max);
        assert!(highest > 0.1179 && highest < 0.118 + beyond, "{stepper} {solver}: {highest}");
    }
}

/// Positions of second order get past a limit by up to h |v| / 2. Brought back from there, a joint kept a tenth of its speed.
#[test]
fn a_joint_that_meets_its_limit_stops_there() {
    for (stepper, beyond) in
        [("anitescu-potra", 1e-9), ("stewart-trinkle", 1e-9), ("trapezoidal", 0.5 + 1e-9)]
    {
        for h in [1e-2, 3e-3, 1e-3, 7e-4] {
            let mut e = slider(stepper, "lemke");
            e["scene"]["gravity"] = json!([0, 0, 0]);
            e["scene"]["trees"][0]["velocity"]["rail"] = json!(1);
            (e["time"]["step"], e["time"]["duration"]) = (json!(h), json!(42.0 * h));
            let run = run(&e);
            let end = run.end();
            assert!(end.v[0].abs() < 1e-9, "{stepper} {h}: {} m/s are left", end.v[0]);
            assert!(end.q[0] > 0.118 - 1e-9 && end.q[0] < 0.118 + beyond * h, "{stepper} {h}: {}", end.q[0]);
        }
    }
}
