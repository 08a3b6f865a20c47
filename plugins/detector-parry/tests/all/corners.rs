//! Alternatives at convex edges and corners (`corners: or`).

use crate::common::*;
use vinci_detector_parry::{Config, ConvexCorners};
use vinci_sdk::core::model::ShapeKind;
use vinci_sdk::prelude::*;

const FACE: u32 = 2 << 30;
const EDGE: u32 = 1 << 30;
const RIGHT: u32 = FACE;
const TOP: u32 = FACE | 4;

/// (feature of the ledge, feature of the body, gap, group) of a ledge with its top right edge in the y axis.
fn found(corners: ConvexCorners, body: (ShapeKind, &[f64]), at: [f64; 3]) -> Vec<(u32, u32, f64, u32)> {
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

/// Gap of the tip's flank, normal (−0.3, −0.05)/|.|, against a ledge's edge at (x, z) from the tip.
fn flank(x: f64, z: f64) -> f64 {
    let gap = (-0.3 * x - 0.05 * z) / 0.3f64.hypot(0.05);
    (gap * 1e12).round() / 1e12
}

/// The face beside is none: when the tip has passed the edge the body's other vertices have not. Its flank parts the two.
#[test]
fn a_tip_near_the_end_of_a_face_has_its_flank_as_alternative() {
    let near = found(ConvexCorners::Or, tip(), [-0.03, 0.0, 0.01]);
    assert_eq!(faces(&near), [(TOP, 0.01), (TOP, flank(0.03, -0.01))]);
    assert!(near[1].1 & FACE != 0, "no face of the tip: {near:?}");
    assert!(near.iter().all(|c| c.3 == 1));
    let far = found(ConvexCorners::Or, tip(), [-0.3, 0.0, 0.01]);
    assert_eq!(faces(&far), [(TOP, 0.01)]);
    assert_eq!(far[0].3, 0);
    let nearest = found(ConvexCorners::Nearest, tip(), [-0.03, 0.0, 0.01]);
    assert_eq!((faces(&nearest), nearest[0].3), (vec![(TOP, 0.01)], 0));
}

#[test]
fn a_tip_near_a_corner_has_two_flanks_as_alternatives() {
    let corner = found(ConvexCorners::Or, tip(), [-0.03, 0.48, 0.01]);
    assert_eq!(faces(&corner), [(TOP, 0.01), (TOP, flank(0.02, -0.01)), (TOP, flank(0.03, -0.01))]);
    assert!(corner.iter().all(|c| c.3 == 1));
}

#[test]
fn beyond_the_edge_the_faces_around_are_alternatives_to_the_closest_points() {
    // A small box up and to the right: its lower left edge against the ledge's edge.
    let size: &[f64] = &[0.05, 0.05, 0.05];
    let beyond = found(ConvexCorners::Or, (ShapeKind::Box, size), [0.06, 0.0, 0.07]);
    let rows: Vec<_> = beyond.iter().map(|c| (c.0, c.1, (c.2 * 1e12).round() / 1e12)).collect();
    // Vertices 0 and 2 of the box: x and z low.
    let least = (0.01f64.hypot(0.02) * 1e12).round() / 1e12;
    let ends = |c: &(u32, u32, f64)| (c.0 >= FACE, c.1, c.2);
    let edge: Vec<_> = rows.iter().map(ends).take(2).collect();
    assert_eq!(edge, [(false, 0, least), (false, 2, least)]);
    assert_eq!(rows[2..], [(RIGHT, 0, 0.01), (RIGHT, 2, 0.01), (TOP, 0, 0.02), (TOP, 2, 0.02)]);
    let group: Vec<u32> = beyond.iter().map(|c| c.3).collect();
    assert_eq!((&group[..2], &group[..2]), (&group[2..4], &group[4..]));
    assert!(group[0] != group[1] && group.iter().all(|g| *g > 0));
}

#[test]
fn a_small_box_across_the_edge_may_leave_by_its_rear_end() {
    let size: &[f64] = &[0.05, 0.05, 0.05];
    // 0.01 of its length is still above the ledge.
    let across = found(ConvexCorners::Or, (ShapeKind::Box, size), [0.04, 0.0, 0.05]);
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

/// Directions of planes through three vertices of one body or along two chords, one of each: all separating axes are among
/// them. With each its separation, n from `a` to `b`.
fn separations(a: &[V], b: &[V]) -> Vec<(V, f64)> {
    let chords = |x: &[V]| -> Vec<V> {
        (0..x.len()).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| x[i] - x[j]).collect()
    };
    let (of_a, of_b) = (chords(a), chords(b));
    let all: Vec<V> = [(&of_a, &of_a), (&of_b, &of_b), (&of_a, &of_b)]
        .iter()
        .flat_map(|(p, q)| p.iter().flat_map(move |d| q.iter().map(move |e| d.cross(e))))
        .filter(|c| c.norm() > 1e-9)
        .flat_map(|c| [c.normalize(), -c.normalize()])
        .collect();
    let least = |n: &V, x: &[V]| x.iter().map(|p| n.dot(p)).fold(f64::MAX, f64::min);
    all.iter().map(|n| (*n, least(n, b) + least(&-n, a))).collect()
}

/// Contacts of two hulls with the sum `reach` of the margins: (normal, gap, group).
fn rows(corners: ConvexCorners, hulls: [&[V]; 2], reach: f64) -> Vec<(V, f64, u32)> {
    let flat = |x: &[V]| x.iter().flat_map(|p| [p.x, p.y, p.z]).collect::<Vec<f64>>();
    let [a, b] = hulls.map(flat);
    let scene = Scene::default().body("a", true, ShapeKind::ConvexHull, &a).body(
        "b",
        false,
        ShapeKind::ConvexHull,
        &b,
    );
    let config = Config { corners, ..Config::default() };
    let mut detector = scene.detector_with(&config).unwrap();
    let pose = [IDENTITY, IDENTITY].concat();
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[0.0, reach] }).unwrap();
    let normal = |i: usize| V::from_column_slice(&raw.normal[3 * i..3 * i + 3]);
    let group = |i: usize| raw.group.get(i).copied().unwrap_or(0);
    assert!(raw.key.windows(2).all(|k| k[0] < k[1]), "keys are not sorted and unique");
    (0..raw.len()).map(|i| (normal(i), raw.gap[i], group(i))).collect()
}

