//! Many parameters, of which every step reads a few.

use serde_json::{Value, json};
use vinci_fit::DerivativeMethod;
use vinci_tests::experiment::{shipped, timed};

use super::runs::{of, try_of};

/// The gripper with its lifting force as keyframes, every 50 ms.
fn keyed() -> Value {
    let mut e = timed(&shipped("tamsi-gripper-mug"), 0.003, 0.3);
    let force = |t: f64| 25.8 * (12.566 * t).sin();
    let keys: Vec<_> = (0..=6).map(|k| 0.05 * f64::from(k)).map(|t| json!([t, 1.0 + force(t)])).collect();
    e["scene"]["trees"][0]["drives"]["lift"]["force"] = json!({ "keyframes": keys });
    e
}

/// Keyframes act in two intervals, pairs where they touch: steps that do not read a parameter are left out, and one side stands for both
/// where steps are affine. Derivatives are those of whole runs all the same.
#[test]
fn parameters_that_few_steps_read_have_their_derivatives() {
    let e = keyed();
    let keys = (0..6).map(|k| format!("scene.trees.0.drives.lift.force.keyframes.{k}.1"));
    let others = ["scene.pairs.0.stiffness", "scene.materials.default.friction", "scene.bodies.mug.mass"];
    let by: Vec<String> = keys.chain(others.map(str::to_owned)).collect();
    let by: Vec<&str> = by.iter().map(String::as_str).collect();
    let find = |way| try_of(&e, &["gripper.lift.q", "mug.z"], &by, way, 1 << 28).unwrap();
    let (forth, back) = (find(DerivativeMethod::Exact), find(DerivativeMethod::Backwards));
    // Balls of the pads just touch at the start: two readings. Two whole runs along a direction of all parameters.
    assert_eq!(back.runs, 4);
    for (m, (forth, back)) in forth.derivatives.iter().zip(&back.derivatives).enumerate() {
        for (k, (a, b)) in forth.iter().zip(back).enumerate() {
            let apart = (a.value - b.value).abs();
            assert!(apart <= 1e-6 * a.value.abs().max(1e-3), "{} of {m}: {a:?} {b:?}", by[k]);
        }
    }
    for k in [0, 3, 5, 7] {
        let whole = of(&e, "mug.z", by[k], DerivativeMethod::Differences).value;
        let found = back.derivatives[1][k].value;
        assert!((found - whole).abs() <= 1e-5 * whole.abs(), "{}: {found} {whole}", by[k]);
    }
}

/// Keyframes share probes where no step reads two of them: not those closer than a step, nor cubic ones whose slopes look farther.
#[test]
fn keyframes_share_probes_only_where_they_are_apart() {
    let of_keys = |keys: usize, apart: f64, interpolation: &str| {
        let mut e = keyed();
        let force = |t: f64| 25.8 * (12.566 * t).sin() + 1.0;
        let points: Vec<_> = (0..keys).map(|k| apart * k as f64).map(|t| json!([t, force(t)])).collect();
        e["scene"]["trees"][0]["drives"]["lift"]["force"] =
            json!({ "keyframes": points, "interpolation": interpolation });
        e["time"]["duration"] = json!(0.06);
        let by: Vec<String> =
            (0..keys).map(|k| format!("scene.trees.0.drives.lift.force.keyframes.{k}.1")).collect();
        let by: Vec<&str> = by.iter().map(String::as_str).collect();
        let find = |method| try_of(&e, &["gripper.lift.q"], &by, method, 1 << 28).unwrap();
        let (back, whole) = (find(DerivativeMethod::Backwards), find(DerivativeMethod::Differences));
        let size = whole.derivatives[0].iter().fold(0.0_f64, |m, d| m.max(d.value.abs()));
        for (k, (a, b)) in back.derivatives[0].iter().zip(&whole.derivatives[0]).enumerate() {
            let apart = (a.value - b.value).abs();
            assert!(apart <= 1e-6 * size, "{interpolation}, keyframe {k}: {a:?} {b:?}");
        }
    };
    of_keys(12, 0.005, "linear");
    of_keys(12, 0.005, "cubic");
    of_keys(12, 0.005, "spline");
    of_keys(30, 0.002, "linear");
    of_keys(5, 0.014, "linear");
}

/// A keyframe of 1e-15 N (a sine at π) was moved by a part of itself and called unused.
#[test]
fn a_force_that_is_zero_but_for_rounding_has_its_derivative() {
    let mut e = keyed();
    let path = "scene.trees.0.drives.lift.force.keyframes.3.1";
    let mut of_force = |force: f64| {
        e["scene"]["trees"][0]["drives"]["lift"]["force"]["keyframes"][3][1] = json!(force);
        of(&e, "mug.z", path, DerivativeMethod::Backwards).value
    };
    let (zero, rounding) = (of_force(0.0), of_force(1e-15));
    assert!(zero != 0.0 && (rounding / zero - 1.0).abs() <= 1e-6, "{zero} {rounding}");
}

/// A moment of inertia of a mug that does not turn: steps read it, and nothing moves. Whole runs on both sides were made for it.
#[test]
fn a_parameter_that_steps_read_in_vain_costs_no_runs() {
    let by = ["scene.bodies.mug.inertia.0", "scene.bodies.mug.mass"];
    let mut e = timed(&shipped("tamsi-gripper-mug"), 0.003, 0.06);
    let found = try_of(&e, &["mug.z"], &by, DerivativeMethod::Backwards, 1 << 28).unwrap();
    assert!(found.derivatives[0][0].value.abs() < 1e-12 && found.derivatives[0][1].value != 0.0);
    assert_eq!(
        found.runs, 4,
        "two readings, since balls just touch at the start, and two runs along a direction"
    );
    // A material that touches nothing is read by no step: that is an error still.
    e["scene"]["materials"]["spare"] = json!({"friction": 0.3});
    let by = ["scene.materials.spare.friction"];
    let error = try_of(&e, &["mug.z"], &by, DerivativeMethod::Backwards, 1 << 28).unwrap_err().to_string();
    assert!(error.contains("nothing in the run depends on `scene.materials.spare.friction`"), "{error}");
}
