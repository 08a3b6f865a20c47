//! Pairs that a detector does not report, at every step: none of them may come within its active distance.
//!
//! A pair that was measured and found apart need not be measured again until its bodies have moved that far, whichever way.

use super::pairs::{Sweep, active_distance, balls_apart};
use super::{DetectorCheck, DetectorReport};
use crate::contact::RawContacts;
use crate::geometry::distance;
use crate::geometry::shapes::Owner;
use crate::model::Space;
use crate::stage::DetectQuery;

/// Distances of pairs known from earlier steps. They only save work: without them more pairs are measured, and the result is the same.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// Poses of the last look.
    poses: Vec<f64>,
    /// How far the points of each owner have moved in all, at most, m.
    travel: Vec<f64>,
    /// Pairs of owners that were found apart: their distance and what both had travelled by then, m. Sorted by pair.
    apart: Vec<([u32; 2], f64)>,
    /// Pairs of bodies with a contact, sorted.
    reported: Vec<[u32; 2]>,
    near: Vec<(usize, usize)>,
    sweep: Sweep,
}

impl Watch {
    /// Looks at all pairs that are near and not reported; what is missed goes into the report. `raw` fits the system.
    pub fn judge(
        &mut self,
        check: &DetectorCheck,
        query: &DetectQuery<'_>,
        raw: &RawContacts<'_>,
        report: &mut DetectorReport,
    ) {
        if !check.fits(query, raw) {
            return;
        }
        self.follow(check, query);
        self.note_reported(check, raw);
        let mut near = std::mem::take(&mut self.near);
        near.clear();
        check.for_near(query, &mut self.sweep, |pair| near.push(pair));
        for &(i, j) in &near {
            self.judge_pair(check, query, [i, j], report);
        }
        self.near = near;
    }

    /// Adds up how far points have moved since the last look.
    fn follow(&mut self, check: &DetectorCheck, query: &DetectQuery<'_>) {
        let (shapes, owners) = (&check.shapes, &check.shapes.owners);
        if self.poses.len() == query.pose.len() {
            for (travel, owner) in self.travel.iter_mut().zip(owners) {
                let [from, to] = [&self.poses, query.pose].map(|poses| shapes.pose(poses, owner.body));
                *travel += moved(shapes.space, from, to, owner.reach);
            }
        } else {
            self.travel.clear();
            self.travel.resize(owners.len(), 0.0);
            self.apart.clear();
        }
        self.poses.clear();
        self.poses.extend_from_slice(query.pose);
    }

    fn note_reported(&mut self, check: &DetectorCheck, raw: &RawContacts<'_>) {
        let body = |shape: u32| check.shapes.solid(shape).map_or(u32::MAX, |solid| solid.body);
        self.reported.clear();
        self.reported.extend(raw.key.iter().map(|key| {
            let (a, b) = (body(key.shape_a), body(key.shape_b));
            [a.min(b), a.max(b)]
        }));
        self.reported.sort_unstable();
        self.reported.dedup();
    }

    fn judge_pair(
        &mut self,
        check: &DetectorCheck,
        query: &DetectQuery<'_>,
        pair: [usize; 2],
        report: &mut DetectorReport,
    ) {
        let [a, b] = pair.map(|at| &check.shapes.owners[at]);
        let bodies = [a.body.min(b.body), a.body.max(b.body)];
        if !check.is_near(query, a, b) || self.reported.binary_search(&bodies).is_ok() {
            return;
        }
        let reach = active_distance(query, a.body, b.body);
        let travelled = self.travel[pair[0]] + self.travel[pair[1]];
        let key = pair.map(|at| at as u32);
        let place = self.apart.binary_search_by_key(&key, |(known, _)| *known);
        if place.is_ok_and(|at| self.apart[at].1 > travelled + reach) {
            return;
        }
        let apart = look(check, query, [a, b], reach, report) + travelled;
        match place {
            Ok(at) => self.apart[at].1 = apart,
            Err(at) => self.apart.insert(at, (key, apart)),
        }
    }
}

/// Measures the shapes of two bodies without a contact: a lower bound of their distance, m.
fn look(
    check: &DetectorCheck,
    query: &DetectQuery<'_>,
    [a, b]: [&Owner; 2],
    reach: f64,
    report: &mut DetectorReport,
) -> f64 {
    let frames = [a, b].map(|owner| check.shapes.frame(query.pose, owner.body));
    let shapes = |owner: &Owner| &check.shapes.order[owner.first as usize..owner.end as usize];
    let mut least = f64::INFINITY;
    for (&s, &t) in shapes(a).iter().flat_map(|s| shapes(b).iter().map(move |t| (s, t))) {
        let (Some(p), Some(q)) = (check.shapes.solid(s), check.shapes.solid(t)) else { continue };
        if check.is_exempt(s, t) {
            continue;
        }
        let (p, q) = (p.place(&frames[0]), q.place(&frames[1]));
        let apart = balls_apart(&p, &q);
        if apart > reach {
            least = least.min(apart);
            continue;
        }
        let found = distance(&p, &q, f64::INFINITY);
        least = least.min(found.lower);
        check.judge_missed([s, t], [&p, &q], (&found, reach), report);
    }
    least
}

/// How far a point within `reach` of a body's origin moves at most between two poses, m.
fn moved(space: Space, from: &[f64], to: &[f64], reach: f64) -> f64 {
    if from == to {
        return 0.0;
    }
    let length = |range: std::ops::Range<usize>, sign: f64| {
        range.map(|k| (to[k] - sign * from[k]).powi(2)).sum::<f64>().sqrt()
    };
    let angle = match space {
        Space::Planar => (to[2] - from[2]).abs(),
        // |q⁺ − q| = 2 sin(angle/4), of the nearer of ±q.
        Space::Spatial => 4.0 * (0.5 * length(3..7, 1.0).min(length(3..7, -1.0))).min(1.0).asin(),
    };
    length(0..space.dim(), 1.0) + angle * reach
}
