//! Patches in space: beds of springs, elastic half-spaces, drilling friction, micro-slip; each against its closed form.

use std::f64::consts::PI;

use serde_json::{Value, json};
use vinci_core::referee::Criterion;
use vinci_engine::pipeline::ContactEventKind;
use vinci_tests::close;
use vinci_tests::experiment::{AP, ST, experiment, ground, spatial, with};
use vinci_tests::run::{Moment, Run, run};

pub(crate) const SPK: &str = "song-pang-kumar";
/// Radius of the balls, and how deep they are pressed in, m.
pub(crate) const R: f64 = 0.1;
const DEPTH: f64 = 5e-4;

/// An experiment whose ground, a plane, and part meet in patches.
fn patches(part: Value, law: Value, mu: f64, options: Value, times: (f64, f64)) -> Value {
    patches_on(json!([ground("spatial"), part]), law, mu, options, times)
}

/// An experiment whose last body meets all others in patches.
pub(crate) fn patches_on(
    bodies: Value,
    law: Value,
    mu: f64,
    options: Value,
    (h, duration): (f64, f64),
) -> Value {
    let names: Vec<Value> = bodies.as_array().unwrap().iter().map(|body| body["name"].clone()).collect();
    let (part, grounds) = names.split_last().unwrap();
    let mut scene = spatial(mu, 0.0, bodies.clone());
    let patch = |name: &Value| {
        let mut patch = law.clone();
        patch["bodies"] = json!([name, part]);
        patch
    };
    scene["patches"] = grounds.iter().map(patch).collect();
    let mut all = json!({ "kappa": null });
    options.as_object().unwrap().iter().for_each(|(key, value)| all[key] = value.clone());
    let mut e = with(&experiment(scene, h, duration), SPK, "nsgs");
    e["stepper"]["options"] = all;
    e
}

/// A ball held as deep in the ground as this, off the grid's symmetry, with other dofs as given.
fn ball(depth: f64, dofs: Value) -> Value {
    let mut all =
        json!({"x": "locked", "y": "locked", "z": "locked", "rx": "locked", "ry": "locked", "rz": "locked"});
    dofs.as_object().unwrap().iter().for_each(|(key, value)| all[key] = value.clone());
    json!({"name": "part", "mass": 1, "position": [3e-4, 2e-4, R - depth], "gravity": false, "dofs": all,
        "shapes": [{"type": "ball", "radius": R}]})
}

/// Force of the ground on the part, N.
pub(crate) fn force(moment: &Moment) -> [f64; 3] {
    std::array::from_fn(|k| moment.touches.iter().map(|t| t.impulse[k]).sum::<f64>() / moment.h)
}

fn pressed(moment: &Moment) -> usize {
    moment.touches.iter().filter(|t| t.p_n > 0.0).count()
}

/// The referee finds the law of the layers in every step.
pub(crate) fn lawful(run: &Run) {
    let off = run.moments.iter().map(|m| m.report.findings.of(Criterion::ForceLaw).value).fold(0.0, f64::max);
    assert!(off < 1e-6, "{off:e}");
}

/// F = π k (R δ² − δ³/3), which is π k R δ² for shallow dents, and a² = 2 R δ − δ².
#[test]
fn a_ball_on_a_bed_of_springs() {
    let k = 1e9;
    let expected = PI * k * (R * DEPTH.powi(2) - DEPTH.powi(3) / 3.0);
    let radius = (2.0 * R * DEPTH - DEPTH * DEPTH).sqrt();
    close("for shallow dents", expected / (PI * k * R * DEPTH * DEPTH), 1.0, 2e-3);
    for cell in [2e-3, 1e-3, 5e-4] {
        let run = run(&patches(
            ball(DEPTH, json!({})),
            json!({"cell": cell, "stiffness": k}),
            0.3,
            json!({}),
            (0.01, 0.01),
        ));
        let found = force(run.end());
        let a = (pressed(run.end()) as f64 * cell * cell / PI).sqrt();
        println!("cell {cell}: force off {:e}, radius off {:e}", found[2] / expected - 1.0, a / radius - 1.0);
        // Of second order in the cell; the radius is that of a circle with the area of the cells that press.
        let fine: f64 = cell / radius;
        close("force", found[2] / expected, 1.0, 0.1 * fine * fine);
        close("radius", a / radius, 1.0, 0.5 * fine);
        lawful(&run);
    }
}

