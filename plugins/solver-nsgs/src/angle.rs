//! The one equation of a sliding block: the direction of slip.
//!
//! With p_t = −R d, d = (cos θ, sin θ), Coulomb's law of one block says that u_t is parallel to d. In θ this is a
//! trigonometric polynomial of degree two (a quartic in tan(θ/2)), with at most four roots. They are enclosed by signs
//! and then found by Newton steps that never leave their interval.

/// g(θ) = c₀ + c₁ cos θ + s₁ sin θ + c₂ cos 2θ + s₂ sin 2θ.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Angle {
    pub(crate) c0: f64,
    pub(crate) c1: f64,
    pub(crate) s1: f64,
    pub(crate) c2: f64,
    pub(crate) s2: f64,
}

/// Intervals of the first look around the circle.
const PARTS: usize = 24;
/// Newton steps and bisections of one root at most; 60 bisections alone reach rounding.
const STEPS: usize = 80;

impl Angle {
    /// d⊥ · (a + B d + (e·d) f) with d = (cos θ, sin θ), d⊥ = (−sin θ, cos θ).
    pub(crate) fn of(a: (f64, f64), b: [[f64; 2]; 2], e: (f64, f64), f: (f64, f64)) -> Self {
        // d⊥·B d = −s c B00 − s² B01 + c² B10 + s c B11, and the last term is that of B = f eᵀ.
        let b = [[b[0][0] + f.0 * e.0, b[0][1] + f.0 * e.1], [b[1][0] + f.1 * e.0, b[1][1] + f.1 * e.1]];
        Self {
            c0: 0.5 * (b[1][0] - b[0][1]),
            c1: a.1,
            s1: -a.0,
            c2: 0.5 * (b[1][0] + b[0][1]),
            s2: 0.5 * (b[1][1] - b[0][0]),
        }
    }

    fn value(&self, theta: f64) -> f64 {
        let ((s, c), (s2, c2)) = (theta.sin_cos(), (2.0 * theta).sin_cos());
        self.c0 + self.c1 * c + self.s1 * s + self.c2 * c2 + self.s2 * s2
    }

    fn slope(&self, theta: f64) -> f64 {
        let ((s, c), (s2, c2)) = (theta.sin_cos(), (2.0 * theta).sin_cos());
        self.s1 * c - self.c1 * s + 2.0 * (self.s2 * c2 - self.c2 * s2)
    }

    fn slope_polynomial(&self) -> Self {
        Self { c0: 0.0, c1: self.s1, s1: -self.c1, c2: 2.0 * self.s2, s2: -2.0 * self.c2 }
    }

    /// The root in [low, high], where the signs at the ends differ.
    fn root(&self, mut low: f64, mut high: f64) -> f64 {
        let mut below = self.value(low);
        if below == 0.0 {
            return low;
        }
        let mut theta = 0.5 * (low + high);
        for _ in 0..STEPS {
            let value = self.value(theta);
            if value == 0.0 || high - low <= 4.0 * f64::EPSILON {
                break;
            }
            if (value > 0.0) == (below > 0.0) {
                (low, below) = (theta, value);
            } else {
                high = theta;
            }
            let newton = theta - value / self.slope(theta);
            let inside = newton > low && newton < high;
            let next = if inside { newton } else { 0.5 * (low + high) };
            if (next - theta).abs() <= f64::EPSILON {
                return next;
            }
            theta = next;
        }
        theta
    }

    /// Newton's method from `theta`: the root it finds, if it finds one close by.
    pub(crate) fn near(&self, mut theta: f64) -> Option<f64> {
        for _ in 0..8 {
            let step = self.value(theta) / self.slope(theta);
            if !(step.abs() < 0.5) {
                return None;
            }
            theta -= step;
            if step.abs() <= 1e-15 {
                return Some(theta);
            }
        }
        None
    }

    /// Calls `found` with every root in [0, 2π) in increasing order of its interval, until it says true.
    pub(crate) fn roots(&self, mut found: impl FnMut(f64) -> bool) -> bool {
        let width = 2.0 * std::f64::consts::PI / PARTS as f64;
        let slope = self.slope_polynomial();
        for k in 0..PARTS {
            let (low, high) = (k as f64 * width, (k + 1) as f64 * width);
            let (a, b) = (self.value(low), self.value(high));
            if a == 0.0 || (a > 0.0) != (b > 0.0) {
                if found(self.root(low, high)) {
                    return true;
                }
                continue;
            }
            // Two roots may hide between equal signs, around a turning point that points to zero.
            if a * slope.value(low) < 0.0 && b * slope.value(high) > 0.0 {
                let turn = slope.root(low, high);
                let hidden = (self.value(turn) > 0.0) != (a > 0.0);
                if hidden && (found(self.root(low, turn)) || found(self.root(turn, high))) {
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_four_roots_are_found() {
        // sin 2θ + 0.1: four roots.
        let g = Angle { c0: 0.1, s2: 1.0, ..Angle::default() };
        let mut list = Vec::new();
        g.roots(|theta| {
            list.push(theta);
            false
        });
        assert_eq!(list.len(), 4, "{list:?}");
        // The slope there is 2, and θ itself is rounded to 9e-16.
        assert!(list.iter().all(|t| g.value(*t).abs() < 4e-15));
    }

    #[test]
    fn close_roots_are_told_apart() {
        // (cos θ − cos 0.3)(cos θ − cos 0.301) = c² − …, two pairs of roots a thousandth apart.
        let (a, b) = (0.3_f64.cos(), 0.301_f64.cos());
        let g = Angle { c0: 0.5 + a * b, c1: -(a + b), c2: 0.5, ..Angle::default() };
        let mut list = Vec::new();
        g.roots(|theta| {
            list.push(theta);
            false
        });
        assert_eq!(list.len(), 4, "{list:?}");
        assert!((list[0] - 0.3).abs() < 1e-10 && (list[1] - 0.301).abs() < 1e-10, "{list:?}");
    }

    #[test]
    fn the_polynomial_is_the_product() {
        let (a, b) = ((0.3, -1.2), [[2.0, 0.7], [-0.4, 1.5]]);
        let (e, f) = ((0.6, -0.2), (1.1, 0.9));
        let g = Angle::of(a, b, e, f);
        for k in 0..7 {
            let theta = f64::from(k);
            let d = (theta.cos(), theta.sin());
            let along = e.0 * d.0 + e.1 * d.1;
            let x = a.0 + b[0][0] * d.0 + b[0][1] * d.1 + along * f.0;
            let y = a.1 + b[1][0] * d.0 + b[1][1] * d.1 + along * f.1;
            assert!((g.value(theta) - (d.0 * y - d.1 * x)).abs() < 1e-14);
        }
    }
}
