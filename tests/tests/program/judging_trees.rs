//! `vinci judge` of trees whose joints have nothing in common but the tree: the large excuses nothing of the small.

use serde_json::{Value, json};
use vinci_tests::program::{TestDirectory, output_text, vinci};

/// A motion of two joints at a step: `[q, v]` of each by time.
struct Motion {
    joints: [&'static str; 2],
    step: f64,
    at: fn(f64) -> [[f64; 2]; 2],
}

/// Exit code of the judge for an experiment with one tree, and what is said.
fn judge(links: &Value, joints: &Value, gravity: [f64; 3], motion: &Motion) -> (i32, String) {
    let directory = TestDirectory::new();
    let (start, n) = ((motion.at)(0.0), 20);
    let [a, b] = motion.joints;
    let tree = json!({ "name": "t", "links": links, "joints": joints,
        "velocity": { a: start[0][1], b: start[1][1] } });
    let scene = json!({ "format": "vinci/scene@1", "space": "spatial", "gravity": gravity, "bodies": [], "trees": [tree] });
    let experiment = json!({ "format": "vinci/experiment@1", "scene": scene,
        "time": { "step": motion.step, "duration": motion.step * f64::from(n) },
        "detector": { "plugin": "parry" }, "stepper": { "plugin": "stewart-trinkle" } });
    std::fs::write(directory.path("e.json"), experiment.to_string()).unwrap();
    let mut table = format!("time,t.{a}.q,t.{b}.q,t.{a}.v,t.{b}.v\n");
    for k in 0..=n {
        let t = motion.step * f64::from(k);
        let [[q_a, v_a], [q_b, v_b]] = (motion.at)(t);
        table += &format!("{t:?},{q_a:?},{q_b:?},{v_a:?},{v_b:?}\n");
    }
    std::fs::write(directory.path("motion.csv"), table).unwrap();
    let output = vinci(&["judge", &directory.text("e.json"), &directory.text("motion.csv")]);
    (output.status.code().unwrap(), output_text(&output))
}

/// A cart of 20 t at 30 m/s and a mote of 1 mg in one tree; neither feels the other.
fn cart_and_mote(at: fn(f64) -> [[f64; 2]; 2]) -> (i32, String) {
    let links = json!([
        { "name": "cart", "mass": 2e4, "inertia": [2e4, 2e4, 2e4] },
        { "name": "mote", "mass": 1e-6, "inertia": [1e-10, 1e-10, 1e-10] }
    ]);
    let joints = json!([
        { "name": "x", "kind": "prismatic", "child": "cart", "axis": [1, 0, 0] },
        { "name": "z", "kind": "prismatic", "child": "mote", "axis": [0, 0, 1] }
    ]);
    judge(&links, &joints, [0.0, 0.0, -9.81], &Motion { joints: ["x", "z"], step: 1e-4, at })
}

/// Semi-implicit fall by g from rest, q = g h (k + 1) k h/2.
fn fall(g: f64, t: f64) -> [f64; 2] {
    [0.5 * g * t * (t + 1e-4), g * t]
}

#[test]
fn a_mote_beside_a_fast_cart_falls_down_and_not_up() {
    let (code, said) = cart_and_mote(|t| [[30.0 * t, 30.0], fall(-9.81, t)]);
    assert_eq!(code, 0, "{said}");
    for lie in [
        cart_and_mote(|t| [[30.0 * t, 30.0], fall(9.81, t)]),
        cart_and_mote(|t| [[30.0 * t, 30.0], fall(-9.8, t)]),
    ] {
        assert_eq!(lie.0, 1, "{}", lie.1);
        assert!(lie.1.contains("the momentum balance is off at t, velocity z"), "{}", lie.1);
    }
}

/// A slider of 1 kg that 10 N of dry friction holds, and a spindle on it that turns about the same axis.
fn slider_and_spindle(at: fn(f64) -> [[f64; 2]; 2]) -> (i32, String) {
    let links = json!([
        { "name": "slider", "mass": 1.0, "inertia": [0.01, 0.01, 0.01] },
        { "name": "spindle", "mass": 0.1, "inertia": [1e-4, 1e-4, 1e-4] }
    ]);
    let joints = json!([
        { "name": "x", "kind": "prismatic", "child": "slider", "axis": [1, 0, 0], "friction": 10.0 },
        { "name": "w", "kind": "revolute", "parent": "slider", "child": "spindle", "axis": [1, 0, 0] }
    ]);
    judge(&links, &joints, [0.0; 3], &Motion { joints: ["x", "w"], step: 1e-3, at })
}

#[test]
fn a_slider_beside_a_spindle_does_not_creep_against_dry_friction() {
    let (code, said) = slider_and_spindle(|t| [[0.0, 0.0], [2e4 * t, 2e4]]);
    assert_eq!(code, 0, "{said}");
    let (code, said) = slider_and_spindle(|t| [[1.8e-5 * t, 1.8e-5], [2e4 * t, 2e4]]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("dry friction of t.x is not obeyed"), "{said}");
}
