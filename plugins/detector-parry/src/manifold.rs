//! Contact points of two patches: every vertex–face and edge–edge pair that can touch.
//!
//! Each pair of features has its own exact gap and normal: the face's, or the cross product of the edges. So the gap's rate is
//! n·(relative velocity), and a contact's identity does not depend on which body led the separating axis.

use crate::feature;
use crate::gjk::Axis;
use crate::math::line_parameters;
use crate::patch::Patch;
use vinci_detect::Vec3;

/// A contact in the frame of A, features of A first, normal from A to B.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) feature_a: u32,
    pub(crate) feature_b: u32,
    pub(crate) gap: f64,
    pub(crate) normal: Vec3,
    pub(crate) on_a: Vec3,
    pub(crate) on_b: Vec3,
    /// OR group, 0: none.
    pub(crate) group: u32,
}

/// Lengths that steer the manifold of a pair, m.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// Report gaps up to this.
    pub(crate) margin: f64,
    /// Points closer than this are one, and a vertex this far outside a face still stands on it.
    pub(crate) merge: f64,
    /// Size of the smaller shape.
    pub(crate) size: f64,
}

/// Planes steeper than 60° to the normal are not contact planes.
const PLANE_COSINE: f64 = 0.5;
/// Planes within about 1e-6 rad of square to the axis.
const SQUARE: f64 = 1.0 - 1e-12;
/// Normals within about 5·10⁻⁵ rad are alike.
const ALIKE: f64 = 1.0 - 1e-9;
/// Edge pairs whose own normal is more than 30° off are not contacts.
const CROSS_COSINE: f64 = 0.866;
/// Edges that cross under less than about 1° count as parallel.
const PARALLEL: f64 = 0.02;
/// Deepest gap missed by more than this fraction of the size: add the closest points.
const MISSED: f64 = 1e-7;

/// Excess depth, relative, of a tilted pair over the least gap that is let pass: tilts up to about 2.5°.
const TILTED_EXCESS: f64 = 1e-3;
/// Slack of the least gap, fraction of the size.
const PREFERENCE: f64 = 1e-9;

/// Removes the points from `first` on that `unwanted` names.
pub(crate) fn drop_from(first: usize, points: &mut Vec<Point>, unwanted: impl Fn(&Point) -> bool) {
    let mut kept = first;
    for i in first..points.len() {
        if !unwanted(&points[i]) {
            points[kept] = points[i];
            kept += 1;
        }
    }
    points.truncate(kept);
}

/// Appends the contacts of two patches (frame of A) with core gaps up to `reach` along `axis`. False: no pair of
/// features shows the least gap, the closest points are a contact of their own.
pub(crate) fn contacts(
    axis: &Axis,
    a: &Patch,
    b: &Patch,
    scale: &Scale,
    reach: f64,
    out: &mut Vec<Point>,
) -> bool {
    let first = out.len();
    vertices_on_a(axis, a, b, scale, reach, out);
    vertices_on_b(axis, a, b, scale, reach, out);
    crossings(axis, a, b, scale, reach, out);
    // A pair with its own normal can be deeper than the least way out (by 1 / cosine): then it is no way out at all.
    let floor = axis.sigma - TILTED_EXCESS * axis.sigma.abs() - PREFERENCE * scale.size;
    drop_from(first, out, |p| p.gap < floor);
    let missed = axis.sigma + MISSED * scale.size;
    let is_least = |p: &Point| p.gap <= missed && p.normal.dot(&axis.n) >= ALIKE;
    let shown = |out: &[Point]| axis.sigma > reach || out.iter().any(is_least);
    if !shown(&out[first..]) {
        parallel_edges(axis, a, b, scale, out);
    }
    shown(&out[first..])
}

/// Moves the points from `first` on from the cores to the surfaces, `radius` around A and B.
pub(crate) fn thicken(first: usize, radius: [f64; 2], out: &mut [Point]) {
    for p in &mut out[first..] {
        p.gap -= radius[0] + radius[1];
        p.on_a += p.normal * radius[0];
        p.on_b -= p.normal * radius[1];
    }
}

