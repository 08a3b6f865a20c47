//! The normal and the signed gap of two convex cores.
//!
//! For a unit vector n from A to B let σ(n) = min { n·(b − a) : a ∈ A, b ∈ B }. The signed gap is max σ over the
//! sphere: the distance when the cores are apart, minus the least parting translation when they overlap. Every
//! candidate direction therefore gives a safe lower bound, and a better one is always the one with the larger σ.
//!
//! - A face normal that is best among the face normals and whose own face proves it (see `certified`) is taken: resting
//!   bodies need nothing else.
//! - Small polytopes (box, triangle, segment, small hull): the separating axis test is exact in overlap and contact;
//!   apart, GJK gives the distance of vertices and edges.
//! - A polytope at the side of a cylinder: closed form, where it proves itself (see `side`); elsewhere beside a cylinder: one root an
//!   edge, where that proves itself (see `rim`).
//! - Everything else apart: GJK. In overlap and near contact, where GJK has no direction: the best of face normals,
//!   axes, centre line and parry's EPA, then the ascent n ← argmax σ(m) + t m·n, which is GJK with B moved by t n.
//!   It never lowers σ, has the maxima of σ as its fixed points, and stays well conditioned at gap 0.

use crate::convert::Expander;
use crate::feature;
use crate::gjk::{Axis, Distance, Pair, distance};
use crate::math::tangents;
use crate::patch::{Patch, Rim};
use crate::polytope::Polytope;
use crate::rim::rim_separation;
use crate::side::side_separation;
use crate::solid::Core;
use vinci_detect::Vec3;

/// Gaps under this fraction of the size are left to the methods that work in contact: polytopes, others.
const NEAR_POLYTOPES: f64 = 1e-7;
const NEAR_ROUND: f64 = 1e-4;
/// A direction replaces an earlier one only if it is better by this fraction of the size.
const PREFERENCE: f64 = 1e-9;
/// A face normal replaces a direction this close to it in cosine if σ does not fall by `SNAP` of the size.
const SNAP_COSINE: f64 = 1.0 - 1e-6;
const SNAP: f64 = 1e-12;
/// Two directions this close in cosine belong to one maximum of σ: EPA's error is 1e-4 rad.
const SAME_HILL: f64 = 1.0 - 1e-7;
/// Clearance of the moved B in the ascent, first and last, fraction of the size.
const CLEARANCE: [f64; 2] = [0.05, 1e-3];
const ASCENT_STEPS: usize = 32;
/// Largest number of dot products of one separating axis test.
const AXIS_TEST_COST: usize = 8000;

/// Overlap, in sizes, up to which a certified face normal is taken without asking EPA.
const SHALLOW: f64 = 0.1;

/// Buffers.
pub(crate) struct Tools {
    pub(crate) rim: Rim,
    expander: Expander,
    patch: Patch,
}

impl Tools {
    pub(crate) fn new(rim: Rim) -> Self {
        Self { rim, expander: Expander::default(), patch: Patch::default() }
    }
}

/// The separation, or `None` if it exceeds `limit`. `size` scales the tolerances.
pub(crate) fn separation(pair: &Pair<'_>, size: f64, limit: f64, tools: &mut Tools) -> Option<Axis> {
    match (pair.a, pair.b) {
        (Core::Polytope(a), Core::Polytope(b)) if axis_test_cost(a, b) <= AXIS_TEST_COST => {
            polytope_separation(pair, a, b, size, limit, tools)
        }
        _ => general_separation(pair, size, limit, tools),
    }
}

fn polytope_separation(
    pair: &Pair<'_>,
    a: &Polytope,
    b: &Polytope,
    size: f64,
    limit: f64,
    tools: &mut Tools,
) -> Option<Axis> {
    let near = NEAR_POLYTOPES * size;
    let best = axis_test(pair, a, b, PREFERENCE * size, limit)?;
    // Two segments have no faces: parallel ones have no axis to test at all.
    let exact = best.axis.sigma <= 0.0 && !(a.faces.is_empty() && b.faces.is_empty());
    if exact || certified(pair, &best, tools) {
        return Some(best.axis);
    }
    match distance(pair, &pair.centre_line(), near, limit) {
        Distance::Beyond => None,
        Distance::Touching => Some(best.axis),
        Distance::Apart(c) if c.dist <= best.axis.sigma * (1.0 + 1e-9) => Some(best.axis),
        Distance::Apart(c) => Some(Axis { n: c.n, sigma: c.dist }),
    }
}

