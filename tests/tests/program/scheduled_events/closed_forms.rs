//! Effects of events, against numbers that do not come from the program.

use serde_json::{Value, json};
use vinci_tests::experiment::{for_all, set, shipped, timed};

use super::program::Bench;

fn last(bench: &Bench, name: &str) -> Vec<f64> {
    let text = bench.read(name, "trajectory.csv");
    text.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect()
}

/// Without friction for 0.5 s, with μ = 0.5 from then on: x = 0.5 v₀ + h (N v₀ − μ g h N (N + 1)/2), N = ⌊v₀/(μ g h)⌋.
#[test]
fn a_block_slides_freely_until_friction_is_set() {
    let (mu, g, h, v0) = (0.5, 9.81, 0.01, 2.0_f64);
    let n = (v0 / (mu * g * h)).floor();
    let distance = 0.5 * v0 + h * (n * v0 - mu * g * h * n * (n + 1.0) / 2.0);
    let ice = set(&shipped("sliding-block"), "/scene/materials/default/friction", 0.0);
    let events = json!([{ "at": 0.5, "set": { "scene.materials.default.friction": mu } }]);
    for_all(&set(&ice, "/events", events), |experiment, name| {
        let bench = Bench::new();
        bench.run("ice", experiment, &[]);
        let x = last(&bench, "ice")[1];
        assert!((x - distance).abs() < 1e-9, "{name}: {x} instead of {distance}");
    });
}

/// A body falls, y_n = y₀ − g h² n (n + 1)/2; gravity ends with the first grid time at which y < 0.6, and it goes on with
/// v = −g h n. A second event stops the run below 0.5.
#[test]
fn conditions_on_the_state_hold_from_their_first_grid_time_on() {
    let scene = json!({ "format": "vinci/scene@1", "space": "planar", "bodies": [
        { "name": "stone", "mass": 1.0, "position": [0, 1.0], "shapes": [{ "type": "disc", "radius": 0.1 }] } ] });
    let (g, h) = (9.81, 0.01);
    let fallen = |n: f64| 1.0 - g * h * h * n * (n + 1.0) / 2.0;
    let n = (1..).map(f64::from).find(|n| fallen(*n) < 0.6).unwrap();
    let further = (1..).map(f64::from).find(|m| fallen(n) - g * h * n * h * m < 0.5).unwrap();
    let experiment = json!({
        "format": "vinci/experiment@1", "scene": scene, "time": { "step": h, "duration": 2.0 },
        "detector": "planar", "stepper": "stewart-trinkle", "solver": "lemke",
        "events": [
            { "when": "stone.y < 0.5", "stop": "low enough" },
            { "when": "stone.y < 0.6", "set": { "scene.gravity": [0, 0] } },
        ],
    });
    let bench = Bench::new();
    let summary = bench.run("fall", &experiment, &[]);
    assert_eq!((&summary["status"], &summary["stopped"]), (&json!("completed"), &json!("low enough")));
    let time = |k: usize| summary["events"][k]["time"].as_f64().unwrap();
    assert!((time(0) - n * h).abs() < 1e-12 && (time(1) - (n + further) * h).abs() < 1e-12, "{summary}");
    let row = last(&bench, "fall");
    assert!((row[2] - (fallen(n) - g * h * n * h * further)).abs() < 1e-12, "{row:?}");
    let events = bench.read("fall", "events.csv");
    assert!(
        events.contains(",change,\"event 2: scene.gravity = [0,0] (when stone.y < 0.6)\",0.0\n"),
        "{events}"
    );
}

/// A time between grid times is the next grid time, with a warning; a time in its own order comes before a condition behind it.
#[test]
fn events_come_at_grid_times() {
    let events = json!([{ "at": 0.123, "stop": "x" }]);
    let bench = Bench::new();
    let experiment = set(&timed(&shipped("sliding-block"), 0.01, 0.5), "/events", events);
    let summary = bench.run("slide", &experiment, &[]);
    assert_eq!((&summary["time_end"], &summary["steps"]), (&json!(0.13), &json!(13)));
    let output = bench.try_run("strict", &experiment, &["--strict"]);
    assert!(super::program::text(&output).contains("0.123 s is no grid time; the event comes at 0.13 s"));
    let never: Value = set(&experiment, "/events", json!([{ "when": "block.x > 100", "stop": "far" }]));
    assert!(bench.run("never", &never, &[]).get("stopped").is_none());
}

/// A ball of radius 0.1 whose middle is 0.15 above the ground grows to 0.2: that is 0.05 too deep, and the run says so.
#[test]
fn shapes_that_grow_into_others_are_told() {
    let scene = json!({ "format": "vinci/scene@1", "space": "planar", "gravity": [0, 0], "bodies": [
        { "name": "ground", "static": true, "shapes": [{ "type": "half-plane" }] },
        { "name": "stone", "mass": 1.0, "position": [0, 0.15], "shapes": [{ "type": "disc", "radius": 0.1 }] } ] });
    let grows = |to: f64| {
        json!({
            "format": "vinci/experiment@1", "scene": scene, "time": { "step": 0.01, "duration": 0.3 },
            "detector": "planar", "stepper": "stewart-trinkle", "solver": "lemke",
            "events": [{ "at": 0.1, "set": { "scene.bodies.stone.shapes[0].radius": to } }],
            // What grows into the ground is too deep, and gets energy when it is put right: on purpose here.
            "referee": { "penetration": false, "work": false },
        })
    };
    let bench = Bench::new();
    let summary = bench.run("into", &grows(0.2), &[]);
    let told = "event 1 at t = 0.1 s: bodies `ground` and `stone` overlap by 5.000e-2 m";
    assert_eq!(summary["warnings"], json!([told]));
    assert!(bench.read("into", "report.html").contains("shapes[0].radius"));
    assert!(bench.run("beside", &grows(0.149), &[])["warnings"].is_null());
}
