//! Motion given by keyframes.

/// How values between keyframes are found. Outside the first and last keyframe the end values hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Interpolation {
    /// Straight lines.
    #[default]
    Linear,
    /// Cubic Hermite pieces, C¹: slopes by three-point differences inside, zero at both ends.
    Cubic,
    /// The cubic spline, C², with slope zero at both ends.
    Spline,
}

/// A function of time through given points.
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    /// (t, value), t strictly increasing, at least one.
    points: Vec<(f64, f64)>,
    /// Slope at every keyframe; of cubic pieces only.
    slopes: Vec<f64>,
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
        let slopes = match interpolation {
            Interpolation::Linear => Vec::new(),
            Interpolation::Cubic => (0..points.len()).map(|i| three_point_slope(&points, i)).collect(),
            Interpolation::Spline => spline_slopes(&points),
        };
        Ok(Self { points, slopes, interpolation })
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
            Interpolation::Cubic | Interpolation::Spline => {
                let (m0, m1) = (self.slopes[i - 1] * (t1 - t0), self.slopes[i] * (t1 - t0));
                let (s2, s3) = (s * s, s * s * s);
                (2.0 * s3 - 3.0 * s2 + 1.0) * x0
                    + (s3 - 2.0 * s2 + s) * m0
                    + (3.0 * s2 - 2.0 * s3) * x1
                    + (s3 - s2) * m1
            }
        }
    }

    /// Value, first and second derivative at time t; at a keyframe those of the piece that ends there, outside 0.
    pub fn jet(&self, t: f64) -> [f64; 3] {
        let p = &self.points;
        let i = p.partition_point(|&(ti, _)| ti < t);
        if i == 0 || i == p.len() {
            return [self.at(t), 0.0, 0.0];
        }
        let ((t0, x0), (t1, x1)) = (p[i - 1], p[i]);
        let (d, change) = (t1 - t0, x1 - x0);
        if self.interpolation == Interpolation::Linear {
            return [self.at(t), change / d, 0.0];
        }
        let (s, m0, m1) = ((t - t0) / d, self.slopes[i - 1] * d, self.slopes[i] * d);
        let (b, c) = (3.0 * change - 2.0 * m0 - m1, m0 + m1 - 2.0 * change);
        let rate = m0 + s * (2.0 * b + 3.0 * s * c);
        [self.at(t), rate / d, (2.0 * b + 6.0 * s * c) / (d * d)]
    }
}

/// Derivative of the parabola through keyframe i and its neighbours; 0 at both ends.
fn three_point_slope(p: &[(f64, f64)], i: usize) -> f64 {
    if i == 0 || i + 1 == p.len() {
        return 0.0;
    }
    let (ha, hb) = (p[i].0 - p[i - 1].0, p[i + 1].0 - p[i].0);
    let (da, db) = ((p[i].1 - p[i - 1].1) / ha, (p[i + 1].1 - p[i].1) / hb);
    (da * hb + db * ha) / (ha + hb)
}

/// Slopes m with continuous second derivative, m = 0 at both ends:
/// m_{i−1}/h_a + 2 m_i (1/h_a + 1/h_b) + m_{i+1}/h_b = 3 (d_a/h_a + d_b/h_b), tridiagonal and diagonally dominant.
fn spline_slopes(p: &[(f64, f64)]) -> Vec<f64> {
    let n = p.len();
    let (mut slopes, mut upper) = (vec![0.0; n], vec![0.0; n]);
    for i in 1..n.saturating_sub(1) {
        let (ha, hb) = (p[i].0 - p[i - 1].0, p[i + 1].0 - p[i].0);
        let (da, db) = ((p[i].1 - p[i - 1].1) / ha, (p[i + 1].1 - p[i].1) / hb);
        let pivot = 2.0 * (1.0 / ha + 1.0 / hb) - upper[i - 1] / ha;
        upper[i] = 1.0 / (hb * pivot);
        slopes[i] = (3.0 * (da / ha + db / hb) - slopes[i - 1] / ha) / pivot;
    }
    for i in (1..n.saturating_sub(1)).rev() {
        slopes[i] -= upper[i] * slopes[i + 1];
    }
    slopes
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
    fn derivatives_are_those_of_the_values() {
        let points = vec![(0.0, 1.0), (1.0, 3.0), (4.0, 0.0), (5.0, 2.0)];
        for kind in [Interpolation::Linear, Interpolation::Cubic, Interpolation::Spline] {
            let k = Keyframes::new(points.clone(), kind).unwrap();
            for t in [-1.0, 0.3, 2.2, 3.9, 4.5, 6.0] {
                let d = 1e-4;
                let [x, rate, second] = k.jet(t);
                assert_eq!(x, k.at(t));
                assert!((rate - (k.at(t + d) - k.at(t - d)) / (2.0 * d)).abs() < 1e-7, "{kind:?} {t}");
                let curve = (k.at(t + d) - 2.0 * x + k.at(t - d)) / (d * d);
                assert!((second - curve).abs() < 1e-5, "{kind:?} {t}: {second} {curve}");
            }
        }
    }

    #[test]
    fn a_spline_is_twice_differentiable_and_repeats_a_cubic() {
        let points = [0.0, 0.7, 1.0, 1.9, 2.0].map(|t: f64| (t, 3.0 * t * t - t * t * t));
        // 3 t² − t³ has slope 0 at 0 and at 2: the spline is the cubic.
        let k = Keyframes::new(points.to_vec(), Interpolation::Spline).unwrap();
        for t in [0.1, 0.69, 0.85, 1.5, 1.97] {
            let [x, rate, second] = k.jet(t);
            assert!((x - (3.0 * t * t - t * t * t)).abs() < 1e-13);
            assert!((rate - (6.0 * t - 3.0 * t * t)).abs() < 1e-12);
            assert!((second - (6.0 - 6.0 * t)).abs() < 1e-11, "{t}: {second}");
        }
        let k = Keyframes::new(vec![(0.0, 1.0), (1.0, 3.0), (4.0, 0.0), (5.0, 2.0)], Interpolation::Spline);
        let k = k.unwrap();
        for t in [1.0, 4.0] {
            let (left, right) = (k.jet(t)[2], k.jet(t + 1e-9)[2]);
            assert!((left - right).abs() < 1e-6, "{left} {right}");
        }
        assert_eq!((k.jet(0.0)[1], k.jet(5.0 - 1e-12)[1].abs() < 1e-9), (0.0, true));
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
