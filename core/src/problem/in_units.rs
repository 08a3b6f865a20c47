//! Residuals that do not depend on the units in which a problem is written ([`super::units`]), and points that are lawful in them.

use super::conic::{all_finite, worse};
use super::mlcp::natural_map;
use super::units::{Data, Entry, LIMIT_IN_UNITS, Units, near};
use super::{Conic, Mlcp, Qpcc, cone_map};

impl Mlcp<'_> {
    /// Natural map of z in balanced units, each connected part by its own size. Infinite where z is no vector of numbers.
    pub fn residual_in_units(&self, z: &[f64]) -> f64 {
        let n = self.n();
        if !all_finite(z, n) {
            return f64::INFINITY;
        }
        let entries =
            (0..n).flat_map(|i| self.m.entries(i).map(move |(j, value)| Entry { row: i, column: j, value }));
        let group: Vec<usize> = (0..n).collect();
        let mut units = Units::balance(entries.collect(), &group);
        let bounds = |i: usize| [near(z[i], [self.lower[i], self.upper[i]]), 0.0];
        let data = Data { z, q: self.q, typical: self.w_scale, group: &group, tolerance: self.tolerance };
        units.measure(&data, bounds);
        let rows = (0..n).map(|i| {
            let (z, w) = units.pair(i, z[i], self.m.row_dot(i, z) + self.q[i]);
            natural_map(z, w, units.unknown(i, self.lower[i]), units.unknown(i, self.upper[i])).abs()
        });
        rows.fold(0.0, worse)
    }
}

impl Conic<'_> {
    /// Stationarity and natural maps of (x, y) in balanced units, each connected part by its own size. Infinite where x or y is
    /// no vector of numbers.
    pub fn residual_in_units(&self, x: &[f64], y: &[f64]) -> f64 {
        if !all_finite(x, self.n()) || !all_finite(y, self.m()) {
            return f64::INFINITY;
        }
        let units = self.units(x, &[x, y].concat());
        worse(self.stationarity_in_units(&units, x, y), self.rows_in_units(&units, x, y))
    }

    /// Returns true if x obeys rows and cones: |s − Π(s)| in balanced units is at most [`LIMIT_IN_UNITS`] times the tolerance, of the data
    /// alone. What terms of a huge x round to is no excuse here: two parallel walls that face each other meet at infinity.
    pub fn is_point(&self, x: &[f64]) -> bool {
        all_finite(x, self.n()) && self.obeys_rows(&self.units_of_data(x), x)
    }

    fn obeys_rows(&self, units: &Units, x: &[f64]) -> bool {
        self.rows_in_units(units, x, &vec![0.0; self.m()]) <= LIMIT_IN_UNITS * self.tolerance
    }

    /// Units at x in which no rounding of terms is allowed for.
    fn units_of_data(&self, x: &[f64]) -> Units {
        self.units(x, &vec![0.0; self.n() + self.m()])
    }

    /// The worst natural map of rows and cones.
    fn rows_in_units(&self, units: &Units, x: &[f64], y: &[f64]) -> f64 {
        let mut in_cone = vec![false; self.m()];
        self.cones().for_each(|cone| in_cone[cone].fill(true));
        let rows = (0..self.m()).filter(|&i| !in_cone[i]).map(|i| self.row_in_units(units, i, x, y));
        let cones = self.cones().map(|cone| {
            let pairs = cone.map(|i| units.pair(self.n() + i, y[i], self.s(i, x)));
            cone_map::of_second_order(pairs.map(|(y, s)| (s, y)).collect::<Vec<_>>().into_iter())
        });
        rows.chain(cones).fold(0.0, worse)
    }

    /// Units at x; `terms` are the unknowns (x, y) whose terms count for what rows round to.
    fn units(&self, x: &[f64], terms: &[f64]) -> Units {
        let (n, m) = (self.n(), self.m());
        let mut group: Vec<usize> = (0..n + m).collect();
        self.cones().for_each(|cone| group[n + cone.start..n + cone.end].fill(n + cone.start));
        let mut entries = Vec::with_capacity(self.p.value.len() + 2 * self.rows.value.len());
        for i in 0..n {
            entries.extend(self.p.entries(i).map(|(j, value)| Entry { row: i, column: j, value }));
        }
        for i in 0..m {
            for (j, value) in self.rows.entries(i) {
                entries.push(Entry { row: n + i, column: j, value });
                entries.push(Entry { row: j, column: n + i, value: -value });
            }
        }
        let mut units = Units::balance(entries, &group);
        let bound = |i: usize| match i.checked_sub(n) {
            Some(i) => near(self.s(i, x), [self.lower[i], self.upper[i]]),
            None => 0.0,
        };
        let curved =
            |i: usize| self.p.entries(i).map(|(j, v)| (v * self.x_scale[j]).abs()).fold(0.0, f64::max);
        let typical: Vec<f64> = (0..n).map(curved).chain(self.s_scale.iter().copied()).collect();
        let q = [self.c, self.g].concat();
        let data = Data { z: terms, q: &q, typical: &typical, group: &group, tolerance: self.tolerance };
        units.measure(&data, |i| [0.0, bound(i)]);
        units
    }

    fn stationarity_in_units(&self, units: &Units, x: &[f64], y: &[f64]) -> f64 {
        let mut r = Vec::new();
        self.stationarity(x, y, &mut r);
        r.iter().enumerate().fold(0.0, |m, (i, r)| worse(m, units.row(i, *r).abs()))
    }

    fn row_in_units(&self, units: &Units, i: usize, x: &[f64], y: &[f64]) -> f64 {
        let at = self.n() + i;
        let (y, s) = units.pair(at, y[i], self.s(i, x));
        natural_map(s, y, units.row(at, self.lower[i]), units.row(at, self.upper[i])).abs()
    }
}

