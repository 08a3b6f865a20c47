//! The rocking block: b = 0.2 m and a = 1 m half sizes, α = atan(b/a), R² = a² + b².

use serde_json::json;
use vinci_tests::close;
use vinci_tests::experiment::{AP, ST, experiment, for_all, ground, planar, shipped, timed, with};
use vinci_tests::run::run;

const G: f64 = 9.81;
const B: f64 = 0.2;
const A: f64 = 1.0;

/// Angular momentum about the new corner is kept: (R²/3 + a² − b²) ω⁻ = (4/3) R² ω⁺.
fn ratio() -> f64 {
    let r2 = A * A + B * B;
    1.0 - 1.5 * B * B / r2
}

#[test]
fn one_impact_keeps_the_angular_momentum_about_the_new_corner() {
    // Upright with ω⁻ = −1 about the left corner (centre at (b, a) from it): v⁻ = (a, −b). After it, about the right corner:
    // v⁺ = ω⁺ (−a, −b). No gravity: p_n,right = b (1 − ω⁺) = 0.388462 N s (m = 1).
    let bodies = json!([ground("planar"), {
        "name": "block", "mass": 1.0, "shapes": [{"type": "box", "size": [2.0 * B, 2.0 * A]}],
        "position": [0, A], "velocity": [A, -B], "angular_velocity": -1.0
    }]);
    let mut scene = planar(5.0, 0.0, bodies);
    scene["gravity"] = json!([0, 0]);
    for_all(&experiment(scene, 0.001, 0.001), |e, names| {
        let run = run(e);
        let m = run.first();
        close(names, m.v[2], -ratio(), 1e-12);
        close(names, ratio(), 0.942308, 5e-7);
        close(names, m.v[0], A * ratio(), 1e-12);
        close(names, m.v[1], B * ratio(), 1e-12);
        let p_n = |left: bool| -> f64 {
            m.touches.iter().filter(|t| (t.point_b[0] < 0.0) == left).map(|t| t.p_n).sum()
        };
        close(names, p_n(true), 0.0, 1e-12);
        close(names, p_n(false), B * (1.0 + ratio()), 1e-12);
        close(names, p_n(false), 0.388462, 5e-7);
    });
}

/// Time from tilt θ at rest to upright about a corner, (4/3) R² θ̈ = −g R sin(α − θ), by fourth-order Runge-Kutta, and the
/// angular speed there.
fn quarter(theta: f64) -> (f64, f64) {
    let (alpha, r) = ((B / A).atan(), A.hypot(B));
    let acceleration = |x: f64| -0.75 * G / r * (alpha - x).sin();
    let (mut x, mut w, mut t, dt) = (theta, 0.0, 0.0, 1e-5);
    loop {
        let k1 = (w, acceleration(x));
        let k2 = (w + 0.5 * dt * k1.1, acceleration(x + 0.5 * dt * k1.0));
        let k3 = (w + 0.5 * dt * k2.1, acceleration(x + 0.5 * dt * k2.0));
        let k4 = (w + dt * k3.1, acceleration(x + dt * k3.0));
        let next = x + dt / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
        if next <= 0.0 {
            return (t + dt * x / (x - next), -w);
        }
        x = next;
        w += dt / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        t += dt;
    }
}

/// Tilt reached from upright at angular speed w: w² = (3 g/(2 R)) (cos(α − θ) − cos α).
fn reached(w: f64) -> f64 {
    let (alpha, r) = ((B / A).atan(), A.hypot(B));
    alpha - (alpha.cos() + w * w * r / (1.5 * G)).acos()
}

#[test]
fn the_block_rocks_with_its_period_and_loses_its_share_at_each_impact() {
    // An impact takes up to two steps of the scheme and is seen up to one late: three steps of gravity's angular
    // acceleration are in doubt in ω, and what that does to the times of later impacts follows from the motion itself.
    let experiment = shipped("rocking-block");
    let theta0 = -experiment["scene"]["bodies"][1]["angle"].as_f64().unwrap();
    let acceleration = 0.75 * G / A.hypot(B) * (B / A).atan().sin();
    for (stepper, h) in [(ST, 0.001), (ST, 0.0005), (AP, 0.001), (AP, 0.0005)] {
        let run = run(&timed(&with(&experiment, stepper, "lemke"), h, 2.5));
        let crossings: Vec<usize> =
            (1..run.moments.len()).filter(|&k| run.moments[k - 1].q[2] * run.moments[k].q[2] < 0.0).collect();
        assert!(crossings.len() >= 3, "{stepper}: {} impacts", crossings.len());
        let (mut theta, mut time) = ([theta0; 2], [0.0; 2]);
        for (n, &k) in crossings.iter().take(3).enumerate() {
            let quarters = theta.map(quarter);
            (0..2).for_each(|i| time[i] += quarters[i].0);
            let what = format!("{stepper}, h = {h}, impact {n}");
            close(&format!("{what}: time"), run.moments[k].t, time[0], (time[0] - time[1]).abs() + 3.0 * h);
            // Read three steps before and after, with gravity's part taken out.
            let (before, after) = (run.moments[k - 3].v[2].abs(), run.moments[k + 3].v[2].abs());
            let gravity = acceleration * 3.0 * h;
            let found = (after + gravity) / (before + gravity);
            close(&format!("{what}: ratio"), found, ratio(), gravity / before + 0.5 * h);
            for (i, doubt) in [(0, 0.0), (1, acceleration * 3.0 * h)] {
                theta[i] = reached(ratio() * quarters[i].1 - doubt);
                time[i] += quarter(theta[i]).0;
            }
        }
    }
}

#[test]
fn housners_period_is_that_of_small_tilts() {
    // (4/p) acosh(1/(1 − θ0/α)), p² = 3 g/(4 R), takes sin x = x: at α = 0.197 it is 0.3 % short.
    let (alpha, p) = ((B / A).atan(), (0.75 * G / A.hypot(B)).sqrt());
    for part in [0.1_f64, 0.5, 0.9] {
        let housner = (1.0 / (1.0 - part)).acosh() / p;
        let exact = quarter(part * alpha).0;
        assert!(housner < exact && exact < 1.004 * housner, "{part}: {housner} {exact}");
    }
}
