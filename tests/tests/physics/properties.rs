//! Properties that must hold in any scene. Cases are few and always the same (a fixed seed), so this is fast and repeatable.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use vinci_tests::experiment::{AP, ST, experiment, ground, planar, set, spatial, with};
use vinci_tests::run::{Run, run};

const G: f64 = 9.81;

fn few(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(20_070_410),
        failure_persistence: None,
        max_shrink_iters: 30,
        ..ProptestConfig::default()
    }
}

/// A body by numbers: size, proportion, turn, velocity, spin, mass, and whether it is round.
#[derive(Debug, Clone)]
struct Thing {
    size: f64,
    proportion: f64,
    turn: f64,
    velocity: [f64; 3],
    spin: [f64; 3],
    mass: f64,
    round: bool,
}

fn thing() -> impl Strategy<Value = Thing> {
    let vector = || [-1.5..1.5_f64, -1.5..1.5_f64, -1.5..1.5_f64];
    (0.05..0.15_f64, 0.5..1.0_f64, -1.5..1.5_f64, vector(), vector(), 0.2..3.0_f64, any::<bool>()).prop_map(
        |(size, proportion, turn, velocity, spin, mass, round)| Thing {
            size,
            proportion,
            turn,
            velocity,
            spin,
            mass,
            round,
        },
    )
}

fn things(most: usize) -> impl Strategy<Value = Vec<Thing>> {
    proptest::collection::vec(thing(), 1..=most)
}

/// Things in rows of three above the ground, clear of each other: cells of 0.45 m hold the largest in any turn.
fn planar_bodies(things: &[Thing], with_ground: bool) -> Vec<Value> {
    let mut bodies: Vec<Value> = if with_ground { vec![ground("planar")] } else { vec![] };
    for (i, t) in things.iter().enumerate() {
        let shape = if t.round {
            json!({"type": "disc", "radius": t.size})
        } else {
            json!({"type": "box", "size": [2.0 * t.size, 2.0 * t.size * t.proportion]})
        };
        bodies.push(json!({
            "name": format!("b{i}"), "mass": t.mass, "shapes": [shape], "angle": t.turn,
            "position": [0.45 * (i % 3) as f64, 0.25 + 0.45 * (i / 3) as f64],
            "velocity": &t.velocity[..2], "angular_velocity": t.spin[0]
        }));
    }
    bodies
}

fn spatial_bodies(things: &[Thing], with_ground: bool) -> Vec<Value> {
    let mut bodies: Vec<Value> = if with_ground { vec![ground("spatial")] } else { vec![] };
    for (i, t) in things.iter().enumerate() {
        let shape = if t.round {
            json!({"type": "ball", "radius": t.size})
        } else {
            json!({"type": "box", "size": [2.0 * t.size, 2.0 * t.size * t.proportion, 1.2 * t.size]})
        };
        bodies.push(json!({
            "name": format!("b{i}"), "mass": t.mass, "shapes": [shape], "orientation": {"rpy": [t.turn, 0.3, 0.1]},
            "position": [0.55 * (i % 2) as f64, 0.0, 0.3 + 0.55 * (i / 2) as f64],
            "velocity": t.velocity, "angular_velocity": t.spin
        }));
    }
    bodies
}

fn without_gravity(mut e: Value) -> Value {
    let zero = if e["scene"]["space"] == "planar" { json!([0, 0]) } else { json!([0, 0, 0]) };
    e["scene"]["gravity"] = zero;
    e
}

/// The experiment with a tolerance at rounding instead of the default 1e-8.
fn exact(e: Value) -> Value {
    set(&e, "/tolerance", 1e-12)
}

fn touched(run: &Run) -> bool {
    run.moments.iter().any(|m| m.touches.iter().any(|t| t.p_n > 0.0))
}

/// Residuals are judged in every step by the helper; here with bounds at rounding, relative to the step's own size.
fn check_residuals(run: &Run) -> Result<(), TestCaseError> {
    for (k, m) in run.moments.iter().enumerate().skip(1) {
        let r = &m.report;
        prop_assert!(r.momentum.value < 1e-10, "step {}: momentum {:?}", k, r.momentum);
        prop_assert!(r.complementarity.value < 1e-8, "step {}: complementarity {:?}", k, r.complementarity);
        prop_assert!(r.cone.value < 1e-10, "step {}: cone {:?}", k, r.cone);
        prop_assert!(r.friction_power.value < 1e-10, "step {}: friction {:?}", k, r.friction_power);
    }
    Ok(())
}

