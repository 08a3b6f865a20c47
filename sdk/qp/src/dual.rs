//! The dual loop: Goldfarb & Idnani's method with the directions J, where P may be singular.

use crate::basis::{NONE, Slot};
use crate::solver::ActiveSet;
use crate::start::SMALL;
use crate::vectors::axpy;
use crate::working_set::Side;

/// Rows violated by less, relative to the largest |x̂|, are looked at twice.
const DRIFT: f64 = 1e-9;

/// How a loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loop {
    /// No violated row (dual loop), no wrong multiplier (primal loop).
    Done,
    /// A proof stands in `reflect` (dual loop: multipliers of the slots, `entering` the row) or `column` (primal loop).
    Proof,
    Cutoff,
    Limit,
    /// Even Bland's rule has not ended it: rounding leads in circles.
    Stalled,
}

/// A violated row on its way into the working set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entering {
    pub(crate) row: usize,
    pub(crate) side: Side,
    /// +1 where s must grow, −1 where it must fall.
    pub(crate) sign: f64,
    /// Violation, ≥ 0.
    gap: f64,
    /// Its multiplier so far.
    y: f64,
}

/// A row of the working set whose multiplier reaches zero.
#[derive(Debug, Clone, Copy)]
struct Block {
    slot: usize,
    step: f64,
}

impl ActiveSet {
    /// Adds violated rows until there is none. `cutoff` in scaled units.
    pub(crate) fn dual_loop(&mut self, cutoff: f64, proof: &mut Option<Entering>) -> Loop {
        let mut fresh = false;
        loop {
            self.data.rows_times(&self.x, &mut self.s);
            if !self.shifted && cutoff < f64::INFINITY && self.passes(cutoff) {
                return Loop::Cutoff;
            }
            let Some(mut p) = self.violated() else { return Loop::Done };
            // A row violated by little may be drift of x: first x is put right.
            if p.gap <= DRIFT * self.x_size && !fresh {
                self.onto_working_set();
                self.minimize_curved();
                fresh = true;
                continue;
            }
            fresh = false;
            if let Some(end) = self.exhausted() {
                return end;
            }
            if !self.enter(&mut p) {
                *proof = Some(p);
                return Loop::Proof;
            }
            self.measure();
        }
    }

    fn passes(&mut self, cutoff: f64) -> bool {
        self.data.objective(&self.x, &mut self.w.z) > cutoff
    }

    /// Returns true if Bland's rule is in force.
    pub(crate) fn bland(&self) -> bool {
        self.stalled as usize > 4 * self.data.n + 20
    }

    /// End of the loop where there have been too many pivots, in all or without progress.
    pub(crate) fn exhausted(&self) -> Option<Loop> {
        if self.pivots >= self.settings.max_pivots {
            return Some(Loop::Limit);
        }
        (self.stalled as usize > 24 * self.data.n + 400).then_some(Loop::Stalled)
    }

    /// Counts a pivot, and whether it made progress.
    pub(crate) fn count(&mut self, progress: bool) {
        self.pivots += 1;
        self.stalled = if progress { 0 } else { self.stalled + 1 };
    }

    /// The row violated most, equations before the others; the first one under Bland's rule.
    fn violated(&self) -> Option<Entering> {
        let (mut best, mut most, mut best_equation) = (None, SMALL * self.x_size, false);
        let small = most;
        let bounds = self.data.lower.iter().zip(&self.data.upper);
        for (row, (&s, (&lower, &upper))) in self.s.iter().zip(bounds).enumerate() {
            let (below, above) = (lower - s, s - upper);
            let gap = if below > above { below } else { above };
            // Most rows end here: not violated, or less than another.
            if gap <= most && !(gap > small && lower == upper) {
                continue;
            }
            let equation = lower == upper;
            let better = if equation == best_equation { gap > most } else { equation };
            if self.basis.slot_of[row] == NONE && better {
                best = Some((row, below > above));
                (most, best_equation) = (gap, equation);
                if self.bland() {
                    break;
                }
            }
        }
        best.map(|(row, up)| {
            let (sign, side) = if up { (1.0, Side::Lower) } else { (-1.0, Side::Upper) };
            Entering { row, side, sign, gap: most, y: 0.0 }
        })
    }

