//! The four-bar linkage with one coordinate, the angle φ of the crank: ½ m(φ) φ̇² + V(φ), integrated finely.

use nalgebra::{Matrix2, Vector2};

const G: f64 = 9.81;
/// Crank, coupler, rocker, and the pivots' distance, m; rods of 1 kg/m.
const LENGTHS: [f64; 3] = [0.3, 0.5, 0.4];
const BASE: f64 = 0.45;

/// Unit vector of a rod that stands at an angle from hanging, and its derivative.
fn along(angle: f64) -> Vector2<f64> {
    Vector2::new(angle.sin(), -angle.cos())
}

fn across(angle: f64) -> Vector2<f64> {
    Vector2::new(angle.cos(), angle.sin())
}

/// Angles of crank, coupler and rocker from hanging, by Newton's method from a guess.
fn posture(phi: f64, guess: [f64; 2]) -> [f64; 3] {
    let [a, b, c] = LENGTHS;
    let [mut theta, mut psi] = guess;
    for _ in 0..20 {
        let open = a * along(phi) + b * along(theta) - Vector2::new(BASE, 0.0) - c * along(psi);
        let turn = Matrix2::from_columns(&[b * across(theta), -c * across(psi)]);
        let Some(step) = turn.lu().solve(&-open) else { break };
        (theta, psi) = (theta + step.x, psi + step.y);
    }
    [phi, theta, psi]
}

/// Effective inertia m(φ) and potential V(φ).
fn mass_and_potential(phi: f64, guess: [f64; 2]) -> (f64, f64) {
    let [a, b, c] = LENGTHS;
    let [_, theta, psi] = posture(phi, guess);
    let turn = Matrix2::from_columns(&[b * across(theta), -c * across(psi)]);
    let rates = turn.lu().solve(&(-a * across(phi))).expect("the linkage is in no dead centre");
    let coupler = a * across(phi) + 0.5 * b * rates.x * across(theta);
    let mass = a.powi(3) / 3.0
        + b * coupler.norm_squared()
        + b.powi(3) / 12.0 * rates.x.powi(2)
        + c.powi(3) / 3.0 * rates.y.powi(2);
    let height = |rod: Vector2<f64>| 0.5 * rod.y;
    let potential = G
        * (a * height(a * along(phi))
            + b * (a * along(phi).y + height(b * along(theta)))
            + c * height(c * along(psi)));
    (mass, potential)
}

/// φ̈ of m φ̈ + ½ m' φ̇² + V' = 0; derivatives by differences of order 4, exact to 1e-11 here.
fn acceleration(phi: f64, rate: f64, guess: [f64; 2]) -> f64 {
    const D: f64 = 1e-3;
    let at = |k: f64| mass_and_potential(phi + k * D, guess);
    let [far_left, left, right, far_right] = [-2.0, -1.0, 1.0, 2.0].map(at);
    let slope = |p: &dyn Fn((f64, f64)) -> f64| {
        (p(far_left) - 8.0 * p(left) + 8.0 * p(right) - p(far_right)) / (12.0 * D)
    };
    let (dm, dv) = (slope(&|x| x.0), slope(&|x| x.1));
    -(0.5 * dm * rate * rate + dv) / mass_and_potential(phi, guess).0
}

/// (φ, φ̇) at `duration` from rest at φ₀, by Runge and Kutta's method of order 4.
pub(crate) fn crank(phi: f64, guess: [f64; 2], duration: f64, steps: usize) -> (f64, f64) {
    let (h, mut x, mut guess) = (duration / steps as f64, Vector2::new(phi, 0.0), guess);
    for _ in 0..steps {
        let f = |x: Vector2<f64>| Vector2::new(x.y, acceleration(x.x, x.y, guess));
        let k1 = f(x);
        let k2 = f(x + 0.5 * h * k1);
        let k3 = f(x + 0.5 * h * k2);
        let k4 = f(x + h * k3);
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        let [_, theta, psi] = posture(x.x, guess);
        guess = [theta, psi];
    }
    (x.x, x.y)
}
