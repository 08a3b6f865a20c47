//! From any working set to a start of the dual loop.

use crate::basis::{NONE, Slot};
use crate::solver::ActiveSet;
use crate::vectors::{axpy, larger, largest};
use crate::working_set::{ActiveRow, Side};

/// |P j|∞ below this times |j|∞: the objective does not see the direction j.
const FLAT: f64 = 1e-10;
/// |J₂ᵀg| below this times the size of J₂ is looked at more closely.
const SUSPECT: f64 = 1e-6;
/// |jᵀg| below this is rounding, whatever the size of j.
const NOTHING: f64 = 1e-14;
/// Relative to the largest number of the same kind: multipliers of the wrong sign, violated rows.
pub(crate) const SMALL: f64 = 1e-12;

impl ActiveSet {
    /// Makes the working set this one, row by row.
    pub(crate) fn install(&mut self, rows: &[ActiveRow]) {
        let m = self.data.m;
        let rows = || rows.iter().filter(move |&&(i, _)| (i as usize) < m);
        for &(i, _) in rows() {
            self.w.mark[i as usize] = 1;
        }
        for q in 0..self.data.n {
            if let Slot::Row(i, _) = self.basis.slot[q]
                && self.w.mark[i as usize] == 0
            {
                self.take_out(q);
            }
        }
        for &(i, side) in rows() {
            self.w.mark[i as usize] = 0;
            match self.basis.slot_of[i as usize] {
                NONE => self.put_in(i as usize, side),
                q => self.basis.slot[q as usize] = Slot::Row(i, side),
            }
        }
    }

    /// Rebuilds the directions of the same working set, and x, from the original data.
    pub(crate) fn rebuild(&mut self) {
        let mut rows = std::mem::take(&mut self.w.rows);
        self.working_set(&mut rows);
        self.start_cold();
        self.install(&rows);
        self.w.rows = rows;
        self.rebuilds += 1;
    }

    /// The row of slot q leaves; the slot becomes a free direction.
    fn take_out(&mut self, q: usize) {
        if self.see_curvature(q) {
            self.basis.free(q, &mut self.w.b);
        } else {
            self.basis.set(q, Slot::Flat);
        }
    }

    /// Row i enters if it does not depend on the working set.
    pub(crate) fn put_in(&mut self, i: usize, side: Side) {
        self.basis.row_products(self.data.g.view(), i, &mut self.w.a);
        let slot = Slot::Row(i as u32, side);
        if let Some(q) = self.flat_pivot() {
            self.basis.exchange(q, &self.w.a, slot);
        } else if self.curved_square().is_some() {
            self.curved_direction();
            self.add(slot);
        }
    }

    /// The row with a in `a` and z = J₂a₂ in `z` takes a curved direction.
    pub(crate) fn add(&mut self, slot: Slot) {
        self.basis.add(&self.w.a, &self.w.z, slot, &mut self.w.reflect, &mut self.w.rest);
    }

    /// The flat column with the largest |a_q|, if that is a pivot.
    pub(crate) fn flat_pivot(&self) -> Option<usize> {
        if self.basis.flat_count == 0 {
            return None;
        }
        let (mut best, mut size) = (None, self.pivot);
        for (q, slot) in self.basis.slot.iter().enumerate() {
            if *slot == Slot::Flat && self.w.a[q].abs() > size {
                (best, size) = (Some(q), self.w.a[q].abs());
            }
        }
        best
    }

    /// |a₂|² = gᵀHg for the row with a in `a`, if it is more than rounding.
    pub(crate) fn curved_square(&self) -> Option<f64> {
        let square: f64 = self.w.a.iter().zip(&self.basis.curved).map(|(a, c)| a * a * c).sum();
        let limit = SUSPECT * self.basis.curved_size;
        (self.basis.curved_count > 0 && (square > limit * limit || self.is_no_rounding())).then_some(square)
    }

    /// Returns true if a product with a curved column is more than rounding, judged by the sizes that the columns have now.
    fn is_no_rounding(&self) -> bool {
        let (n, ld) = (self.data.n, self.basis.ld);
        let candidate = |q: usize| self.basis.slot[q] == Slot::Curved && self.w.a[q].abs() > NOTHING;
        (0..n).filter(|&q| candidate(q)).any(|q| {
            let size = (0..n).fold(0.0, |a: f64, k| a.max(self.basis.j[k * ld + q].abs()));
            self.w.a[q].abs() > self.pivot * size
        })
    }

    /// z = J₂a₂ = H g.
    pub(crate) fn curved_direction(&mut self) {
        let w = &mut self.w;
        for ((r, a), c) in w.reflect.iter_mut().zip(&w.a).zip(&self.basis.curved) {
            *r = a * c;
        }
        self.basis.combine(&w.reflect, &mut w.z, &mut w.list);
    }

    /// Column q in `column`, and b = JᵀP j_q if the objective sees it.
    pub(crate) fn see_curvature(&mut self, q: usize) -> bool {
        let w = &mut self.w;
        self.basis.column(q, &mut w.column);
        self.data.p.view().multiply(&w.column, &mut w.z);
        if largest(&w.z) <= FLAT * largest(&w.column) {
            return false;
        }
        self.basis.products(&w.z, &mut w.b);
        w.b[q] > 0.0
    }

