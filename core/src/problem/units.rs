//! Units in which rows and unknowns of a problem are of size one, whatever units it is written in. `in_units` measures residuals in
//! them.
//!
//! All classes are z and w = M z + q with a law for every pair (z_i, w_i). Rows and unknowns may each be written in a unit
//! of their own: E M F, E q, z/F state the same problem for any positive diagonal E, F. E and F are chosen so that the entries
//! of E M F are of size one (Curtis & Reid 1972). Then every part of the problem that entries connect is measured by its own
//! data, the largest of q and of the bounds: a part in newtons says nothing about one in nanometres. A row is measured by its own data,
//! a thousandth of its typical size at least, and by its terms as long as they leave something of the data. What is below the rounding
//! of the largest part, and of the typical sizes that its own rows are given with, counts as rounding: contact problems at rest hold parts
//! whose data (1e-17) are what subtractions left of others (0.1). An unknown is measured by its own value and the bound that its row
//! points to, or by the change that its rows notice: one large unknown says nothing about another.
//!
//! A program (x, y) is z = (x, y) with M = [P −Gᵀ; G 0], q = (c, g). Where P is 0, its costs and its rows are two parts.

use super::mlcp::scale_at;
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

/// One entry of M.
pub(super) struct Entry {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) value: f64,
}

/// Numbers by which parts are measured.
pub(super) struct Data<'a> {
    /// Unknowns whose terms count for what rows round to.
    pub(super) z: &'a [f64],
    pub(super) q: &'a [f64],
    /// Typical sizes of rows.
    pub(super) typical: &'a [f64],
    /// Typical sizes of unknowns; infinite where none is known, 1 where the list ends.
    pub(super) typical_z: &'a [f64],
    /// How many rows, the first ones, are balances of costs: one without a cost has the size of the others.
    pub(super) balances: usize,
    /// First row of the law that each row is of.
    pub(super) group: &'a [usize],
    pub(super) tolerance: f64,
}

/// Sizes of the bounds of unknown i and of row i, and its own size.
#[derive(Clone, Copy, Default)]
pub(super) struct Bounds {
    /// The largest bound near the unknown.
    pub(super) of_unknown: f64,
    /// The largest bound near the row.
    pub(super) of_row: f64,
    /// Size of the bound that the row asks the unknown to go to; 0 where that is none or 0.
    pub(super) pointed: f64,
    /// The unknown itself.
    pub(super) value: f64,
}

