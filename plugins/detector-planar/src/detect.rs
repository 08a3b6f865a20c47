//! The call: move, find pairs, collide each, report.

use vinci_sdk::prelude::*;

use crate::PlanarDetector;
use crate::concave;
use crate::config::Corners;
use crate::convex::{self, Limits};
use crate::corner;
use crate::hit::{Hit, Hits, Side};
use crate::plane;
use crate::store::{Sort, Store};
use crate::vec2::V2;

/// Contacts as they leave the detector.
#[derive(Debug, Default)]
pub(crate) struct Output {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    point_a: Vec<f64>,
    point_b: Vec<f64>,
    group: Vec<u32>,
    /// OR groups given out so far.
    groups: u32,
}

impl Output {
    fn clear(&mut self) {
        self.key.clear();
        self.group.clear();
        self.groups = 0;
        for v in [&mut self.gap, &mut self.normal, &mut self.point_a, &mut self.point_b] {
            v.clear();
        }
    }

    /// Whether siblings of the shapes at hand have reported this very contact: a corner on a seam.
    fn repeats(&self, h: &Hit, bodies: (u32, u32), store: &Store, tolerance: f64) -> bool {
        let body = |shape: u32| store.records[shape as usize].body;
        let at = |v: &[f64], i: usize| V2::new(v[3 * i], v[3 * i + 1]);
        (0..self.key.len()).any(|i| {
            let k = &self.key[i];
            (body(k.shape_a), body(k.shape_b)) == bodies
                && h.is_at(at(&self.point_a, i), at(&self.point_b, i), at(&self.normal, i), tolerance)
        })
    }

    /// Takes down the contacts of a pair.
    fn take(&mut self, pair: (u32, u32), hits: &Hits) {
        let put = |v: &mut Vec<f64>, p: V2| v.extend_from_slice(&[p.x, p.y, 0.0]);
        for h in &hits.0 {
            self.key.push(ContactKey {
                shape_a: pair.0,
                shape_b: pair.1,
                feature_a: h.feature_a,
                feature_b: h.feature_b,
            });
            self.gap.push(h.gap);
            put(&mut self.normal, h.normal);
            put(&mut self.point_a, h.a);
            put(&mut self.point_b, h.b);
            self.group.push(h.group);
        }
    }
}

impl Detector for PlanarDetector {
    fn detect<'s>(&'s mut self, query: &DetectQuery<'_>) -> Result<RawContacts<'s>, StageError> {
        self.check(query)?;
        self.store.update(query.pose);
        self.broad.find(&self.store, query.margin, &self.filter);
        self.output.clear();
        for i in 0..self.broad.pairs.len() {
            self.collide(self.broad.pairs[i], query.margin);
        }
        let o = &self.output;
        Ok(RawContacts {
            key: &o.key,
            gap: &o.gap,
            normal: &o.normal,
            point_a: &o.point_a,
            point_b: &o.point_b,
            group: if o.groups == 0 { &[] } else { &o.group },
        })
    }
}

impl PlanarDetector {
    /// One pair of shapes, the lower index first.
    fn collide(&mut self, pair: (u32, u32), margin: &[f64]) {
        let (a, b) = (pair.0 as usize, pair.1 as usize);
        let (ra, rb) = (&self.store.records[a], &self.store.records[b]);
        let limits = Limits {
            reach: margin[ra.body as usize] + margin[rb.body as usize] + ra.radius + rb.radius,
            tolerance: self.merge_tolerance * ra.size.min(rb.size),
            slack: self.slack.0,
            slack_cos: self.slack.1,
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
        if self.corners == Corners::Or && ra.radius == 0.0 && rb.radius == 0.0 {
            corner::alternatives(&core_a, &core_b, &limits, &mut self.output.groups, hits);
        }
        hits.grow(ra.radius, rb.radius);
        if ra.joined || rb.joined {
            let output = &self.output;
            let bodies = (ra.body, rb.body);
            hits.0.retain(|h| !output.repeats(h, bodies, &self.store, limits.tolerance));
        }
        self.output.take(pair, hits);
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
