//! Patches of bodies that stand on edges and corners, of hulls with rounded corners, and over seams: loads of the bed against closed forms.

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::ground;
use vinci_tests::run::{run, try_run};

use crate::patches::{force, lawful, patches_on};

/// Stiffness of the bed, N/m³, and the side of the cube, m.
const K: f64 = 1e7;
const SIDE: f64 = 0.1;

/// A held part over the ground or over tables, in one step.
fn held(grounds: Value, part: Value, cell: f64, options: Value) -> Value {
    let mut part = part;
    part["gravity"] = json!(false);
    part["dofs"] =
        json!({"x": "locked", "y": "locked", "z": "locked", "rx": "locked", "ry": "locked", "rz": "locked"});
    let mut bodies = grounds;
    bodies.as_array_mut().unwrap().push(part);
    patches_on(bodies, json!({"cell": cell, "stiffness": K}), 0.0, options, (0.01, 0.01))
}

/// A cube that stands this deep in the plane z = 0, turned about an axis; `low`: how far its lowest point is below its middle.
fn cube(axis: [f64; 3], angle: f64, low: f64, depth: f64) -> Value {
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

/// Two tables side by side: their seam is at x = 0.
fn tables() -> Value {
    let table = |name: &str, x: f64| json!({"name": name, "static": true, "position": [x, 0, -0.1], "shapes": [{"type": "box", "size": [1, 1, 0.2]}]});
    json!([table("left", -0.5), table("right", 0.5)])
}

/// A face over a seam has each of its cells once: a row of cells whose middles are above the seam carried twice.
#[test]
fn a_face_over_a_seam_carries_once() {
    for cell in [0.02, 0.0334, 0.1, 0.025] {
        let part = cube([0.0, 0.0, 1.0], 0.0, 0.5 * SIDE, 1e-3);
        let found = force(run(&held(tables(), part, cell, json!({}))).end())[2];
        close("force", found / (K * SIDE * SIDE * 1e-3), 1.0, 1e-12);
    }
}

/// A half-space couples nodes of one pair of shapes: over a seam a ball carried half as much again. Beside one table it has the force of Hertz.
#[test]
fn a_half_space_over_a_seam_is_refused() {
    let ball = |x: f64| json!({"name": "part", "mass": 1, "position": [x, 0.0002, 0.1 - 5e-4], "shapes": [{"type": "ball", "radius": 0.1}]});
    let at = |x: f64| {
        let mut e = held(tables(), ball(x), 1e-3, json!({"half_space": 1e7}));
        e["scene"]["patches"].as_array_mut().unwrap().iter_mut().for_each(|p| p["stiffness"] = json!(1e13));
        try_run(&e)
    };
    let failure = at(3e-4).failure.expect("it is refused").to_string();
    assert!(failure.contains("`half_space` couples nodes of one pair of shapes"), "{failure}");
    let beside = at(0.2);
    assert!(beside.failure.is_none(), "{:?}", beside.failure);
    let hertz = 4.0 / 3.0 * 1e7 * 0.1_f64.sqrt() * 5e-4_f64.powf(1.5);
    close("force", force(beside.end())[2] / hertz, 1.0, 5e-3);
}

/// Force on a held cube over a seam, N: on an edge or a corner, its lowest point this far beside the seam; `turned`: the tables lie this way round.
fn beside_a_seam(corner: bool, x: f64, depth: f64, turned: bool) -> [f64; 3] {
    let (axis, angle, low) = if corner {
        ([1.0, -1.0, 0.0], -f64::acos(1.0 / 3f64.sqrt()), 0.5 * SIDE * 3f64.sqrt())
    } else {
        ([0.0, 1.0, 0.0], 0.78, 0.5 * SIDE * (0.78f64.sin() + 0.78f64.cos()))
    };
    let mut part = cube(axis, angle, low, depth);
    part["position"][0] = json!(x);
    let mut grounds = tables();
    if turned {
        grounds.as_array_mut().unwrap().reverse();
    }
    force(run(&held(grounds, part, 2.5e-3, json!({}))).end())
}

/// An edge or a corner over a seam has the force of one table: at the seam the way out may be through the flank of a table, which the other hides.
#[test]
fn edges_and_corners_over_a_seam_have_the_force_of_one_side() {
    for corner in [false, true] {
        for depth in [1e-3, 4e-3, 8e-3] {
            let whole = beside_a_seam(corner, 0.3, depth, false);
            for x in [0.0, 2e-4, 1e-3, 3e-3, 0.01] {
                for (x, turned) in [(x, false), (-x, true)] {
                    let found = beside_a_seam(corner, x, depth, turned);
                    let name = format!("corner {corner}, {x} beside, {depth} deep: {found:?} for {whole:?}");
                    let scale = whole[2].max(1e-3);
                    assert!((0..3).all(|k| (found[k] - whole[k]).abs() < 1e-9 * scale), "{name}");
                }
            }
        }
    }
}

/// A box slides over the seam of two tables as over one, whatever way out the detector finds at the seam: its cells take their energy with them.
#[test]
fn a_box_slides_over_a_seam_as_over_one_side() {
    let sliding = |grounds: Value, mu: f64, cell: f64| {
        let part = json!({"name": "part", "mass": 1, "position": [-0.2, 0, 0.0499], "velocity": [1, 0, 0], "angular_velocity": [0, 0, 5],
            "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1]}]});
        let mut bodies = grounds;
        bodies.as_array_mut().unwrap().push(part);
        run(&patches_on(bodies, json!({"cell": cell, "stiffness": 9e6}), mu, json!({}), (1e-3, 0.3)))
    };
    let table = json!({"name": "table", "static": true, "position": [0, 0, -0.1], "shapes": [{"type": "box", "size": [2, 1, 0.2]}]});
    for (mu, cell, most) in [(0.0, 0.02, 1e-9), (0.0, 0.0334, 1e-9), (0.1, 0.02, 1e-6)] {
        let two = sliding(tables(), mu, cell);
        let one = sliding(json!([table]), mu, cell);
        let (v, w) = (&two.end().v, &one.end().v);
        let off = v.iter().zip(w).map(|(v, w)| (v - w).abs()).fold(0.0, f64::max);
        println!("friction {mu}, cells of {cell}: velocities {off:e} apart, vx = {}", v[0]);
        // The layers of cells that cross begin anew along the surface.
        assert!(off < most && two.end().q[0] > 0.04, "{mu} {cell}: {v:?} {w:?}");
        lawful(&two);
    }
}

/// A cube of two boxes, side by side or one in the other, has the force of one: flanks that a sibling hides have no nodes, and of faces that
/// overlap one has them.
#[test]
fn a_part_of_two_shapes_has_the_force_of_one() {
    let half = |x: f64, size: f64| json!({"type": "box", "size": [size, SIDE, SIDE], "position": [x, 0, 0]});
    let beside = json!([half(-0.025, 0.05), half(0.025, 0.05)]);
    let inside = json!([half(-0.02, 0.06), half(0.0, 0.06), half(0.02, 0.06)]);
    let corner = ([1.0, -1.0, 0.0], -f64::acos(1.0 / 3f64.sqrt()), 0.5 * SIDE * 3f64.sqrt());
    let edge = |axis: [f64; 3], angle: f64| (axis, angle, 0.5 * SIDE * (angle.sin() + angle.cos()));
    let ways =
        [corner, edge([0.0, 1.0, 0.0], 0.78), edge([1.0, 0.0, 0.0], 0.6), ([0.0, 0.0, 1.0], 0.3, 0.5 * SIDE)];
    for (axis, angle, low) in ways {
        for depth in [4e-3, 8e-3] {
            let load = |shapes: Option<&Value>, grounds: Value| {
                let mut part = cube(axis, angle, low, depth);
                part["position"][0] = json!(0.011);
                shapes.iter().for_each(|shapes| part["shapes"] = (*shapes).clone());
                force(run(&held(grounds, part, 5e-3, json!({}))).end())
            };
            let table = json!([ground("spatial")]);
            let one = load(None, table.clone());
            // The cells of the halves are those of the whole.
            let two = load(Some(&beside), table.clone());
            let three = load(Some(&inside), table);
            let over = load(Some(&beside), tables());
            let off =
                |found: [f64; 3]| (0..3).map(|k| (found[k] - one[k]).abs()).fold(0.0, f64::max) / one[2];
            let all = [two, three, over].map(off);
            println!("{axis:?} {angle} {depth}: {} N, off by {all:?}", one[2]);
            assert!(all.iter().all(|off| *off < 1e-9), "{axis:?} {angle} {depth}: {all:?}");
        }
    }
}