    /// x onto the working set and, in the free directions, to the minimum; multipliers of the wrong sign dropped, or set
    /// aside where their direction is flat.
    pub(crate) fn prepare(&mut self) {
        (self.shifted, self.fine) = (false, false);
        self.stalled = 0;
        (self.x_size, self.y_size) = (0.0, self.c_size);
        self.choose_sides();
        self.onto_working_set();
        self.minimize_curved();
        self.multipliers();
        for _ in 0..self.data.n {
            let Some(q) = self.worst_multiplier(false) else { break };
            if self.see_curvature(q) {
                self.basis.free(q, &mut self.w.b);
                self.minimize_curved();
                self.multipliers();
                self.pivots += 1;
            } else {
                break;
            }
        }
        self.set_aside();
        self.measure();
    }

    /// Rows whose bound has gone stand at the other one; rows that have none leave.
    fn choose_sides(&mut self) {
        for q in 0..self.data.n {
            let Slot::Row(i, side) = self.basis.slot[q] else { continue };
            let (lower, upper) = (self.data.lower[i as usize], self.data.upper[i as usize]);
            match (lower.is_finite(), upper.is_finite()) {
                (false, false) => self.take_out(q),
                (true, false) => self.basis.slot[q] = Slot::Row(i, Side::Lower),
                (false, true) => self.basis.slot[q] = Slot::Row(i, Side::Upper),
                (true, true) => self.basis.slot[q] = Slot::Row(i, side),
            }
        }
    }

    /// The bound at which row i stands.
    pub(crate) fn target(&self, i: usize, side: Side) -> f64 {
        if side == Side::Lower { self.data.lower[i] } else { self.data.upper[i] }
    }

    /// x += J₁(b − G_W x).
    pub(crate) fn onto_working_set(&mut self) {
        self.data.rows_times(&self.x, &mut self.s);
        self.w.reflect.fill(0.0);
        let mut any = false;
        for q in 0..self.data.n {
            if let Slot::Row(i, side) = self.basis.slot[q] {
                let gap = self.target(i as usize, side) - self.s[i as usize];
                self.w.reflect[q] = gap;
                any |= gap != 0.0;
            }
        }
        if any {
            self.basis.combine(&self.w.reflect, &mut self.w.z, &mut self.w.list);
            axpy(1.0, &self.w.z, &mut self.x);
        }
    }

    /// x −= J₂J₂ᵀ(P x + c).
    pub(crate) fn minimize_curved(&mut self) {
        if self.basis.curved_count == 0 {
            return;
        }
        self.data.gradient(&self.x, &mut self.w.gradient);
        self.basis.products(&self.w.gradient, &mut self.w.a);
        self.curved_direction();
        axpy(-1.0, &self.w.z, &mut self.x);
    }

    /// y = Jᵀ(P x + c); at flat slots the cost along them, at curved ones what is left of it.
    pub(crate) fn multipliers(&mut self) {
        self.data.gradient(&self.x, &mut self.w.gradient);
        self.basis.products(&self.w.gradient, &mut self.y);
        let sizes = self.w.gradient.iter().zip(&self.data.c).map(|(g, c)| g.abs() + c.abs());
        self.w.terms.iter_mut().zip(sizes).for_each(|(term, size)| *term = size);
        self.measure();
    }

    /// Keeps the largest |x̂| and |ŷ| up to date.
    pub(crate) fn measure(&mut self) {
        self.x_size = larger(self.x_size, largest(&self.x));
        self.y_size = larger(self.y_size, largest(&self.y));
    }

    /// By how much the multiplier of slot q has the wrong sign: of a row, or with `flat` the cost along a flat direction.
    pub(crate) fn wrong_by(&self, q: usize, flat: bool) -> f64 {
        match self.basis.slot[q] {
            Slot::Row(i, _) if self.data.is_equation(i as usize) => 0.0,
            Slot::Row(_, Side::Lower) => -self.y[q],
            Slot::Row(_, Side::Upper) => self.y[q],
            Slot::Flat if flat => self.y[q].abs(),
            _ => 0.0,
        }
    }

    /// Returns true if the multiplier of slot q has the wrong sign by more than rounding: of the largest multiplier, or of its own terms
    /// where they are looked at. Directions hold to 1e-10 only, so that this is no rule to begin with.
    pub(crate) fn is_wrong(&self, q: usize, flat: bool) -> bool {
        let wrong = self.wrong_by(q, flat);
        let by_own = || self.fine && wrong > 0.0 && wrong > self.rounding(q, SMALL, &self.w.terms);
        wrong > SMALL * self.y_size || by_own()
    }

    /// Rounding of Σ_k j_k terms_k along column q: `part` of its terms, or what the largest term is rounded by.
    pub(crate) fn rounding(&self, q: usize, part: f64, terms: &[f64]) -> f64 {
        let column = (0..self.data.n).map(|k| self.basis.j[k * self.basis.ld + q].abs());
        let size = column.fold(0.0, larger);
        let all = 4.0 * f64::EPSILON * size * largest(terms);
        all.max(part * self.basis.size_along(q, terms))
    }

    /// The slot whose multiplier is wrong by most, if by more than rounding.
    pub(crate) fn worst_multiplier(&self, flat: bool) -> Option<usize> {
        let (mut best, mut most) = (None, 0.0);
        for q in 0..self.data.n {
            let wrong = self.wrong_by(q, flat);
            if wrong > most && self.is_wrong(q, flat) {
                (best, most) = (Some(q), wrong);
            }
        }
        best
    }

    /// Wrong multipliers that are left, and costs along flat directions, are set aside.
    fn set_aside(&mut self) {
        for q in 0..self.data.n {
            if self.is_wrong(q, true) {
                self.y[q] = 0.0;
                self.shifted = true;
            } else if !matches!(self.basis.slot[q], Slot::Row(..)) {
                self.y[q] = 0.0;
            }
        }
    }
}
