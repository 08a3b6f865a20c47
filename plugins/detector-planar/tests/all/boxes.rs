//! Boxes at rest, stacked, in notches, at corners: how many contacts, which normals.

use crate::common::*;

fn features(c: &[Contact]) -> Vec<(u32, u32)> {
    c.iter().map(|c| (c.key.feature_a, c.key.feature_b)).collect()
}

#[test]
fn a_box_at_rest_on_a_half_plane_has_two_contacts_straight_up() {
    let mut w = World::default();
    w.one("ground", half_plane()).fixed().one("box", rect(0.5, 0.25));
    for noise in [0.0, 1e-12, -1e-12, -1e-6, 3e-3] {
        for tilt in [0.0, 1e-13, -1e-13, 1e-5] {
            let c = w.at(&[NO_POSE, [0.3, 0.25 + noise, tilt]], 0.01);
            assert_eq!(features(&c), [(1, 0), (1, 2)], "noise {noise}, tilt {tilt}");
            for (c, x) in c.iter().zip([-0.2, 0.8]) {
                assert_eq!(c.n, [0.0, 1.0]);
                assert!((c.gap - noise).abs() < 1e-5 && (c.a[0] - x).abs() < 1e-5);
                assert!(c.a[1].abs() < 1e-15, "the point on the plane lies on it");
            }
        }
    }
}

#[test]
fn side_a_is_the_lower_shape_index() {
    let c = pair(rect(0.5, 0.5), half_plane()).at(&[[0.0, 0.6, 0.0], NO_POSE], 0.1);
    assert_eq!(features(&c), [(0, 1), (2, 1)]);
    assert!(c.iter().all(|c| c.n == [0.0, -1.0] && (c.gap - 0.1).abs() < 1e-15 && c.b[1] == 0.0));
}

#[test]
fn a_tilted_box_reports_every_corner_within_the_active_distance_that_may_land() {
    let mut w = World::default();
    w.one("ground", half_plane()).fixed().one("box", rect(0.5, 0.5));
    // Corners at heights y ∓ 0.5 sin θ − 0.5 cos θ.
    let tilt: f64 = 0.1;
    let y = 0.5 * tilt.cos() + 0.5 * tilt.sin();
    let c = w.at(&[NO_POSE, [0.0, y, tilt]], 0.06);
    assert_eq!(features(&c), [(1, 0), (1, 2)]);
    assert!(c[0].gap.abs() < 1e-15 && (c[1].gap - tilt.sin()).abs() < 1e-15);
    assert_eq!(
        w.at(&[NO_POSE, [0.0, y, tilt]], 0.04).len(),
        1,
        "sum of margins below the height of the other corner"
    );
    // On its edge: one.
    let c = w.at(&[NO_POSE, [0.0, 0.5_f64.sqrt(), std::f64::consts::FRAC_PI_4]], 1.0);
    assert_eq!(c.len(), 1);
}

#[test]
fn aligned_stacked_boxes_have_two_contacts_under_noise() {
    let w = pair(rect(0.5, 0.5), rect(0.5, 0.5));
    for dy in [0.0, 1e-12, -1e-12, -1e-7, 1e-3, -1e-3] {
        for dx in [0.0, 1e-13, -1e-13, 1e-11] {
            for tilt in [0.0, 1e-13, -1e-13] {
                let c = w.at(&[NO_POSE, [dx, 1.0 + dy, tilt]], 0.01);
                assert_eq!(c.len(), 2, "dx {dx}, dy {dy}, tilt {tilt}: {c:?}");
                for c in &c {
                    assert!(c.n[1] > 1.0 - 1e-12 && (c.gap - dy).abs() < 1e-12, "{c:?}");
                    assert!((c.a[0].abs() - 0.5).abs() < 1e-9);
                }
            }
        }
    }
}

#[test]
fn offset_stacked_boxes_have_one_contact_from_either_side() {
    let w = pair(rect(0.5, 0.5), rect(0.5, 0.5));
    for dy in [0.0, 1e-12, -1e-12, -1e-4, 1e-3] {
        let c = w.at(&[NO_POSE, [0.3, 1.0 + dy, 0.0]], 0.01);
        // Top right corner of A under B's bottom; bottom left corner of B over A's top.
        assert_eq!(features(&c), [(4, 1), (5, 0)], "{dy}");
        assert!(c.iter().all(|c| c.n[1] > 1.0 - 1e-15 && (c.gap - dy).abs() < 1e-15));
    }
    let narrow = pair(rect(0.5, 0.5), rect(0.2, 0.2));
    let c = narrow.at(&[NO_POSE, [0.1, 0.7, 0.0]], 0.01);
    assert_eq!(features(&c), [(5, 0), (5, 2)]);
}

