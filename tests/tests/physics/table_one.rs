//! Table I of the dVC paper as a matrix: every time-stepper with every motion model it lists, planar and 2.5D, each against
//! closed forms. Where the scheme itself has a closed form (constant forces) the comparison is to rounding.
//!
//! | | dynamic | first-order | quasi-static |
//! |---|---|---|---|
//! | planar | slide, slide to roll | pushed against friction, sinking | pusher, rolling between plates |
//! | 2.5D | slide, spin | pushed against support friction, turned | pusher through the centre, pusher beside it |

use serde_json::{Value, json};
use vinci_tests::close;
use vinci_tests::experiment::{AP, ST, experiment, ground, planar, set, with};
use vinci_tests::run::{Run, run};

const G: f64 = 9.81;
const H: f64 = 0.01;
const SPK: &str = "song-pang-kumar";

/// Runs under a stepper and solver with a default motion model.
fn go(scene: &Value, stepper: &str, solver: &str, motion: &str, duration: f64) -> Run {
    let mut e = with(&experiment(scene.clone(), H, duration), stepper, solver);
    if stepper != SPK {
        e = set(&e, "/stepper/options/motion", motion);
    }
    run(&e)
}

fn block(velocity: f64, more: Value) -> Value {
    let mut block = json!({
        "name": "block", "mass": 2.0, "shapes": [{"type": "box", "size": [0.4, 0.2]}], "position": [0, 0.1],
        "velocity": [velocity, 0],
    });
    block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    block
}

/// v_k = v0 − μ g h k.
#[test]
fn planar_dynamic_a_block_slides() {
    for stepper in [ST, AP, SPK] {
        let mut scene = planar(0.5, 0.0, json!([ground("planar"), block(2.0, json!({}))]));
        if stepper == SPK {
            // A stiff layer that starts with the deformation of rest would slide alike; held in height it has no load.
            scene["materials"]["default"] = json!({"friction": 0.5, "stiffness": 1e7, "damping": 1e4});
        }
        let run = go(&scene, stepper, "lemke", "dynamic", 0.3);
        let tolerance = if stepper == SPK { 2e-3 } else { 1e-10 };
        close(stepper, run.end().v[0], 2.0 - 0.5 * G * 0.3, tolerance);
    }
}

/// A disc that slides without spin rolls at 2/3 of its speed from t = v0/(3 μ g).
#[test]
fn planar_dynamic_a_disc_slides_and_rolls() {
    for stepper in [ST, AP, SPK] {
        let disc = json!({"name": "disc", "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.1}],
                          "position": [0, 0.1], "velocity": [1.2, 0]});
        let mut scene = planar(0.4, 0.0, json!([ground("planar"), disc]));
        if stepper == SPK {
            scene["materials"]["default"] = json!({"friction": 0.4, "stiffness": 1e7, "damping": 1e4});
        }
        let run = go(&scene, stepper, "lemke", "dynamic", 0.3);
        let tolerance = if stepper == SPK { 2e-3 } else { 1e-9 };
        close(stepper, run.end().v[0], 0.8, tolerance);
        close(stepper, run.end().v[2], -0.8 / 0.1, 10.0 * tolerance);
    }
}

/// D v = F − μ m g, or rest.
#[test]
fn planar_first_order_a_block_is_pushed_against_friction() {
    for stepper in [ST, AP] {
        for (force, expected) in
            [(15.0, (15.0 - 0.5 * 2.0 * G) / 8.0), (9.0, 0.0), (-15.0, -(15.0 - 0.5 * 2.0 * G) / 8.0)]
        {
            let dofs = json!({"drag": [8.0, 8.0, 1.0], "dofs": {"x": {"force": force}}});
            let scene = planar(0.5, 0.0, json!([ground("planar"), block(0.0, dofs)]));
            let run = go(&scene, stepper, "lemke", "first-order", 0.2);
            close(stepper, run.end().q[0], expected * 0.2, 1e-12);
        }
    }
}

