//! Patches over seams: several shapes whose sides are flush are one surface, whatever way out a detector finds between them.

use nalgebra::{Rotation3, UnitQuaternion, Vector3};
use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::ground;
use vinci_tests::run::{run, try_run};

use crate::patches::{R, force, lawful, patches_on};
use crate::patches_tilted::{K, SIDE, cube, held};

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

/// The held scene with all bodies turned about the origin.
fn turned(mut e: Value, turn: &Rotation3<f64>) -> Value {
    for body in e["scene"]["bodies"].as_array_mut().unwrap() {
        let at = body["position"]
            .as_array()
            .map_or(Vector3::zeros(), |x| Vector3::from_iterator(x.iter().map(|x| x.as_f64().unwrap())));
        let own = body["orientation"].as_object().map_or(UnitQuaternion::identity(), |o| {
            let axis =
                Vector3::from_iterator(o["axis"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()));
            UnitQuaternion::new(axis.normalize() * o["angle"].as_f64().unwrap())
        });
        let now = UnitQuaternion::from_rotation_matrix(turn) * own;
        let axis = now.axis().map_or(Vector3::z(), |axis| axis.into_inner());
        body["position"] = json!((turn * at).as_slice());
        body["orientation"] = json!({"axis": axis.as_slice(), "angle": now.angle()});
    }
    e
}

/// A ball whose foot is on a seam, or on a corner of four tables, in worlds that are turned, and over gaps of rounding size: the foot was beside all
/// sides, and the ball kept a single contact with 2 % of its load.
#[test]
fn a_ball_with_its_foot_on_a_seam_has_its_load() {
    let (depth, cell) = (0.01, 0.01);
    let table = |name: &str, x: f64, y: f64| json!({"name": name, "static": true, "position": [x, y, -0.1], "shapes": [{"type": "box", "size": [1, 1, 0.2]}]});
    let ball = json!({"name": "part", "mass": 1, "position": [0, 0, R - depth], "shapes": [{"type": "ball", "radius": R}]});
    let exact = std::f64::consts::PI * K * (R * depth * depth - depth.powi(3) / 3.0);
    let load = |gap: f64, turn: Rotation3<f64>| {
        let at = 0.5 + 0.5 * gap;
        let tables =
            json!([table("a", -at, -at), table("b", at, -at), table("c", -at, at), table("d", at, at)]);
        let e = turned(held(tables, ball.clone(), cell, json!({})), &turn);
        (turn.inverse() * Vector3::from(force(run(&e).end())))[2]
    };
    for k in 0..8 {
        let turn = Rotation3::new(Vector3::new(0.7, -0.4, 0.3) * f64::from(k));
        close("turned", load(0.0, turn) / exact, 1.0, 0.03);
    }
    for gap in [1e-12, 1e-9, 1e-6, 1e-4] {
        close("gap", load(gap, Rotation3::identity()) / exact, 1.0, 0.03);
    }
}

/// Tiles that are smaller than the face of a tilted cube: a tile counted as the smaller face, and pushed along the cube's.
#[test]
fn a_floor_of_small_tiles_is_one_floor() {
    let floor = |tile: f64, n: i32| -> Value {
        let at = |k: i32| (f64::from(k) - 0.5 * f64::from(n) + 0.5) * tile;
        (0..n * n)
            .map(|k| {
                json!({"name": format!("tile-{k}"), "static": true, "position": [at(k % n), at(k / n), -0.1],
                "shapes": [{"type": "box", "size": [tile, tile, 0.2]}]})
            })
            .collect()
    };
    for (axis, tilt) in
        [([0.0, 1.0, 0.0], 0.1), ([0.0, 1.0, 0.0], 0.05), ([0.0, 0.0, 1.0], 0.4), ([1.0, 2.0, 0.0], 0.5)]
    {
        let load = |grounds: Value| {
            let mut part = cube(axis, tilt, 0.5 * SIDE, 0.0);
            let turn = UnitQuaternion::new(Vector3::from(axis).normalize() * tilt).to_rotation_matrix();
            let low = turn.matrix().row(2).iter().map(|x| 0.5 * SIDE * x.abs()).sum::<f64>();
            part["position"] = json!([0.004, 0.003, low - 5e-3]);
            force(run(&held(grounds, part, 5e-3, json!({}))).end())
        };
        let one = load(json!([ground("spatial")]));
        assert!(one[2] > 1.0, "{one:?}");
        for (tile, n) in [(0.03, 8), (0.05, 6), (0.11, 3)] {
            let found = load(floor(tile, n));
            let off = (0..3).map(|k| (found[k] - one[k]).abs()).fold(0.0, f64::max) / one[2];
            assert!(off < 1e-9, "{axis:?} {tilt}, tiles of {tile}: {found:?} {one:?}");
        }
    }
}

