//! Case 24: what leaves an edge falls next to it, without a ghost wall, in the plane and in space, with pyramids and cones.

#![allow(clippy::unwrap_used)] // helpers of tests are tests

use serde_json::{Value, json};
use vinci_tests::experiment::{set, shipped};
use vinci_tests::run::run;

const G: f64 = 9.81;

/// The largest deviation from z0 − g h² m (m + 1)/2, m counting from the step that ends past `end` (`late` steps after it).
fn fall(experiment: &Value, body: &str, axis: usize, end: f64, late: usize) -> f64 {
    let found = run(experiment);
    let x = found.at_q(body);
    let h = experiment["time"]["step"].as_f64().unwrap();
    let past = found.moments.iter().position(|m| m.q[x] > end + 1e-12).unwrap();
    assert!(past + 5 < found.moments.len(), "too short to see it fall");
    let z0 = found.moments[0].q[x + axis];
    let off = |(k, moment): (usize, &vinci_tests::run::Moment)| {
        let m = (k + 1).saturating_sub(past + late) as f64;
        (moment.q[x + axis] - (z0 - G * h * h * m * (m + 1.0) / 2.0)).abs()
    };
    found.moments.iter().enumerate().map(off).fold(0.0, f64::max)
}

/// `or` falls at once, `nearest` stands one step on the line or plane beyond the end.
fn judge(scene: &str, body: &str, axis: usize, end: f64, shape: Option<Value>) {
    for (corners, late) in [("or", 0), ("nearest", 1)] {
        for solver in ["lemke", "nsgs"] {
            for h in [0.02, 0.0125] {
                let mut experiment = set(&shipped(scene), "/detector/options", json!({ "corners": corners }));
                experiment = set(&experiment, "/time/step", json!(h));
                experiment = set(&experiment, "/solver/plugin", json!(format!("vinci.solver.{solver}")));
                if let Some(shape) = &shape {
                    experiment = set(&experiment, "/scene/bodies/1", shape.clone());
                }
                let off = fall(&experiment, body, axis, end, late);
                assert!(off < 1e-12, "{scene}, {corners}, {solver}, h = {h}: off by {off:e}");
            }
        }
    }
}

#[test]
fn a_tip_leaves_a_ledge() {
    judge("ghost-wall", "wedge", 1, 0.0, None);
}

#[test]
fn a_small_box_leaves_a_ledge() {
    let shape = json!({ "type": "box", "size": [0.02, 0.02] });
    let small = json!({ "name": "box", "mass": 1.0, "shapes": [shape], "position": [-0.33, 0.01], "velocity": [2, 0] });
    judge("ghost-wall", "box", 1, 0.01, Some(small));
}

#[test]
fn a_small_box_leaves_a_ledge_in_space() {
    judge("ghost-wall-3d", "box", 2, 0.01, None);
}

#[test]
fn a_tip_leaves_a_ledge_in_space() {
    let points =
        json!([[0, 0, -0.2], [0.05, 0.05, 0.1], [-0.05, 0.05, 0.1], [-0.05, -0.05, 0.1], [0.05, -0.05, 0.1]]);
    let shape = json!({ "type": "convex-hull", "points": points });
    let tip = json!({ "name": "tip", "mass": 1.0, "shapes": [shape], "position": [-0.33, 0.1, 0.2], "velocity": [2, 0, 0] });
    judge("ghost-wall-3d", "tip", 2, 0.0, Some(tip));
}

/// Anitescu and Potra know no alternatives: they get the most open one, and say so.
#[test]
fn other_steppers_get_the_most_open_alternative() {
    let experiment = set(&shipped("ghost-wall"), "/stepper/plugin", json!("vinci.stepper.anitescu-potra"));
    let found = run(&experiment);
    let end = found.end();
    let x = found.at_q("wedge");
    // A row may stand in several groups; one carries the weight of 0.1962 N s in a step, up to rounding.
    let pressed = |m: &vinci_tests::run::Moment| m.touches.iter().filter(|t| t.p_n.abs() > 1e-12).count();
    assert!(found.moments.iter().filter(|m| m.q[x] < 0.05).all(|m| pressed(m) <= 1));
    assert!(end.q[found.at_q("wedge") + 1] < 0.1, "it fell: {:?}", end.q);
}
