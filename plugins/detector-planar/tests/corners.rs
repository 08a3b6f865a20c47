//! Alternatives at convex corners (`corners: or`).

#![allow(clippy::unwrap_used)]

mod common;
use common::*;
use vinci_sdk::prelude::*;

/// (feature A, feature B, gap, group) of a ledge, its top right corner (vertex 2) in the origin, and a body.
fn found(body: (ShapeKind, Vec<f64>), pose: [f64; 3], margin: f64) -> Vec<(u32, u32, f64, u32)> {
    let ledge = polygon(&[[-1.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-1.0, 0.0]]);
    let mut detector = pair(ledge, body).create("{\"corners\": \"or\"}").unwrap();
    let pose = [NO_POSE, pose].concat();
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[margin; 2] }).unwrap();
    let group = |i: usize| raw.group.get(i).copied().unwrap_or(0);
    (0..raw.len()).map(|i| (raw.key[i].feature_a, raw.key[i].feature_b, raw.gap[i], group(i))).collect()
}

fn tip() -> (ShapeKind, Vec<f64>) {
    polygon(&[[0.0, 0.0], [0.05, 0.3], [-0.05, 0.3]])
}

#[test]
fn a_tip_near_the_end_of_an_edge_has_both_edges_as_alternatives() {
    // Edges of the ledge: 1 right (feature 3), 2 top (feature 5).
    let near = found(tip(), [-0.03, 0.01, 0.0], 0.05);
    assert_eq!(near.iter().map(|c| (c.0, c.1, c.3)).collect::<Vec<_>>(), [(3, 0, 1), (5, 0, 1)]);
    assert!((near[0].2 + 0.03).abs() < 1e-15 && (near[1].2 - 0.01).abs() < 1e-15);
    let far = found(tip(), [-0.3, 0.01, 0.0], 0.05);
    assert_eq!(far.iter().map(|c| (c.0, c.1, c.3)).collect::<Vec<_>>(), [(5, 0, 0)]);
}

#[test]
fn corners_in_each_others_wedge_give_a_group_for_each() {
    // A box up and to the right of the ledge: its lower left corner (vertex 0; edges 0 below, 3 left) against the ledge's.
    let both = found(rect(0.5, 0.5), [0.51, 0.52, 0.0], 0.05);
    let seen: Vec<_> = both.iter().map(|c| (c.0, c.1)).collect();
    assert_eq!(seen, [(3, 0), (4, 1), (4, 7), (5, 0)]);
    assert_eq!(both[0].3, both[3].3);
    assert_eq!(both[1].3, both[2].3);
    assert!(both[0].3 != both[1].3 && both.iter().all(|c| c.3 > 0));
}

#[test]
fn equal_boxes_on_each_other_have_no_alternatives_to_standing() {
    let stack = found(rect(0.5, 0.5), [-0.5, 0.5, 0.0], 0.05);
    assert_eq!(stack.len(), 2);
    assert!(stack.iter().all(|c| c.3 == 0), "{stack:?}");
}

#[test]
fn a_small_box_may_leap_off_the_edge_as_a_whole() {
    let leap = found(rect(0.01, 0.01), [-0.02, 0.01, 0.0], 0.05);
    // Both lower corners have the top and the side of the ledge as alternatives.
    let seen: Vec<_> = leap.iter().filter(|c| c.3 > 0).map(|c| (c.0, c.1)).collect();
    assert_eq!(seen, [(3, 0), (3, 2), (5, 0), (5, 2)]);
}
