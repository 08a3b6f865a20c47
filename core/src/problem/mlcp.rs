//! Mixed linear complementarity problem with bounds, sparse.

use super::{RowTag, Status};
use crate::sparse::{Csr, CsrBuf};

/// Find z with l ≤ z ≤ u ⟂ w = M z + q, meaning for every row i one of
/// (z_i = l_i, w_i ≥ 0), (l_i ≤ z_i ≤ u_i, w_i = 0), (z_i = u_i, w_i ≤ 0).
///
/// A free row (l = −∞, u = ∞) is the equation w_i = 0; l = 0, u = ∞ everywhere is the standard LCP.
/// Sizes: M is n × n, everything else has length n. `guess` may be empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mlcp<'a> {
    /// M, n × n.
    pub m: Csr<'a>,
    /// q, length n.
    pub q: &'a [f64],
    /// Lower bounds l (−∞ where free).
    pub lower: &'a [f64],
    /// Upper bounds u (∞ where free).
    pub upper: &'a [f64],
    /// Provenance of every row (also gives its units).
    pub tag: &'a [RowTag],
    /// Typical size of every unknown z_i, > 0, in its unit; what "small" means for it.
    pub z_scale: &'a [f64],
    /// Typical size of every row w_i, > 0, in its unit.
    pub w_scale: &'a [f64],
    /// Guess of z (last step's, matched by contact identity), or empty.
    pub guess: &'a [f64],
    /// Wanted relative residual, see [`Mlcp::residual`].
    pub tolerance: f64,
}

/// Residuals of a candidate z, all relative to max(|q|∞, smallest normal) unless said otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MlcpResidual {
    /// The verdict: max over rows of |z − Π(z − w)|, Π the projection on l … u (free rows: |w|), divided by |q|∞.
    pub natural: f64,
    /// Row where the maximum stands.
    pub worst_row: usize,
    /// max over rows of the product of z's distance to its bound and w, in the units of z·w (usually J).
    pub product: f64,
    /// Natural map with every row and unknown divided by its scale: the same question asked in typical sizes.
    pub scaled: f64,
}

impl<'a> Mlcp<'a> {
    /// Number of unknowns.
    #[inline]
    pub fn n(&self) -> usize {
        self.q.len()
    }

    /// Returns true if row `i` is an equation (no bound on z_i).
    #[inline]
    pub fn is_free(&self, i: usize) -> bool {
        self.lower[i] == f64::NEG_INFINITY && self.upper[i] == f64::INFINITY
    }

    /// Number of free rows.
    pub fn n_free(&self) -> usize {
        (0..self.n()).filter(|&i| self.is_free(i)).count()
    }

    /// |q|∞ or the largest bound that keeps an unknown away from 0, whichever is larger, or 1 where both vanish: the size
    /// residuals are divided by. (A decompression has q = 0 up to rounding, and lower bounds that are all it is about.)
    pub fn q_norm(&self) -> f64 {
        let away = self.lower.iter().zip(self.upper).map(|(l, u)| l.max(-u)).filter(|x| x.is_finite());
        let norm = self.q.iter().map(|x| x.abs()).chain(away).fold(0.0_f64, f64::max);
        if norm > 0.0 { norm } else { 1.0 }
    }

    /// Residuals of z. NaN anywhere gives an infinite residual, never a small one.
    pub fn residual(&self, z: &[f64]) -> MlcpResidual {
        let mut out = MlcpResidual::default();
        if z.len() != self.n() || z.iter().any(|x| !x.is_finite()) {
            return MlcpResidual {
                natural: f64::INFINITY,
                scaled: f64::INFINITY,
                product: f64::INFINITY,
                ..out
            };
        }
        let q_norm = self.q_norm();
        for i in 0..self.n() {
            let w = self.m.row_dot(i, z) + self.q[i];
            let natural = natural_map(z[i], w, self.lower[i], self.upper[i]).abs() / q_norm;
            if natural > out.natural || natural.is_nan() {
                out.natural = if natural.is_nan() { f64::INFINITY } else { natural };
                out.worst_row = i;
            }
            out.product = out.product.max(product(z[i], w, self.lower[i], self.upper[i]));
            out.scaled = out.scaled.max(self.scaled_row(i, z[i], w));
        }
        out
    }

