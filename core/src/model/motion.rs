//! Motion given by keyframes.

/// How values between keyframes are found. Outside the first and last keyframe the end values hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// Cubic Hermite pieces, C¹: slopes by three-point differences inside, zero at both ends.
    Cubic,
}

/// A function of time through given points.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    /// (t, value), t strictly increasing, at least one.
    points: Vec<(f64, f64)>,
    interpolation: Interpolation,
}

impl Keyframes {
    /// Through `points`; the message says why not: none, times not increasing, or non-finite numbers.
    pub fn new(points: Vec<(f64, f64)>, interpolation: Interpolation) -> Result<Self, String> {
        if points.is_empty() {
            return Err("there is no keyframe".into());
        }
        if let Some(i) = points.iter().position(|(t, x)| !t.is_finite() || !x.is_finite()) {
            return Err(format!("keyframe {i} is not finite"));
        }
        if let Some(i) = points.windows(2).position(|w| w[1].0 <= w[0].0) {
            let (a, b) = (points[i].0, points[i + 1].0);
            return Err(format!("keyframe times must increase, but {b} follows {a}"));
        }
        Ok(Self { points, interpolation })
    }

    /// Value at time t.
    pub fn at(&self, t: f64) -> f64 {
        let p = &self.points;
        let i = p.partition_point(|&(ti, _)| ti <= t);
        if i == 0 {
            return p[0].1;
        }
        if i == p.len() {
            return p[i - 1].1;
        }
        let ((t0, x0), (t1, x1)) = (p[i - 1], p[i]);
        let s = (t - t0) / (t1 - t0);
        match self.interpolation {
            Interpolation::Linear => x0 + s * (x1 - x0),
            Interpolation::Cubic => {
                let (m0, m1) = (self.slope(i - 1) * (t1 - t0), self.slope(i) * (t1 - t0));
                let (s2, s3) = (s * s, s * s * s);
                (2.0 * s3 - 3.0 * s2 + 1.0) * x0
                    + (s3 - 2.0 * s2 + s) * m0
                    + (3.0 * s2 - 2.0 * s3) * x1
                    + (s3 - s2) * m1
            }
        }
    }

    /// Slope at keyframe i: derivative of the parabola through it and its neighbours.
    fn slope(&self, i: usize) -> f64 {
        let p = &self.points;
        if i == 0 || i + 1 == p.len() {
            return 0.0;
        }
        let (ha, hb) = (p[i].0 - p[i - 1].0, p[i + 1].0 - p[i].0);
        let (da, db) = ((p[i].1 - p[i - 1].1) / ha, (p[i + 1].1 - p[i].1) / hb);
        (da * hb + db * ha) / (ha + hb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_interpolations_pass_through_the_points_and_hold_outside() {
        let points = vec![(0.0, 1.0), (1.0, 3.0), (4.0, 0.0)];
        for kind in [Interpolation::Linear, Interpolation::Cubic] {
            let k = Keyframes::new(points.clone(), kind).unwrap();
            for &(t, x) in &points {
                assert!((k.at(t) - x).abs() < 1e-15);
            }
            assert_eq!((k.at(-1.0), k.at(9.0)), (1.0, 0.0));
        }
    }

    #[test]
    fn cubic_is_continuously_differentiable() {
        let k = Keyframes::new(vec![(0.0, 1.0), (1.0, 3.0), (4.0, 0.0), (5.0, 2.0)], Interpolation::Cubic)
            .unwrap();
        let d = 1e-6;
        for t in [0.0, 1.0, 4.0, 5.0] {
            let left = (k.at(t) - k.at(t - d)) / d;
            let right = (k.at(t + d) - k.at(t)) / d;
            assert!((left - right).abs() < 1e-4, "kink at {t}: {left} {right}");
        }
    }

    #[test]
    fn bad_keyframes_are_refused() {
        assert!(Keyframes::new(vec![], Interpolation::Linear).is_err());
        assert!(
            Keyframes::new(vec![(0.0, 0.0), (0.0, 1.0)], Interpolation::Linear)
                .unwrap_err()
                .contains("increase")
        );
        assert!(Keyframes::new(vec![(0.0, f64::NAN)], Interpolation::Linear).is_err());
    }
}
