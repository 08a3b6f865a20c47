//! The log barrier of a convex program: value, slope, curvature, and how far a step may go.
//!
//! B(x) = ½ xᵀP x + cᵀx − (1/κ) [Σ log s_i + Σ log(s_k0² − |s_k1|²)], over one-sided rows (slack s from the bound) and cones;
//! equations stay equations. Its multipliers are y = 1/(κ s) on rows, (2/κ) (s_0, −s_1)/(s_0² − |s_1|²) on cones.

use nalgebra::DMatrix;
use vinci_sdk::prelude::*;

/// A barrier is finite only where every slack is positive; a step goes this part of the way to the boundary at most.
const TO_BOUNDARY: f64 = 0.95;

/// Decrease asked for, part of the linear one (Armijo).
const DECREASE: f64 = 1e-4;

/// Changes of B below this part of its terms are rounding.
const ROUNDING: f64 = 1e-12;

/// One term of the barrier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Term {
    /// Slack sign · (s_i − bound).
    Row { row: usize, sign: f64, bound: f64 },
    /// Rows first … first + dim in the second-order cone.
    Cone { first: usize, dim: usize },
}

/// The terms of a program and its equations.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    pub(crate) list: Vec<Term>,
    /// Rows that are equations s_i = l_i.
    pub(crate) equations: Vec<usize>,
}

impl Terms {
    /// Reads the terms of a program; rows without bounds outside cones say nothing.
    pub(crate) fn read(&mut self, p: &Conic<'_>) {
        self.list.clear();
        self.equations.clear();
        let mut row = 0;
        for cone in p.cones() {
            (row..cone.start).for_each(|i| self.read_row(p, i));
            self.list.push(Term::Cone { first: cone.start, dim: cone.len() });
            row = cone.end;
        }
        (row..p.m()).for_each(|i| self.read_row(p, i));
    }

    fn read_row(&mut self, p: &Conic<'_>, row: usize) {
        let (l, u) = (p.lower[row], p.upper[row]);
        if l == u {
            self.equations.push(row);
            return;
        }
        if l.is_finite() {
            self.list.push(Term::Row { row, sign: 1.0, bound: l });
        }
        if u.is_finite() {
            self.list.push(Term::Row { row, sign: -1.0, bound: u });
        }
    }
}

/// The barrier of a program at weight κ.
#[derive(Clone, Copy)]
pub(crate) struct Barrier<'a> {
    pub(crate) p: Conic<'a>,
    pub(crate) terms: &'a Terms,
    pub(crate) kappa: f64,
}

