//! The trapezoidal stepper: order two on smooth motion against closed forms and an independent integrator, order one of its
//! siblings on the same scenes, stiff springs as links.

use nalgebra::Vector3;
use serde_json::{Value, json};
use vinci_core::referee::Criterion;
use vinci_tests::experiment::{ST, experiment, ground, planar, set, shipped, spatial, timed, with};
use vinci_tests::run::{Run, run};
use vinci_tests::{close, order};

const G: f64 = 9.81;

fn trapezoidal(scene: Value, h: f64, duration: f64) -> Value {
    with(&experiment(scene, h, duration), "trapezoidal", "lemke")
}

/// A mass on a spring from the origin, started at `p` with velocity `v`.
#[derive(Clone, Copy)]
struct Bob {
    k: f64,
    c: f64,
    rest: f64,
    p: [f64; 3],
    v: [f64; 3],
}

impl Bob {
    const MASS: f64 = 0.7;

    /// −k (|d| − L) d̂ − c (ḋ·d̂) d̂ + m g, over m.
    fn acceleration(&self, p: &Vector3<f64>, v: &Vector3<f64>, down: &Vector3<f64>) -> Vector3<f64> {
        let unit = p.normalize();
        let along = if self.rest == 0.0 {
            -p * self.k - v * self.c
        } else {
            -unit * (self.k * (p.norm() - self.rest) + self.c * unit.dot(v))
        };
        along / Self::MASS + down * G
    }

    /// The classical Runge-Kutta method with steps so small that its error is rounding.
    fn reference(&self, down: Vector3<f64>, duration: f64, steps: usize) -> Vector3<f64> {
        let h = duration / steps as f64;
        let (mut p, mut v) = (Vector3::from(self.p), Vector3::from(self.v));
        for _ in 0..steps {
            let a1 = self.acceleration(&p, &v, &down);
            let (p2, v2) = (p + v * (h / 2.0), v + a1 * (h / 2.0));
            let a2 = self.acceleration(&p2, &v2, &down);
            let (p3, v3) = (p + v2 * (h / 2.0), v + a2 * (h / 2.0));
            let a3 = self.acceleration(&p3, &v3, &down);
            let (p4, v4) = (p + v3 * h, v + a3 * h);
            let a4 = self.acceleration(&p4, &v4, &down);
            p += (v + 2.0 * v2 + 2.0 * v3 + v4) * (h / 6.0);
            v += (a1 + 2.0 * a2 + 2.0 * a3 + a4) * (h / 6.0);
        }
        p
    }

    fn scene(&self, space: &str) -> Value {
        let dim = if space == "planar" { 2 } else { 3 };
        let shape = if space == "planar" { "disc" } else { "ball" };
        let bodies = json!([{
            "name": "bob", "mass": Self::MASS, "shapes": [{"type": shape, "radius": 0.05}],
            "position": self.p[..dim], "velocity": self.v[..dim],
        }]);
        let mut scene = if space == "planar" { planar(0.5, 0.0, bodies) } else { spatial(0.5, 0.0, bodies) };
        scene["springs"] = json!([{
            "bodies": [null, "bob"], "anchors": [vec![0.0; dim], vec![0.0; dim]],
            "stiffness": self.k, "damping": self.c, "rest_length": self.rest,
        }]);
        scene
    }

    fn errors(&self, space: &str, stepper: &str, duration: f64, steps: [usize; 3]) -> Vec<f64> {
        let down = if space == "planar" { -Vector3::y() } else { -Vector3::z() };
        let exact = self.reference(down, duration, 20_000);
        let error = |n: usize| {
            let h = duration / n as f64;
            let run = run(&with(&experiment(self.scene(space), h, duration), stepper, "lemke"));
            let (q, at) = (&run.end().q, run.at_q("bob"));
            let z = if space == "planar" { 0.0 } else { q[at + 2] };
            (Vector3::new(q[at], q[at + 1], z) - exact).norm()
        };
        steps.into_iter().map(error).collect()
    }
}

