//! Residuals that do not depend on the units in which a problem is written.
//!
//! All classes are z and w = M z + q with a law for every pair (z_i, w_i). Rows and unknowns may each be written in a unit
//! of their own: E M F, E q, z/F state the same problem for any positive diagonal E, F. E and F are chosen so that the entries
//! of E M F are of size one (Curtis & Reid 1972). Then every part of the problem that entries connect is measured by its own
//! data, the largest of q and of the bounds: a part in newtons says nothing about one in nanometres. A row is measured by its own data,
//! a thousandth of its typical size at least, and by its terms as long as they leave something of the data. What is below the rounding
//! of the largest part, and of the typical sizes that its own rows are given with, counts as rounding: contact problems at rest hold parts
//! whose data (1e-17) are what subtractions left of others (0.1).
//!
//! A program (x, y) is z = (x, y) with M = [P −Gᵀ; G 0], q = (c, g). Where P is 0, its costs and its rows are two parts.

use super::conic::{all_finite, worse};
use super::mlcp::natural_map;
use super::{Conic, Mlcp, Qpcc, cone_map};
use crate::sets::DisjointSets;

/// By how many times the tolerance a residual in balanced units may be larger: a solver ends by the units of the file, and answers that are
/// right to seven digits grew more than a hundred times. What units hide is wrong by far more.
pub const LIMIT_IN_UNITS: f64 = 1000.0;
/// Rounding of a part beside the largest part: what a handful of subtractions leave.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Rounding of a row beside its terms.
const TERMS: f64 = 4.0 * f64::EPSILON;
/// Part of a row's data that its terms may make: beyond it nothing is left of them, and an answer says nothing of the row.
const LOST: f64 = 0.1;
/// Part of a row's typical size that its data have at least: what is asked of a row is seldom meant more exactly.
const SMALL: f64 = 1e-3;
/// Iterations that scaling may take.
const ITERATIONS: usize = 300;
/// Part of the first slope at which it is done: far below one bit.
const CLOSE: f64 = 1e-6;

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
        if !all_finite(x, self.n()) {
            return false;
        }
        let units = self.units(x, &vec![0.0; self.n() + self.m()]);
        self.rows_in_units(&units, x, &vec![0.0; self.m()]) <= LIMIT_IN_UNITS * self.tolerance
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
        if !qp.is_point(x) {
            return false;
        }
        let units = qp.units(x, &vec![0.0; qp.n() + qp.m()]);
        let side = |i: usize| units.row(qp.n() + i, qp.s(i, x)).abs();
        let pairs = (0..self.n_pairs()).map(|k| self.pair(k));
        pairs.map(|(i, j)| side(i).min(side(j))).fold(0.0, worse) <= LIMIT_IN_UNITS * qp.tolerance
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

/// One entry of M.
struct Entry {
    row: usize,
    column: usize,
    value: f64,
}

/// Numbers by which parts are measured.
struct Data<'a> {
    /// Unknowns whose terms count for what rows round to.
    z: &'a [f64],
    q: &'a [f64],
    /// Typical sizes of rows.
    typical: &'a [f64],
    /// First row of the law that each row is of.
    group: &'a [usize],
    tolerance: f64,
}

/// E, F, and the size of the part that every row and every unknown belongs to.
struct Units {
    entries: Vec<Entry>,
    /// E, n.
    e: Vec<f64>,
    /// F, n.
    f: Vec<f64>,
    /// Size of row i, n, then of unknown i, n.
    size: Vec<f64>,
}

impl Units {
    /// Chooses E and F; rows and unknowns of one `group` share theirs.
    fn balance(entries: Vec<Entry>, group: &[usize]) -> Self {
        let n = group.len();
        let entries: Vec<Entry> = entries.into_iter().filter(|k| k.value != 0.0).collect();
        let edges = entries.iter().map(|k| Edge {
            from: group[k.row],
            to: n + group[k.column],
            bits: k.value.abs().log2(),
        });
        let bits = least_bits(&edges.collect::<Vec<_>>(), 2 * n);
        let scale = |bits: f64| bits.round().clamp(-400.0, 400.0).exp2();
        let e = group.iter().map(|&i| scale(bits[i])).collect();
        let f = group.iter().map(|&i| scale(bits[n + i])).collect();
        Self { entries, e, f, size: Vec::new() }
    }

    /// Sizes of the parts at z: of data and bounds, and of each row at least what its terms round to. `bounds` gives the largest ones of
    /// unknown i and of row i.
    fn measure(&mut self, data: &Data<'_>, bounds: impl Fn(usize) -> [f64; 2]) {
        let (n, limit) = (data.z.len(), LIMIT_IN_UNITS * data.tolerance);
        let root = self.parts(data.group);
        // e M f is of size one: rows and unknowns of a part have one size.
        let (mut size, mut typical) = (vec![0.0_f64; 2 * n], vec![0.0_f64; 2 * n]);
        for i in 0..n {
            let [of_z, of_w] = bounds(i);
            size[root[i]] = size[root[i]].max(self.e[i] * data.q[i].abs().max(of_w));
            size[root[n + i]] = size[root[n + i]].max(of_z / self.f[i]);
            typical[root[i]] = typical[root[i]].max(self.e[i] * data.typical.get(i).map_or(1.0, |s| s.abs()));
        }
        let largest = size.iter().copied().fold(0.0, f64::max);
        let least = if largest > 0.0 { (ROUNDING * largest / limit).min(largest) } else { 1.0 };
        let mut is_tied = vec![false; 2 * n];
        self.entries.iter().for_each(|k| is_tied[root[k.row]] = true);
        // A row or an unknown that nothing ties to others has no rounding of theirs, and no unit but the given one.
        let of_part = |&root: &usize| match (is_tied[root], size[root] > 0.0) {
            (true, true) => size[root].max(least.min(ROUNDING * typical[root] / limit)),
            // Without data nothing is large or small but beside typical sizes.
            (true, false) => {
                if typical[root] > 0.0 {
                    typical[root]
                } else {
                    1.0
                }
            }
            (false, true) => size[root],
            (false, false) => 1.0,
        };
        self.size = root.iter().map(of_part).collect();
        self.measure_rows(data, limit, &bounds);
    }

