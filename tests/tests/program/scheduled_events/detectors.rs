//! A scene split over two detectors moves as one where a single detector knows all shapes.

use serde_json::json;
use vinci_conformance::fixture::build_stranger;
use vinci_tests::experiment::{experiment, ground, planar, set};
use vinci_tests::house;

use super::program::{Bench, text};

/// Discs on the ground and a box on them: the minimal detector knows discs and half-planes, the box is the planar one's.
#[test]
#[ignore = "long"]
fn discs_and_boxes_by_two_detectors_move_as_by_one() {
    let disc = json!([{ "type": "disc", "radius": 0.1 }]);
    let bodies = json!([
        ground("planar"),
        { "name": "a", "mass": 1, "shapes": disc, "position": [0, 0.3], "velocity": [1, 0] },
        { "name": "b", "mass": 1, "shapes": disc, "position": [0.5, 0.3], "velocity": [-1, 0] },
        { "name": "box", "mass": 1, "shapes": [{ "type": "box", "size": [0.2, 0.1] }], "position": [0.2, 0.6], "angle": 0.2 },
    ]);
    let one = experiment(planar(0.3, 0.2, bodies), 0.005, 1.5);
    let library = build_stranger(&house::root().join("sdk/examples/minimal-detector/Cargo.toml")).unwrap();
    // A path in an experiment alone loads nothing.
    let allowed = ["--allow-plugin", library.to_str().unwrap()];
    let alone = json!({ "plugin": library });
    let both = json!({ "plugin": library, "others": ["planar"] });
    let bench = Bench::new();
    bench.run("one", &one, &[]);
    let summary = bench.run("two", &set(&one, "/detector", both), &allowed);
    assert_eq!(summary["other_detectors"][0]["id"], "vinci.detector.planar");
    let numbers = |name| -> Vec<f64> {
        let text = bench.read(name, "trajectory.csv");
        text.lines().skip(1).flat_map(|row| row.split(',').map(|x| x.parse().unwrap())).collect()
    };
    let (one_way, other_way): (Vec<f64>, Vec<f64>) = (numbers("one"), numbers("two"));
    assert_eq!(one_way.len(), other_way.len());
    let apart = one_way.iter().zip(&other_way).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
    assert!(apart < 1e-9, "{apart:e} apart");
    let refused = bench.try_run("alone", &set(&one, "/detector", alone), &allowed);
    assert_eq!(refused.status.code(), Some(3));
    assert!(text(&refused).contains("does not know shapes of kind"), "{}", text(&refused));
}
