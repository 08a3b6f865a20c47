//! Every shape on a half-space: gaps, counts, points in closed form.

use crate::common::*;
use std::f64::consts::FRAC_PI_2;
use vinci_sdk::core::model::ShapeKind::*;

const TETRA: [f64; 12] = [0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5];

fn on_plane(
    kind: vinci_sdk::core::model::ShapeKind,
    params: &[f64],
    pose: [f64; 7],
    margin: f64,
) -> Vec<Contact> {
    let scene = Scene::default().body("ground", true, HalfSpace, &[]).body("thing", false, kind, params);
    let first = scene.contacts(&[IDENTITY, pose], margin);
    // The same with the half-space second: mirrored contacts.
    let turned = Scene::default().body("thing", false, kind, params).body("ground", true, HalfSpace, &[]);
    let second = turned.contacts(&[pose, IDENTITY], margin);
    assert_eq!(first.len(), second.len());
    for c in &first {
        let other = second.iter().find(|d| d.key.feature_a == c.key.feature_b).unwrap();
        assert_eq!((other.gap, other.n, other.a, other.b), (c.gap, -c.n, c.b, c.a));
    }
    assert!(first.iter().all(|c| c.n == V::z()));
    first
}

#[test]
fn ball() {
    let c = on_plane(Ball, &[0.3], shift(1.0, 2.0, 0.35), 0.05);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap - 0.05).abs() < 1e-15);
    assert_eq!((c[0].a, c[0].b.xy()), (V::new(1.0, 2.0, 0.0), V::new(1.0, 2.0, 0.0).xy()));
    assert_eq!(on_plane(Ball, &[0.3], shift(1.0, 2.0, 0.41), 0.05).len(), 0);
    assert!((on_plane(Ball, &[0.3], shift(0.0, 0.0, -4.0), 0.05)[0].gap + 4.3).abs() < 1e-14);
}

#[test]
fn tilted_plane_far_from_the_origin() {
    let q = turn(V::new(1.0, 2.0, 0.5), 0.7);
    let n = q * V::z();
    let o = V::new(100.0, -50.0, 20.0);
    let scene = Scene::default().body("ground", true, HalfSpace, &[]).body("ball", false, Ball, &[0.25]);
    let c = scene.contacts(&[pose(o, q), pose(o + n * 0.2 + q * V::x() * 3.0, q)], 0.0);
    assert!((c[0].gap + 0.05).abs() < 1e-13);
    assert!((c[0].n - n).norm() < 1e-15);
}

#[test]
fn box_flat_edge_corner() {
    let h = [0.5, 0.3, 0.2];
    for gap in [0.01, 0.0, -0.02] {
        let c = on_plane(Box, &h, shift(0.0, 0.0, 0.2 + gap), 0.01);
        assert_eq!(c.len(), 4);
        assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-15));
        assert!(c.iter().all(|c| c.b.x.abs() == 0.5 && c.b.y.abs() == 0.3));
    }
    // Turned by 45° about y: two points.
    let z = (0.5 + 0.2) / 2f64.sqrt();
    let edge = on_plane(Box, &h, pose(V::new(0.0, 0.0, z), turn(V::y(), FRAC_PI_2 / 2.0)), 0.01);
    assert_eq!(edge.len(), 2);
    assert!(edge.iter().all(|c| c.gap.abs() < 1e-15));
    let q = turn(V::new(1.0, -0.4, 0.2), 0.9);
    let low = (0..8)
        .map(|i| {
            let s = |b: i32| if i & b == 0 { -1.0 } else { 1.0 };
            (q * V::new(s(1) * 0.5, s(2) * 0.3, s(4) * 0.2)).z
        })
        .fold(f64::MAX, f64::min);
    let corner = on_plane(Box, &h, pose(V::new(0.0, 0.0, 1.0), q), 1.0 + low - 0.0 + 1e-9);
    assert!((corner.iter().map(|c| c.gap).fold(f64::MAX, f64::min) - (1.0 + low)).abs() < 1e-14);
}

#[test]
fn a_box_within_the_margin_on_all_sides_shows_only_its_lower_side() {
    let c = on_plane(Box, &[0.1, 0.1, 0.01], shift(0.0, 0.0, 0.01), 0.5);
    assert_eq!(c.len(), 4);
    // Sunk as a whole: still the lower side.
    let c = on_plane(Box, &[0.1, 0.1, 0.01], shift(0.0, 0.0, -1.0), 0.5);
    assert_eq!(c.len(), 4);
    assert!(c.iter().all(|c| (c.gap + 1.01).abs() < 1e-14));
}

#[test]
fn capsule_lying_and_standing() {
    let lying = on_plane(Capsule, &[0.4, 0.1], pose(V::new(0.0, 0.0, 0.11), turn(V::y(), FRAC_PI_2)), 0.02);
    assert_eq!(lying.len(), 2);
    assert!(lying.iter().all(|c| (c.gap - 0.01).abs() < 1e-15 && (c.b.x.abs() - 0.4).abs() < 1e-15));
    let standing = on_plane(Capsule, &[0.4, 0.1], shift(0.0, 0.0, 0.49), 2.0);
    assert_eq!(standing.len(), 1);
    assert!((standing[0].gap + 0.01).abs() < 1e-15);
}

