//! Runs of steps that hand on more than positions and velocities: deformations of layers, bases of friction pyramids in space.

use serde_json::{Value, json};
use vinci_fit::DerivativeMethod;
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, set, shipped, spatial, timed, with};

use super::runs::{of, try_of};

/// A ball in a visco-elastic ground: p = h K δ⁺ + C (δ⁺ − δ), δ⁺ = −(ψ + h v⁺), m (v⁺ − v) = p, differentiated by hand.
#[test]
fn a_layer_by_its_stiffness_and_damping() {
    let (k, c, m, h, n) = (1e4_f64, 50.0, 1.0, 1e-3, 20);
    let ball = json!({"name": "ball", "mass": m, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.0999], "velocity": [0, -1]});
    let mut scene = planar(0.0, 0.0, json!([ground("planar"), ball]));
    scene["gravity"] = json!([0, 0]);
    scene["pairs"] = json!([{"bodies": ["ground", "ball"], "stiffness": k, "damping": c}]);
    let e = with(&experiment(scene, h, h * f64::from(n)), "song-pang-kumar", "lemke");
    let e = set(&e, "/stepper/options", json!({ "kappa": null }));
    // (δ, v) and their derivatives by K and by C: (m + h² K + h C) v⁺ = m v + h K δ.
    let (mut delta, mut v, mut by_k, mut by_c) = (1e-4, -1.0, [0.0; 2], [0.0; 2]);
    for _ in 0..n {
        let a = m + h * (h * k + c);
        let next = (m * v + h * k * delta) / a;
        let end = delta - h * next;
        let with = |[d_delta, dv]: [f64; 2], force: f64| {
            let d_next = (m * dv + h * k * d_delta + force) / a;
            [d_delta - h * d_next, d_next]
        };
        by_k = with(by_k, h * (delta - h * next));
        by_c = with(by_c, -h * next);
        (delta, v) = (end, next);
    }
    for method in [DerivativeMethod::Exact, DerivativeMethod::Backwards, DerivativeMethod::Differences] {
        let by = |measure: &str, what: &str| of(&e, measure, &format!("scene.pairs.0.{what}"), method).value;
        close("y by K", by("ball.y", "stiffness") / by_k[0], -1.0, 1e-6);
        close("v by K", by("ball.vy", "stiffness") / by_k[1], 1.0, 1e-6);
        close("y by C", by("ball.y", "damping") / by_c[0], -1.0, 1e-6);
        close("v by C", by("ball.vy", "damping") / by_c[1], 1.0, 1e-6);
    }
}

/// A ball that falls onto a fixed ball and rolls off: its contact's normal turns.
fn over_a_hill(stepper: &str, solver: &str, options: &Value) -> Value {
    let hill = json!({"name": "hill", "static": true, "shapes": [{"type": "ball", "radius": 0.5}]});
    let ball = json!({"name": "ball", "mass": 1, "shapes": [{"type": "ball", "radius": 0.1}], "position": [0.12, 0.05, 0.588],
        "velocity": [0.3, 0.5, 0], "angular_velocity": [1, 2, 3]});
    let mut scene = spatial(0.4, 0.0, json!([hill, ball]));
    scene["materials"]["default"]["stiffness"] = json!(2e4);
    scene["materials"]["default"]["damping"] = json!(if stepper == "song-pang-kumar" { 20.0 } else { 0.0 });
    let e = with(&experiment(scene, 0.005, 0.2), stepper, solver);
    set(&set(&e, "/stepper/options", options.clone()), "/tolerance", 1e-12)
}

#[track_caller]
fn all_methods_agree(e: &Value, tolerance: f64) {
    let by = [
        "scene.materials.default.friction",
        "scene.bodies.ball.velocity.0",
        "scene.bodies.ball.angular_velocity.1",
    ];
    let find = |method| try_of(e, &["ball.x", "ball.wz"], &by, method, 1 << 28).unwrap();
    let whole = find(DerivativeMethod::Differences);
    for method in [DerivativeMethod::Exact, DerivativeMethod::Backwards] {
        let found = find(method);
        for (m, (found, whole)) in found.derivatives.iter().zip(&whole.derivatives).enumerate() {
            for (k, (a, b)) in found.iter().zip(whole).enumerate() {
                let apart = (a.value - b.value).abs();
                assert!(apart <= tolerance * b.value.abs(), "{method:?}, {} of {m}: {a:?} {b:?}", by[k]);
            }
        }
    }
}

