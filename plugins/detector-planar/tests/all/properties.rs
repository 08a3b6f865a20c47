//! Properties of every pair: order of sides, choice of frame, continuity, derivatives, stable keys.

use crate::common::*;
use vinci_sdk::prelude::*;

/// A random shape of any kind this detector knows, all about 1 m across.
fn any_shape(rng: &mut Rng) -> (ShapeKind, Vec<f64>) {
    match rng.below(5) {
        0 => disc(rng.within(0.1, 0.7)),
        1 => capsule(rng.within(0.2, 0.8), rng.within(0.05, 0.3)),
        2 => polygon(&rng.convex()),
        3 => polygon(&rng.star()),
        _ => segment([-rng.within(0.2, 1.0), 0.1], [rng.within(0.2, 1.0), 0.0]),
    }
}

/// Random pairs, every fifth with a half-plane.
fn each_pair(seed: u64, cases: usize, mut check: impl FnMut(usize, &World, [[f64; 3]; 2], &mut Rng)) {
    let mut rng = Rng(seed);
    for case in 0..cases {
        let a = if case % 5 == 0 { half_plane() } else { any_shape(&mut rng) };
        let b = any_shape(&mut rng);
        let pose = [rng.pose(1.0), rng.pose(1.0)];
        check(case, &pair(a, b), pose, &mut rng);
    }
}

fn same(x: [f64; 2], y: [f64; 2], tolerance: f64) -> bool {
    (x[0] - y[0]).abs() < tolerance && (x[1] - y[1]).abs() < tolerance
}

#[test]
fn the_order_of_the_shapes_only_swaps_the_sides() {
    each_pair(11, 3000, |case, w, pose, _| {
        let mut swapped = World::default();
        for i in [1, 0] {
            let (kind, _, _, params) = w.shapes[i].clone();
            swapped.one(&w.names[i], (kind, params));
        }
        let (c, d) = (w.at(&pose, 0.2), swapped.at(&[pose[1], pose[0]], 0.2));
        assert_eq!(c.len(), d.len(), "case {case}: {c:#?} {d:#?}");
        for c in c {
            let twin =
                d.iter().find(|d| (d.key.feature_b, d.key.feature_a) == (c.key.feature_a, c.key.feature_b));
            let twin = twin.unwrap_or_else(|| panic!("case {case}: {c:?} {d:?}"));
            assert!((c.gap - twin.gap).abs() < 1e-14, "case {case}");
            assert!(
                same(c.n, [-twin.n[0], -twin.n[1]], 1e-12)
                    && same(c.a, twin.b, 1e-13)
                    && same(c.b, twin.a, 1e-13)
            );
        }
    });
}

#[test]
fn the_frame_does_not_matter() {
    each_pair(12, 3000, |case, w, pose, rng| {
        let frame = rng.pose(10.0);
        let to = |p: [f64; 3]| {
            let x = moved(&[[p[0], p[1]]], frame)[0];
            [x[0], x[1], p[2] + frame[2]]
        };
        let turn = [0.0, 0.0, frame[2]];
        let (c, d) = (w.at(&pose, 0.2), w.at(&pose.map(to), 0.2));
        assert_eq!(c.len(), d.len(), "case {case}: {c:#?} {d:#?}");
        for (c, d) in c.iter().zip(&d) {
            assert_eq!(c.key, d.key, "case {case}");
            assert!((c.gap - d.gap).abs() < 1e-13, "case {case}: {c:?} {d:?}");
            // A normal between two vertices is as sharp as their distance allows.
            assert!(same(moved(&[c.n], turn)[0], d.n, 1e-11), "case {case}: {c:?} {d:?}");
            assert!(same(moved(&[c.a], frame)[0], d.a, 1e-12) && same(moved(&[c.b], frame)[0], d.b, 1e-12));
        }
    });
}

