//! Products of pairs in the objective. At lawful points s_i s_j = 0, so the objective may be replaced by
//!
//! f(x) + Σ_k λ_k s_i s_j,   λ_k ≥ 0,
//!
//! which is no smaller where s ≥ 0, and the relaxation without pairs bounds more. It must stay convex. With
//! M_k = κ_k G_iᵀG_i + κ_k⁻¹ G_jᵀG_j the matrix λ_k (G_iᵀG_j + G_jᵀG_i + M_k) is positive semidefinite, so P − Σ λ_k M_k ⪰ 0 is enough.
//! A row alone leaves P − π G_iᵀG_i ⪰ 0 up to π_i = 1/(G_i P⁻¹ G_iᵀ), a pair alone therefore λ_k = √(π_i π_j) with κ_k = √(π_i/π_j); all
//! λ_k are then made smaller by the same factor until they fit together.
//!
//! Two targets that tie, ½ (x − 1)² + ½ (y − 1)² with x ⟂ y, become ½ (x + y − 1)² + ½: the bound is the optimum, where it was 0.
//! (Billionnet, Elloumi & Plateau 2009, Discrete Applied Mathematics 157:1185, do this for binaries.)

use nalgebra::{Cholesky, DMatrix, DVector};
use vinci_sdk::core::sparse::CsrBuf;
use vinci_sdk::prelude::*;

/// Objectives of more unknowns are left as they are: the products take some factorisations of n³/3 work.
const MOST_UNKNOWNS: usize = 400;
/// P in units of its diagonal must be this far from singular for rows to be measured by its inverse.
const REGULAR: f64 = 1e-9;
/// Part of P's diagonal that is left to it: more than rounding makes of the sum.
const MARGIN: f64 = 1e-12;
/// The largest common factor: 1 leaves P at the edge of convexity.
const MOST: f64 = 1.0 - 1e-10;
/// Halvings of the common factor.
const HALVINGS: u32 = 8;

/// The objective with products: P, c, the constant, and what belongs to which pair.
#[derive(Debug, Default)]
pub(crate) struct Products {
    p: CsrBuf,
    c: Vec<f64>,
    /// Σ λ_k g_i g_j.
    constant: f64,
    /// (pair, λ), empty when the objective is as it was.
    lambda: Vec<(u32, f64)>,
    /// The curved unknowns, and the number of each among these.
    curved: Vec<u32>,
    place: Vec<u32>,
}

/// λ_k before they are made smaller, and the weights of M_k.
struct Candidate {
    pair: u32,
    lambda: f64,
    kappa: f64,
}

impl Products {
    /// Finds products for a problem; none where no pair has both rows in curved unknowns.
    pub(crate) fn find(&mut self, q: &Qpcc<'_>) {
        self.remove();
        self.find_curved(&q.qp);
        let pairs: Vec<u32> = (0..q.n_pairs() as u32).filter(|&k| self.is_curved_pair(q, k)).collect();
        if pairs.is_empty() || self.curved.len() > MOST_UNKNOWNS {
            return;
        }
        let p = self.dense(&q.qp);
        let candidates = self.candidates(q, &p, &pairs);
        let factor = self.common_factor(q, &p, &candidates);
        if factor > 0.0 {
            self.lambda.extend(candidates.iter().map(|c| (c.pair, factor * c.lambda)));
            self.write(q);
        }
    }

    /// Leaves the objective as it was.
    pub(crate) fn remove(&mut self) {
        self.lambda.clear();
        self.constant = 0.0;
    }

    /// The problem with products in its objective.
    pub(crate) fn apply<'a>(&'a self, q: &Qpcc<'a>) -> Qpcc<'a> {
        if self.lambda.is_empty() {
            return *q;
        }
        Qpcc { qp: Conic { p: self.p.view(), c: &self.c, ..q.qp }, ..*q }
    }

    /// Constant that the objective with products has in excess of P and c.
    pub(crate) fn constant(&self) -> f64 {
        self.constant
    }

    /// Returns true if there are any.
    pub(crate) fn any(&self) -> bool {
        !self.lambda.is_empty()
    }

    /// Multipliers of the objective as it was, from those with products: at s_i = 0 the gradient of λ s_i s_j is λ s_j G_iᵀ.
    pub(crate) fn take_out(&self, q: &Qpcc<'_>, x: &[f64], y: &mut [f64]) {
        for &(k, lambda) in &self.lambda {
            let (i, j) = q.pair(k as usize);
            let (s_i, s_j) = (q.qp.s(i, x), q.qp.s(j, x));
            y[i] -= lambda * s_j;
            y[j] -= lambda * s_i;
        }
    }

    fn find_curved(&mut self, p: &Conic<'_>) {
        self.curved.clear();
        self.place.clear();
        self.place.resize(p.n(), u32::MAX);
        for j in 0..p.n() {
            if p.p.entries(j).any(|(k, v)| k == j && v > 0.0) {
                self.place[j] = self.curved.len() as u32;
                self.curved.push(j as u32);
            }
        }
    }

