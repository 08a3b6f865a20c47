//! An [`Mlcp`] as complementarity pairs without an objective ([`Qpcc`] with P = 0, c = 0): any lawful point will do.
//!
//! Unknowns z, then t for every row with two bounds:
//!
//! ```text
//!   w_i = 0                                     free rows
//!   0 ≤ z_i − l_i ⟂ w_i ≥ 0                     a lower bound
//!   0 ≤ u_i − z_i ⟂ −w_i ≥ 0                    an upper bound
//!   0 ≤ z_i − l_i ⟂ w_i + t_i ≥ 0,
//!   0 ≤ u_i − z_i ⟂ t_i ≥ 0                     both: w = w⁺ − t
//! ```
//!
//! Kind: exact, for every matrix: what Lemke's method cannot process, branching decides. A tree of proofs that no mode is
//! lawful is a proof by cases that the Mlcp has no solution; one leaf alone is a Farkas vector of the Mlcp itself.

use crate::problem::{Mlcp, NO_GROUP, Part, Qpcc, QpccBuf, RowTag};

const INF: f64 = f64::INFINITY;

/// The pairs of an Mlcp, with their memory. [`MlcpAsQpcc::write`] first; everything else speaks of that problem.
#[derive(Debug, Clone, Default)]
pub struct MlcpAsQpcc {
    problem: QpccBuf,
    /// Row of w_i, and whether it stands with the sign turned.
    w_row: Vec<(u32, bool)>,
    n: usize,
}

impl MlcpAsQpcc {
    /// Writes the pairs, guesses included. Allocates nothing once warm.
    pub fn write(&mut self, p: &Mlcp<'_>) {
        let boxed = |i: usize| p.lower[i].is_finite() && p.upper[i].is_finite();
        let total = p.n() + (0..p.n()).filter(|&i| boxed(i)).count();
        self.n = p.n();
        self.problem.clear(total, p.tolerance);
        self.w_row.clear();
        self.unknowns(p, total);
        let contacts =
            p.tag.iter().filter(|t| is_contact(t)).map(|t| t.subject.saturating_add(1)).max().unwrap_or(0);
        let mut t = p.n();
        for i in 0..p.n() {
            let group = group(&p.tag[i], contacts);
            match (p.lower[i].is_finite(), p.upper[i].is_finite()) {
                (false, false) => self.w_row(p, i, 1.0, None, (0.0, 0.0)),
                (true, false) => self.pair(p, i, 1.0, None, group),
                (false, true) => self.pair(p, i, -1.0, None, group),
                (true, true) => {
                    self.pair(p, i, 1.0, Some(t), group);
                    self.upper_pair(p, i, t, group);
                    t += 1;
                }
            }
        }
        self.guess(p);
        self.problem.qp.tolerance = p.tolerance * p.q_norm() / self.problem.qp.view().scale();
    }

    /// The pairs written last.
    pub fn view(&self) -> Qpcc<'_> {
        self.problem.view()
    }

    fn unknowns(&mut self, p: &Mlcp<'_>, total: usize) {
        for i in 0..p.n() {
            self.problem.qp.end_unknown(0.0, p.tag[i], p.z_scale[i]);
        }
        for i in (0..p.n()).filter(|&i| p.lower[i].is_finite() && p.upper[i].is_finite()) {
            self.problem.qp.end_unknown(0.0, p.tag[i], p.w_scale[i]);
        }
        debug_assert_eq!(self.problem.qp.c.len(), total);
    }

    /// ± w_i (+ t).
    fn w_row(&mut self, p: &Mlcp<'_>, i: usize, sign: f64, t: Option<usize>, bounds: (f64, f64)) {
        let qp = &mut self.problem.qp;
        self.w_row.push((qp.g.len() as u32, sign < 0.0));
        for (j, v) in p.m.entries(i) {
            qp.rows.push(j, sign * v);
        }
        if let Some(t) = t {
            qp.rows.push(t, 1.0);
        }
        qp.end_row(sign * p.q[i], bounds, p.tag[i], p.w_scale[i]);
    }

    /// Distance of z_i to its bound ⟂ ± w_i (+ t).
    fn pair(&mut self, p: &Mlcp<'_>, i: usize, sign: f64, t: Option<usize>, group: u32) {
        let bound = if sign > 0.0 { p.lower[i] } else { p.upper[i] };
        let qp = &mut self.problem.qp;
        let first = qp.g.len();
        qp.rows.push(i, sign);
        qp.end_row(-sign * bound, (0.0, INF), p.tag[i], p.z_scale[i]);
        self.w_row(p, i, sign, t, (0.0, INF));
        self.problem.push_pair(first, first + 1, group);
    }

    /// u − z_i ⟂ t.
    fn upper_pair(&mut self, p: &Mlcp<'_>, i: usize, t: usize, group: u32) {
        let qp = &mut self.problem.qp;
        let first = qp.g.len();
        qp.rows.push(i, -1.0);
        qp.end_row(p.upper[i], (0.0, INF), p.tag[i], p.z_scale[i]);
        qp.rows.push(t, 1.0);
        qp.end_row(0.0, (0.0, INF), p.tag[i], p.w_scale[i]);
        self.problem.push_pair(first, first + 1, group);
    }

    fn guess(&mut self, p: &Mlcp<'_>) {
        if p.guess.is_empty() {
            return;
        }
        let problem = &mut self.problem;
        problem.qp.guess.extend_from_slice(p.guess);
        for i in (0..p.n()).filter(|&i| p.lower[i].is_finite() && p.upper[i].is_finite()) {
            let w = p.m.row_dot(i, p.guess) + p.q[i];
            problem.qp.guess.push((-w).max(0.0));
        }
        let x = std::mem::take(&mut problem.qp.guess);
        let mut modes = std::mem::take(&mut problem.modes);
        problem.view().modes_of(&x, &mut modes);
        (problem.qp.guess, problem.modes) = (x, modes);
    }

    /// z of a lawful point x.
    pub fn expand(&self, x: &[f64], z: &mut Vec<f64>) {
        z.clear();
        z.extend_from_slice(&x[..self.n]);
    }

    /// The Farkas vector of a tree that is one leaf; nothing where the proof needs cases.
    pub fn expand_certificate(&self, leaves: &[f64], farkas: &mut Vec<f64>) -> bool {
        farkas.clear();
        if leaves.len() != 1 + self.problem.qp.g.len() || leaves[0] != 0.0 {
            return false;
        }
        let y = &leaves[1..];
        farkas.extend(
            self.w_row.iter().map(|&(row, turned)| if turned { -y[row as usize] } else { y[row as usize] }),
        );
        true
    }
}

