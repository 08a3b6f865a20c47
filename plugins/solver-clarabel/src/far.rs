//! Bounds that nobody comes near. An interior point measures all right sides by the largest: a bound of 1e9 beside others of 1 leaves
//! those a billionth of its digits. Such a program is solved without them, and the point found is held against them.

use vinci_sdk::prelude::*;

/// So many times the smallest right side, or place of the objective's lowest point, a bound is far.
const FAR: f64 = 1e4;

/// Bounds with the far ones at ±∞.
#[derive(Debug, Default)]
pub(crate) struct NearBounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl NearBounds {
    /// `p` without its far bounds, by the units D of unknowns and E of rows; nothing where none is far.
    pub(crate) fn of<'a>(&'a mut self, p: &Conic<'a>, (d, e): (&[f64], &[f64])) -> Option<Conic<'a>> {
        let far = FAR * smallest(p, d, e);
        let keep = |i: usize, bound: f64| {
            p.lower[i] == p.upper[i] || !bound.is_finite() || size(p, e, i, bound) <= far
        };
        let near = |i: usize, bound: f64, none: f64| if keep(i, bound) { bound } else { none };
        self.lower.clear();
        self.lower.extend((0..p.m()).map(|i| near(i, p.lower[i], f64::NEG_INFINITY)));
        self.upper.clear();
        self.upper.extend((0..p.m()).map(|i| near(i, p.upper[i], f64::INFINITY)));
        let any = self.lower != p.lower || self.upper != p.upper;
        any.then_some(Conic { lower: &self.lower, upper: &self.upper, ..*p })
    }

    /// Returns true if x obeys the bounds that were left out.
    pub(crate) fn obeys_far(&self, p: &Conic<'_>, x: &[f64]) -> bool {
        (0..p.m()).all(|i| {
            let s = p.s(i, x);
            (p.lower[i] == self.lower[i] || s >= p.lower[i])
                && (p.upper[i] == self.upper[i] || s <= p.upper[i])
        })
    }
}

/// |b_i − g_i| in the unit of row i.
fn size(p: &Conic<'_>, e: &[f64], i: usize, bound: f64) -> f64 {
    ((bound - p.g[i]) * e[i]).abs()
}

/// The smallest right side that is not 0, or |c_j/P_jj|, in the units of rows and unknowns; ∞ without any.
fn smallest(p: &Conic<'_>, d: &[f64], e: &[f64]) -> f64 {
    let sides = (0..p.m()).flat_map(|i| [p.lower[i], p.upper[i]].map(|bound| size(p, e, i, bound)));
    let lowest = (0..p.n()).map(|j| {
        let curvature: f64 = p.p.entries(j).filter(|entry| entry.0 == j).map(|entry| entry.1).sum();
        (p.c[j] / curvature / d[j]).abs()
    });
    sides.chain(lowest).filter(|size| *size > 0.0 && size.is_finite()).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_sdk::core::CsrBuf;
    use vinci_sdk::core::problem::ConicBuf;

    /// min x over x ≥ −1, x ≥ `far`.
    fn program(far: f64) -> ConicBuf {
        let rows = CsrBuf::from_triplets(2, 1, &[(0, 0, 1.0), (1, 0, 1.0)]);
        let bounds = (vec![-1.0, far], vec![f64::INFINITY; 2]);
        ConicBuf::from_parts(CsrBuf::from_triplets(1, 1, &[]), vec![1.0], rows, vec![0.0; 2], bounds)
    }

    #[test]
    fn only_bounds_far_beyond_the_others_are_left_out() {
        let units: (&[f64], &[f64]) = (&[1.0], &[1.0, 1.0]);
        let (mut bounds, far) = (NearBounds::default(), program(-1e9));
        let near = bounds.of(&far.view(), units).unwrap();
        assert_eq!((near.lower[0], near.lower[1]), (-1.0, f64::NEG_INFINITY));
        assert!(NearBounds::default().of(&program(-1e3).view(), units).is_none());
        // In a unit of its own the same bound is near.
        assert!(NearBounds::default().of(&far.view(), (&[1.0], &[1.0, 1e-9])).is_none());
    }

    #[test]
    fn a_point_is_held_against_what_was_left_out() {
        let (mut bounds, far) = (NearBounds::default(), program(1e9));
        assert!(bounds.of(&far.view(), (&[1.0], &[1.0, 1.0])).is_some());
        assert!(!bounds.obeys_far(&far.view(), &[-1.0]) && bounds.obeys_far(&far.view(), &[1e9]));
    }
}
