//! Residuals that do not depend on the units in which a problem is written ([`super::units`]), and points that are lawful in them.

use super::conic::{all_finite, worse};
use super::mlcp::natural_map;
use super::ray::ExactSum;
use super::units::{Bounds, Data, Entry, Units, near};
use super::{Cone, ConeBlock, Conic, Mlcp, Qpcc, cone_map};

impl Mlcp<'_> {
    /// Natural map of z in balanced units, each connected part by its own size; w is summed in twice the working precision. Infinite
    /// where z is no vector of numbers.
    pub fn residual_in_units(&self, z: &[f64]) -> f64 {
        let n = self.n();
        if !all_finite(z, n) {
            return f64::INFINITY;
        }
        let group: Vec<usize> = (0..n).collect();
        let w: Vec<f64> = (0..n).map(|i| self.exact_w(i, z)).collect();
        let units = self.units(z, &group, |i| self.bounds_at(i, z[i], w[i]));
        (0..n).map(|i| self.row_in_units(&units, i, z[i], w[i])).fold(0.0, worse)
    }

    /// Units at z of rows whose laws are these groups.
    fn units(&self, z: &[f64], group: &[usize], bounds: impl Fn(usize) -> Bounds) -> Units {
        let n = self.n();
        let entries =
            (0..n).flat_map(|i| self.m.entries(i).map(move |(j, value)| Entry { row: i, column: j, value }));
        let mut units = Units::balance(entries.collect(), group);
        let data = Data {
            z,
            q: self.q,
            typical: self.w_scale,
            typical_z: self.z_scale,
            balances: 0,
            group,
            tolerance: self.tolerance,
        };
        units.measure(&data, bounds);
        units
    }

    fn bounds_at(&self, i: usize, z: f64, w: f64) -> Bounds {
        let of_unknown = near(z, [self.lower[i], self.upper[i]]);
        Bounds { of_unknown, of_row: 0.0, pointed: self.pointed(i, w), value: z }
    }

    fn row_in_units(&self, units: &Units, i: usize, z: f64, w: f64) -> f64 {
        let (z, w) = units.pair(i, z, w);
        natural_map(z, w, units.unknown(i, self.lower[i]), units.unknown(i, self.upper[i])).abs()
    }

    /// The natural map of z over the largest number of the data, with w in twice the working precision: what is left where terms of 1e16
    /// cancel, and the working precision sees 0.
    pub fn exact_residual(&self, z: &[f64]) -> f64 {
        let natural = |i: usize| natural_map(z[i], self.exact_w(i, z), self.lower[i], self.upper[i]).abs();
        (0..self.n()).map(natural).fold(0.0, worse) / self.q_norm()
    }

    /// w_i in twice the working precision.
    fn exact_w(&self, i: usize, z: &[f64]) -> f64 {
        let mut w = ExactSum::default();
        w.add(self.q[i], 1.0);
        self.m.entries(i).for_each(|(j, value)| w.add(value, z[j]));
        w.value()
    }

    /// Size of the bound that w_i asks z_i to go to; 0 where there is none.
    fn pointed(&self, i: usize, w: f64) -> f64 {
        let bound = if w > 0.0 { self.lower[i] } else { self.upper[i] };
        if w != 0.0 && bound.is_finite() { bound.abs() } else { 0.0 }
    }
}