impl Qpcc<'_> {
    /// Returns true if x is lawful: rows as in [`Conic::is_point`], and of every pair one side that vanishes as exactly.
    pub fn is_point(&self, x: &[f64]) -> bool {
        let qp = &self.qp;
        if !all_finite(x, qp.n()) {
            return false;
        }
        let units = qp.units_of_data(x);
        let side = |i: usize| units.row(qp.n() + i, qp.s(i, x)).abs();
        let pairs = (0..self.n_pairs()).map(|k| self.pair(k));
        let open = pairs.map(|(i, j)| side(i).min(side(j))).fold(0.0, worse);
        qp.obeys_rows(&units, x) && open <= LIMIT_IN_UNITS * qp.tolerance
    }

    /// [`Qpcc::residual`] in balanced units, each connected part by its own size.
    pub fn residual_in_units(&self, x: &[f64], y: &[f64]) -> f64 {
        let qp = &self.qp;
        if !all_finite(x, qp.n()) || !all_finite(y, qp.m()) {
            return f64::INFINITY;
        }
        let units = qp.units(x, &[x, y].concat());
        let mut in_pair = Vec::new();
        self.mark_pair_rows(&mut in_pair);
        let rows = (0..qp.m()).filter(|&i| !in_pair[i]).map(|i| qp.row_in_units(&units, i, x, y));
        let side = |zero: usize, other: usize| {
            worse(units.row(qp.n() + zero, qp.s(zero, x)).abs(), qp.row_in_units(&units, other, x, y))
        };
        let pairs = (0..self.n_pairs()).map(|k| self.pair(k)).map(|(i, j)| side(i, j).min(side(j, i)));
        rows.chain(pairs).fold(qp.stationarity_in_units(&units, x, y), worse)
    }
}

#[cfg(test)]
mod tests {
    use crate::problem::{ConicBuf, LIMIT_IN_UNITS, MlcpBuf};
    use crate::sparse::CsrBuf;

    const INF: f64 = f64::INFINITY;

    /// min ½ xᵀP x + cᵀx, x ≥ l, with x in units D and rows in units E.
    fn program(d: [f64; 2], e: [f64; 2]) -> ConicBuf {
        let p = [(0, 0, 2.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, 3.0)];
        let p: Vec<_> = p.iter().map(|&(i, j, v)| (i, j, d[i] * v * d[j])).collect();
        let g = [(0, 0, e[0] * d[0]), (1, 1, e[1] * d[1])];
        let bounds = (vec![0.0, e[1]], vec![INF; 2]);
        let c = vec![-8.0 * d[0], -2.0 * d[1]];
        ConicBuf::from_parts(
            CsrBuf::from_triplets(2, 2, &p),
            c,
            CsrBuf::from_triplets(2, 2, &g),
            vec![0.0; 2],
            bounds,
        )
    }

