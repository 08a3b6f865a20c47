//! Gaps and normals of every pair of kinds against elementary geometry.

use crate::common::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, SQRT_2};
use vinci_sdk::prelude::*;

/// The contacts of two one-shape bodies, as (feature A, feature B, gap, normal), and the same with the shapes swapped.
fn check(
    a: (ShapeKind, Vec<f64>),
    b: (ShapeKind, Vec<f64>),
    pose: [[f64; 3]; 2],
    margin: f64,
    expected: &[(u32, u32, f64, [f64; 2])],
) {
    let close = |x: f64, y: f64| (x - y).abs() < 1e-12;
    let found = pair(a.clone(), b.clone()).at(&pose, margin);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (c, e) in found.iter().zip(expected) {
        assert_eq!((c.key.feature_a, c.key.feature_b), (e.0, e.1), "{c:?}");
        assert!(close(c.gap, e.2) && close(c.n[0], e.3[0]) && close(c.n[1], e.3[1]), "{c:?} is not {e:?}");
    }
    let swapped = pair(b, a).at(&[pose[1], pose[0]], margin);
    assert_eq!(swapped.len(), expected.len());
    for e in expected {
        let c = swapped.iter().find(|c| (c.key.feature_b, c.key.feature_a) == (e.0, e.1)).unwrap();
        assert!(close(c.gap, e.2) && close(c.n[0], -e.3[0]) && close(c.n[1], -e.3[1]), "swapped: {c:?}");
    }
}

#[test]
fn disc_disc() {
    let d = (3.0_f64).hypot(4.0);
    check(disc(1.0), disc(2.5), [NO_POSE, [3.0, 4.0, 1.0]], 1.0, &[(0, 0, d - 3.5, [0.6, 0.8])]);
    check(disc(3.0), disc(2.5), [NO_POSE, [3.0, 4.0, 1.0]], 0.0, &[(0, 0, -0.5, [0.6, 0.8])]);
    check(disc(1.0), disc(1.0), [NO_POSE, [2.2, 0.0, 0.0]], 0.0999, &[]);
    check(disc(1.0), disc(1.0), [NO_POSE, [2.2, 0.0, 0.0]], 0.1001, &[(0, 0, 0.2, [1.0, 0.0])]);
}

#[test]
fn concentric_discs_have_a_definite_normal() {
    let c = pair(disc(1.0), disc(2.0)).at(&[[0.3, 0.7, 1.0], [0.3, 0.7, 2.0]], 0.0);
    assert_eq!((c.len(), c[0].gap, c[0].n), (1, -3.0, [0.0, 1.0]));
    // The smallest distance there is still has a direction.
    let c = pair(disc(1.0), disc(2.0)).at(&[NO_POSE, [5e-324, 0.0, 0.0]], 0.0);
    assert_eq!((c.len(), c[0].gap), (1, -3.0));
}

#[test]
fn disc_half_plane() {
    let (s, c) = f64::sin_cos(0.4);
    let plane = [1.0, 2.0, 0.4];
    let centre = |d: f64| [1.0 - s * d + 0.3 * c, 2.0 + c * d + 0.3 * s, 0.9];
    for d in [0.8, 0.5, 0.1, 0.0, -4.0] {
        check(half_plane(), disc(0.5), [plane, centre(d)], 0.2, &[(1, 0, d - 0.5, [-s, c])]);
    }
    check(half_plane(), disc(0.5), [plane, centre(0.91)], 0.2, &[]);
}

#[test]
fn capsule_half_plane() {
    let flat = [(1, 0, 0.1, [0.0, 1.0]), (1, 2, 0.1, [0.0, 1.0])];
    check(half_plane(), capsule(1.0, 0.3), [NO_POSE, [7.0, 0.4, 0.0]], 0.1, &flat);
    check(
        half_plane(),
        capsule(1.0, 0.3),
        [NO_POSE, [7.0, 1.2, -FRAC_PI_2]],
        0.1,
        &[(1, 2, -0.1, [0.0, 1.0])],
    );
    let tilted = [(1, 0, 0.0, [0.0, 1.0]), (1, 2, 2.0 * 0.2_f64.sin(), [0.0, 1.0])];
    check(half_plane(), capsule(1.0, 0.3), [NO_POSE, [7.0, 0.3 + 0.2_f64.sin(), 0.2]], 0.5, &tilted);
}

#[test]
fn a_capsule_without_length_is_a_disc() {
    check(half_plane(), capsule(0.0, 0.3), [NO_POSE, [7.0, 0.4, 0.3]], 0.1, &[(1, 0, 0.1, [0.0, 1.0])]);
}

#[test]
fn segment_half_plane() {
    let s = segment([0.0, 0.0], [2.0, 0.0]);
    check(
        half_plane(),
        s.clone(),
        [NO_POSE, [0.0, -0.1, 0.0]],
        0.1,
        &[(1, 0, -0.1, [0.0, 1.0]), (1, 2, -0.1, [0.0, 1.0])],
    );
    check(half_plane(), s, [NO_POSE, [0.0, 0.05, FRAC_PI_2]], 0.1, &[(1, 0, 0.05, [0.0, 1.0])]);
}

