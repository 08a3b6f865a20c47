//! Many balls: the sparse Newton matrix against the dense one, and against closed forms.

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, set, spatial, with};
use vinci_tests::run::{Run, run};

const RADIUS: f64 = 0.05;

/// Balls on a grid of side³, `apart` from centre to centre, over the ground from `height` on, in a box as wide as they are. They
/// stand a little beside the grid.
fn balls(side: usize, apart: f64, height: f64, duration: f64) -> Value {
    let half = 0.5 * apart * side as f64;
    let walls = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
        .map(|normal| json!({ "type": "half-space", "normal": normal, "offset": -half }));
    let mut shapes = vec![json!({ "type": "half-space" })];
    shapes.extend(walls);
    let mut bodies = vec![json!({ "name": "box", "static": true, "shapes": shapes })];
    for k in 0..side * side * side {
        let beside = |axis: usize| 1e-3 * ((k * 7919 + axis * 104_729) % 1000) as f64 / 1000.0;
        let place = |axis: usize, i: usize| apart * (i as f64 + 0.5) - half + beside(axis);
        let [x, y, z] = [k % side, k / side % side, k / side / side];
        let position = [place(0, x), place(1, y), height + apart * z as f64];
        bodies.push(json!({
            "name": format!("ball{k}"),
            "mass": 0.5,
            "shapes": [{ "type": "ball", "radius": RADIUS }],
            "position": position,
        }));
    }
    let mut scene = spatial(0.5, 0.0, json!(bodies));
    scene["materials"]["default"] = json!({ "friction": 0.5, "stiffness": 1e5, "dissipation": 5 });
    with(&set(&experiment(scene, 1e-3, duration), "/tolerance", 1e-9), "tamsi", "newton-tals")
}

/// The same with dense factors.
fn dense(e: &Value) -> Run {
    run(&set(e, "/solver/options", json!({ "sparse_from": 4096 })))
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (a, b)| m.max((a - b).abs()))
}

/// 216 balls, piled: one step after the other the sparse factors give the velocities of the dense ones.
#[test]
#[ignore = "long"]
fn a_pile_moves_as_with_the_dense_matrix() {
    let e = balls(6, 0.1, RADIUS - 1e-4, 8e-3);
    let (sparse, dense) = (run(&e), dense(&e));
    assert!(sparse.end().touches.len() > 500, "{} contacts", sparse.end().touches.len());
    assert_eq!(sparse.moments.len(), dense.moments.len());
    for (a, b) in sparse.moments.iter().zip(&dense.moments) {
        println!("{:e} {:e}", difference(&a.v, &b.v), difference(&a.q, &b.q));
        assert!(difference(&a.v, &b.v) < 1e-9 && difference(&a.q, &b.q) < 1e-11, "at {} s", a.t);
    }
}

/// 125 balls fall 1 cm onto the ground and each other.
#[test]
fn falling_balls_come_to_lean_on_each_other_as_with_the_dense_matrix() {
    let e = balls(5, 0.101, RADIUS + 1e-2, 6e-2);
    let (sparse, dense) = (run(&e), dense(&e));
    let (a, b) = (sparse.end(), dense.end());
    assert!(a.touches.iter().filter(|touch| touch.p_n > 0.0).count() > 100);
    println!("{:e} {:e}", difference(&a.v, &b.v), difference(&a.q, &b.q));
    assert!(difference(&a.q, &b.q) < 1e-8, "{:e}", difference(&a.q, &b.q));
}

/// 1000 balls that touch nothing: v = −g t, each for itself. Their dense matrix would be 288 MB.
#[test]
fn free_balls_fall_as_one() {
    let e = balls(10, 0.2, 3.0, 3e-3);
    let run = run(&e);
    let end = run.end();
    for ball in end.v.chunks_exact(6) {
        assert!((ball[2] + 9.81 * 3e-3).abs() < 1e-12, "{ball:?}");
        assert!([0, 1, 3, 4, 5].iter().all(|&k| ball[k] == 0.0));
    }
}