    /// Its solution: x = (3.5, 1), y = (0, 4.5).
    fn solution(d: [f64; 2], e: [f64; 2]) -> ([f64; 2], [f64; 2]) {
        ([3.5 / d[0], 1.0 / d[1]], [0.0, 4.5 / e[1]])
    }

    /// A nanometre beside a light year: a number is wrong by a tenth, and the file's own numbers may not show it.
    #[test]
    fn units_hide_nothing() {
        for (d, e) in [([1.0; 2], [1.0; 2]), ([1e12, 1e-9], [1.0, 1e6]), ([1e-12, 1e9], [1e12, 1e-12])] {
            let problem = program(d, e);
            let p = problem.view();
            let (x, y) = solution(d, e);
            assert!(p.residual_in_units(&x, &y) <= 1e-15, "{d:?} {:e}", p.residual_in_units(&x, &y));
            for k in 0..2 {
                let mut wrong = x;
                wrong[k] *= 1.1;
                let found = p.residual_in_units(&wrong, &y);
                assert!(found > 0.01 && found < 1.0, "{d:?} {e:?} {k}: {found:e}");
            }
            assert!(p.residual_in_units(&x, &[0.0, 0.0]) > 0.1);
        }
        let (x, y) = solution([1e12, 1e-9], [1.0, 1e6]);
        let hidden = program([1e12, 1e-9], [1.0, 1e6]);
        let wrong = [y[0], 1.1 * y[1]];
        assert!(hidden.view().residual(&x, &wrong).natural < 1e-8);
        assert!(hidden.view().residual_in_units(&x, &wrong) > 0.01);
    }

    /// A light year in one part is no reason to lose a millimetre in another: 1e-3 is what x_1 ≥ 1e-3 asks for.
    #[test]
    fn a_large_part_hides_nothing_in_another() {
        let eye = || CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        let bounds = (vec![-INF, 1e-3], vec![INF; 2]);
        let problem = ConicBuf::from_parts(eye(), vec![-1e12, 0.0], eye(), vec![0.0; 2], bounds);
        let p = problem.view();
        assert!(p.residual_in_units(&[1e12, 1e-3], &[0.0, 1e-3]) < 1e-12);
        assert!(p.residual_in_units(&[1e12, 0.0], &[0.0; 2]) > 0.1);
    }

    /// A row that never acts ties both parts, 1e-12 x_0 + x_1 ≥ −1: x_1 ≥ `least` asks for what it asks for all the same.
    #[test]
    fn a_large_row_hides_nothing_in_another_of_its_part() {
        for least in [1.0, 1e-3, 1e-6] {
            let rows = CsrBuf::from_triplets(2, 2, &[(0, 1, 1.0), (1, 0, 1e-12), (1, 1, 1.0)]);
            let p = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
            let bounds = (vec![least, -1.0], vec![INF; 2]);
            let problem = ConicBuf::from_parts(p, vec![-1e12, 0.0], rows, vec![0.0; 2], bounds);
            let p = problem.view();
            assert!(p.residual_in_units(&[1e12, least], &[least, 0.0]) < 1e-12, "{least}");
            let limit = LIMIT_IN_UNITS * problem.tolerance;
            assert!(p.residual_in_units(&[1e12, 0.0], &[0.0; 2]) > 10.0 * limit, "{least}");
            assert!(!p.is_point(&[1e12, 0.0]) && p.is_point(&[1e12, least]), "{least}");
        }
    }

    /// Friction under 1e12 N: a row that asks for nothing is measured by its terms.
    #[test]
    fn a_homogeneous_row_is_measured_by_its_terms() {
        let p = CsrBuf::from_triplets(2, 2, &[(0, 0, 1.0), (1, 1, 1.0)]);
        let rows = CsrBuf::from_triplets(1, 2, &[(0, 0, 1.0), (0, 1, -1.0)]);
        let problem = ConicBuf::from_parts(p, vec![-1e12, 0.0], rows, vec![0.0], (vec![-INF], vec![0.0]));
        let p = problem.view();
        assert!(p.residual_in_units(&[0.5e12, 0.5e12], &[-0.5e12]) < 1e-12);
        assert!(p.residual_in_units(&[0.5e12 + 100.0, 0.5e12], &[-0.5e12]) < 1e-8);
        assert!(p.residual_in_units(&[0.6e12, 0.5e12], &[-0.5e12]) > 0.01);
    }

