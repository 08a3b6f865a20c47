//! Depth of two convex shapes in each other.

use nalgebra::Vector3;

use super::core::Core;
use super::gjk::bounds;
use super::solid::Placed;
use crate::model::{ShapeKind, Space};

/// Facets of a hull up to which all of its edges are tried.
const MOST_FACETS: usize = 64;

/// Sine of the angle below which two directions are one.
const SAME: f64 = 1e-6;

/// The least way that takes two convex shapes apart, m; 0 or below where they are apart. None where the cores overlap and one of them
/// is not made of few corners.
///
/// Cores that are apart: radii less their distance. Else the least overlap along the normals of faces and, in space, along what is
/// square to an edge of each (separating axes; exact for shapes with corners).
pub(super) fn depth(a: &Placed<'_>, b: &Placed<'_>, space: Space) -> Option<f64> {
    let grown = a.solid.radius + b.solid.radius;
    let found = bounds(a, b, f64::INFINITY);
    if found.lower > 0.0 {
        return Some(grown - found.upper);
    }
    if !(has_few_corners(&a.solid.core) && has_few_corners(&b.solid.core)) {
        return None;
    }
    let mut least = f64::INFINITY;
    let mut along = |n: &Vector3<f64>| {
        let overlap = n.dot(&(a.core_support(n) - b.core_support(&-n)));
        least = least.min(overlap);
    };
    let flat = |n: &Vector3<f64>| space == Space::Spatial || n.z.abs() < 0.5;
    a.for_normals(MOST_FACETS, &mut |n| {
        if flat(n) {
            along(n)
        }
    });
    b.for_normals(MOST_FACETS, &mut |n| {
        if flat(n) {
            along(&-n)
        }
    });
    if space == Space::Spatial {
        let (of_a, of_b) = (edges(a), edges(b));
        for n in
            of_a.iter().flat_map(|d| of_b.iter().map(|e| d.cross(e))).filter_map(|n| n.try_normalize(SAME))
        {
            along(&n);
            along(&-n);
        }
    }
    least.is_finite().then_some(least + grown)
}

/// How far the direction n (out of `a`, towards `b`) is from the nearest separating axis of two convex shapes, a sine: the normal of a
/// face of either, or, in space, what is square to an edge of each. None where one of them is not made of few corners.
pub(super) fn off_axis(a: &Placed<'_>, b: &Placed<'_>, n: &Vector3<f64>, space: Space) -> Option<f64> {
    if !(has_few_corners(&a.solid.core) && has_few_corners(&b.solid.core)) {
        return None;
    }
    let mut least = f64::INFINITY;
    a.for_normals(MOST_FACETS, &mut |m| least = least.min((n - m).norm()));
    b.for_normals(MOST_FACETS, &mut |m| least = least.min((n + m).norm()));
    if space == Space::Spatial {
        let (of_a, of_b) = (edges(a), edges(b));
        let crossed = |d: &Vector3<f64>, e: &Vector3<f64>| d.cross(e).norm() > SAME;
        for (d, e) in
            of_a.iter().flat_map(|d| of_b.iter().map(move |e| (d, e))).filter(|(d, e)| crossed(d, e))
        {
            least = least.min(n.dot(d).abs().max(n.dot(e).abs()));
        }
    }
    Some(least)
}

/// Returns true if the separating axes of a core are few enough to be tried, those of a ball's centre and a capsule's stick among them.
fn has_few_corners(core: &Core) -> bool {
    match core {
        Core::Point | Core::Stick(_) | Core::Box(_) => true,
        Core::Hull(boundary) => boundary.facets.len() <= MOST_FACETS,
        Core::Half(_) | Core::Cylinder { .. } | Core::Cone { .. } | Core::Super { .. } | Core::Surface(_) => {
            false
        }
    }
}

