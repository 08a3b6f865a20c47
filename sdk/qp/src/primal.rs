//! The primal loop: from a feasible point with its working set to the optimum of the true cost.

use crate::basis::{NONE, Slot};
use crate::dual::Loop;
use crate::solver::ActiveSet;
use crate::start::SMALL;
use crate::vectors::{axpy, largest};
use crate::working_set::Side;

/// A cost along a direction below this times the sizes of both is rounding.
const NOISE: f64 = 1e-11;
/// Bound of such a cost along a direction that no row stops: more proves the program unbounded.
const RAY: f64 = 1e-9;

/// A row that ends a step.
#[derive(Debug, Clone, Copy)]
struct Stop {
    row: usize,
    side: Side,
    step: f64,
}

impl ActiveSet {
    /// Lets rows with a multiplier of the wrong sign leave, and follows flat directions of descent, until there is none.
    pub(crate) fn primal_loop(&mut self) -> Loop {
        let mut full_steps = 0;
        loop {
            self.multipliers();
            if let Some(end) = self.exhausted() {
                return end;
            }
            // After two steps to the minimum what is left of the gradient is rounding.
            if full_steps < 2 && self.curved_gradient() > SMALL * self.y_size {
                full_steps = if self.descend() { full_steps + 1 } else { 0 };
                continue;
            }
            full_steps = 0;
            loop {
                let Some(q) = self.leaving() else { return Loop::Done };
                if matches!(self.basis.slot[q], Slot::Row(..)) && self.see_curvature(q) {
                    self.basis.free(q, &mut self.w.b);
                    self.count(false);
                } else if self.is_noise(q, NOISE) {
                    self.y[q] = 0.0;
                    continue;
                } else if !self.follow(q) {
                    if self.is_noise(q, RAY) {
                        self.y[q] = 0.0;
                        continue;
                    }
                    return Loop::Proof;
                }
                break;
            }
        }
    }

    /// Returns true if the cost along column q, which the objective does not see, is rounding of its sum.
    fn is_noise(&self, q: usize, noise: f64) -> bool {
        if self.fine {
            return self.y[q].abs() <= self.rounding(q, noise, &self.w.terms);
        }
        let column = (0..self.data.n).map(|k| self.basis.j[k * self.basis.ld + q]);
        let size = column.fold(0.0, |a: f64, d| a.max(d.abs()));
        self.y[q].abs() <= noise * size * self.c_size
    }

    /// |J₂ᵀ(P x + c)|∞, in units of multipliers.
    fn curved_gradient(&self) -> f64 {
        let largest = self.y.iter().zip(&self.basis.curved).fold(0.0, |a: f64, (y, c)| a.max((y * c).abs()));
        largest / self.basis.curved_size.max(1.0)
    }

    /// The slot that leaves: the worst one, under Bland's rule the first row, or flat slot, that is wrong.
    fn leaving(&self) -> Option<usize> {
        if !self.bland() {
            return self.worst_multiplier(true);
        }
        let number = |q: usize| match self.basis.slot[q] {
            Slot::Row(i, _) => i as usize,
            _ => self.data.m + q,
        };
        (0..self.data.n).filter(|&q| self.is_wrong(q, true)).min_by_key(|&q| number(q))
    }

    /// Towards the minimum in the curved directions, as far as no row stops it; whether none did.
    fn descend(&mut self) -> bool {
        self.w.a.copy_from_slice(&self.y);
        self.curved_direction();
        self.w.z.iter_mut().for_each(|z| *z = -*z);
        std::mem::swap(&mut self.w.z, &mut self.w.column);
        let stop = self.primal_ratio(1.0);
        let t = stop.map_or(1.0, |s| s.step);
        axpy(t, &self.w.column, &mut self.x);
        self.count(t > 1e-6);
        if let Some(stop) = stop {
            self.put_in(stop.row, stop.side);
        }
        stop.is_none()
    }

    /// Along column q, which the objective does not see, downhill to the first row that stops it; false if none does: the
    /// direction is left in `column`.
    fn follow(&mut self, q: usize) -> bool {
        self.basis.column(q, &mut self.w.column);
        if self.y[q] > 0.0 {
            self.w.column.iter_mut().for_each(|d| *d = -*d);
        }
        let Some(stop) = self.primal_ratio(f64::INFINITY) else { return false };
        axpy(stop.step, &self.w.column, &mut self.x);
        let size = largest(&self.w.column);
        self.count(stop.step * size > SMALL * self.x_size);
        let own = self.basis.slot_of[stop.row] as usize;
        if own == q {
            self.basis.slot[q] = Slot::Row(stop.row as u32, stop.side);
        } else {
            self.basis.row_products(self.data.g.view(), stop.row, &mut self.w.a);
            self.basis.exchange(q, &self.w.a, Slot::Row(stop.row as u32, stop.side));
        }
        true
    }

    /// The distance of row i along a direction with slope `v` before it stops at a bound, and that bound.
    fn distance_to_bound(&self, i: usize, v: f64) -> (f64, Side) {
        let (distance, side) = if v > 0.0 {
            (self.data.upper[i] - self.s[i], Side::Upper)
        } else {
            (self.s[i] - self.data.lower[i], Side::Lower)
        };
        (distance.max(0.0), side)
    }

    /// Returns true if row i may stop a step with slope `v`; of the working set only the row that moves away from its bound may.
    fn may_stop(&self, i: usize, v: f64) -> bool {
        match self.basis.slot_of[i] {
            NONE => v.abs() > self.pivot,
            _ => v.abs() > 0.5,
        }
    }

    /// The first row that a step along `column` meets, of length `longest` at most; the steepest of those met within
    /// rounding (Harris), the first under Bland's rule.
    fn primal_ratio(&mut self, longest: f64) -> Option<Stop> {
        self.data.rows_times(&self.x, &mut self.s);
        self.data.rows_times(&self.w.column, &mut self.w.slope);
        let slack = if self.bland() { 0.0 } else { SMALL * self.x_size };
        let mut bound = longest;
        for (i, &v) in self.w.slope.iter().enumerate().filter(|&(i, &v)| self.may_stop(i, v)) {
            bound = bound.min((self.distance_to_bound(i, v).0 + slack) / v.abs());
        }
        if bound >= longest {
            return None;
        }
        let (mut best, mut steepest) = (None, 0.0);
        for (i, &v) in self.w.slope.iter().enumerate().filter(|&(i, &v)| self.may_stop(i, v)) {
            let (distance, side) = self.distance_to_bound(i, v);
            let step = distance / v.abs();
            if step <= bound && v.abs() > steepest {
                best = Some(Stop { row: i, side, step });
                steepest = if self.bland() { f64::INFINITY } else { v.abs() };
            }
        }
        best
    }
}
