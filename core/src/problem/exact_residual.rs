//! Residuals of programs in twice the working precision: what is left where terms of 1e16 cancel, and the working precision sees 0.

use super::conic::worse;
use super::mlcp::natural_map;
use super::ray::ExactSum;
use super::{Conic, Qpcc, cone_map};

impl Conic<'_> {
    /// P x + c − Gᵀy in twice the working precision, n.
    fn exact_stationarity(&self, x: &[f64], y: &[f64]) -> Vec<f64> {
        let mut r = vec![ExactSum::default(); self.n()];
        for (i, sum) in r.iter_mut().enumerate() {
            sum.add(self.c[i], 1.0);
            self.p.entries(i).for_each(|(j, p)| sum.add(p, x[j]));
        }
        for (i, y) in y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            self.rows.entries(i).for_each(|(j, g)| r[j].add(-g, *y));
        }
        r.iter().map(ExactSum::value).collect()
    }

    /// Row i of s = G x + g in twice the working precision.
    pub fn exact_s(&self, i: usize, x: &[f64]) -> f64 {
        let mut s = ExactSum::default();
        s.add(self.g[i], 1.0);
        self.rows.entries(i).for_each(|(j, g)| s.add(g, x[j]));
        s.value()
    }

    /// The largest residual of (x, y) as of [`Conic::residual`], over the data's size, with sums in twice the working precision.
    pub fn exact_residual(&self, x: &[f64], y: &[f64]) -> f64 {
        let mut in_cone = vec![false; self.m()];
        self.cones().for_each(|cone| in_cone[cone].fill(true));
        let rows = (0..self.m()).filter(|&i| !in_cone[i]).map(|i| self.exact_row(i, x, y));
        let cones = self.cones().map(|cone| {
            let pairs: Vec<(f64, f64)> = cone.map(|i| (self.exact_s(i, x), y[i])).collect();
            cone_map::of_second_order(pairs.into_iter())
        });
        self.with_stationarity(x, y, rows.chain(cones).fold(0.0, worse))
    }

    /// ½ xᵀP x + cᵀx in twice the working precision: where terms of 1e19 cancel, [`Conic::objective`] is noise.
    pub fn exact_objective(&self, x: &[f64]) -> f64 {
        let mut objective = ExactSum::default();
        for (i, x_i) in x.iter().enumerate().take(self.n()) {
            let mut slope = ExactSum::default();
            slope.add(self.c[i], 1.0);
            self.p.entries(i).for_each(|(j, p)| slope.add(0.5 * p, x[j]));
            objective.add_twice(*x_i, slope.twice());
        }
        objective.value()
    }

    /// Natural map of row i.
    fn exact_row(&self, i: usize, x: &[f64], y: &[f64]) -> f64 {
        natural_map(self.exact_s(i, x), y[i], self.lower[i], self.upper[i]).abs()
    }

    fn with_stationarity(&self, x: &[f64], y: &[f64], rows: f64) -> f64 {
        self.exact_stationarity(x, y).iter().fold(rows, |m, r| worse(m, r.abs())) / self.scale()
    }
}

impl Qpcc<'_> {
    /// The largest residual of (x, y) as of [`Qpcc::residual`], over the data's size, with sums in twice the working precision.
    pub fn exact_residual(&self, x: &[f64], y: &[f64]) -> f64 {
        let (qp, mut in_pair) = (&self.qp, Vec::new());
        self.mark_pair_rows(&mut in_pair);
        let rows = (0..qp.m()).filter(|&i| !in_pair[i]).map(|i| qp.exact_row(i, x, y));
        let side = |zero: usize, other: usize| worse(qp.exact_s(zero, x).abs(), qp.exact_row(other, x, y));
        let pairs = (0..self.n_pairs()).map(|k| self.pair(k)).map(|(i, j)| side(i, j).min(side(j, i)));
        qp.with_stationarity(x, y, rows.chain(pairs).fold(0.0, worse))
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::ConicBuf;
    use crate::sparse::CsrBuf;

    /// min ½ xᵀP x + cᵀx with P = [[1, 1 − ε], [1 − ε, 1]]: at x near (1, −1)/ε the working precision saw a residual of 0.
    #[test]
    fn terms_that_cancel_hide_no_residual() {
        let e = 2.0_f64.powi(-36);
        let curved = [(0, 0, 1.0), (0, 1, 1.0 - e), (1, 0, 1.0 - e), (1, 1, 1.0)];
        let (curved, none) = (CsrBuf::from_triplets(2, 2, &curved), CsrBuf::from_triplets(0, 2, &[]));
        let p = ConicBuf::from_parts(curved, vec![-1.0, 1.0], none, vec![], (vec![], vec![]));
        let exact = [1.0 / e, -1.0 / e];
        assert_eq!(p.view().exact_residual(&exact, &[]), 0.0);
        // x of this size is a multiple of 2^-16: off by one of these, and the gradient by as much.
        let off = [exact[0] + 2.0_f64.powi(-16), exact[1]];
        // ½ (x_0 + x_1)² − e x_0 x_1 − x_0 + x_1 at x = (1, −1)/e: terms of 1/e², of which the value is −1/e.
        assert_eq!(p.view().exact_objective(&exact), -1.0 / e);
        let found = p.view().exact_residual(&off, &[]);
        assert!((found - 2.0_f64.powi(-16)).abs() < 1e-12, "{found:e}");
    }
}
