//! Meshes: no ghosts at inner edges, ridges and corners, deep bodies.

use crate::common::*;
use std::f64::consts::FRAC_PI_2;
use vinci_sdk::core::model::ShapeKind::{self, *};

/// An n × n grid of unit squares, each cut along a diagonal, centred on the origin, heights by `z`.
fn terrain(n: i32, z: impl Fn(f64, f64) -> f64) -> (Vec<f64>, Vec<u32>) {
    let mut v = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let (x, y) = (f64::from(i) - f64::from(n) / 2.0, f64::from(j) - f64::from(n) / 2.0);
            v.extend_from_slice(&[x, y, z(x, y)]);
        }
    }
    let mut t = Vec::new();
    let at = |i: i32, j: i32| (j * (n + 1) + i) as u32;
    for j in 0..n {
        for i in 0..n {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            if (i + j) % 2 == 0 {
                t.extend_from_slice(&[a, b, c, a, c, d])
            } else {
                t.extend_from_slice(&[a, b, d, b, c, d])
            }
        }
    }
    (v, t)
}

fn on_terrain(n: i32, z: impl Fn(f64, f64) -> f64, kind: ShapeKind, params: &[f64]) -> Scene {
    let (v, t) = terrain(n, z);
    Scene::default().mesh("ground", true, &v, &t).body("thing", false, kind, params)
}

/// A closed box as a mesh.
fn box_mesh(h: [f64; 3]) -> (Vec<f64>, Vec<u32>) {
    let s = |b: u32| if b == 0 { -1.0 } else { 1.0 };
    let v = (0..8u32).flat_map(|i| [s(i & 1) * h[0], s(i & 2) * h[1], s(i & 4) * h[2]]).collect();
    let quads = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
    (v, quads.iter().flat_map(|q| [q[0], q[1], q[2], q[0], q[2], q[3]]).collect())
}

const THINGS: [(ShapeKind, &[f64], f64); 6] = [
    (Ball, &[0.3], 0.3),
    (Box, &[0.4, 0.7, 0.2], 0.2),
    (Capsule, &[0.5, 0.2], 0.7),
    (Cylinder, &[0.3, 0.4], 0.3),
    (Cone, &[0.3, 0.4], 0.3),
    (ConvexHull, &[0.5, 0.0, -0.2, -0.3, 0.4, -0.2, -0.3, -0.4, -0.2, 0.0, 0.0, 0.6], 0.2),
];

#[test]
fn everything_slides_over_inner_edges_without_ghosts() {
    let mut dice = Dice(1);
    for (kind, params, height) in THINGS {
        let s = on_terrain(6, |_, _| 0.0, kind, params);
        let flat = Scene::default().body("ground", true, HalfSpace, &[]).body("thing", false, kind, params);
        let (mut detector, mut truth) = (s.detector().unwrap(), flat.detector().unwrap());
        for gap in [1e-3, 0.0, -1e-6, -1e-2] {
            for k in 0..100 {
                let (x, y) = if k < 40 {
                    (f64::from(k) * 0.05 - 1.0, 0.0)
                } else {
                    (dice.range(-1.5, 1.5), dice.range(-1.5, 1.5))
                };
                let p = pose(V::new(x, y, height + gap), turn(V::z(), dice.range(0.0, 6.0)));
                let c = ask(&mut detector, &[IDENTITY, p], 0.005);
                let t = ask(&mut truth, &[IDENTITY, p], 0.005);
                assert_eq!(c.len(), t.len(), "{kind:?} {gap} at {x} {y}: {c:#?}");
                assert!(
                    c.iter().all(|c| (c.n - V::z()).norm() < 1e-14 && (c.gap - gap).abs() < 1e-13),
                    "{kind:?}: {c:?}"
                );
                for t in &t {
                    assert!(c.iter().any(|c| (c.b - t.b).norm() < 1e-12), "{kind:?} {t:?} {c:?}");
                }
            }
        }
    }
}

