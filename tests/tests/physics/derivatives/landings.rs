//! Contacts and joint limits that close within a step: derivatives of what follows are those of a tread, and that is told.

use serde_json::{Value, json};
use vinci_fit::{DerivativeMethod, Sensitivity};
use vinci_tests::close;
use vinci_tests::experiment::{experiment, ground, planar, shipped, spatial, with};

use super::runs::try_of;

const G: f64 = 9.81;

/// A ball that drops from a height of its lowest point, bounces, and is looked at after this time.
fn dropped(height: f64, duration: f64) -> Value {
    let ball = json!({"name": "ball", "mass": 1, "position": [0, 0.1 + height], "shapes": [{"type": "disc", "radius": 0.1}]});
    let mut scene = planar(0.3, 0.7, json!([ground("planar"), ball]));
    scene["gravity"] = json!([0, -G]);
    experiment(scene, 0.01, duration)
}

fn by_height(e: &Value, way: DerivativeMethod) -> Sensitivity {
    try_of(e, &["ball.y"], &["scene.bodies.ball.position.1"], way, 1 << 28)
        .unwrap_or_else(|found| panic!("{found}"))
}

/// y = e v (T − t) − g (T − t)²/2 with v² = 2 g H, t = v/g.
fn closed_form(height: f64, duration: f64) -> f64 {
    let (e, v) = (0.7, (2.0 * G * height).sqrt());
    let left = duration - v / G;
    e * G / v * left + (G * left - e * v) / v
}

#[test]
fn a_bounce_within_a_step_is_told_whatever_the_numbers_are() {
    for height in [0.35, 0.36, 0.37, 0.389] {
        for way in [DerivativeMethod::Auto, DerivativeMethod::Backwards] {
            let found = by_height(&dropped(height, 0.5), way);
            let landing = found.landing.clone().expect("it lands within a step");
            let t = (2.0 * height / G).sqrt();
            assert!((landing.t - t).abs() < 0.02, "{landing:?} {t}");
            assert_eq!(landing.what, "`ground` and `ball` meet");
            let told = found.warnings().to_string();
            assert!(told.contains("`ground` and `ball` meet within the step that ends at t ="), "{told}");
        }
    }
    // A measure that looks at what was before says nothing of it.
    let e = dropped(0.37, 0.5);
    let before =
        try_of(&e, &["ball.y@0.2"], &["scene.bodies.ball.position.1"], DerivativeMethod::Auto, 1 << 28)
            .unwrap();
    assert_eq!(before.landing, None);
    close("before", before.derivatives[0][0].value, 1.0, 1e-9);
}

/// Located within the step the run is smooth under a stepper of second order, and has the derivative of the closed form.
#[test]
fn a_located_bounce_has_the_derivative_of_the_closed_form() {
    for height in [0.35, 0.389] {
        let mut e = with(&dropped(height, 0.5), "trapezoidal", "lemke");
        assert!(by_height(&e, DerivativeMethod::Auto).landing.is_some(), "on the grid it overlaps first");
        e["time"]["events"] = json!("backup");
        let found = by_height(&e, DerivativeMethod::Auto);
        assert_eq!(found.landing, None);
        close("located", found.derivatives[0][0].value, closed_form(height, 0.5), 1e-4);
        // Under steppers of first order it is another one, and that is told: they arrive with a velocity that is constant between grid times.
        for (stepper, events) in
            [("stewart-trinkle", "predict"), ("stewart-trinkle", "backup"), ("anitescu-potra", "backup")]
        {
            e["stepper"] = json!({ "plugin": stepper });
            e["time"]["events"] = json!(events);
            let found = by_height(&e, DerivativeMethod::Auto);
            assert!(found.landing.is_some(), "{stepper} {events}: {:?}", found.derivatives);
        }
    }
}

#[test]
fn contacts_with_a_stiffness_and_contacts_that_stay_do_not_land() {
    let mut soft = with(&dropped(0.37, 0.5), "tamsi", "newton-tals");
    soft["scene"]["materials"]["default"] = json!({"friction": 0.3, "stiffness": 1e4, "dissipation": 0.1});
    soft["time"]["step"] = json!(1e-3);
    assert_eq!(by_height(&soft, DerivativeMethod::Auto).landing, None);
    let by = ["scene.materials.default.friction"];
    let slides =
        try_of(&shipped("sliding-block"), &["block.x"], &by, DerivativeMethod::Auto, 1 << 28).unwrap();
    assert_eq!(slides.landing, None);
    let rolls = try_of(&shipped("slide-to-roll"), &["disc.x"], &by, DerivativeMethod::Auto, 1 << 28).unwrap();
    assert_eq!(rolls.landing, None);
}

