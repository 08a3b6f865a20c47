//! The near parts of two boundaries, and questions about a boundary: does it hold a point, does it stand in the way.

use crate::boundary::{Cover, Sort, Turn};
use crate::store::Core;
use crate::vec2::V2;

/// Features of a pair inside the overlap of their boxes, inflated by the active distance.
#[derive(Debug, Default)]
pub(crate) struct Near {
    pub(crate) edges_a: Vec<u32>,
    pub(crate) edges_b: Vec<u32>,
    pub(crate) vertices_a: Vec<u32>,
    pub(crate) vertices_b: Vec<u32>,
    /// Selected vertices outside the other core.
    pub(crate) free_a: Vec<u32>,
    /// Likewise.
    pub(crate) free_b: Vec<u32>,
}

impl Near {
    /// Selects for the pair (a, b). All vertices count against a stick: they may have passed it, far beyond its box.
    pub(crate) fn select(&mut self, a: &Core<'_>, b: &Core<'_>, reach: f64) {
        let ((low_a, high_a), (low_b, high_b)) = (span(a.x), span(b.x));
        let r = V2::new(reach, reach);
        let low = V2::new(low_a.x.max(low_b.x), low_a.y.max(low_b.y)) - r;
        let high = V2::new(high_a.x.min(high_b.x), high_a.y.min(high_b.y)) + r;
        self.free_a.clear();
        self.free_b.clear();
        pick(a, b.sort == Sort::Stick, low, high, &mut self.edges_a, &mut self.vertices_a);
        pick(b, a.sort == Sort::Stick, low, high, &mut self.edges_b, &mut self.vertices_b);
    }
}

fn span(x: &[V2]) -> (V2, V2) {
    x.iter().fold((x[0], x[0]), |(low, high), p| {
        (V2::new(low.x.min(p.x), low.y.min(p.y)), V2::new(high.x.max(p.x), high.y.max(p.y)))
    })
}

fn pick(c: &Core<'_>, all: bool, low: V2, high: V2, edges: &mut Vec<u32>, vertices: &mut Vec<u32>) {
    edges.clear();
    vertices.clear();
    for i in 0..c.x.len() {
        let p = c.x[i];
        let near = all || (p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y);
        if near && c.turn[i] == Turn::Convex {
            vertices.push(i as u32);
        }
        let q = c.x[c.after(i)];
        let apart =
            p.x.max(q.x) < low.x || p.x.min(q.x) > high.x || p.y.max(q.y) < low.y || p.y.min(q.y) > high.y;
        if i < c.edges() && !apart {
            edges.push(i as u32);
        }
    }
}

/// Returns true if a polygon holds `p` (even-odd rule, half-open so that a vertex counts once); sticks and points hold nothing.
pub(crate) fn contains(c: &Core<'_>, p: V2) -> bool {
    if !matches!(c.sort, Sort::Convex | Sort::Concave) {
        return false;
    }
    let mut inside = false;
    for e in 0..c.edges() {
        let (u, v) = (c.x[e], c.x[c.after(e)]);
        inside ^= passes(u, v, p);
    }
    inside
}

/// Returns true if the ray from `p` to the right passes the edge from `u` to `v`: half-open in y, and a point on an edge lies beyond
/// it whichever way the edge runs, so that of two polygons with a common edge one holds the point.
pub(crate) fn passes(u: V2, v: V2, p: V2) -> bool {
    let cross = (v - u).cross(p - u);
    (u.y > p.y) != (v.y > p.y) && if v.y > u.y { cross > 0.0 } else { cross < 0.0 }
}

/// Returns true if `p` lies on an edge that a sibling covers: inside the union, whichever of the two holds it.
pub(crate) fn on_seam(c: &Core<'_>, p: V2, tolerance: f64) -> bool {
    (0..c.edges()).any(|e| {
        let t = c.along(e, p);
        c.cover[e] == Cover::Covered
            && c.height(e, p).abs() <= tolerance
            && t >= -tolerance
            && t <= c.len[e] + tolerance
    })
}

/// Returns true if the way from `from` to `to` crosses no edge of `c` but those to `skip`. Ends within `tolerance` of an edge's line
/// do not cross it.
pub(crate) fn in_sight(c: &Core<'_>, from: V2, to: V2, tolerance: f64, skip: impl Fn(usize) -> bool) -> bool {
    !(0..c.edges()).any(|g| !skip(g) && crosses(c, g, from, to, tolerance))
}

fn crosses(c: &Core<'_>, g: usize, from: V2, to: V2, tolerance: f64) -> bool {
    let (h0, h1) = (c.height(g, from), c.height(g, to));
    if h0.min(h1) >= -tolerance || h0.max(h1) <= tolerance {
        return false;
    }
    let t = c.along(g, from + (to - from) * (h0 / (h0 - h1)));
    t >= 0.0 && t <= c.len[g]
}
