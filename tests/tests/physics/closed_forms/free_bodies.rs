//! Free bodies: torque-free tops, a tumbling box, two bodies in frictional contact.

use nalgebra::{UnitQuaternion, Vector3};
use serde_json::{Value, json};
use vinci_core::state::quaternion_of;
use vinci_tests::experiment::{AP, ST, STEPPERS, experiment, for_all, ground, planar, set, spatial, with};
use vinci_tests::run::{Moment, Run, run};
use vinci_tests::{close, order};

const G: f64 = 9.81;

/// A torque-free body with principal moments `inertia`, turning at `omega`.
fn top(inertia: [f64; 3], omega: [f64; 3], h: f64, duration: f64) -> Value {
    let mut scene = spatial(
        0.5,
        0.0,
        json!([{
            "name": "top", "mass": 2.0, "inertia": inertia, "angular_velocity": omega, "velocity": [0.1, 0, 0]
        }]),
    );
    scene["gravity"] = json!([0, 0, 0]);
    experiment(scene, h, duration)
}

/// Body-frame angular velocity and world angular momentum.
fn spin(m: &Moment, inertia: [f64; 3]) -> (Vector3<f64>, Vector3<f64>) {
    let turn = quaternion_of(&m.q[3..7]);
    let omega = turn.inverse_transform_vector(&Vector3::new(m.v[3], m.v[4], m.v[5]));
    (omega, turn * omega.component_mul(&Vector3::from(inertia)))
}

/// Euler's equations in the body frame by fourth-order Runge-Kutta.
fn euler(inertia: [f64; 3], omega: Vector3<f64>, t: f64, steps: usize) -> Vector3<f64> {
    let j = Vector3::from(inertia);
    let rate = |w: &Vector3<f64>| -w.cross(&w.component_mul(&j)).component_div(&j);
    let dt = t / steps as f64;
    (0..steps).fold(omega, |w, _| {
        let k1 = rate(&w);
        let k2 = rate(&(w + k1 * (0.5 * dt)));
        let k3 = rate(&(w + k2 * (0.5 * dt)));
        let k4 = rate(&(w + k3 * dt));
        w + (k1 + 2.0 * k2 + 2.0 * k3 + k4) * (dt / 6.0)
    })
}

const BOX: [f64; 3] = [0.02, 0.05, 0.06];

/// What the implicit torque loses: Jω⁺ = Jω − h ω⁺ × Jω⁺ up to h³, and the product is perpendicular to ω⁺ and to Jω⁺, so
/// ΔT = −½ Δω·JΔω and Δ|L|² = −|JΔω|²: losses (h/2) ∫ ω̇·Jω̇ dt of T, and (h/2) ∫ |Jω̇|²/|L| dt of |L|.
fn losses(inertia: [f64; 3], omega: Vector3<f64>, h: f64, duration: f64) -> (f64, f64) {
    let j = Vector3::from(inertia);
    let (mut w, mut of_t, mut of_l) = (omega, 0.0, 0.0);
    let n = 20_000;
    let dt = duration / f64::from(n);
    let l = omega.component_mul(&j).norm();
    for _ in 0..n {
        let torque = -w.cross(&w.component_mul(&j));
        of_t += 0.5 * h * dt * torque.dot(&torque.component_div(&j));
        of_l += 0.5 * h * dt * torque.norm_squared() / l;
        w = euler(inertia, w, dt, 1);
    }
    (of_t, of_l)
}

#[test]
fn a_torque_free_box_keeps_energy_and_momentum_but_for_the_implicit_torques_losses() {
    // Six turns in general position. It may lose, as derived; it must not gain.
    let (omega, duration) = ([12.0, 3.0, 14.0], 2.0);
    let mut drifts = Vec::new();
    for h in [0.0005, 0.00025, 0.000125] {
        let run = run(&top(BOX, omega, h, duration));
        let (start, end) = (&run.moments[0], run.end());
        for pair in run.moments.windows(2) {
            assert!(
                pair[1].energy <= pair[0].energy * (1.0 + 1e-13),
                "h = {h}: energy grew at t = {}",
                pair[1].t
            );
        }
        let (lost_t, lost_l) = losses(BOX, omega.into(), h, duration);
        let found_l = spin(start, BOX).1.norm() - spin(end, BOX).1.norm();
        close(&format!("h = {h}: loss of energy"), start.energy - end.energy, lost_t, 0.1 * lost_t);
        close(&format!("h = {h}: loss of |L|"), found_l, lost_l, 0.1 * lost_l);
        drifts.push(start.energy - end.energy);
    }
    assert!(drifts[2] < 0.01 * 7.5, "{drifts:?}");
    close("order of the drift", order(&drifts), 1.0, 0.15);
}