    /// x_1 − x_0 ≥ 1 and x_1 − x_0 ≤ 0: at 1e20 the difference rounds to anything.
    #[test]
    fn walls_that_face_each_other_do_not_meet_far_out() {
        let rows = CsrBuf::from_triplets(2, 2, &[(0, 0, -1.0), (0, 1, 1.0), (1, 0, -1.0), (1, 1, 1.0)]);
        let bounds = (vec![1.0, -INF], vec![INF, 0.0]);
        let none = CsrBuf::from_triplets(2, 2, &[]);
        let p = ConicBuf::from_parts(none, vec![0.0; 2], rows, vec![0.0; 2], bounds);
        assert!(!p.view().is_point(&[1e20, 1e20]) && !p.view().is_point(&[0.0, 0.5]));
        assert!(!p.view().is_point(&[0.0]) && !p.view().is_point(&[f64::NAN, 0.0]), "no vector");
        let mut open = p;
        open.lower[0] = -1.0;
        assert!(open.view().is_point(&[0.0; 2]) && open.view().is_point(&[1.0, 0.5]));
    }

    /// Row 1 has no entries: it is 1 ≥ 0 whatever x is, and its multiplier is in nobody's unit.
    #[test]
    fn a_row_without_entries_is_judged_as_it_stands() {
        let one = CsrBuf::from_triplets(1, 1, &[(0, 0, 1.0)]);
        let row = CsrBuf::from_triplets(2, 1, &[(0, 0, 1.0)]);
        let bounds = (vec![0.0; 2], vec![INF; 2]);
        let mut problem = ConicBuf::from_parts(one, vec![-1.0], row, vec![0.0, 1.0], bounds);
        assert!(problem.view().residual_in_units(&[1.0], &[0.0, 1e-12]) < 1e-11);
        problem.g[1] = -3e-12;
        assert!(problem.view().residual_in_units(&[1.0], &[0.0; 2]) > 0.1, "−3e-12 is not ≥ 0");
    }

    /// (1 + ε) z_0 − z_1 = 1 at z = 1e23: what the terms round to is a million times what the row asks for.
    #[test]
    fn an_answer_that_leaves_nothing_of_the_data_is_none() {
        let m = [(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)];
        let p = MlcpBuf::from_parts(
            CsrBuf::from_triplets(2, 2, &m),
            vec![-1.0, 1.0],
            vec![0.0; 2],
            vec![INF; 2],
            1e-8,
        );
        assert_eq!(p.view().residual_in_units(&[3.0, 2.0]), 0.0);
        assert!(p.view().residual_in_units(&[1e23, 1e23]) > 5.0 * LIMIT_IN_UNITS * 1e-8);
    }

    /// 0 ≤ z_i ⟂ m_i z_i + q_i ≥ 0.
    fn apart(m: [f64; 2], q: [f64; 2]) -> MlcpBuf {
        let m = CsrBuf::from_triplets(2, 2, &[(0, 0, m[0]), (1, 1, m[1])]);
        MlcpBuf::from_parts(m, q.to_vec(), vec![0.0; 2], vec![INF; 2], 1e-8)
    }

    /// 0 ≤ z ⟂ 1e6 z − 1e6 ≥ 0 and 0 ≤ z ⟂ 1e-6 z − 1e-9 ≥ 0: each is a part of its own.
    #[test]
    fn parts_are_measured_by_themselves() {
        let problem = apart([1e6, 1e-6], [-1e6, -1e-9]);
        let p = problem.view();
        assert_eq!(p.residual_in_units(&[1.0, 1e-3]), 0.0);
        assert!(p.residual(&[1.0, 0.0]).natural < 1e-14 && p.residual_in_units(&[1.0, 0.0]) > 1e-6);
        assert_eq!(p.residual_in_units(&[1.0, f64::NAN]), INF);
    }

    /// Rounding that a subtraction left (1e-17 beside .1) is no part that has a size.
    #[test]
    fn rounding_is_no_part() {
        let problem = apart([1.0; 2], [-0.1, -1.4e-17]);
        assert!(problem.view().residual_in_units(&[0.1, 0.0]) <= LIMIT_IN_UNITS * 1e-8);
    }
}