/// Hertz: F = 4/3 E* √R δ^1.5, a = √(R δ), with half-spaces below and next to no bed.
#[test]
fn a_ball_on_a_half_space() {
    let modulus = 1e9;
    let expected = 4.0 / 3.0 * modulus * R.sqrt() * DEPTH.powf(1.5);
    let radius = (R * DEPTH).sqrt();
    for cell in [2e-3, 1e-3, 7e-4] {
        let law = json!({"cell": cell, "stiffness": 1e15});
        let run =
            run(&patches(ball(DEPTH, json!({})), law, 0.0, json!({"half_space": modulus}), (0.01, 0.01)));
        let found = force(run.end());
        let a = (pressed(run.end()) as f64 * cell * cell / PI).sqrt();
        println!("cell {cell}: force off {:e}, radius off {:e}", found[2] / expected - 1.0, a / radius - 1.0);
        // Of second order in the cell; the radius is that of a circle with the area of the cells that press.
        let fine: f64 = cell / radius;
        close("force", found[2] / expected, 1.0, 0.1 * fine * fine);
        close("radius", a / radius, 1.0, 0.5 * fine);
        lawful(&run);
    }
}

/// A spinning part: the moment of friction while all of the patch slips, from how fast it is braked, N m.
fn braking(run: &Run, inertia: f64, (from, to): (usize, usize)) -> f64 {
    let (a, b) = (&run.moments[from], &run.moments[to]);
    inertia * (a.v[5] - b.v[5]) / (b.t - a.t)
}

/// When a spin has ended, s.
fn stops(run: &Run) -> f64 {
    run.moments.iter().find(|m| m.v[5] <= 0.0).map_or(f64::INFINITY, |m| m.t)
}

/// On a bed the pressure is a paraboloid: M = 8/15 μ N a, and the spin ends after I ω/M.
#[test]
fn a_ball_on_a_bed_spins_down() {
    let (k, mu, spin) = (1e9, 0.3, 15.0);
    let mut part = ball(DEPTH, json!({"rz": "free"}));
    part["angular_velocity"] = json!([0, 0, spin]);
    let run = run(&patches(
        part,
        json!({"cell": 1e-3, "stiffness": k}),
        mu,
        json!({"friction": "cone"}),
        (5e-3, 0.6),
    ));
    let load = PI * k * R * DEPTH * DEPTH;
    let moment = 8.0 / 15.0 * mu * load * (2.0 * R * DEPTH).sqrt();
    let inertia = 0.4 * R * R;
    let found = braking(&run, inertia, (20, 80));
    println!(
        "moment off {:e}, stop {} s for {} s",
        found / moment - 1.0,
        stops(&run),
        inertia * spin / moment
    );
    close("moment", found / moment, 1.0, 1e-2);
    close("stop", stops(&run) * moment / (inertia * spin), 1.0, 2e-2);
    lawful(&run);
}

/// On a half-space the pressure is Hertz's: M = 3π/16 μ N a.
#[test]
fn a_ball_on_a_half_space_spins_down() {
    let (modulus, mu, spin) = (1e7, 0.3, 20.0);
    let mut part = ball(DEPTH, json!({"rz": "free"}));
    part["angular_velocity"] = json!([0, 0, spin]);
    let law = json!({"cell": 1.4e-3, "stiffness": 1e13});
    let options = json!({"half_space": modulus, "friction": "cone"});
    let run = run(&patches(part, law, mu, options, (5e-3, 0.25)));
    let load = 4.0 / 3.0 * modulus * R.sqrt() * DEPTH.powf(1.5);
    let moment = 3.0 * PI / 16.0 * mu * load * (R * DEPTH).sqrt();
    let found = braking(&run, 0.4 * R * R, (20, 50));
    println!("moment off {:e}", found / moment - 1.0);
    close("moment", found / moment, 1.0, 2e-2);
    lawful(&run);
}

