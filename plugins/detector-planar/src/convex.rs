//! Two convex cores: points, sticks, convex polygons.
//!
//! 1. Separating axes: s_e = min_v n_e·(v − x_e) for every edge e of either core; s* = max s_e on edge e*. Two convex cores
//!    overlap iff s* < 0, and −s* is then the smallest translation that parts them, along the normal of e*.
//! 2. The *lead* of the other core is its edge most opposed to e*. Vertices against a lead edge count with any sign.
//! 3. All other vertex-edge pairs count when the vertex is in front of the edge (outside a convex polygon a point lies in the
//!    strip of one edge at most); while the cores overlap, only those whose normal agrees with that of e*.
//! 4. Two vertices count when each lies in the other's wedge; for convex cores that is the closest pair.

use crate::boundary::Turn;
use crate::hit::{Hits, Side};
use crate::store::Core;
use crate::vec2::V2;

/// Tolerances of one pair.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Active distance of the cores, m: margins and radii.
    pub(crate) reach: f64,
    /// Places closer than this are one, m.
    pub(crate) tolerance: f64,
    /// Sine of the rotation a step may bring.
    pub(crate) slack: f64,
    /// Its cosine.
    pub(crate) slack_cos: f64,
    /// Sine of the rotation that the active distance leaves room for, `slack` at most.
    pub(crate) turn: f64,
    /// Sine of the angle within which edges lie flat on each other.
    pub(crate) flat: f64,
}

/// Vertices without an edge to go to, candidates for vertex-vertex contacts.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    free_a: Vec<u32>,
    free_b: Vec<u32>,
}

/// The separating axis that parts two cores best.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    /// s*, m; −∞ for two points.
    pub(crate) s: f64,
    /// e*.
    pub(crate) edge: usize,
    /// The polygon that owns e*.
    pub(crate) owner: Side,
}

/// Best axis among the edges of `q`, unless `best` beats it by more than `tie`; `None` when one parts them beyond `reach`.
fn scan(q: &Core<'_>, p: &Core<'_>, owner: Side, reach: f64, tie: f64, mut best: Axis) -> Option<Axis> {
    for e in 0..q.edges() {
        let (n, x) = (q.n[e], q.x[e]);
        let s = p.x.iter().map(|v| n.dot(*v - x)).fold(f64::INFINITY, f64::min);
        if s > reach {
            return None;
        }
        if s > best.s + tie {
            best = Axis { s, edge: e, owner };
        }
    }
    Some(best)
}

/// Step 1. `None` when the cores are farther apart than the active distance.
pub(crate) fn separate(a: &Core<'_>, b: &Core<'_>, limits: &Limits) -> Option<Axis> {
    // Ties within rounding go to the first edge, so that noise does not pick the normal.
    let tie = 1e-3 * limits.tolerance;
    let none = Axis { s: f64::NEG_INFINITY, edge: 0, owner: Side::A };
    let best = scan(a, b, Side::A, limits.reach, tie, none)?;
    scan(b, a, Side::B, limits.reach, tie, best)
}

/// The edge of `p` most opposed to the normal `n`, if within the rotation of a step.
fn incident(p: &Core<'_>, n: V2, slack_cos: f64) -> Option<usize> {
    let mut best = (-slack_cos, None);
    for f in 0..p.edges() {
        let c = p.n[f].dot(n);
        if c <= best.0 {
            best = (c, Some(f));
        }
    }
    best.1
}

/// Core that the vertices of another one are held against.
struct Target<'a> {
    core: Core<'a>,
    /// Its lead edge, if any.
    lead: Option<usize>,
    /// Normal the other edges must agree with (overlap).
    agree: Option<V2>,
}

/// All contacts of two convex cores.
pub(crate) fn collide(a: &Core<'_>, b: &Core<'_>, limits: &Limits, scratch: &mut Scratch, hits: &mut Hits) {
    let Some(axis) = separate(a, b, limits) else { return };
    scratch.free_a.clear();
    scratch.free_b.clear();
    let (mut lead_a, mut lead_b, mut out) = (None, None, V2::default());
    if axis.s > f64::NEG_INFINITY {
        let (owner, other) = if axis.owner == Side::A { (a, b) } else { (b, a) };
        let n = owner.n[axis.edge];
        let opposed = incident(other, n, limits.slack_cos);
        (lead_a, lead_b, out) = match axis.owner {
            Side::A => (Some(axis.edge), opposed, n),
            Side::B => (opposed, Some(axis.edge), -n),
        };
    }
    // `out` points from A to B.
    let overlap = axis.s < -limits.tolerance;
    let against_b = Target { core: *b, lead: lead_b, agree: overlap.then_some(-out) };
    let against_a = Target { core: *a, lead: lead_a, agree: overlap.then_some(out) };
    vertices(a, &against_b, Side::A, limits, &mut scratch.free_a, hits);
    vertices(b, &against_a, Side::B, limits, &mut scratch.free_b, hits);
    corners(a, b, limits.reach, scratch, hits);
}

/// Steps 2 and 3: every vertex of `p` against the edges of the target, one contact each at most.
fn vertices(p: &Core<'_>, q: &Target<'_>, side: Side, limits: &Limits, free: &mut Vec<u32>, hits: &mut Hits) {
    for v in 0..p.x.len() {
        if p.turn[v] != Turn::Convex {
            continue;
        }
        if let Some(e) = q.lead {
            let d = q.core.height(e, p.x[v]);
            // All of a convex core lies behind the line of its edge.
            if d > limits.reach {
                continue;
            }
            if admits(p, v, &q.core, e, limits) {
                hits.vertex_edge(side, v, p.x[v], e, q.core.n[e], d);
                continue;
            }
        }
        match in_front(p, v, q, limits) {
            Some((e, d)) => hits.vertex_edge(side, v, p.x[v], e, q.core.n[e], d),
            None => free.push(v as u32),
        }
    }
}

/// Returns true if vertex `v` of `p` projects into edge `e` of `q` and may become foremost there.
#[inline]
pub(crate) fn admits(p: &Core<'_>, v: usize, q: &Core<'_>, e: usize, limits: &Limits) -> bool {
    let t = q.along(e, p.x[v]);
    t >= -limits.tolerance && t <= q.len[e] + limits.tolerance && p.faces(v, q.n[e], limits.slack)
}

/// The edge in whose strip the vertex lies, if it may touch it.
fn in_front(p: &Core<'_>, v: usize, q: &Target<'_>, limits: &Limits) -> Option<(usize, f64)> {
    (0..q.core.edges()).map(|e| (e, q.core.height(e, p.x[v]))).find(|&(e, d)| {
        d >= 0.0
            && d <= limits.reach
            && q.agree.is_none_or(|n| n.dot(q.core.n[e]) > 0.0)
            && admits(p, v, &q.core, e, limits)
    })
}

/// Step 4.
fn corners(a: &Core<'_>, b: &Core<'_>, reach: f64, scratch: &Scratch, hits: &mut Hits) {
    for &i in &scratch.free_a {
        let v = a.x[i as usize];
        for &j in &scratch.free_b {
            let w = b.x[j as usize];
            if (w - v).norm2() <= reach * reach && a.beyond(i as usize, w) && b.beyond(j as usize, v) {
                hits.vertex_vertex(i as usize, v, j as usize, w);
            }
        }
    }
}
