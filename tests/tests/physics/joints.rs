//! Point joints and torsion springs: pendulums against their equation of motion, drift, the torsion oscillator.

use serde_json::{Value, json};
use vinci_tests::experiment::{AP, ST, experiment, planar, set, spatial, with};
use vinci_tests::run::{prepared, run};
use vinci_tests::{close, order};

const G: f64 = 9.81;

/// A rod of mass m and length 2 l hung by its end, released at angle θ0 from hanging.
fn pendulum(theta: f64) -> Value {
    let l = 0.5;
    let mut scene = planar(
        0.5,
        0.0,
        json!([{
            "name": "rod", "mass": 0.8, "inertia": 0.8 * l * l / 3.0,
            "shapes": [{"type": "box", "size": [0.05, 2.0 * l]}],
            "position": [l * theta.sin(), -l * theta.cos()], "angle": theta,
        }]),
    );
    scene["joints"] = json!([{"name": "hinge", "bodies": [null, "rod"], "anchors": [[0, 0], [0, l]]}]);
    scene
}

/// θ̈ = −(3 g/(4 l)) sin θ by velocity Verlet with steps that make it exact to 1e-10.
fn reference(theta: f64, duration: f64) -> f64 {
    let (mut theta, mut omega, n) = (theta, 0.0_f64, 200_000);
    let h = duration / f64::from(n);
    let a = |theta: f64| -0.75 * G / 0.5 * theta.sin();
    for _ in 0..n {
        omega += 0.5 * h * a(theta);
        theta += h * omega;
        omega += 0.5 * h * a(theta);
    }
    theta
}

#[test]
fn a_hinged_rod_swings_as_its_equation_says_with_order_one() {
    let (theta, t) = (1.0, 0.6);
    let exact = reference(theta, t);
    for stepper in [ST, AP, "trapezoidal"] {
        for solver in ["lemke", "newton"] {
            let error = |n: usize| {
                let run = run(&with(&experiment(pendulum(theta), t / n as f64, t), stepper, solver));
                let drift = run.simulation.system.joint_drift(&run.end().q);
                assert!(drift < 2.0 * (t / n as f64).powi(2) * G, "{stepper}, {solver}: drift {drift}");
                (run.end().q[2] - exact).abs()
            };
            let errors = [error(60), error(120), error(240)];
            let p = order(&errors);
            assert!(p > 0.9 && errors[2] < 0.01, "{stepper}, {solver}: order {p} from {errors:?}");
        }
    }
}

#[test]
fn a_ball_joint_holds_a_spherical_pendulum() {
    let mut scene = spatial(
        0.5,
        0.0,
        json!([{
            "name": "bob", "mass": 0.8, "shapes": [{"type": "ball", "radius": 0.1}],
            "position": [0.6, 0, -0.8], "velocity": [0, 1.5, 0], "angular_velocity": [-1.2, 0, -0.9],
        }]),
    );
    scene["joints"] = json!([{"bodies": [null, "bob"], "anchors": [[0, 0, 0], [-0.6, 0, 0.8]]}]);
    let run = run(&experiment(scene, 1e-3, 1.0));
    let first = run.first().energy;
    for m in &run.moments {
        close("distance", (m.q[0].powi(2) + m.q[1].powi(2) + m.q[2].powi(2)).sqrt(), 1.0, 1e-4);
        close("energy", m.energy, first, 0.02 * first.abs());
    }
}

/// Torque-free about the joint: two rods hinged to each other keep momentum and angular momentum.
#[test]
fn a_joint_between_two_free_bodies_is_action_and_reaction() {
    let rod = |name: &str, x: f64, omega: f64| {
        json!({"name": name, "mass": 1.0, "inertia": 0.1, "shapes": [{"type": "box", "size": [0.8, 0.05]}],
               "position": [x, 0], "velocity": [0.3, omega * 0.5 * x.signum()], "angular_velocity": omega})
    };
    let mut scene = planar(0.5, 0.0, json!([rod("a", -0.5, 2.0), rod("b", 0.5, 2.0)]));
    scene["gravity"] = json!([0, 0]);
    scene["joints"] = json!([{"bodies": ["a", "b"], "anchors": [[0.5, 0], [-0.5, 0]]}]);
    scene["ignore_contacts"] = json!([["a", "b"]]);
    let run = run(&experiment(scene, 1e-3, 0.5));
    let momenta = |q: &[f64], v: &[f64]| {
        let spin: f64 = [0, 3].iter().map(|&i| q[i] * v[i + 1] - q[i + 1] * v[i] + 0.1 * v[i + 2]).sum();
        [v[0] + v[3], v[1] + v[4], spin]
    };
    let first = momenta(&run.first().q, &run.first().v);
    for m in &run.moments {
        let now = momenta(&m.q, &m.v);
        close("px", now[0], first[0], 1e-12);
        close("py", now[1], first[1], 1e-12);
        // L = Σ r × m v changes by h v × m v⁺ …, which vanishes to first order only.
        close("L", now[2], first[2], 5e-3 * first[2].abs());
    }
}