#[test]
fn a_vertex_beyond_the_end_of_an_edge_is_not_held_by_it() {
    let w = pair(rect(0.5, 0.5), rect(0.1, 0.1));
    // Small box just past the right end of the large one's top: only the corners face each other.
    let c = w.at(&[NO_POSE, [0.601, 0.601, 0.0]], 0.01);
    assert_eq!(features(&c), [(4, 0)]);
    let d = 0.001_f64.hypot(0.001);
    assert!((c[0].gap - d).abs() < 1e-15 && (c[0].n[0] - 0.5_f64.sqrt()).abs() < 1e-12);
    // Beside it, below the top: the side holds it, not the top.
    let c = w.at(&[NO_POSE, [0.601, 0.3, 0.0]], 0.01);
    assert_eq!(features(&c), [(3, 0), (3, 6)]);
    assert!(c.iter().all(|c| c.n == [1.0, 0.0]));
}

#[test]
fn sides_and_far_faces_never_count() {
    // Large margins: everything is within reach, but only facing features are contacts.
    let w = pair(rect(0.5, 0.5), rect(0.2, 0.1));
    let c = w.at(&[NO_POSE, [0.0, 0.65, 0.0]], 10.0);
    assert_eq!(features(&c), [(5, 0), (5, 2)]);
}

#[test]
fn corner_on_corner_gives_one_contact() {
    let w = pair(rect(0.5, 0.5), rect(0.5, 0.5));
    for (dx, dy) in
        [(0.0, 0.0), (1e-12, -1e-12), (-1e-12, 1e-12), (-1e-3, -1e-5), (-1e-5, -1e-3), (1e-4, 1e-4)]
    {
        let c = w.at(&[NO_POSE, [1.0 + dx, 1.0 + dy, 0.0]], 0.01);
        // Overlapping corners see each other's edge along the axis of least depth: the same axis.
        assert!(!c.is_empty() && c.len() <= 2, "{dx} {dy}: {c:?}");
        assert!(c.iter().all(|o| dot(o.n, c[0].n) > 1.0 - 1e-12));
        assert!(c[0].n[0] > -1e-6 && c[0].n[1] > -1e-6, "from the lower left box to the upper right one");
    }
}

#[test]
fn a_box_in_a_notch_is_held_by_floor_and_wall() {
    let w = pair(ell(), rect(0.25, 0.25));
    for (dx, dy) in
        [(0.0, 0.0), (1e-12, 1e-12), (-1e-12, -1e-12), (-1e-4, 1e-4), (1e-4, -1e-4), (-1e-3, -1e-4)]
    {
        let c = w.at(&[NO_POSE, [1.25 + dx, 1.25 + dy, 0.0]], 0.01);
        assert_eq!(features(&c), [(5, 0), (5, 2), (7, 0), (7, 6)], "{dx} {dy}");
        for c in c {
            let (n, gap) = if c.key.feature_a == 5 { ([0.0, 1.0], dy) } else { ([1.0, 0.0], dx) };
            assert_eq!(c.n, n);
            assert!((c.gap - gap).abs() < 1e-15, "{c:?}");
        }
    }
    // A corner pushed into the notch: one vertex, both edges.
    let r = 0.25 * 2.0_f64.sqrt();
    for d in [1e-3, 0.0, -1e-12, -1e-3] {
        let c = w.at(&[NO_POSE, [1.0 + d + r, 1.0 + d, std::f64::consts::FRAC_PI_4]], 0.01);
        // At 45° the box's left corner (7 → vertex 3) faces the wall only.
        assert!(c.iter().any(|c| c.key.feature_a == 7 && (c.gap - d).abs() < 1e-14), "{d}: {c:?}");
        let turned = w.at(&[NO_POSE, [1.0 + d + 0.25, 1.0 + 2.0 * d + 0.25, 0.2]], 0.05);
        assert!(turned.iter().any(|c| c.key.feature_a == 5) && turned.iter().any(|c| c.key.feature_a == 7));
    }
}

