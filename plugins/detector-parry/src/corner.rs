//! Alternatives at convex edges and corners of polytopes.
//!
//! Two convex bodies are apart iff a separating axis is open: s_g = min n_g·(b − a) ≥ 0 for a face g of one of them, or for a
//! crossing g of edges whose common normal lies in the normal cones of both. Contacts of one axis (a face on a face) must all
//! be open, of several axes one, so every contact gets an OR group of its own: itself, and of each other axis g the row of the
//! *support*, the lowest place of the other body over g (`axes.rs`). A group of supports that is open parts the bodies,
//! whichever axes it has; one that lacks an axis holds up motions that end apart (a wall where no body is).
//!
//! An axis takes part under three conditions. It can open in this step: s_g ≥ −reach. The body can pass there: an edge or end of
//! its feature is within `reach` of the contact. No force acts where no bodies meet: the support is within `reach` too. Not: axes with the contact's own
//! normal, and, up to 0.5 rad from it, those whose support changes in a turn as small (a body at rest on a face: one corner of the
//! other side must not stand in for the rest). Closest points (no pair of features with a normal of its own) stay in the group.
//!
//! Without turning nothing is let through that ends in an overlap. A turn by θ in the step moves a support by θ times the
//! distance of contact and support, both within reach: second order in the step. An edge along g that is longer than reach is
//! held at its supports only: there a turn lets its far end in by θ times its length, until the next step sees it.

use crate::axes::{Axis, Body, PolytopeContact};
use crate::feature;
use crate::manifold::{Point, Scale};
use crate::polytope::Polytope;
use vinci_detect::{Frame, Vec3};

/// Cosine of normals that are one: up to 5·10⁻⁵ rad.
const ALIKE: f64 = 1.0 - 1e-9;
/// Cosine of 0.5 rad, the turn that one step may bring.
const TURN: f64 = 0.878;

/// Buffers and the number of groups of a query.
#[derive(Debug, Default)]
pub(crate) struct CornerScratch {
    pub(crate) groups: u32,
    ties: Vec<Vec3>,
    rows: Vec<Point>,
}

/// Makes groups of the contacts `points` of two polytopes (frame of A, features of A first).
pub(crate) fn alternatives(
    (a, b): (&Polytope, &Polytope),
    b_in_a: &Frame,
    scale: &Scale,
    scratch: &mut CornerScratch,
    points: &mut Vec<Point>,
) {
    let own = Frame::default();
    let bodies = [Body { polytope: a, frame: &own }, Body { polytope: b, frame: b_in_a }];
    let found = points.len();
    for at in 0..found {
        let hit = points[at];
        let pair =
            PolytopeContact { bodies, on: [hit.on_a, hit.on_b], reach: scale.margin, merge: scale.merge };
        let CornerScratch { ties, rows, .. } = scratch;
        rows.clear();
        pair.axes(ties, &mut |axis| {
            if is_other(&hit, &axis) && rows.iter().all(|r| r.normal.dot(&axis.point.normal) < ALIKE) {
                rows.push(axis.point);
            }
        });
        join(at, scratch, points);
    }
}

/// Returns true if a contact stands for no pair of features with a normal of its own.
fn is_closest(hit: &Point) -> bool {
    matches!((hit.feature_a >> 30, hit.feature_b >> 30), (0, 1) | (1, 0) | (3, 3))
}

fn is_other(hit: &Point, axis: &Axis) -> bool {
    let same = if axis.sturdy || is_closest(hit) { ALIKE } else { TURN };
    hit.normal.dot(&axis.point.normal) < same
}

/// Makes the rows alternatives to contact `at`.
fn join(at: usize, scratch: &mut CornerScratch, points: &mut Vec<Point>) {
    let hit = points[at];
    for i in 0..scratch.rows.len() {
        let row = scratch.rows[i];
        let Some([feature_a, feature_b]) = name(&hit, &row, points) else { continue };
        if points[at].group == 0 {
            scratch.groups += 1;
            points[at].group = scratch.groups;
        }
        points.push(Point { feature_a, feature_b, group: points[at].group, ..row });
    }
}

/// A pair of features for `row` beside `hit` that no other point has.
fn name(hit: &Point, row: &Point, points: &[Point]) -> Option<[u32; 2]> {
    let free = |[a, b]: &[u32; 2]| points.iter().all(|p| (p.feature_a, p.feature_b) != (*a, *b));
    let tag = |other: u32| feature::ROUND | (8 + (other & !feature::ROUND));
    let kind = [row.feature_a >> 30, row.feature_b >> 30];
    let (a, b) = (hit.feature_a, hit.feature_b);
    let tries = match kind {
        [2, _] => [[row.feature_a, b], [row.feature_a, tag(a)]],
        [_, 2] => [[a, row.feature_b], [tag(b), row.feature_b]],
        _ => [[row.feature_a, row.feature_b], [row.feature_a, tag(b)]],
    };
    tries.into_iter().find(free)
}
