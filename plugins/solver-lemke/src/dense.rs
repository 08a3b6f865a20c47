//! The engine for small problems: reduction to an LCP, scaling, and Lemke's method on a dense tableau.

use crate::sparse::matrix::power_of_two;
use crate::tableau::{End, Rules, Tableau};
use vinci_sdk::core::bridge::{MlcpAsLcp, SingularFreeBlock};
use vinci_sdk::core::problem::Mlcp;

/// Reduction, tableau and their memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dense {
    pub(crate) bridge: MlcpAsLcp,
    pub(crate) tableau: Tableau,
    /// Scaling of the LCP's columns, z = c z′ / s, and of its rows.
    col: Vec<f64>,
    row: Vec<f64>,
    s: f64,
    active: Vec<bool>,
    x: Vec<f64>,
}

impl Dense {
    /// Reduces the problem; the error names a singular free block.
    pub(crate) fn reduce(&mut self, p: &Mlcp<'_>) -> Result<(), SingularFreeBlock> {
        self.bridge.reduce(p)
    }

    /// Size of the LCP.
    pub(crate) fn n(&self) -> usize {
        self.bridge.n()
    }

    /// Fills the tableau with the equilibrated [q | M | d].
    pub(crate) fn load(&mut self, p: &Mlcp<'_>) {
        let n = self.bridge.n();
        let (t, stride) = self.tableau.open(n);
        if n == 0 {
            // Nothing but equations: the empty basis solves the empty problem.
            self.col.clear();
            self.row.clear();
            self.s = 1.0;
            return;
        }
        self.bridge.write_dense(p, &mut t[1..], stride);
        self.col.clear();
        self.row.clear();
        for r in 0..n {
            let (z, w) = self.bridge.scales(p, r);
            self.col.push(power_of_two(z));
            let row = &mut t[r * stride..(r + 1) * stride];
            row[0] = self.bridge.q()[r];
            self.row.push(1.0 / power_of_two(w));
            scale(row, self.row[r]);
        }
        for (row, factor) in t.chunks_exact_mut(stride).zip(&mut self.row) {
            row[1..=n].iter_mut().zip(&self.col).for_each(|(v, c)| *v *= c);
            let largest = row[1..=n].iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            let even = 1.0 / power_of_two(largest);
            *factor *= even;
            scale(row, even);
        }
        for c in 0..n {
            let largest = (0..n).fold(0.0_f64, |m, r| m.max(t[r * stride + c + 1].abs()));
            let factor = 1.0 / power_of_two(largest);
            self.col[c] *= factor;
            (0..n).for_each(|r| t[r * stride + c + 1] *= factor);
        }
        let q_largest = t.chunks_exact(stride).fold(0.0_f64, |m, row| m.max(row[0].abs()));
        self.s = 1.0 / power_of_two(q_largest);
        for row in t.chunks_exact_mut(stride) {
            row[0] *= self.s;
            row[stride - 1] = 1.0;
        }
    }

    /// Runs from the slack basis.
    pub(crate) fn run_cold(&mut self, rules: Rules) -> End {
        self.tableau.reset();
        self.tableau.lemke(rules)
    }

    /// Runs from the basis a guess of the full z implies: z_i basic where it is positive.
    pub(crate) fn run_warm(&mut self, p: &Mlcp<'_>, rules: Rules) -> End {
        let (s, col) = (self.s, &self.col);
        self.bridge.restrict(p, p.guess, &mut self.x);
        self.active.clear();
        self.active.extend(self.x.iter().zip(col).map(|(x, c)| x / c * s > 1e-9));
        if !self.tableau.make_basic(&self.active) {
            return End::Broken;
        }
        self.tableau.lemke(rules)
    }

    /// Full z of the tableau's basis.
    pub(crate) fn write_z(&mut self, z: &mut [f64]) {
        let n = self.bridge.n();
        self.x.clear();
        self.x.extend((0..n).map(|j| (self.tableau.z(j) * self.col[j] / self.s).max(0.0)));
        self.bridge.expand(&self.x, z);
    }

    /// Makes a full-space vector whose bounded entries are a Farkas candidate fulfil (Mᵀy)_F = 0.
    pub(crate) fn certify(&mut self, p: &Mlcp<'_>, y: &mut [f64]) {
        let bounded = |r: usize| {
            y[self.bridge.full_row(r)] * if p.lower[self.bridge.full_row(r)].is_finite() { 1.0 } else { -1.0 }
        };
        self.x.clear();
        self.x.extend((0..self.bridge.n()).map(bounded));
        self.bridge.expand_certificate(p, &self.x, y);
    }

    /// The equilibrated LCP as rows of [q | M | d], with n.
    pub(crate) fn equations(&self) -> (&[f64], usize) {
        self.tableau.equations()
    }

    /// Full-space y of a proof about one case, given on the equilibrated rows.
    pub(crate) fn expand_case(&mut self, p: &Mlcp<'_>, y_rows: &[f64], y: &mut [f64]) {
        self.x.clear();
        self.x.extend(y_rows.iter().zip(&self.row).map(|(y, r)| y * r));
        self.bridge.expand_case(p, &self.x, y);
    }

    /// Full z of an LCP solution in scaled units.
    pub(crate) fn expand(&mut self, x: &[f64], z: &mut [f64]) {
        self.x.clear();
        self.x.extend(x.iter().zip(&self.col).map(|(x, c)| x * c / self.s));
        self.bridge.expand(&self.x, z);
    }

    /// Full-space Farkas candidate of a secondary ray: its z part, which is a proof when M is copositive-plus.
    pub(crate) fn write_certificate(&mut self, p: &Mlcp<'_>, entering: usize, y: &mut [f64]) {
        let n = self.bridge.n();
        self.x.clear();
        self.x.extend((0..n).map(|j| self.tableau.ray(entering, j) * self.col[j]));
        clean(&mut self.x);
        self.bridge.expand_certificate(p, &self.x, y);
    }
}

/// Entries that are rounding next to the largest one become zero.
pub(crate) fn clean(y: &mut [f64]) {
    let largest = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    y.iter_mut().filter(|v| v.abs() <= 1e-12 * largest).for_each(|v| *v = 0.0);
}

fn scale(row: &mut [f64], factor: f64) {
    if factor != 1.0 {
        row.iter_mut().for_each(|v| *v *= factor);
    }
}

#[cfg(test)]
mod tests;
