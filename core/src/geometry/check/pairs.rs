//! Pairs: nothing that is near is left out, and the least gap is the distance.

use super::report::{PairFault, SLACK, offer};
use super::said::Said;
use super::{ALL, DetectorCheck, DetectorReport, TURN, WINDOW};
use crate::geometry::depth::depth;
use crate::geometry::shapes::Owner;
use crate::geometry::{Frame, Gap, Placed, distance};
use crate::model::Space;
use crate::stage::DetectQuery;

/// Part of the gap by which contacts along tilted features may be closer than the distance.
const TILTED: f64 = 2e-3;

/// Part of the size by which the least gap of shapes with notches or siblings may be above the distance. The end of a face at a seam is no
/// place of a contact.
const SEAM: f64 = 0.05;

/// Extents of bodies along an axis, and their order: scratch that is nearly sorted from step to step.
#[derive(Debug, Clone, Default)]
pub(super) struct Sweep {
    extents: Vec<(f64, f64)>,
    order: Vec<usize>,
}

/// A detector's report on one pair.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reported {
    /// Least gap, m; of OR groups the most open row; ∞ where there is none.
    pub(super) gap: f64,
    has_groups: bool,
}

/// The pair of numbers j < i with number k, counted row by row.
fn pair_of(k: u64) -> (usize, usize) {
    let mut i = ((1.0 + (1.0 + 8.0 * k as f64).sqrt()) / 2.0) as u64;
    // Roots are rounded.
    while i * (i - 1) / 2 > k {
        i -= 1;
    }
    while i * (i + 1) / 2 <= k {
        i += 1;
    }
    ((k - i * (i - 1) / 2) as usize, i as usize)
}

impl DetectorCheck {
    /// The pairs of bodies whose turn it is, beginning with another one every time round.
    pub(super) fn judge_window(
        &self,
        query: &DetectQuery<'_>,
        raw: &Said<'_>,
        turn: u64,
        report: &mut DetectorReport,
    ) {
        let n = self.shapes.owners.len() as u64;
        let total = n * n.saturating_sub(1) / 2;
        if total == 0 {
            return;
        }
        let windows = total.div_ceil(WINDOW);
        let (first, round) = ((turn % windows) * WINDOW, turn / windows);
        let count = WINDOW.min(total - first);
        for k in 0..count {
            let pair = pair_of(first + (k + round) % count);
            if self.judge_bodies(query, raw, pair, round, report) {
                return;
            }
        }
    }

    /// All pairs of bodies that are near.
    pub(super) fn judge_near(&self, query: &DetectQuery<'_>, raw: &Said<'_>, report: &mut DetectorReport) {
        self.for_near(query, &mut Sweep::default(), |pair| {
            self.judge_bodies(query, raw, pair, ALL, report);
        });
    }

    /// Calls `look` with all pairs of bodies, by their places in the list, whose extents along the axis on which they are spread
    /// most overlap within their margins.
    pub(super) fn for_near(
        &self,
        query: &DetectQuery<'_>,
        sweep: &mut Sweep,
        mut look: impl FnMut((usize, usize)),
    ) {
        let Sweep { extents, order } = sweep;
        let axis = self.widest(query);
        extents.clear();
        extents.extend(self.shapes.owners.iter().map(|owner| {
            let x = self.shapes.pose(query.pose, owner.body)[axis];
            let reach = owner.reach + query.margin[owner.body as usize];
            (x - reach, x + reach)
        }));
        if order.len() != extents.len() {
            order.clear();
            order.extend(0..extents.len());
        }
        order.sort_unstable_by(|&i, &j| extents[i].0.total_cmp(&extents[j].0).then(i.cmp(&j)));
        for (at, &i) in order.iter().enumerate() {
            let overlaps = |&&j: &&usize| !(extents[j].0 > extents[i].1);
            order[at + 1..].iter().take_while(overlaps).for_each(|&j| look((i.min(j), i.max(j))));
        }
    }

    /// The axis along which the origins of bounded bodies are spread most.
    fn widest(&self, query: &DetectQuery<'_>) -> usize {
        let mut spread = [(f64::INFINITY, f64::NEG_INFINITY); 3];
        for owner in self.shapes.owners.iter().filter(|owner| owner.reach.is_finite()) {
            let pose = self.shapes.pose(query.pose, owner.body);
            for (extent, x) in spread.iter_mut().zip(&pose[..self.shapes.space.dim()]) {
                *extent = (extent.0.min(*x), extent.1.max(*x));
            }
        }
        let width = |k: &usize| spread[*k].1 - spread[*k].0;
        (0..3).fold(0, |best, k| if width(&k) > width(&best) { k } else { best })
    }

