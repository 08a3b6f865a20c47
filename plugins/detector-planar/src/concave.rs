//! Pairs with at least one non-convex polygon: features of the boundaries, vertex by vertex.
//!
//! A convex vertex v of P against the boundary of Q:
//! - edges it stands in front of (d > 0), in sight, project-and-face as usual. In a notch these are several, and all bind at
//!   once: free space is locally the intersection of the half-planes. An edge that ends in a notch therefore counts a little
//!   beyond that end;
//! - the edge it has come through (d ≤ 0): the nearest one it faces, if v lies in Q or the foot of v lies in P; with its
//!   neighbours across a notch when v is that close to the notch.
//!
//! Reflex vertices touch nothing: whatever reaches them touches their two edges first.

use crate::convex::Limits;
use crate::hit::{Hits, Side};
use crate::near::{Near, contains, in_sight};
use crate::store::{Core, Turn};
use crate::vec2::V2;

/// The edge a vertex has come through.
#[derive(Debug, Clone, Copy)]
struct Entry {
    edge: usize,
    /// Distance of the vertex from the edge (as a segment), m.
    away: f64,
    /// How squarely the vertex faces it; decides between edges at the same distance.
    square: f64,
}

/// All contacts of two cores, at least one of them non-convex.
pub(crate) fn collide(a: &Core<'_>, b: &Core<'_>, limits: &Limits, near: &mut Near, hits: &mut Hits) {
    near.select(a, b, limits.reach);
    for i in 0..near.vertices_a.len() {
        let v = near.vertices_a[i] as usize;
        let free = Vertex { p: a, v, q: b, side: Side::A, limits }.collide(&near.edges_b, hits);
        if free {
            near.free_a.push(v as u32);
        }
    }
    for i in 0..near.vertices_b.len() {
        let v = near.vertices_b[i] as usize;
        let free = Vertex { p: b, v, q: a, side: Side::B, limits }.collide(&near.edges_a, hits);
        if free {
            near.free_b.push(v as u32);
        }
    }
    corners(a, b, limits.reach, near, hits);
    if !hits.0.iter().any(|h| h.gap < -limits.tolerance) {
        crossing(a, b, limits, near, hits);
    }
}

/// A convex vertex `v` of `p` against the boundary of `q`.
struct Vertex<'a> {
    p: &'a Core<'a>,
    v: usize,
    q: &'a Core<'a>,
    side: Side,
    limits: &'a Limits,
}

impl Vertex<'_> {
    /// Reports its vertex-edge contacts; whether there are none and it lies outside.
    fn collide(&self, edges: &[u32], hits: &mut Hits) -> bool {
        let before = hits.0.len();
        let inside = contains(self.q, self.at());
        // Inside, the way out may lie beyond the boxes' overlap.
        let entry =
            if inside { self.entry(0..self.q.edges(), true) } else { self.entry(indices(edges), false) };
        let depth = entry.map_or(0.0, |e| e.away);
        if let Some(entry) = entry {
            self.report(entry.edge, hits);
            self.across_notches(entry, hits);
        }
        for e in indices(edges) {
            let d = self.q.height(e, self.at());
            if d > self.limits.tolerance
                && d <= self.limits.reach
                && self.admits(e, self.limits.reach + depth)
                && self.sees(e, entry.map(|e| e.edge))
            {
                self.report(e, hits);
            }
        }
        hits.0.len() == before && !inside
    }

    fn at(&self) -> V2 {
        self.p.x[self.v]
    }

    fn report(&self, e: usize, hits: &mut Hits) {
        let d = self.q.height(e, self.at());
        hits.vertex_edge(self.side, self.v, self.at(), e, self.q.n[e], d);
    }

    /// Whether the vertex projects into edge `e`, up to `extension` beyond an end in a notch, and faces it.
    fn admits(&self, e: usize, extension: f64) -> bool {
        let t = self.q.along(e, self.at());
        let slack = |end: usize| {
            let more = if self.q.turn[end] == Turn::Reflex { extension } else { 0.0 };
            self.limits.tolerance + more
        };
        t >= -slack(e)
            && t <= self.q.len[e] + slack(self.q.after(e))
            && self.p.faces(self.v, self.q.n[e], self.limits.slack)
    }

    /// The point of edge `e` (as a segment) nearest to the vertex.
    fn foot(&self, e: usize) -> V2 {
        let t = self.q.along(e, self.at()).clamp(0.0, self.q.len[e]);
        self.q.x[e] + self.q.n[e].left() * t
    }

    /// Whether nothing of either boundary stands between the vertex and edge `e` before it; `through` is no obstacle.
    fn sees(&self, e: usize, through: Option<usize>) -> bool {
        let (from, to, q) = (self.at(), self.foot(e), self.q);
        let (left, right) = (q.before(e), q.after(e));
        let notch = |g: usize| {
            (g == left && q.turn[e] == Turn::Reflex) || (g == right && q.turn[right] == Turn::Reflex)
        };
        in_sight(q, from, to, self.limits.tolerance, |g| g == e || Some(g) == through || notch(g))
            && self.own_way_is_free(to)
    }

    /// Whether the way from the vertex to `to` crosses none of the vertex's own boundary.
    fn own_way_is_free(&self, to: V2) -> bool {
        let (v, last) = (self.v, self.p.before(self.v));
        in_sight(self.p, self.at(), to, self.limits.tolerance, |g| g == v || g == last)
    }

    /// The edge the vertex has come through, touching included.
    fn entry(&self, edges: impl Iterator<Item = usize>, inside: bool) -> Option<Entry> {
        let mut best: Option<Entry> = None;
        for e in edges {
            let d = self.q.height(e, self.at());
            if d > self.limits.tolerance || !self.admits(e, self.limits.reach - d) {
                continue;
            }
            let away = (self.foot(e) - self.at()).norm();
            let mean = self.p.n[self.v] + self.p.n[self.p.before(self.v)];
            let found = Entry { edge: e, away, square: -mean.dot(self.q.n[e]) };
            if best.is_none_or(|b| self.beats(&found, &b)) && self.came_through(e, d, inside) {
                best = Some(found);
            }
        }
        best
    }

    fn beats(&self, new: &Entry, old: &Entry) -> bool {
        let tolerance = self.limits.tolerance;
        new.away < old.away - tolerance
            || (new.away <= old.away + tolerance && new.square > old.square + 1e-9)
    }

    /// Whether the overlap at edge `e` is one with this vertex.
    fn came_through(&self, e: usize, d: f64, inside: bool) -> bool {
        let foot = self.foot(e);
        if inside {
            return in_sight(self.q, self.at(), foot, self.limits.tolerance, |g| g == e);
        }
        // Touching, or a thin Q with P on both of its sides.
        d >= -self.limits.tolerance || (contains(self.p, foot) && self.own_way_is_free(foot))
    }

    /// The neighbours of the entry edge across a notch that the vertex has come through as well.
    fn across_notches(&self, entry: Entry, hits: &mut Hits) {
        let q = self.q;
        let close = self.limits.reach + 2.0 * entry.away + self.limits.tolerance;
        for (corner, e) in [(entry.edge, q.before(entry.edge)), (q.after(entry.edge), q.after(entry.edge))] {
            if q.turn[corner] == Turn::Reflex
                && (q.x[corner] - self.at()).norm2() <= close * close
                && q.height(e, self.at()) <= self.limits.tolerance
                && self.admits(e, close)
            {
                self.report(e, hits);
            }
        }
    }
}