#[test]
fn the_rate_of_the_gap_is_the_normal_velocity_of_the_points() {
    let mut compared = 0;
    each_pair(13, 3000, |case, w, pose, rng| {
        let v = [rng.pose(1.0), rng.pose(1.0)];
        let h = 1e-6;
        let shift = |s: f64| [0, 1].map(|i| [0, 1, 2].map(|k| pose[i][k] + s * v[i][k]));
        let (before, now, after) = (w.at(&shift(-h), 0.2), w.at(&pose, 0.2), w.at(&shift(h), 0.2));
        let speed = |i: usize, p: [f64; 2]| {
            let (q, v) = (pose[i], v[i]);
            [v[0] - v[2] * (p[1] - q[1]), v[1] + v[2] * (p[0] - q[0])]
        };
        for c in &now {
            let find = |list: &[Contact]| list.iter().find(|o| o.key == c.key).copied();
            let (Some(b), Some(a)) = (find(&before), find(&after)) else { continue };
            let (va, vb) = (speed(0, c.a), speed(1, c.b));
            let rate = dot(c.n, [vb[0] - va[0], vb[1] - va[1]]);
            let difference = (a.gap - b.gap) / (2.0 * h);
            // Second derivatives go with 1/distance for two vertices.
            assert!((rate - difference).abs() < 1e-7, "case {case}: {rate} {difference} {c:?}");
            compared += 1;
        }
    });
    assert!(compared > 1500, "{compared}");
}

#[test]
fn keys_and_gaps_survive_a_tiny_motion() {
    each_pair(14, 3000, |case, w, pose, rng| {
        let c = w.at(&pose, 0.2);
        let shaken = pose.map(|p| p.map(|x| x + rng.within(-1e-12, 1e-12)));
        let d = w.at(&shaken, 0.2);
        assert_eq!(c.len(), d.len(), "case {case}");
        for (c, d) in c.iter().zip(&d) {
            assert_eq!(c.key, d.key, "case {case}");
            assert!((c.gap - d.gap).abs() < 1e-11 && same(c.n, d.n, 1e-9), "case {case}");
        }
    });
}

#[test]
fn the_gap_is_continuous_through_touching() {
    // B travels towards A from afar; the smallest gap changes by no more than the motion does, up to the share 1/cos of a
    // normal that differs by the rotation of a step, also where features take over from one another and at the touch.
    let mut touched = 0;
    each_pair(15, 400, |case, w, mut pose, rng| {
        let angle = rng.within(0.0, std::f64::consts::TAU);
        let away = if case % 5 == 0 { pose[0][2] + std::f64::consts::FRAC_PI_2 } else { angle };
        let step = 1e-3;
        let mut detector = w.create("{}").unwrap();
        let mut last = f64::NAN;
        let start = pose[1];
        for k in 0..3000 {
            let s = 2.5 - step * f64::from(k);
            pose[1] = [start[0] * 0.2 + s * away.cos(), start[1] * 0.2 + s * away.sin(), start[2]];
            let c = detect(&mut detector, &pose, 0.2);
            let smallest = c.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
            if last.is_finite() {
                // Passing by, B may leave the reach of 0.4 m again.
                if !smallest.is_finite() && last > 0.4 - 2.0 * step {
                    break;
                }
                assert!(
                    (smallest - last).abs() < step / 0.5_f64.cos(),
                    "case {case}: {last} to {smallest}\n{c:#?}"
                );
            }
            // Deeper than this is not what a stepper meets.
            if smallest < -2e-3 {
                touched += 1;
                break;
            }
            last = smallest;
        }
    });
    assert!(touched > 250, "{touched}");
}

#[test]
fn a_larger_margin_only_adds_contacts_where_bodies_are_convex() {
    let mut rng = Rng(16);
    for case in 0..1500 {
        let w = pair(polygon(&rng.convex()), polygon(&rng.convex()));
        let pose = [rng.pose(1.2), rng.pose(1.2)];
        let (narrow, wide) = (w.at(&pose, 0.05), w.at(&pose, 0.3));
        let within: Vec<_> = wide.into_iter().filter(|c| c.gap <= 0.1).collect();
        assert_eq!(narrow, within, "case {case}");
    }
}

#[test]
fn translation_keeps_rest_at_rest_far_from_the_origin() {
    // 1 km away coordinates carry 1e-13 m; contacts of a stack stay two, and vertical.
    let w = pair(rect(0.5, 0.5), rect(0.5, 0.5));
    let c = w.at(&[[1000.3, -777.7, 0.0], [1000.3, -776.7, 0.0]], 0.01);
    assert_eq!(c.len(), 2);
    assert!(c.iter().all(|c| c.n == [0.0, 1.0] && c.gap.abs() < 1e-12));
}