impl Barrier<'_> {
    /// Argument of a term's logarithm: the slack, or s_0² − |s_1|² (negative outside the cone), with s.
    fn inside(&self, term: &Term, s: &[f64]) -> f64 {
        match *term {
            Term::Row { row, sign, bound } => sign * (s[row] - bound),
            Term::Cone { first, dim } => {
                let length = s[first + 1..first + dim].iter().map(|x| x * x).sum::<f64>().sqrt();
                let gap = s[first] - length;
                if gap > 0.0 { gap * (s[first] + length) } else { gap }
            }
        }
    }

    /// s = G x + g.
    pub(crate) fn rates(&self, x: &[f64], s: &mut Vec<f64>) {
        s.clear();
        s.extend((0..self.p.m()).map(|i| self.p.s(i, x)));
    }

    /// Returns true if all slacks are positive.
    pub(crate) fn is_inside(&self, s: &[f64]) -> bool {
        self.terms.list.iter().all(|term| self.inside(term, s) > 0.0)
    }

    /// B(x), ∞ outside; and the sum of the sizes of its terms.
    fn value(&self, x: &[f64], s: &[f64]) -> (f64, f64) {
        let mut out = (0.0, 0.0);
        let mut add = |term: f64| out = (out.0 + term, out.1 + term.abs());
        for i in 0..self.p.n() {
            add(0.5 * x[i] * self.p.p.row_dot(i, x));
            add(self.p.c[i] * x[i]);
        }
        for term in &self.terms.list {
            let inside = self.inside(term, s);
            if !(inside > 0.0) {
                return (f64::INFINITY, f64::INFINITY);
            }
            add(-inside.ln() / self.kappa);
        }
        out
    }

    /// Multipliers y of all rows at slacks s; 0 on equations.
    pub(crate) fn multipliers(&self, s: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.resize(self.p.m(), 0.0);
        for term in &self.terms.list {
            let inside = self.inside(term, s);
            match *term {
                Term::Row { row, sign, .. } => y[row] += sign / (self.kappa * inside),
                Term::Cone { first, dim } => {
                    let scale = 2.0 / (self.kappa * inside);
                    y[first] += scale * s[first];
                    (first + 1..first + dim).for_each(|i| y[i] -= scale * s[i]);
                }
            }
        }
    }

    /// Calls `entry(i, j, w)` for the entries of W = −∂y/∂s, the curvature of the barrier by its rows (symmetric, PSD).
    pub(crate) fn curvature(&self, s: &[f64], mut entry: impl FnMut(usize, usize, f64)) {
        for term in &self.terms.list {
            let inside = self.inside(term, s);
            match *term {
                Term::Row { row, .. } => entry(row, row, 1.0 / (self.kappa * inside * inside)),
                Term::Cone { first, dim } => {
                    // −∂²/∂s² log D, D = s_0² − |s_1|²: (4 (Js)(Js)ᵀ/D² − 2 J/D), J = diag(1, −1, …).
                    let sign = |i: usize| if i == first { 1.0 } else { -1.0 };
                    for i in first..first + dim {
                        for j in first..first + dim {
                            let outer = 4.0 * sign(i) * s[i] * sign(j) * s[j] / (inside * inside);
                            let own = if i == j { 2.0 * sign(i) / inside } else { 0.0 };
                            entry(i, j, (outer - own) / self.kappa);
                        }
                    }
                }
            }
        }
    }

    /// ∇B over x, without equations: P x + c − Gᵀ y.
    pub(crate) fn slope(&self, x: &[f64], y: &[f64], r: &mut Vec<f64>) {
        self.p.stationarity(x, y, r);
    }

    /// P + Gᵀ W G.
    pub(crate) fn hessian(&self, s: &[f64]) -> DMatrix<f64> {
        let mut h = self.p.p.to_dense();
        self.curvature(s, |i, j, w| {
            for (a, g) in self.p.rows.entries(i) {
                for (b, k) in self.p.rows.entries(j) {
                    h[(a, b)] += w * g * k;
                }
            }
        });
        h
    }

    /// Largest α ≤ 1 that stays inside and makes B fall as Armijo asks, from x with slope r along dx.
    pub(crate) fn limit(&self, x: &[f64], dx: &[f64], r: &[f64], work: &mut BarrierScratch) -> f64 {
        self.rates(x, &mut work.s);
        let ds = |i: usize| self.p.rows.row_dot(i, dx);
        let reach = self.terms.list.iter().map(|term| self.reach(term, &work.s, &ds));
        let mut alpha = reach.fold(1.0_f64, |m, a| m.min(TO_BOUNDARY * a));
        let (start, size) = self.value(x, &work.s);
        let falling: f64 = r.iter().zip(dx).map(|(r, d)| r * d).sum();
        for _ in 0..60 {
            work.x.clear();
            work.x.extend(x.iter().zip(dx).map(|(x, d)| x + alpha * d));
            self.rates(&work.x, &mut work.s);
            let value = self.value(&work.x, &work.s).0;
            if value <= start + DECREASE * alpha * falling + ROUNDING * size {
                break;
            }
            alpha *= 0.5;
        }
        alpha
    }

    /// Smallest α > 0 at which a term reaches its boundary along ds.
    fn reach(&self, term: &Term, s: &[f64], ds: &impl Fn(usize) -> f64) -> f64 {
        match *term {
            Term::Row { row, sign, .. } => {
                let rate = sign * ds(row);
                if rate < 0.0 { -self.inside(term, s) / rate } else { f64::INFINITY }
            }
            Term::Cone { first, dim } => {
                // (s_0 + α d_0)² = |s_1 + α d_1|², first root beyond 0; a D + 2 b α + c α².
                let d: Vec<f64> = (first..first + dim).map(ds).collect();
                let dot = |x: &dyn Fn(usize) -> f64, y: &dyn Fn(usize) -> f64| {
                    x(0) * y(0) - (1..dim).map(|k| x(k) * y(k)).sum::<f64>()
                };
                let (at, along) = (|k: usize| s[first + k], |k: usize| d[k]);
                let (a, b, c) = (self.inside(term, s), dot(&at, &along), dot(&along, &along));
                first_root(a, b, c)
            }
        }
    }
}

