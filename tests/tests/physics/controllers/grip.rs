//! A grip that measures what it does.

use serde_json::{Value, json};
use vinci_engine::pipeline::Simulation;
use vinci_tests::close;
use vinci_tests::experiment::{experiment, spatial};
use vinci_tests::run::simulation;

/// Two fingers on sliders beside a ball; only half of a joint's force is transmitted, which the loop does not know.
fn gripper(force: Value, feedback: Value) -> Value {
    let finger = |name: &str| {
        json!({"name": name, "mass": 0.2, "inertia": [1e-3, 1e-3, 1e-3],
        "shapes": [{"type": "box", "size": [0.02, 0.1, 0.1]}]})
    };
    let slider = |name: &str, child: &str, x: f64, axis: [i32; 3]| json!({"name": name, "kind": "prismatic", "child": child, "position": [x, 0, 0], "axis": axis});
    let ball = json!({"name": "ball", "mass": 0.1, "inertia": [1e-4, 1e-4, 1e-4], "shapes": [{"type": "ball", "radius": 0.05}]});
    let mut scene = spatial(0.5, 0.0, json!([ball]));
    scene["gravity"] = json!([0, 0, 0]);
    scene["trees"] = json!([{
        "name": "hand", "links": [finger("left"), finger("right")],
        "joints": [slider("a", "left", -0.07, [1, 0, 0]), slider("b", "right", 0.07, [-1, 0, 0])]
    }]);
    let mut law = json!({"type": "grip-force", "name": "grip", "tree": "hand", "joints": {"a": 0.5, "b": 0.5}, "force": force});
    if !feedback.is_null() {
        law["feedback"] = feedback;
    }
    scene["controllers"] = json!([law]);
    experiment(scene, 0.005, 1.0)
}

fn around(kp: f64, ki: f64) -> Value {
    json!({"between": [["hand/left", "ball"], ["ball", "hand/right"]], "kp": kp, "ki": ki})
}

fn step(simulation: &mut Simulation) {
    simulation.advance_to(simulation.next_grid_time()).unwrap();
}

/// Mean normal force of the two contacts in the last step.
fn squeeze(simulation: &Simulation) -> f64 {
    let last = simulation.last();
    let contacts = &last.contacts;
    (0..contacts.len()).map(|i| last.impulse[contacts.row(i)]).sum::<f64>() / (2.0 * last.h)
}

#[test]
fn without_a_loop_the_force_is_the_joints() {
    let mut simulation = simulation(&gripper(json!(8), Value::Null));
    (0..100).for_each(|_| step(&mut simulation));
    close("squeeze", squeeze(&simulation), 4.0, 1e-6);
}

#[test]
fn the_loop_reaches_the_force_that_is_set() {
    let mut simulation = simulation(&gripper(json!(8), around(0.3, 20.0)));
    (0..40).for_each(|_| step(&mut simulation));
    // From here on the grip is closed: F = S + kp (S − m) + I, m⁺ = F/2, I⁺ = I + ki h (S − m⁺).
    let state = simulation.controllers.state().to_vec();
    let (mut measured, mut integral) = (state[0], state[1]);
    for _ in 0..160 {
        step(&mut simulation);
        measured = 0.5 * (8.0 + 0.3 * (8.0 - measured) + integral);
        integral += 20.0 * 0.005 * (8.0 - measured);
        close("measured", squeeze(&simulation), measured, 1e-6);
    }
    println!("after 1 s: {} N", squeeze(&simulation));
    close("squeeze", squeeze(&simulation), 8.0, 1e-3);
}

#[test]
fn limits_hold_and_the_integral_does_not_wind_up() {
    let mut e = gripper(json!(8), around(0.0, 20.0));
    e["scene"]["controllers"][0]["limits"] = json!([0, 10]);
    let mut simulation = simulation(&e);
    (0..200).for_each(|_| step(&mut simulation));
    close("squeeze", squeeze(&simulation), 5.0, 1e-6);
    close("effort", simulation.last().controlled[6], 5.0, 1e-12);
    close("integral", simulation.controllers.state()[1], 2.0, 1e-12);
}

#[test]
fn a_restored_run_repeats_itself_to_the_bit() {
    let mut simulation = simulation(&gripper(json!({"expression": "8 + sin(20*t)"}), around(0.3, 20.0)));
    (0..60).for_each(|_| step(&mut simulation));
    let saved = simulation.snapshot();
    assert!(saved.controllers[0] > 1.0 && saved.controllers[1] != 0.0, "{:?}", saved.controllers);
    let mut first = Vec::new();
    for _ in 0..40 {
        step(&mut simulation);
        first.push((
            simulation.q().to_vec(),
            simulation.v().to_vec(),
            simulation.controllers.state().to_vec(),
        ));
    }
    simulation.restore(&saved).unwrap();
    assert_eq!(simulation.snapshot(), saved);
    for expected in &first {
        step(&mut simulation);
        let found =
            (simulation.q().to_vec(), simulation.v().to_vec(), simulation.controllers.state().to_vec());
        assert_eq!(&found, expected);
    }
}

#[test]
fn a_formula_without_a_value_names_its_controller() {
    let mut simulation = simulation(&gripper(json!({"expression": "sqrt(0.012 - t)"}), Value::Null));
    let failure = (0..10).find_map(|_| simulation.advance_to(simulation.next_grid_time()).err()).unwrap();
    assert_eq!(
        failure.to_string(),
        "controller `grip` gives NaN for its force at t = 0.015 s: its formula must be finite at all times"
    );
}
