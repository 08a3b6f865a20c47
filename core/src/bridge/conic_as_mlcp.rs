//! The optimality conditions of a convex quadratic program ([`Conic`] without cones) as an [`Mlcp`].
//!
//! Unknowns x, then y of every row that has a bound:
//!
//! ```text
//!   0 = P x − Gᵀ y + c          x free
//!   y ≥ 0 ⟂ s − l ≥ 0           rows with a lower bound
//!   y ≤ 0 ⟂ s − u ≤ 0           rows with an upper bound
//!   y free, s − l = 0           equations
//! ```
//!
//! A row with two bounds gets both and has the sum of the two as its dual. Kind: exact, because P is semidefinite. A proof
//! that the Mlcp has no solution is one that the program has no feasible point or falls without end: with v on the rows of x
//! and η on the others, P v = 0, G v ≥ 0, Gᵀ η = 0 and cᵀv + (g − l)ᵀη < 0, so that one of the two is negative.

use super::Refusal;
use crate::problem::{Conic, Mlcp, MlcpBuf, Status, check_conic_infeasible, check_conic_unbounded};
use crate::sparse::CsrBuf;

const INF: f64 = f64::INFINITY;

/// The conditions of a program, with their memory. [`ConicAsMlcp::write`] first; everything else speaks of that problem.
#[derive(Debug, Clone, Default)]
pub struct ConicAsMlcp {
    problem: MlcpBuf,
    columns: CsrBuf,
    count: Vec<u32>,
    /// First y of every row, and how many (0, 1, 2) it has.
    place: Vec<(u32, u32)>,
    n: usize,
}

impl ConicAsMlcp {
    /// Writes the conditions, guess included. Allocates nothing once warm.
    ///
    /// Errors: the program has cones.
    pub fn write(&mut self, p: &Conic<'_>) -> Result<(), Refusal> {
        if let Some(cone) = p.cones().next() {
            return Err(Refusal::Cones { row: cone.start, tag: p.s_tag[cone.start] });
        }
        let total = self.number(p);
        self.columns.transpose_of(&p.rows, &mut self.count);
        self.problem.clear(total, p.tolerance);
        for j in 0..p.n() {
            self.stationarity_row(p, j);
        }
        for i in 0..p.m() {
            let (l, u) = (p.lower[i], p.upper[i]);
            if l == u {
                self.bound_row(p, i, l, (-INF, INF));
            } else {
                if l.is_finite() {
                    self.bound_row(p, i, l, (0.0, INF));
                }
                if u.is_finite() {
                    self.bound_row(p, i, u, (-INF, 0.0));
                }
            }
        }
        self.guess(p);
        self.problem.tolerance = 0.5 * p.tolerance * p.scale() / self.problem.view().q_norm();
        Ok(())
    }