/// A part falls onto the ground while a motor turns elsewhere at 3000 rpm: 1 m/s beside 314 rad/s was no landing, and the height after the bounce
/// had 1.0 by the first height, where the closed form has −0.27.
#[test]
fn what_turns_fast_elsewhere_hides_no_landing() {
    let part = json!({"name": "part", "mass": 0.05, "position": [0, 0.014], "shapes": [{"type": "disc", "radius": 0.01}]});
    let motor = json!({"name": "motor", "mass": 1, "position": [1, 1], "gravity": false, "angular_velocity": 1e4,
        "shapes": [{"type": "disc", "radius": 0.05}]});
    let e = experiment(planar(0.2, 0.5, json!([ground("planar"), part, motor])), 0.001, 0.06);
    let by = ["scene.bodies.part.position.1"];
    for (stepper, way) in [
        ("stewart-trinkle", DerivativeMethod::Auto),
        ("stewart-trinkle", DerivativeMethod::Backwards),
        ("anitescu-potra", DerivativeMethod::Backwards),
    ] {
        let found = try_of(&with(&e, stepper, "lemke"), &["part.y"], &by, way, 1 << 28).unwrap();
        let landing = found.landing.expect("it lands");
        assert_eq!(landing.what, "`ground` and `part` meet");
    }
}

/// Under Anitescu's relaxation what slides or rolls hops as it begins: no landing. What drops from a height while it slides is one.
#[test]
fn hops_of_the_relaxation_are_no_landings() {
    let found = |shape: Value, height: f64, fall: f64, of: &str| {
        let part = json!({"name": "part", "mass": 1, "position": [0, height], "velocity": [1, -fall], "shapes": [shape]});
        let scene = planar(0.3, 0.0, json!([ground("planar"), part]));
        let e = with(&experiment(scene, 0.01, 0.3), "anitescu-qp", "clarabel");
        let by = ["scene.materials.default.friction"];
        try_of(&e, &[of], &by, DerivativeMethod::Auto, 1 << 28).unwrap().landing
    };
    let [block, disc] = [json!({"type": "box", "size": [0.2, 0.1]}), json!({"type": "disc", "radius": 0.1})];
    assert_eq!(found(block.clone(), 0.05, 0.0, "part.x"), None);
    assert_eq!(found(disc.clone(), 0.1, 0.0, "part.x"), None);
    for shape in [block, disc] {
        let landing = found(shape, 0.2, 1.0, "part.x").expect("it lands");
        assert_eq!(landing.what, "`ground` and `part` meet");
    }
}

/// An arm falls onto the limit of its joint: the derivative by its start was 0 ± 0.
#[test]
fn a_joint_that_comes_to_its_limit_is_told() {
    let mut scene = spatial(0.3, 0.0, json!([]));
    scene["trees"] = json!([{"name": "a",
        "links": [{"name": "u", "mass": 1.0, "com": [0, 0, -0.15], "inertia": [0.01, 0.01, 0.002]}],
        "joints": [{"name": "j", "kind": "revolute", "child": "u", "axis": [0, 1, 0], "limits": {"lower": -0.2, "upper": 1.0}}],
        "start": {"j": 0.5}}]);
    let found = |duration: f64| {
        let e = experiment(scene.clone(), 0.005, duration);
        try_of(&e, &["a.j.q"], &["scene.trees.a.start.j"], DerivativeMethod::Auto, 1 << 28).unwrap()
    };
    assert_eq!(found(0.1).landing, None);
    let landing = found(0.5).landing.expect("it comes to its limit");
    assert_eq!(landing.what, "joint `j` comes to its limit");
}

/// A ball at rest whose radius would lift it: a contact that counts as closed up to 1e-6 m does not open over the displacements of a difference, and
/// backwards nothing else looks. Friction lifts nothing.
#[test]
fn backwards_it_is_told_that_a_resting_contact_stays_closed() {
    let ball = json!({"name": "ball", "mass": 1, "position": [0, 0.1], "velocity": [1, 0], "shapes": [{"type": "disc", "radius": 0.1}]});
    let e = experiment(planar(0.3, 0.0, json!([ground("planar"), ball])), 0.005, 0.2);
    let e = with(&e, "anitescu-potra", "lemke");
    let by = |by: &str| try_of(&e, &["ball.x"], &[by], DerivativeMethod::Backwards, 1 << 28).unwrap();
    let (radius, friction) = ("scene.bodies.ball.shapes.0.radius", "scene.materials.default.friction");
    assert_eq!(by(radius).held.as_deref(), Some(radius));
    let told = by(radius).warnings().to_string();
    assert!(told.contains("--reverse has derivatives of contacts that stay closed"), "{told}");
    assert_eq!(by(friction).held, None);
}