fn general_separation(pair: &Pair<'_>, size: f64, limit: f64, tools: &mut Tools) -> Option<Axis> {
    let line = pair.centre_line().try_normalize(0.0).unwrap_or_else(Vec3::z);
    match side_separation(pair, PREFERENCE * size) {
        Some((axis, _)) if axis.sigma > limit => return None,
        Some((axis, true)) => return Some(snap(pair, axis, size, tools)).filter(|axis| axis.sigma <= limit),
        _ => {}
    }
    let mut best = Candidate::new(line, pair.separation_along(&line));
    if best.axis.sigma > limit {
        return None;
    }
    for_flat_normals(pair, &mut |n, owner| best.offer(n, pair.separation_along(n), PREFERENCE * size, owner));
    if best.axis.sigma > limit {
        return None;
    }
    if best.axis.sigma > -SHALLOW * size && certified(pair, &best, tools) {
        return Some(best.axis);
    }
    let axis = match rim_separation(pair, NEAR_ROUND * size) {
        Some((axis, ..)) => axis,
        None => iterated(pair, best, &line, (size, limit), tools)?,
    };
    if axis.sigma > limit {
        return None;
    }
    let axis = snap(pair, axis, size, tools);
    (axis.sigma <= limit).then_some(axis)
}

/// GJK apart, ascent in overlap and near contact.
fn iterated(
    pair: &Pair<'_>,
    best: Candidate,
    line: &Vec3,
    (size, limit): (f64, f64),
    tools: &mut Tools,
) -> Option<Axis> {
    match distance(pair, line, NEAR_ROUND * size, limit) {
        Distance::Beyond => None,
        Distance::Apart(c) => Some(Axis { n: c.n, sigma: c.dist }),
        Distance::Touching => Some(overlap(pair, best, line, size, tools)),
    }
}

/// Overlap or near contact: the best of what ascends from the flat and round normals and from EPA's.
fn overlap(pair: &Pair<'_>, mut best: Candidate, line: &Vec3, size: f64, tools: &mut Tools) -> Axis {
    for_side_normals(pair, line, &mut |n| {
        best.offer(n, pair.separation_along(n), PREFERENCE * size, Owner::Neither);
    });
    let own = ascend(pair, best.axis, size);
    let farthest = [pair.a, pair.b].map(|core| move |d: &Vec3| core.support(d).0);
    let Some(n) = tools.expander.direction(farthest, &pair.b_in_a, size, line) else { return own };
    let sigma = pair.separation_along(&n);
    // EPA has found the hill on whose top the first ascent ended: the second would end there too.
    if n.dot(&own.n) >= SAME_HILL && sigma <= own.sigma {
        return own;
    }
    let other = ascend(pair, Axis { n, sigma }, size);
    if other.sigma > own.sigma + PREFERENCE * size { other } else { own }
}

/// Whose face a direction is the normal of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    A,
    B,
    Neither,
}

/// The best direction so far.
struct Candidate {
    axis: Axis,
    owner: Owner,
}

impl Candidate {
    fn new(n: Vec3, sigma: f64) -> Self {
        Self { axis: Axis { n, sigma }, owner: Owner::Neither }
    }

    fn offer(&mut self, n: &Vec3, sigma: f64, preference: f64, owner: Owner) {
        if sigma > self.axis.sigma + preference {
            *self = Self { axis: Axis { n: *n, sigma }, owner };
        }
    }
}

/// Returns true if a face normal n is proved best by the face itself: let x be the point of the other body that bounds σ(n), and
/// its foot f lie on the face. Apart, x − f has the length σ, so σ is the distance. Overlapping, let the face reach |σ|
/// beyond f on all sides: then for every m at an angle θ ≤ 90° to n some point y of it has m·(x − y) ≤ σ cos θ −
/// |σ| sin θ ≤ σ, so no such m is better. (Directions farther off leave through the back of a body, whose flat faces have
/// been tried.)
fn certified(pair: &Pair<'_>, candidate: &Candidate, tools: &mut Tools) -> bool {
    let Axis { n, sigma } = candidate.axis;
    let (on_a, on_b, _) = pair.supports(&n);
    let (core, d, x) = match candidate.owner {
        Owner::A => (pair.a, n, on_b),
        Owner::B => (pair.b, pair.b_in_a.dir_back(&-n), pair.b_in_a.dir_back(&(on_a - pair.b_in_a.pos))),
        Owner::Neither => return false,
    };
    tools.patch.fill(core, &d, &tools.rim);
    let square = tools.patch.plane.is_some_and(|(normal, _)| normal.dot(&d) >= 1.0 - 1e-12);
    square && tools.patch.covers(&x, sigma.min(0.0))
}

