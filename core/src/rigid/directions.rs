//! Directions of friction in the tangent plane: those of a pyramid, or the two axes of a cone.

/// Unit directions d_k against (t1, t2), and how a vector is written as a combination of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Directions {
    /// (cos, sin) of every direction.
    list: Vec<(f64, f64)>,
    /// True if impulses along directions have any sign (cone) or are nonnegative (pyramid).
    signed: bool,
}

impl Directions {
    /// d_k = cos(2πk/n_d) t1 + sin(2πk/n_d) t2, k = 0 … n_d − 1; n_d even, so that −d_k is in the set.
    pub(crate) fn polygon(n_d: usize) -> Self {
        // The second half is the exact negative of the first, whatever the rounding of sin and cos.
        let angle = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / n_d as f64;
        let half: Vec<_> = (0..n_d / 2).map(|k| (angle(k).cos(), angle(k).sin())).collect();
        let list = half.iter().copied().chain(half.iter().map(|&(c, s)| (-c, -s))).collect();
        Self { list, signed: false }
    }

    /// The only two directions (t, −t) of a planar contact.
    pub(crate) fn line() -> Self {
        Self { list: vec![(1.0, 0.0), (-1.0, 0.0)], signed: false }
    }

    /// The axes t1 (and t2) of a cone.
    pub(crate) fn axes(n_t: usize) -> Self {
        Self { list: [(1.0, 0.0), (0.0, 1.0)][..n_t].to_vec(), signed: true }
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, f64)> + Clone + '_ {
        self.list.iter().copied()
    }

    pub(crate) fn get(&self, d: usize) -> (f64, f64) {
        self.list[d]
    }

    /// p = Σ x_k d_k; on a pyramid with x ≥ 0 on the two directions next to p (one in the plane).
    pub(crate) fn split(&self, p: (f64, f64), x: &mut [f64]) {
        let n = self.list.len();
        if self.signed {
            x[0] = p.0;
            if n == 2 {
                x[1] = p.1;
            }
            return;
        }
        x.fill(0.0);
        if n == 2 {
            x[usize::from(p.0 < 0.0)] = p.0.abs();
            return;
        }
        for k in 0..n {
            let ((c0, s0), (c1, s1)) = (self.list[k], self.list[(k + 1) % n]);
            let det = c0 * s1 - s0 * c1;
            let (x0, x1) = ((p.0 * s1 - p.1 * c1) / det, (c0 * p.1 - s0 * p.0) / det);
            if x0 >= 0.0 && x1 >= 0.0 {
                (x[k], x[(k + 1) % n]) = (x0, x1);
                return;
            }
        }
    }

    /// Σ x_k d_k.
    pub(crate) fn join(&self, x: &[f64]) -> (f64, f64) {
        self.iter().zip(x).fold((0.0, 0.0), |p, ((c, s), x)| (p.0 + c * x, p.1 + s * x))
    }

    /// σ that fits the slip ν: max over directions of −d·ν, at least 0.
    pub(crate) fn slip(&self, nu: (f64, f64)) -> f64 {
        self.iter().map(|(c, s)| -(c * nu.0 + s * nu.1)).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_and_joining_return_the_vector() {
        for directions in [Directions::polygon(8), Directions::polygon(4), Directions::axes(2)] {
            for k in 0..25 {
                let p = ((0.3 * f64::from(k)).cos(), (0.3 * f64::from(k)).sin());
                let mut x = vec![f64::NAN; directions.len()];
                directions.split(p, &mut x);
                let back = directions.join(&x);
                assert!((back.0 - p.0).hypot(back.1 - p.1) < 1e-15, "{k}: {p:?} became {back:?}");
                assert!(directions.signed || x.iter().all(|x| *x >= 0.0));
            }
        }
    }

    #[test]
    fn every_direction_has_its_exact_opposite() {
        let d = Directions::polygon(8);
        assert!((0..4).all(|k| d.get(k + 4) == (-d.get(k).0, -d.get(k).1)));
    }
}