/// Steps and gaps that are small beside the depth of an edge take no load from it.
#[test]
fn small_steps_and_gaps_leave_an_edge_its_load() {
    let depth = 8e-3;
    let load = |step: f64, gap: f64| {
        let mut grounds = tables();
        grounds[1]["position"] = json!([0.5 + gap, 0, -0.1 - step]);
        let low = 0.5 * SIDE * (0.78f64.sin() + 0.78f64.cos());
        force(run(&held(grounds, cube([0.0, 1.0, 0.0], 0.78, low, depth), 2.5e-3, json!({}))).end())
    };
    let whole = load(0.0, 0.0)[2];
    for (step, gap) in [(1.5e-5, 0.0), (5e-5, 0.0), (5e-4, 0.0), (0.0, 1e-4), (0.0, 5e-4)] {
        let found = load(step, gap);
        println!("step {step}, gap {gap}: {found:?} for {whole}");
        // The edge is pressed in by less over the lower table, and rows of cells may be over the gap.
        assert!(
            found[2] > 0.85 * whole && found[2] < 1.0001 * whole && found[0].abs() < 1e-9 * whole,
            "{step} {gap}: {found:?}"
        );
    }
}

/// A cube over the joint of two tables that touch, are apart by less than a seam's width, overlap with a step, or meet in a patch themselves: the row of
/// cells over the joint was lost, or carried twice.
#[test]
fn the_row_over_a_joint_is_there_once() {
    let load = |x: f64, (gap, overlap, step): (f64, f64, f64), is_pair: bool| {
        let mut grounds = tables();
        grounds[0]["position"] = json!([-0.5 + overlap, 0, -0.1]);
        grounds[1]["position"] = json!([0.5 + gap, 0, -0.1 - step]);
        let mut part = cube([0.0, 0.0, 1.0], 0.0, 0.5 * SIDE, 1e-3);
        part["position"][0] = json!(x);
        let mut e = held(grounds, part, 0.02, json!({}));
        if is_pair {
            let patch = json!({"bodies": ["left", "right"], "cell": 0.02, "stiffness": K});
            e["scene"]["patches"].as_array_mut().unwrap().push(patch);
            for body in &mut e["scene"]["bodies"].as_array_mut().unwrap()[..2] {
                body["static"] = json!(false);
                body["mass"] = json!(1);
                body["gravity"] = json!(false);
                body["dofs"] = json!({"x": "locked", "y": "locked", "z": "locked", "rx": "locked", "ry": "locked", "rz": "locked"});
            }
        }
        force(run(&e).end())[2]
    };
    let whole = K * SIDE * SIDE * 1e-3;
    for gap in [0.0, 1e-9, 1e-8, 1e-6, 1e-5] {
        for x in [0.0, 5e-10, -5e-10] {
            close("gap", load(x, (gap, 0.0, 0.0), false) / whole, 1.0, 1e-9);
        }
    }
    close("pair", load(0.0, (0.0, 0.0, 0.0), true) / whole, 1.0, 1e-9);
    for step in [5e-6, 2e-5, 1e-4] {
        // At most what lies lower carries less.
        let found = load(0.0, (0.0, 0.08, step), false) / whole;
        assert!(found <= 1.0 + 1e-9 && found >= 1.0 - step / 1e-3, "{step}: {found}");
    }
}
