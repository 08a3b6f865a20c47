//! The trapezoidal stepper against driven bodies: what drives do enters at both ends of a step, so impacts, rest, stiction and
//! dampers keep order two.

use serde_json::{Value, json};
use vinci_tests::experiment::{experiment, planar, set, with};
use vinci_tests::run::{Run, run};
use vinci_tests::{close, order};

const G: f64 = 9.81;
/// The floor's motion A sin(Ω t).
const A: f64 = 0.02;
const OMEGA: f64 = 12.0;
const RADIUS: f64 = 0.05;

fn floor_at(t: f64) -> f64 {
    A * (OMEGA * t).sin()
}

fn floor_speed(t: f64) -> f64 {
    A * OMEGA * (OMEGA * t).cos()
}

/// A table whose top is at A sin(Ω t), along y, or that shakes so along x.
fn table(shaken: &str) -> Value {
    let drive = |at: f64| json!({"position": {"expression": format!("{at} + 0.02*sin(12.0*t)")}});
    let (x, y) = if shaken == "x" { (drive(0.0), json!("locked")) } else { (json!("locked"), drive(-0.05)) };
    json!({
        "name": "table", "mass": 1, "shapes": [{"type": "box", "size": [1, 0.1]}], "position": [0, -0.05],
        "dofs": {"x": x, "y": y, "angle": "locked"},
    })
}

fn ball(height: f64, speed: f64) -> Value {
    json!({
        "name": "ball", "mass": 1, "shapes": [{"type": "disc", "radius": RADIUS}], "position": [0, height],
        "velocity": [0, speed],
    })
}

fn trapezoidal(scene: Value, h: f64, duration: f64) -> Value {
    let e = with(&experiment(scene, h, duration), "trapezoidal", "lemke");
    set(&set(&e, "/time/events", "backup"), "/time/event_tolerance", 1e-11)
}

/// Height of a ball on a spring of stiffness k to the point `top` (none: k = 0) after `duration`, by Runge-Kutta steps so small
/// that their error is rounding; a step that ends below the floor is divided at the impact, with v⁺ − u = −e (v⁻ − u).
fn bounced(k: f64, top: f64, e: f64, height: f64, duration: f64) -> f64 {
    let a = |y: f64| -G - k * (y - top);
    let go = |(y, v): (f64, f64), h: f64| {
        let (k1, l1) = (v, a(y));
        let (k2, l2) = (v + 0.5 * h * l1, a(y + 0.5 * h * k1));
        let (k3, l3) = (v + 0.5 * h * l2, a(y + 0.5 * h * k2));
        let (k4, l4) = (v + h * l3, a(y + h * k3));
        (y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), v + h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4))
    };
    let (n, mut t, mut state) = (20_000, 0.0, (height, 0.0));
    let h = duration / f64::from(n);
    for _ in 0..n {
        let below = |part: f64| go(state, part).0 - RADIUS < floor_at(t + part);
        let next = go(state, h);
        state = if below(h) {
            let (mut open, mut shut) = (0.0, h);
            for _ in 0..60 {
                let middle = 0.5 * (open + shut);
                if below(middle) { shut = middle } else { open = middle }
            }
            let (y, v) = go(state, open);
            let u = floor_speed(t + open);
            go((y, u - e * (v - u)), h - open)
        } else {
            next
        };
        t += h;
    }
    state.0
}

fn height(run: &Run) -> f64 {
    run.end().q[run.at_q("ball") + 1]
}

/// Free flight is exact under the trapezoidal rule: what is left is the impact's.
#[test]
fn a_ball_leaves_a_driven_floor_with_the_floors_speed_at_the_impact() {
    let (e, duration) = (0.7, 0.448);
    let exact = bounced(0.0, 0.0, e, 0.5637, duration);
    for h in [4e-3, 2e-3, 1e-3, 2.5e-4] {
        let run = run(&trapezoidal(planar(0.0, e, json!([table("y"), ball(0.5637, 0.0)])), h, duration));
        assert_eq!(run.moments.iter().map(|m| m.impacts.len()).sum::<usize>(), 1);
        close(&format!("height at h = {h}"), height(&run), exact, 1e-9);
    }
}

#[test]
fn a_ball_on_a_spring_bounces_on_a_driven_floor_with_order_two() {
    let (e, duration) = (0.7, 0.4);
    let exact = bounced(60.0, 0.3, e, 0.25, duration);
    let mut scene = planar(0.0, e, json!([table("y"), ball(0.25, 0.0)]));
    scene["springs"] = json!([{
        "bodies": [null, "ball"], "anchors": [[0, 0.3], [0, 0]], "stiffness": 60, "damping": 0, "rest_length": 0,
    }]);
    let error = |h: f64| {
        let run = run(&trapezoidal(scene.clone(), h, duration));
        assert!(run.moments.iter().any(|m| !m.impacts.is_empty()));
        (height(&run) - exact).abs()
    };
    let errors = [error(4e-3), error(2e-3), error(1e-3)];
    assert!((order(&errors) - 2.0).abs() < 0.1, "order {} from {errors:?}", order(&errors));
}

