//! Pairs with at least one polygon that is not convex, or joined to siblings: features of the boundaries, vertex by vertex.
//!
//! A convex vertex v of P against the boundary of Q:
//! - edges it stands in front of (d > 0), in sight, project-and-face as usual. In a notch these are several, and all bind at
//!   once: free space is locally the intersection of the half-planes. An edge that ends in a notch therefore counts a little
//!   beyond that end;
//! - the edge it has come through (d ≤ 0): the nearest one it faces, if v lies in Q (or Q is a stick, which holds nothing, and
//!   the foot of v lies in P); with its neighbours across a notch when v is that close to the notch.
//!
//! Reflex vertices touch nothing: whatever reaches them touches their two edges first.

use crate::boundary::{Cover, Sort, Turn};
use crate::convex::Limits;
use crate::hit::{Hit, Hits, Side, edge_id, vertex_id};
use crate::near::{Near, contains, in_sight, on_seam};
use crate::store::Core;
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

/// How a vertex that is behind an edge came there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    /// It lies in Q.
    Inside,
    /// It touches the edge.
    Near,
    /// It touches the edge, or has passed all of Q, so that the edge lies in P.
    Across,
}

/// All contacts of two cores, at least one of them non-convex.
pub(crate) fn collide(a: &Core<'_>, b: &Core<'_>, limits: &Limits, near: &mut Near, hits: &mut Hits) {
    near.select(a, b, limits.reach);
    for i in 0..near.vertices_a.len() {
        let v = near.vertices_a[i] as usize;
        if (Vertex { p: a, v, q: b, side: Side::A, limits }).collide(&near.edges_b, hits) {
            near.free_a.push(v as u32);
        }
    }
    for i in 0..near.vertices_b.len() {
        let v = near.vertices_b[i] as usize;
        if (Vertex { p: b, v, q: a, side: Side::B, limits }).collide(&near.edges_a, hits) {
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
    /// Reports its vertex-edge contacts; whether it lies outside.
    fn collide(&self, edges: &[u32], hits: &mut Hits) -> bool {
        let inside = contains(self.q, self.at()) || on_seam(self.q, self.at(), self.limits.tolerance);
        // From inside, the way out may lie beyond the overlap of the boxes.
        if inside {
            self.from(inside, || 0..self.q.edges(), hits)
        } else {
            self.from(inside, || indices(edges), hits)
        }
        !inside
    }

    /// Reports the contacts with those of `edges` that it touches, has come through or stands before.
    fn from<I: Iterator<Item = usize>>(&self, inside: bool, edges: impl Fn() -> I, hits: &mut Hits) {
        let entry = match (inside, self.q.sort) {
            (true, _) => self.entry(edges(), Through::Inside),
            (false, Sort::Stick) => self.entry(0..2, Through::Across),
            (false, _) => self.entry(edges(), Through::Near),
        };
        let close = self.limits.reach + entry.map_or(0.0, |e| e.away);
        if let Some(entry) = entry {
            self.report(entry.edge, hits);
            self.across_notches(entry, hits);
        }
        for e in edges() {
            let d = self.q.height(e, self.at());
            if d > self.limits.tolerance
                && d <= self.limits.reach
                && self.admits(e, close)
                && (self.foot(e) - self.at()).norm2() <= close * close
                && self.sees(e, entry.map(|e| e.edge))
            {
                self.report(e, hits);
            }
        }
    }

    /// Height up to which the vertex touches an edge rather than stands before it, m.
    fn touching(&self) -> f64 {
        self.limits.tolerance.min(self.limits.reach)
    }

    fn at(&self) -> V2 {
        self.p.x[self.v]
    }

    /// Takes down the contact with edge `e`, unless a sibling does.
    fn report(&self, e: usize, hits: &mut Hits) {
        if self.q.cover[e] == Cover::Shared {
            return;
        }
        let d = self.q.height(e, self.at());
        hits.vertex_edge(self.side, self.v, self.at(), e, self.q.n[e], d);
    }

    /// Returns true if edge `e` is one that the vertex may meet. The vertex faces the edge, and no sibling covers it. It projects into the edge,
    /// or it lies up to `extension` beyond an end in a notch, and there before the edge on the other side of the notch. The line
    /// of that other edge is then the nearer one.
    fn admits(&self, e: usize, extension: f64) -> bool {
        let (q, x, tolerance) = (self.q, self.at(), self.limits.tolerance);
        let (left, right) = (q.before(e), q.after(e));
        let over = q.along(e, x) - q.len[e];
        let under = -q.along(e, x);
        let projects = if under > tolerance {
            under <= extension && q.turn[e] == Turn::Reflex && q.along(left, x) >= -tolerance
        } else if over > tolerance {
            over <= extension
                && q.turn[right] == Turn::Reflex
                && q.along(right, x) <= q.len[right] + tolerance
        } else {
            true
        };
        projects && q.cover[e] != Cover::Covered && self.p.faces(self.v, q.n[e], self.limits.slack)
    }

    /// The point of edge `e` (as a segment) nearest to the vertex.
    fn foot(&self, e: usize) -> V2 {
        let t = self.q.along(e, self.at()).clamp(0.0, self.q.len[e]);
        self.q.x[e] + self.q.n[e].left() * t
    }

    /// Returns true if nothing of either boundary stands between the vertex and edge `e` before it; `through` is no obstacle.
    fn sees(&self, e: usize, through: Option<usize>) -> bool {
        let (from, to, q) = (self.at(), self.foot(e), self.q);
        let (left, right) = (q.before(e), q.after(e));
        let notch = |g: usize| {
            (g == left && q.turn[e] == Turn::Reflex) || (g == right && q.turn[right] == Turn::Reflex)
        };
        in_sight(q, from, to, self.limits.tolerance, |g| g == e || Some(g) == through || notch(g))
            && self.own_way_is_free(to)
    }

    /// Returns true if the way from the vertex to `to` crosses none of the vertex's own boundary.
    fn own_way_is_free(&self, to: V2) -> bool {
        let (v, last) = (self.v, self.p.before(self.v));
        in_sight(self.p, self.at(), to, self.limits.tolerance, |g| g == v || g == last)
    }

    /// The edge the vertex has come through, touching included.
    fn entry(&self, edges: impl Iterator<Item = usize>, through: Through) -> Option<Entry> {
        let mut best: Option<Entry> = None;
        for e in edges {
            let d = self.q.height(e, self.at());
            if d > self.touching() || !self.admits(e, self.limits.reach - d) {
                continue;
            }
            let away = (self.foot(e) - self.at()).norm();
            let mean = self.p.n[self.v] + self.p.n[self.p.before(self.v)];
            let found = Entry { edge: e, away, square: -mean.dot(self.q.n[e]) };
            if best.is_none_or(|b| self.beats(&found, &b)) && self.came_through(e, d, through) {
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

    /// Returns true if the way out through edge `e` is this vertex's way out.
    fn came_through(&self, e: usize, d: f64, through: Through) -> bool {
        let foot = self.foot(e);
        match through {
            Through::Inside => in_sight(self.q, self.at(), foot, self.limits.tolerance, |g| g == e),
            Through::Near => d >= -self.limits.tolerance || self.is_in_seam(e),
            Through::Across => {
                d >= -self.limits.tolerance || (contains(self.p, foot) && self.own_way_is_free(foot))
            }
        }
    }

    /// Returns true if the vertex lies beyond an end of edge `e` in a notch whose other side is a sibling's: behind `e`, it is then in
    /// the sibling.
    fn is_in_seam(&self, e: usize) -> bool {
        let (q, x, tolerance) = (self.q, self.at(), self.limits.tolerance);
        let (left, right, t) = (q.before(e), q.after(e), q.along(e, x));
        (t < -tolerance && q.turn[e] == Turn::Reflex && q.cover[left] == Cover::Covered)
            || (t > q.len[e] + tolerance && q.turn[right] == Turn::Reflex && q.cover[right] == Cover::Covered)
    }

    /// The neighbours of the entry edge across a notch that the vertex has come through as well.
    fn across_notches(&self, entry: Entry, hits: &mut Hits) {
        let q = self.q;
        let close = self.limits.reach + 2.0 * entry.away + self.limits.tolerance;
        for (corner, e) in [(entry.edge, q.before(entry.edge)), (q.after(entry.edge), q.after(entry.edge))] {
            if q.turn[corner] == Turn::Reflex
                && (q.x[corner] - self.at()).norm2() <= close * close
                && q.height(e, self.at()) <= self.touching()
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

/// Convex vertices in each other's wedge and in sight, unless one already stands before an edge of the other.
fn corners(a: &Core<'_>, b: &Core<'_>, reach: f64, near: &Near, hits: &mut Hits) {
    for i in indices(&near.free_a) {
        for j in indices(&near.free_b) {
            let (v, w) = (a.x[i], b.x[j]);
            let close = (w - v).norm2() <= reach * reach && a.beyond(i, w) && b.beyond(j, v);
            let (before_i, before_j) = (a.before(i), b.before(j));
            let held = |h: &Hit| {
                (h.feature_a == vertex_id(i) && [edge_id(j), edge_id(before_j)].contains(&h.feature_b))
                    || (h.feature_b == vertex_id(j) && [edge_id(i), edge_id(before_i)].contains(&h.feature_a))
            };
            if close
                && !hits.0.iter().any(held)
                && in_sight(a, v, w, 0.0, |g| g == i || g == before_i)
                && in_sight(b, v, w, 0.0, |g| g == j || g == before_j)
            {
                hits.vertex_vertex(i, v, j, w);
            }
        }
    }
}

/// Boundaries that cross although no vertex near the crossing has come through anything: bars laid across each other.
/// The vertex, far or near, with the shortest way back through an edge it has come through; failing that, the shallowest end
/// of a crossing edge against the edge it crosses.
fn crossing(a: &Core<'_>, b: &Core<'_>, limits: &Limits, near: &Near, hits: &mut Hits) {
    let mut ends: Option<Exit> = None;
    for i in indices(&near.edges_a) {
        for j in indices(&near.edges_b) {
            let free = a.cover[i] == Cover::Free && b.cover[j] == Cover::Free;
            if free && straddles(a, i, b, j, limits.tolerance) && straddles(b, j, a, i, limits.tolerance) {
                shallow_ends(a, i, b, j, Side::A, &mut ends);
                shallow_ends(b, j, a, i, Side::B, &mut ends);
            }
        }
    }
    let Some(ends) = ends else { return };
    let mut best: Option<Exit> = None;
    for (p, q, side) in [(a, b, Side::A), (b, a, Side::B)] {
        for v in (0..p.x.len()).filter(|v| p.turn[*v] == Turn::Convex) {
            let vertex = Vertex { p, v, q, side, limits };
            if let Some(e) = vertex.entry(0..q.edges(), Through::Across) {
                Exit { height: q.height(e.edge, p.x[v]), side, vertex: v, edge: e.edge }.challenge(&mut best);
            }
        }
    }
    let exit = best.unwrap_or(ends);
    let (p, q) = if exit.side == Side::A { (a, b) } else { (b, a) };
    hits.vertex_edge(exit.side, exit.vertex, p.x[exit.vertex], exit.edge, q.n[exit.edge], exit.height);
}

/// A vertex behind an edge.
#[derive(Debug, Clone, Copy)]
struct Exit {
    height: f64,
    side: Side,
    vertex: usize,
    edge: usize,
}

impl Exit {
    /// Takes the place of a longer way.
    fn challenge(self, best: &mut Option<Self>) {
        if self.height < 0.0 && best.is_none_or(|b| self.height > b.height) {
            *best = Some(self);
        }
    }
}

fn shallow_ends(p: &Core<'_>, i: usize, q: &Core<'_>, edge: usize, side: Side, best: &mut Option<Exit>) {
    for vertex in [i, p.after(i)] {
        Exit { height: q.height(edge, p.x[vertex]), side, vertex, edge }.challenge(best);
    }
}

/// Returns true if the ends of edge `i` of `p` lie on different sides of edge `j` of `q`, clearly.
fn straddles(p: &Core<'_>, i: usize, q: &Core<'_>, j: usize, tolerance: f64) -> bool {
    let (s, t) = (q.height(j, p.x[i]), q.height(j, p.x[p.after(i)]));
    s.min(t) < -tolerance && s.max(t) > tolerance
}
