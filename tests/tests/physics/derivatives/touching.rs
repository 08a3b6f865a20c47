//! Contacts that just touch, and contacts that share a load in many ways: derivatives there are told as what they are.

use serde_json::{Value, json};
use vinci_fit::DerivativeMethod;
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, spatial, with};

use super::runs::{of, try_of};

/// A disc on a spring that is drawn towards another, which it just touches.
fn discs() -> Value {
    let command = json!({"keyframes": [[0, 0.0], [1, 0.3]]});
    let drive =
        json!({"x": {"impedance": {"stiffness": 500, "command": command}}, "y": "locked", "angle": "locked"});
    let disc = json!([{"type": "disc", "radius": 0.1}]);
    let bodies = json!([
        {"name": "pusher", "mass": 0.1, "shapes": disc, "position": [0, 0], "dofs": drive},
        {"name": "object", "mass": 1, "shapes": disc, "position": [0.17320508, 0.1]}
    ]);
    let mut scene = planar(0.3, 0.0, bodies);
    scene["gravity"] = json!([0, 0]);
    json!({
        "format": "vinci/experiment@1", "scene": scene, "time": {"step": 0.02, "duration": 0.02},
        "detector": {"plugin": "vinci.detector.planar"},
        "stepper": {"plugin": "vinci.stepper.anitescu-qp", "options": {"motion": "quasi-dynamic"}},
        "solver": {"plugin": "vinci.solver.active-set"}
    })
}

/// One side presses and the other opens: the mean of both slopes was given as the derivative, without a warning.
#[test]
fn discs_that_just_touch_have_two_slopes() {
    let (measure, by) = ("object.x", "scene.bodies.object.position.0");
    let found = of(&discs(), measure, by, DerivativeMethod::Auto);
    let [Some(below), Some(above)] = found.sides else { panic!("{found:?}") };
    assert!(found.kink.is_some() && below - above > 0.5, "{found:?}");
    for way in [DerivativeMethod::Exact, DerivativeMethod::Backwards] {
        let refused = try_of(&discs(), &[measure], &[by], way, 1 << 28).unwrap_err();
        assert!(refused.contains("two modes hold at once in a step"), "{refused}");
    }
}

/// A box that slides and turns on four corners: the friction depends on how they share the load, which nothing determines. Its derivative
/// step by step was that of one share, 9 % off.
#[test]
fn a_load_that_is_shared_in_many_ways_has_no_chain() {
    let mut e = shipped("box-on-plane-3d");
    e["time"]["duration"] = json!(0.1);
    e["solver"] = json!({"plugin": "vinci.solver.nsgs"});
    let (measure, by) = ("box.wz", "scene.materials.default.friction");
    let refused = try_of(&e, &[measure], &[by], DerivativeMethod::Exact, 1 << 28).unwrap_err();
    assert!(refused.contains("the contacts may share their forces in many ways"), "{refused}");
    let [auto, whole] =
        [DerivativeMethod::Auto, DerivativeMethod::Differences].map(|way| of(&e, measure, by, way));
    assert_eq!(auto.value, whole.value);
    assert!(!auto.implicit && auto.value < -1.5, "{auto:?}");
}

/// A block that creeps beside a fan: the fan's speed is the typical one of the problem, and the creep was taken for none.
#[test]
fn a_fan_that_spins_elsewhere_changes_no_derivative() {
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "ball", "radius": 0.05}], "position": [0, 0, 0.05],
        "velocity": [1e-4, 0, 0], "dofs": {"rx": "locked", "ry": "locked", "rz": "locked"}});
    let fan = json!({"name": "fan", "mass": 1, "shapes": [{"type": "ball", "radius": 0.05}], "position": [1, 0, 1],
        "angular_velocity": [0, 0, 300]});
    let mut scene = spatial(0.3, 0.0, json!([ground("spatial"), block, fan]));
    // What pulls along holds the speed against μ m g.
    scene["gravity"] = json!([2.943, 0, -9.81]);
    let e = experiment(scene, 0.002, 0.02);
    let e = set(&with(&e, "stewart-trinkle", "nsgs"), "/stepper/options", json!({ "friction": "cone" }));
    let e = set(&e, "/tolerance", 1e-12);
    let by = "scene.gravity.1";
    let whole = of(&e, "block.y", by, DerivativeMethod::Differences);
    let found = of(&e, "block.y", by, DerivativeMethod::Backwards);
    assert!(whole.value.abs() > 1e-8 && found.implicit, "{found:?} {whole:?}");
    close("by g", found.value / whole.value, 1.0, 1e-5);
}

/// As above on polygons, whose rows had typical sizes too: no step was said to read a parameter that whole runs depend on.
#[test]
fn a_fan_that_spins_elsewhere_changes_no_derivative_of_polygons() {
    let disc = json!([{"type": "disc", "radius": 0.05}]);
    let block = json!({"name": "block", "mass": 1, "shapes": disc, "position": [0, 0.05], "velocity": [1e-4, 0],
        "dofs": {"angle": "locked"}});
    let fan = json!({"name": "fan", "mass": 1, "shapes": disc, "position": [1, 1], "angular_velocity": 300});
    let mut scene = planar(0.3, 0.0, json!([ground("planar"), block, fan]));
    scene["gravity"] = json!([2.943, -9.81]);
    let e = with(&experiment(scene, 0.002, 0.02), "stewart-trinkle", "lemke");
    for by in ["scene.gravity.0", "scene.materials.default.friction"] {
        let whole = of(&e, "block.x", by, DerivativeMethod::Differences);
        let found = of(&e, "block.x", by, DerivativeMethod::Backwards);
        assert!(whole.value.abs() > 1e-5 && found.implicit, "{found:?} {whole:?}");
        close(by, found.value / whole.value, 1.0, 1e-5);
    }
}
