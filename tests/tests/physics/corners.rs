//! Case 24: what leaves an edge falls next to it, without a ghost wall, in the plane and in space, with pyramids and cones.

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

/// Whatever its flanks: upright within rounding or not, leaning forwards, back, flat, or a box on its corner. Alternatives once hung on which edges
/// the tip faced, and a tilt of 1e-12 rad brought the wall back.
#[test]
fn tips_of_all_flanks_leave_a_ledge() {
    let wedge = [[0.0, 0.0], [0.05, 0.3], [-0.05, 0.3]];
    let tilted = |a: f64| wedge.map(|[x, y]| [x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()]);
    let d = 0.1 * 2.0_f64.sqrt();
    let mut tips: Vec<Vec<[f64; 2]>> =
        [1e-12, 0.01, 0.1, 0.3, -1e-12, -0.3].map(|a| tilted(a).to_vec()).to_vec();
    tips.push(vec![[0.0, 0.0], [0.2, 0.3], [-0.2, 0.3]]);
    tips.push(vec![[0.0, 0.0], [0.0, 0.3], [-0.1, 0.3]]);
    tips.push(vec![[0.0, 0.0], [d, d], [0.0, 2.0 * d], [-d, d]]);
    for tip in tips {
        let vertices: Vec<[f64; 2]> = tip.iter().map(|[x, y]| [*x, y - 0.2]).collect();
        let body = json!({ "name": "tip", "mass": 1.0, "inertia": 1e9, "position": [-0.33, 0.2], "velocity": [2, 0],
            "shapes": [{ "type": "polygon", "vertices": vertices }] });
        for h in [0.02, 0.0125] {
            let experiment = set(&shipped("ghost-wall"), "/detector/options", json!({ "corners": "or" }));
            let experiment = set(&set(&experiment, "/time/step", json!(h)), "/scene/bodies/1", body.clone());
            let off = fall(&experiment, "tip", 1, 0.0, 0);
            assert!(off < 1e-12, "{tip:?}, h = {h}: off by {off:e}");
        }
    }
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

/// A triangle whose corner (its origin) rises beside a box's, in the plane free to turn, in space as a prism: a row of its corner before a face that
/// another of its corners is nearer to once counted as an open alternative, and the corner went 10 mm into the box unseen.
#[test]
fn a_corner_beside_another_is_not_let_through() {
    let flat = json!([[0, 0], [-0.52, 0.53], [-0.3, -0.8]]);
    let prism = json!([
        [0, 0, -0.2],
        [0, 0, 0.2],
        [-0.52, 0.53, -0.2],
        [-0.52, 0.53, 0.2],
        [-0.3, -0.8, -0.2],
        [-0.3, -0.8, 0.2]
    ]);
    let planar = json!([
        { "name": "box", "static": true, "shapes": [{ "type": "box", "size": [1, 1] }], "position": [0.5, 0.5] },
        { "name": "p", "mass": 1, "inertia": 0.05, "shapes": [{ "type": "polygon", "vertices": flat }],
          "position": [0.01, -0.03], "velocity": [0, 1] },
    ]);
    let spatial = json!([
        { "name": "box", "static": true, "shapes": [{ "type": "box", "size": [1, 1, 0.2] }], "position": [0.5, 0.5, 0] },
        { "name": "p", "mass": 1, "inertia": [1e9, 1e9, 1e9], "shapes": [{ "type": "convex-hull", "points": prism }],
          "position": [0.01, -0.03, 0], "velocity": [0, 1, 0] },
    ]);
    for (space, bodies, gravity, detector) in
        [("planar", planar, json!([0, 0]), "planar"), ("spatial", spatial, json!([0, 0, 0]), "parry")]
    {
        for (h, x, y) in [(0.06, 0.01, -0.03), (0.02, 0.004, -0.008), (0.16, 0.03, -0.06)] {
            let mut experiment = json!({ "format": "vinci/experiment@1",
                "scene": { "format": "vinci/scene@1", "space": space, "gravity": gravity, "bodies": bodies,
                           "materials": { "default": { "friction": 0, "restitution": 0 } } },
                "time": { "step": h, "duration": 5.0 * h },
                "detector": { "plugin": detector, "options": { "corners": "or" } },
                "stepper": "stewart-trinkle", "solver": "lemke" });
            let place = &mut experiment["scene"]["bodies"][1]["position"];
            (place[0], place[1]) = (json!(x), json!(y));
            let found = run(&experiment);
            let at = found.at_q("p");
            let inside = |m: &vinci_tests::run::Moment| m.q[at].min(m.q[at + 1]);
            let deepest = found.moments.iter().map(inside).fold(f64::MIN, f64::max);
            assert!(deepest < 1e-9, "{detector}, h = {h}: {deepest:e} m inside");
        }
    }
}