/// A flat prism of 64 sides under its weight: uniform pressure, M = 2/3 μ N a.
#[test]
fn a_flat_part_spins_down() {
    let (a, mu, mass, spin, inertia) = (0.05, 0.4, 2.0, 20.0, 2.5e-3);
    let corner = |k: usize, z: f64| {
        let (sin, cos) = (2.0 * PI * k as f64 / 64.0).sin_cos();
        json!([a * cos, a * sin, z])
    };
    let points: Vec<Value> = (0..64).flat_map(|k| [corner(k, -0.01), corner(k, 0.01)]).collect();
    let k = 1e8;
    let area = 32.0 * a * a * (2.0 * PI / 64.0).sin();
    let sag = mass * 9.81 / (k * area);
    let part = json!({"name": "part", "mass": mass, "inertia": [1.3e-3, 1.3e-3, inertia], "position": [0, 0, 0.01 - sag],
        "angular_velocity": [0, 0, spin], "shapes": [{"type": "convex-hull", "points": points}]});
    let run = run(&patches(
        part,
        json!({"cell": 5e-3, "stiffness": k, "damping": 1e5}),
        mu,
        json!({"friction": "cone"}),
        (0.005, 0.35),
    ));
    let moment = 2.0 / 3.0 * mu * mass * 9.81 * a;
    let found = braking(&run, inertia, (10, 30));
    println!(
        "moment off {:e}, stop {} s for {} s",
        found / moment - 1.0,
        stops(&run),
        inertia * spin / moment
    );
    close("load", force(run.end())[2], mass * 9.81, 1e-3);
    close("moment", found / moment, 1.0, 1e-2);
    close("stop", stops(&run) * moment / (inertia * spin), 1.0, 3e-2);
    lawful(&run);
}

/// A square part that is held at a tilt and drawn along: pressure k (d + θ x). Nodes slip where μ (d + θ x) < r u, from the edge that is
/// pressed least, and the force is b ∫ min(r k u, μ k (d + θ x)) dx; all slips at μ N.
#[test]
fn a_square_patch_slips_from_its_edge() {
    let (side, k, mu, ratio, d, tilt): (f64, f64, f64, f64, f64, f64) = (0.1, 1e8, 0.5, 0.8, 1e-4, 1e-3);
    let frames = json!([[0, 0], [1, 2e-4]]);
    let part = json!({"name": "part", "mass": 1, "gravity": false, "position": [0, 0, 0.05 * tilt.cos() - d],
        "orientation": {"axis": [0, 1, 0], "angle": tilt}, "shapes": [{"type": "box", "size": [side, side, side]}],
        "dofs": {"x": {"position": {"keyframes": frames, "interpolation": "linear"}},
                 "y": "locked", "z": "locked", "rx": "locked", "ry": "locked", "rz": "locked"}});
    let law = json!({"cell": 0.01, "stiffness": k});
    let run =
        run(&patches(part, law, mu, json!({"tangential_ratio": ratio, "friction": "cone"}), (0.02, 1.0)));
    let (n, cell) = (10, 0.01);
    let row = |i: usize| d + tilt * (cell * (i as f64 + 0.5) - side / 2.0);
    for moment in &run.moments[1..] {
        let u = 2e-4 * moment.t;
        let nodes: f64 = (0..n).map(|i| side * cell * k * (ratio * u).min(mu * row(i))).sum();
        close("force of the nodes", -force(moment)[0], nodes, 2e-4 * nodes);
        // Slip begins where μ (d + θ x) = r u.
        let front = ((ratio * u / mu - d) / tilt + side / 2.0).clamp(0.0, side);
        let whole = side
            * k
            * (mu * (d - tilt * side / 2.0) * front
                + mu * tilt * front * front / 2.0
                + ratio * u * (side - front));
        close("closed form", -force(moment)[0] / whole, 1.0, 3e-3);
        let sticks = moment.touches.iter().filter(|t| t.slip < 1e-6).count();
        assert!(
            (sticks as f64 / 10.0 - (side - front) / cell).abs() <= 1.0,
            "{sticks} stick, front at {front}"
        );
    }
    close("all slips", -force(run.end())[0] / (mu * force(run.end())[2]), 1.0, 1e-9);
    assert!(run.moments[20].touches.iter().any(|t| t.slip < 1e-6), "some stick while others slip");
    lawful(&run);
}