    /// Steps until row p is satisfied and in the working set; false if nothing can satisfy it.
    fn enter(&mut self, p: &mut Entering) -> bool {
        loop {
            self.basis.row_products(self.data.g.view(), p.row, &mut self.w.a);
            let leaving = if let Some(q) = self.flat_pivot() {
                self.count(false);
                self.larger_pivot(q, p.sign)
            } else {
                let square = self.curved_square();
                let full = square.map_or(f64::INFINITY, |s| p.gap / s);
                let block = self.dual_ratio(p.sign);
                let t = block.map_or(full, |b| if b.step < full { b.step } else { full });
                if t == f64::INFINITY {
                    return false;
                }
                self.step(t, p, square);
                self.count(t > SMALL * self.y_size);
                match block {
                    Some(b) if b.step < full => b.slot,
                    _ => {
                        self.add(Slot::Row(p.row as u32, p.side));
                        self.y[self.basis.slot_of[p.row] as usize] = p.y;
                        return true;
                    }
                }
            };
            if self.leave(leaving, p) {
                return true;
            }
        }
    }

    /// Slot q, whose multiplier is zero, leaves; whether row p took its place at once.
    fn leave(&mut self, q: usize, p: &Entering) -> bool {
        self.y[q] = 0.0;
        if self.basis.slot[q] != Slot::Flat && self.see_curvature(q) {
            self.basis.free(q, &mut self.w.b);
            return false;
        }
        self.replace(q, p);
        true
    }

    /// A row whose multiplier is zero may leave as well as flat column q: the one with the largest pivot does.
    fn larger_pivot(&self, q: usize, sign: f64) -> usize {
        let (mut best, mut size) = (q, self.w.a[q].abs());
        for k in 0..self.data.n {
            if let Some((speed, left)) = self.run_down(k, sign)
                && left <= SMALL * self.y_size
                && speed > 10.0 * size
            {
                (best, size) = (k, speed);
            }
        }
        best
    }

    /// Row p takes the place of column q, which the objective does not see, and x moves along it onto p.
    fn replace(&mut self, q: usize, p: &Entering) {
        self.basis.exchange(q, &self.w.a, Slot::Row(p.row as u32, p.side));
        self.basis.column(q, &mut self.w.column);
        axpy(p.sign * p.gap, &self.w.column, &mut self.x);
        self.y[q] = p.y;
    }

    /// A step of length t in the dual: y_W −= t r, y_p += t, x += t z, with the signs of p.
    fn step(&mut self, t: f64, p: &mut Entering, square: Option<f64>) {
        let t_signed = p.sign * t;
        if let Some(square) = square {
            self.curved_direction();
            axpy(t_signed, &self.w.z, &mut self.x);
            p.gap = (p.gap - t * square).max(0.0);
        }
        if t > 0.0 {
            for q in 0..self.data.n {
                if matches!(self.basis.slot[q], Slot::Row(..)) {
                    self.y[q] -= t_signed * self.w.a[q];
                }
            }
            p.y += t_signed;
        }
    }

    /// How fast the multiplier of slot q runs towards zero, and how far it has to go.
    fn run_down(&self, q: usize, sign: f64) -> Option<(f64, f64)> {
        let Slot::Row(i, side) = self.basis.slot[q] else { return None };
        let speed = if side == Side::Lower { sign * self.w.a[q] } else { -sign * self.w.a[q] };
        if speed <= self.pivot || self.data.is_equation(i as usize) {
            return None;
        }
        let left = if side == Side::Lower { self.y[q] } else { -self.y[q] };
        Some((speed, left.max(0.0)))
    }

    /// The row whose multiplier reaches zero first; among those that do within rounding the one with the largest |r|
    /// (Harris), the first one under Bland's rule.
    fn dual_ratio(&self, sign: f64) -> Option<Block> {
        let slack = if self.bland() { 0.0 } else { SMALL * self.y_size };
        let mut bound = f64::INFINITY;
        for q in 0..self.data.n {
            if let Some((speed, left)) = self.run_down(q, sign) {
                bound = bound.min((left + slack) / speed);
            }
        }
        if bound == f64::INFINITY {
            return None;
        }
        let mut best: Option<(f64, u32, Block)> = None;
        for q in 0..self.data.n {
            let Some((speed, left)) = self.run_down(q, sign) else { continue };
            let Slot::Row(row, _) = self.basis.slot[q] else { continue };
            let step = left / speed;
            if step > bound {
                continue;
            }
            let better = |&(fastest, first, _): &(f64, u32, Block)| {
                if self.bland() { row < first } else { speed > fastest }
            };
            if best.as_ref().is_none_or(better) {
                best = Some((speed, row, Block { slot: q, step }));
            }
        }
        best.map(|(.., block)| block)
    }
}