#[test]
fn spin_about_the_axes_of_largest_and_smallest_moment_is_exact() {
    for (axis, middle) in [([0.0, 0.0, 20.0], false), ([20.0, 0.0, 0.0], false), ([0.0, 20.0, 0.0], true)] {
        let run = run(&top(BOX, axis, 0.01, 2.0));
        // Exactly about an axis nothing couples; about the middle one rounding would need longer than this to grow.
        let tolerance = if middle { 1e-6 } else { 1e-12 };
        for k in 0..3 {
            close("ω", run.end().v[3 + k], axis[k], tolerance);
        }
        close("x", run.end().q[0], 0.2, 1e-12);
    }
}

#[test]
fn spin_about_the_middle_axis_flips_as_eulers_equations_say() {
    let (start, dt) = (Vector3::new(0.05, 10.0, 0.0), 2e-4);
    let spins = std::iter::successors(Some(start), |w| Some(euler(BOX, *w, dt, 1)));
    let reference = spins.take(8000).position(|w| w.y < 0.0).expect("it flips") as f64 * dt;
    for h in [0.0005, 0.00025] {
        let run = run(&top(BOX, start.into(), h, 1.6));
        let middle: Vec<f64> = run.moments.iter().map(|m| spin(m, BOX).0.y).collect();
        let first = middle.iter().position(|w| *w < 0.0).expect("it flips");
        close(&format!("h = {h}: time of the first flip"), run.moments[first].t, reference, 60.0 * h);
        assert!(middle.iter().fold(0.0_f64, |m, w| m.min(*w)) < -9.0, "it does not flip over");
    }
}

#[test]
fn a_symmetric_top_precesses_at_its_rate() {
    // Body frame: ω⊥ turns at (J3 − J1)/J1 ω3 about the axis; world: the axis turns about L at |L|/J1.
    let (inertia, omega) = ([0.03, 0.03, 0.05], [2.0, 0.0, 15.0]);
    let body_rate = (0.05 - 0.03) / 0.03 * 15.0;
    let mut errors = Vec::new();
    for h in [0.001, 0.0005] {
        let run = run(&top(inertia, omega, h, 1.0));
        let (mut body_turn, mut world_turn) = (0.0, 0.0);
        let l = spin(&run.moments[0], inertia).1;
        let across = |m: &Moment| {
            let axis = quaternion_of(&m.q[3..7]) * Vector3::z();
            axis - l * (axis.dot(&l) / l.norm_squared())
        };
        for pair in run.moments.windows(2) {
            let (a, b) = (spin(&pair[0], inertia).0, spin(&pair[1], inertia).0);
            body_turn += (a.x * b.y - a.y * b.x).atan2(a.x * b.x + a.y * b.y);
            let (a, b) = (across(&pair[0]), across(&pair[1]));
            world_turn += a.cross(&b).dot(&l.normalize()).atan2(a.dot(&b));
            close("ω3", spin(&pair[1], inertia).0.z, 15.0, 1e-9);
        }
        close("rate in the body", body_turn, body_rate, 20.0 * h);
        close("rate in the world", world_turn, l.norm() / 0.03, 60.0 * h);
        errors.push((world_turn - l.norm() / 0.03).abs());
    }
    assert!(errors[1] < 0.7 * errors[0], "{errors:?}");
}

