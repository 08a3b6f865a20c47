//! Trees for the tests.

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, spatial};

/// Moment of inertia of [`lever`] about its joint, kg m²: 0.2 of its link about the centre of mass and 2 · 0.5².
pub(crate) const LEVER_INERTIA: f64 = 0.7;

/// One link of 2 kg that turns about z, its centre of mass 0.5 m from the axis.
pub(crate) fn lever() -> Value {
    json!({
        "name": "arm",
        "links": [{"name": "l", "mass": 2.0, "com": [0.5, 0, 0], "inertia": [0.1, 0.2, 0.2]}],
        "joints": [{"name": "j", "kind": "revolute", "child": "l"}]
    })
}

/// An arm of `n` links of 0.3 m, axes z, y, z, y, …, of masses and inertias that differ from link to link.
pub(crate) fn arm(n: usize) -> Value {
    let links: Vec<Value> = (0..n)
        .map(|i| {
            let m = 3.0 / (1.0 + i as f64);
            json!({"name": format!("l{i}"), "mass": m, "com": [0.02, 0.01 * i as f64, 0.15],
                "inertia": [0.02 * m, 0.025 * m, 0.01 * m]})
        })
        .collect();
    let joints: Vec<Value> = (0..n)
        .map(|i| {
            let axis = if i % 2 == 0 { [0, 0, 1] } else { [0, 1, 0] };
            let mut joint =
                json!({"name": format!("j{i}"), "kind": "revolute", "child": format!("l{i}"), "axis": axis});
            if i > 0 {
                joint["parent"] = format!("l{}", i - 1).into();
                joint["position"] = json!([0, 0, 0.3]);
            }
            joint
        })
        .collect();
    json!({"name": "arm", "links": links, "joints": joints})
}

/// An experiment with one tree and its controllers.
pub(crate) fn with_tree(tree: Value, controllers: Value, gravity: f64, step: f64, duration: f64) -> Value {
    let mut scene = spatial(0.5, 0.0, json!([]));
    scene["gravity"] = json!([0, 0, -gravity]);
    scene["trees"] = json!([tree]);
    scene["controllers"] = controllers;
    experiment(scene, step, duration)
}
