//! Convex quadratic program over linear rows and second-order cones, sparse.

use super::cone_map;
use super::mlcp::{all_lengths, natural_map};
use super::{RowTag, Status};
use crate::sparse::Csr;

/// min ½ xᵀP x + cᵀx subject to s = G x + g with l ≤ s ≤ u on rows outside the cones, and s_k ∈ SOC for every cone k:
/// consecutive rows, first and others, with s_first ≥ |s_others|₂.
///
/// The dual y has a number per row: P x + c = Gᵀ y, with y_i ≥ 0 where s_i = l_i, y_i ≤ 0 where s_i = u_i, 0 in between,
/// and SOC ∋ y_k ⟂ s_k ∈ SOC (the cone is its own dual). Where s is a gap rate, y is the impulse.
///
/// P is n × n, symmetric positive semidefinite with both triangles stored; it may be singular or empty of entries. G is m × n.
/// Rows of cones stand with bounds (−∞, ∞). Guesses may be empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct Conic<'a> {
    /// P, n × n.
    pub p: Csr<'a>,
    /// c, n.
    pub c: &'a [f64],
    /// G, m × n.
    pub rows: Csr<'a>,
    /// g, m.
    pub g: &'a [f64],
    /// Lower bounds l (−∞: none), m.
    pub lower: &'a [f64],
    /// Upper bounds u (∞: none), m.
    pub upper: &'a [f64],
    /// (first row, number of rows) of every cone, 2 per cone, in ascending order; at least two rows each.
    pub cones: &'a [u32],
    /// Provenance of every unknown, n.
    pub x_tag: &'a [RowTag],
    /// Provenance of every row, m.
    pub s_tag: &'a [RowTag],
    /// Typical size of every unknown, > 0, n.
    pub x_scale: &'a [f64],
    /// Typical size of every row, > 0, m.
    pub s_scale: &'a [f64],
    /// Guess of x, or empty.
    pub guess: &'a [f64],
    /// Guess of y, or empty.
    pub dual_guess: &'a [f64],
    /// Wanted relative residual, see [`Conic::residual`].
    pub tolerance: f64,
}

/// Residuals of a candidate (x, y), relative to [`Conic::scale`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ConicResidual {
    /// The verdict: the larger of the next two.
    pub natural: f64,
    /// |P x + c − Gᵀ y|∞.
    pub stationarity: f64,
    /// max of |s − Π(s − y)| over rows and |s_k − Π_SOC(s_k − y_k)|₂ over cones: feasibility of s and y and their product.
    pub complementarity: f64,
    /// Row where the latter stands.
    pub worst_row: usize,
}

impl ConicResidual {
    const NONE: Self = Self {
        natural: f64::INFINITY,
        stationarity: f64::INFINITY,
        complementarity: f64::INFINITY,
        worst_row: 0,
    };
}

impl<'a> Conic<'a> {
    /// Number of unknowns.
    #[inline]
    pub fn n(&self) -> usize {
        self.c.len()
    }

    /// Number of rows.
    #[inline]
    pub fn m(&self) -> usize {
        self.g.len()
    }

    /// Returns true if row i has a bound: without one, and outside of cones, it asks for nothing.
    #[inline]
    pub fn is_bounded(&self, i: usize) -> bool {
        self.lower[i] > f64::NEG_INFINITY || self.upper[i] < f64::INFINITY
    }

