//! The normal force of a compliant contact: π(δ, v_n) = k (1 − d v_n)₊ δ₊.

/// The law of Hunt and Crossley with an exponent of 1 (eq. 5 of Castro et al. 2020).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HuntCrossley {
    /// k, N/m.
    pub stiffness: f64,
    /// d, s/m.
    pub dissipation: f64,
}

/// A normal force and its derivatives. At the kinks δ = 0 and 1 = d v_n they are those of the side that presses: a
/// Newton method that starts there sees the contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalForce {
    /// π ≥ 0, N.
    pub force: f64,
    /// ∂π/∂δ ≥ 0 at fixed v_n, N/m.
    pub by_penetration: f64,
    /// ∂π/∂v_n ≤ 0 at fixed δ, N s/m.
    pub by_rate: f64,
}

impl HuntCrossley {
    /// π(δ, v_n) at a penetration δ (m, negative where there is none) and a rate of separation v_n = −δ̇ (m/s).
    #[inline]
    pub fn at(&self, penetration: f64, v_n: f64) -> NormalForce {
        let (k, d) = (self.stiffness, self.dissipation);
        let damping = 1.0 - d * v_n;
        if penetration < 0.0 || damping < 0.0 {
            return NormalForce { force: 0.0, by_penetration: 0.0, by_rate: 0.0 };
        }
        NormalForce {
            force: k * damping * penetration,
            by_penetration: k * damping,
            by_rate: -k * d * penetration,
        }
    }

    /// (π, dπ/dv_n) with the penetration of the end of the step, δ ≈ δ_0 − h v_n (eq. 19 of the paper): N, N s/m.
    ///
    /// dπ/dv_n = −k (d δ + h (1 − d v_n)) ≤ 0 where δ ≥ 0 and d v_n ≤ 1, else 0.
    #[inline]
    pub fn within_step(&self, penetration: f64, h: f64, v_n: f64) -> (f64, f64) {
        let n = self.at(penetration - h * v_n, v_n);
        (n.force, n.by_rate - h * n.by_penetration)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAW: HuntCrossley = HuntCrossley { stiffness: 1e5, dissipation: 50.0 };

    #[test]
    fn the_force_at_rest_is_a_spring_and_grows_with_the_speed_of_approach() {
        assert_eq!(LAW.at(1e-4, 0.0).force, 10.0);
        assert_eq!(LAW.at(1e-4, -0.01).force, 15.0);
        assert_eq!(LAW.at(1e-4, 0.01).force, 5.0);
        // No force pulls: neither apart nor faster than 1/d.
        assert_eq!(LAW.at(-1e-4, -1.0).force, 0.0);
        assert_eq!(LAW.at(1e-4, 0.021).force, 0.0);
    }

    #[test]
    fn both_derivatives_agree_with_differences() {
        for (delta, v) in [(1e-4, 0.0), (2e-5, -0.3), (3e-3, 0.019), (-1e-4, 0.2), (1e-4, 0.05)] {
            let (e, at) = (1e-9, LAW.at(delta, v));
            let slope = (LAW.at(delta + e, v).force - LAW.at(delta - e, v).force) / (2.0 * e);
            assert!((at.by_penetration - slope).abs() < 1e-6 * LAW.stiffness, "{delta} {v}: {slope}");
            let slope = (LAW.at(delta, v + e).force - LAW.at(delta, v - e).force) / (2.0 * e);
            assert!((at.by_rate - slope).abs() < 1e-6 * LAW.stiffness * LAW.dissipation * 1e-3, "{slope}");
        }
    }

    #[test]
    fn within_a_step_force_and_slope_are_those_of_the_printed_formula() {
        let (k, d, h) = (LAW.stiffness, LAW.dissipation, 0.01);
        for delta in [3.2e-5, 0.0, -1e-3] {
            for v in [-0.7, -3e-3, -1e-6, 1e-6, 2e-3, 0.1] {
                let (pressed, damping) = (k * delta - h * k * v, 1.0 - d * v);
                let expected = pressed.max(0.0) * damping.max(0.0);
                let (force, slope) = LAW.within_step(delta, h, v);
                assert!((force - expected).abs() <= 1e-13 * (k * delta.abs() + force), "{delta} {v}");
                let e = 1e-9;
                let ahead = LAW.within_step(delta, h, v + e).0;
                let difference = (ahead - LAW.within_step(delta, h, v - e).0) / (2.0 * e);
                assert!((slope - difference).abs() <= 1e-6 * (1.0 + slope.abs()), "{delta} {v}: {slope}");
                assert!(slope <= 0.0);
            }
        }
    }

    #[test]
    fn a_touching_pair_at_rest_has_the_slope_of_pressing() {
        let (force, slope) = LAW.within_step(0.0, 0.01, 0.0);
        assert_eq!((force, slope), (0.0, -1e3));
    }
}
