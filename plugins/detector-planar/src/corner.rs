//! Alternatives at convex corners.
//!
//! Near a convex corner c of Q free space is a union: a vertex v of P may lie beyond one edge of c or beyond the other. A step
//! that can take v past c (|along e| ≤ reach) therefore gets both edges as an OR group, where nearest features would give one
//! row, and with it the line of an edge beyond the edge's end. An edge that v does not *face* is left out, unless all of P may
//! leap past c in the step; then the vertex that is last to pass stands in for v: v beyond c alone, with the rest of P still before it, is the business of c against the edges of P
//! (until v has passed, the line of e holds P in their place). At notches nothing changes: free space is an intersection.
//!
//! Two corners v and c in each other's wedge must each stay out of the other's: one group for v (edges of c), one for c (edges
//! of v). Where only some edges are faced, the axes that part the two wedges are one edge of each body: one group of those.

use crate::convex::Limits;
use crate::hit::{Hit, Hits, Side, edge_id, vertex_id};
use crate::store::{Core, Cover, Sort, Turn};
use crate::vec2::V2;
use vinci_detect::Report;

/// Sine of the rotation within which an edge parts two corners, where the rotation of a step would admit too many.
const EXACT: f64 = 1e-9;

/// A vertex of one core against a corner of the other.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    p: &'a Core<'a>,
    v: usize,
    q: &'a Core<'a>,
    corner: usize,
    side: Side,
}

impl<'a> Meeting<'a> {
    /// The edges of the corner that are free and that the vertex faces.
    fn faced(self, slack: f64) -> impl Iterator<Item = usize> + 'a {
        let Meeting { p, v, q, corner, .. } = self;
        let free = move |e: &usize| q.cover[*e] == Cover::Free && p.faces(v, q.n[*e], slack);
        [q.before(corner), corner].into_iter().filter(free)
    }

    /// Whether all of P may pass the corner from before edge `e` to before edge `next` (free) in this step.
    fn leaps(self, e: usize, next: usize, reach: f64) -> bool {
        let Meeting { p, q, corner, .. } = self;
        let end = q.along(e, q.x[corner]);
        q.cover[next] == Cover::Free && p.x.iter().all(|x| (q.along(e, *x) - end).abs() <= reach)
    }

    /// The place of the vertex of P that is last to pass edge e.
    fn last(self, e: usize) -> V2 {
        let lower = |l: V2, x: &V2| if self.q.height(e, *x) < self.q.height(e, l) { *x } else { l };
        self.p.x.iter().fold(self.p.x[self.v], lower)
    }

    /// Takes down the vertex before edge `e`.
    fn add(self, e: usize, group: u32, hits: &mut Hits) {
        self.add_at(self.p.x[self.v], e, group, hits);
    }

    /// The same with the place `x` of another vertex, in the name of this one.
    fn add_at(self, x: V2, e: usize, group: u32, hits: &mut Hits) {
        let n = self.q.n[e];
        hits.vertex_edge(self.side, self.v, x, e, n, self.q.height(e, x));
        if let Some(last) = hits.0.last_mut() {
            last.group = group;
        }
    }

    fn is_there(self, e: usize, hits: &Hits) -> bool {
        let (v, e) = (vertex_id(self.v), edge_id(e));
        let (a, b) = if self.side == Side::A { (v, e) } else { (e, v) };
        hits.0.iter().any(|h| (h.feature_a, h.feature_b) == (a, b))
    }
}

/// Makes groups of the hits of a pair, with numbers that `report` gives.
pub(crate) fn alternatives(
    a: &Core<'_>,
    b: &Core<'_>,
    limits: &Limits,
    report: &mut Report,
    hits: &mut Hits,
) {
    let found = hits.0.len();
    for at in 0..found {
        let h = hits.0[at];
        match (h.feature_a % 2, h.feature_b % 2) {
            (0, 1) => edge_ends((a, h.feature_a), (b, h.feature_b), Side::A, at, limits, report, hits),
            (1, 0) => edge_ends((b, h.feature_b), (a, h.feature_a), Side::B, at, limits, report, hits),
            _ => {}
        }
    }
    if is_polygon(a) && is_polygon(b) {
        for at in (0..found).rev() {
            let h = hits.0[at];
            if (h.feature_a | h.feature_b) & 1 == 0 && two_corners(a, b, &h, limits, report, hits) {
                hits.0.remove(at);
            }
        }
    }
    hits.0.sort_unstable_by_key(|h| (h.feature_a, h.feature_b));
}

fn is_polygon(c: &Core<'_>) -> bool {
    matches!(c.sort, Sort::Convex | Sort::Concave)
}

/// A vertex before an edge, near enough to its ends to pass them: the edges behind those as alternatives.
fn edge_ends(
    (p, v): (&Core<'_>, u32),
    (q, e): (&Core<'_>, u32),
    side: Side,
    at: usize,
    limits: &Limits,
    report: &mut Report,
    hits: &mut Hits,
) {
    let (v, e) = (v as usize / 2, e as usize / 2);
    if !is_polygon(q) {
        return;
    }
    let t = q.along(e, p.x[v]);
    for (corner, next, left) in [(e, q.before(e), t), (q.after(e), q.after(e), q.len[e] - t)] {
        let meeting = Meeting { p, v, q, corner, side };
        let passes = left <= limits.reach && q.turn[corner] == Turn::Convex;
        if !passes || meeting.is_there(next, hits) {
            continue;
        }
        let faced = meeting.faced(limits.slack).any(|f| f == next);
        if !faced && !meeting.leaps(e, next, limits.reach) {
            continue;
        }
        if hits.0[at].group == 0 {
            hits.0[at].group = report.new_group();
        }
        let x = if faced { p.x[v] } else { meeting.last(next) };
        meeting.add_at(x, next, hits.0[at].group, hits);
    }
}

/// Two corners in each other's wedge: rows in place of their contact `h`, if there are any.
fn two_corners(
    a: &Core<'_>,
    b: &Core<'_>,
    h: &Hit,
    limits: &Limits,
    report: &mut Report,
    hits: &mut Hits,
) -> bool {
    let (i, j) = (h.feature_a as usize / 2, h.feature_b as usize / 2);
    let of_a = Meeting { p: a, v: i, q: b, corner: j, side: Side::A };
    let of_b = Meeting { p: b, v: j, q: a, corner: i, side: Side::B };
    let count = |slack: f64| (of_a.faced(slack).count(), of_b.faced(slack).count());
    let each = count(limits.slack) == (2, 2);
    let slack = if each { limits.slack } else { EXACT };
    let (n_a, n_b) = count(slack);
    let taken = |m: &Meeting<'_>, hits: &Hits| m.faced(slack).any(|e| m.is_there(e, hits));
    if n_a + n_b < 2 || taken(&of_a, hits) || taken(&of_b, hits) {
        return false;
    }
    let group = report.new_group();
    for e in of_a.faced(slack) {
        of_a.add(e, group, hits);
    }
    let group = if each { report.new_group() } else { group };
    for e in of_b.faced(slack) {
        of_b.add(e, group, hits);
    }
    true
}