/// Smallest positive root of a + 2 b α + c α², a > 0; ∞ where there is none.
fn first_root(a: f64, b: f64, c: f64) -> f64 {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 || (c >= 0.0 && b >= 0.0) {
        return f64::INFINITY;
    }
    // Without cancellation: α = a/(−b + √(b² − a c)).
    let below = -b + discriminant.sqrt();
    if below > 0.0 { a / below } else { f64::INFINITY }
}

/// Memory of [`Barrier::limit`].
#[derive(Debug, Default)]
pub(crate) struct BarrierScratch {
    pub(crate) s: Vec<f64>,
    pub(crate) x: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One cone and one row over three unknowns.
    fn program() -> ConicBuf {
        let eye =
            CsrBuf::from_triplets(4, 3, &[(0, 0, 1.0), (1, 1, 0.5), (2, 2, 0.5), (3, 0, -1.0), (3, 1, 0.2)]);
        let p = CsrBuf::from_triplets(3, 3, &[(0, 0, 2.0), (1, 1, 1.0), (2, 2, 1.0)]);
        let inf = f64::INFINITY;
        let (l, u) = (vec![-inf, -inf, -inf, -2.0], vec![inf; 4]);
        let mut out = ConicBuf::from_parts(p, vec![0.3, -0.4, 0.1], eye, vec![0.1, 0.05, 0.0, 0.0], (l, u));
        out.cones = vec![0, 3];
        out
    }

    #[test]
    fn slopes_and_curvatures_are_those_of_the_value() {
        let buf = program();
        let mut terms = Terms::default();
        terms.read(&buf.view());
        assert_eq!(terms.list.len(), 2);
        let barrier = Barrier { p: buf.view(), terms: &terms, kappa: 3.0 };
        let (x, e) = ([0.7, 0.3, -0.2], 1e-6);
        let (mut s, mut y, mut r) = (Vec::new(), Vec::new(), Vec::new());
        let mut slope = |x: &[f64], r: &mut Vec<f64>| {
            barrier.rates(x, &mut s);
            barrier.multipliers(&s, &mut y);
            barrier.slope(x, &y, r);
            (barrier.value(x, &s).0, barrier.hessian(&s))
        };
        let (_, h) = slope(&x, &mut r);
        for k in 0..3 {
            let (mut up, mut down) = (x, x);
            (up[k], down[k]) = (x[k] + e, x[k] - e);
            let (mut r_up, mut r_down) = (Vec::new(), Vec::new());
            let (b_up, b_down) = (slope(&up, &mut r_up).0, slope(&down, &mut r_down).0);
            assert!(((b_up - b_down) / (2.0 * e) - r[k]).abs() < 1e-8, "slope {k}");
            for i in 0..3 {
                let by_difference = (r_up[i] - r_down[i]) / (2.0 * e);
                assert!((by_difference - h[(i, k)]).abs() < 1e-7, "curvature {i} {k}");
            }
        }
    }

    #[test]
    fn roots_are_the_first_beyond_zero() {
        // 1 − α², 1 − 3 α + 2 α², 1 + α², (1 − α)(1 + …) with linear part only.
        assert_eq!(first_root(1.0, 0.0, -1.0), 1.0);
        assert!((first_root(1.0, -1.5, 2.0) - 0.5).abs() < 1e-15);
        assert_eq!(first_root(1.0, 0.0, 1.0), f64::INFINITY);
        assert_eq!(first_root(1.0, -0.5, 0.0), 1.0);
        assert_eq!(first_root(1.0, 0.5, 0.0), f64::INFINITY);
    }
}