/// D v = m g until the ground holds it: it rests at height r, wherever it comes from.
#[test]
fn planar_first_order_a_disc_sinks_and_rests() {
    for stepper in [ST, AP] {
        let disc = json!({"name": "disc", "mass": 2.0, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.2],
                          "drag": [40.0, 40.0, 1.0]});
        let scene = planar(0.4, 0.0, json!([ground("planar"), disc]));
        let run = go(&scene, stepper, "lemke", "first-order", 0.4);
        close(stepper, run.moments[10].q[1], 0.2 - 2.0 * G / 40.0 * 0.1, 1e-12);
        // ST closes the gap exactly; AP notices it a step late and keeps what it has by then.
        let late = if stepper == AP { H * 2.0 * G / 40.0 } else { 1e-12 };
        close(stepper, run.end().q[1], 0.1 - 0.5 * late, 0.5 * late + 1e-12);
        close(stepper, run.end().v[1], 0.0, 1e-12);
    }
}

/// A pusher that is driven at v moves the block at v, and needs μ m g.
#[test]
fn planar_quasi_static_a_block_is_pushed() {
    for stepper in [ST, AP] {
        let pusher = json!({"name": "pusher", "mass": 1.0, "shapes": [{"type": "box", "size": [0.1, 0.1]}],
            "position": [-0.25, 0.1], "motion": "quasi-static",
            "dofs": {"x": {"position": {"keyframes": [[0, -0.25], [1, -0.15]]}}, "y": "locked", "angle": "locked"}});
        let mut scene = planar(0.5, 0.0, json!([ground("planar"), block(0.0, json!({})), pusher]));
        scene["pairs"] = json!([{"bodies": ["pusher", "block"], "friction": 0.0}]);
        let run = go(&scene, stepper, "lemke", "quasi-static", 0.5);
        close(stepper, run.end().q[0], 0.05, 1e-9);
        close(stepper, run.end().q[1], 0.1, 1e-9);
        close(stepper, run.end().effort[run.at_v("pusher")] / H, 0.5 * 2.0 * G, 1e-6);
    }
}