fn tumbling(space: &str, e: f64, h: f64) -> Value {
    let bodies = if space == "planar" {
        json!([ground(space), {
            "name": "box", "mass": 1.0, "shapes": [{"type": "box", "size": [0.3, 0.2]}],
            "position": [0, 0.6], "angle": 0.5, "velocity": [1.5, 0], "angular_velocity": -4.0
        }])
    } else {
        json!([ground(space), {
            "name": "box", "mass": 1.0, "shapes": [{"type": "box", "size": [0.3, 0.2, 0.1]}],
            "position": [0, 0, 0.6], "orientation": {"rpy": [0.5, 0.3, 0]}, "velocity": [1.0, 0.3, 0],
            "angular_velocity": [1.0, 4.0, 0.5]
        }])
    };
    let scene = if space == "planar" { planar(0.4, e, bodies) } else { spatial(0.4, e, bodies) };
    experiment(scene, h, 3.0)
}

/// Momentum changes by gravity and contact impulses only, and energy grows by no more than the scheme lets it:
///
///   ΔE = v⁺·W p − ½ |v⁺ − v|²_M,  v⁺·W_n p_n = −p_n·g_n,  v⁺·W_f p_f ≤ 0   (planar: gravity is linear in q),
///
/// so growth needs g_n < 0: a penetration that is corrected at β |ψ|/h ≤ v_corr.
fn check_balance(run: &Run, names: &str, h: f64, correction: f64) {
    for (k, pair) in run.moments.windows(2).enumerate() {
        let (a, b) = (&pair[0], &pair[1]);
        let total: [f64; 2] = [0, 1].map(|i| b.touches.iter().map(|t| t.impulse[i]).sum());
        close(&format!("{names}, step {k}: horizontal momentum"), b.v[0] - a.v[0], total[0], 1e-9);
        close(&format!("{names}, step {k}: vertical momentum"), b.v[1] - a.v[1] + G * h, total[1], 1e-9);
        let gift: f64 = b.touches.iter().map(|t| t.p_n * (correction * -t.gap / h).clamp(0.0, 0.5)).sum();
        assert!(
            b.energy <= a.energy + gift + 1e-9,
            "{names}, step {k}: {} -> {}, allowed {gift:e}",
            a.energy,
            b.energy
        );
    }
}

#[test]
fn a_tumbling_polygon_loses_energy_until_it_rests_on_a_face() {
    for (stepper, correction) in [(ST, 0.2), (AP, 0.0)] {
        let run = run(&with(&tumbling("planar", 0.0, 0.002), stepper, "lemke"));
        check_balance(&run, stepper, 0.002, correction);
        let end = run.end();
        let quarter_turns = end.q[2] / std::f64::consts::FRAC_PI_2;
        close(&format!("{stepper}: on a face"), quarter_turns, quarter_turns.round(), 2e-3);
        let height = if quarter_turns.round() as i64 % 2 == 0 { 0.1 } else { 0.15 };
        close(&format!("{stepper}: height"), end.q[1], height, 2e-3);
        close(stepper, end.v.iter().fold(0.0, |m: f64, v| m.max(v.abs())), 0.0, 1e-6);
    }
}

#[test]
fn a_bouncing_polygon_gains_no_energy_either() {
    let run = run(&set(&tumbling("planar", 0.5, 0.002), "/time/duration", 2.0));
    // Newton's law with friction may gain at an impact; this scene does not, in any step.
    let e0 = run.moments[0].energy;
    assert!(run.moments.iter().all(|m| m.energy <= e0 * (1.0 + 1e-9)));
    assert!(run.end().energy < 0.4 * e0);
}

#[test]
fn a_tumbling_box_in_space_comes_to_rest_on_a_face() {
    for stepper in STEPPERS {
        let run = run(&with(&tumbling("spatial", 0.0, 0.004), stepper, "lemke"));
        let end = run.end();
        let turn: UnitQuaternion<f64> = quaternion_of(&end.q[3..7]);
        let up = turn.inverse_transform_vector(&Vector3::z());
        let (axis, most) = (0..3).map(|k| (k, up[k].abs())).max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        close(&format!("{stepper}: on a face, {up:?}"), most, 1.0, 1e-4);
        close(&format!("{stepper}: height"), end.q[2], [0.15, 0.1, 0.05][axis], 4e-3);
        close(stepper, end.v.iter().fold(0.0, |m: f64, v| m.max(v.abs())), 0.0, 1e-5);
        let start = run.moments[0].energy;
        assert!(run.moments.iter().all(|m| m.energy <= start * 1.001), "{stepper}: energy grew");
    }
}

