//! Supports, surfaces and thickness of single shapes.

use nalgebra::Vector3;
use vinci_core::geometry::{Frame, Placed};
use vinci_core::model::{ShapeKind, Space};

use super::common::*;

fn all() -> Vec<(Space, Shape)> {
    let planar = planar_convex().into_iter().map(|s| (Space::Planar, s));
    let spatial = spatial_convex().into_iter().map(|s| (Space::Spatial, s));
    planar.chain(spatial).collect()
}

fn direction(dice: &mut Dice, space: Space) -> V {
    let d = dice.unit();
    match space {
        Space::Planar => V::new(d.x, d.y, 0.0).normalize(),
        Space::Spatial => d,
    }
}

/// Returns true if a point in the shape's own axes is inside, by the equations in the documentation of the kinds.
fn holds(kind: ShapeKind, p: &[f64], x: &V, slack: f64) -> bool {
    let s = 1.0 + slack;
    let on_axis = |t: f64, half: f64| t.clamp(-half, half);
    match kind {
        ShapeKind::Disc | ShapeKind::Ball => x.norm() <= p[0] * s,
        ShapeKind::PlanarCapsule => (x - V::x() * on_axis(x.x, p[0])).norm() <= p[1] * s,
        ShapeKind::Capsule => (x - V::z() * on_axis(x.z, p[0])).norm() <= p[1] * s,
        ShapeKind::Box => (0..3).all(|k| x[k].abs() <= p[k] * s),
        ShapeKind::Cylinder => x.z.abs() <= p[0] * s && x.x.hypot(x.y) <= p[1] * s,
        ShapeKind::Cone => x.z >= -p[0] * s && x.x.hypot(x.y) <= p[1] * (p[0] - x.z) / (2.0 * p[0]) + slack,
        ShapeKind::Superellipse => (x.x / p[0]).abs().powf(p[2]) + (x.y / p[1]).abs().powf(p[2]) <= s,
        ShapeKind::Superellipsoid => {
            let (outer, inner) = (2.0 / p[3], 2.0 / p[4]);
            let section = (x.x / p[0]).abs().powf(inner) + (x.y / p[1]).abs().powf(inner);
            section.powf(outer / inner) + (x.z / p[2]).abs().powf(outer) <= s
        }
        _ => unreachable!(),
    }
}

fn has_equation(kind: ShapeKind) -> bool {
    !matches!(kind, ShapeKind::Polygon | ShapeKind::Segment | ShapeKind::ConvexHull)
}

#[test]
fn supports_lie_in_the_shape_and_nothing_in_it_lies_farther() {
    let mut dice = Dice(1);
    for (space, shape) in all().iter().filter(|(_, s)| has_equation(s.kind)) {
        let solid = shape.solid();
        let placed = solid.place(&Frame::identity());
        for _ in 0..300 {
            let d = direction(&mut dice, *space);
            let x = placed.support(&d);
            assert!(holds(shape.kind, &shape.params, &x, 1e-9), "{:?} {d}", shape.kind);
            assert!((placed.extent(&d) - d.dot(&x)).abs() < 1e-14);
            let mut y = dice.vector();
            if *space == Space::Planar {
                y.z = 0.0;
            }
            if holds(shape.kind, &shape.params, &y, 0.0) {
                assert!(d.dot(&y) <= d.dot(&x) + 1e-12, "{:?} {d} {y}", shape.kind);
            }
        }
    }
}

/// The largest n·x − h(n) over very many directions: the signed distance from below, closely.
fn by_directions(placed: &Placed<'_>, space: Space, x: &V) -> f64 {
    let value = |n: &V| n.dot(x) - placed.extent(n);
    let n = if space == Space::Planar { 720 } else { 4000 };
    let spread = |i: usize| match space {
        Space::Planar => {
            let a = std::f64::consts::TAU * i as f64 / n as f64;
            V::new(a.cos(), a.sin(), 0.0)
        }
        Space::Spatial => {
            let (z, a) = ((2 * i + 1) as f64 / n as f64 - 1.0, 2.399_963_229_728_653 * i as f64);
            let r = (1.0 - z * z).sqrt();
            V::new(r * a.cos(), r * a.sin(), z)
        }
    };
    let mut best = (0..n)
        .map(spread)
        .map(|m| (value(&m), m))
        .fold((f64::MIN, V::x()), |b, c| if c.0 > b.0 { c } else { b });
    let mut width = 0.05;
    while width > 1e-9 {
        let centre = best.1;
        let t = centre.cross(&V::ith(centre.iamin(), 1.0)).normalize();
        let u = centre.cross(&t);
        for k in 0..49 {
            let (a, b) = (f64::from(k % 7 - 3) / 3.0 * width, f64::from(k / 7 - 3) / 3.0 * width);
            let mut m = centre + t * a + u * b;
            if space == Space::Planar {
                m.z = 0.0;
            }
            let m = m.normalize();
            if value(&m) > best.0 {
                best = (value(&m), m);
            }
        }
        width *= 0.8;
    }
    best.0
}

