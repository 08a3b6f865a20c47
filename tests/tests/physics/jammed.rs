//! A peg that wedges in a hole: rounding of its place asks for no motion, a real overlap does, and the failure says so.

use serde_json::{Value, json};
use vinci_engine::pipeline::StepFailure;
use vinci_tests::experiment::{experiment, set};
use vinci_tests::run::{run, try_run};

/// A massless peg, dragged as through honey, pushed into a hole between x = ±`half` and turned: two-point contact under
/// friction, 0.6 > depth over width, so no push can move it.
fn peg(half: f64, options: Value) -> Value {
    let jaw = |side: f64| {
        let (inner, outer) = (side * half, side * 0.4);
        let (left, right) = if side < 0.0 { (outer, inner) } else { (inner, outer) };
        json!({"type": "polygon", "vertices": [[left, -0.4], [right, -0.4], [right, 0], [left, 0]]})
    };
    let scene = json!({
        "format": "vinci/scene@1", "space": "planar", "gravity": [0, 0], "materials": {"default": {"friction": 0.6}},
        "bodies": [
            {"name": "hole", "static": true, "shapes": [jaw(-1.0), jaw(1.0)]},
            {"name": "peg", "mass": 1, "shapes": [{"type": "box", "size": [0.1, 0.3]}], "position": [0, 0.12],
             "drag": [100, 100, 2.0], "dofs": {"y": {"force": -5.0}, "angle": {"force": 1.0}}},
        ],
    });
    let mut e = set(&experiment(scene, 5e-3, 1.5), "/stepper/options", options);
    e["stepper"]["options"]["motion"] = json!("first-order");
    e
}

/// The linearised gaps leave 5 nm of overlap on both sides; moving them apart, however slowly, has no solution.
#[test]
fn a_peg_that_jams_with_nanometres_of_overlap_rests() {
    for options in [json!({}), json!({"penetration_correction": 0.2, "correction_speed": 1e-9})] {
        let run = run(&peg(0.052, options));
        let (end, before) = (run.end(), &run.moments[run.moments.len() / 2]);
        assert!(end.v.iter().all(|v| v.abs() < 1e-12), "it moves: {:?}", end.v);
        assert!(
            end.q.iter().zip(&before.q).all(|(a, b)| (a - b).abs() < 1e-12),
            "{:?} {:?}",
            end.q,
            before.q
        );
        // What jams is an overlap, and both sides bear.
        assert!(end.report.penetration.value > 1e-9 && end.report.penetration.value < 1e-7);
        assert!(end.touches.iter().filter(|t| t.p_n > 1e-6).count() >= 2);
    }
}

/// A hole narrower than the peg by 2 · 20 µm.
#[test]
fn a_real_overlap_that_nothing_can_expel_names_the_option() {
    let failed = try_run(&peg(0.04998, json!({})));
    let Some(StepFailure::Unsolved { advice, .. }) = &failed.failure else {
        panic!("the peg cannot leave both walls: {:?}", failed.failure);
    };
    assert!(advice.contains("overlap by up to 2.0e-5 m"), "{advice}");
    assert!(
        advice.contains("`penetration_correction`, now 0.2, leaves overlaps as they are at 0"),
        "{advice}"
    );
    // The advice helps.
    for options in [json!({"penetration_correction": 0}), json!({"penetration_tolerance": 1e-4})] {
        run(&peg(0.04998, options));
    }
}
