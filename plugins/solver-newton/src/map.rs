//! Complementarity functions: Φ(z) = 0 exactly at a solution, row by row, with their generalised derivatives.
//!
//! A pair function φ(a, b) vanishes exactly for 0 ≤ a ⟂ b ≥ 0. With a = z − l, b = w it covers rows with a lower bound;
//! −φ(u − z, −w) covers an upper bound, φ(z − l, −φ(u − z, −w)) both (Billups 1995); free rows are w itself.

use crate::config::Function;
use crate::scaled::{Kind, Scaled};

/// Φ and the diagonals of its generalised Jacobian H = diag(a) + diag(b) M.
#[derive(Debug, Default)]
pub(crate) struct Map {
    /// Φ.
    pub(crate) phi: Vec<f64>,
    /// ∂Φ/∂z at fixed w.
    pub(crate) a: Vec<f64>,
    /// ∂Φ/∂w.
    pub(crate) b: Vec<f64>,
}

/// Value and derivatives (φ, ∂φ/∂a, ∂φ/∂b) of a pair function.
type Jet = (f64, f64, f64);

/// Weight of the Fischer-Burmeister part in the penalised function (Chen, Chen, Kanzow 2000).
const PENALISED: f64 = 0.9;

fn pair(function: Function, a: f64, b: f64) -> Jet {
    match function {
        Function::Minimum if a < b => (a, 1.0, 0.0),
        Function::Minimum => (b, 0.0, 1.0),
        Function::FischerBurmeister => fischer_burmeister(a, b),
        Function::Penalised => {
            let (f, fa, fb) = fischer_burmeister(a, b);
            let (ap, bp) = (a.max(0.0), b.max(0.0));
            let (on_a, on_b) = (f64::from(a > 0.0), f64::from(b > 0.0));
            let rest = 1.0 - PENALISED;
            (
                PENALISED * f + rest * ap * bp,
                PENALISED * fa + rest * on_a * bp,
                PENALISED * fb + rest * ap * on_b,
            )
        }
    }
}

/// φ(a, b) = a + b − √(a² + b²), without cancellation where both are positive.
fn fischer_burmeister(a: f64, b: f64) -> Jet {
    let r = a.hypot(b);
    if r == 0.0 {
        let slope = 1.0 - std::f64::consts::FRAC_1_SQRT_2;
        return (0.0, slope, slope);
    }
    let value = if a + b > 0.0 { 2.0 * a * b / (a + b + r) } else { a + b - r };
    (value, one_minus(a, b, r), one_minus(b, a, r))
}

/// 1 − x/r with r = √(x² + y²), without cancellation for x near r.
fn one_minus(x: f64, y: f64, r: f64) -> f64 {
    if x > 0.0 { y * y / (r * (r + x)) } else { 1.0 - x / r }
}

impl Map {
    /// Evaluates Φ, a, b at (z, w).
    pub(crate) fn evaluate(&mut self, p: &Scaled, function: Function, z: &[f64], w: &[f64]) {
        let n = p.n();
        self.phi.resize(n, 0.0);
        self.a.resize(n, 0.0);
        self.b.resize(n, 0.0);
        for i in 0..n {
            let (phi, a, b) = row(p, function, i, z[i], w[i]);
            (self.phi[i], self.a[i], self.b[i]) = (phi, a, b);
        }
    }

    /// Merit θ = ½ |Φ|².
    pub(crate) fn merit(p: &Scaled, function: Function, z: &[f64], w: &[f64]) -> f64 {
        let sum: f64 = (0..p.n()).map(|i| row(p, function, i, z[i], w[i]).0.powi(2)).sum();
        if sum.is_finite() { 0.5 * sum } else { f64::INFINITY }
    }

    /// ∇θ = Hᵀ Φ into `g`.
    pub(crate) fn gradient(&self, p: &Scaled, g: &mut [f64]) {
        for i in 0..p.n() {
            g[i] = (self.a[i] + p.softness(i) * self.b[i]) * self.phi[i];
        }
        for i in 0..p.n() {
            let scale = self.b[i] * self.phi[i];
            if scale != 0.0 {
                p.m().add_row_scaled(i, scale, g);
            }
        }
    }
}

fn row(p: &Scaled, function: Function, i: usize, z: f64, w: f64) -> Jet {
    match p.kind[i] {
        Kind::Free => (w, 0.0, 1.0),
        Kind::Fixed => (z - p.lower[i], 1.0, 0.0),
        Kind::Lower => pair(function, z - p.lower[i], w),
        Kind::Upper => upper(function, p.upper[i] - z, w),
        Kind::Boxed => {
            let (y, yz, yw) = upper(function, p.upper[i] - z, w);
            let (f, fa, fb) = pair(function, z - p.lower[i], y);
            (f, fa + fb * yz, fb * yw)
        }
    }
}

/// −φ(u − z, −w) with its derivatives to z and w.
fn upper(function: Function, below: f64, w: f64) -> Jet {
    let (f, fa, fb) = pair(function, below, -w);
    (-f, fa, fb)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Function; 3] = [Function::Minimum, Function::FischerBurmeister, Function::Penalised];

    #[test]
    fn pairs_vanish_exactly_at_complementarity() {
        for f in ALL {
            for (a, b) in [(0.0, 0.0), (3.0, 0.0), (0.0, 2.5)] {
                assert!(pair(f, a, b).0.abs() < 1e-15, "{f:?} {a} {b}");
            }
            for (a, b) in [(1.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (-1.0, 2.0), (1e-8, 1.0)] {
                assert!(pair(f, a, b).0.abs() > 1e-9, "{f:?} {a} {b}");
            }
        }
    }

    #[test]
    fn derivatives_agree_with_differences() {
        let h = 1e-6;
        for f in ALL {
            for (a, b) in [(1.0, 0.3), (-0.4, 2.0), (0.7, -0.2), (-1.0, -2.0), (1e3, 2.0)] {
                let (_, fa, fb) = pair(f, a, b);
                let da = (pair(f, a + h, b).0 - pair(f, a - h, b).0) / (2.0 * h);
                let db = (pair(f, a, b + h).0 - pair(f, a, b - h).0) / (2.0 * h);
                assert!((fa - da).abs() < 1e-6 && (fb - db).abs() < 1e-6, "{f:?} {a} {b}");
            }
        }
    }
}
