//! The problem in balanced units ([`Congruence`]): M̄ = C M C, q̄ = C q / s, z̄ = C⁻¹ z / s.

use vinci_linear::{Congruence, RowState};
use vinci_sdk::core::Csr;
use vinci_sdk::core::lists::copy;
use vinci_sdk::core::problem::Mlcp;

/// Kind of a row, by its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// −∞ < z < ∞: an equation.
    Free,
    /// l ≤ z.
    Lower,
    /// z ≤ u.
    Upper,
    /// l ≤ z ≤ u.
    Boxed,
    /// z = l = u.
    Fixed,
}

impl Kind {
    fn of(lower: f64, upper: f64) -> Self {
        match (lower.is_finite(), upper.is_finite()) {
            (false, false) => Self::Free,
            (true, false) => Self::Lower,
            (false, true) => Self::Upper,
            (true, true) if lower == upper => Self::Fixed,
            (true, true) => Self::Boxed,
        }
    }
}

/// The balanced problem; memory is kept between problems.
#[derive(Debug, Default)]
pub(crate) struct Scaled {
    n: usize,
    row_start: Vec<u32>,
    column: Vec<u32>,
    value: Vec<f64>,
    pub(crate) q: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) kind: Vec<Kind>,
    units: Congruence,
    /// Proximal weight ε and centre c: w gains ε (z − c) on rows with bounds (ε = 0: the problem itself).
    pub(crate) epsilon: f64,
    pub(crate) centre: Vec<f64>,
}

impl Scaled {
    /// Reads a problem; `sweeps` rounds of balancing (0: only the size is divided out).
    pub(crate) fn load(&mut self, p: &Mlcp<'_>, sweeps: u32) {
        self.n = p.n();
        copy(&mut self.row_start, p.m.row_start);
        copy(&mut self.column, p.m.column);
        copy(&mut self.value, p.m.value);
        self.units.balance(p.m, sweeps, |_| ());
        for i in 0..self.n {
            for k in self.row_start[i] as usize..self.row_start[i + 1] as usize {
                self.value[k] *= self.units.factor(i) * self.units.factor(self.column[k] as usize);
            }
        }
        self.units.scale(p.q, &mut self.q);
        self.lower.clear();
        self.upper.clear();
        self.kind.clear();
        self.epsilon = 0.0;
        for i in 0..self.n {
            let (lower, upper) = (self.inward(i, p.lower[i]), self.inward(i, p.upper[i]));
            self.lower.push(lower);
            self.upper.push(upper);
            self.kind.push(Kind::of(lower, upper));
        }
    }

    /// Number of unknowns.
    #[inline]
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// M̄.
    #[inline]
    pub(crate) fn m(&self) -> Csr<'_> {
        Csr { n_cols: self.n, row_start: &self.row_start, column: &self.column, value: &self.value }
    }

    /// Unknown `i` of the given problem in balanced units.
    #[inline]
    pub(crate) fn inward(&self, i: usize, z: f64) -> f64 {
        self.units.inward(i, z)
    }

    /// z = s C z̄.
    pub(crate) fn outward(&self, balanced: &[f64], z: &mut [f64]) {
        self.units.outward(balanced, z);
    }

    /// A row multiplier ȳ of the balanced problem in the units of the given one: y = C ȳ (up to the common factor s).
    pub(crate) fn dual_outward(&self, i: usize, y: f64) -> f64 {
        self.units.factor(i) * y
    }

    /// w = M̄ z + q̄, plus the proximal term where there is one.
    pub(crate) fn w(&self, z: &[f64], w: &mut [f64]) {
        let m = self.m();
        for (i, wi) in w.iter_mut().enumerate() {
            *wi = m.row_dot(i, z) + self.q[i];
        }
        if self.epsilon > 0.0 {
            for i in (0..self.n).filter(|&i| self.kind[i] != Kind::Free) {
                w[i] += self.epsilon * (z[i] - self.centre[i]);
            }
        }
    }

    /// Amount that the proximal term adds to the diagonal of M in row `i`.
    #[inline]
    pub(crate) fn softness(&self, i: usize) -> f64 {
        if self.kind[i] == Kind::Free { 0.0 } else { self.epsilon }
    }

    /// z − Π(z − w) of row `i`.
    #[inline]
    pub(crate) fn natural_row(&self, i: usize, z: f64, w: f64) -> f64 {
        w.min(z - self.lower[i]).max(z - self.upper[i])
    }

    /// max over rows of |z − Π(z − w)|; infinite when anything is not a number.
    pub(crate) fn natural(&self, z: &[f64], w: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for i in 0..self.n {
            let size = self.natural_row(i, z[i], w[i]).abs();
            if !(size <= f64::MAX && z[i].abs() <= f64::MAX) {
                return f64::INFINITY;
            }
            worst = worst.max(size);
        }
        worst
    }

    /// Where the natural map sees row `i`; a tie (z at its bound and w = 0) counts as between, so that contacts at rest
    /// take part.
    #[inline]
    pub(crate) fn row_state(&self, i: usize, z: f64, w: f64) -> RowState {
        match self.kind[i] {
            Kind::Free => RowState::Between,
            Kind::Fixed => RowState::AtLower,
            _ if z - self.lower[i] < w => RowState::AtLower,
            _ if z - self.upper[i] > w => RowState::AtUpper,
            _ => RowState::Between,
        }
    }
}
