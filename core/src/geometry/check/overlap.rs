//! Overlap of a pair that a detector leaves out: how close two shapes are is 0 in all of it, how deep they are is not.

use nalgebra::Vector3;

use super::report::SLACK;
use super::{DetectorCheck, DetectorReport};
use crate::geometry::depth::depth;
use crate::geometry::{Gap, Placed, distance};
use crate::model::Space;

impl DetectorCheck {
    /// Judges shapes s and t, of which no contact was reported. `found`: their distance; `reach`: their active distance, m.
    pub(super) fn judge_missed(
        &self,
        shapes: [u32; 2],
        [p, q]: [&Placed<'_>; 2],
        (found, reach): (&Gap, f64),
        report: &mut DetectorReport,
    ) {
        let size = p.solid.size().min(q.solid.size());
        let is_sunk = is_sunk(self.shapes.space, [p, q], found, size);
        report.offer_missed(shapes, [found.upper, reach], size, is_sunk);
    }
}

/// Returns true if two shapes are in each other by more than rounding, 1e-6 of the smaller one's `size`. `found`: their distance.
fn is_sunk(space: Space, [p, q]: [&Placed<'_>; 2], found: &Gap, size: f64) -> bool {
    let rounding = SLACK * size;
    if found.upper > 0.0 {
        return false;
    }
    if p.solid.is_unbounded() || q.solid.is_unbounded() {
        return found.upper < -rounding;
    }
    let convex = p.solid.is_convex() && q.solid.is_convex();
    match convex.then(|| depth(p, q, space)).flatten() {
        Some(depth) => depth > rounding,
        None => stays(space, [p, q], 2.0 * rounding),
    }
}

/// Returns true if two shapes still overlap when one of them is moved by `by` along any axis, m. Shapes that only touch part in one of
/// these moves.
fn stays(space: Space, [p, q]: [&Placed<'_>; 2], by: f64) -> bool {
    (0..space.dim()).all(|k| {
        [by, -by].iter().all(|&far| {
            let mut moved = *q;
            moved.frame.at += Vector3::ith(k, far);
            distance(p, &moved, by).upper <= 0.0
        })
    })
}
