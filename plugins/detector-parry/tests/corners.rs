//! Alternatives at convex edges and corners (`corners: or`).

#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use vinci_detector_parry::{Config, Corners};
use vinci_sdk::core::model::ShapeKind;
use vinci_sdk::prelude::*;

const FACE: u32 = 2 << 30;
const EDGE: u32 = 1 << 30;
const RIGHT: u32 = FACE;
const BACK: u32 = FACE | 2;
const TOP: u32 = FACE | 4;

/// (feature of the ledge, feature of the body, gap, group) of a ledge with its top right edge in the y axis.
fn found(corners: Corners, body: (ShapeKind, &[f64]), at: [f64; 3]) -> Vec<(u32, u32, f64, u32)> {
    let ledge = [0.5, 0.5, 0.5]; // half sizes
    let scene = Scene::default()
        .body("ledge", true, ShapeKind::Box, &ledge)
        .at([-0.5, 0.0, -0.5, 1.0, 0.0, 0.0, 0.0])
        .body("body", false, body.0, body.1);
    let config = Config { corners, ..Config::default() };
    let mut detector = scene.detector_with(&config).unwrap();
    let pose = [IDENTITY.to_vec(), at.to_vec(), vec![1.0, 0.0, 0.0, 0.0]].concat();
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[0.0, 0.05] }).unwrap();
    let group = |i: usize| raw.group.get(i).copied().unwrap_or(0);
    (0..raw.len()).map(|i| (raw.key[i].feature_a, raw.key[i].feature_b, raw.gap[i], group(i))).collect()
}

/// A pyramid on its tip, in the origin.
fn tip() -> (ShapeKind, &'static [f64]) {
    let t: &[f64] = &[0.0, 0.0, 0.0, 0.05, 0.05, 0.3, -0.05, 0.05, 0.3, -0.05, -0.05, 0.3, 0.05, -0.05, 0.3];
    (ShapeKind::ConvexHull, t)
}

/// The rows of one group without the group's number, those of the tip.
fn faces(found: &[(u32, u32, f64, u32)]) -> Vec<(u32, f64)> {
    found.iter().map(|c| (c.0, (c.2 * 1e12).round() / 1e12)).collect()
}

#[test]
fn a_tip_near_the_end_of_a_face_has_both_faces_as_alternatives() {
    let near = found(Corners::Or, tip(), [-0.03, 0.0, 0.01]);
    assert_eq!(faces(&near), [(RIGHT, -0.03), (TOP, 0.01)]);
    assert!(near.iter().all(|c| c.3 == 1));
    let far = found(Corners::Or, tip(), [-0.3, 0.0, 0.01]);
    assert_eq!(faces(&far), [(TOP, 0.01)]);
    assert_eq!(far[0].3, 0);
    let nearest = found(Corners::Nearest, tip(), [-0.03, 0.0, 0.01]);
    assert_eq!((faces(&nearest), nearest[0].3), (vec![(TOP, 0.01)], 0));
}

#[test]
fn a_tip_near_a_corner_has_three_faces_as_alternatives() {
    let corner = found(Corners::Or, tip(), [-0.03, 0.48, 0.01]);
    assert_eq!(faces(&corner), [(RIGHT, -0.03), (BACK, -0.02), (TOP, 0.01)]);
    assert!(corner.iter().all(|c| c.3 == 1));
}

#[test]
fn beyond_the_edge_the_closest_point_gives_way_to_the_faces_around() {
    // A small box up and to the right: its lower left edge against the ledge's edge.
    let size: &[f64] = &[0.05, 0.05, 0.05];
    let beyond = found(Corners::Or, (ShapeKind::Box, size), [0.06, 0.0, 0.07]);
    let rows: Vec<_> = beyond.iter().map(|c| (c.0, c.1, (c.2 * 1e12).round() / 1e12)).collect();
    // Vertices 0 and 2 of the box: x and z low.
    assert_eq!(rows, [(RIGHT, 0, 0.01), (RIGHT, 2, 0.01), (TOP, 0, 0.02), (TOP, 2, 0.02)]);
    assert_eq!((beyond[0].3, beyond[1].3), (beyond[2].3, beyond[3].3));
    assert!(beyond[0].3 != beyond[1].3 && beyond.iter().all(|c| c.3 > 0));
}

#[test]
fn a_small_box_across_the_edge_may_leave_by_its_rear_end() {
    let size: &[f64] = &[0.05, 0.05, 0.05];
    // 0.01 of its length is still above the ledge.
    let across = found(Corners::Or, (ShapeKind::Box, size), [0.04, 0.0, 0.05]);
    let rows: Vec<_> = across.iter().map(|c| (c.0 >> 30, c.1 >> 30, (c.2 * 1e12).round() / 1e12)).collect();
    // Two crossings of edges, two vertices above the top; the face beside for the ends of both.
    assert_eq!(across.iter().filter(|c| c.0 == TOP).count(), 2, "{rows:?}");
    assert_eq!(across.iter().filter(|c| c.0 == RIGHT && c.1 < EDGE).count(), 2, "{rows:?}");
    assert_eq!(across.iter().filter(|c| c.0 == RIGHT && c.1 >= EDGE).count(), 2, "{rows:?}");
    assert_eq!(across.len(), 8, "{rows:?}");
    for c in &across {
        let partners = across.iter().filter(|d| d.3 == c.3).count();
        assert!(c.3 > 0 && partners == 2, "{rows:?}");
        assert!((c.2 - if c.0 == RIGHT { -0.01 } else { 0.0 }).abs() < 1e-12, "{rows:?}");
    }
}

#[test]
fn boxes_standing_in_the_middle_have_no_alternatives() {
    let size: &[f64] = &[0.15, 0.15, 0.15];
    let stack = found(Corners::Or, (ShapeKind::Box, size), [-0.5, 0.0, 0.15]);
    assert_eq!(stack.len(), 4);
    assert!(stack.iter().all(|c| c.3 == 0), "{stack:?}");
}