fn axis_test_cost(a: &Polytope, b: &Polytope) -> usize {
    if a.directions.is_empty() || b.directions.is_empty() {
        return usize::MAX;
    }
    let crosses = 2 * a.directions.len() * b.directions.len();
    a.faces.len() * b.vertices.len()
        + b.faces.len() * a.vertices.len()
        + crosses * (a.vertices.len() + b.vertices.len())
}

/// Separating axis test: face normals of A, of B, cross products of edges, in this order of preference.
fn axis_test(pair: &Pair<'_>, a: &Polytope, b: &Polytope, preference: f64, limit: f64) -> Option<Candidate> {
    let line = pair.centre_line().try_normalize(0.0).unwrap_or_else(Vec3::z);
    let mut best = Candidate::new(line, f64::MIN);
    for f in &a.faces {
        best.offer(&f.normal, pair.separation_along(&f.normal), preference, Owner::A);
        if best.axis.sigma > limit {
            return None;
        }
    }
    for f in &b.faces {
        let n = -pair.b_in_a.dir(&f.normal);
        best.offer(&n, pair.separation_along(&n), preference, Owner::B);
        if best.axis.sigma > limit {
            return None;
        }
    }
    for e in &b.directions {
        let e = pair.b_in_a.dir(e);
        for d in &a.directions {
            let Some(n) = d.cross(&e).try_normalize(1e-9) else { continue };
            best.offer(&n, pair.separation_along(&n), preference, Owner::Neither);
            best.offer(&-n, pair.separation_along(&-n), preference, Owner::Neither);
        }
    }
    if a.faces.is_empty() && b.faces.is_empty() {
        // Two segments on one line touch along every direction across it.
        let (t, u) = tangents(&a.directions[0]);
        [t, u, line].iter().for_each(|n| best.offer(n, pair.separation_along(n), preference, Owner::Neither));
    }
    (best.axis.sigma <= limit).then_some(best)
}

/// Closest points of A and B along an axis (frame of A): those of [`rim_separation`] or of GJK, with B moved clear along the axis.
pub(crate) fn closest_points(pair: &Pair<'_>, axis: &Axis, size: f64) -> (Vec3, Vec3) {
    let (t, moved) = moved_clear(pair, axis, size);
    match rim_separation(&moved, 0.0) {
        Some((_, on_a, on_b)) => along(axis, on_a, on_b - axis.n * t),
        None => {
            let (on_a, on_b, _) = closest_features(pair, axis, size);
            (on_a, on_b)
        }
    }
}

/// The pair with B moved clear along the axis, and by how much.
fn moved_clear<'a>(pair: &Pair<'a>, axis: &Axis, size: f64) -> (f64, Pair<'a>) {
    let t = CLEARANCE[1] * size - axis.sigma.min(0.0);
    (t, Pair { shift: pair.shift + axis.n * t, ..*pair })
}

/// Two points around the middle of these, on the axis and its gap apart.
fn along(axis: &Axis, on_a: Vec3, on_b: Vec3) -> (Vec3, Vec3) {
    let middle = (on_a + on_b) * 0.5;
    let half = axis.n * (0.5 * axis.sigma);
    (middle - half, middle + half)
}

/// Closest points of A and B along an axis (frame of A), and the feature of A: GJK with B moved clear along the axis.
pub(crate) fn closest_features(pair: &Pair<'_>, axis: &Axis, size: f64) -> (Vec3, Vec3, u32) {
    let (t, moved) = moved_clear(pair, axis, size);
    let (on_a, on_b, id) = match distance(&moved, &axis.n, 0.0, f64::MAX) {
        Distance::Apart(c) => (c.on_a, c.on_b - axis.n * t, feature_of(pair.a, &c.ids_a[..c.count])),
        _ => pair.supports(&axis.n),
    };
    let (on_a, on_b) = along(axis, on_a, on_b);
    (on_a, on_b, id)
}

/// The feature spanned by support features: a vertex, an edge, or something inside a face or on a round side.
fn feature_of(core: &Core, ids: &[u32]) -> u32 {
    let first = ids[0];
    let Some(&second) = ids.iter().find(|i| **i != first) else { return first };
    let Core::Polytope(p) = core else { return feature::CLOSEST };
    let two = ids.iter().all(|i| *i == first || *i == second);
    match p.edge_between(first, second) {
        Some(e) if two => feature::EDGE | e,
        _ => feature::CLOSEST,
    }
}

