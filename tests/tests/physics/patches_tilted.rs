//! Patches of bodies that stand on edges and corners, of hulls with rounded corners: loads of the bed against closed forms.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::ground;
use vinci_tests::run::run;

use crate::patches::{force, patches_on};

/// Stiffness of the bed, N/m³, and the side of the cube, m.
pub(crate) const K: f64 = 1e7;
pub(crate) const SIDE: f64 = 0.1;

/// A held part over the ground or over tables, in one step.
pub(crate) fn held(grounds: Value, part: Value, cell: f64, options: Value) -> Value {
    let mut part = part;
    part["gravity"] = json!(false);
    part["dofs"] =
        json!({"x": "locked", "y": "locked", "z": "locked", "rx": "locked", "ry": "locked", "rz": "locked"});
    let mut bodies = grounds;
    bodies.as_array_mut().unwrap().push(part);
    patches_on(bodies, json!({"cell": cell, "stiffness": K}), 0.0, options, (0.01, 0.01))
}

/// A cube that stands this deep in the plane z = 0, turned about an axis; `low`: how far its lowest point is below its middle.
pub(crate) fn cube(axis: [f64; 3], angle: f64, low: f64, depth: f64) -> Value {
    json!({"name": "part", "mass": 1, "position": [0, 0, low - depth], "orientation": {"axis": axis, "angle": angle},
        "shapes": [{"type": "box", "size": [SIDE, SIDE, SIDE]}]})
}

/// On an edge the part below the ground is a prism, k d² L/sin 2θ; on a corner a pyramid, √3/2 k d³.
#[test]
fn edges_and_corners_have_the_force_of_the_bed() {
    let depth = 8e-3;
    for (angle, cell, off) in
        [(0.78, 5e-3, 0.1), (0.78, 2.5e-3, 0.03), (0.3, 2.5e-3, 0.03), (1.2, 2.5e-3, 0.03)]
    {
        let low = 0.5 * SIDE * (f64::sin(angle) + f64::cos(angle));
        let part = cube([0.0, 1.0, 0.0], angle, low, depth);
        let found = force(run(&held(json!([ground("spatial")]), part, cell, json!({}))).end())[2];
        let expected = K * depth * depth * SIDE / f64::sin(2.0 * angle);
        println!("edge at {angle}, cells of {cell}: {found} for {expected} N");
        close("edge", found / expected, 1.0, off);
    }
    for (cell, off) in [(5e-3, 0.3), (2.5e-3, 0.1)] {
        // The diagonal of the cube is turned from (1, 1, 1) to the vertical.
        let part = cube([1.0, -1.0, 0.0], -f64::acos(1.0 / 3f64.sqrt()), 0.5 * SIDE * 3f64.sqrt(), depth);
        let found = force(run(&held(json!([ground("spatial")]), part, cell, json!({}))).end())[2];
        let expected = 0.5 * 3f64.sqrt() * K * depth.powi(3);
        println!("corner, cells of {cell}: {found} for {expected} N");
        close("corner", found / expected, 1.0, off);
    }
}

/// A prism of twelve sides whose corners were rounded to 1e-7 m: its face was many triangles, of which one carried all.
#[test]
fn a_hull_with_rounded_corners_carries_with_all_of_its_face() {
    let off = |k: usize| 1e-7 * ((7 * k + 3) as f64).sin();
    let points: Vec<[f64; 3]> = (0..24)
        .map(|k| {
            let (s, c) = (std::f64::consts::FRAC_PI_6 * (k % 12) as f64).sin_cos();
            [0.05 * c + off(k), 0.05 * s + off(k + 50), if k < 12 { 0.02 } else { -0.02 } + off(k + 100)]
        })
        .collect();
    let part = json!({"name": "part", "mass": 1, "position": [0, 0, 0.019],
        "shapes": [{"type": "convex-hull", "points": points}]});
    let found = force(run(&held(json!([ground("spatial")]), part, 5e-3, json!({}))).end())[2];
    close("force", found / (K * 3.0 * 0.05 * 0.05 * 1e-3), 1.0, 1e-3);
}