/// Cattaneo and Mindlin: Q = μ P (1 − (1 − r u/(μ δ))^1.5), the stick zone has the radius c = a √(1 − r u/(μ δ)).
#[test]
fn a_ball_on_a_half_space_slips_from_the_rim() {
    let (modulus, mu, ratio, cell) = (1e7, 0.4, 0.85, 1e-3);
    let full = mu * DEPTH / ratio;
    let dofs = json!({"x": {"position": {"keyframes": [[0, 3e-4], [0.1, 3e-4 + 1.2 * full]], "interpolation": "linear"}}});
    let law = json!({"cell": cell, "stiffness": 1e13});
    let options = json!({"half_space": modulus, "tangential_ratio": ratio, "friction": "cone"});
    let run = run(&patches(ball(DEPTH, dofs), law, mu, options, (0.01, 0.1)));
    for moment in &run.moments[1..] {
        let left = (1.0 - 1.2 * moment.t / 0.1).max(0.0);
        let [q, _, p] = force(moment);
        let sticks = moment.touches.iter().filter(|t| t.p_n > 0.0 && t.slip < 1e-4 * full / 0.1).count();
        let c = (sticks as f64 * cell * cell / PI).sqrt();
        println!(
            "u/u_full {:.2}: Q/(μ P) {:.5} for {:.5}, c/a {:.3} for {:.3}",
            1.0 - left,
            -q / (mu * p),
            1.0 - left.powf(1.5),
            c / (R * DEPTH).sqrt(),
            left.sqrt()
        );
        close("Q", -q / (mu * p), 1.0 - left.powf(1.5), 1e-3);
        close("c", c / (R * DEPTH).sqrt(), left.sqrt(), 0.05);
    }
    lawful(&run);
}

/// A ball that rolls keeps on rolling: nodes come in in front and go behind, and none is left.
#[test]
fn a_ball_rolls_over_the_grid() {
    let mut part = ball(DEPTH, json!({"x": "free", "ry": "free"}));
    part["velocity"] = json!([0.1, 0, 0]);
    part["angular_velocity"] = json!([0, 0.1 / R, 0]);
    let run = run(&patches(part, json!({"cell": 2e-3, "stiffness": 1e7}), 0.5, json!({}), (0.002, 0.4)));
    let end = run.end();
    assert!(end.q[0] > 0.03, "{:?}", end.q);
    let slip = (end.v[0] - R * end.v[4]).abs();
    // Braked by N h v, as the page says: v₀ exp(−N h t/1.4 m R).
    let load = force(end)[2];
    let speed = 0.1 * (-load * 0.002 * 0.4 / (1.4 * R)).exp();
    println!("speed {} for {speed} of 0.1 m/s, slip {slip:e}", end.v[0]);
    assert!(slip < 3e-4, "{slip}");
    close("speed", (0.1 - end.v[0]) / (0.1 - speed), 1.0, 0.2);
    lawful(&run);
}

/// To a rigid stepper nodes are contacts like others: a block on its patch is where it is without one.
#[test]
fn nodes_are_contacts_to_rigid_steppers() {
    let part = json!({"name": "part", "mass": 1, "position": [0, 0, 0.05], "velocity": [1, 0, 0],
        "shapes": [{"type": "box", "size": [0.2, 0.2, 0.1]}]});
    let many = patches(part, json!({"cell": 0.05, "stiffness": 1e8}), 0.4, json!({}), (0.01, 0.2));
    let mut many = with(&many, ST, "nsgs");
    many["stepper"]["options"] = json!({});
    let mut few = many.clone();
    few["scene"].as_object_mut().unwrap().remove("patches");
    let (many, few) = (run(&many), run(&few));
    assert_eq!((many.end().touches.len(), few.end().touches.len()), (16, 4));
    for (a, b) in many.end().q.iter().zip(&few.end().q) {
        close("place", *a, *b, 1e-6);
    }
}