/// Under pyramids in space the directions of friction turn with their contact, from step to step.
#[test]
fn directions_of_pyramids_turn_with_a_rolling_ball() {
    all_methods_agree(&over_a_hill("stewart-trinkle", "lemke", &json!({ "friction_directions": 6 })), 3e-6);
    all_methods_agree(&over_a_hill("song-pang-kumar", "lemke", &json!({ "kappa": null })), 3e-6);
}

#[test]
fn layers_on_cones_and_forces_at_the_end_of_the_step() {
    all_methods_agree(
        &over_a_hill("song-pang-kumar", "nsgs", &json!({ "kappa": null, "friction": "cone" })),
        1e-5,
    );
    all_methods_agree(&over_a_hill("tamsi", "newton-tals", &json!({ "forces": "end" })), 1e-5);
}

/// A ball spins in a bed of springs, some eighty nodes of which slip one after the other.
#[test]
fn nodes_of_a_patch_slip_one_by_one() {
    let e = timed(&shipped("ball-spin-patch"), 0.005, 0.05);
    for by in ["scene.materials.default.friction", "scene.patches.0.stiffness"] {
        let [exact, whole] = [DerivativeMethod::Exact, DerivativeMethod::Differences]
            .map(|method| of(&e, "ball.wz", by, method).value);
        close(by, exact / whole, 1.0, 1e-6);
    }
}

/// A box that comes down tilted on a visco-elastic ground and slides: nodes of its edge, by the stiffness of the pair and by matrices.
#[test]
fn nodes_of_an_edge_and_given_matrices() {
    let block = json!({"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.2, 0.1]}], "position": [0, 0.0505],
        "angle": 0.004, "velocity": [0.3, -0.1]});
    let mut scene = planar(0.3, 0.0, json!([ground("planar"), block]));
    let k = json!([[1e4, 0, 3e3, 0], [0, 8e3, 0, 2e3], [3e3, 0, 1e4, 0], [0, 2e3, 0, 8e3]]);
    let c = json!([[20, 0, 4, 0], [0, 15, 0, 0], [4, 0, 20, 0], [0, 0, 0, 15]]);
    scene["pairs"] = json!([{"bodies": ["ground", "block"], "stiffness": 2e4, "damping": 0}]);
    let e = with(&experiment(scene, 1e-3, 0.03), "song-pang-kumar", "lemke");
    let e = set(&e, "/detector/margin", 0.02);
    let matrices = json!({"nodes": 2, "K": k, "C": c});
    let cases = [
        (json!({"nodes": 2}), "scene.pairs.0.stiffness"),
        (json!({"nodes": 5, "coupling": 0.4}), "stepper.options.coupling"),
        (matrices.clone(), "stepper.options.K.0.0"),
        (matrices, "stepper.options.C.2.2"),
    ];
    for (options, own) in cases {
        let e = set(&set(&e, "/stepper/options", options), "/stepper/options/kappa", Value::Null);
        for by in ["scene.materials.default.friction", "scene.bodies.block.mass", own] {
            let find = |method| try_of(&e, &["block.angle", "block.vx"], &[by], method, 1 << 28).unwrap();
            let whole = find(DerivativeMethod::Differences);
            for method in [DerivativeMethod::Exact, DerivativeMethod::Backwards] {
                let found = find(method);
                for (a, b) in found.derivatives.iter().zip(&whole.derivatives) {
                    let (a, b) = (&a[0], &b[0]);
                    let apart = (a.value - b.value).abs();
                    assert!(apart <= 1e-4 * b.value.abs() && b.value != 0.0, "{by}, {method:?}: {a:?} {b:?}");
                }
            }
        }
    }
}

/// Nodes over an elastic half-space, each of which gives way under the forces on all.
#[test]
fn nodes_over_a_half_space() {
    let e = timed(&shipped("ball-spin-patch"), 0.005, 0.03);
    let e = set(&e, "/stepper/options/half_space", 1e7);
    for by in ["stepper.options.half_space", "scene.bodies.ball.mass"] {
        let [exact, whole] = [DerivativeMethod::Exact, DerivativeMethod::Differences]
            .map(|method| of(&e, "ball.wz", by, method).value);
        close(by, exact / whole, 1.0, 1e-5);
    }
}