#[test]
fn lying_and_tilted_bodies_on_flat_terrain() {
    let mut dice = Dice(2);
    for (kind, params, _) in THINGS {
        let s = on_terrain(8, |_, _| 0.0, kind, params);
        let flat = Scene::default().body("ground", true, HalfSpace, &[]).body("thing", false, kind, params);
        let (mut detector, mut truth) = (s.detector().unwrap(), flat.detector().unwrap());
        for k in 0..100 {
            let q = if k < 50 {
                turn(V::z(), dice.range(0.0, 6.0)) * turn(V::y(), FRAC_PI_2)
            } else {
                dice.rotation()
            };
            let reach = ask(&mut truth, &[IDENTITY, pose(V::z() * 2.0, q)], 1.0)
                .iter()
                .map(|c| c.gap)
                .fold(f64::MAX, f64::min);
            let p = pose(V::new(dice.range(-1.0, 1.0), dice.range(-1.0, 1.0), 2.0 - reach - 0.003), q);
            let c = ask(&mut detector, &[IDENTITY, p], 0.001);
            let least = c.iter().map(|c| c.gap).fold(f64::MAX, f64::min);
            assert!((least + 0.003).abs() < 1e-12, "{kind:?} {least} {c:?}");
            assert!(c.iter().all(|c| (c.n - V::z()).norm() < 1e-12), "{kind:?} {c:?}");
        }
    }
}

#[test]
fn a_ball_keeps_one_identity_over_a_flat_region_and_touches_two_walls_of_a_valley() {
    let s = on_terrain(6, |_, _| 0.0, Ball, &[0.3]);
    let mut d = s.detector().unwrap();
    let key = ask(&mut d, &[IDENTITY, shift(0.1, 0.05, 0.3)], 0.01)[0].key;
    for k in 0..200 {
        let c = ask(&mut d, &[IDENTITY, shift(-1.0 + 0.01 * f64::from(k), 0.3, 0.3)], 0.01);
        assert_eq!((c.len(), c[0].key), (1, key));
    }
    let valley = on_terrain(6, |x, _| x.abs(), Ball, &[0.3]);
    let c = valley.contacts(&[IDENTITY, shift(0.0, 0.2, 0.3 * 2f64.sqrt())], 0.01);
    assert_eq!(c.len(), 2, "{c:?}");
    assert!(c.iter().all(|c| c.gap.abs() < 1e-15 && (c.n.x.abs() - 0.5f64.sqrt()).abs() < 1e-15));
}

#[test]
fn ridge_and_peak() {
    let ridge = |kind, params: &[f64]| on_terrain(4, |x, _| -0.5 * x.abs(), kind, params);
    // A ball on the ridge, and beside it: edge normal, then face normal.
    let c = ridge(Ball, &[0.3]).contacts(&[IDENTITY, shift(0.0, 0.2, 0.31)], 0.01);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap - 0.01).abs() < 1e-15 && (c[0].n - V::z()).norm() < 1e-15);
    let side = V::new(0.5, 0.0, 1.0).normalize();
    let on = V::new(0.6, 0.1, -0.3) + side * 0.3;
    let c = ridge(Ball, &[0.3]).contacts(&[IDENTITY, shift(on.x, on.y, on.z)], 0.01);
    assert_eq!(c.len(), 1);
    assert!(c[0].gap.abs() < 1e-15 && (c[0].n - side).norm() < 1e-15);
    // A box across the ridge rests on the line between its two long sides.
    for gap in [1e-3, 0.0, -1e-3] {
        let c = ridge(Box, &[0.6, 0.3, 0.2]).contacts(&[IDENTITY, shift(0.1, 0.25, 0.2 + gap)], 0.01);
        assert!(c.len() >= 2, "{c:?}");
        assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-12 && (c.n - V::z()).norm() < 1e-12), "{c:#?}");
        assert!(
            c.iter().any(|c| (c.b.y - 0.55).abs() < 1e-9) && c.iter().any(|c| (c.b.y + 0.05).abs() < 1e-9),
            "{c:#?}"
        );
    }
    // On a peak: the vertex.
    let peak = on_terrain(4, |x, y| -0.3 * (x.abs() + y.abs()), Box, &[0.6, 0.3, 0.2]);
    let c = peak.contacts(&[IDENTITY, shift(0.1, 0.05, 0.195)], 0.01);
    let least = c.iter().min_by(|a, b| a.gap.total_cmp(&b.gap)).unwrap();
    assert!((least.gap + 0.005).abs() < 1e-12 && (least.n - V::z()).norm() < 1e-12, "{c:#?}");
}

