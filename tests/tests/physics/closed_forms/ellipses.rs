//! An ellipse that rolls to and fro (a = 0.2 m, b = 0.1 m), and superellipses among polygons, each pair by its own detector.

use std::collections::BTreeMap;

use vinci_tests::close;
use vinci_tests::experiment::{AP, ST, shipped, timed, with};
use vinci_tests::run::{Run, Touch, run};

const G: f64 = 9.81;
const A: f64 = 0.2;
const B: f64 = 0.1;
/// Radius of gyration squared.
const K2: f64 = 0.25 * (A * A + B * B);

/// Height of the centre at tilt θ, h² = b² cos²θ + a² sin²θ.
fn height(tilt: f64) -> f64 {
    (B * tilt.cos()).hypot(A * tilt.sin())
}

/// Period of rolling without slip from rest at θ0. The contact point is h below and h' = (a² − b²) sin θ cos θ/h beside the
/// centre and at rest, so ½ (k² + h² + h'²) θ̇² = g (h(θ0) − h(θ)); a quarter by the midpoint rule in φ, θ = θ0 sin φ.
fn period(tilt: f64) -> f64 {
    let count = 4000;
    let width = std::f64::consts::FRAC_PI_2 / f64::from(count);
    let time = |k: u32| {
        let phi = (f64::from(k) + 0.5) * width;
        let x = tilt * phi.sin();
        let aside = (A * A - B * B) * x.sin() * x.cos() / height(x);
        let inertia = K2 + height(x).powi(2) + aside * aside;
        tilt * phi.cos() * (inertia / (2.0 * G * (height(tilt) - height(x)))).sqrt()
    };
    4.0 * width * (0..count).map(time).sum::<f64>()
}

/// Times between every second passage of the upright.
fn periods(run: &Run) -> Vec<f64> {
    let tilt = |k: usize| run.moments[k].q[2];
    let passages: Vec<f64> = (1..run.moments.len())
        .filter(|&k| tilt(k - 1) * tilt(k) < 0.0)
        .map(|k| run.moments[k].t - run.moments[k].h * tilt(k) / (tilt(k) - tilt(k - 1)))
        .collect();
    passages.iter().zip(&passages[2..]).map(|(a, b)| b - a).collect()
}

#[test]
fn an_ellipse_rolls_to_and_fro_with_its_period() {
    let small = std::f64::consts::TAU / (G * (A * A - B * B) / (B * (K2 + B * B))).sqrt();
    close("small tilts", period(1e-3), small, 1e-5 * small);
    let shipped = shipped("ellipse-rocking");
    let tilt = shipped["scene"]["bodies"][1]["angle"].as_f64().unwrap();
    close("centre", shipped["scene"]["bodies"][1]["position"][1].as_f64().unwrap(), height(tilt), 1e-15);
    // The scheme is of first order in positions, its period of second: (ω h)²/24 of it is 1e-6 here. Contacts add their gaps.
    for stepper in [ST, AP] {
        let run = run(&timed(&with(&shipped, stepper, "lemke"), 0.0005, 1.2));
        let found = periods(&run);
        assert!(found.len() >= 2, "{stepper}: {found:?}");
        for t in found {
            close(&format!("{stepper}: period"), t, period(tilt), 2e-5 * small);
        }
        let most = run.moments.iter().map(|m| m.q[2].abs()).fold(0.0, f64::max);
        close(&format!("{stepper}: largest tilt"), most, tilt, 1e-3 * tilt);
    }
}

/// Planar first, so that boxes on boxes are its; implicit has every pair with a superellipse, and nothing is seen twice.
#[test]
fn superellipses_and_polygons_share_two_detectors_without_a_contact_twice() {
    let run = run(&shipped("superellipses-and-polygons"));
    let round = |name: &str| ["pebble", "roller"].contains(&name);
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for moment in &run.moments {
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for touch in &moment.touches {
            *counts.entry((touch.a.clone(), touch.b.clone())).or_default() += 1;
        }
        for ((a, b), count) in counts {
            // Two corners of a box on a face, one point of a superellipse.
            let most = if round(&a) || round(&b) { 1 } else { 2 };
            assert!(count <= most, "t = {}: {count} contacts of {a} and {b}", moment.t);
            *seen.entry((a, b)).or_default() += count;
        }
    }
    let met = |a: &str, b: &str| seen.iter().any(|((x, y), _)| (x == a && y == b) || (x == b && y == a));
    for (a, b) in [("ledge", "brick"), ("brick", "pebble"), ("ledge", "roller"), ("brick", "roller")] {
        assert!(met(a, b), "{a} and {b} never meet: {seen:?}");
    }
    // What every body is given upwards is its weight, and what it gained in momentum.
    let end = run.end();
    for (name, mass) in [("brick", 2.0), ("pebble", 1.0), ("roller", 1.0)] {
        let touches = run.moments.iter().flat_map(|m| &m.touches);
        let sign = |t: &Touch| f64::from(u8::from(t.b == name)) - f64::from(u8::from(t.a == name));
        let given: f64 = touches.map(|t| sign(t) * t.impulse[1]).sum();
        close(name, given, mass * (G * end.t + end.v[run.at_v(name) + 1]), 1e-9);
    }
}