#[test]
fn disc_polygon() {
    let b = rect(1.0, 0.5);
    let at = |x: f64, y: f64| [NO_POSE, [x, y, 0.4]];
    check(b.clone(), disc(0.2), at(0.3, 0.8), 0.1, &[(5, 0, 0.1, [0.0, 1.0])]);
    check(b.clone(), disc(0.2), at(0.3, -0.65), 0.1, &[(1, 0, -0.05, [0.0, -1.0])]);
    // Beyond the corner: from the corner.
    let d = 0.1 * SQRT_2;
    check(b.clone(), disc(0.2), at(1.1, 0.6), 0.1, &[(4, 0, d - 0.2, [d / 0.2, d / 0.2])]);
    // Centre inside: out through the nearest side.
    check(b.clone(), disc(0.2), at(0.9, 0.1), 0.1, &[(3, 0, -0.3, [1.0, 0.0])]);
    check(b, disc(0.2), at(0.2, 0.45), 0.1, &[(5, 0, -0.25, [0.0, 1.0])]);
}

#[test]
fn disc_in_a_notch() {
    let at = |x: f64, y: f64| [NO_POSE, [x, y, 0.4]];
    let both = |gx: f64, gy: f64| [(5, 0, gy, [0.0, 1.0]), (7, 0, gx, [1.0, 0.0])];
    check(ell(), disc(0.2), at(1.2, 1.2), 0.05, &both(0.0, 0.0));
    check(ell(), disc(0.2), at(1.25, 1.15), 0.05, &both(0.05, -0.05));
    check(ell(), disc(0.2), at(1.1, 1.15), 0.05, &both(-0.1, -0.05));
    // The centre itself through the floor, then through both.
    check(ell(), disc(0.2), at(1.1, 0.99), 0.05, &both(-0.1, -0.21));
    check(ell(), disc(0.2), at(0.98, 0.99), 0.05, &both(-0.22, -0.21));
    // Out of reach of the wall; on the floor's end; on its corner; under the floor.
    check(ell(), disc(0.2), at(2.0, 1.2), 0.05, &[(5, 0, 0.0, [0.0, 1.0])]);
    check(ell(), disc(0.2), at(3.0, 1.2), 0.05, &[(5, 0, 0.0, [0.0, 1.0])]);
    let d = 0.1 * SQRT_2;
    check(ell(), disc(0.2), at(3.1, 1.1), 0.05, &[(4, 0, d - 0.2, [d / 0.2, d / 0.2])]);
    check(ell(), disc(0.2), at(2.0, -0.15), 0.05, &[(1, 0, -0.05, [0.0, -1.0])]);
    check(ell(), disc(0.2), at(3.25, 0.5), 0.05, &[(3, 0, 0.05, [1.0, 0.0])]);
}

#[test]
fn capsule_polygon() {
    let b = rect(1.0, 0.5);
    let at = |x: f64, y: f64, t: f64| [NO_POSE, [x, y, t]];
    let up = [0.0, 1.0];
    // Lying flat, overhanging, standing, leaning on a corner with its side.
    check(b.clone(), capsule(0.5, 0.2), at(0.1, 0.75, 0.0), 0.1, &[(5, 0, 0.05, up), (5, 2, 0.05, up)]);
    check(b.clone(), capsule(0.5, 0.2), at(0.8, 0.75, 0.0), 0.1, &[(4, 1, 0.05, up), (5, 0, 0.05, up)]);
    check(b.clone(), capsule(0.5, 0.2), at(0.1, 1.1, FRAC_PI_2), 0.1, &[(5, 0, -0.1, up)]);
    let n = [0.5_f64.sqrt(), 0.5_f64.sqrt()];
    check(b, capsule(0.5, 0.2), at(1.15, 0.65, -FRAC_PI_4), 0.1, &[(4, 1, 0.15 * SQRT_2 - 0.2, n)]);
}

#[test]
fn capsule_capsule() {
    let c = capsule(1.0, 0.25);
    let up = [0.0, 1.0];
    let at = |x: f64, y: f64, t: f64| [NO_POSE, [x, y, t]];
    // Ends over sides, one from either; end to end; crossed at the end; parallel and aligned.
    check(c.clone(), c.clone(), at(0.5, 0.6, 0.0), 0.1, &[(2, 1, 0.1, up), (3, 0, 0.1, up)]);
    check(c.clone(), c.clone(), at(2.6, 0.0, 0.0), 0.1, &[(2, 0, 0.1, [1.0, 0.0])]);
    check(c.clone(), c.clone(), at(0.2, 1.45, FRAC_PI_2), 0.1, &[(3, 0, -0.05, up)]);
    let found = pair(c.clone(), c).at(&at(0.0, 0.5, 0.0), 0.1);
    assert!(found.len() == 2 && found.iter().all(|c| c.gap == 0.0 && c.n == up), "{found:?}");
}