    /// The conditions written last.
    pub fn view(&self) -> Mlcp<'_> {
        self.problem.view()
    }

    fn number(&mut self, p: &Conic<'_>) -> usize {
        self.n = p.n();
        self.place.clear();
        let mut next = p.n() as u32;
        for i in 0..p.m() {
            let bounds = u32::from(p.lower[i].is_finite()) + u32::from(p.upper[i].is_finite());
            let count = if p.lower[i] == p.upper[i] { 1 } else { bounds };
            self.place.push((next, count));
            next += count;
        }
        next as usize
    }

    fn stationarity_row(&mut self, p: &Conic<'_>, j: usize) {
        for (k, v) in p.p.entries(j) {
            self.problem.m.push(k, v);
        }
        for (i, v) in self.columns.view().entries(j) {
            let (first, count) = self.place[i];
            (first..first + count).for_each(|y| self.problem.m.push(y as usize, -v));
        }
        // The rows w of unknowns are forces where unknowns are velocities.
        self.problem.end_row(p.c[j], (-INF, INF), p.x_tag[j], (p.x_scale[j], 1.0));
    }

    fn bound_row(&mut self, p: &Conic<'_>, i: usize, bound: f64, of_y: (f64, f64)) {
        for (j, v) in p.rows.entries(i) {
            self.problem.m.push(j, v);
        }
        self.problem.end_row(p.g[i] - bound, of_y, p.s_tag[i], (1.0, p.s_scale[i]));
    }

    fn guess(&mut self, p: &Conic<'_>) {
        if p.guess.is_empty() || p.dual_guess.is_empty() {
            return;
        }
        self.problem.guess.extend_from_slice(p.guess);
        for i in 0..p.m() {
            let y = p.dual_guess[i];
            match (self.place[i].1, p.lower[i].is_finite()) {
                (2, _) => self.problem.guess.extend([y.max(0.0), y.min(0.0)]),
                (1, _) if p.lower[i] == p.upper[i] => self.problem.guess.push(y),
                (1, true) => self.problem.guess.push(y.max(0.0)),
                (1, false) => self.problem.guess.push(y.min(0.0)),
                _ => {}
            }
        }
    }

    /// (x, y) of the conditions' unknowns z.
    pub fn expand(&self, z: &[f64], x: &mut Vec<f64>, y: &mut Vec<f64>) {
        x.clear();
        x.extend_from_slice(&z[..self.n]);
        self.sums(z, y);
    }

    fn sums(&self, z: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend(
            self.place
                .iter()
                .map(|&(first, count)| z[first as usize..][..count as usize].iter().sum::<f64>()),
        );
    }

    /// Maps a proof `farkas` about the conditions ([`crate::problem::check_farkas`]) back to the program, with its
    /// proof: [`Status::Infeasible`] or [`Status::Unbounded`]; nothing if it is neither within rounding.
    pub fn expand_certificate(&self, p: &Conic<'_>, farkas: &[f64], out: &mut Vec<f64>) -> Option<Status> {
        self.sums(farkas, out);
        if check_conic_infeasible(p, out).proves() {
            return Some(Status::Infeasible);
        }
        out.clear();
        out.extend_from_slice(&farkas[..self.n]);
        check_conic_unbounded(p, out).proves().then_some(Status::Unbounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridge::support::{Numbers, conic, solutions};
    use crate::problem::{ConicBuf, check_farkas};

    /// Three unknowns, P of rank two, rows of all kinds.
    fn program(seed: u64) -> ConicBuf {
        let mut r = Numbers(seed);
        let f: Vec<[f64; 2]> = (0..3).map(|_| [r.of(-1.0, 1.0), r.of(-1.0, 1.0)]).collect();
        let p: Vec<Vec<f64>> =
            f.iter().map(|a| f.iter().map(|b| a[0] * b[0] + a[1] * b[1]).collect()).collect();
        let g: Vec<Vec<f64>> = (0..5).map(|_| (0..3).map(|_| r.of(-1.0, 1.0)).collect()).collect();
        let bounds = [(0.1, 0.1), (-0.5, INF), (-1.0, 1.0), (-INF, 0.7), (-INF, INF)];
        let c: Vec<f64> = (0..3).map(|_| r.of(-1.0, 1.0)).collect();
        let constant: Vec<f64> = (0..5).map(|_| r.of(-0.2, 0.2)).collect();
        conic(&p, &c, &g, &constant, &bounds)
    }

    #[test]
    fn solutions_come_back_and_guesses_go_forth() {
        let mut solved = 0;
        for seed in 1..60 {
            let mut problem = program(seed);
            let mut bridge = ConicAsMlcp::default();
            bridge.write(&problem.view()).unwrap();
            bridge.view().check().unwrap();
            let (mut x, mut y) = (Vec::new(), Vec::new());
            for z in solutions(&bridge.view()) {
                bridge.expand(&z, &mut x, &mut y);
                let residual = problem.view().residual(&x, &y);
                assert!(residual.natural < 1e-9, "seed {seed}: {residual:?}");
                solved += 1;
                (problem.guess, problem.dual_guess) = (x.clone(), y.clone());
                let mut again = ConicAsMlcp::default();
                again.write(&problem.view()).unwrap();
                let there = again.view().residual(again.view().guess).natural;
                assert!(there < 1e-9, "seed {seed}: {there:e}");
            }
        }
        assert!(solved > 30, "{solved}");
    }

    #[test]
    fn proofs_say_which_of_the_two_it_is() {
        // x ≥ 2 and −x ≥ −1.
        let jam =
            conic(&[vec![0.0]], &[0.0], &[vec![1.0], vec![-1.0]], &[0.0; 2], &[(2.0, INF), (-1.0, INF)]);
        let (mut bridge, mut out) = (ConicAsMlcp::default(), Vec::new());
        bridge.write(&jam.view()).unwrap();
        let farkas = [0.0, 1.0, 1.0];
        assert!(check_farkas(&bridge.view(), &farkas).proves());
        assert_eq!(bridge.expand_certificate(&jam.view(), &farkas, &mut out), Some(Status::Infeasible));
        assert!(check_conic_infeasible(&jam.view(), &out).proves());
        // min x over x ≤ 1.
        let falls = conic(&[vec![0.0]], &[1.0], &[vec![1.0]], &[0.0], &[(-INF, 1.0)]);
        bridge.write(&falls.view()).unwrap();
        let farkas = [-1.0, 0.0];
        assert!(check_farkas(&bridge.view(), &farkas).proves());
        assert_eq!(bridge.expand_certificate(&falls.view(), &farkas, &mut out), Some(Status::Unbounded));
        assert_eq!(out, [-1.0]);
        assert_eq!(bridge.expand_certificate(&falls.view(), &[1.0, 0.0], &mut out), None);
    }

    #[test]
    fn cones_are_refused() {
        let mut problem =
            conic(&[vec![1.0]], &[0.0], &[vec![0.0], vec![1.0]], &[1.0, 0.0], &[(-INF, INF); 2]);
        problem.close_cone(2);
        let message = ConicAsMlcp::default().write(&problem.view()).unwrap_err().to_string();
        assert_eq!(message, "the problem has second-order cones, the first at row 0");
    }
}
