//! Alart and Curnier's map of every unit, with its generalised derivatives: Φ(z, w) = 0 exactly at a solution.
//!
//! With y = z − ρ w, ρ > 0:
//!
//! - free row: Φ = ρ w;
//! - bounds: Φ = z − Π(y);
//! - Coulomb: Φ_n = z_n − (y_n)₊, Φ_t = z_t − P(y_t) with P the projection on the disc of radius μ (y_n)₊;
//! - disc: Φ_t alone, with the fixed radius.

use std::ops::Range;

use crate::scaled::{Law, Scaled, Unit};

/// z and w of a unit.
type Pair<'a> = (&'a [f64; 3], &'a [f64; 3]);

/// Φ of one unit with ∂Φ/∂z and ∂Φ/∂w, in the order of the unit's rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Jet {
    pub(crate) phi: [f64; 3],
    pub(crate) dz: [[f64; 3]; 3],
    pub(crate) dw: [[f64; 3]; 3],
}

impl Jet {
    /// Row a says z_a = `value`.
    fn fix(&mut self, a: usize, z: f64, value: f64) {
        self.phi[a] = z - value;
        self.dz[a][a] = 1.0;
    }

    /// Row a says w_a = 0.
    fn equation(&mut self, a: usize, w: f64, rho: f64) {
        self.phi[a] = rho * w;
        self.dw[a][a] = rho;
    }

    /// Tangential rows `rows` of a friction disc whose radius is `radius` and changes with row 0 by `gain` (μ where the
    /// normal is pressed, else 0).
    fn friction(&mut self, rows: Range<usize>, (z, w): Pair<'_>, rho: f64, radius: f64, gain: f64) {
        let y: [f64; 3] = std::array::from_fn(|a| if rows.contains(&a) { z[a] - rho * w[a] } else { 0.0 });
        let length = y.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length <= radius {
            rows.for_each(|a| self.equation(a, w[a], rho));
            return;
        }
        let share = radius / length;
        for a in rows.clone() {
            let d_a = y[a] / length;
            self.phi[a] = z[a] - radius * d_a;
            for b in rows.clone() {
                let across = share * (f64::from(a == b) - d_a * y[b] / length);
                self.dz[a][b] = f64::from(a == b) - across;
                self.dw[a][b] = rho * across;
            }
            if gain > 0.0 {
                self.dz[a][0] = -gain * d_a;
                self.dw[a][0] = gain * rho * d_a;
            }
        }
    }
}

/// The map of a unit at (z, w).
pub(crate) fn jet(p: &Scaled, unit: &Unit, rho: f64, z: &[f64], w: &[f64]) -> Jet {
    let mut out = Jet::default();
    let gather = |x: &[f64]| std::array::from_fn(|a| if a < unit.k { x[unit.rows[a] as usize] } else { 0.0 });
    let (z, w): ([f64; 3], [f64; 3]) = (gather(z), gather(w));
    match unit.law {
        Law::Free => out.equation(0, w[0], rho),
        Law::Bounds => {
            let i = unit.rows[0] as usize;
            let y = z[0] - rho * w[0];
            if y < p.lower[i] {
                out.fix(0, z[0], p.lower[i]);
            } else if y > p.upper[i] {
                out.fix(0, z[0], p.upper[i]);
            } else {
                out.equation(0, w[0], rho);
            }
        }
        Law::Disc(radius) => out.friction(0..unit.k, (&z, &w), rho, radius, 0.0),
        Law::Coulomb(mu) => {
            let y = z[0] - rho * w[0];
            if y < 0.0 {
                (0..unit.k).for_each(|a| out.fix(a, z[a], 0.0));
            } else {
                out.equation(0, w[0], rho);
                out.friction(1..unit.k, (&z, &w), rho, mu * y, mu);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_agree_with_differences() {
        let mut p = Scaled::default();
        (p.lower, p.upper) = (vec![-1.0; 3], vec![2.0; 3]);
        let laws = [
            (Law::Coulomb(0.4), 3),
            (Law::Coulomb(0.4), 2),
            (Law::Disc(0.7), 2),
            (Law::Disc(0.7), 1),
            (Law::Bounds, 1),
            (Law::Free, 1),
        ];
        for (law, k) in laws {
            let unit = Unit { law, rows: [0, 1, 2], k };
            for (z, w) in [
                ([1.0, 0.3, 0.2], [0.1, -0.2, 0.4]),
                ([1.0, 0.1, 0.0], [-0.3, 0.05, 0.1]),
                ([-0.5, 3.0, 1.0], [0.4, -0.6, -0.7]),
            ] {
                check(&p, &unit, z, w);
            }
        }
    }

    fn check(p: &Scaled, unit: &Unit, z: [f64; 3], w: [f64; 3]) {
        let (h, rho) = (1e-6, 0.8);
        let at = jet(p, unit, rho, &z, &w);
        for b in 0..unit.k {
            let moved = |dz: f64, dw: f64| {
                let (mut z, mut w) = (z, w);
                (z[b], w[b]) = (z[b] + dz, w[b] + dw);
                jet(p, unit, rho, &z, &w).phi
            };
            let (z1, z0, w1, w0) = (moved(h, 0.0), moved(-h, 0.0), moved(0.0, h), moved(0.0, -h));
            for a in 0..unit.k {
                let (dz, dw) = ((z1[a] - z0[a]) / (2.0 * h), (w1[a] - w0[a]) / (2.0 * h));
                assert!((dz - at.dz[a][b]).abs() < 1e-8, "{unit:?} {a} {b} {z:?} {w:?}");
                assert!((dw - at.dw[a][b]).abs() < 1e-8, "{unit:?} {a} {b} {z:?} {w:?}");
            }
        }
    }
}