#[test]
fn cylinder_standing_tilted_lying() {
    let (h, r) = (0.3, 0.2);
    let standing = on_plane(Cylinder, &[h, r], shift(0.0, 0.0, 0.301), 0.01);
    assert_eq!(standing.len(), 8);
    assert!(standing.iter().all(|c| (c.gap - 0.001).abs() < 1e-15));
    assert!(standing.iter().all(|c| (c.b.xy().norm() - r).abs() < 1e-15));
    // Tilted: the deepest point is exact, r sin θ + h cos θ below the centre.
    for theta in [1e-3, 0.3, 0.8, 1.2, 1.5] {
        let q = turn(V::new(0.3, 0.7, 0.0), theta);
        let c = on_plane(Cylinder, &[h, r], pose(V::new(0.0, 0.0, 0.4), q), 0.2);
        let gap = c.iter().map(|c| c.gap).fold(f64::MAX, f64::min);
        assert!((gap - (0.4 - r * theta.sin() - h * theta.cos())).abs() < 1e-14, "{theta}: {gap}");
    }
    let lying = on_plane(Cylinder, &[h, r], pose(V::new(0.0, 0.0, 0.2), turn(V::y(), FRAC_PI_2)), 0.01);
    assert_eq!(lying.len(), 2);
    assert!(lying.iter().all(|c| c.gap.abs() < 1e-15 && (c.b.x.abs() - h).abs() < 1e-15));
}

#[test]
fn cone_on_its_base_side_and_apex() {
    let (h, r) = (0.3, 0.2);
    let base = on_plane(Cone, &[h, r], shift(0.0, 0.0, 0.3), 0.01);
    assert_eq!(base.len(), 8);
    assert!(base.iter().all(|c| c.gap.abs() < 1e-15));
    let apex = on_plane(Cone, &[h, r], pose(V::new(0.0, 0.0, 0.29), turn(V::x(), 2.0 * FRAC_PI_2)), 0.01);
    assert_eq!(apex.len(), 1);
    assert!((apex[0].gap + 0.01).abs() < 1e-15);
    // Lying on its side: the side makes the angle atan(r / 2h) with the axis, so the axis tilts by 90° + that.
    let tilt = FRAC_PI_2 + (r / (2.0 * h)).atan();
    let z = h * (r / (2.0 * h)).atan().sin();
    let side = on_plane(Cone, &[h, r], pose(V::new(0.0, 0.0, z), turn(V::y(), tilt)), 0.01);
    assert_eq!(side.len(), 2);
    assert!(side.iter().all(|c| c.gap.abs() < 1e-15), "{side:?}");
}

#[test]
fn hull_and_mesh() {
    let c = on_plane(ConvexHull, &TETRA, shift(0.0, 0.0, 0.5), 0.1);
    assert_eq!(c.len(), 2);
    assert!(c.iter().all(|c| c.gap.abs() < 1e-15));
    let q = turn(V::new(1.0, 1.0, 0.0), 1.0);
    let low = TETRA.chunks_exact(3).map(|p| (q * V::new(p[0], p[1], p[2])).z).fold(f64::MAX, f64::min);
    let c = on_plane(ConvexHull, &TETRA, pose(V::z(), q), 2.0);
    assert!((c.iter().map(|c| c.gap).fold(f64::MAX, f64::min) - (1.0 + low)).abs() < 1e-15);
    let mesh = Scene::default().body("ground", true, HalfSpace, &[]).mesh(
        "tetra",
        false,
        &TETRA,
        &[0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2],
    );
    assert_eq!(mesh.contacts(&[IDENTITY, shift(0.0, 0.0, 0.5)], 0.1).len(), 2);
}

#[test]
fn a_round_hull_keeps_its_deepest_and_widest_points() {
    let mut points = Vec::new();
    for i in 0..64 {
        let a = std::f64::consts::TAU * f64::from(i) / 64.0;
        points.extend_from_slice(&[a.cos(), a.sin(), -0.1, a.cos(), a.sin(), 0.1]);
    }
    let c = on_plane(ConvexHull, &points, shift(0.0, 0.0, 0.1), 0.01);
    assert_eq!(c.len(), 8);
    // Spread out: each quadrant keeps some.
    for quadrant in 0..4 {
        let (sx, sy) = (f64::from(1 - 2 * (quadrant & 1)), f64::from(1 - (quadrant & 2)));
        assert!(c.iter().any(|c| c.b.x * sx >= -1e-12 && c.b.y * sy >= -1e-12));
    }
    let tilted = on_plane(ConvexHull, &points, pose(V::new(0.0, 0.0, 0.2), turn(V::x(), 0.02)), 0.2);
    let low = points.chunks_exact(3).map(|p| (turn(V::x(), 0.02) * V::new(p[0], p[1], p[2])).z + 0.2);
    assert!(
        (tilted.iter().map(|c| c.gap).fold(f64::MAX, f64::min) - low.fold(f64::MAX, f64::min)).abs() < 1e-14
    );
}