/// A Ω² < g: the ball never leaves the floor, and the force on it is m (g + a). Its gap is the error of the trapezoidal rule, up to
/// h² A Ω²/6, so closed contacts are told from open ones by more than that.
#[test]
fn a_ball_rests_on_a_driven_floor_with_order_two() {
    let scene = planar(0.0, 0.0, json!([table("y"), ball(RADIUS, A * OMEGA)]));
    let error = |h: f64| {
        let e = set(&trapezoidal(scene.clone(), h, 0.8), "/stepper/options/contact_tolerance", 2e-5);
        let run = run(&e);
        let at = run.at_q("ball") + 1;
        for m in &run.moments[1..] {
            let middle = m.t - 0.5 * m.h;
            let force = G - OMEGA * OMEGA * floor_at(middle);
            close("force", m.touches[0].p_n / m.h, force, 0.03);
        }
        let away = |m: &vinci_tests::run::Moment| (m.q[at] - RADIUS - floor_at(m.t)).abs();
        run.moments.iter().map(away).fold(0.0, f64::max)
    };
    let errors = [error(4e-3), error(2e-3), error(1e-3)];
    assert!(errors[0] < 1e-5 && (order(&errors) - 2.0).abs() < 0.1, "{errors:?}");
}

/// A Ω² < μ g: the block goes with the table.
#[test]
fn a_block_sticks_to_a_shaken_table_with_order_two() {
    let block = json!({
        "name": "block", "mass": 2, "shapes": [{"type": "box", "size": [0.1, 0.1]}], "position": [0, 0.05],
        "velocity": [A * OMEGA, 0], "dofs": {"angle": "locked"},
    });
    let scene = planar(0.8, 0.0, json!([table("x"), block]));
    let error = |h: f64| {
        let run = run(&trapezoidal(scene.clone(), h, 0.8));
        let at = run.at_q("block");
        run.moments.iter().map(|m| (m.q[at] - floor_at(m.t)).abs()).fold(0.0, f64::max)
    };
    let errors = [error(4e-3), error(2e-3), error(1e-3)];
    assert!(errors[0] < 1e-5 && (order(&errors) - 2.0).abs() < 0.1, "{errors:?}");
}

/// m ÿ = −k (y − s) − c (ẏ − ṡ), s = A sin Ωt: the steady part is A Re((k + i c Ω)/(k − m Ω² + i c Ω) · −i exp(iΩt)), and the
/// start is on it.
#[test]
fn a_mass_behind_a_driven_spring_and_damper_is_followed_with_order_two() {
    let (m, k, c) = (0.5_f64, 50.0, 2.0);
    let (re, im) = (k - m * OMEGA * OMEGA, c * OMEGA);
    // (k + i cΩ)(re − i im)/(re² + im²) = gain + i lag.
    let square = re * re + im * im;
    let (gain, lag) = ((k * re + im * im) / square, (im * re - k * im) / square);
    let at = |t: f64| A * (gain * (OMEGA * t).sin() + lag * (OMEGA * t).cos());
    let speed = A * OMEGA * gain;
    let carrier = json!({
        "name": "carrier", "mass": 1, "inertia": 1, "position": [0, 0],
        "dofs": {"x": {"position": {"expression": "0.02*sin(12.0*t)"}}, "y": "locked", "angle": "locked"},
    });
    let mass = json!({
        "name": "mass", "mass": m, "inertia": 1, "position": [at(0.0), 0], "velocity": [speed, 0], "dofs": {"y": "locked", "angle": "locked"},
    });
    let mut scene = planar(0.0, 0.0, json!([carrier, mass]));
    scene["springs"] = json!([{
        "bodies": ["carrier", "mass"], "anchors": [[0, 0], [0, 0]], "stiffness": k, "damping": c, "rest_length": 0,
    }]);
    let error = |h: f64| {
        let run = run(&trapezoidal(scene.clone(), h, 1.0));
        (run.end().q[run.at_q("mass")] - at(1.0)).abs()
    };
    let errors = [error(1e-2), error(5e-3), error(2.5e-3)];
    assert!((order(&errors) - 2.0).abs() < 0.1, "order {} from {errors:?}", order(&errors));
}

/// Straight keyframes have kinks on the grid: speeds at both ends of a step are those of the piece it lies in.
#[test]
fn a_pushed_block_follows_a_drive_with_kinks() {
    let pusher = json!({
        "name": "pusher", "mass": 1, "shapes": [{"type": "box", "size": [0.1, 0.1]}], "position": [-0.1, 0],
        "dofs": {"x": {"position": {"keyframes": [[0, -0.1], [0.1, -0.05], [0.3, -0.05], [0.4, -0.08]]}}, "y": "locked", "angle": "locked"},
    });
    let block = json!({
        "name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.1, 0.1]}], "position": [0, 0],
        "dofs": {"y": "locked", "angle": "locked"},
    });
    let mut scene = planar(0.0, 0.0, json!([pusher, block]));
    scene["gravity"] = json!([0, 0]);
    let run = run(&trapezoidal(scene, 5e-3, 0.4));
    // Set off by a blow without restitution, it goes on at .5 m/s when the pusher stops.
    close("place", run.end().q[run.at_q("block")], 0.5 * 0.4, 1e-9);
    close("speed of the pusher at its end", run.end().v[run.at_v("pusher")], -0.3, 1e-9);
}