/// Stretched, compressed (the transverse part of the stiffness is not implicit there), damped, zero length, in space.
#[test]
fn a_bob_on_a_spring_is_followed_with_order_two() {
    let bob = Bob { k: 40.0, c: 0.0, rest: 1.0, p: [1.2, 0.3, 0.0], v: [0.2, 1.0, 0.0] };
    let cases = [
        ("stretched", "planar", bob, 0.4),
        ("compressed", "planar", Bob { p: [0.3, -0.6, 0.0], v: [0.7, 0.1, 0.0], ..bob }, 0.2),
        ("damped", "planar", Bob { c: 2.0, ..bob }, 0.4),
        ("zero length", "planar", Bob { rest: 0.0, c: 0.3, ..bob }, 0.4),
        ("in space", "spatial", Bob { c: 0.5, p: [1.1, 0.3, -0.4], v: [0.2, 1.0, 0.6], ..bob }, 0.4),
    ];
    for (what, space, bob, duration) in cases {
        let errors = bob.errors(space, "trapezoidal", duration, [40, 80, 160]);
        let p = order(&errors);
        assert!((p - 2.0).abs() < 0.1, "{what}: order {p} from {errors:?}");
        let first = bob.errors(space, ST, duration, [40, 80, 160]);
        let p = order(&first);
        assert!((p - 1.0).abs() < 0.15, "{what}: order of Stewart-Trinkle {p} from {first:?}");
        assert!(errors[0] < 0.1 * first[0], "{what}: {errors:?} against {first:?}");
    }
}

/// m ẍ = −k x − μ m g while ẋ > 0: x = −s + s cos ωt + (v0/ω) sin ωt, s = μ g/ω².
#[test]
fn a_slider_with_constant_slip_is_followed_with_order_two() {
    let (k, m, mu, v0, t) = (9.0_f64, 1.5_f64, 0.3, 2.0, 0.4);
    let omega = (k / m).sqrt();
    let s = mu * G / (omega * omega);
    let exact = -s + s * (omega * t).cos() + v0 / omega * (omega * t).sin();
    let mut scene = planar(
        mu,
        0.0,
        json!([ground("planar"), {
            "name": "slider", "mass": m, "shapes": [{"type": "box", "size": [0.4, 0.2]}],
            "position": [0, 0.1], "velocity": [v0, 0], "dofs": {"angle": "locked"},
        }]),
    );
    scene["springs"] = json!([{
        "bodies": [null, "slider"], "anchors": [[0, 0.1], [0, 0]], "stiffness": k, "damping": 0.0, "rest_length": 0.0,
    }]);
    let error = |n: usize| {
        let run = run(&trapezoidal(scene.clone(), t / n as f64, t));
        assert!(run.moments[1..].iter().all(|m| m.touches.iter().map(|t| t.p_n).sum::<f64>() > 0.0));
        (run.end().q[run.at_q("slider")] - exact).abs()
    };
    let errors = [error(20), error(40), error(80)];
    assert!((order(&errors) - 2.0).abs() < 0.05, "{errors:?}");
}

/// m ẍ = cos(2πt): the drive's force is met at the middle of the step.
#[test]
fn a_driven_mass_is_followed_with_order_two() {
    use std::f64::consts::TAU;
    let mut scene = planar(
        0.5,
        0.0,
        json!([{
            "name": "mass", "mass": 2.0, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0],
            "dofs": {"x": {"force": {"expression": "cos(2*pi*t)"}}},
        }]),
    );
    scene["gravity"] = json!([0, 0]);
    let t = 0.7;
    let exact = (1.0 - (TAU * t).cos()) / (2.0 * TAU * TAU);
    let error = |n: usize| {
        let run = run(&trapezoidal(scene.clone(), t / n as f64, t));
        (run.end().q[0] - exact).abs()
    };
    let errors = [error(35), error(70), error(140)];
    assert!((order(&errors) - 2.0).abs() < 0.05, "{errors:?}");
}

/// The trapezoidal rule keeps the energy of a linear oscillator exactly.
#[test]
fn a_linear_oscillator_keeps_its_energy() {
    let bob = Bob { k: 40.0, c: 0.0, rest: 0.0, p: [1.0, 0.2, 0.0], v: [0.0, 0.5, 0.0] };
    let run = run(&trapezoidal(bob.scene("planar"), 0.05, 10.0));
    let first = run.first().energy;
    for m in &run.moments {
        close("energy", m.energy, first, 1e-11 * first.abs());
    }
}