/// Corners that make contacts with a plane whose normal has this cosine with the axis. Points that slide along a round
/// feature (lowest rim point, ends of a generator) are the lowest over the plane only if that is square to the axis.
fn corners(p: &Patch, cosine: f64) -> impl Iterator<Item = (Vec3, u32)> + '_ {
    let square = cosine >= SQUARE;
    let lowest = p.lowest.filter(|_| square);
    let fixed = p.corners.iter().filter(move |c| !c.mute && (square || c.id < feature::ROUND));
    fixed.map(|c| (c.point, c.id)).chain(lowest)
}

/// Vertices of B over the face of A.
fn vertices_on_a(axis: &Axis, a: &Patch, b: &Patch, scale: &Scale, reach: f64, out: &mut Vec<Point>) {
    let Some((normal, face)) = a.plane else { return };
    if normal.dot(&axis.n) < PLANE_COSINE {
        return;
    }
    let origin = a.corners[0].point;
    for (x, id) in corners(b, normal.dot(&axis.n)) {
        let gap = normal.dot(&(x - origin));
        if gap <= reach && a.covers(&x, scale.merge) {
            let on_a = x - normal * gap;
            out.push(Point { feature_a: face, feature_b: id, gap, normal, on_a, on_b: x, group: 0 });
        }
    }
}

/// Vertices of A over the face of B.
fn vertices_on_b(axis: &Axis, a: &Patch, b: &Patch, scale: &Scale, reach: f64, out: &mut Vec<Point>) {
    let Some((normal, face)) = b.plane else { return };
    if -normal.dot(&axis.n) < PLANE_COSINE {
        return;
    }
    let origin = b.corners[0].point;
    for (x, id) in corners(a, -normal.dot(&axis.n)) {
        let gap = normal.dot(&(x - origin));
        if gap <= reach && b.covers(&x, scale.merge) {
            let on_b = x - normal * gap;
            out.push(Point { feature_a: id, feature_b: face, gap, normal: -normal, on_a: x, on_b, group: 0 });
        }
    }
}

/// Edges of A that cross edges of B.
fn crossings(axis: &Axis, a: &Patch, b: &Patch, scale: &Scale, reach: f64, out: &mut Vec<Point>) {
    let round = a.round_side || b.round_side;
    for (p, p2, edge_a, mute_a) in a.edges() {
        for (q, q2, edge_b, mute_b) in b.edges() {
            if mute_a || mute_b {
                continue;
            }
            let (d, e) = (p2 - p, q2 - q);
            let Some(normal) = crossing_normal(axis, &d, &e, round) else { continue };
            let Some((s, t)) = line_parameters(&p, &d, &q, &e) else { continue };
            let inside = |x: f64, len: f64| x * len >= -scale.merge && (x - 1.0) * len <= scale.merge;
            let (on_a, on_b) = (p + d * s, q + e * t);
            let gap = normal.dot(&(on_b - on_a));
            if gap <= reach && inside(s, d.norm()) && inside(t, e.norm()) {
                out.push(Point { feature_a: edge_a, feature_b: edge_b, gap, normal, on_a, on_b, group: 0 });
            }
        }
    }
}

/// Common normal of two edges, or `None` if they are about parallel or it is far from the axis. The generator of a
/// round side is where the axis says it is, so there only the axis itself will do.
fn crossing_normal(axis: &Axis, d: &Vec3, e: &Vec3, round: bool) -> Option<Vec3> {
    let c = d.cross(e);
    let sine = c.norm() / (d.norm() * e.norm());
    if sine.is_nan() || sine < PARALLEL {
        return None;
    }
    let c = c / c.norm();
    let cosine = c.dot(&axis.n);
    if round {
        return (cosine.abs() >= 1.0 - 1e-8).then_some(axis.n);
    }
    (cosine.abs() >= CROSS_COSINE).then(|| c * cosine.signum())
}

/// Ends of the overlap of parallel edges that both bound the gap and lie above one another.
fn parallel_edges(axis: &Axis, a: &Patch, b: &Patch, scale: &Scale, out: &mut Vec<Point>) {
    let n = &axis.n;
    let top = a.corners.iter().map(|c| n.dot(&c.point)).fold(f64::MIN, f64::max);
    let bottom = b.corners.iter().map(|c| n.dot(&c.point)).fold(f64::MAX, f64::min);
    for (p, p2, edge_a, mute_a) in a.edges() {
        for (q, q2, edge_b, mute_b) in b.edges() {
            let (d, e) = (p2 - p, q2 - q);
            let level_a = top - n.dot(&p).min(n.dot(&p2));
            let level_b = n.dot(&q).max(n.dot(&q2)) - bottom;
            let slanted = level_a > PARALLEL * d.norm() || level_b > PARALLEL * e.norm();
            if mute_a || mute_b || slanted || d.cross(&e).norm() > PARALLEL * d.norm() * e.norm() {
                continue;
            }
            edge_overlap(n, (a, p, p2, edge_a), (b, q, q2, edge_b), scale, out);
        }
    }
}