/// A ball beside the middle of a cell lands when it comes down on the node there, 0.25 mm lower than it would touch the ground.
#[test]
fn landings_on_nodes_are_located() {
    let part = json!({"name": "part", "mass": 1, "position": [5e-3, 5e-3, R + 0.02], "shapes": [{"type": "ball", "radius": R}]});
    let e = patches(part, json!({"cell": 0.02, "stiffness": 1e8}), 0.4, json!({}), (0.01, 0.08));
    let mut e = with(&e, AP, "nsgs");
    e["stepper"]["options"] = json!({});
    e["time"]["events"] = "backup".into();
    let run = run(&e);
    let lands = |m: &&Moment| m.events.iter().any(|event| event.kind == ContactEventKind::Contact);
    let landed = run.moments.iter().find(lands).expect("it lands");
    close("height", landed.q[2], (R * R - 5e-5).sqrt(), 1e-7);
    assert_eq!(run.simulation.counts.floored, 0, "{:?}", run.simulation.counts);
}

/// Under laws of every contact by itself nodes are as many springs: a ball at rest on its bed of TAMSI sinks in until they carry it.
#[test]
fn nodes_are_springs_to_tamsi() {
    let part = json!({"name": "part", "mass": 1, "position": [3e-4, 2e-4, R], "shapes": [{"type": "ball", "radius": R}]});
    let (k, cell) = (1e8, 2e-3);
    let mut e = patches(part, json!({"cell": cell, "stiffness": k}), 0.3, json!({}), (1e-3, 0.5));
    e["scene"]["materials"]["default"]["dissipation"] = 10.into();
    let mut e = with(&e, "tamsi", "newton-tals");
    e["stepper"]["options"] = json!({});
    let run = run(&e);
    // π k R δ² of a bed, m g of the ball.
    let depth = (9.81 / (PI * k * R)).sqrt();
    println!("{} of {depth} m deep", R - run.end().q[2]);
    close("depth", (R - run.end().q[2]) / depth, 1.0, 0.02);
    assert!(run.moments.iter().all(|m| m.report.findings.of(Criterion::Repeated).value == 0.0));
}

/// Runs an experiment with patches: the part of the energy that contacts created, at worst, and the run. It is not judged.
fn created(e: &Value, steps: usize) -> (f64, Run) {
    let mut run = Run::of(vinci_tests::run::simulation(e));
    run.go_on(steps);
    let worst =
        run.moments.iter().map(|m| m.report.findings.of(Criterion::Created).value).fold(0.0, f64::max);
    (worst, run)
}

/// A ball that is pressed into the rim of a table, one soft contact, and comes upon the side: there all nodes begin in overlap. That energy
/// was not told, since every node was credited with its own.
#[test]
fn nodes_that_begin_in_overlap_are_told_as_created_energy() {
    let rolling = |x: f64| {
        let part = json!({"name": "part", "mass": 1, "position": [x, 0.013, R], "velocity": [0.3, 0, -0.5], "angular_velocity": [0, 3, 0],
            "shapes": [{"type": "ball", "radius": R}]});
        let table = json!({"name": "ground", "static": true, "position": [0.5, 0, -0.1],
            "shapes": [{"type": "box", "size": [1, 1, 0.2]}]});
        let law = json!({"cell": 0.01, "stiffness": 9e6});
        created(&patches_on(json!([table, part]), law, 0.5, json!({}), (5e-4, 0.03)), 60).0
    };
    let (rim, side) = (rolling(-0.005), rolling(0.2));
    println!("created {rim} where a ball comes from beyond the rim, {side} on the side");
    assert!(rim > 0.1 && side < 0.01, "{rim} {side}");
}