/// A disc between the floor and a plate that is driven along it: both stick, the centre moves at half the speed.
#[test]
fn planar_quasi_static_a_disc_rolls_under_a_plate() {
    for stepper in [ST, AP] {
        let bodies = json!([ground("planar"),
            {"name": "disc", "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.1]},
            {"name": "plate", "mass": 5.0, "shapes": [{"type": "box", "size": [2.0, 0.1]}], "position": [0, 0.25],
             "dofs": {"x": {"position": {"keyframes": [[0, 0], [1, 0.3]]}}, "angle": "locked"}}]);
        let run = go(&planar(0.6, 0.0, bodies), stepper, "lemke", "quasi-static", 0.5);
        close(stepper, run.end().q[0], 0.5 * 0.15, 1e-9);
        close(stepper, run.end().q[2], -0.075 / 0.1, 1e-8);
        close(stepper, run.end().q[run.at_q("plate") + 1], 0.25, 1e-9);
    }
}

/// A part of mass 1 on an equilateral tripod of radius 0.1.
fn tripod(mu: f64, more: Value) -> Value {
    let (c, s) = (0.05, 0.1 * 0.75_f64.sqrt());
    let mut part = json!({
        "name": "part", "mass": 1.0, "inertia": 0.02, "position": [0, 0],
        "shapes": [{"type": "box", "size": [0.3, 0.3]}],
        "supports": {"points": [[0, 0.1], [-s, -c], [s, -c]], "friction": mu},
    });
    part.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    part
}

fn on_plane(bodies: Value) -> Value {
    let mut scene = planar(0.0, 0.0, bodies);
    scene["gravity"] = json!([0, 0]);
    scene
}

/// Along any heading, straight, v_k = v0 − μ g h k.
#[test]
fn plane_dynamic_a_part_slides_straight() {
    for stepper in [ST, AP, SPK] {
        for heading in [0.0_f64, 0.7, 2.0] {
            let v = [heading.cos(), heading.sin()];
            let scene = on_plane(json!([tripod(0.3, json!({"velocity": v}))]));
            let run = go(&scene, stepper, "nsgs", "dynamic", 0.2);
            let speed = 1.0 - 0.3 * G * 0.2;
            close(stepper, run.end().v[0], speed * v[0], 1e-7);
            close(stepper, run.end().v[1], speed * v[1], 1e-7);
            close(stepper, run.end().v[2], 0.0, 1e-7);
        }
    }
}

/// ω_k = ω0 − h μ m g R k/J, and the part stays where it is.
#[test]
fn plane_dynamic_a_part_spins_down() {
    for stepper in [ST, AP, SPK] {
        let scene = on_plane(json!([tripod(0.3, json!({"angular_velocity": 5.0}))]));
        let run = go(&scene, stepper, "nsgs", "dynamic", 0.2);
        // The friction of a point that turns within the step stands at its start: tangential to rounding.
        close(stepper, run.end().v[2], 5.0 - 0.2 * 0.3 * G * 0.1 / 0.02, 1e-6);
        close(stepper, run.end().q[0].hypot(run.end().q[1]), 0.0, 1e-7);
    }
}

/// D v = F − μ m g along the force, whatever its heading.
#[test]
fn plane_first_order_a_part_is_pushed_against_its_supports() {
    for stepper in [ST, AP] {
        for heading in [0.0_f64, 0.7] {
            let (fx, fy) = (5.0 * heading.cos(), 5.0 * heading.sin());
            let part = tripod(
                0.3,
                json!({"drag": [4.0, 4.0, 0.1], "dofs": {"x": {"force": fx}, "y": {"force": fy}}}),
            );
            let run = go(&on_plane(json!([part])), stepper, "nsgs", "first-order", 0.2);
            let way = 0.2 * (5.0 - 0.3 * G) / 4.0;
            close(stepper, run.end().q[0], way * heading.cos(), 1e-7);
            close(stepper, run.end().q[1], way * heading.sin(), 1e-7);
        }
    }
}

/// D ω = τ − μ m g R.
#[test]
fn plane_first_order_a_part_is_turned_against_its_supports() {
    for stepper in [ST, AP] {
        let part = tripod(0.3, json!({"drag": [4.0, 4.0, 0.1], "dofs": {"angle": {"force": 0.5}}}));
        let run = go(&on_plane(json!([part])), stepper, "nsgs", "first-order", 0.2);
        close(stepper, run.end().q[2], 0.2 * (0.5 - 0.3 * G * 0.1) / 0.1, 1e-6);
        close(stepper, run.end().q[0].hypot(run.end().q[1]), 0.0, 1e-7);
    }
}

/// The pusher of §7 of the mathematics: a frictionless disc driven at 10 mm/s against the side x = −0.15.
fn pushed(offset: f64) -> Value {
    let pusher = json!({"name": "pusher", "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.01}],
        "position": [offset, -0.16], "dofs": {"x": "locked", "angle": "locked",
        "y": {"position": {"keyframes": [[0, -0.16], [1, -0.15]]}}}});
    on_plane(json!([tripod(0.4, json!({})), pusher]))
}

/// Through the centre of a symmetric tripod it translates, against the whole friction μ m g.
#[test]
fn plane_quasi_static_a_push_through_the_centre_translates() {
    for stepper in [ST, AP] {
        let run = go(&pushed(0.0), stepper, "nsgs", "quasi-static", 0.1);
        close(stepper, run.end().q[1], 1e-3, 1e-8);
        close(stepper, run.end().q[0], 0.0, 1e-8);
        close(stepper, run.end().q[2], 0.0, 1e-7);
        close(stepper, run.end().effort[run.at_v("pusher") + 1] / H, 0.4 * G, 1e-5);
    }
}

/// Twenty millimetres beside the centre: the first step's velocity is the one of the convex program of minimal friction power,
/// v = (−.00019028, .00929267, .0353664) with 3.779419 N (the minimum of Σ μ N_k |v + ω × s_k| over v_y + .02 ω = .01, by nested
/// golden sections).
#[test]
fn plane_quasi_static_a_push_beside_the_centre_turns() {
    for stepper in [ST, AP] {
        let run = go(&pushed(0.02), stepper, "nsgs", "quasi-static", H);
        close(stepper, run.end().v[0], -0.00019027852, 1e-8);
        close(stepper, run.end().v[1], 0.00929267296, 1e-8);
        close(stepper, run.end().v[2], 0.035366352, 1e-7);
        close(stepper, run.end().effort[run.at_v("pusher") + 1] / H, 3.779419, 1e-5);
    }
}