    fn scaled_row(&self, i: usize, z: f64, w: f64) -> f64 {
        let (zs, ws) = (scale_at(self.z_scale, i), scale_at(self.w_scale, i));
        natural_map(z / zs, w / ws, self.lower[i] / zs, self.upper[i] / zs).abs()
    }

    /// Checks that all lengths agree and every number is usable; the message names the first contradiction.
    pub fn check(&self) -> Result<(), String> {
        let n = self.n();
        all_lengths(
            n,
            "unknowns",
            &[
                ("rows of M", self.m.n_rows()),
                ("columns of M", self.m.n_cols),
                ("lower bounds", self.lower.len()),
                ("upper bounds", self.upper.len()),
                ("row tags", self.tag.len()),
                ("scales of z", self.z_scale.len()),
                ("scales of w", self.w_scale.len()),
            ],
        )?;
        if !self.guess.is_empty() && self.guess.len() != n {
            return Err(format!("a guess of length {} for {n} unknowns", self.guess.len()));
        }
        self.m.check()?;
        if let Some(i) = self.q.iter().position(|x| !x.is_finite()) {
            return Err(format!("q[{i}] is {}", self.q[i]));
        }
        if let Some(k) = self.m.value.iter().position(|x| !x.is_finite()) {
            return Err(format!("entry {k} of M is {}", self.m.value[k]));
        }
        match (0..n)
            .find(|&i| self.lower[i].is_nan() || self.upper[i].is_nan() || self.lower[i] > self.upper[i])
        {
            Some(i) => Err(format!("bounds of row {i} are [{}, {}]", self.lower[i], self.upper[i])),
            None => Ok(()),
        }
    }

    /// Status that deserves to be believed for `z`: what the solver claims, unless the residual denies it.
    pub fn audited_status(&self, claimed: Status, z: &[f64]) -> (Status, MlcpResidual) {
        let residual = self.residual(z);
        if claimed == Status::Converged && residual.natural > self.tolerance {
            return (Status::NumericalFailure, residual);
        }
        (claimed, residual)
    }
}

/// Checks that lists have the length `n`; the message names the first that has not.
pub(super) fn all_lengths(n: usize, of: &str, lengths: &[(&str, usize)]) -> Result<(), String> {
    match lengths.iter().find(|&&(_, len)| len != n) {
        Some((what, len)) => Err(format!("{len} {what} for {n} {of}")),
        None => Ok(()),
    }
}

/// Typical size i of a list; 1 where the list ends.
#[inline]
pub(super) fn scale_at(scale: &[f64], i: usize) -> f64 {
    scale.get(i).copied().unwrap_or(1.0)
}

/// z − Π_[l,u](z − w): zero exactly at complementarity; the median of (z − l, w, z − u).
#[inline]
pub(super) fn natural_map(z: f64, w: f64, lower: f64, upper: f64) -> f64 {
    w.min(z - lower).max(z - upper)
}

/// Distance of z to the bound w points to, times |w|, for complementary rows; |w| itself has no product on free rows.
#[inline]
fn product(z: f64, w: f64, lower: f64, upper: f64) -> f64 {
    let distance = if w >= 0.0 { z - lower } else { upper - z };
    if distance.is_finite() { (distance * w).abs() } else { 0.0 }
}

/// An [`Mlcp`] that owns its arrays and keeps their memory between steps.
#[derive(Debug, Clone, Default)]
pub struct MlcpBuf {
    /// M by rows.
    pub m: CsrBuf,
    /// q.
    pub q: Vec<f64>,
    /// Lower bounds.
    pub lower: Vec<f64>,
    /// Upper bounds.
    pub upper: Vec<f64>,
    /// Provenance.
    pub tag: Vec<RowTag>,
    /// Typical size of unknowns.
    pub z_scale: Vec<f64>,
    /// Typical size of rows.
    pub w_scale: Vec<f64>,
    /// Guess, possibly empty.
    pub guess: Vec<f64>,
    /// Wanted relative residual.
    pub tolerance: f64,
}