/// A cube that falls over from an edge or a corner goes from nodes of one face to nodes of all of it, or of the next face: its contacts make no
/// energy, and what it has falls.
#[test]
fn a_cube_that_tips_over_gains_nothing() {
    for (tilt, axis) in [(0.15, [0, 1, 0]), (0.6, [0, 1, 0]), (0.9, [0, 1, 0]), (0.8, [1, 2, 0])] {
        let part = json!({"name": "part", "mass": 1, "position": [0, 0, 0.09], "orientation": {"axis": axis, "angle": tilt},
            "angular_velocity": [3, 12, 1], "velocity": [0.5, 0, 0], "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1]}]});
        let e = patches(part, json!({"cell": 0.01, "stiffness": 9e6}), 0.5, json!({}), (5e-4, 0.3));
        let (worst, run) = created(&e, 600);
        let energy = |m: &Moment| {
            let turning = m.v[3..6].iter().map(|w| w * w).sum::<f64>() / 600.0;
            0.5 * (m.v[..3].iter().map(|v| v * v).sum::<f64>() + turning) + 9.81 * m.q[2]
        };
        let (first, last) = (energy(&run.moments[0]), energy(run.end()));
        println!("{axis:?} {tilt}: created {worst:e}, energy {first} -> {last} J");
        assert!(worst < 0.01 && last < first, "{axis:?} {tilt}: {worst} {first} {last}");
        let most = run.moments.iter().map(energy).fold(0.0, f64::max);
        assert!(most < first + 1e-3, "{axis:?} {tilt}: {first} J became {most} J");
        lawful(&run);
    }
}

/// A ball rolls over the seam of two flush shapes of a table as over one side: its grid has cells in the same places.
#[test]
fn a_ball_rolls_over_a_seam_as_over_one_side() {
    let rolled = |shapes: Value| {
        let part = json!({"name": "part", "mass": 1, "position": [-0.05, 0.013, R - 5e-4], "velocity": [1, 0, 0], "angular_velocity": [0, 10, 0],
            "shapes": [{"type": "ball", "radius": R}]});
        let table = json!({"name": "ground", "static": true, "shapes": shapes});
        let law = json!({"cell": 0.01, "stiffness": 1e7});
        run(&patches_on(json!([table, part]), law, 0.5, json!({}), (1e-3, 0.1)))
    };
    let half = |x: f64| json!({"type": "box", "size": [0.5, 1, 0.2], "position": [x, 0, -0.1]});
    let one = rolled(json!([{"type": "box", "size": [1, 1, 0.2], "position": [0, 0, -0.1]}]));
    let two = rolled(json!([half(-0.25), half(0.25)]));
    let apart = |a: &Moment, b: &Moment| a.v.iter().zip(&b.v).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
    let most = one.moments.iter().zip(&two.moments).map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
    println!("velocities differ by {most:e}, x = {}", two.end().q[0]);
    assert!(two.end().q[0] > 0.02 && most < 1e-6, "{most:e}");
    lawful(&two);
}

/// A cube with one cell on a face stores more in it as the face lies down: that energy is told, and the run is refused.
#[test]
fn what_growing_areas_give_to_a_tumbling_cube_is_told() {
    let tumbling = |cell: f64| {
        let part = json!({"name": "part", "mass": 1, "position": [0, 0, 0.09], "orientation": {"axis": [0, 1, 0], "angle": 0.6},
            "angular_velocity": [2, 15, 1], "velocity": [1, 0, 0], "shapes": [{"type": "box", "size": [0.1, 0.1, 0.1]}]});
        created(&patches(part, json!({"cell": cell, "stiffness": 2e6}), 0.5, json!({}), (5e-4, 0.4)), 800).0
    };
    let (coarse, fine) = (tumbling(0.1), tumbling(0.02));
    assert!(coarse > 0.01 && fine < 1e-4, "{coarse} {fine}");
}