    /// The cones as ranges of rows.
    pub fn cones(&self) -> impl Iterator<Item = std::ops::Range<usize>> + 'a {
        self.cones.chunks_exact(2).map(|k| k[0] as usize..k[0] as usize + k[1] as usize)
    }

    /// Row i of s = G x + g.
    #[inline]
    pub fn s(&self, i: usize, x: &[f64]) -> f64 {
        self.rows.row_dot(i, x) + self.g[i]
    }

    /// ½ xᵀP x + cᵀx.
    pub fn objective(&self, x: &[f64]) -> f64 {
        (0..self.n()).map(|i| x[i] * (0.5 * self.p.row_dot(i, x) + self.c[i])).sum()
    }

    /// Scale of residuals: the largest of |c|∞, |g|∞ and the finite bounds; 1 when all vanish. It is |q|∞ of the
    /// complementarity problem that the optimality conditions are.
    pub fn scale(&self) -> f64 {
        let bounds = self.lower.iter().chain(self.upper).filter(|b| b.is_finite());
        let largest = self.c.iter().chain(self.g).chain(bounds).fold(0.0_f64, |m, x| m.max(x.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// P x + c − Gᵀ y into `r`, n.
    pub fn stationarity(&self, x: &[f64], y: &[f64], r: &mut Vec<f64>) {
        r.clear();
        r.extend((0..self.n()).map(|i| self.p.row_dot(i, x) + self.c[i]));
        for (i, y) in y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            self.rows.add_row_scaled(i, -y, r);
        }
    }

    /// Residuals of (x, y). NaN or a missing dual gives an infinite residual, never a small one.
    pub fn residual(&self, x: &[f64], y: &[f64]) -> ConicResidual {
        self.residual_with(x, y, &mut Vec::new())
    }

    /// [`Conic::residual`] with memory for the stationarity, for those who ask often.
    pub fn residual_with(&self, x: &[f64], y: &[f64], work: &mut Vec<f64>) -> ConicResidual {
        if !all_finite(x, self.n()) || !all_finite(y, self.m()) {
            return ConicResidual::NONE;
        }
        let mut worst = Worst::default();
        let mut row = 0;
        for cone in self.cones() {
            (row..cone.start).for_each(|i| worst.take(self.row_residual(i, x, y[i]), i));
            worst.take(self.cone_residual(cone.clone(), x, y), cone.start);
            row = cone.end;
        }
        (row..self.m()).for_each(|i| worst.take(self.row_residual(i, x, y[i]), i));
        self.stationarity(x, y, work);
        let stationarity = work.iter().fold(0.0, |m, r| worse(m, r.abs()));
        ConicResidual::of(stationarity, worst, self.scale())
    }

    pub(super) fn row_residual(&self, i: usize, x: &[f64], y: f64) -> f64 {
        // s between its bounds with y of the right sign: the natural map with the roles of z and w.
        natural_map(self.s(i, x), y, self.lower[i], self.upper[i]).abs()
    }

    fn cone_residual(&self, cone: std::ops::Range<usize>, x: &[f64], y: &[f64]) -> f64 {
        cone_map::of_second_order(cone.map(|i| (self.s(i, x), y[i])))
    }

    /// Checks that all lengths agree and every number is usable; the message names the first contradiction. That P is
    /// symmetric and positive semidefinite is another question: [`Conic::check_convex`].
    pub fn check(&self) -> Result<(), String> {
        let (n, m) = (self.n(), self.m());
        all_lengths(
            n,
            "unknowns",
            &[
                ("rows of P", self.p.n_rows()),
                ("columns of P", self.p.n_cols),
                ("columns of G", self.rows.n_cols),
                ("tags of unknowns", self.x_tag.len()),
                ("scales of unknowns", self.x_scale.len()),
            ],
        )?;
        all_lengths(
            m,
            "rows",
            &[
                ("rows of G", self.rows.n_rows()),
                ("lower bounds", self.lower.len()),
                ("upper bounds", self.upper.len()),
                ("tags of rows", self.s_tag.len()),
                ("scales of rows", self.s_scale.len()),
            ],
        )?;
        for (what, guess, expected) in [("x", self.guess, n), ("y", self.dual_guess, m)] {
            if !guess.is_empty() && guess.len() != expected {
                return Err(format!(
                    "a guess of {what} of length {} where {expected} is expected",
                    guess.len()
                ));
            }
        }
        self.p.check()?;
        self.rows.check()?;
        self.check_numbers()?;
        self.check_cones()
    }

    fn check_numbers(&self) -> Result<(), String> {
        let lists =
            [("c", self.c), ("g", self.g), ("entries of P", self.p.value), ("entries of G", self.rows.value)];
        for (what, list) in lists {
            if let Some(i) = list.iter().position(|x| !x.is_finite()) {
                return Err(format!("number {i} of {what} is {}", list[i]));
            }
        }
        let (l, u) = (self.lower, self.upper);
        match (0..self.m()).find(|&i| !(l[i] <= u[i] && l[i] < f64::INFINITY && u[i] > f64::NEG_INFINITY)) {
            Some(i) => Err(format!("bounds of row {i} are [{}, {}]", l[i], u[i])),
            None => Ok(()),
        }
    }

    fn check_cones(&self) -> Result<(), String> {
        if !self.cones.len().is_multiple_of(2) {
            return Err(format!("{} numbers for cones, which take two each", self.cones.len()));
        }
        let mut end = 0;
        for (k, cone) in self.cones.chunks_exact(2).enumerate() {
            let (first, dim) = (cone[0] as usize, cone[1] as usize);
            if dim < 2 || first < end || first.saturating_add(dim) > self.m() {
                return Err(format!("cone {k} takes {dim} rows from row {first} on, of {}", self.m()));
            }
            end = first + dim;
            if let Some(i) = (first..end).find(|&i| self.lower[i].is_finite() || self.upper[i].is_finite()) {
                return Err(format!("row {i} has bounds although it belongs to cone {k}"));
            }
        }
        Ok(())
    }

    /// Status that deserves to be believed for (x, y): what the solver claims, unless the residual denies it. Proofs are
    /// looked at elsewhere ([`super::check_conic_infeasible`], [`super::check_conic_unbounded`]).
    pub fn audited_status(&self, claimed: Status, x: &[f64], y: &[f64]) -> (Status, ConicResidual) {
        let residual = self.residual(x, y);
        if claimed == Status::Converged && residual.natural > self.tolerance {
            return (Status::NumericalFailure, residual);
        }
        (claimed, residual)
    }
}

impl ConicResidual {
    pub(super) fn of(stationarity: f64, worst: Worst, scale: f64) -> Self {
        let (stationarity, complementarity) = (stationarity / scale, worst.value / scale);
        let natural = worse(stationarity, complementarity);
        Self { natural, stationarity, complementarity, worst_row: worst.at }
    }
}

/// The largest value so far and where it stands; NaN counts as infinite.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Worst {
    value: f64,
    at: usize,
}