    /// Two bodies by their places in the list; whether shapes were measured. `round`: which pair of shapes, if several are
    /// near; the largest number: all.
    pub(super) fn judge_bodies(
        &self,
        query: &DetectQuery<'_>,
        raw: &Said<'_>,
        (i, j): (usize, usize),
        round: u64,
        report: &mut DetectorReport,
    ) -> bool {
        let (a, b) = (&self.shapes.owners[i], &self.shapes.owners[j]);
        let reach = active_distance(query, a.body, b.body);
        if !self.is_near(query, a, b) {
            return false;
        }
        let frames = [a, b].map(|owner| self.shapes.frame(query.pose, owner.body));
        let (count_a, count_b) = (u64::from(a.end - a.first), u64::from(b.end - b.first));
        let count = count_a * count_b;
        let mut measured = false;
        for k in (0..count).map(|k| if round == ALL { k } else { (k + round % count) % count }) {
            let shape = |first: u32, k: u64| self.shapes.order[first as usize + k as usize];
            let pair = [shape(a.first, k / count_b), shape(b.first, k % count_b)];
            measured |= self.judge_shapes(pair, &frames, reach, raw, report);
            if measured && round != ALL {
                break;
            }
        }
        measured
    }

    /// Returns true if two bodies may collide, and the balls around their origins are within their active distance.
    pub(super) fn is_near(&self, query: &DetectQuery<'_>, a: &Owner, b: &Owner) -> bool {
        let reach = active_distance(query, a.body, b.body);
        let near = self.between(query, a, b) <= (a.reach + b.reach + reach).powi(2);
        near && self.shapes.may_collide(a.body, b.body)
    }

    /// Returns true if no detector looks at a pair of shapes.
    pub(super) fn is_exempt(&self, s: u32, t: u32) -> bool {
        self.exempt.binary_search(&[s.min(t), s.max(t)]).is_ok()
    }

    /// Squared distance of the origins of two bodies, m².
    fn between(&self, query: &DetectQuery<'_>, a: &Owner, b: &Owner) -> f64 {
        let (p, q) = (self.shapes.pose(query.pose, a.body), self.shapes.pose(query.pose, b.body));
        (0..self.shapes.space.dim()).map(|k| (p[k] - q[k]).powi(2)).sum()
    }

    /// Two shapes and the frames of their bodies; whether their balls are near, so that they were measured.
    fn judge_shapes(
        &self,
        [s, t]: [u32; 2],
        frames: &[Frame; 2],
        reach: f64,
        raw: &Said<'_>,
        report: &mut DetectorReport,
    ) -> bool {
        let (Some(p), Some(q)) = (self.shapes.solid(s), self.shapes.solid(t)) else { return false };
        let (p, q) = (p.place(&frames[0]), q.place(&frames[1]));
        let near = !(self.is_exempt(s, t) || balls_apart(&p, &q) > reach);
        if near {
            self.measure([(s, &p), (t, &q)], reach, raw, report);
        }
        near
    }

    /// The shapes of contact i, near or not: what is reported of them is no closer than they are.
    pub(super) fn judge_claim(
        &self,
        query: &DetectQuery<'_>,
        raw: &Said<'_>,
        i: usize,
        report: &mut DetectorReport,
    ) {
        let (s, t) = (raw.key[i].shape_a, raw.key[i].shape_b);
        let (Some(p), Some(q)) = (self.shapes.solid(s), self.shapes.solid(t)) else { return };
        let placed = [p, q].map(|solid| solid.place(&self.shapes.frame(query.pose, solid.body)));
        let reach = active_distance(query, p.body, q.body);
        self.measure([(s, &placed[0]), (t, &placed[1])], reach, raw, report);
    }