/// Calls `f` with the directions, A to B, along which a flat face of A or B bounds the other.
fn for_flat_normals(pair: &Pair<'_>, f: &mut dyn FnMut(&Vec3, Owner)) {
    flat_normals(pair.a, pair.b, &mut |n| f(n, Owner::A));
    flat_normals(pair.b, pair.a, &mut |n| f(&-pair.b_in_a.dir(n), Owner::B));
}

fn flat_normals(core: &Core, other: &Core, f: &mut dyn FnMut(&Vec3)) {
    let effort = if let Core::Polytope(p) = other { p.vertices.len() } else { 4 };
    match core {
        Core::Polytope(p) if p.faces.len() * (effort + p.vertices.len()) <= AXIS_TEST_COST => {
            p.faces.iter().for_each(|face| f(&face.normal));
        }
        Core::Polytope(_) => {}
        Core::Cylinder { .. } => [Vec3::z(), -Vec3::z()].iter().for_each(f),
        Core::Cone { .. } => f(&-Vec3::z()),
    }
}

/// Calls `f` with the normals of round sides that look at the other body: towards its centre, and across both axes.
fn for_side_normals(pair: &Pair<'_>, line: &Vec3, f: &mut dyn FnMut(&Vec3)) {
    let other_axis = pair.b_in_a.dir(&Vec3::z());
    let across = Vec3::z().cross(&other_axis);
    for towards in [*line, across, -across] {
        side_normal(pair.a, &towards, f);
        side_normal(pair.b, &pair.b_in_a.dir_back(&-towards), &mut |n| f(&-pair.b_in_a.dir(n)));
    }
}

/// The normal of the round side of a core at the azimuth of `d` (any azimuth if `d` is along the axis).
fn side_normal(core: &Core, d: &Vec3, f: &mut dyn FnMut(&Vec3)) {
    let radial = Vec3::new(d.x, d.y, 0.0).try_normalize(1e-9).unwrap_or_else(Vec3::x);
    match *core {
        Core::Polytope(_) => {}
        Core::Cylinder { .. } => f(&radial),
        Core::Cone { half, radius } => f(&(radial * (2.0 * half) + Vec3::z() * radius).normalize()),
    }
}

/// Proximal ascent of σ from a guess: n ← argmax σ(m) + t m·n with t just enough to part the cores, then further the
/// same way while that pays. The clearance shrinks, since the step contracts by t / (t + radius of curvature of B − A).
fn ascend(pair: &Pair<'_>, mut best: Axis, size: f64) -> Axis {
    let mut clearance = CLEARANCE[0] * size;
    for _ in 0..ASCENT_STEPS {
        let t = clearance - best.sigma.min(0.0);
        let moved = Pair { shift: pair.shift + best.n * t, ..*pair };
        let Distance::Apart(c) = distance(&moved, &best.n, 0.0, f64::MAX) else { break };
        let sigma = pair.separation_along(&c.n);
        let smallest = clearance <= CLEARANCE[1] * size;
        if sigma <= best.sigma && smallest {
            break;
        }
        if sigma > best.sigma {
            let step = c.n - best.n;
            best = Axis { n: c.n, sigma };
            if smallest && step.norm() <= 1e-12 {
                break;
            }
            stride(pair, &step, &mut best);
        }
        clearance = (0.2 * clearance).max(CLEARANCE[1] * size);
    }
    best
}

/// Longer strides in the direction of the last step, as long as σ rises.
fn stride(pair: &Pair<'_>, step: &Vec3, best: &mut Axis) {
    let mut factor = 1.0;
    while factor < 1e4 {
        let n = (best.n + step * factor).normalize();
        let sigma = pair.separation_along(&n);
        if sigma <= best.sigma {
            return;
        }
        *best = Axis { n, sigma };
        factor *= 2.0;
    }
}

/// Replaces a direction by the normal of the flat face that looks along it if that is as good: resting contact gets exact
/// normals.
fn snap(pair: &Pair<'_>, mut axis: Axis, size: f64, tools: &mut Tools) -> Axis {
    let found = axis.n;
    let floor = axis.sigma - SNAP * size;
    tools.patch.fill(pair.a, &found, &tools.rim);
    let on_a = tools.patch.plane.map(|(n, _)| n);
    tools.patch.fill(pair.b, &pair.b_in_a.dir_back(&-found), &tools.rim);
    let on_b = tools.patch.plane.map(|(n, _)| -pair.b_in_a.dir(&n));
    for n in [on_b, on_a].into_iter().flatten().filter(|n| n.dot(&found) >= SNAP_COSINE) {
        let sigma = pair.separation_along(&n);
        if sigma >= floor {
            axis = Axis { n, sigma };
        }
    }
    axis
}