    /// The part of every row, then of every unknown.
    fn parts(&self, group: &[usize]) -> Vec<usize> {
        let n = group.len();
        let mut parts = DisjointSets::default();
        parts.reset(2 * n);
        self.entries.iter().for_each(|k| parts.unite(k.row, n + k.column));
        // A law of several rows is one law: its rows have one size, and so have its unknowns.
        group.iter().enumerate().for_each(|(i, &first)| {
            parts.unite(i, first);
            parts.unite(n + i, n + first);
        });
        (0..2 * n).map(|i| parts.root(i)).collect()
    }

    /// A row that asks for less than the largest of its part is measured by what it asks for, and by its own terms as far as they leave
    /// something of that. What the terms round to is no fault of it, in the same limits. Rows of one law are one.
    fn measure_rows(&mut self, data: &Data<'_>, limit: f64, bounds: &impl Fn(usize) -> [f64; 2]) {
        let n = data.z.len();
        let (mut terms, mut asked, mut base) = (vec![0.0_f64; n], vec![0.0_f64; n], vec![0.0_f64; n]);
        for k in &self.entries {
            let own = &mut terms[data.group[k.row]];
            *own = own.max(self.e[k.row] * (k.value * data.z[k.column]).abs());
        }
        for (i, &law) in data.group.iter().enumerate() {
            asked[law] = asked[law].max(self.e[i] * data.q[i].abs().max(bounds(i)[1]));
            base[law] = base[law].max(self.e[i] * SMALL * data.typical.get(i).map_or(1.0, |s| s.abs()));
        }
        for (i, &law) in data.group.iter().enumerate() {
            let base = base[law].max(asked[law]);
            let most = if asked[law] > 0.0 { LOST / limit * base } else { f64::INFINITY };
            let own = base.max(terms[law].min(most));
            let size = if own > 0.0 { self.size[i].min(own) } else { self.size[i] };
            self.size[i] = size.max((TERMS / limit * terms[law]).min(LOST / limit * size));
        }
    }

    /// A number of row i in its unit.
    fn row(&self, i: usize, w: f64) -> f64 {
        self.e[i] * w / self.size[i]
    }

    /// A number of unknown i in its unit.
    fn unknown(&self, i: usize, z: f64) -> f64 {
        z / self.f[i] / self.size[self.e.len() + i]
    }

    /// (z_i, w_i) in their units.
    fn pair(&self, i: usize, z: f64, w: f64) -> (f64, f64) {
        (self.unknown(i, z), self.row(i, w))
    }
}

/// An entry between a row and an unknown: |value| = 2^bits.
struct Edge {
    from: usize,
    to: usize,
    bits: f64,
}

/// The u that makes Σ (bits + u_from + u_to)² least (Curtis & Reid 1972), by conjugate gradients from 0.
///
/// Entries of E M F are then what they are in any other units of rows and unknowns, which cannot be said of scalings by largest
/// entries.
fn least_bits(edges: &[Edge], n: usize) -> Vec<f64> {
    let mut degree = vec![0.0_f64; n];
    let mut rest = vec![0.0; n];
    for k in edges {
        for i in [k.from, k.to] {
            degree[i] += 1.0;
            rest[i] -= k.bits;
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let ready = |rest: &[f64]| rest.iter().zip(&degree).map(|(r, d)| r / d.max(1.0)).collect::<Vec<_>>();
    let (mut u, mut direction) = (vec![0.0; n], ready(&rest));
    let mut slope = dot(&rest, &direction);
    let enough = CLOSE * CLOSE * slope.max(1.0);
    for _ in 0..ITERATIONS {
        let mut image = vec![0.0; n];
        for k in edges {
            let sum = direction[k.from] + direction[k.to];
            image[k.from] += sum;
            image[k.to] += sum;
        }
        let step = slope / dot(&direction, &image);
        if !step.is_finite() || slope <= enough {
            break;
        }
        u.iter_mut().zip(&direction).for_each(|(u, d)| *u += step * d);
        rest.iter_mut().zip(&image).for_each(|(r, a)| *r -= step * a);
        let next = ready(&rest);
        let before = std::mem::replace(&mut slope, dot(&rest, &next));
        direction.iter_mut().zip(&next).for_each(|(d, n)| *d = n + slope / before * *d);
    }
    u
}

/// Size of the bounds that a number is near or beyond: those far away (1e20 for "none") say nothing about it.
fn near(value: f64, [lower, upper]: [f64; 2]) -> f64 {
    let counts = |bound: f64, beyond: bool| {
        bound.is_finite() && (beyond || (value - bound).abs() <= 0.5 * bound.abs())
    };
    let size = |bound: f64, beyond: bool| if counts(bound, beyond) { bound.abs() } else { 0.0 };
    size(lower, value < lower).max(size(upper, value > upper))
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
