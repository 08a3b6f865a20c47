//! Widths of shapes and bodies, which overlaps are compared with.

use nalgebra::{Matrix3, Vector3};

use crate::geometry::{Frame, convex_hull};
use crate::model::{Shape, ShapeKind, System};

/// Most corners whose hull is looked at; of more the extents along the axes of the frame must do.
const MOST_CORNERS: usize = 2000;

/// Most shapes of a body whose axes are looked along.
const MOST_FRAMES: usize = 1000;

/// Widths of the bodies, m: that of a body's only shape, or the smallest extent of the balls around all of its shapes, along the
/// axes of the body and of its shapes; ∞ without a shape. `least`: widths of the shapes.
pub(super) fn of_bodies(system: &System, least: &[f64]) -> Vec<f64> {
    let mut own = vec![Vec::new(); system.bodies.len()];
    for (shape, &least) in system.shapes.iter().zip(least) {
        own[shape.body as usize].push((Frame::of_pose(system.space, &shape.pose), least));
    }
    own.iter().map(|shapes| of_shapes(shapes, system.space.dim())).collect()
}

/// Width of shapes that stand in these frames and have these widths of their own, m.
fn of_shapes(shapes: &[(Frame, f64)], dim: usize) -> f64 {
    if let [] | [_] = shapes {
        return shapes.first().map_or(f64::INFINITY, |(_, least)| *least);
    }
    let extent = |n: &Vector3<f64>| {
        let ends = shapes.iter().map(|(frame, least)| (n.dot(&frame.at), 0.5 * least));
        let (low, high) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (x, r)| {
            (low.min(x - r), high.max(x + r))
        });
        high - low
    };
    let turned = shapes.iter().take(MOST_FRAMES).map(|(frame, _)| frame.turn);
    let axes = turned.chain([Matrix3::identity()]);
    axes.flat_map(|axes| (0..dim).map(move |k| axes.column(k).into_owned()))
        .map(|n| extent(&n))
        .fold(f64::INFINITY, f64::min)
}

/// Smallest width of a shape, m, however it lies in its frame: of polygons and hulls across the axes of the frame, their edges and
/// facets. Of a line, which has none, its length.
pub(super) fn of_shape(shape: &Shape) -> f64 {
    let p = &shape.params;
    match shape.kind {
        ShapeKind::Disc | ShapeKind::Ball => 2.0 * p[0],
        ShapeKind::PlanarCapsule | ShapeKind::Capsule => 2.0 * p[1],
        ShapeKind::Cylinder | ShapeKind::Cone => 2.0 * p[0].min(p[1]),
        ShapeKind::Box | ShapeKind::Superellipsoid => 2.0 * p[0].min(p[1]).min(p[2]),
        ShapeKind::Superellipse => 2.0 * p[0].min(p[1]),
        ShapeKind::Segment => (p[2] - p[0]).hypot(p[3] - p[1]),
        ShapeKind::Polygon => {
            let corners: Vec<_> = p.chunks_exact(2).map(|x| Vector3::new(x[0], x[1], 0.0)).collect();
            least_across(&corners, edge_normals(&corners))
        }
        ShapeKind::ConvexHull | ShapeKind::TriMesh => {
            let corners: Vec<_> = p.chunks_exact(3).map(|x| Vector3::new(x[0], x[1], x[2])).collect();
            least_across(&corners, facet_normals(&corners))
        }
        ShapeKind::HalfPlane | ShapeKind::HalfSpace => f64::INFINITY,
    }
}

/// Smallest extent of corners along the axes and the normals that is above 0.
fn least_across(corners: &[Vector3<f64>], normals: Vec<Vector3<f64>>) -> f64 {
    let extent = |n: &Vector3<f64>| {
        let along = corners.iter().map(|x| n.dot(x));
        let (low, high) =
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        high - low
    };
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    // Rounding of the corners of a flat thing is no width.
    let size = axes.iter().map(extent).fold(0.0, f64::max);
    let widths = axes.iter().chain(&normals).map(extent);
    widths.filter(|w| *w > 1e-9 * size).fold(f64::INFINITY, f64::min)
}

fn edge_normals(corners: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let next = corners.iter().cycle().skip(1);
    let across = corners.iter().zip(next).map(|(a, b)| Vector3::new(b.y - a.y, a.x - b.x, 0.0));
    across.filter_map(|n| n.try_normalize(0.0)).collect()
}

fn facet_normals(corners: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    if corners.len() > MOST_CORNERS {
        return Vec::new();
    }
    let across = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|i| corners[i as usize]);
        (b - a).cross(&(c - a)).try_normalize(0.0)
    };
    convex_hull(corners).unwrap_or_default().into_iter().filter_map(across).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Space;

    /// A plate of 0.7 mm along the diagonal of its frame is 0.7 mm thick, as polygon and as hull.
    #[test]
    fn widths_do_not_depend_on_the_frame() {
        let (half, thin) = (0.5, 3.5e-4);
        let (c, s) = (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2);
        let plate = [(-half, -thin), (half, -thin), (half, thin), (-half, thin)];
        let turned = plate.map(|(x, y)| Vector3::new(c * x - s * y, s * x + c * y, 0.0));
        assert!((least_across(&turned, edge_normals(&turned)) - 7e-4).abs() < 1e-12);
        let slab: Vec<_> =
            [-0.3, 0.3].iter().flat_map(|z| turned.map(|x| Vector3::new(x.x, x.y, *z))).collect();
        assert!((least_across(&slab, facet_normals(&slab)) - 7e-4).abs() < 1e-12);
    }

    /// Two planks of 20 mm end to end are 20 mm thick, however they lie on their body.
    #[test]
    fn widths_of_several_shapes_do_not_depend_on_the_frame() {
        for angle in [0.0, 0.7, 2.5] {
            let place = |along: f64| {
                let pose = [along * f64::cos(angle), along * f64::sin(angle), angle];
                (Frame::of_pose(Space::Planar, &pose), 0.02)
            };
            let width = of_shapes(&[place(-0.5), place(0.5)], 2);
            assert!((width - 0.02).abs() < 1e-12, "{angle}: {width}");
        }
        assert_eq!(of_shapes(&[], 2), f64::INFINITY);
    }
}
