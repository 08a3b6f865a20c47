//! Several polygons on one body act as their union.

use crate::common::*;
use vinci_sdk::prelude::*;

type Placed = (ShapeKind, [f64; 3], Vec<f64>);

fn place(shape: (ShapeKind, Vec<f64>), x: f64, y: f64) -> Placed {
    (shape.0, [x, y, 0.0], shape.1)
}

fn world(parts: &[Placed], other: (ShapeKind, Vec<f64>)) -> World {
    let mut w = World::default();
    w.body("parts", parts).one("other", other);
    w
}

/// Gaps and normals, rounded, sorted: what a stepper sees.
fn rows(c: &[Contact]) -> Vec<[i64; 5]> {
    let mut rows: Vec<_> =
        c.iter().map(|c| [c.gap, c.n[0], c.n[1], c.a[0], c.a[1]].map(|x| (x * 1e7).round() as i64)).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn a_floor_of_tiles_is_as_smooth_as_one_slab() {
    let tiles: Vec<Placed> = (0..6).map(|i| place(rect(0.5, 0.5), f64::from(i), -0.5)).collect();
    let slab = [place(rect(3.0, 0.5), 2.5, -0.5)];
    for other in [rect(0.3, 0.2), rect(0.9, 0.2), disc(0.2), capsule(0.7, 0.2), ell()] {
        let low = if other.0 == ShapeKind::Polygon && other.1.len() == 12 { 0.0 } else { 0.2 };
        let (a, b) = (world(&tiles, other.clone()), world(&slab, other));
        for noise in [1e-3, 0.0, 1e-12, -1e-12, -1e-5] {
            for k in 0..60 {
                // Corners beside seams, on seams, and within any fraction of the noise of them.
                let x = 1.0 + 0.02 * f64::from(k) + [0.0, 1e-13, 1e-6, -1e-6][k as usize % 4];
                let pose = [NO_POSE, [x, low + noise, 0.0]];
                let (c, d) = (a.at(&pose, 0.05), b.at(&pose, 0.05));
                assert_eq!(rows(&c), rows(&d), "x {x}, noise {noise}: {c:#?}");
            }
        }
    }
}

#[test]
fn an_ell_of_two_boxes_is_an_ell() {
    let boxes = [place(rect(1.5, 0.5), 1.5, 0.5), place(rect(0.5, 1.0), 0.5, 2.0)];
    // The same with boxes that overlap instead of touching.
    let overlapping = [place(rect(1.5, 0.5), 1.5, 0.5), place(rect(0.5, 1.5), 0.5, 1.5)];
    let whole = [place(ell(), 0.0, 0.0)];
    for parts in [boxes, overlapping] {
        let (a, b) = (world(&parts, rect(0.25, 0.25)), world(&whole, rect(0.25, 0.25)));
        let mut rng = Rng(31);
        let compare = |pose: [f64; 3]| {
            let pose = [NO_POSE, pose];
            let (c, d) = (a.at(&pose, 0.02), b.at(&pose, 0.02));
            assert_eq!(rows(&c), rows(&d), "{pose:?}: {c:#?} {d:#?}");
        };
        for d in [(0.0, 0.0), (1e-12, -1e-12), (-1e-5, -1e-5), (1e-3, -1e-6), (-1e-6, 1e-3)] {
            compare([1.25 + d.0, 1.25 + d.1, 0.0]);
            compare([1.6 + d.0, 1.25 + d.1, 0.0]);
            // Outside, along the side where the boxes are flush, across the seam.
            for y in [0.9, 1.0, 1.1, 1.25, 0.75] {
                compare([-0.25 + d.0, y + d.1, 0.0]);
            }
        }
        for _ in 0..3000 {
            let pose = [rng.within(-0.5, 3.5), rng.within(-0.5, 3.5), rng.within(-3.2, 3.2)];
            if b.at(&[NO_POSE, pose], 0.0).is_empty() {
                compare(pose);
            }
        }
    }
}

#[test]
fn a_body_of_tiles_rests_on_its_outer_corners() {
    let tiles: Vec<Placed> = (0..3).map(|i| place(rect(0.5, 0.5), f64::from(i), 0.0)).collect();
    let w = world(&tiles, half_plane());
    let c = w.at(&[[0.0, 0.5 - 1e-9, 0.0], NO_POSE], 0.01);
    let x: Vec<_> = c.iter().map(|c| c.a[0]).collect();
    assert_eq!(x, [-0.5, 2.5]);
}