/// Directions of the edges, world, each once.
fn edges(shape: &Placed<'_>) -> Vec<Vector3<f64>> {
    let mut out: Vec<Vector3<f64>> = Vec::new();
    let mut add = |d: Vector3<f64>| {
        if let Some(d) = d.try_normalize(0.0)
            && out.iter().all(|known| known.cross(&d).norm() > SAME)
        {
            out.push(d);
        }
    };
    match &shape.solid.core {
        Core::Box(_) => (0..3).for_each(|k| add(shape.frame.dir(&Vector3::ith(k, 1.0)))),
        Core::Stick([p, q]) if shape.solid.kind != ShapeKind::Segment => add(shape.frame.dir(&(q - p))),
        Core::Hull(boundary) => {
            let sides = boundary.facets.iter().flat_map(super::facet::Facet::edges);
            sides.for_each(|[p, q]| add(shape.frame.dir(&(q - p))));
        }
        _ => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Frame, Solid};
    use crate::model::ShapeView;

    fn solid(space: Space, kind: ShapeKind, params: &[f64]) -> Solid {
        let pose: &[f64] =
            if space == Space::Planar { &[0.0; 3] } else { &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] };
        Solid::new(space, &ShapeView { kind: kind as u32, body: 0, pose, params, indices: &[] }).unwrap()
    }

    fn of(space: Space, [a, b]: [&Solid; 2], pose: &[f64]) -> Option<f64> {
        depth(&a.place(&Frame::identity()), &b.place(&Frame::of_pose(space, pose)), space)
    }

    #[test]
    fn boxes_and_balls_in_each_other() {
        let (ball, cube) = (
            solid(Space::Spatial, ShapeKind::Ball, &[0.1]),
            solid(Space::Spatial, ShapeKind::Box, &[0.5, 0.5, 0.5]),
        );
        let at = |x: f64| [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        assert!((of(Space::Spatial, [&cube, &cube], &at(0.7)).unwrap() - 0.3).abs() < 1e-12);
        assert!((of(Space::Spatial, [&cube, &ball], &at(0.55)).unwrap() - 0.05).abs() < 1e-12);
        assert!((of(Space::Spatial, [&cube, &ball], &at(0.45)).unwrap() - 0.15).abs() < 1e-12);
        // Edge in edge: turned by 45 degrees about x and about y, one above the other.
        let (half, turn) = (0.5_f64.sqrt(), std::f64::consts::FRAC_PI_8);
        let tilted = |axis: usize, z: f64| {
            let mut pose = [0.0, 0.0, z, turn.cos(), 0.0, 0.0, 0.0];
            pose[4 + axis] = turn.sin();
            pose
        };
        let (a, b) = (tilted(0, 0.0), tilted(1, 2.0 * half - 0.01));
        let place = |pose: &[f64]| cube.place(&Frame::of_pose(Space::Spatial, pose));
        let found = depth(&place(&a), &place(&b), Space::Spatial).unwrap();
        assert!((found - 0.01).abs() < 1e-12, "{found}");
    }

    #[test]
    fn axes_are_normals_of_faces_and_crossed_edges() {
        let cube = solid(Space::Spatial, ShapeKind::Box, &[0.5, 0.5, 0.5]);
        let turn = std::f64::consts::FRAC_PI_8;
        let frame = Frame::of_pose(Space::Spatial, &[0.0, 0.0, 1.0, turn.cos(), 0.0, 0.0, turn.sin()]);
        let (a, b) = (cube.place(&Frame::identity()), cube.place(&frame));
        let off = |n: Vector3<f64>| off_axis(&a, &b, &n.normalize(), Space::Spatial).unwrap();
        assert!(off(Vector3::z()) < 1e-15 && off(Vector3::new(1.0, 1.0, 0.0)) < 1e-15);
        // The upright edges of both are parallel: what is square to them alone is no axis.
        assert!(off(Vector3::new(1.0, 0.3, 0.0)) > 0.2);
        assert!((off(Vector3::new(0.2, 0.1, 1.0)) - 0.0975).abs() < 1e-3);
        let wide = solid(Space::Planar, ShapeKind::Box, &[2.0, 0.5, 0.5]);
        let (a, b) = (wide.place(&Frame::identity()), wide.place(&Frame::identity()));
        assert!(
            (off_axis(&a, &b, &Vector3::new(0.6, 0.8, 0.0), Space::Planar).unwrap() - 0.4_f64.sqrt()).abs()
                < 1e-12
        );
    }

    /// The corner of a tilted box in a wide one: what a detector hides that leaves one corner out.
    #[test]
    fn corners_in_planar_boxes() {
        let (wide, small) = (
            solid(Space::Planar, ShapeKind::Box, &[2.0, 0.5, 0.5]),
            solid(Space::Planar, ShapeKind::Box, &[0.1, 0.05, 0.05]),
        );
        let angle = 0.3_f64;
        let low = 0.1 * angle.sin() + 0.05 * angle.cos();
        let pose = [0.0, 0.5 + low - 0.02, angle];
        assert!((of(Space::Planar, [&wide, &small], &pose).unwrap() - 0.02).abs() < 1e-12);
    }
}