type PatchEdge<'a> = (&'a Patch, Vec3, Vec3, u32);

fn edge_overlap(n: &Vec3, a: PatchEdge<'_>, b: PatchEdge<'_>, scale: &Scale, out: &mut Vec<Point>) {
    let along = |x: &Vec3, (_, p, q, _): &PatchEdge<'_>| {
        let d = q - p;
        let t = (x - p).dot(&d) / d.norm_squared();
        let inside = t * d.norm() >= -scale.merge && (t - 1.0) * d.norm() <= scale.merge;
        inside.then(|| p + d * t)
    };
    // Edges on opposite sides of two faces are parallel too, and never meet.
    let aside = scale.merge + PARALLEL * (a.2 - a.1).norm().min((b.2 - b.1).norm());
    let above = |x: &Vec3, foot: &Vec3| {
        let apart = x - foot;
        (apart - n * n.dot(&apart)).norm() <= aside
    };
    let id = |patch: &Patch, x: &Vec3| patch.corners.iter().find(|c| c.point == *x).map_or(0, |c| c.id);
    for x in [b.1, b.2] {
        if let Some(on_a) = along(&x, &a).filter(|foot| above(&x, foot)) {
            let gap = n.dot(&(x - on_a));
            out.push(Point {
                feature_a: a.3,
                feature_b: id(b.0, &x),
                gap,
                normal: *n,
                on_a,
                on_b: x,
                group: 0,
            });
        }
    }
    for x in [a.1, a.2] {
        if let Some(on_b) = along(&x, &b).filter(|foot| above(&x, foot)) {
            let gap = n.dot(&(on_b - x));
            out.push(Point {
                feature_a: id(a.0, &x),
                feature_b: b.3,
                gap,
                normal: *n,
                on_a: x,
                on_b,
                group: 0,
            });
        }
    }
}

/// Drops gaps beyond the margin, merges points above one another with one normal (their rows in the momentum balance
/// are equal: the first stays unless another is clearly deeper), keeps at most
/// `max_points`: the deepest, then always the one farthest from those kept.
pub(crate) fn tidy(points: &mut Vec<Point>, scale: &Scale, max_points: usize) {
    points.retain(|p| p.gap <= scale.margin);
    let mut kept = 0;
    for i in 0..points.len() {
        let p = points[i];
        let same = |q: &Point| {
            let one_key = q.feature_a == p.feature_a && q.feature_b == p.feature_b;
            let apart = (q.on_a + q.on_b - p.on_a - p.on_b) * 0.5;
            let across = apart - p.normal * p.normal.dot(&apart);
            one_key || (across.norm() <= scale.merge && q.normal.dot(&p.normal) > 0.99)
        };
        match points[..kept].iter().position(same) {
            Some(j) if p.gap < points[j].gap - scale.merge => points[j] = p,
            Some(_) => {}
            None => {
                points[kept] = p;
                kept += 1;
            }
        }
    }
    points.truncate(kept);
    points.sort_unstable_by(|p, q| {
        (p.feature_a, p.feature_b).cmp(&(q.feature_a, q.feature_b)).then(p.gap.total_cmp(&q.gap))
    });
    points.dedup_by_key(|p| (p.feature_a, p.feature_b));
    if points.len() > max_points {
        spread_out(points, max_points);
    }
}

fn spread_out(points: &mut Vec<Point>, max_points: usize) {
    let deepest = (0..points.len()).fold(0, |b, i| if points[i].gap < points[b].gap { i } else { b });
    points.swap(0, deepest);
    for kept in 1..max_points {
        let far = |p: &Point| {
            points[..kept].iter().map(|q| (q.on_b - p.on_b).norm_squared()).fold(f64::MAX, f64::min)
        };
        let mut next = (kept, far(&points[kept]));
        for i in kept + 1..points.len() {
            let distance = far(&points[i]);
            if distance > next.1 {
                next = (i, distance);
            }
        }
        points.swap(kept, next.0);
    }
    points.truncate(max_points);
}
