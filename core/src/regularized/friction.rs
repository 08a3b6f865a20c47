//! Regularised Coulomb friction: f_t = −μ̃(|v_t|/v_s) π v_t/|v_t|, without a jump at v_t = 0.

/// μ̃(s)/μ below s = |v_t|/v_s = 1; 1 beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrictionCurve {
    /// s: eq. 7 of Castro et al. 2020. Continuous.
    #[default]
    Linear,
    /// s (2 − s): that of Drake. Continuously differentiable, twice as steep at rest.
    Quadratic,
}

impl FrictionCurve {
    /// (m(s)/s, m′(s)) for m = μ̃/μ; the limits at s = 0, the inner slope at s = 1.
    #[inline]
    fn secant_and_slope(self, s: f64) -> (f64, f64) {
        match self {
            _ if s > 1.0 => (1.0 / s, 0.0),
            Self::Linear => (1.0, 1.0),
            Self::Quadratic => (2.0 - s, 2.0 - 2.0 * s),
        }
    }

    /// The speed, in units of v_s, at which friction is the fraction `x` ∈ [0, 1] of μ π: the creep of a body in stiction.
    pub fn creep(self, x: f64) -> f64 {
        match self {
            Self::Linear => x,
            // 1 − √(1 − x) without its cancellation.
            Self::Quadratic => x / (1.0 + (1.0 - x).sqrt()),
        }
    }
}

/// A law of regularised friction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regularized {
    /// Its curve.
    pub curve: FrictionCurve,
    /// v_s, m/s: the speed from which on friction is all of μ π.
    pub stiction_velocity: f64,
    /// ε_v of the soft norm |v| = √(v·v + ε_v²), m/s; 0: the norm itself. 1e-2 v_s is customary.
    pub softening: f64,
}

/// Friction of a slip: the force is −μ π `direction`, its derivative by v_t is −μ π `slope`, by π −μ `direction`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slip {
    /// u = (μ̃/μ) v_t/|v_t|, at most of length 1.
    pub direction: [f64; 2],
    /// ∂u/∂v_t, symmetric positive semidefinite: D_t = μ π `slope`, s/m.
    pub slope: [[f64; 2]; 2],
}

impl Regularized {
    /// Direction and slope at the slip v_t (m/s); the second component is 0 for planar contacts.
    ///
    /// u = m(s)/s · v/v_s and ∂u/∂v = (m/s (I − v̂v̂ᵀ) + m′ v̂v̂ᵀ)/v_s, v̂ = v/|v|: nothing is divided by |v|, and at
    /// v = 0 the slope is m′(0)/v_s I.
    #[inline]
    pub fn slip(&self, v: [f64; 2]) -> Slip {
        let norm = self.norm(v);
        let inverse = 1.0 / self.stiction_velocity;
        let (secant, slope) = self.curve.secant_and_slope(norm * inverse);
        let unit = if norm > 0.0 { [v[0] / norm, v[1] / norm] } else { [0.0; 2] };
        let along = slope - secant;
        let off = inverse * along * unit[0] * unit[1];
        let diagonal = |u: f64| inverse * (secant + along * u * u);
        Slip {
            direction: [secant * inverse * v[0], secant * inverse * v[1]],
            slope: [[diagonal(unit[0]), off], [off, diagonal(unit[1])]],
        }
    }

    /// The direction alone.
    #[inline]
    pub fn direction(&self, v: [f64; 2]) -> [f64; 2] {
        let inverse = 1.0 / self.stiction_velocity;
        let (secant, _) = self.curve.secant_and_slope(self.norm(v) * inverse);
        [secant * inverse * v[0], secant * inverse * v[1]]
    }

    /// |v|, soft or not, m/s.
    #[inline]
    fn norm(&self, v: [f64; 2]) -> f64 {
        // hypot is exact where v·v underflows, and slow.
        let square = v[0] * v[0] + v[1] * v[1] + self.softening * self.softening;
        if square > 1e-280 { square.sqrt() } else { v[0].hypot(v[1]).hypot(self.softening) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V_S: f64 = 1e-4;

    fn laws() -> impl Iterator<Item = Regularized> {
        [FrictionCurve::Linear, FrictionCurve::Quadratic].into_iter().flat_map(|curve| {
            [0.0, 1e-2 * V_S].map(|softening| Regularized { curve, stiction_velocity: V_S, softening })
        })
    }

    #[test]
    fn sliding_friction_is_all_of_it_and_creep_is_where_the_fraction_is() {
        for law in laws().filter(|law| law.softening == 0.0) {
            let u = law.slip([3e-3, -4e-3]).direction;
            assert!((u[0] - 0.6).abs() < 1e-15 && (u[1] + 0.8).abs() < 1e-15);
            for x in [0.0, 0.1, 2.0 / 3.234, 1.0] {
                let u = law.slip([0.0, V_S * law.curve.creep(x)]).direction;
                assert!((u[1] - x).abs() < 1e-15 && u[0] == 0.0, "{law:?} {x} {u:?}");
            }
        }
        // The values of the worked instance: f/(μ N) = 2/(0.33 · 9.8).
        let x = 2.0 / (0.33 * 9.8);
        assert!((FrictionCurve::Linear.creep(x) - 0.61843).abs() < 5e-6);
        assert!((FrictionCurve::Quadratic.creep(x) - 0.38229).abs() < 5e-6);
    }

    #[test]
    fn the_slope_agrees_with_differences() {
        let e = 1e-9 * V_S.sqrt();
        for law in laws() {
            for v in [[0.5, 0.1], [1e-3, -2e-3], [-0.9, 0.3], [3.0, -4.0], [0.0, 40.0]] {
                let v = v.map(|x: f64| x * V_S);
                let slope = law.slip(v).slope;
                for j in 0..2 {
                    let mut ends = [v; 2];
                    ends[0][j] -= e;
                    ends[1][j] += e;
                    let u = ends.map(|v| law.slip(v).direction);
                    for i in 0..2 {
                        let difference = (u[1][i] - u[0][i]) / (2.0 * e);
                        assert!((slope[i][j] - difference).abs() < 1e-5 / V_S, "{law:?} {v:?} {i}{j}");
                    }
                }
            }
        }
    }

    #[test]
    fn at_rest_the_slope_is_the_limit_and_nothing_is_undefined() {
        for law in laws() {
            let rest = law.slip([0.0; 2]);
            assert_eq!(rest.direction, [0.0; 2]);
            let near = law.slip([1e-12 * V_S, 0.0]);
            for i in 0..2 {
                for j in 0..2 {
                    assert!((rest.slope[i][j] - near.slope[i][j]).abs() < 1e-9 / V_S, "{law:?}");
                }
            }
        }
        let tiny = Regularized { curve: FrictionCurve::Linear, stiction_velocity: V_S, softening: 0.0 };
        assert!(tiny.slip([1e-300, 1e-300]).slope.iter().flatten().all(|x| x.is_finite()));
    }
}