fn is_contact(tag: &RowTag) -> bool {
    matches!(
        tag.part,
        Part::Normal | Part::Friction | Part::Slip | Part::Deformation | Part::Ray | Part::Squeeze
    )
}

/// Contacts keep their numbers, support points come after them.
fn group(tag: &RowTag, contacts: u32) -> u32 {
    match tag.part {
        _ if is_contact(tag) => tag.subject,
        Part::Support | Part::SupportSlip => contacts.saturating_add(tag.subject),
        _ => NO_GROUP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bridge::support::{Numbers, mlcp, solutions};
    use crate::problem::{MlcpBuf, check_farkas, proves_no_mode};

    fn any(seed: u64) -> MlcpBuf {
        let mut r = Numbers(seed);
        let rows: Vec<Vec<f64>> = (0..5)
            .map(|i| (0..5).map(|j| r.of(-1.0, 1.0) + if i == j { 1.0 } else { 0.0 }).collect())
            .collect();
        let q: Vec<f64> = (0..5).map(|_| r.of(-1.0, 1.0)).collect();
        mlcp(&rows, &q, &[(-INF, INF), (0.5, INF), (-INF, 0.2), (-0.3, 0.4), (0.0, INF)])
    }

    #[test]
    fn solutions_are_lawful_points_and_lawful_points_are_solutions() {
        let mut solved = 0;
        for seed in 1..60 {
            let mut problem = any(seed);
            for z in solutions(&problem.view()) {
                solved += 1;
                problem.guess = z.clone();
                let mut bridge = MlcpAsQpcc::default();
                bridge.write(&problem.view());
                let p = bridge.view();
                p.check().unwrap();
                assert_eq!((p.qp.n(), p.qp.m(), p.n_pairs()), (6, 11, 5));
                let y = vec![0.0; p.qp.m()];
                assert!(p.residual(p.qp.guess, &y).natural < 1e-9, "seed {seed}");
                let mut back = Vec::new();
                bridge.expand(p.qp.guess, &mut back);
                assert_eq!(back, z);
                // A point off the law on one side is off on the other.
                let mut wrong = p.qp.guess.to_vec();
                wrong[3] += 0.1;
                bridge.expand(&wrong, &mut back);
                assert!(
                    p.residual(&wrong, &y).natural > 1e-3 && problem.view().residual(&back).natural > 1e-3
                );
            }
        }
        assert!(solved > 30, "{solved}");
    }

    #[test]
    fn one_leaf_is_a_farkas_vector_and_several_are_a_proof_by_cases() {
        let rows = [vec![2.0, -1.0, 1.0], vec![1.0, 0.0, 0.0], vec![-1.0, 0.0, 0.0]];
        let jam = mlcp(&rows, &[-0.3, -1.0, -1.0], &[(-INF, INF), (0.0, INF), (0.0, INF)]);
        let (mut bridge, mut farkas) = (MlcpAsQpcc::default(), Vec::new());
        bridge.write(&jam.view());
        // Rows: w_0; z_1, w_1; z_2, w_2.
        let leaf = [0.0, 0.0, 0.0, 1.0, 0.0, 1.0];
        assert!(proves_no_mode(&bridge.view(), &leaf));
        assert!(bridge.expand_certificate(&leaf, &mut farkas));
        assert!(check_farkas(&jam.view(), &farkas).proves());
        // w = −z − … : z ≥ 0 ⟂ 1 − z ≥ 0 with z ≥ … : 0 ≤ z ⟂ −1 ≥ 0 fails in every case, but only by cases for w = 0·z.
        let cases = [1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        assert!(!bridge.expand_certificate(&cases, &mut farkas));
    }

    #[test]
    fn contacts_and_supports_are_groups() {
        let mut problem = any(1);
        problem.tag[1] = RowTag { subject: 4, part: Part::Normal };
        problem.tag[2] = RowTag { subject: 1, part: Part::Support };
        let mut bridge = MlcpAsQpcc::default();
        bridge.write(&problem.view());
        assert_eq!(bridge.view().group, [4, 6, NO_GROUP, NO_GROUP, NO_GROUP]);
    }
}