#[test]
fn signed_distances_are_those_of_the_support_function() {
    let mut dice = Dice(2);
    for (space, shape) in &all() {
        let solid = shape.solid();
        let is_super = matches!(shape.kind, ShapeKind::Superellipse | ShapeKind::Superellipsoid);
        for _ in 0..12 {
            let frame = dice.frame(*space, 0.3);
            let placed = solid.place(&frame);
            let mut x = frame.at + dice.vector() * 0.8;
            if *space == Space::Planar {
                x.z = 0.0;
            }
            let (found, expected) = (placed.signed_distance(&x), by_directions(&placed, *space, &x));
            // A segment has no inside, and its support function sees it from the side only.
            if shape.kind == ShapeKind::Segment {
                assert!(found >= expected - 1e-7, "{found} {expected}");
            } else if is_super {
                assert!(
                    found <= expected + 1e-7 && found > expected - 0.05,
                    "{:?}: {found} {expected}",
                    shape.kind
                );
            } else {
                // The search for directions stalls at kinks, always below; outside, the nearest point says the rest.
                assert!(
                    found > expected - 1e-9 && found < expected + 2e-3,
                    "{:?}: {found} {expected}",
                    shape.kind
                );
                let probe = match space {
                    Space::Planar => super::common::shape(ShapeKind::Disc, &[1e-9]).solid(),
                    Space::Spatial => super::common::shape(ShapeKind::Ball, &[1e-9]).solid(),
                };
                let at = probe.place(&Frame { at: x, ..Frame::identity() });
                let nearest = vinci_core::geometry::distance(&placed, &at, f64::INFINITY).upper;
                assert!(
                    found <= 0.0 || (found - nearest - 1e-9).abs() < 1e-7,
                    "{:?}: {found} {nearest}",
                    shape.kind
                );
            }
        }
    }
}

#[test]
fn points_near_a_superquadric_are_at_their_distance() {
    let mut dice = Dice(3);
    for (space, shape) in &all() {
        if !matches!(shape.kind, ShapeKind::Superellipse | ShapeKind::Superellipsoid) {
            continue;
        }
        let solid = shape.solid();
        let placed = solid.place(&Frame::identity());
        for _ in 0..100 {
            let n = direction(&mut dice, *space);
            let x = placed.support(&n);
            assert!(placed.signed_distance(&x).abs() < 1e-12);
            for off in [1e-3, 1e-5] {
                assert!((placed.signed_distance(&(x + n * off)) - off).abs() < 1e-9, "{n} {off}");
                let inside = placed.signed_distance(&(x - n * 1e-2 * off));
                assert!(inside < 0.0 && inside > -1.01e-2 * off, "{n} {off} {inside}");
            }
        }
    }
}

#[test]
fn nothing_is_thinner_than_its_thickness_and_most_are_as_thin() {
    let mut dice = Dice(4);
    for (space, shape) in &all() {
        let solid = shape.solid();
        let placed = solid.place(&Frame::identity());
        let width = |n: &V| placed.extent(n) + placed.extent(&-n);
        let mut least = f64::INFINITY;
        for k in 0..3 {
            least = least.min(width(&Vector3::ith(if *space == Space::Planar { k % 2 } else { k }, 1.0)));
        }
        for _ in 0..20_000 {
            least = least.min(width(&direction(&mut dice, *space)));
        }
        let found = solid.thickness();
        assert!(found <= least * (1.0 + 1e-12), "{:?}: {found} {least}", shape.kind);
        let exact = !matches!(
            shape.kind,
            ShapeKind::ConvexHull | ShapeKind::Superellipsoid | ShapeKind::Superellipse | ShapeKind::Segment
        );
        assert!(!exact || found > 0.99 * least, "{:?}: {found} {least}", shape.kind);
        assert!(shape.kind == ShapeKind::Segment || found > 0.4 * least, "{:?}: {found} {least}", shape.kind);
    }
}

#[test]
fn boundaries_of_notched_polygons_and_meshes_are_at_their_distance() {
    let ell = shape(ShapeKind::Polygon, &[0.0, 0.0, 3.0, 0.0, 3.0, 1.0, 1.0, 1.0, 1.0, 3.0, 0.0, 3.0]);
    let solid = ell.solid();
    assert!(!solid.is_convex() && solid.thickness() == 0.0);
    let placed = solid.place(&Frame::identity());
    let at = |x: f64, y: f64| placed.signed_distance(&V::new(x, y, 0.0));
    assert!((at(2.0, 1.5) - 0.5).abs() < 1e-15);
    assert!((at(0.5, 0.5) - 0.5).abs() < 1e-15);
    assert!((at(4.0, 2.0) - 2.0_f64.sqrt()).abs() < 1e-15);
    let mesh = box_mesh([1.0, 2.0, 3.0]).solid();
    let solid = shape(ShapeKind::Box, &[1.0, 2.0, 3.0]).solid();
    let mut dice = Dice(5);
    for _ in 0..200 {
        let frame = dice.frame(Space::Spatial, 1.0);
        let x = dice.vector() * 5.0;
        let (m, b) = (mesh.place(&frame).signed_distance(&x), solid.place(&frame).signed_distance(&x));
        assert!((m - b.abs()).abs() < 1e-13, "{m} {b}");
    }
}

#[test]
fn parameters_that_describe_nothing_make_no_solid() {
    let none = |kind, params: &[f64]| {
        let s = shape(kind, params);
        let space = if s.pose.len() == 3 { Space::Planar } else { Space::Spatial };
        vinci_core::geometry::Solid::new(space, &s.view()).is_none()
    };
    assert!(none(ShapeKind::Ball, &[]));
    assert!(none(ShapeKind::Polygon, &[0.0, 0.0, 1.0, 0.0]));
    assert!(none(ShapeKind::ConvexHull, &[0.0; 12]));
    assert!(none(ShapeKind::TriMesh, &[0.0; 9]));
}