impl Worst {
    pub(super) fn take(&mut self, value: f64, at: usize) {
        let value = worse(0.0, value);
        if value > self.value {
            *self = Self { value, at };
        }
    }
}

/// The larger of two, with NaN as infinity.
pub(super) fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

/// Returns true if a list has this length and holds numbers only.
pub(super) fn all_finite(x: &[f64], n: usize) -> bool {
    x.len() == n && x.iter().all(|x| x.is_finite())
}

/// Nearest point of {s_0 ≥ |s_1|₂} to a vector with first part `head` and rest of length `length`: its first part, and
/// the factor on the rest.
#[inline]
pub fn project_second_order(head: f64, length: f64) -> (f64, f64) {
    if length <= head {
        (head, 1.0)
    } else if length <= -head {
        (0.0, 0.0)
    } else {
        let middle = 0.5 * (head + length);
        (middle, middle / length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::ConicBuf;
    use crate::sparse::CsrBuf;

    /// min ½ x² subject to x ≥ r: x = r, y = r (the spring against a wall of Pang's slides).
    fn spring(r: f64) -> ConicBuf {
        let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
        ConicBuf::from_parts(one.clone(), vec![0.0], one, vec![0.0], (vec![r], vec![f64::INFINITY]))
    }

    #[test]
    fn a_spring_against_a_wall() {
        let problem = spring(2.0);
        let p = problem.view();
        p.check().unwrap();
        assert_eq!(p.residual(&[2.0], &[2.0]).natural, 0.0);
        assert!(p.residual(&[2.0], &[0.0]).natural >= 0.5, "without the wall's force");
        assert!(p.residual(&[0.0], &[0.0]).natural >= 0.5, "inside the wall");
        assert_eq!(p.residual(&[f64::NAN], &[2.0]).natural, f64::INFINITY);
        assert_eq!(p.residual(&[2.0], &[]).natural, f64::INFINITY);
        assert_eq!(p.audited_status(Status::Converged, &[2.0], &[1.0]).0, Status::NumericalFailure);
        assert_eq!(spring(-1.0).view().residual(&[0.0], &[0.0]).natural, 0.0);
    }

    #[test]
    fn the_nearest_point_of_a_cone() {
        // min ½ |x − a|² over x_0 ≥ |(x_1, x_2)|, a = (0, 3, 4): x = (2.5, 1.5, 2), y = x − a.
        let eye = CsrBuf::from_triplets(3, 3, &[(0, 0, 1.0), (1, 1, 1.0), (2, 2, 1.0)]);
        let free = (vec![f64::NEG_INFINITY; 3], vec![f64::INFINITY; 3]);
        let mut problem = ConicBuf::from_parts(eye.clone(), vec![0.0, -3.0, -4.0], eye, vec![0.0; 3], free);
        problem.close_cone(3);
        let p = problem.view();
        p.check().unwrap();
        assert!(p.residual(&[2.5, 1.5, 2.0], &[2.5, -1.5, -2.0]).natural < 1e-15);
        assert!(p.residual(&[2.5, 1.5, 2.0], &[2.5, 1.5, 2.0]).natural > 0.1);
        assert_eq!(project_second_order(0.0, 5.0), (2.5, 0.5));
        assert_eq!(project_second_order(-6.0, 5.0), (0.0, 0.0));
        assert_eq!(project_second_order(6.0, 5.0), (6.0, 1.0));
    }

    #[test]
    fn contradictions_are_named() {
        let mut problem = spring(1.0);
        problem.cones = vec![0, 2];
        assert_eq!(problem.view().check().unwrap_err(), "cone 0 takes 2 rows from row 0 on, of 1");
        problem.cones = vec![0];
        assert_eq!(problem.view().check().unwrap_err(), "1 numbers for cones, which take two each");
        let mut problem = spring(1.0);
        problem.upper[0] = 0.5;
        assert_eq!(problem.view().check().unwrap_err(), "bounds of row 0 are [1, 0.5]");
        problem = spring(1.0);
        problem.dual_guess = vec![0.0; 3];
        assert_eq!(problem.view().check().unwrap_err(), "a guess of y of length 3 where 1 is expected");
    }
}
