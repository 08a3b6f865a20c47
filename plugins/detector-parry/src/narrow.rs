//! Two shapes in, their contact points out.

use crate::config::{ConvexCorners, Limits};
use crate::corner::alternatives;
use crate::gjk::Pair;
use crate::manifold::{self, Point, Scale, contacts, thicken};
use crate::math::Aabb;
use crate::mesh_pair::{self, Workspace};
use crate::polytope::Polytope;
use crate::separation::{closest_points, separation};
use crate::solid::{Convex, Core, Solid};
use crate::{ball, ball_mesh, feature, halfspace};
use vinci_detect::{Frame, Vec3};

/// A shape and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) solid: &'a Solid,
    pub(crate) frame: &'a Frame,
}

fn rank(solid: &Solid) -> u32 {
    match solid {
        Solid::HalfSpace => 0,
        Solid::Mesh(_) => 1,
        Solid::Convex(_) => 2,
        Solid::Ball(_) => 3,
    }
}

/// Replaces `out` by the contacts of two shapes: world frame, features and normal from `a` to `b`, sorted by feature.
pub(crate) fn pair_contacts(
    a: Placed<'_>,
    b: Placed<'_>,
    margin: f64,
    limits: &Limits,
    ws: &mut Workspace,
    out: &mut Vec<Point>,
) {
    out.clear();
    let turned = rank(a.solid) > rank(b.solid);
    let (first, second) = if turned { (b, a) } else { (a, b) };
    let size = a.solid.size().min(b.solid.size());
    let scale = Scale { margin, merge: limits.merge_tolerance * size, size };
    ordered(first, second, &scale, ws, out);
    manifold::tidy(out, &scale, limits.max_points);
    if limits.corners == ConvexCorners::Or
        && let (Some(p), Some(q)) = (polytope(first.solid), polytope(second.solid))
    {
        alternatives((p, q), &first.frame.relative(second.frame), &scale, &mut ws.corners, out);
    }
    for p in out.iter_mut() {
        p.on_a = first.frame.point(&p.on_a);
        p.on_b = first.frame.point(&p.on_b);
        p.normal = first.frame.dir(&p.normal);
        if turned {
            std::mem::swap(&mut p.on_a, &mut p.on_b);
            std::mem::swap(&mut p.feature_a, &mut p.feature_b);
            p.normal = -p.normal;
        }
    }
    out.sort_unstable_by_key(|p| (p.feature_a, p.feature_b));
}

/// A box or a hull.
fn polytope(solid: &Solid) -> Option<&Polytope> {
    match solid {
        Solid::Convex(Convex { core: Core::Polytope(p), radius, .. }) if *radius == 0.0 => Some(p),
        _ => None,
    }
}

/// Contacts in the frame of `a`, whose kind ranks before that of `b`.
fn ordered(a: Placed<'_>, b: Placed<'_>, scale: &Scale, ws: &mut Workspace, out: &mut Vec<Point>) {
    let b_in_a = a.frame.relative(b.frame);
    match (a.solid, b.solid) {
        (Solid::HalfSpace, other) => halfspace::contacts(other, &b_in_a, &ws.tools.rim, out),
        (Solid::Ball(ra), Solid::Ball(rb)) => out.push(balls(*ra, *rb, &b_in_a.pos)),
        (Solid::Convex(c), Solid::Ball(r)) => out.push(convex_ball(c, *r, &b_in_a.pos)),
        (Solid::Convex(c), Solid::Convex(d)) => convex_pair(c, d, &b_in_a, scale, ws, out),
        (Solid::Mesh(m), Solid::Ball(r)) => {
            let query = Aabb { min: b_in_a.pos, max: b_in_a.pos }.grown((r + scale.margin).max(0.0));
            mesh_pair::triangles_near(m, &query, &mut ws.near_a);
            ball_mesh::contacts(m, &ws.near_a, &b_in_a.pos, *r, scale.margin, out);
        }
        (Solid::Mesh(m), Solid::Convex(c)) => mesh_pair::convex_contacts(m, c, &b_in_a, scale, ws, out),
        (Solid::Mesh(m), Solid::Mesh(other)) => mesh_pair::mesh_contacts(m, other, &b_in_a, scale, ws, out),
        // Not reached: `rank` orders the kinds.
        (_, _) => {}
    }
}

/// Two balls, the second at `x`: normal along the centres (z if they coincide).
fn balls(ra: f64, rb: f64, x: &Vec3) -> Point {
    let d = x.norm();
    let normal = if d > 0.0 { x / d } else { Vec3::z() };
    let (on_a, on_b) = (normal * ra, x - normal * rb);
    Point { feature_a: 0, feature_b: 0, gap: d - ra - rb, normal, on_a, on_b, group: 0 }
}

/// A ball at `x`. One contact per pair, so one identity, however the ball rolls from face to edge.
fn convex_ball(a: &Convex, radius: f64, x: &Vec3) -> Point {
    let (normal, distance) = ball::surface(&a.core, x);
    let gap = distance - a.radius - radius;
    let on_b = x - normal * radius;
    Point { feature_a: 0, feature_b: 0, gap, normal, on_a: on_b - normal * gap, on_b, group: 0 }
}

fn convex_pair(
    a: &Convex,
    b: &Convex,
    b_in_a: &Frame,
    scale: &Scale,
    ws: &mut Workspace,
    out: &mut Vec<Point>,
) {
    let pair = Pair::new(&a.core, &b.core, *b_in_a);
    let limit = scale.margin + a.radius + b.radius;
    let Some(axis) = separation(&pair, scale.size, limit, &mut ws.tools) else { return };
    ws.patch_a.fill(&a.core, &axis.n, &ws.tools.rim);
    ws.patch_b.fill(&b.core, &b_in_a.dir_back(&-axis.n), &ws.tools.rim);
    ws.patch_b.place(b_in_a);
    if !contacts(&axis, &ws.patch_a, &ws.patch_b, scale, limit, out) {
        let (on_a, on_b) = closest_points(&pair, &axis, scale.size);
        let id = feature::CLOSEST;
        out.push(Point {
            feature_a: id,
            feature_b: id,
            gap: axis.sigma,
            normal: axis.n,
            on_a,
            on_b,
            group: 0,
        });
    }
    thicken(0, [a.radius, b.radius], out);
}
