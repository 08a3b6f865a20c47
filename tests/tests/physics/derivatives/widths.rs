//! Differences of parameters find their own width, and corners of the data of a model are told.

use serde_json::{Value, json};
use vinci_fit::DerivativeMethod;
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, set, with};

use super::runs::{of, try_of};

const FORTH_AND_BACK: [DerivativeMethod; 2] = [DerivativeMethod::Exact, DerivativeMethod::Backwards];

/// A body without contacts that a force draws along x.
fn drawn(force: Value, x: f64, time: f64) -> Value {
    let body = json!({"name": "p", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}], "position": [x, 5],
        "dofs": {"y": "locked", "angle": "locked", "x": {"force": force}}});
    with(&experiment(planar(0.3, 0.0, json!([body])), 0.01, time), "stewart-trinkle", "lemke")
}

/// A peak of force of 13 and 33 ms, five seconds after the start: over 1e-4 of its time it is another one, and the derivative was off by a fifth.
#[test]
fn a_short_peak_late_in_a_run_by_its_time() {
    let (a, b, c, h) = (5.0, 5.013, 5.046, 0.01);
    let e = drawn(json!({"keyframes": [[0, 0], [a, 0], [b, 100], [c, 0]]}), 0.3, 5.2);
    // Σ h ∂f/∂b over the grid times of the peak, f = 100 (t − a)/(b − a) up to b and 100 (c − t)/(c − b) from there on.
    let slope = |k: f64| {
        let t = a + h * k;
        if t < b { -100.0 * (t - a) / (b - a).powi(2) } else { 100.0 * (c - t) / (c - b).powi(2) }
    };
    let exact: f64 = (1..5).map(|k| h * slope(f64::from(k))).sum();
    for method in FORTH_AND_BACK {
        let found = of(&e, "p.vx", "scene.bodies.p.dofs.x.force.keyframes.2.0", method);
        assert!(found.implicit);
        close("by the time of the peak", found.value / exact, 1.0, 1e-5);
    }
}

/// A force that is next to nothing beside what else acts was differenced over a part of itself, and moved nothing: 0 ± 0 was told.
#[test]
fn a_force_of_a_nanonewton_moves_as_others_do() {
    let found = |force: f64| {
        let body = json!({"name": "p", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.1],
            "velocity": [2, 0], "dofs": {"angle": "locked", "x": {"force": force}}});
        let e = experiment(planar(0.3, 0.0, json!([ground("planar"), body])), 0.01, 0.3);
        of(
            &with(&e, "stewart-trinkle", "lemke"),
            "p.x",
            "scene.bodies.p.dofs.x.force",
            DerivativeMethod::Exact,
        )
    };
    // h² n (n + 1)/2m.
    for force in [1.0, 1e-6, 1e-9, 1e-11] {
        close("by the force", found(force).value / (1e-4 * 30.0 * 31.0 / 2.0), 1.0, 1e-5);
    }
}

/// A spring whose anchor is 10 m from the origin, and the same at the origin: a part of the place is as long as the spring.
#[test]
fn an_anchor_far_away_is_as_one_close_by() {
    let by = |shift: f64| {
        let body =
            json!([{"name": "p", "mass": 1, "inertia": 1, "shapes": [], "position": [shift - 0.12, 0.05]}]);
        let mut scene = planar(0.0, 0.0, body);
        scene["gravity"] = json!([0, 0]);
        scene["springs"] = json!([{"name": "s", "bodies": ["p", null], "anchors": [[0, 0], [shift, 0]], "stiffness": 40,
            "rest_length": 0.1}]);
        let e = with(&experiment(scene, 0.005, 0.3), "stewart-trinkle", "lemke");
        of(&e, "p.x", "scene.springs.0.anchors.1.0", DerivativeMethod::Exact).value
    };
    close("10 m away", by(10.0) / by(0.0), 1.0, 1e-5);
}

/// Laws with corners where the experiment stands: two equal frictions of which the less counts, two equal restitutions of which the larger does,
/// a knot on a grid time, the size of a place at 0. The mean of both sides was told without a word.
#[test]
fn corners_of_the_data_are_kinks() {
    let body = |velocity: Value, dofs: Value| {
        json!({"name": "p", "mass": 1, "material": "other", "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.1],
            "velocity": velocity, "dofs": dofs})
    };
    let on_ground = |body: Value, combination: Value| {
        let mut scene = planar(0.3, 0.5, json!([ground("planar"), body]));
        scene["materials"]["other"] = json!({"friction": 0.3, "restitution": 0.5});
        scene["combination"] = combination;
        with(&experiment(scene, 0.01, 0.3), "stewart-trinkle", "lemke")
    };
    let sliding = on_ground(body(json!([2, 0]), json!({"angle": "locked"})), json!({"friction": "min"}));
    let falling = set(
        &on_ground(body(json!([0, -1]), json!({})), json!({})),
        "/scene/bodies/1/position",
        json!([0, 0.2]),
    );
    let knot = drawn(json!({"keyframes": [[0, 4], [0.1, 8], [0.3, 2]]}), 0.3, 0.4);
    let size = drawn(json!({"expression": "3*abs(x)"}), 0.0, 0.4);
    let cases = [
        (sliding, "p.x", "scene.materials.other.friction"),
        (falling, "p.y", "scene.materials.other.restitution"),
        (knot, "p.x", "scene.bodies.p.dofs.x.force.keyframes.1.0"),
        (size, "p.x", "scene.bodies.p.position.0"),
    ];
    for (e, measure, by) in cases {
        let found = of(&e, measure, by, DerivativeMethod::Auto);
        assert!(found.kink.is_some(), "{by}: {found:?}");
        for method in FORTH_AND_BACK {
            let refused = try_of(&e, &[measure], &[by], method, 1 << 28).unwrap_err().to_string();
            assert!(refused.contains("two modes hold at once"), "{by}: {refused}");
        }
    }
}

/// A block of a gram that rubs on one of a ton: what it moves of the other is 1e-6 of what it moves itself, and drowned in that.
#[test]
fn a_light_body_moves_a_heavy_one_by_as_much_as_it_should() {
    let block = |name: &str, mass: f64, y: f64, v: f64| {
        json!({"name": name, "mass": mass, "shapes": [{"type": "box", "size": [0.4, 0.1]}], "position": [0, y], "velocity": [v, 0],
            "dofs": {"angle": "locked"}})
    };
    let mut scene = planar(
        0.0,
        0.0,
        json!([ground("planar"), block("low", 1e3, 0.05, 0.0), block("top", 1e-3, 0.15, 1.0)]),
    );
    scene["pairs"] = json!([{"bodies": ["low", "top"], "friction": 0.2}]);
    let (h, n) = (0.005, 20);
    let e = with(&experiment(scene, h, h * f64::from(n)), "stewart-trinkle", "lemke");
    // v_low = n h μ m g/M.
    let exact = h * h * f64::from(n * (n + 1)) / 2.0 * 9.81e-6;
    for method in FORTH_AND_BACK {
        let found = of(&e, "low.x", "scene.pairs.0.friction", method);
        close("by the friction on top", found.value / exact, 1.0, 1e-5);
    }
}

/// A body far from the origin has no derivatives step by step, and says why.
#[test]
fn bodies_far_from_the_origin_are_refused() {
    let e = drawn(json!(1.0), 200.0, 0.1);
    let refused =
        try_of(&e, &["p.x"], &["scene.bodies.p.mass"], DerivativeMethod::Exact, 1 << 28).unwrap_err();
    assert!(refused.to_string().contains("a body is more than 100 m from the origin"), "{refused}");
}