/// Total linear and angular momentum (about the origin) of free planar bodies or spatial balls.
fn totals(run: &Run, m: &Moment) -> ([f64; 3], [f64; 3]) {
    let system = &run.simulation.system;
    let (nq, nv, dim) = (system.space.nq(), system.space.nv(), system.space.dim());
    let (mut p, mut l) = (Vector3::zeros(), Vector3::zeros());
    for b in 0..system.n_blocks() {
        let mass = &system.body_of(b).expect("a body").mass;
        let vector = |list: &[f64]| Vector3::from_fn(|i, _| if i < dim { list[i] } else { 0.0 });
        let (x, v) = (vector(&m.q[b * nq..]), vector(&m.v[b * nv..]));
        p += v * mass.mass;
        l += x.cross(&v) * mass.mass;
        if dim == 2 {
            l.z += mass.moment() * m.v[b * nv + 2];
        } else {
            // A ball's inertia is the same in all axes.
            l += Vector3::from_row_slice(&m.v[b * nv + 3..][..3]) * mass.inertia[(0, 0)];
        }
    }
    (p.into(), l.into())
}

/// Two round bodies touch and rub; both spin.
fn rubbing(space: &str, gap: f64) -> Value {
    let scene = if space == "planar" {
        planar(
            0.6,
            0.0,
            json!([
                {"name": "one", "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.5}], "position": [0, 0],
                 "velocity": [0.3, 0.2], "angular_velocity": 3.0},
                {"name": "two", "mass": 2.5, "shapes": [{"type": "disc", "radius": 0.25}], "position": [0.75 + gap, 0],
                 "velocity": [-0.6, 0.1], "angular_velocity": 5.0}
            ]),
        )
    } else {
        spatial(
            0.6,
            0.0,
            json!([
                {"name": "one", "mass": 1.0, "shapes": [{"type": "ball", "radius": 0.5}], "position": [0, 0, 0],
                 "velocity": [0.3, 0.2, -0.4], "angular_velocity": [1.0, 3.0, 2.0]},
                {"name": "two", "mass": 2.5, "shapes": [{"type": "ball", "radius": 0.25}], "position": [0.75 + gap, 0, 0],
                 "velocity": [-0.6, 0.1, 0.3], "angular_velocity": [5.0, -1.0, 4.0]}
            ]),
        )
    };
    let mut e = experiment(scene, 0.01, 0.2);
    e["scene"]["gravity"] = if space == "planar" { json!([0, 0]) } else { json!([0, 0, 0]) };
    e
}

#[test]
fn two_bodies_that_rub_keep_their_momentum_and_angular_momentum() {
    // L changes by (β − α) × p = ψ n × p_t: friction at a gap ψ ≠ 0 acts on the two bodies in different lines. At ψ = 0 it
    // is constant; else it is off by just this, which is all that is off.
    for space in ["planar", "spatial"] {
        for gap in [0.0, 0.004] {
            for_all(&rubbing(space, gap), |e, names| {
                let run = run(e);
                let rubbed = run.moments.iter().any(|m| m.touches.iter().any(|t| t.impulse[1].abs() > 0.01));
                assert!(rubbed, "{space} {names}: they must touch and rub");
                for pair in run.moments.windows(2) {
                    let ((p0, l0), (p1, l1)) = (totals(&run, &pair[0]), totals(&run, &pair[1]));
                    let couple = pair[1].touches.iter().fold(Vector3::zeros(), |sum, t| {
                        sum + (Vector3::from(t.point_b) - Vector3::from(t.point_a))
                            .cross(&Vector3::from(t.impulse))
                    });
                    for i in 0..3 {
                        close(&format!("{space} {names}: P[{i}]"), p1[i], p0[i], 1e-12);
                        close(&format!("{space} {names}: L[{i}]"), l1[i] - l0[i], couple[i], 1e-12);
                    }
                    if gap == 0.0 && pair[0].t == 0.0 {
                        close("no couple at a closed contact", couple.norm(), 0.0, 1e-14);
                    }
                }
            });
        }
    }
}