fn indices(list: &[u32]) -> impl Iterator<Item = usize> + '_ {
    list.iter().map(|e| *e as usize)
}

/// Convex vertices in each other's wedge and in sight.
fn corners(a: &Core<'_>, b: &Core<'_>, reach: f64, near: &Near, hits: &mut Hits) {
    for i in indices(&near.free_a) {
        for j in indices(&near.free_b) {
            let (v, w) = (a.x[i], b.x[j]);
            let close = (w - v).norm2() <= reach * reach && a.beyond(i, w) && b.beyond(j, v);
            let (before_i, before_j) = (a.before(i), b.before(j));
            if close
                && in_sight(a, v, w, 0.0, |g| g == i || g == before_i)
                && in_sight(b, v, w, 0.0, |g| g == j || g == before_j)
            {
                hits.vertex_vertex(i, v, j, w);
            }
        }
    }
}

/// Boundaries that cross although no vertex has come through anything: bars laid across each other. The shallowest end of
/// a crossing edge against the edge it crosses.
fn crossing(a: &Core<'_>, b: &Core<'_>, limits: &Limits, near: &Near, hits: &mut Hits) {
    let mut best: Option<(f64, Side, usize, usize)> = None;
    for i in indices(&near.edges_a) {
        for j in indices(&near.edges_b) {
            let ends = [(a, i, b, j, Side::A), (b, j, a, i, Side::B)];
            if !ends.iter().all(|(p, i, q, j, _)| straddles(p, *i, q, *j, limits.tolerance)) {
                continue;
            }
            for (p, i, q, j, side) in ends {
                for v in [i, p.after(i)] {
                    let d = q.height(j, p.x[v]);
                    if d < 0.0 && best.is_none_or(|b| d > b.0) {
                        best = Some((d, side, v, j));
                    }
                }
            }
        }
    }
    if let Some((d, side, v, e)) = best {
        let (p, q) = if side == Side::A { (a, b) } else { (b, a) };
        hits.vertex_edge(side, v, p.x[v], e, q.n[e], d);
    }
}

/// Whether the ends of edge `i` of `p` lie on different sides of edge `j` of `q`, clearly.
fn straddles(p: &Core<'_>, i: usize, q: &Core<'_>, j: usize, tolerance: f64) -> bool {
    let (s, t) = (q.height(j, p.x[i]), q.height(j, p.x[p.after(i)]));
    s.min(t) < -tolerance && s.max(t) > tolerance
}
