//! The ratio test: what stops the entering variable.

use super::path::{Block, Entering, OVERSHOOT, Path};

/// A coefficient below this share of its column's largest one does not block.
const PIVOT_SHARE: f64 = 1e-10;
/// A pivot below this share, met with updates in the factors, asks for new factors first.
const DOUBTFUL: f64 = 1e-8;

impl Path {
    /// Ratio test in two passes (Harris): how far may we go if every bound gives way by a hair; then, among the slots that
    /// block before that, z₀ if it is there, else the largest pivot.
    pub(super) fn blocking(&self, entering: Entering) -> Block {
        let largest = self.delta.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
        let threshold = PIVOT_SHARE * largest.max(1e-3);
        let mut reach = f64::INFINITY;
        for (slot, &d) in self.delta.iter().enumerate() {
            if d.abs() > threshold {
                reach = reach.min((self.distance_to_bound(slot, d) + OVERSHOOT) / d.abs());
            }
        }
        let (lower, upper) = self.bounds(entering.var);
        if entering.var < self.n() && (upper - lower).is_finite() && upper - lower <= reach {
            return Block::OtherBound { step: upper - lower };
        }
        if reach == f64::INFINITY {
            return Block::Nothing;
        }
        let mut best: Option<(usize, f64)> = None;
        for (slot, &d) in self.delta.iter().enumerate() {
            if d.abs() > threshold && self.distance_to_bound(slot, d) <= reach * d.abs() {
                let size =
                    if self.factor.slot_var[slot] as usize == 2 * self.n() { f64::INFINITY } else { d.abs() };
                if best.is_none_or(|b| size > b.1) {
                    best = Some((slot, size));
                }
            }
        }
        let Some((r, size)) = best else { return Block::Nothing };
        if size < DOUBTFUL * largest && self.factor.updates() > 0 {
            return Block::Doubtful;
        }
        let d = self.delta[r];
        Block::Slot { r, step: (self.distance_to_bound(r, d) / d.abs()).max(0.0), at_upper: d > 0.0 }
    }

    /// Distance of a basic variable to the bound it moves towards.
    #[inline]
    fn distance_to_bound(&self, slot: usize, d: f64) -> f64 {
        let (lower, upper) = self.bounds(self.factor.slot_var[slot] as usize);
        if d > 0.0 { upper - self.x[slot] } else { self.x[slot] - lower }
    }
}
