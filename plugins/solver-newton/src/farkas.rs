//! Proof of infeasibility: the shortest distance between where w can be and where it must be.
//!
//! The linear part asks for z in [l, u] with w = M z + q in the set of allowed w. Its least-squares version
//!   min over z in [l, u] of ½ |y|²,  y = Π(M z + q) − (M z + q),
//! always has a solution, y is unique, and y ≠ 0 is a Farkas vector: qᵀy = −|y|² < 0 while yᵀ(M z) cannot make up for
//! it (Gale's theorem of the alternative). Its optimality conditions are themselves a monotone Mlcp in (z, y),
//!   l ≤ z ≤ u ⟂ −Mᵀ y,   0 ≤ y ⟂ M z + q + y ≥ 0 (equations: y free; two-sided rows: y = 0),
//! which the same path following solves. The vector is checked by core before it is believed.

use vinci_sdk::core::CsrBuf;
use vinci_sdk::core::problem::{Mlcp, MlcpBuf, Status, check_farkas};

use crate::config::{Config, Method};
use crate::scaled::Kind;
use crate::workspace::NewtonWorkspace;

impl NewtonWorkspace {
    /// Looks for a proof; true when one was found and checked, in the problem's own units in `certificate`.
    pub(crate) fn prove_infeasible(&mut self, problem: &Mlcp<'_>, config: &Config) -> bool {
        let distance = self.distance_problem();
        let mut helper = Self::default();
        let options = Config { method: Method::Auto, certify: false, warm_start: false, ..config.clone() };
        let (status, _) = helper.solve(&distance.view(), &options);
        self.iterations += helper.iterations;
        if status != Status::Converged {
            return false;
        }
        let n = self.p.n();
        let y = &helper.best[n..];
        let largest = y.iter().fold(0.0_f64, |m, y| m.max(y.abs()));
        self.certificate.extend(
            (0..n).map(|i| if y[i].abs() < 1e-13 * largest { 0.0 } else { self.p.dual_outward(i, y[i]) }),
        );
        let proved = check_farkas(problem, &self.certificate).proves();
        if !proved {
            self.certificate.clear();
        }
        proved
    }

    /// The conditions of the least-squares distance for (z, y), in balanced units.
    fn distance_problem(&self) -> MlcpBuf {
        let (n, m) = (self.p.n(), self.p.m());
        let mut triplets = Vec::with_capacity(2 * m.nnz() + n);
        for i in 0..n {
            triplets.push((n + i, n + i, 1.0));
            for (j, v) in m.entries(i) {
                triplets.push((n + i, j, v));
                triplets.push((j, n + i, -v));
            }
        }
        let (mut lower, mut upper) = (self.p.lower.clone(), self.p.upper.clone());
        for kind in &self.p.kind {
            let (l, u) = match kind {
                Kind::Free => (f64::NEG_INFINITY, f64::INFINITY),
                Kind::Lower => (0.0, f64::INFINITY),
                Kind::Upper => (f64::NEG_INFINITY, 0.0),
                Kind::Boxed | Kind::Fixed => (0.0, 0.0),
            };
            lower.push(l);
            upper.push(u);
        }
        let mut q = vec![0.0; n];
        q.extend_from_slice(&self.p.q);
        MlcpBuf::from_parts(CsrBuf::from_triplets(2 * n, 2 * n, &triplets), q, lower, upper, 1e-12)
    }
}
