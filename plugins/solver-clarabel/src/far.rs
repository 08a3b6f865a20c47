//! Bounds that nobody comes near. An interior point measures all right sides by the largest: a bound of 1e9 beside others of 1 leaves
//! those a billionth of its digits. Where that shows, the program is solved without such bounds, and the point found is held against them.

use vinci_sdk::prelude::*;

/// Largest size of an unknown, in these units, that is near where bounds beyond `limit` are far.
pub(crate) fn reach(limit: f64) -> f64 {
    FAR * limit
}

/// So many times smaller than the largest is what does not see it; the largest of that is the next limit, and so on.
const FAR: f64 = 1e4;

/// Sizes beyond which bounds are far, the largest first, in the units D of unknowns and E of rows. What pulls at a solution is near: the
/// places |c_j/P_jj| where the objective is lowest, right sides of equations, what rows of cones begin with. Where nothing does, right
/// sides are held against each other, 0 among them.
pub(crate) fn limits(p: &Conic<'_>, (d, e): (&[f64], &[f64])) -> Vec<f64> {
    let of_cones = p.cones().flatten().map(|i| size(p, e, i, 0.0));
    let equations = (0..p.m()).filter(|&i| p.lower[i] == p.upper[i]).map(|i| size(p, e, i, p.lower[i]));
    let lowest = (0..p.n()).map(|j| (p.c[j] / p.p.entry(j, j) / d[j]).abs());
    let pulls = of_cones.chain(equations).chain(lowest).filter(|size| size.is_finite());
    let pull = pulls.fold(0.0, f64::max);
    let sides = (0..p.m()).flat_map(|i| [p.lower[i], p.upper[i]].map(|bound| size(p, e, i, bound)));
    let mut sizes: Vec<f64> = sides.filter(|size| size.is_finite() && *size >= pull).collect();
    sizes.extend((pull > 0.0).then_some(pull));
    sizes.sort_by(|a, b| b.total_cmp(a));
    let mut limits = Vec::new();
    while let Some(&limit) = sizes.iter().find(|size| sizes[0] > FAR * **size) {
        limits.push(limit);
        sizes.retain(|size| *size <= limit);
    }
    limits
}

/// Bounds with the far ones at ±∞.
#[derive(Debug, Default)]
pub(crate) struct NearBounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl NearBounds {
    /// `p` without the bounds of inequalities beyond a limit, in the units E of rows; nothing where there are none.
    pub(crate) fn of<'a>(&'a mut self, p: &Conic<'a>, e: &[f64], limit: f64) -> Option<Conic<'a>> {
        let near = |i: usize, bound: f64, none: f64| {
            let is_near = p.lower[i] == p.upper[i] || size(p, e, i, bound) <= limit;
            if is_near { bound } else { none }
        };
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

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_sdk::core::CsrBuf;
    use vinci_sdk::core::problem::ConicBuf;

    /// min ½ p x² + c x over x ≥ −1, x ≥ `far`.
    fn program(far: f64, c: f64) -> ConicBuf {
        let rows = CsrBuf::from_triplets(2, 1, &[(0, 0, 1.0), (1, 0, 1.0)]);
        let bounds = (vec![-1.0, far], vec![f64::INFINITY; 2]);
        let p = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
        ConicBuf::from_parts(p, vec![c], rows, vec![0.0; 2], bounds)
    }

    const ONE: (&[f64], &[f64]) = (&[1.0], &[1.0, 1.0]);

    #[test]
    fn only_bounds_far_beyond_the_others_are_left_out() {
        let (mut bounds, far) = (NearBounds::default(), program(-1e9, 1.0));
        assert_eq!(limits(&far.view(), ONE), [1.0]);
        let near = bounds.of(&far.view(), ONE.1, 1.0).unwrap();
        assert_eq!((near.lower[0], near.lower[1]), (-1.0, f64::NEG_INFINITY));
        assert!(limits(&program(-1e3, 1.0).view(), ONE).is_empty());
        // In a unit of its own the same bound is near.
        assert!(limits(&far.view(), (&[1.0], &[1.0, 1e-9])).is_empty());
    }

    /// A cost of 1e-17 made every bound far at once.
    #[test]
    fn the_farthest_are_left_out_first() {
        assert_eq!(limits(&program(-1e9, 1e-17).view(), ONE), [1.0, 1e-17]);
    }

    /// Gaps of rounding beside velocities of a fall made every gap far.
    #[test]
    fn bounds_below_what_pulls_are_near() {
        let mut pile = program(-0.5, 0.02);
        pile.lower[0] = -1e-16;
        assert!(limits(&pile.view(), ONE).is_empty());
    }

    /// None is 1e4 times its neighbour, and the first is 3e6 times the last.
    #[test]
    fn a_ladder_is_cut_too() {
        let mut ladder = program(-1e7, 3.0);
        ladder.lower[0] = -1e4;
        assert_eq!(limits(&ladder.view(), ONE), [3.0]);
    }

    /// Without a right side but 0 beside it, or a cone's, a bound of 1e12 stayed.
    #[test]
    fn zeros_and_cones_are_near() {
        let mut zero = program(-1e12, 0.0);
        zero.lower[0] = 0.0;
        assert_eq!(limits(&zero.view(), ONE), [0.0]);
        let mut cone = program(-1e12, 0.0);
        cone.g[0] = 3.0;
        cone.lower[0] = f64::NEG_INFINITY;
        cone.cones.extend([0, 1]);
        assert_eq!(limits(&cone.view(), ONE), [3.0]);
    }

    #[test]
    fn a_point_is_held_against_what_was_left_out() {
        let (mut bounds, far) = (NearBounds::default(), program(1e9, 1.0));
        assert!(bounds.of(&far.view(), ONE.1, 1.0).is_some());
        assert!(!bounds.obeys_far(&far.view(), &[-1.0]) && bounds.obeys_far(&far.view(), &[1e9]));
    }
}