/// E, F, and the size of the part that every row and every unknown belongs to.
pub(super) struct Units {
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
    pub(super) fn balance(entries: Vec<Entry>, group: &[usize]) -> Self {
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

    /// Sizes of the parts at z: of data and bounds, and of each row at least what its terms round to.
    pub(super) fn measure(&mut self, data: &Data<'_>, bounds: impl Fn(usize) -> Bounds) {
        let (n, limit) = (data.z.len(), LIMIT_IN_UNITS * data.tolerance);
        let root = self.parts(data.group);
        // e M f is of size one: rows and unknowns of a part have one size.
        let (mut size, mut typical) = (vec![0.0_f64; 2 * n], vec![0.0_f64; 2 * n]);
        for i in 0..n {
            let bounds = bounds(i);
            size[root[i]] = size[root[i]].max(self.e[i] * data.q[i].abs().max(bounds.of_row));
            size[root[n + i]] = size[root[n + i]].max(bounds.of_unknown / self.f[i]);
            typical[root[i]] = typical[root[i]].max(self.e[i] * scale_at(data.typical, i).abs());
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
        let balances = self.largest_balances(data, &root);
        self.measure_rows(data, limit, &bounds, &balances);
        self.measure_unknowns(data, limit, &bounds);
    }

    /// The largest cost or typical size among the balances of the part of every row; without any, the size of the part.
    fn largest_balances(&self, data: &Data<'_>, root: &[usize]) -> Vec<f64> {
        let mut largest = vec![0.0_f64; root.len()];
        for i in 0..data.balances {
            let own = data.q[i].abs().max(scale_at(data.typical, i).abs());
            largest[root[i]] = largest[root[i]].max(self.e[i] * own);
        }
        let of_row = |i: usize| if largest[root[i]] > 0.0 { largest[root[i]] } else { self.size[i] };
        (0..data.group.len()).map(of_row).collect()
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
    fn measure_rows(
        &mut self,
        data: &Data<'_>,
        limit: f64,
        bounds: &impl Fn(usize) -> Bounds,
        balances: &[f64],
    ) {
        let n = data.z.len();
        let (mut terms, mut asked, mut base) = (vec![0.0_f64; n], vec![0.0_f64; n], vec![0.0_f64; n]);
        for k in &self.entries {
            let own = &mut terms[data.group[k.row]];
            *own = own.max(self.e[k.row] * (k.value * data.z[k.column]).abs());
        }
        for (i, &law) in data.group.iter().enumerate() {
            asked[law] = asked[law].max(self.e[i] * data.q[i].abs().max(bounds(i).of_row));
            base[law] = base[law].max(self.e[i] * SMALL * scale_at(data.typical, i).abs());
        }
        for (i, &law) in data.group.iter().enumerate() {
            let own = base[law].max(asked[law]);
            // What multipliers leave of each other, 1e-30, is no unit of a balance that asks for nothing.
            let base = if own > 0.0 { own } else { SMALL * balances[i] };
            let most = if asked[law] > 0.0 { LOST / limit * base } else { f64::INFINITY };
            let own = base.max(terms[law].min(most));
            let size = if own > 0.0 { self.size[i].min(own) } else { self.size[i] };
            self.size[i] = size.max((TERMS / limit * terms[law]).min(LOST / limit * size));
        }
    }

    /// An unknown is measured by its own value, by the bound that its row points to, and by the change that a row notices. One beyond
    /// its bounds is seen from a thousandth of its typical size on, whatever its rows notice. What the terms of its part round to
    /// is no fault of it. Unknowns of one law are one.
    fn measure_unknowns(&mut self, data: &Data<'_>, limit: f64, bounds: &impl Fn(usize) -> Bounds) {
        let n = data.z.len();
        let (mut own, mut seen) = (vec![0.0_f64; n], vec![f64::INFINITY; n]);
        for k in &self.entries {
            let at = data.group[k.column];
            let value = self.e[k.row] * self.f[k.column] * k.value.abs();
            seen[at] = seen[at].min(self.size[k.row] / value);
        }
        for (i, &law) in data.group.iter().enumerate() {
            let bounds = bounds(i);
            own[law] = own[law].max(bounds.value.abs().max(bounds.pointed) / self.f[i]);
            // A bound that is asked for is seen by its own size.
            let typical = SMALL * scale_at(data.typical_z, i).abs() / self.f[i];
            let sees_itself = bounds.pointed > 0.0;
            seen[law] = if sees_itself { 0.0 } else { seen[law].min(typical) };
        }
        for (i, &law) in data.group.iter().enumerate() {
            let part = self.size[n + i];
            self.size[n + i] = part.min(own[law].max(seen[law]).max(ROUNDING * part / limit));
        }
    }

    /// A number of row i in its unit.
    pub(super) fn row(&self, i: usize, w: f64) -> f64 {
        self.e[i] * w / self.size[i]
    }

    /// A number of unknown i in its unit.
    pub(super) fn unknown(&self, i: usize, z: f64) -> f64 {
        z / self.f[i] / self.size[self.e.len() + i]
    }

    /// (z_i, w_i) in their units.
    pub(super) fn pair(&self, i: usize, z: f64, w: f64) -> (f64, f64) {
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
pub(super) fn near(value: f64, [lower, upper]: [f64; 2]) -> f64 {
    let counts = |bound: f64, beyond: bool| {
        bound.is_finite() && (beyond || (value - bound).abs() <= 0.5 * bound.abs())
    };
    let size = |bound: f64, beyond: bool| if counts(bound, beyond) { bound.abs() } else { 0.0 };
    size(lower, value < lower).max(size(upper, value > upper))
}