#[test]
fn disc_capsule_and_disc_segment() {
    let at = |x: f64, y: f64| [NO_POSE, [x, y, 0.4]];
    check(capsule(1.0, 0.25), disc(0.5), at(0.3, 0.8), 0.1, &[(3, 0, 0.05, [0.0, 1.0])]);
    check(capsule(1.0, 0.25), disc(0.5), at(0.3, -0.8), 0.1, &[(1, 0, 0.05, [0.0, -1.0])]);
    check(capsule(1.0, 0.25), disc(0.5), at(1.6, 0.8), 0.2, &[(2, 0, 0.25, [0.6, 0.8])]);
    let s = segment([-1.0, 0.0], [1.0, 0.0]);
    check(s.clone(), disc(0.5), at(0.3, 0.45), 0.1, &[(3, 0, -0.05, [0.0, 1.0])]);
    check(s.clone(), disc(0.5), at(0.3, -0.55), 0.1, &[(1, 0, 0.05, [0.0, -1.0])]);
    check(s, disc(0.5), at(-1.3, -0.4), 0.1, &[(0, 0, 0.0, [-0.6, -0.8])]);
}

#[test]
fn box_on_a_segment_from_either_side() {
    let s = segment([-1.0, 0.0], [1.0, 0.0]);
    let (up, down) = ([0.0, 1.0], [0.0, -1.0]);
    for d in [0.01, 1e-12, 0.0, -1e-12, -0.01] {
        let above = [NO_POSE, [0.2, 0.3 + d, 0.0]];
        check(s.clone(), rect(0.3, 0.3), above, 0.1, &[(3, 0, d, up), (3, 2, d, up)]);
        let below = [NO_POSE, [0.2, -0.3 - d, 0.0]];
        check(s.clone(), rect(0.3, 0.3), below, 0.1, &[(1, 4, d, down), (1, 6, d, down)]);
        // A non-convex body likewise: an L on its floor.
        let l = pair(s.clone(), ell()).at(&[NO_POSE, [-1.5, d, 0.0]], 0.1);
        let features: Vec<_> = l.iter().map(|c| (c.key.feature_a, c.key.feature_b)).collect();
        assert_eq!(features, [(0, 1), (2, 1)], "{d}: {l:?}");
        assert!(l.iter().all(|c| (c.gap - d).abs() < 1e-15 && c.n == up));
    }
}

#[test]
fn segment_segment() {
    let s = segment([-1.0, 0.0], [1.0, 0.0]);
    let at = |x: f64, y: f64, t: f64| [NO_POSE, [x, y, t]];
    let up = [0.0, 1.0];
    check(s.clone(), s.clone(), at(0.5, 0.1, 0.0), 0.1, &[(2, 1, 0.1, up), (3, 0, 0.1, up)]);
    check(s.clone(), s.clone(), at(2.1, 0.0, 0.0), 0.1, &[(2, 0, 0.1, [1.0, 0.0])]);
    // Crossing: out the short way.
    check(s.clone(), s, at(0.2, 0.9, FRAC_PI_2), 0.0, &[(3, 0, -0.1, up)]);
}

#[test]
fn deep_overlap_of_boxes_is_the_smallest_translation() {
    // A long bar through a tall one: no vertex of either lies in the other.
    let c = pair(rect(2.0, 0.2), rect(0.3, 3.0)).at(&[NO_POSE, [0.1, 2.5, 0.0]], 0.0);
    let n: Vec<_> = c.iter().map(|c| (c.key.feature_a, c.key.feature_b, c.n)).collect();
    assert_eq!(n, [(5, 0, [0.0, 1.0]), (5, 2, [0.0, 1.0])]);
    assert!(c.iter().all(|c| (c.gap + 0.7).abs() < 1e-15));
    // Inside altogether.
    let c = pair(rect(2.0, 2.0), rect(0.1, 0.1)).at(&[NO_POSE, [1.5, 0.3, 0.0]], 0.0);
    assert!(c.len() == 2 && c.iter().all(|c| (c.gap + 0.6).abs() < 1e-14 && c.n == [1.0, 0.0]), "{c:?}");
}

#[test]
fn bars_laid_across_non_convex_bodies_are_parted() {
    // A stick through the wall of the L, where the way up past the wall's top is the shortest.
    let (sin, cos) = f64::sin_cos(0.05);
    for (stick, thick) in
        [(segment([-1.0, 0.0], [1.0, 0.0]), 0.0), (rect(1.0, 0.01), 0.01), (capsule(1.0, 0.01), 0.01)]
    {
        let c = pair(ell(), stick).at(&[NO_POSE, [0.6, 2.0, 0.05]], 0.0);
        let depth = 1.0 * cos + 0.6 * sin + thick;
        assert_eq!(c.len(), 1, "{c:?}");
        assert!((c[0].gap + depth).abs() < 1e-12 && (c[0].n[1] - cos).abs() < 1e-12, "{c:?}");
    }
}