/// J θ̈ = −k θ − c θ̇ under backward Euler: θ⁺ = θ + h ω⁺, ω⁺ = (J ω − h k θ)/(J + h c + h² k), to rounding.
#[test]
fn a_torsion_spring_follows_its_discrete_oscillator() {
    let (j, k, c, rest, h) = (0.2, 3.0, 0.05, 0.4, 0.01);
    let mut scene = planar(
        0.5,
        0.0,
        json!([{
            "name": "wheel", "mass": 1.0, "inertia": j, "shapes": [{"type": "disc", "radius": 0.3}], "position": [0, 0],
            "angle": 1.0, "angular_velocity": -0.5,
        }]),
    );
    scene["gravity"] = json!([0, 0]);
    scene["torsion_springs"] =
        json!([{"bodies": [null, "wheel"], "stiffness": k, "damping": c, "rest_angle": rest}]);
    let run = run(&experiment(scene, h, 2.0));
    let (mut theta, mut omega) = (1.0, -0.5);
    for m in &run.moments[1..] {
        omega = (j * omega - h * k * (theta - rest)) / (j + h * c + h * h * k);
        theta += h * omega;
        close("angle", m.q[2], theta, 1e-12);
    }
    let potential = 0.5 * k * (theta - rest) * (theta - rest);
    close("energy", run.end().energy, 0.5 * j * omega * omega + potential, 1e-12);
}

#[test]
#[should_panic(expected = "this joint joins body `rod` to itself")]
fn a_joint_of_a_body_with_itself_is_refused() {
    let mut scene = pendulum(0.3);
    scene["joints"][0]["bodies"] = json!(["rod", "rod"]);
    prepared(&experiment(scene, 0.01, 0.1));
}

#[test]
#[should_panic(expected = "torsion springs join angles, and bodies in space have none")]
fn torsion_springs_in_space_are_refused() {
    let mut scene = spatial(
        0.5,
        0.0,
        json!([{
            "name": "bob", "mass": 0.8, "shapes": [{"type": "ball", "radius": 0.1}], "position": [0, 0, 1],
        }]),
    );
    scene["torsion_springs"] = json!([{"bodies": [null, "bob"], "stiffness": 1.0}]);
    prepared(&experiment(scene, 0.01, 0.1));
}

/// A disc on an arm hits a wall. The hinge is open a little and its row takes that back in the impact as well, so that it does
/// work; together with the contact's that is all of the change of kinetic energy.
#[test]
fn the_energy_change_of_an_impact_counts_the_impulses_of_joints() {
    let mut scene = planar(
        0.4,
        0.5,
        json!([
            {"name": "wall", "static": true, "position": [1.6, 0], "shapes": [{"type": "box", "size": [0.2, 8]}]},
            {"name": "disc", "mass": 2, "shapes": [{"type": "disc", "radius": 0.3}], "position": [0.5, -1.4],
             "velocity": [5.6, 2.0], "angular_velocity": 4.0},
        ]),
    );
    scene["joints"] = json!([{"bodies": [null, "disc"], "anchors": [[0, 0], [-0.5, 1.4]]}]);
    let e = with(&experiment(scene, 0.01, 0.6), AP, "lemke");
    let run = run(&set(&e, "/time/events", "backup"));
    let system = &run.simulation.system;
    let mut hits = 0;
    for pair in run.moments.windows(2) {
        let (mut v, mut work) = (pair[0].v.clone(), 0.0);
        for impact in &pair[1].impacts {
            let change = system.energy(&impact.q, &impact.v) - system.energy(&impact.q, &v);
            close("energy", impact.energy_change, change, 1e-10);
            work += impact.energy_change.abs();
            v.clone_from(&impact.v);
            hits += 1;
        }
        assert!(pair[1].impacts.is_empty() || work > 0.1, "an impact that matters: {work}");
    }
    assert!(hits > 0, "it hits the wall");
}