#[test]
fn closed_mesh_boxes_behave_like_boxes() {
    let mut dice = Dice(9);
    let h = [0.5, 0.4, 0.3];
    let (v, t) = box_mesh(h);
    for (kind, params, _) in THINGS {
        let as_mesh = Scene::default().mesh("a", true, &v, &t).body("b", false, kind, params);
        let as_box = Scene::default().body("a", true, Box, &h).body("b", false, kind, params);
        let (mut m, mut b) = (as_mesh.detector().unwrap(), as_box.detector().unwrap());
        let mut compared = 0;
        for _ in 0..3000 {
            let q = dice.rotation();
            let poses = [pose(dice.vector(), dice.rotation()), pose(dice.vector() * 2.0, q)];
            let c = ask(&mut b, &poses, 0.1);
            let d = ask(&mut m, &poses, 0.1);
            let least = |c: &[Contact]| c.iter().map(|c| c.gap).fold(f64::MAX, f64::min);
            if least(&c) > -0.03 {
                // Apart: the same gap. Overlapping: each triangle parts from the body by itself, which can take a
                // somewhat longer way than the whole box.
                let slack = 1e-8 + 0.5 * (-least(&c)).max(0.0);
                assert!(
                    (least(&c) - least(&d)).abs() < slack || (c.is_empty() && d.is_empty()),
                    "{kind:?} {poses:?} {c:#?} {d:#?}"
                );
                compared += usize::from(!c.is_empty());
            }
        }
        assert!(compared > 20, "{compared}");
    }
}

#[test]
fn bodies_inside_the_solid_are_pushed_out() {
    let (v, t) = box_mesh([2.0, 2.0, 1.0]);
    for (kind, params, _) in THINGS {
        let s = Scene::default().mesh("a", true, &v, &t).body("b", false, kind, params);
        let c = s.contacts(&[IDENTITY, shift(0.3, 0.2, 0.9)], 0.01);
        assert!(!c.is_empty(), "{kind:?}");
        assert!(c.iter().all(|c| c.gap < 0.0 && (c.n - V::z()).norm() < 1e-12), "{kind:?} {c:?}");
    }
    // A thin plate pushes to the side of the centre only.
    let (v, t) = box_mesh([2.0, 2.0, 0.01]);
    let s = Scene::default().mesh("a", true, &v, &t).body("b", false, Box, &[0.3, 0.3, 0.3]);
    let c = s.contacts(&[IDENTITY, shift(0.3, 0.2, 0.29)], 0.01);
    assert!(!c.is_empty() && c.iter().all(|c| (c.n - V::z()).norm() < 1e-12), "{c:?}");
}

#[test]
fn mesh_on_mesh() {
    let (v, t) = box_mesh([1.0, 1.0, 0.2]);
    let (w, u) = box_mesh([0.3, 0.2, 0.2]);
    let s = Scene::default().mesh("a", true, &v, &t).mesh("b", false, &w, &u);
    for gap in [0.005, 0.0, -0.002] {
        let c = s.contacts(&[IDENTITY, pose(V::new(0.11, 0.23, 0.4 + gap), turn(V::z(), 0.3))], 0.01);
        assert_eq!(c.len(), 4, "{gap} {c:#?}");
        assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-13 && (c.n - V::z()).norm() < 1e-13));
    }
}
