//! A ball against a mesh: one contact for every local minimum of the distance from the centre to the surface.
//!
//! Inner edges cannot catch a rolling ball: on an edge or vertex the distance has a local minimum only if the centre
//! lies in that feature's normal cone, and flat or concave edges have none.

use crate::feature;
use crate::manifold::Point;
use crate::math::segment_parameter;
use crate::mesh::Mesh;
use vinci_detect::Vec3;

/// Closest point of a triangle to the centre of a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nearest {
    pub(crate) point: Vec3,
    pub(crate) distance: f64,
    /// Height of the centre over the triangle's plane.
    pub(crate) height: f64,
    /// The triangle.
    pub(crate) triangle: u32,
}

/// Returns true if `x` projects into a triangle with unit normal `n`.
pub(crate) fn over_triangle(c: &[Vec3; 3], n: &Vec3, x: &Vec3) -> bool {
    (0..3).all(|k| (x - c[k]).dot(&n.cross(&(c[(k + 1) % 3] - c[k]))) >= 0.0)
}

/// Closest point of triangle `t` to `x`.
fn nearest_on(mesh: &Mesh, t: u32, x: &Vec3) -> (Nearest, bool) {
    let c = mesh.corners(t as usize);
    let n = mesh.normals[t as usize];
    let height = n.dot(&(x - c[0]));
    let over = over_triangle(&c, &n, x);
    let mut point = x - n * height;
    let mut distance = height.abs();
    if !over {
        distance = f64::MAX;
        for k in 0..3 {
            let (a, b) = (c[k], c[(k + 1) % 3]);
            let q = a + (b - a) * segment_parameter(x, &a, &b);
            if (x - q).norm() < distance {
                (point, distance) = (q, (x - q).norm());
            }
        }
    }
    (Nearest { point, distance, height, triangle: t }, over)
}

/// The closest of some triangles. Of several that share the closest point, the one whose plane is seen most squarely:
/// the sign of its height tells inside from outside.
pub(crate) fn nearest(mesh: &Mesh, triangles: &[u32], x: &Vec3) -> Option<Nearest> {
    let mut best: Option<Nearest> = None;
    for &t in triangles {
        let (n, _) = nearest_on(mesh, t, x);
        let better = |b: &Nearest| {
            let slack = 1e-9 * mesh.size;
            n.distance < b.distance - slack
                || (n.distance <= b.distance + slack && n.height.abs() > b.height.abs() + slack)
        };
        if best.as_ref().is_none_or(better) {
            best = Some(n);
        }
    }
    best
}

/// Appends the contacts of a ball (centre `x` in the frame of the mesh, the mesh is A).
pub(crate) fn contacts(
    mesh: &Mesh,
    triangles: &[u32],
    x: &Vec3,
    radius: f64,
    reach: f64,
    out: &mut Vec<Point>,
) {
    let mut push = |id: u32, normal: Vec3, distance: f64, on_a: Vec3| {
        let gap = distance - radius;
        out.push(Point {
            feature_a: id,
            feature_b: 0,
            gap,
            normal,
            on_a,
            on_b: x - normal * radius,
            group: 0,
        });
    };
    let Some(closest) = nearest(mesh, triangles, x) else { return };
    if closest.height < 0.0 {
        // The centre is inside: out by the shortest way.
        let t = closest.triangle as usize;
        let normal = (closest.point - x).try_normalize(1e-12 * mesh.size).unwrap_or(mesh.normals[t]);
        push(feature::FACE | mesh.region[t], normal, -closest.distance, closest.point);
        return;
    }
    for &t in triangles {
        let (n, over) = nearest_on(mesh, t, x);
        if over && n.height >= 0.0 && n.distance - radius <= reach {
            push(feature::FACE | mesh.region[t as usize], mesh.normals[t as usize], n.height, n.point);
        }
        if n.distance - radius <= reach {
            edges_and_corners(mesh, t, x, radius + reach, &mut push);
        }
    }
}

fn edges_and_corners(mesh: &Mesh, t: u32, x: &Vec3, far: f64, push: &mut dyn FnMut(u32, Vec3, f64, Vec3)) {
    let c = mesh.corners(t as usize);
    for k in 0..3 {
        let e = mesh.triangle_edges[t as usize][k];
        let v = mesh.triangles[t as usize][k];
        let (a, b) = (c[k], c[(k + 1) % 3]);
        let s = (x - a).dot(&(b - a)) / (b - a).norm_squared();
        let q = a + (b - a) * s;
        if let Some((n, d)) = unit(&(x - q))
            && (0.0..=1.0).contains(&s)
            && d <= far
            && mesh.edge_allows(e, &n, 0.0)
        {
            push(feature::EDGE | e, n, d, q);
        }
        if let Some((n, d)) = unit(&(x - a))
            && d <= far
            && mesh.vertex_allows(v, &n, 0.0)
        {
            push(v, n, d, a);
        }
    }
}

fn unit(v: &Vec3) -> Option<(Vec3, f64)> {
    let d = v.norm();
    (d > 0.0).then(|| (v / d, d))
}