impl MlcpBuf {
    /// Empties everything for a problem of `n` unknowns; memory is kept.
    pub fn clear(&mut self, n: usize, tolerance: f64) {
        self.m.clear(n);
        self.q.clear();
        self.lower.clear();
        self.upper.clear();
        self.tag.clear();
        self.z_scale.clear();
        self.w_scale.clear();
        self.guess.clear();
        self.tolerance = tolerance;
    }

    /// Closes the row under construction in `m` with its right side, bounds, provenance and scales (z, w).
    pub fn end_row(&mut self, q: f64, bounds: (f64, f64), tag: RowTag, scales: (f64, f64)) {
        self.m.end_row();
        self.q.push(q);
        self.lower.push(bounds.0);
        self.upper.push(bounds.1);
        self.tag.push(tag);
        self.z_scale.push(scales.0);
        self.w_scale.push(scales.1);
    }

    /// A problem from a matrix, q and bounds, untagged and unscaled.
    pub fn from_parts(m: CsrBuf, q: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>, tolerance: f64) -> Self {
        let n = q.len();
        Self {
            m,
            q,
            lower,
            upper,
            tag: vec![RowTag::default(); n],
            z_scale: vec![1.0; n],
            w_scale: vec![1.0; n],
            guess: Vec::new(),
            tolerance,
        }
    }

    /// The problem as a borrowed view.
    pub fn view(&self) -> Mlcp<'_> {
        Mlcp {
            m: self.m.view(),
            q: &self.q,
            lower: &self.lower,
            upper: &self.upper,
            tag: &self.tag,
            z_scale: &self.z_scale,
            w_scale: &self.w_scale,
            guess: &self.guess,
            tolerance: self.tolerance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lcp(m: &[&[f64]], q: &[f64]) -> MlcpBuf {
        let n = q.len();
        let dense = nalgebra::DMatrix::from_fn(n, n, |i, j| m[i][j]);
        MlcpBuf::from_parts(
            CsrBuf::from_dense(&dense),
            q.to_vec(),
            vec![0.0; n],
            vec![f64::INFINITY; n],
            1e-10,
        )
    }

    #[test]
    fn residual_is_zero_at_the_solution_and_large_elsewhere() {
        let problem = lcp(&[&[2.0, 1.0], &[1.0, 2.0]], &[-4.0, 1.0]);
        let p = problem.view();
        assert_eq!(p.residual(&[2.0, 0.0]).natural, 0.0);
        assert!(p.residual(&[0.0, 0.0]).natural >= 1.0);
        assert_eq!(p.residual(&[f64::NAN, 0.0]).natural, f64::INFINITY);
    }

    /// Rounding in the place of q is no size where a bound asks for more.
    #[test]
    fn bounds_that_exclude_zero_are_sizes() {
        let mut problem = lcp(&[&[1.0]], &[1e-17]);
        problem.lower[0] = 2.0;
        assert_eq!(problem.view().q_norm(), 2.0);
        assert_eq!(problem.view().residual(&[2.0 + 1e-15]).natural, (2.0 + 1e-15 - 2.0) / 2.0);
        (problem.lower[0], problem.upper[0]) = (-5.0, 7.0);
        assert_eq!(problem.view().q_norm(), 1e-17, "bounds about 0 ask for nothing");
        (problem.lower[0], problem.upper[0]) = (f64::NEG_INFINITY, -3.0);
        assert_eq!(problem.view().q_norm(), 3.0);
    }

    #[test]
    fn a_false_converged_is_denied() {
        let problem = lcp(&[&[1.0]], &[-1.0]);
        let (status, residual) = problem.view().audited_status(Status::Converged, &[0.5]);
        assert_eq!(status, Status::NumericalFailure);
        assert!((residual.natural - 0.5).abs() < 1e-15);
    }

    #[test]
    fn boxed_rows_use_both_bounds() {
        // −1 ≤ z ≤ 1, w = z + 3 > 0 needs z = −1.
        let mut problem = lcp(&[&[1.0]], &[3.0]);
        problem.lower[0] = -1.0;
        problem.upper[0] = 1.0;
        assert_eq!(problem.view().residual(&[-1.0]).natural, 0.0);
        // w = z − 3 < 0 needs z = 1.
        problem.q[0] = -3.0;
        assert_eq!(problem.view().residual(&[1.0]).natural, 0.0);
        assert!(problem.view().residual(&[-1.0]).natural > 0.1);
    }
}