impl Cone<'_> {
    /// Natural maps of rows and blocks in balanced units, each connected part by its own size; the rows of a block share a unit, so that
    /// cones stay cones. w is summed in twice the working precision. Infinite where z is no vector of numbers.
    pub fn residual_in_units(&self, z: &[f64]) -> f64 {
        let (n, p) = (self.n(), &self.rows);
        if !all_finite(z, n) {
            return f64::INFINITY;
        }
        let w: Vec<f64> = (0..n).map(|i| p.exact_w(i, z)).collect();
        let mut bounds: Vec<Bounds> = (0..n).map(|i| p.bounds_at(i, z[i], w[i])).collect();
        let mut group: Vec<usize> = (0..n).collect();
        let mut in_block = Vec::new();
        self.mark_block_rows(&mut in_block);
        for b in self.blocks.iter() {
            let first = if b.is_disc() { b.tangent } else { b.normal } as usize;
            b.rows().for_each(|i| group[i] = first);
            if b.is_disc() {
                bounds[first] = disc_bounds(&b, z, &w);
            }
        }
        let units = p.units(z, &group, |i| bounds[i]);
        let free = (0..n).filter(|&i| !in_block[i]).map(|i| p.row_in_units(&units, i, z[i], w[i]));
        let in_units = |i: usize| units.pair(i, z[i], w[i]);
        let blocks = self.blocks.iter().map(|b| {
            let size = if b.is_disc() { units.unknown(b.tangent as usize, b.size) } else { b.size };
            ConeBlock { size, ..b }.map(in_units)
        });
        free.chain(blocks).fold(0.0, worse)
    }
}

/// Sizes of a disc's bound: near its rim, and where its row slips and asks for the rim.
fn disc_bounds(b: &ConeBlock, z: &[f64], w: &[f64]) -> Bounds {
    let length = |x: &[f64]| {
        let (a, b) = b.tangential(x);
        a.hypot(b)
    };
    let of_unknown = near(length(z), [f64::NEG_INFINITY, b.size]);
    Bounds { of_unknown, of_row: 0.0, pointed: if length(w) > 0.0 { b.size } else { 0.0 }, value: length(z) }
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

    /// Returns true if x obeys rows and cones: |s − Π(s)| in balanced units is at most the tolerance, of the data
    /// alone. What terms of a huge x round to is no excuse here: two parallel walls that face each other meet at infinity.
    pub fn is_point(&self, x: &[f64]) -> bool {
        all_finite(x, self.n()) && self.obeys_rows(&self.units_of_data(x), x)
    }

    fn obeys_rows(&self, units: &Units, x: &[f64]) -> bool {
        self.rows_in_units(units, x, &vec![0.0; self.m()]) <= self.tolerance
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

    /// Rows that ask for something, cones among them. A row without bounds ties nothing together.
    fn rows_that_ask(&self) -> Vec<usize> {
        let mut asks: Vec<bool> = (0..self.m()).map(|i| self.is_bounded(i)).collect();
        self.cones().for_each(|cone| asks[cone].fill(true));
        (0..self.m()).filter(|&i| asks[i]).collect()
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
        for i in self.rows_that_ask() {
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
        let data = Data {
            z: terms,
            q: &q,
            typical: &typical,
            typical_z: &vec![f64::INFINITY; n + m],
            balances: n,
            group: &group,
            tolerance: self.tolerance,
        };
        units.measure(&data, |i| Bounds { of_row: bound(i), value: terms[i], ..Bounds::default() });
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
        qp.obeys_rows(&units, x) && open <= qp.tolerance
    }

    /// Distance of the objective at x from a bound, by [`Qpcc::objective_size`]; without c by the objective itself, ½ xᵀP x ≥ 0: one
    /// stiff unknown makes ½ Σ p_ii X_i² as large as it likes. Infinite where there is no bound.
    pub fn gap_in_units(&self, x: &[f64], bound: f64) -> f64 {
        let objective = self.qp.objective(x);
        // Unknowns off by the tolerance leave its square.
        let nothing = self.qp.tolerance * self.qp.tolerance * self.typical_objective();
        let gap = match self.qp.c.iter().any(|c| *c != 0.0) {
            true => (objective - bound).abs() / self.objective_size(x),
            false if objective <= nothing => 0.0,
            false => (objective - bound.max(0.0)).abs() / objective,
        };
        if gap.is_nan() { f64::INFINITY } else { gap }
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
mod tests;
