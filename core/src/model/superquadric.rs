//! Mass properties of superellipses and superellipsoids in closed form.
//!
//! Dirichlet's integral over x, y ≥ 0, x^s + y^s ≤ 1: ∫ x^(α−1) y^(β−1) = Γ(α/s) Γ(β/s)/(s² Γ(1 + (α + β)/s)).

use nalgebra::{Matrix3, Vector3};

/// Dirichlet's integral for exponent s; by logarithms, so that large exponents do not overflow.
fn dirichlet(alpha: f64, beta: f64, s: f64) -> f64 {
    // Γ(1 + x) = x Γ(x) takes the poles at small x out.
    let log =
        libm::lgamma(1.0 + alpha / s) + libm::lgamma(1.0 + beta / s) - libm::lgamma(1.0 + (alpha + beta) / s);
    log.exp() / (alpha * beta)
}

/// ∫₀¹ ζ^k (1 − ζ^p)^(m/p) dζ = B((k + 1)/p, 1 + m/p)/p.
fn profile(k: f64, m: f64, p: f64) -> f64 {
    let log =
        libm::lgamma(1.0 + (k + 1.0) / p) + libm::lgamma(1.0 + m / p) - libm::lgamma(1.0 + (k + 1.0 + m) / p);
    log.exp() / (k + 1.0)
}

/// Area and second moments (∫x², ∫y²) of |x/a|^s + |y/b|^s ≤ 1, m² and m⁴.
pub(super) fn superellipse(a: f64, b: f64, s: f64) -> (f64, [f64; 2]) {
    let area = 4.0 * a * b * dirichlet(1.0, 1.0, s);
    let second = 4.0 * a * b * dirichlet(3.0, 1.0, s);
    (area, [second * a * a, second * b * b])
}

/// Volume, m³, and inertia about the centre at unit density of a superellipsoid `[a, b, c, ε1, ε2]`.
///
/// The section at z is the superellipse (a, b, 2/ε2) shrunk by (1 − |z/c|^(2/ε1))^(ε1/2).
pub(super) fn superellipsoid(p: &[f64]) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let (c, p1, p2) = (p[2], 2.0 / p[3], 2.0 / p[4]);
    let (area, [xx, yy]) = superellipse(p[0], p[1], p2);
    let volume = 2.0 * c * area * profile(0.0, 2.0, p1);
    let along = 2.0 * c * profile(0.0, 4.0, p1);
    let (xx, yy) = (xx * along, yy * along);
    let zz = 2.0 * c * c * c * area * profile(2.0, 2.0, p1);
    (volume, Vector3::zeros(), Matrix3::from_diagonal(&Vector3::new(yy + zz, xx + zz, xx + yy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Midpoint rule in the two angles of the parametrised solid: x = a r cos^(2/p2) v cos^(2/p1) u, and so on; the
    /// substitution makes the integrands polynomial in r, and the Jacobian comes from finite differences of nothing.
    fn quadrature(a: f64, b: f64, c: f64, p1: f64, p2: f64) -> [f64; 4] {
        let n = 400;
        let node = |i: usize| (i as f64 + 0.5) / n as f64;
        let mut sums = [0.0; 4];
        for i in 0..n {
            for j in 0..n {
                // ζ = 1 − (1 − t)³ and ξ likewise put nodes where the section closes.
                let (t, u) = (node(i), node(j));
                let (zeta, dz) = (1.0 - (1.0 - t).powi(3), 3.0 * (1.0 - t).powi(2));
                let (xi, dx) = (1.0 - (1.0 - u).powi(3), 3.0 * (1.0 - u).powi(2));
                let rho = (1.0 - zeta.powf(p1)).powf(1.0 / p1);
                let y = rho * (1.0 - xi.powf(p2)).powf(1.0 / p2);
                let weight = 8.0 * a * b * c * dz * dx * rho / (n * n) as f64;
                let x = rho * xi;
                sums[0] += weight * y;
                sums[1] += weight * y * (a * x).powi(2);
                sums[2] += weight * b * b * y.powi(3) / 3.0;
                sums[3] += weight * y * (c * zeta).powi(2);
            }
        }
        sums
    }

    #[test]
    fn volumes_and_moments_agree_with_quadrature() {
        let shapes = [(2.0, 2.0), (1.0, 1.0), (4.0, 8.0), (1.5, 3.0), (20.0, 20.0), (2.0, 1.0), (12.0, 2.0)];
        for (p1, p2) in shapes {
            let (a, b, c) = (0.3, 0.5, 0.8);
            let (volume, _, inertia) = superellipsoid(&[a, b, c, 2.0 / p1, 2.0 / p2]);
            let [v, xx, yy, zz] = quadrature(a, b, c, p1, p2);
            let expected = [v, yy + zz, xx + zz, xx + yy];
            let found = [volume, inertia[(0, 0)], inertia[(1, 1)], inertia[(2, 2)]];
            for (f, e) in found.iter().zip(expected) {
                assert!((f / e - 1.0).abs() < 1e-4, "{p1} {p2}: {found:?} against {expected:?}");
            }
        }
    }

    #[test]
    fn ellipses_diamonds_and_boxes_have_their_textbook_values() {
        use std::f64::consts::PI;
        let (a, b) = (0.7, 0.2);
        let close = |x: f64, y: f64| assert!((x / y - 1.0).abs() < 1e-13, "{x} {y}");
        let (area, [xx, yy]) = superellipse(a, b, 2.0);
        close(area, PI * a * b);
        close(xx, PI * a * a * a * b / 4.0);
        close(yy, PI * a * b * b * b / 4.0);
        let (area, [xx, _]) = superellipse(a, b, 1.0);
        close(area, 2.0 * a * b);
        close(xx, a * a * a * b / 3.0);
        let (volume, _, inertia) = superellipsoid(&[0.3, 0.5, 0.8, 1.0, 1.0]);
        close(volume, 4.0 / 3.0 * PI * 0.12);
        close(inertia[(0, 0)], volume * (0.25 + 0.64) / 5.0);
        // Exponent → ∞: a box, to O(1/p²).
        let (volume, ..) = superellipsoid(&[0.3, 0.5, 0.8, 2e-6, 2e-6]);
        assert!((volume / 0.96 - 1.0).abs() < 1e-9);
    }
}
