//! The referee and layers with matrices of their own, over edges of two nodes: an honest stepper, and liars with another friction or
//! another matrix. (The program does not begin such a run where the pair may also meet in one contact, so these are run in process.)

use serde_json::{Value, json};
use vinci_core::referee::Criterion;
use vinci_tests::experiment::{experiment, ground, planar};
use vinci_tests::house;
use vinci_tests::run::{Run, try_run};

fn k(times: f64) -> Value {
    let k = [[6e4, 0.0, 1e4, 0.0], [0.0, 5e4, 0.0, 1e4], [1e4, 0.0, 6e4, 0.0], [0.0, 1e4, 0.0, 5e4]];
    json!(k.map(|row| row.map(|x| times * x)))
}

fn c() -> Value {
    json!([[60, 0, 10, 0], [0, 50, 0, 10], [10, 0, 60, 0], [0, 10, 0, 50]])
}

/// How far the told forces of a sliding box are from those of K and C, at worst.
fn off(friction: f64, matrix: f64) -> f64 {
    let part = json!({"name": "box", "mass": 1, "position": [0, 0.05], "velocity": [1, 0],
        "shapes": [{"type": "box", "size": [0.2, 0.1]}], "dofs": {"angle": "locked"}});
    let mut scene = planar(0.3, 0.0, json!([ground("planar"), part]));
    scene["materials"]["default"]["stiffness"] = json!(1e5);
    let e = experiment(scene, 0.01, 0.1);
    let options = json!({
        "lie": "layers-friction", "size": friction, "law": "layers", "nodes": 2, "layer_matrix": k(1.0), "layer_damping": c(),
        "layers": {"kappa": null, "nodes": 2, "K": k(matrix), "C": c()}});
    told(e, options).0
}

/// Runs a lie about layers: how far the told forces are from their law, at worst, and the run.
fn told(mut e: Value, options: Value) -> (f64, Run) {
    let library = format!("{}vinci_liars{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    e["stepper"] = json!({"plugin": house::build().join(library), "options": options});
    e["solver"] = json!({"plugin": "lemke"});
    e["detector"]["margin"] = json!(0.01);
    let run = try_run(&e);
    assert!(run.moments.len() > 1, "{:?}", run.failure);
    (run.moments.iter().map(|m| m.report.findings.of(Criterion::ForceLaw).value).fold(0.0, f64::max), run)
}

#[test]
fn matrices_of_an_edge_are_held_to() {
    let honest = off(1.0, 1.0);
    assert!(honest < 1e-8, "{honest:e}");
    // Friction beyond the cone is found as such, before its law is looked at.
    for (friction, matrix) in [(0.0, 1.0), (0.5, 1.0), (1.0, 1.1)] {
        let lie = off(friction, matrix);
        assert!(lie > 1e-3, "{friction} {matrix}: {lie:e}");
    }
}

/// A box on two contacts of one pair, each of which may have between half and all of its stiffness: half on the way down and all on the way up
/// throws it higher with every bounce. Every single force is within the law, and the work that the layers give is not.
#[test]
fn layers_that_are_soft_one_way_and_stiff_the_other_give_work() {
    let bounces = |size: f64| {
        let part = json!({"name": "box", "mass": 1, "position": [0, 0.1], "shapes": [{"type": "box", "size": [0.2, 0.1]}]});
        let mut scene = planar(0.3, 0.0, json!([ground("planar"), part]));
        scene["materials"]["default"]["stiffness"] = json!(1e4);
        let options =
            json!({"lie": "layers-one-way", "size": size, "law": "layers", "layers": {"kappa": null}});
        let (off, run) = told(experiment(scene, 0.0005, 0.4), options);
        (off, run.moments.iter().map(|m| m.q[1]).skip(400).fold(0.0, f64::max))
    };
    let ((honest, low), (lie, high)) = (bounces(1.0), bounces(2.0));
    assert!(honest < 1e-8 && low < 0.1, "{honest:e}, {low}");
    assert!(lie > 1e-3 && high > 0.1, "{lie:e}, {high}");
}
