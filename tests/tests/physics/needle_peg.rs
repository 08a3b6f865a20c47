//! The study `needle-peg` (Berard et al. 2007, section V-B): the plan leads the peg into the slot, by steps whose forces are checked here
//! against statics at their own scale (nN s), which the tolerances of the house's other tests do not see.

use nalgebra::{Vector2, Vector3};
use serde_json::{Value, json};
use vinci_engine::pipeline::{Simulation, StepFailure};
use vinci_tests::experiment::{set, shipped, timed};
use vinci_tests::run::{simulation, try_run};

const MICRO: f64 = 1e-6;
/// The first push ends here, s; the peg is free but for the needle.
const FREE: f64 = 7.3;

fn cross(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

fn pair(list: &[f64], k: usize) -> Vector2<f64> {
    Vector2::new(list[2 * k], list[2 * k + 1])
}

/// Steps to time `end`; `look` sees every step with the place of the peg at its start.
fn go(e: &Value, end: f64, mut look: impl FnMut(&Simulation, Vector2<f64>)) -> Simulation {
    let mut s = simulation(e);
    while s.time() < end - 1e-9 {
        let centre = Vector2::new(s.q()[0], s.q()[1]);
        let next = s.next_grid_time();
        s.advance_to(next).unwrap_or_else(|f| panic!("t = {}: {f}", s.time()));
        look(&s, centre);
    }
    s
}

/// Impulse of all contacts on the peg and its moment about a point.
fn pressed(s: &Simulation, centre: Vector2<f64>) -> (Vector2<f64>, f64) {
    let last = s.last();
    let c = &last.contacts;
    let (mut sum, mut moment) = (Vector2::zeros(), 0.0);
    for i in 0..c.len() {
        let p = &last.impulse[c.row(i)..][..c.stride()];
        let of = |list: &[f64]| Vector2::new(list[3 * i], list[3 * i + 1]);
        let on_b = of(c.normal) * p[0] + of(c.tangent) * p[1];
        let peg_is_b = s.system.bodies[c.body_b[i] as usize].name == "peg";
        let (sign, at) = if peg_is_b { (1.0, of(c.point_b)) } else { (-1.0, of(c.point_a)) };
        sum += sign * on_b;
        moment += cross(at - centre, sign * on_b);
    }
    (sum, moment)
}

#[test]
fn the_plan_leads_the_peg_into_the_slot() {
    // Home is (0, 1.5 mm, 0). Sideways the slot leaves 20 µm of play; the needle stops 2 µm short.
    let s = go(&shipped("needle-peg"), 33.3, |_, _| {});
    let q = s.q();
    assert!(q[0].abs() <= 10.0 * MICRO, "x = {}", q[0]);
    assert!((q[1] - 1500.0 * MICRO).abs() <= 5.0 * MICRO, "y = {}", q[1]);
    assert!(q[2].abs() <= 0.01, "angle = {}", q[2]);
    // The needle has let go, and the peg rests.
    assert!(q[4] < q[1] - 560.0 * MICRO && s.v()[..3].iter().all(|v| v.abs() < 1e-12), "{q:?}, {:?}", s.v());
}

#[test]
fn pushed_home_at_once_the_peg_jams() {
    // The second push goes on to where the third one ends: no velocity of the peg follows the needle.
    let dofs =
        |axis: &str, keyframes: Value| (format!("/scene/bodies/2/dofs/{axis}/position/keyframes"), keyframes);
    let mut e = shipped("needle-peg");
    let way = &e["scene"]["bodies"][2]["dofs"];
    let kept = |axis: &str, times: f64| {
        let all = way[axis]["position"]["keyframes"].as_array().unwrap();
        all.iter().filter(|k| k[0].as_f64().unwrap() < times).cloned().collect::<Vec<_>>()
    };
    let (x, mut y) = (kept("x", 17.0), kept("y", 17.0));
    y.push(json!([16.7 + (973.0 - 253.0) / 50.0, 973e-6]));
    for (path, keyframes) in [dofs("x", json!(x)), dofs("y", json!(y))] {
        e = set(&e, &path, keyframes);
    }
    let run = try_run(&timed(&set(&e, "/record", json!({})), 0.02, 31.2));
    assert!(
        matches!(run.failure, Some(StepFailure::Unsolved { .. })),
        "{:?} at {:?}",
        run.failure,
        run.end().q
    );
    let (t, q) = (run.end().t, &run.end().q);
    assert!(t > 30.0 && q[2] > 0.05, "leaning on both sides of the slot: {t} s, {q:?}");
}

#[test]
fn every_step_of_the_plan_is_in_equilibrium_and_friction_obeys_its_law() {
    let (mut slipping, mut held) = (0, 0);
    go(&shipped("needle-peg"), 33.3, |s, centre| {
        let last = s.last();
        let (mut sum, mut moment) = pressed(s, centre);
        let all: f64 = last.supports.bound.iter().map(|b| last.h * b).sum();
        for k in 0..last.supports.len() {
            let (p, bound) = (pair(last.support_impulse, k), last.h * last.supports.bound[k]);
            let nu = Vector2::from_fn(|d, _| last.supports.jacobian.row_dot(2 * k + d, last.v));
            assert!(p.norm() <= bound * (1.0 + 1e-6), "t = {}: {} beyond {bound}", last.t, p.norm());
            // What slips (faster than 1 nm/s) resists with μ N against its slip.
            if nu.norm() > 1e-9 {
                let off = (p + nu / nu.norm() * bound).norm();
                assert!(off <= 1e-4 * bound, "t = {}: off by {off} of {bound}", last.t);
                slipping += 1;
            } else {
                held += 1;
            }
            sum += p;
            moment += cross(pair(last.supports.point, k) - centre, p);
        }
        assert!(sum.norm() <= 1e-5 * all, "t = {}: {} of {all}", last.t, sum.norm());
        assert!(moment.abs() <= 1e-5 * all * 500.0 * MICRO, "t = {}: {moment}", last.t);
    });
    assert!(slipping > 1000 && held > 1000, "{slipping} slip, {held} are held");
}

/// Without friction at the needle the quasi-static step minimises Σ μ_k N_k |ν_k| over the velocities that keep to the needle. The function
/// is convex: no neighbour may be lower.
#[test]
fn a_frictionless_push_spends_the_least_power_on_the_plane() {
    let e = set(&shipped("needle-peg"), "/scene/materials/default/friction", 0.0);
    let e = set(&e, "/stepper/options/penetration_correction", 1.0);
    let mut pushed = 0;
    go(&e, 5.0, |s, centre| {
        let last = s.last();
        let c = &last.contacts;
        if c.len() != 1 || last.impulse[0] <= 0.0 {
            return;
        }
        let sign = if s.system.bodies[c.body_b[0] as usize].name == "peg" { 1.0 } else { -1.0 };
        let (n, at) =
            (sign * Vector2::new(c.normal[0], c.normal[1]), if sign > 0.0 { c.point_b } else { c.point_a });
        let row = Vector3::new(n.x, n.y, cross(Vector2::new(at[0], at[1]) - centre, n));
        let length = 300.0 * MICRO;
        let power = |v: Vector3<f64>| -> f64 {
            let of = |k: usize| {
                let r = pair(last.supports.point, k) - centre;
                last.supports.bound[k] * (v.x - v.z * r.y).hypot(v.y + v.z * r.x)
            };
            (0..last.supports.len()).map(of).sum()
        };
        let v = Vector3::new(last.v[0], last.v[1], last.v[2]);
        let needle = n.dot(&Vector2::new(last.v[3], last.v[4]));
        let gap = needle - c.gap[0] / last.h - row.dot(&v);
        assert!(gap.abs() < 1e-9, "t = {}: {gap} m/s beside the needle", last.t);
        // Directions along which the peg stays on the needle, in units of length.
        let scaled = Vector3::new(row.x, row.y, row.z / length).normalize();
        let first = scaled.cross(&Vector3::new(0.3, -0.5, 0.8)).normalize();
        let second = scaled.cross(&first);
        let (least, speed) = (power(v), v.xy().norm() + v.z.abs() * length);
        for k in 0..48 {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / 48.0).sin_cos();
            let d = first * cos + second * sin;
            for size in [1e-3, 1e-1] {
                let other = v + Vector3::new(d.x, d.y, d.z / length) * size * speed;
                assert!(
                    power(other) >= least * (1.0 - 1e-9),
                    "t = {}: {} below {least}",
                    last.t,
                    power(other)
                );
            }
            // And there is something to be seen: a tenth of the speed elsewhere costs more.
            let other = v + Vector3::new(d.x, d.y, d.z / length) * 0.1 * speed;
            assert!(power(other) > least * (1.0 + 1e-6), "t = {}: the minimum is flat along {d}", last.t);
        }
        pushed += 1;
    });
    assert!(pushed > 150, "{pushed} steps pushed");
}

#[test]
fn halving_the_step_halves_the_error() {
    let at = |h: f64, end: f64| {
        let q = go(&timed(&shipped("needle-peg"), h, 33.3), end, |_, _| {}).q().to_vec();
        Vector3::new(q[0], q[1], q[2] * 500.0 * MICRO)
    };
    for end in [FREE, 33.3] {
        let places = [0.02, 0.01, 0.005].map(|h| at(h, end));
        let (first, second) = ((places[0] - places[1]).norm(), (places[1] - places[2]).norm());
        println!("t = {end}: {first:.3e} m, {second:.3e} m");
        let ratio = second / first;
        assert!((0.35..0.65).contains(&ratio), "t = {end}: {first} m, then {second} m");
        assert!(first < MICRO, "t = {end}: {first} m");
    }
}