    /// Holds what is reported of two placed shapes against their distance.
    fn measure(
        &self,
        [(s, p), (t, q)]: [(u32, &Placed<'_>); 2],
        reach: f64,
        raw: &Said<'_>,
        report: &mut DetectorReport,
    ) {
        report.pairs += 1;
        let (found, size) = (distance(p, q, reach), p.solid.size().min(q.solid.size()));
        let reported = self.reported(raw, s, t);
        let (distance, gap) = (found.upper, reported.gap);
        if gap == f64::INFINITY {
            return self.judge_missed([s, t], [p, q], (&found, reach), report);
        }
        let exact = p.solid.is_convex() && q.solid.is_convex();
        let alone = !self.joined[s as usize] && !self.joined[t as usize];
        let bare = self.bare([(s, p), (t, q)], raw, (&found, size, reach));
        if bare > 0.0 {
            offer(&mut report.bare, PairFault::new([s, t], [distance, gap, reach], bare));
        }
        // Points of the two shapes are that close, whatever their notches and siblings.
        let late = late(&found, &reported, reach);
        let wrong = if exact && alone {
            late.max(early(&found, &reported)).max(hidden(self.shapes.space, (p, q), &found, &reported))
        } else {
            late - SEAM * size
        };
        if wrong > SLACK * size {
            offer(&mut report.distance, PairFault::new([s, t], [distance, gap, reach], wrong / size));
        }
    }

    /// The detector's report on two shapes; of polygons with siblings, on their bodies.
    pub(super) fn reported(&self, raw: &Said<'_>, s: u32, t: u32) -> Reported {
        let joined = self.joined[s as usize] || self.joined[t as usize];
        let body = |shape: u32| self.shapes.solid(shape).map(|s| s.body);
        let same = |x: u32, y: u32| if joined { body(x) == body(y) } else { x == y };
        let mut reported = Reported { gap: f64::INFINITY, has_groups: false };
        for i in raw.between(self.bodies(s, t)) {
            let (a, b) = (raw.key[i].shape_a, raw.key[i].shape_b);
            if (same(a, s) && same(b, t)) || (same(a, t) && same(b, s)) {
                reported.has_groups |= raw.has_alternative(i);
                if raw.gap[i] < reported.gap && raw.is_most_open(i) {
                    reported.gap = raw.gap[i];
                }
            }
        }
        reported
    }

    /// Bodies of two shapes, the smaller number first; those of what no solid is made of come last.
    pub(super) fn bodies(&self, s: u32, t: u32) -> [u32; 2] {
        let body = |shape: u32| self.shapes.solid(shape).map_or(u32::MAX, |s| s.body);
        let (a, b) = (body(s), body(t));
        [a.min(b), a.max(b)]
    }

    /// Steps after which every pair of bodies has had its turn.
    pub fn steps_per_round(&self) -> u64 {
        let n = self.shapes.owners.len() as u64;
        (n * n.saturating_sub(1) / 2).div_ceil(WINDOW).max(1) * TURN
    }
}

/// Distance of two bodies below which their contacts are to be reported, m.
pub(super) fn active_distance(query: &DetectQuery<'_>, a: u32, b: u32) -> f64 {
    query.margin[a as usize] + query.margin[b as usize]
}

/// Distance of the balls around two shapes, m; over a half-space the height of the other's ball.
pub(super) fn balls_apart(p: &Placed<'_>, q: &Placed<'_>) -> f64 {
    let ((a, r), (b, s)) = (p.ball(), q.ball());
    match (p.height(&b), q.height(&a)) {
        (Some(height), _) => height - s,
        (_, Some(height)) => height - r,
        _ => (a - b).norm() - r - s,
    }
}

/// How much of the depth of two convex shapes in each other is not reported, m.
fn hidden(space: Space, (p, q): (&Placed<'_>, &Placed<'_>), found: &Gap, reported: &Reported) -> f64 {
    let shown = found.upper > 0.0 || reported.has_groups;
    if shown || p.solid.is_unbounded() || q.solid.is_unbounded() {
        return 0.0;
    }
    depth(p, q, space).map_or(0.0, |depth| depth * (1.0 - TILTED) + reported.gap)
}

/// How far the least gap is above the distance, m. Beyond the reach only the bound from below is looked for.
fn late(found: &Gap, reported: &Reported, reach: f64) -> f64 {
    if found.upper < reach { (reported.gap - found.upper).max(0.0) } else { 0.0 }
}

/// How far the least gap is below the distance, m.
fn early(found: &Gap, reported: &Reported) -> f64 {
    let known = found.lower > 0.0 || found.lower == found.upper;
    if !known || reported.has_groups {
        return 0.0;
    }
    (found.lower - reported.gap - TILTED * found.lower.abs()).max(0.0)
}