    fn is_curved_pair(&self, q: &Qpcc<'_>, k: u32) -> bool {
        let (i, j) = q.pair(k as usize);
        [i, j].into_iter().all(|row| {
            let columns = q.qp.rows.row(row).0;
            !columns.is_empty() && columns.iter().all(|&c| self.place[c as usize] != u32::MAX)
        })
    }

    /// P over the curved unknowns.
    fn dense(&self, p: &Conic<'_>) -> DMatrix<f64> {
        let n = self.curved.len();
        let mut dense = DMatrix::zeros(n, n);
        for (at, &i) in self.curved.iter().enumerate() {
            for (j, v) in p.p.entries(i as usize).filter(|e| self.place[e.0] != u32::MAX) {
                dense[(at, self.place[j] as usize)] += v;
            }
        }
        dense
    }

    fn row(&self, q: &Qpcc<'_>, i: usize) -> DVector<f64> {
        let mut row = DVector::zeros(self.curved.len());
        q.qp.rows.entries(i).for_each(|(j, v)| row[self.place[j] as usize] += v);
        row
    }

    fn candidates(&self, q: &Qpcc<'_>, p: &DMatrix<f64>, pairs: &[u32]) -> Vec<Candidate> {
        let mut shifted = p.clone();
        (0..p.nrows()).for_each(|j| shifted[(j, j)] *= 1.0 - REGULAR);
        let (Some(_), Some(factor)) = (Cholesky::new(shifted), Cholesky::new(p.clone())) else {
            return Vec::new();
        };
        let most_weight = |i: usize| {
            let row = self.row(q, i);
            1.0 / row.dot(&factor.solve(&row))
        };
        let candidate =
            |&pair: &u32| {
                let (i, j) = q.pair(pair as usize);
                let (a, b) = (most_weight(i), most_weight(j));
                let (lambda, kappa) = ((a * b).sqrt(), (a / b).sqrt());
                (lambda.is_finite() && lambda > 0.0 && kappa.is_finite() && kappa > 0.0)
                    .then_some(Candidate { pair, lambda, kappa })
            };
        pairs.iter().filter_map(candidate).collect()
    }

    /// The largest factor of [`MOST`], 1 − 2⁻ᵏ, … for which P − Σ λ_k M_k is positive definite in spite of rounding.
    fn common_factor(&self, q: &Qpcc<'_>, p: &DMatrix<f64>, candidates: &[Candidate]) -> f64 {
        if candidates.is_empty() {
            return 0.0;
        }
        let mut taken = DMatrix::zeros(p.nrows(), p.nrows());
        for c in candidates {
            let (i, j) = q.pair(c.pair as usize);
            let (gi, gj) = (self.row(q, i), self.row(q, j));
            taken.ger(c.lambda * c.kappa, &gi, &gi, 1.0);
            taken.ger(c.lambda / c.kappa, &gj, &gj, 1.0);
        }
        let fits = |t: f64| {
            let mut rest = p - &taken * t;
            (0..p.nrows()).for_each(|j| rest[(j, j)] -= MARGIN * p[(j, j)]);
            Cholesky::new(rest).is_some()
        };
        if fits(MOST) {
            return MOST;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if fits(middle) { low = middle } else { high = middle }
        }
        low
    }

    /// P + Σ λ (G_iᵀG_j + G_jᵀG_i), c + Σ λ (g_i G_j + g_j G_i) and the constant.
    fn write(&mut self, q: &Qpcc<'_>) {
        let p = &q.qp;
        self.c.clear();
        self.c.extend_from_slice(p.c);
        let mut more: Vec<(u32, u32, f64)> = Vec::new();
        for &(k, lambda) in &self.lambda {
            let (i, j) = q.pair(k as usize);
            self.constant += lambda * p.g[i] * p.g[j];
            p.rows.add_row_scaled(j, lambda * p.g[i], &mut self.c);
            p.rows.add_row_scaled(i, lambda * p.g[j], &mut self.c);
            for (a, u) in p.rows.entries(i) {
                for (b, v) in p.rows.entries(j) {
                    more.extend([(a as u32, b as u32, lambda * u * v), (b as u32, a as u32, lambda * u * v)]);
                }
            }
        }
        more.sort_by_key(|t| (t.0, t.1));
        self.p.clear(p.n());
        let mut at = 0;
        for i in 0..p.n() {
            p.p.entries(i).for_each(|(j, v)| self.p.push(j, v));
            while let Some(&(_, j, v)) = more.get(at).filter(|t| t.0 as usize == i) {
                self.p.accumulate(j as usize, v);
                at += 1;
            }
            self.p.end_row();
        }
    }
}
