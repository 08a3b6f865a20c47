//! Distances of pairs.

use vinci_core::geometry::{Frame, Placed, distance};
use vinci_core::model::{ShapeKind, Space};

use super::common::*;

/// Both bounds are what they say: the lower one by its own direction, the upper one by points of the shapes.
fn certify(p: &Placed<'_>, q: &Placed<'_>, close: f64) -> f64 {
    let gap = distance(p, q, f64::INFINITY);
    let scale = p.solid.size().min(q.solid.size());
    if gap.upper <= 0.0 {
        return 0.0;
    }
    let n = gap.normal;
    assert!((n.norm() - 1.0).abs() < 1e-12);
    let along = -q.extent(&-n) - p.extent(&n);
    assert!((along - gap.lower).abs() < 1e-11 * scale, "{along} {gap:?}");
    assert!(((gap.on_b - gap.on_a).norm() - gap.upper).abs() < 1e-6 * scale, "{gap:?}");
    for (placed, x) in [(p, &gap.on_a), (q, &gap.on_b)] {
        assert!(placed.signed_distance(x).abs() < 1e-6 * scale, "{:?} {gap:?}", placed.solid.kind);
    }
    let open = gap.upper - gap.lower;
    assert!(open >= -1e-13 * scale && open < close * gap.upper.max(1e-3 * scale), "{gap:?}");
    gap.lower
}

#[test]
fn bounds_of_all_convex_pairs_meet() {
    let mut dice = Dice(7);
    for (space, list) in [(Space::Planar, planar_convex()), (Space::Spatial, spatial_convex())] {
        let mut apart = 0;
        for k in [1e-3, 1.0, 1e3] {
            for a in &list {
                for b in &list {
                    let (p, q) = (scaled(a, k).solid(), scaled(b, k).solid());
                    for _ in 0..20 {
                        let (f, g) = (dice.frame(space, 0.9 * k), dice.frame(space, 0.9 * k));
                        apart += u32::from(certify(&p.place(&f), &q.place(&g), 1e-6) > 0.0);
                    }
                }
            }
        }
        assert!(apart > 1000, "{apart}");
    }
}

#[test]
fn overlap_is_told_from_touching_at_a_hair() {
    let (a, b) = (shape(ShapeKind::Box, &[0.5, 0.5, 0.5]).solid(), shape(ShapeKind::Ball, &[0.3]).solid());
    let p = a.place(&Frame::identity());
    for off in [1e-12, 1e-9, 1e-6, 1e-3] {
        let at = |x: f64| Frame { at: V::new(x, 0.1, 0.2), ..Frame::identity() };
        let gap = distance(&p, &b.place(&at(0.8 + off)), 1.0);
        assert!((gap.lower - off).abs() < 1e-14 && (gap.upper - off).abs() < 1e-14, "{gap:?}");
        assert!(distance(&p, &b.place(&at(0.8 - off)), 1.0).upper <= 0.0);
    }
}

#[test]
fn half_spaces_measure_heights_with_a_sign() {
    let ground = shape(ShapeKind::HalfSpace, &[]).solid();
    let cylinder = shape(ShapeKind::Cylinder, &[0.5, 0.2]).solid();
    for z in [-0.1, 0.5, 2.0] {
        let at = Frame { at: V::new(3.0, 4.0, z), ..Frame::identity() };
        let gap = distance(&ground.place(&Frame::identity()), &cylinder.place(&at), 1.0);
        assert!((gap.lower - (z - 0.5)).abs() < 1e-15 && gap.lower == gap.upper);
        assert_eq!(gap.normal, V::z());
    }
}

#[test]
fn meshes_and_notched_polygons_are_as_far_as_their_parts() {
    let mut dice = Dice(8);
    let (mesh, solid) = (box_mesh([0.5, 0.3, 0.2]).solid(), shape(ShapeKind::Box, &[0.5, 0.3, 0.2]).solid());
    let mut apart = 0;
    for other in spatial_convex().iter().map(Shape::solid).chain([box_mesh([0.2, 0.2, 0.4]).solid()]) {
        for _ in 0..60 {
            let (f, g) = (dice.frame(Space::Spatial, 0.9), dice.frame(Space::Spatial, 0.9));
            let found = distance(&mesh.place(&f), &other.place(&g), 1e3);
            let turned = distance(&other.place(&g), &mesh.place(&f), 1e3);
            assert!(
                (found.upper - turned.upper).abs() < 1e-6,
                "{:?} {f:?} {g:?} {found:?} {turned:?}",
                other.kind
            );
            if other.is_convex() {
                let expected = distance(&solid.place(&f), &other.place(&g), 1e3);
                if expected.lower > 1e-3 {
                    assert!((found.upper - expected.upper).abs() < 1e-6, "{found:?} {expected:?}");
                    assert!((found.lower - expected.lower).abs() < 1e-6, "{found:?} {expected:?}");
                    apart += 1;
                }
            }
        }
    }
    assert!(apart > 100, "{apart}");
    let ell =
        shape(ShapeKind::Polygon, &[0.0, 0.0, 3.0, 0.0, 3.0, 1.0, 1.0, 1.0, 1.0, 3.0, 0.0, 3.0]).solid();
    let disc = shape(ShapeKind::Disc, &[0.25]).solid();
    let at = |x: f64, y: f64| Frame { at: V::new(x, y, 0.0), ..Frame::identity() };
    let p = ell.place(&Frame::identity());
    assert!((distance(&p, &disc.place(&at(2.0, 2.0)), 9.0).upper - 0.75).abs() < 1e-12);
    assert!((distance(&disc.place(&at(-1.0, 1.5)), &p, 9.0).upper - 0.75).abs() < 1e-12);
    // Beyond what is asked for only the bound from below is told.
    let far = distance(&p, &disc.place(&at(50.0, 0.5)), 1.0);
    assert!(far.lower >= 1.0 && far.lower <= 46.75 + 1e-9, "{far:?}");
}