#[test]
fn a_box_on_the_outside_of_a_non_convex_polygon_is_held_as_on_a_convex_one() {
    let w = pair(ell(), rect(0.2, 0.2));
    for dy in [0.0, 1e-12, -1e-12, -1e-5, 1e-3] {
        // On the floor away from the notch, near its far end too.
        for x in [2.0, 2.8 - 1e-6] {
            let c = w.at(&[NO_POSE, [x, 1.2 + dy, 0.0]], 0.01);
            assert_eq!(features(&c), [(5, 0), (5, 2)], "{dy} {x}");
            assert!(c.iter().all(|c| c.n == [0.0, 1.0] && (c.gap - dy).abs() < 1e-14));
        }
        // Half over the end: one from either side.
        let c = w.at(&[NO_POSE, [3.1, 1.2 + dy, 0.0]], 0.01);
        assert_eq!(features(&c), [(4, 1), (5, 0)], "{dy}");
    }
}

#[test]
fn two_rotated_stacks_of_the_same_shape_merge_duplicates() {
    for turn in [0.3, 1.0, -2.5] {
        let (s, c) = f64::sin_cos(turn);
        let w = pair(rect(0.5, 0.5), rect(0.5, 0.5));
        let up = [-s, c];
        let found = w.at(&[[0.2, -0.7, turn], [0.2 + up[0], -0.7 + up[1], turn]], 0.01);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().all(|c| dot(c.n, up) > 1.0 - 1e-12 && c.gap.abs() < 1e-15));
    }
}

#[test]
fn a_flat_vertex_in_a_side_adds_no_contact() {
    let split = polygon(&[[-0.5, -0.5], [0.0, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]);
    let mut w = World::default();
    w.one("ground", half_plane()).fixed().one("box", split.clone());
    assert_eq!(features(&w.at(&[NO_POSE, [0.0, 0.5, 0.0]], 0.01)), [(1, 0), (1, 4)]);
    // A corner over the seam of the split side: one contact.
    let w = pair(split, rect(0.1, 0.1));
    for noise in [0.0, 1e-12, -1e-12] {
        let c = w.at(&[NO_POSE, [-0.1, -0.6 + noise, 0.0]], 0.01);
        assert_eq!(c.len(), 2, "{c:?}");
    }
}

#[test]
fn shapes_of_one_body_do_not_meet_and_local_poses_count() {
    let mut w = World::default();
    let (k, p) = disc(0.1);
    w.body(
        "dumbbell",
        &[(k, [0.5, 0.0, 0.0], p.clone()), (k, [-0.5, 0.0, 0.0], p.clone()), (k, [0.55, 0.0, 0.0], p)],
    );
    w.one("ground", half_plane()).fixed();
    let c = w.at(&[[0.0, 0.55, std::f64::consts::FRAC_PI_2], NO_POSE], 0.0);
    assert_eq!(c.len(), 1, "{c:?}");
    assert_eq!(c[0].key.shape_a, 1);
    assert!((c[0].gap + 0.05).abs() < 1e-15);
    // A shape turned in its body: a box lying on its local side.
    let mut w = World::default();
    let (k, p) = rect(0.5, 0.1);
    w.body("post", &[(k, [0.0, 0.2, std::f64::consts::FRAC_PI_2], p)]).one("ground", half_plane()).fixed();
    let c = w.at(&[[0.0, 0.3, 0.0], NO_POSE], 0.01);
    assert_eq!(c.len(), 2);
    assert!(c.iter().all(|c| c.gap.abs() < 1e-15 && (c.a[0].abs() - 0.1).abs() < 1e-15));
}

#[test]
fn filtered_pairs_stay_silent() {
    let mut w = World::default();
    w.one("a", disc(1.0)).one("b", disc(1.0)).one("c", disc(1.0)).fixed().one("d", disc(1.0)).fixed();
    w.ignored = vec![0, 1];
    let c = w.at(&[[0.0; 3]; 4], 0.0);
    let pairs: Vec<_> = c.iter().map(|c| (c.key.shape_a, c.key.shape_b)).collect();
    assert_eq!(pairs, [(0, 2), (0, 3), (1, 2), (1, 3)]);
}