/// A spring of 1e9 N/m with h ω = 378 and more: the bob keeps its distance and swings as a pendulum of length L. The order
/// two is that of springs which the step resolves; a link is met with order one.
#[test]
fn a_stiff_spring_is_a_rigid_link() {
    let length: f64 = 1.0;
    let angle = |run: &Run| {
        let (q, at) = (&run.end().q, run.at_q("bob"));
        assert!((q[at].hypot(q[at + 1]) - length).abs() < 1e-3, "length {}", q[at].hypot(q[at + 1]));
        q[at].atan2(-q[at + 1])
    };
    let exact = {
        let (mut theta, mut omega, h) = (0.5_f64, 0.0_f64, 1e-5);
        for _ in 0..100_000 {
            // Velocity Verlet: second order with a step that makes it exact to 1e-10.
            omega -= 0.5 * h * G / length * theta.sin();
            theta += h * omega;
            omega -= 0.5 * h * G / length * theta.sin();
        }
        theta
    };
    let stiff = Bob { k: 1e9, c: 0.0, rest: length, p: [0.5_f64.sin(), -0.5_f64.cos(), 0.0], v: [0.0; 3] };
    let error = |h: f64| (angle(&run(&trapezoidal(stiff.scene("planar"), h, 1.0))) - exact).abs();
    let errors = [error(0.02), error(0.01), error(0.005)];
    assert!(errors[0] < 0.03 && (order(&errors) - 1.0).abs() < 0.1, "{errors:?}");
}

/// Coulomb-damped oscillator: turning points x_n = (−1)^n (x_0 − 2 n δ), δ = μ m g/k; it stays where |x_n| ≤ δ.
#[test]
fn a_stiff_spring_slider_loses_two_delta_per_half_swing() {
    let (x0, delta) = (0.01, 0.5 * G / 1e4);
    let turns = |stepper: &str, h: f64| -> Vec<f64> {
        let run = run(&timed(&with(&shipped("stiff-spring-slider"), stepper, "lemke"), h, 0.4));
        let v = |k: usize| run.moments[k].v[0];
        let turning = |k: &usize| v(k - 1) != 0.0 && v(k - 1) * v(*k) <= 0.0;
        (2..run.moments.len()).filter(turning).map(|k| run.moments[k].q[0]).collect()
    };
    // A turn lies within a step, so it is met to the way of half a step around it, (h²/8) k x/m, and so much at every turn.
    let found = turns("trapezoidal", 1e-4);
    let expected: Vec<f64> =
        (1..11).map(|n| (x0 - 2.0 * f64::from(n) * delta) * f64::from(1 - 2 * (n % 2))).collect();
    assert_eq!(found.len(), expected.len(), "{found:?} instead of {expected:?}");
    for (n, (x, exact)) in found.iter().zip(&expected).enumerate() {
        close(&format!("turn {}", n + 1), *x, *exact, 2e-5);
    }
    // Backward Euler adds a damping ratio of h ω/2 of its own: 5 % at h = 1 ms, and the swing ends early.
    let (trapezoidal, first) = (turns("trapezoidal", 1e-3), turns(ST, 1e-3));
    assert!(first.len() < trapezoidal.len(), "{first:?} against {trapezoidal:?}");
    assert!((trapezoidal[0] - expected[0]).abs() < 0.2 * (first[0] - expected[0]).abs());
}