/// Returns true if the rows let B move by `way`: all without a group are open then, and one of every group.
fn lets(rows: &[(V, f64, u32)], way: &V) -> bool {
    let open = |r: &(V, f64, u32)| r.1 + r.0.dot(way) >= 0.0;
    rows.iter().all(|r| open(r) || r.2 > 0 && rows.iter().any(|s| s.2 == r.2 && open(s)))
}

/// Random convex polytopes, apart by up to the margin, moved by up to the margin without turning: (motions into an overlap
/// that the rows let through, motions that end apart and are held up, motions).
fn judged(corners: ConvexCorners) -> (u32, u32, u32) {
    let mut dice = Dice(7);
    let (mut missed, mut ghosts, mut all) = (0, 0, 0);
    while all < 20_000 {
        let mut hull = |n: usize, at: V| (0..n).map(|_| dice.vector() * 0.5 + at).collect::<Vec<V>>();
        let (a, b) = (hull(8, V::zeros()), hull(6, V::zeros()));
        let at = dice.vector() * 1.5;
        let b: Vec<V> = b.iter().map(|p| p + at).collect();
        let reach = dice.range(0.1, 0.6);
        let axes = separations(&a, &b);
        let after = |way: &V| axes.iter().map(|(n, s)| s + n.dot(way)).fold(f64::MIN, f64::max);
        if !(0.0..reach).contains(&after(&V::zeros())) {
            continue;
        }
        let found = rows(corners, [&a, &b], reach);
        for _ in 0..40 {
            let way = dice.vector();
            let way = way * (dice.range(0.2, 1.0) * reach / way.norm());
            let (gap, free) = (after(&way), lets(&found, &way));
            missed += u32::from(free && gap < -1e-4);
            ghosts += u32::from(!free && gap > 1e-4);
            all += 1;
        }
    }
    (missed, ghosts, all)
}

#[test]
fn alternatives_let_no_motion_into_an_overlap_and_hold_up_few_that_end_apart() {
    let (missed, held, all) = judged(ConvexCorners::Nearest);
    let (missed_or, held_or, _) = judged(ConvexCorners::Or);
    println!("of {all}: nearest {missed} missed, {held} held up; or {missed_or} missed, {held_or} held up");
    assert_eq!((missed, missed_or), (0, 0));
    assert!(held_or * 4 < held, "{held_or} motions of {held} are still held up");
}

#[test]
fn boxes_standing_in_the_middle_have_no_alternatives() {
    let size: &[f64] = &[0.15, 0.15, 0.15];
    let stack = found(ConvexCorners::Or, (ShapeKind::Box, size), [-0.5, 0.0, 0.15]);
    assert_eq!(stack.len(), 4);
    assert!(stack.iter().all(|c| c.3 == 0), "{stack:?}");
}