/// Total momentum changes by gravity and by what the ground gives, and by nothing else: action is reaction.
fn check_total_momentum(run: &Run) -> Result<(), TestCaseError> {
    let system = &run.simulation.system;
    let (nv, dim) = (system.space.nv(), system.space.dim());
    let masses: Vec<f64> =
        (0..system.n_blocks()).map(|b| system.body_of(b).expect("a body").mass.mass).collect();
    let total =
        |v: &[f64], i: usize| -> f64 { masses.iter().enumerate().map(|(b, m)| m * v[b * nv + i]).sum() };
    for (k, pair) in run.moments.windows(2).enumerate() {
        for i in 0..dim {
            let weight = masses.iter().sum::<f64>() * system.gravity[i] * pair[1].h;
            let outside = |t: &&vinci_tests::run::Touch| t.a == "ground" || t.b == "ground";
            let given: f64 = pair[1]
                .touches
                .iter()
                .filter(outside)
                .map(|t| if t.a == "ground" { t.impulse[i] } else { -t.impulse[i] })
                .sum();
            let left = total(&pair[1].v, i) - total(&pair[0].v, i) - weight - given;
            prop_assert!(left.abs() < 1e-9, "step {}, axis {}: {}", k, i, left);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(few(10))]

    #[test]
    fn planar_steps_are_solved_to_rounding(things in things(6), mu in 0.0..1.0_f64) {
        let run = run(&exact(experiment(planar(mu, 0.0, planar_bodies(&things, true).into()), 0.005, 0.4)));
        check_residuals(&run)?;
        check_total_momentum(&run)?;
        prop_assert!(touched(&run));
    }

    #[test]
    fn planar_kinetic_energy_never_grows_without_friction_and_restitution(things in things(6)) {
        for stepper in [ST, AP] {
            let scene = planar(0.0, 0.0, planar_bodies(&things, true).into());
            let run = run(&with(&without_gravity(experiment(scene, 0.01, 0.5)), stepper, "lemke"));
            let beta = if stepper == ST { 0.2 } else { 0.0 };
            for (k, pair) in run.moments.windows(2).enumerate() {
                // A penetration that is corrected gives p_n times the speed of the correction, nothing else gives anything.
                let gift: f64 = pair[1].touches.iter().map(|t| t.p_n * (beta * -t.gap / 0.01).clamp(0.0, 0.5)).sum();
                prop_assert!(pair[1].energy <= pair[0].energy + gift + 1e-10, "{}, step {}", stepper, k);
            }
        }
    }

    #[test]
    fn free_planar_bodies_keep_their_total_momentum(things in things(6), mu in 0.0..1.0_f64) {
        // Towards each other: every body heads for the middle.
        let mut bodies = planar_bodies(&things, false);
        for body in &mut bodies {
            let at = |k: usize| body["position"][k].as_f64().unwrap();
            body["velocity"] = json!([3.0 * (0.45 - at(0)), 3.0 * (0.4 - at(1))]);
        }
        let run = run(&without_gravity(experiment(planar(mu, 0.0, bodies.into()), 0.005, 0.4)));
        check_total_momentum(&run)?;
        prop_assert!(things.len() < 3 || touched(&run));
    }

    #[test]
    fn a_planar_scene_does_not_know_which_way_is_down(things in things(5), mu in 0.1..0.9_f64, turn in -3.0..3.0_f64) {
        let bodies = planar_bodies(&things, true);
        let upright = run(&experiment(planar(mu, 0.0, bodies.clone().into()), 0.005, 0.2));
        let (sin, cos) = turn.sin_cos();
        let rotate = |v: &Value| {
            let (x, y) = (v[0].as_f64().unwrap(), v[1].as_f64().unwrap());
            json!([cos * x - sin * y, sin * x + cos * y])
        };
        let mut turned = bodies;
        turned[0]["angle"] = turn.into();
        for body in &mut turned[1..] {
            for key in ["position", "velocity"] {
                body[key] = rotate(&body[key]);
            }
            body["angle"] = (body["angle"].as_f64().unwrap() + turn).into();
        }
        let mut scene = planar(mu, 0.0, turned.into());
        scene["gravity"] = rotate(&json!([0.0, -G]));
        let tilted = run(&experiment(scene, 0.005, 0.2));
        for (k, (u, t)) in upright.moments.iter().zip(&tilted.moments).enumerate() {
            for b in (0..u.q.len()).step_by(3) {
                let expected = [cos * u.q[b] - sin * u.q[b + 1], sin * u.q[b] + cos * u.q[b + 1], u.q[b + 2] + turn];
                for i in 0..3 {
                    let off = (t.q[b + i] - expected[i]).abs();
                    prop_assert!(off < 1e-9, "step {}, body {}, coordinate {}: off by {:e}", k, b / 3, i, off);
                }
            }
        }
    }

    #[test]
    fn motion_does_not_know_the_unit_of_mass(things in things(5), mu in 0.1..0.9_f64, log_scale in -6..6_i32) {
        let scale = 2.0_f64.powi(log_scale) * 1.37;
        let bodies = planar_bodies(&things, true);
        let mut heavy = bodies.clone();
        for body in &mut heavy[1..] {
            body["mass"] = (body["mass"].as_f64().unwrap() * scale).into();
        }
        let light = run(&experiment(planar(mu, 0.0, bodies.into()), 0.005, 0.2));
        let heavy = run(&experiment(planar(mu, 0.0, heavy.into()), 0.005, 0.2));
        for (k, (a, b)) in light.moments.iter().zip(&heavy.moments).enumerate() {
            for (x, y) in a.q.iter().zip(&b.q) {
                prop_assert!((x - y).abs() < 1e-9, "step {}: {} {}", k, x, y);
            }
            let sum = |m: &vinci_tests::run::Moment| -> f64 { m.touches.iter().map(|t| t.impulse[1]).sum() };
            prop_assert!((sum(a) * scale - sum(b)).abs() < 1e-9 * scale.max(1.0), "step {}: impulses {} {}", k, sum(a) * scale, sum(b));
        }
    }
}

proptest! {
    #![proptest_config(few(5))]

    #[test]
    fn spatial_steps_are_solved_to_rounding(things in things(4), mu in 0.0..1.0_f64) {
        let run = run(&exact(experiment(spatial(mu, 0.0, spatial_bodies(&things, true).into()), 0.005, 0.35)));
        check_residuals(&run)?;
        check_total_momentum(&run)?;
        prop_assert!(touched(&run));
    }

    #[test]
    fn spatial_balls_lose_no_energy_to_nothing(things in things(4)) {
        // Balls have no gyroscopic torque and convex gaps: without friction and gravity energy never grows at all.
        let round: Vec<Thing> = things.into_iter().map(|t| Thing { round: true, ..t }).collect();
        for stepper in [ST, AP] {
            let scene = spatial(0.0, 0.0, spatial_bodies(&round, true).into());
            let run = run(&with(&without_gravity(experiment(scene, 0.01, 0.4)), stepper, "lemke"));
            for (k, pair) in run.moments.windows(2).enumerate() {
                prop_assert!(pair[1].energy <= pair[0].energy + 1e-10, "{}, step {}", stepper, k);
            }
        }
    }

    #[test]
    fn a_spatial_scene_does_not_know_north(things in things(4), turn in -3.0..3.0_f64) {
        // Without friction (whose directions a resting contact has to choose somehow) a turn about the vertical is no change.
        let bodies = spatial_bodies(&things, true);
        let before = run(&experiment(spatial(0.0, 0.0, bodies.clone().into()), 0.005, 0.2));
        let about_z = nalgebra::UnitQuaternion::from_axis_angle(&nalgebra::Vector3::z_axis(), turn);
        let mut turned = bodies;
        for body in &mut turned[1..] {
            for key in ["position", "velocity", "angular_velocity"] {
                let v = nalgebra::Vector3::from_fn(|i, _| body[key][i].as_f64().unwrap());
                body[key] = json!((about_z * v).as_slice());
            }
            let rpy = [0, 1, 2].map(|i| body["orientation"]["rpy"][i].as_f64().unwrap());
            let q = about_z * nalgebra::UnitQuaternion::from_euler_angles(rpy[0], rpy[1], rpy[2]);
            body["orientation"] = json!({"quaternion": [q.w, q.i, q.j, q.k]});
        }
        let after = run(&experiment(spatial(0.0, 0.0, turned.into()), 0.005, 0.2));
        for (k, (a, b)) in before.moments.iter().zip(&after.moments).enumerate() {
            for body in (0..a.q.len()).step_by(7) {
                let x = about_z * nalgebra::Vector3::new(a.q[body], a.q[body + 1], a.q[body + 2]);
                for i in 0..3 {
                    prop_assert!((x[i] - b.q[body + i]).abs() < 1e-9, "step {}, body {}: {} {}", k, body / 7, x[i], b.q[body + i]);
                }
            }
        }
    }
}