/// Free flight is exact under the trapezoidal rule, and impacts are located: after three bounces the ball is where the closed
/// form says, to the tolerance of the events. e = 0 comes to rest without having entered the ground.
#[test]
fn a_ball_bounces_by_poissons_law_at_located_times() {
    let drop = |e: f64| {
        let ball = json!({"name": "ball", "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 1.1]});
        let scene = planar(0.5, e, json!([ground("planar"), ball]));
        run(&set(&trapezoidal(scene, 0.01, 1.5), "/time/events", "backup"))
    };
    let (e, height) = (0.7_f64, 1.0_f64);
    let bounced = drop(e);
    let (mut t, mut v) = ((2.0 * height / G).sqrt(), (2.0 * G * height).sqrt());
    let mut exact = |now: f64| {
        while t + 2.0 * e * v / G <= now {
            t += 2.0 * e * v / G;
            v *= e;
        }
        if now < t {
            height - 0.5 * G * now * now
        } else {
            e * v * (now - t) - 0.5 * G * (now - t) * (now - t)
        }
    };
    for m in &bounced.moments {
        close(&format!("height at {}", m.t), m.q[1] - 0.1, exact(m.t), 2e-6);
    }
    let plastic = drop(0.0);
    for m in &plastic.moments {
        assert!(m.q[1] > 0.1 - 2e-7, "{} m at {} s", m.q[1] - 0.1, m.t);
    }
    close("rest", plastic.end().q[1], 0.1, 2e-7);
    close("rest", plastic.end().v[1], 0.0, 1e-12);
}

/// A rod on a hinge: order two against velocity Verlet, and no energy gained over many swings.
#[test]
fn a_rod_on_a_hinge_swings_with_order_two_and_keeps_its_energy() {
    let (m, l, theta): (f64, f64, f64) = (1.2, 0.3, 0.8);
    let mut scene = planar(
        0.5,
        0.0,
        json!([{
            "name": "rod", "mass": m, "inertia": m * l * l / 3.0, "shapes": [{"type": "box", "size": [0.05, 2.0 * l]}],
            "position": [l * theta.sin(), -l * theta.cos()], "angle": theta,
        }]),
    );
    scene["joints"] = json!([{"bodies": [null, "rod"], "anchors": [[0, 0], [0, l]]}]);
    let exact = {
        let (mut angle, mut omega, n) = (theta, 0.0_f64, 100_000);
        let h = 0.7 / f64::from(n);
        for _ in 0..n {
            omega -= 0.5 * h * 0.75 * G / l * angle.sin();
            angle += h * omega;
            omega -= 0.5 * h * 0.75 * G / l * angle.sin();
        }
        angle
    };
    let error = |n: usize| (run(&trapezoidal(scene.clone(), 0.7 / n as f64, 0.7)).end().q[2] - exact).abs();
    let errors = [error(280), error(560), error(1120)];
    assert!((order(&errors) - 2.0).abs() < 0.1, "{errors:?}");
    let long = run(&trapezoidal(scene, 0.01, 20.0));
    let (first, lowest) = (long.first().energy, -m * G * l);
    for k in &long.moments {
        assert!((k.energy - first).abs() < 0.02 * (first - lowest), "{} J of {first} at {} s", k.energy, k.t);
    }
    assert!(long.simulation.system.joint_drift(&long.end().q) < 1e-3);
}

/// A spinning box on a spring that holds it beside its centre: the lever turns, and the force with it.
#[test]
fn a_spring_beside_the_centre_is_followed_with_order_two() {
    for (what, rest, damping) in [("long", 0.5, 0.0), ("no length", 0.0, 0.0), ("damped", 0.5, 0.8)] {
        let mut scene = planar(
            0.5,
            0.0,
            json!([{
                "name": "box", "mass": 0.7, "shapes": [{"type": "box", "size": [0.5, 0.3]}],
                "position": [0.9, 0.2], "velocity": [0.2, 0.5], "angular_velocity": 3.0,
            }]),
        );
        scene["springs"] = json!([{
            "bodies": [null, "box"], "anchors": [[0, 0], [0.2, 0.1]], "stiffness": 40, "damping": damping,
            "rest_length": rest,
        }]);
        let end = |n: usize| run(&trapezoidal(scene.clone(), 0.4 / n as f64, 0.4)).end().q.clone();
        let exact = end(5120);
        let error = |n: usize| end(n).iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let errors = [error(160), error(320), error(640)];
        assert!((order(&errors) - 2.0).abs() < 0.1, "{what}: {errors:?}");
    }
}

/// The ball of the events' scenes at steps so long that its last flights do not last one: it rests, and the steps between
/// impacts make no energy.
#[test]
fn a_bouncing_ball_comes_to_rest() {
    for (e, h) in [(0.8, 0.005), (0.8, 0.01), (0.6, 0.004), (0.6, 0.01), (0.95, 0.01)] {
        let ball = json!({"name": "ball", "mass": 1.0, "shapes": [{"type": "disc", "radius": 0.1}], "position": [0, 0.6]});
        let scene = planar(0.5, e, json!([ground("planar"), ball]));
        let run = run(&set(&trapezoidal(scene, h, 14.0), "/time/events", "backup"));
        close(&format!("e = {e}, h = {h}: speed"), run.end().v[1], 0.0, 1e-9);
        close(&format!("e = {e}, h = {h}: height"), run.end().q[1], 0.1, 2e-6);
        let worst = run.moments.windows(2).map(|w| w[1].energy - w[0].energy).fold(0.0, f64::max);
        assert!(worst < 1e-3 * 9.81, "e = {e}, h = {h}: a step makes {worst} J");
    }
}

/// The policy holds for every impact that is due, however fast: one ball after another, (v, 0, 0) becomes (0, 0, v).
#[test]
fn sequential_impacts_are_sequential_at_any_speed() {
    for speed in [0.05, 1.0] {
        let mut cradle = set(&shipped("newton-cradle-3"), "/scene/bodies/0/velocity/0", speed);
        cradle["stepper"] = json!({"plugin": "trapezoidal", "options": {
            "impact_policy": "sequential", "impact_threshold": 0.1, "restitution_threshold": 0.01,
        }});
        let run = run(&cradle);
        for (ball, expected) in [(0, 0.0), (1, 0.0), (2, speed)] {
            close(&format!("ball {ball} at {speed} m/s"), run.end().v[3 * ball], expected, 1e-9);
        }
    }
}

/// A driven body moves with its command, not with the mean of two commands.
#[test]
fn a_driven_body_is_where_its_drive_says() {
    let mut scene = planar(
        0.5,
        0.0,
        json!([{
            "name": "cart", "mass": 2.0, "shapes": [{"type": "box", "size": [0.2, 0.1]}], "position": [0.3, 0],
            "dofs": {"x": {"position": {"expression": "0.3 + 0.1*sin(3*t)"}}, "y": "locked", "angle": "locked"},
        }]),
    );
    scene["gravity"] = json!([0, 0]);
    for m in &run(&trapezoidal(scene, 0.01, 1.0)).moments {
        close("place", m.q[0], 0.3 + 0.1 * (3.0 * m.t).sin(), 1e-13);
    }
}

/// A plank whose left end rises at 0.6 g h while the right one rests: forces alone leave the left end 0.1 g h of mean speed, but
/// what holds the right end pushes the left one down by as much again as its weight. It takes part then, and does not sink in.
#[test]
fn a_contact_that_others_push_back_takes_part() {
    let h = 0.01;
    let rise = 0.6 * G * h;
    let plank = json!({
        "name": "plank", "mass": 1.0, "shapes": [{"type": "box", "size": [1.0, 0.1]}], "position": [0, 0.05],
        "velocity": [0, rise / 2.0], "angular_velocity": -rise,
    });
    let scene = planar(0.0, 0.0, json!([ground("planar"), plank]));
    let run = run(&trapezoidal(scene, h, 10.0 * h));
    let first = &run.moments[1];
    assert_eq!(first.touches.len(), 2, "both ends are seen");
    assert!(first.touches.iter().all(|t| t.p_n > 0.0), "{:?}", first.touches);
    for m in &run.moments[1..] {
        let approach = m.report.findings.of(Criterion::Approach).value;
        assert!(approach < 1e-9, "{approach} of approach at {} s", m.t);
    }
}

#[test]
fn other_motion_models_are_refused_with_advice() {
    let bob = Bob { k: 40.0, c: 0.0, rest: 1.0, p: [1.2, 0.3, 0.0], v: [0.0; 3] };
    let e = set(&trapezoidal(bob.scene("planar"), 0.01, 0.1), "/scene/bodies/0/motion", "quasi-dynamic");
    let run = vinci_tests::run::try_run(&timed(&e, 0.01, 0.1));
    let failure = run.failure.expect("the stepper refuses").to_string();
    assert!(failure.contains("body `bob` asks for the quasi-dynamic model"), "{failure}");
    assert!(failure.contains("choose stewart-trinkle or anitescu-potra"), "{failure}");
}
