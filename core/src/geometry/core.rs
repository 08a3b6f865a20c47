//! Cores: what shapes are before they are grown by a radius.

use super::boundary::Boundary;
use super::convex_hull;
use crate::model::{ShapeKind, ShapeView};
use nalgebra::Vector3;

/// Core of a shape, which its radius thickens.
#[derive(Debug, Clone)]
pub(super) enum Core {
    /// All points with n·x ≤ 0.
    Half(Vector3<f64>),
    /// The origin.
    Point,
    /// Between two points.
    Stick([Vector3<f64>; 2]),
    /// Half edges.
    Box(Vector3<f64>),
    /// Bounded by facets, convex.
    Hull(Boundary),
    /// Axis z.
    Cylinder {
        /// Half the height, m.
        half: f64,
        /// m.
        radius: f64,
    },
    /// Apex at +z.
    Cone {
        /// Half the height, m.
        half: f64,
        /// Radius of the base at −z, m.
        radius: f64,
    },
    /// (|x/a|^p2 + |y/b|^p2)^(p1/p2) + |z/c|^p1 ≤ 1; in the plane c = 0.
    Super {
        /// Half axes, m.
        axes: Vector3<f64>,
        /// Outer exponent p1.
        outer: f64,
        /// Inner exponent p2.
        inner: f64,
    },
    /// Bounded by facets, not known to be convex.
    Surface(Boundary),
}

pub(super) fn core(kind: ShapeKind, shape: &ShapeView<'_>) -> Option<(Core, f64)> {
    let p = shape.params;
    let sharp = |core: Core| Some((core, 0.0));
    match (kind, p) {
        (ShapeKind::HalfPlane, _) => sharp(Core::Half(Vector3::y())),
        (ShapeKind::HalfSpace, _) => sharp(Core::Half(Vector3::z())),
        (ShapeKind::Disc | ShapeKind::Ball, &[r]) => Some((Core::Point, r)),
        (ShapeKind::PlanarCapsule, &[half, r]) => Some((stick(Vector3::x() * half), r)),
        (ShapeKind::Capsule, &[half, r]) => Some((stick(Vector3::z() * half), r)),
        (ShapeKind::Segment, &[x0, y0, x1, y1]) => {
            sharp(Core::Stick([Vector3::new(x0, y0, 0.0), Vector3::new(x1, y1, 0.0)]))
        }
        (ShapeKind::Superellipse, &[a, b, s]) => {
            sharp(Core::Super { axes: Vector3::new(a, b, 0.0), outer: s, inner: s })
        }
        (ShapeKind::Superellipsoid, &[a, b, c, e1, e2]) => {
            sharp(Core::Super { axes: Vector3::new(a, b, c), outer: 2.0 / e1, inner: 2.0 / e2 })
        }
        (ShapeKind::Box, &[x, y, z]) => sharp(Core::Box(Vector3::new(x, y, z))),
        (ShapeKind::Cylinder, &[half, radius]) => sharp(Core::Cylinder { half, radius }),
        (ShapeKind::Cone, &[half, radius]) => sharp(Core::Cone { half, radius }),
        (ShapeKind::Polygon, p) => polygon(p).and_then(sharp),
        (ShapeKind::ConvexHull, p) => {
            let points = spatial(p);
            let triangles = convex_hull(&points).ok()?;
            sharp(Core::Hull(Boundary::of_triangles(&points, &triangles)))
        }
        (ShapeKind::TriMesh, p) => {
            let (points, n) = (spatial(p), p.len() / 3);
            let triangles: Vec<[u32; 3]> =
                shape.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
            let sound = !triangles.is_empty() && triangles.iter().flatten().all(|v| (*v as usize) < n);
            sound.then(|| (Core::Surface(Boundary::of_triangles(&points, &triangles)), 0.0))
        }
        _ => None,
    }
}

fn stick(end: Vector3<f64>) -> Core {
    if end == Vector3::zeros() { Core::Point } else { Core::Stick([-end, end]) }
}

fn spatial(p: &[f64]) -> Vec<Vector3<f64>> {
    p.chunks_exact(3).map(Vector3::from_column_slice).collect()
}

/// Counter-clockwise corners; convex where no corner turns right by more than rounding.
fn polygon(p: &[f64]) -> Option<Core> {
    let x: Vec<Vector3<f64>> = p.chunks_exact(2).map(|c| Vector3::new(c[0], c[1], 0.0)).collect();
    let n = x.len();
    if n < 3 {
        return None;
    }
    let turn = |i: usize| {
        let (d, e) = (x[(i + 1) % n] - x[i], x[(i + 2) % n] - x[(i + 1) % n]);
        (d.x * e.y - d.y * e.x) / (d.norm() * e.norm())
    };
    // The detectors call corners within this angle straight.
    let convex = (0..n).all(|i| turn(i) >= -1e-9);
    let boundary = Boundary::of_loop(&x);
    Some(if convex { Core::Hull(boundary) } else { Core::Surface(boundary) })
}

/// A ball around a core.
pub(super) fn ball(core: &Core) -> (Vector3<f64>, f64) {
    let origin = Vector3::zeros();
    match core {
        Core::Half(_) => (origin, f64::INFINITY),
        Core::Point => (origin, 0.0),
        Core::Stick([p, q]) => ((p + q) * 0.5, (q - p).norm() * 0.5),
        Core::Box(half) => (origin, half.norm()),
        Core::Cylinder { half, radius } | Core::Cone { half, radius } => (origin, half.hypot(*radius)),
        // With exponents of at least 1 the unit ball lies in the box of the axes, up to 2 in the ellipsoid.
        Core::Super { axes, outer, inner } if *outer <= 2.0 && *inner <= 2.0 => (origin, axes.amax()),
        Core::Super { axes, .. } => (origin, axes.norm()),
        Core::Hull(boundary) | Core::Surface(boundary) => boundary.ball(),
    }
}
