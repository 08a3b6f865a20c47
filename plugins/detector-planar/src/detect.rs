//! The call: move, find pairs, collide each, report.

use vinci_detect::Vec3;
use vinci_sdk::prelude::*;

use crate::boundary::Sort;
use crate::config::PolygonCorners;
use crate::convex::{self, Limits};
use crate::hit::{Hit, Side};
use crate::store::{Record, Store};
use crate::vec2::V2;
use crate::{PlanarDetector, concave, corner, plane};

/// Returns true if siblings of the shapes at hand have reported this very contact of these bodies: a corner on a seam.
fn repeats(h: &Hit, so_far: &RawContacts<'_>, bodies: (u32, u32), store: &Store, tolerance: f64) -> bool {
    let body = |shape: u32| store.records[shape as usize].body;
    let at = |v: &[f64], i: usize| V2::new(v[3 * i], v[3 * i + 1]);
    so_far.key.iter().enumerate().any(|(i, k)| {
        (body(k.shape_a), body(k.shape_b)) == bodies
            && h.is_at(at(so_far.point_a, i), at(so_far.point_b, i), at(so_far.normal, i), tolerance)
    })
}

impl Detector for PlanarDetector {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.check(query)?;
        self.store.update(query.pose);
        self.broad.find(&self.store, query.margin, &self.filter);
        self.report.clear();
        for i in 0..self.broad.pairs.len() {
            self.collide(self.broad.pairs[i], query.margin);
        }
        Ok(self.report.view())
    }
}

impl PlanarDetector {
    /// One pair of shapes, the lower index first.
    fn collide(&mut self, pair: (u32, u32), margin: &[f64]) {
        let (a, b) = (pair.0 as usize, pair.1 as usize);
        let (ra, rb) = (&self.store.records[a], &self.store.records[b]);
        // Farthest vertex from any origin: at least half the diameter, and that 1/√2 of the size.
        let turn = |r: &Record| 8.0_f64.sqrt() * margin[r.body as usize] / r.size;
        let turn = (turn(ra) + turn(rb)).min(self.slack.0);
        let reach = margin[ra.body as usize] + margin[rb.body as usize] + ra.radius + rb.radius;
        let size = ra.size.min(rb.size);
        let limits = Limits {
            reach,
            tolerance: self.merge_tolerance * size,
            slack: self.slack.0,
            slack_cos: self.slack.1,
            turn,
            flat: corner::flat(turn, size, reach),
        };
        let (core_a, core_b) = (self.store.core(a), self.store.core(b));
        let hits = &mut self.hits;
        hits.0.clear();
        match (ra.sort, rb.sort) {
            (Sort::Plane, _) => plane::collide(&core_b, &core_a, Side::B, &limits, hits),
            (_, Sort::Plane) => plane::collide(&core_a, &core_b, Side::A, &limits, hits),
            (Sort::Concave, _) | (_, Sort::Concave) => {
                concave::collide(&core_a, &core_b, &limits, &mut self.near, hits)
            }
            _ => convex::collide(&core_a, &core_b, &limits, &mut self.scratch, hits),
        }
        hits.settle(limits.tolerance);
        if self.corners == PolygonCorners::Or && ra.radius == 0.0 && rb.radius == 0.0 {
            corner::alternatives(&core_a, &core_b, &limits, &mut self.axes, &mut self.report, hits);
        }
        hits.grow(ra.radius, rb.radius);
        if ra.joined || rb.joined {
            let (so_far, bodies) = (self.report.view(), (ra.body, rb.body));
            hits.0.retain(|h| !repeats(h, &so_far, bodies, &self.store, limits.tolerance));
        }
        let spatial = |x: V2| Vec3::new(x.x, x.y, 0.0);
        for h in &hits.0 {
            let points = [h.normal, h.a, h.b].map(spatial);
            self.report.push(pair.into(), [h.feature_a, h.feature_b], h.gap, points, h.group);
        }
    }

    /// Refuses input of the wrong length or not finite.
    fn check(&self, query: &DetectQuery<'_>) -> Result<(), StageError> {
        let n = self.names.len();
        if query.pose.len() != 3 * n || query.margin.len() != n {
            return Err(StageError::bad_input(format!(
                "{n} bodies need {} pose coordinates and {n} margins, not {} and {}",
                3 * n,
                query.pose.len(),
                query.margin.len()
            )));
        }
        if let Some(i) = query.pose.iter().position(|x| !x.is_finite()) {
            let (body, which) = (&self.names[i / 3], ["x", "y", "angle"][i % 3]);
            let found = query.pose[i];
            return Err(StageError::new(
                ErrorKind::NonFinite,
                format!("{which} of body `{body}` is {found}"),
            ));
        }
        if let Some(i) = query.margin.iter().position(|m| !(m.is_finite() && *m >= 0.0)) {
            let (body, found) = (&self.names[i], query.margin[i]);
            return Err(StageError::bad_input(format!(
                "the margin of body `{body}` is {found}; give a finite length of at least 0"
            )));
        }
        Ok(())
    }
}
