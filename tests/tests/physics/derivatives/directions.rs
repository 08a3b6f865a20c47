//! Gradients that were computed backwards, against whole runs along one direction: kinks, stops and jumps that no step shows.

use serde_json::{Value, json};
use vinci_fit::{DerivativeMethod, DirectionCheck, Sensitivity};
use vinci_tests::experiment::{experiment, ground, planar, shipped, timed, with};

use super::runs::try_of;

fn backwards(e: &Value, of: &[&str], by: &[&str]) -> Sensitivity {
    try_of(e, of, by, DerivativeMethod::Backwards, 1 << 28).unwrap_or_else(|found| panic!("{found}"))
}

fn is_other(along: &DirectionCheck) -> bool {
    matches!(along, DirectionCheck::Other { .. })
}

/// A block that is pushed with exactly μ m g: it slips on one side of every parameter, and sticks on the other. Backwards it had 0 ± 0, and no
/// warning: all readings of its ties give that. Beside a block that slides, too.
#[test]
fn a_block_about_to_slip_is_told_backwards() {
    let locked = json!({"angle": "locked", "x": {"force": {"keyframes": [[0, 5.0]]}}});
    let block = json!({"name": "block", "mass": 1, "position": [0, 0.1], "dofs": locked,
        "shapes": [{"type": "disc", "radius": 0.1}]});
    let free = json!({"name": "free", "mass": 1, "position": [3, 0.1], "velocity": [2, 0], "dofs": {"angle": "locked"},
        "shapes": [{"type": "disc", "radius": 0.1}]});
    let mut scene = planar(0.5, 0.0, json!([ground("planar"), block, free]));
    scene["gravity"] = json!([0, -10]);
    let by = [
        "scene.materials.default.friction",
        "scene.bodies.block.mass",
        "scene.bodies.block.dofs.x.force.keyframes.0.1",
    ];
    for (stepper, solver) in
        [("stewart-trinkle", "lemke"), ("anitescu-potra", "lemke"), ("trapezoidal", "lemke")]
    {
        let e = with(&experiment(scene.clone(), 0.01, 0.3), stepper, solver);
        for by in by {
            let found = backwards(&e, &["block.x", "free.x"], &[by]);
            assert!(is_other(&found.along[0]), "{stepper} {by}: {:?}", found.along);
            let told = found.warnings().to_string();
            assert!(told.contains("`block.x` along one direction of all parameters"), "{told}");
            assert!(told.contains("Leave out --reverse"), "{told}");
        }
        let found = backwards(&e, &["block.x", "free.x"], &by);
        assert!(is_other(&found.along[0]) && found.along[1] == DirectionCheck::Same, "{:?}", found.along);
        assert!(found.runs < 30, "{} runs for all parameters", found.runs);
    }
}

/// A slider on a stiff spring reverses its slip on grid times: its run is a staircase in stiffness and mass, whose treads have a quarter of the
/// derivative.
#[test]
fn reversals_on_grid_times_are_told_backwards() {
    let e = timed(&shipped("stiff-spring-slider"), 0.0005, 0.1);
    let by = ["scene.springs.spring.stiffness", "scene.bodies.slider.mass"];
    let found = backwards(&e, &["slider.x"], &by);
    assert!(is_other(&found.along[0]), "{:?}", found.along);
}

/// The cell of a patch lays out a run that no step shows it in: derivative 0, and a jump.
#[test]
fn the_cell_of_a_patch_is_told_backwards() {
    let mut e = timed(&shipped("micro-slip-square"), 0.02, 0.1);
    e["scene"]["bodies"][1]["dofs"]["x"] = json!({"force": {"keyframes": [[0, 0], [1, 400]]}});
    let found = backwards(&e, &["cube.x"], &["scene.patches.0.cell"]);
    assert!(is_other(&found.along[0]), "{:?}", found.along);
}

/// What is smooth over a hundredth of its parameters is told to be so, with two runs more for all of them.
#[test]
fn smooth_runs_are_borne_out() {
    let e = timed(&shipped("sliding-block"), 0.01, 0.2);
    let by = ["scene.materials.default.friction", "scene.bodies.block.velocity.0"];
    let one = backwards(&e, &["block.x"], &by[..1]);
    let two = backwards(&e, &["block.x"], &by);
    assert_eq!([&one.along[..], &two.along[..]], [&[DirectionCheck::Same]; 2]);
    assert_eq!([one.runs, two.runs], [4, 4], "two readings, and two runs along a direction");
}
