//! Convex pairs: closed forms, and the brute-force gap over the sphere of directions.

use crate::common::*;
use nalgebra::UnitQuaternion;
use std::f64::consts::FRAC_PI_2;
use vinci_sdk::core::model::ShapeKind::{self, *};

fn pair(a: (ShapeKind, &[f64]), b: (ShapeKind, &[f64])) -> Scene {
    Scene::default().body("a", true, a.0, a.1).body("b", false, b.0, b.1)
}

fn least(c: &[Contact]) -> f64 {
    c.iter().map(|c| c.gap).fold(f64::MAX, f64::min)
}

/// max over n of the separation along n: a sphere of directions refined around its best ones.
fn brute_gap(a: (ShapeKind, &[f64]), pa: &[f64; 7], b: (ShapeKind, &[f64]), pb: &[f64; 7]) -> f64 {
    let ((xa, qa), (xb, qb)) = (parts(pa), parts(pb));
    let sigma = |n: &V| {
        let on_a = xa + qa * support(a.0, a.1, &(qa.inverse() * n));
        let on_b = xb + qb * support(b.0, b.1, &(qb.inverse() * -n));
        n.dot(&(on_b - on_a))
    };
    let count = 4000;
    let mut best: Vec<(f64, V)> = (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
            let a = f64::from(i) * 2.399963229728653;
            let n = V::new((1.0 - z * z).sqrt() * a.cos(), (1.0 - z * z).sqrt() * a.sin(), z);
            (sigma(&n), n)
        })
        .collect();
    best.sort_by(|x, y| y.0.total_cmp(&x.0));
    best.truncate(4);
    let mut dice = Dice(7);
    let mut top = f64::MIN;
    for (mut s, mut n) in best {
        for _ in 0..20000 {
            let m = (n + dice.vector() * 10f64.powf(dice.range(-9.0, -1.0))).normalize();
            let t = sigma(&m);
            if t > s {
                (s, n) = (t, m);
            }
        }
        top = top.max(s);
    }
    top
}

const HULL: [f64; 24] = [
    0.4, 0.1, 0.2, -0.3, 0.35, 0.1, -0.2, -0.3, 0.15, 0.25, -0.25, -0.2, -0.35, 0.05, -0.25, 0.1, 0.3, -0.3,
    0.0, 0.0, 0.42, 0.3, 0.3, 0.0,
];
const KINDS: [(ShapeKind, &[f64]); 6] = [
    (Ball, &[0.3]),
    (Box, &[0.3, 0.2, 0.4]),
    (Capsule, &[0.3, 0.15]),
    (Cylinder, &[0.25, 0.2]),
    (Cone, &[0.3, 0.25]),
    (ConvexHull, &HULL),
];

#[test]
fn balls() {
    let s = pair((Ball, &[0.3]), (Ball, &[0.2]));
    let p = V::new(0.3, -0.4, 0.12);
    let c = s.contacts(&[IDENTITY, shift(p.x, p.y, p.z)], 0.1);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap - (p.norm() - 0.5)).abs() < 1e-15);
    assert!((c[0].n - p.normalize()).norm() < 1e-15);
    let one_place = s.contacts(&[IDENTITY, IDENTITY], 0.1);
    assert_eq!((one_place[0].gap, one_place[0].n), (-0.5, V::z()));
}

#[test]
fn ball_on_box_face_edge_corner_and_inside() {
    let s = pair((Box, &[0.5, 0.4, 0.3]), (Ball, &[0.1]));
    for (p, n, gap) in [
        (V::new(0.2, 0.1, 0.45), V::z(), 0.05),
        (V::new(0.2, 0.1, 0.35), V::z(), -0.05),
        (V::new(0.2, 0.1, 0.25), V::z(), -0.15),
        (V::new(0.53, 0.0, 0.34), V::new(0.6, 0.0, 0.8), -0.05),
        (V::new(0.52, 0.41, 0.32), V::new(2.0, 1.0, 2.0).normalize(), -0.07),
    ] {
        let c = s.contacts(&[IDENTITY, shift(p.x, p.y, p.z)], 0.05);
        assert_eq!(c.len(), 1);
        assert!((c[0].gap - gap).abs() < 1e-14, "{p}: {}", c[0].gap);
        assert!((c[0].n - n).norm() < 1e-13);
    }
}

#[test]
fn ball_on_cylinder_cone_capsule() {
    let cyl = pair((Cylinder, &[0.3, 0.2]), (Ball, &[0.1]));
    assert!((cyl.contacts(&[IDENTITY, shift(0.18, 0.24, 0.1)], 0.01)[0].gap - 0.0).abs() < 1e-15);
    assert!((cyl.contacts(&[IDENTITY, shift(0.03, 0.04, 0.39)], 0.01)[0].gap + 0.01).abs() < 1e-15);
    let rim = &cyl.contacts(&[IDENTITY, shift(0.23, 0.0, 0.34)], 0.01)[0];
    assert!((rim.gap + 0.05).abs() < 1e-15 && (rim.n - V::new(0.6, 0.0, 0.8)).norm() < 1e-12);
    let cap = pair((Capsule, &[0.3, 0.2]), (Ball, &[0.1]));
    assert!((cap.contacts(&[IDENTITY, shift(0.18, 0.24, 0.1)], 0.01)[0].gap).abs() < 1e-15);
    assert!((cap.contacts(&[IDENTITY, shift(0.0, 0.0, 0.59)], 0.01)[0].gap + 0.01).abs() < 1e-15);
    // Cone of slope 3 : 4 (half height 0.2, radius 0.3): the side's normal is (0.8, 0, 0.6).
    let cone = pair((Cone, &[0.2, 0.3]), (Ball, &[0.1]));
    let side = &cone.contacts(&[IDENTITY, shift(0.15 + 0.8 * 0.09, 0.0, 0.6 * 0.09)], 0.01)[0];
    assert!((side.gap + 0.01).abs() < 1e-15 && (side.n - V::new(0.8, 0.0, 0.6)).norm() < 1e-14);
    assert!((cone.contacts(&[IDENTITY, shift(0.0, 0.0, 0.29)], 0.01)[0].gap + 0.01).abs() < 1e-15);
    assert!((cone.contacts(&[IDENTITY, shift(0.1, 0.0, -0.29)], 0.01)[0].gap + 0.01).abs() < 1e-15);
}

#[test]
fn box_on_box_face() {
    let s = pair((Box, &[1.0, 1.0, 0.5]), (Box, &[0.5, 0.3, 0.2]));
    for gap in [0.0199, 1e-7, 1e-12, 0.0, -1e-12, -0.03] {
        let c = s.contacts(&[IDENTITY, shift(0.1, 0.2, 0.7 + gap)], 0.01);
        assert_eq!(c.len(), 4, "gap {gap}: {c:?}");
        assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-15 && (c.n - V::z()).norm() < 1e-15));
        assert!(
            c.iter()
                .all(|c| ((c.b.x - 0.1).abs() - 0.5).abs() < 1e-15
                    && ((c.b.y - 0.2).abs() - 0.3).abs() < 1e-15)
        );
    }
    assert_eq!(s.contacts(&[IDENTITY, shift(0.1, 0.2, 0.7 + 0.0201)], 0.01).len(), 0);
}

#[test]
fn equal_boxes_flush_shifted_and_turned() {
    let s = pair((Box, &[0.5, 0.5, 0.5]), (Box, &[0.5, 0.5, 0.5]));
    let keys = |c: &[Contact]| c.iter().map(|c| c.key).collect::<Vec<_>>();
    let flush = s.contacts(&[IDENTITY, shift(0.0, 0.0, 1.0)], 0.01);
    assert_eq!(flush.len(), 4);
    let mut dice = Dice(3);
    for _ in 0..200 {
        let q = nalgebra::UnitQuaternion::new(dice.vector() * 1e-7);
        let jitter = s.contacts(&[IDENTITY, pose(V::z() + dice.vector() * 1e-6, q)], 0.01);
        assert_eq!(keys(&jitter), keys(&flush));
    }
    let overlap = s.contacts(&[IDENTITY, shift(0.3, 0.2, 1.0)], 0.01);
    assert_eq!(overlap.len(), 4);
    for c in &overlap {
        assert!([-0.2, 0.5].iter().any(|x| (c.b.x - x).abs() < 1e-12));
        assert!([-0.3, 0.5].iter().any(|y| (c.b.y - y).abs() < 1e-12));
    }
    let turned = s.contacts(&[IDENTITY, pose(V::z(), turn(V::z(), FRAC_PI_2 / 2.0))], 0.01);
    assert_eq!(turned.len(), 8);
    assert!(turned.iter().all(|c| c.gap.abs() < 1e-15 && (c.n - V::z()).norm() < 1e-12));
}

#[test]
fn box_edge_and_corner_on_box() {
    let s = pair((Box, &[1.0, 1.0, 0.5]), (Box, &[0.3, 0.3, 0.3]));
    let z = 0.5 + 0.3 * 2f64.sqrt();
    for gap in [0.01, 0.0, -0.01] {
        let edge =
            s.contacts(&[IDENTITY, pose(V::new(0.0, 0.1, z + gap), turn(V::x(), FRAC_PI_2 / 2.0))], 0.01);
        assert_eq!(edge.len(), 2, "{edge:?}");
        assert!(edge.iter().all(|c| (c.gap - gap).abs() < 1e-14 && (c.n - V::z()).norm() < 1e-13));
        let q = nalgebra::UnitQuaternion::rotation_between(&V::new(1.0, 1.0, 1.0), &-V::z()).unwrap();
        let corner = s.contacts(&[IDENTITY, pose(V::new(0.1, 0.1, 0.5 + 0.3 * 3f64.sqrt() + gap), q)], 0.01);
        assert_eq!(corner.len(), 1);
        assert!((corner[0].gap - gap).abs() < 1e-14 && (corner[0].n - V::z()).norm() < 1e-13);
    }
}

#[test]
fn crossed_box_edges() {
    let s = pair((Box, &[0.5, 0.5, 0.5]), (Box, &[0.5, 0.5, 0.5]));
    // A's edge along x on top, B's edge along y below.
    let (qa, qb) = (turn(V::x(), FRAC_PI_2 / 2.0), turn(V::y(), FRAC_PI_2 / 2.0));
    for gap in [0.01, 1e-9, -0.01] {
        let c = s.contacts(&[pose(V::zeros(), qa), pose(V::new(0.1, 0.05, 2f64.sqrt() + gap), qb)], 0.01);
        assert_eq!(c.len(), 1, "{c:?}");
        assert!((c[0].gap - gap).abs() < 1e-14 && (c[0].n - V::z()).norm() < 1e-12);
        assert!((c[0].a - V::new(0.1, 0.0, 0.5f64.sqrt())).norm() < 1e-12);
    }
}

#[test]
fn corners_and_edges_apart_have_their_true_distance() {
    let s = pair((Box, &[0.5, 0.5, 0.5]), (Box, &[0.5, 0.5, 0.5]));
    let d = V::new(0.02, 0.01, 0.02);
    let c = s.contacts(&[IDENTITY, shift(1.0 + d.x, 1.0 + d.y, 1.0 + d.z)], 0.05);
    assert_eq!(c.len(), 1);
    assert!((c[0].gap - 0.03).abs() < 1e-14 && (c[0].n - d / 0.03).norm() < 1e-12);
    // Parallel edges: both ends.
    let c = s.contacts(&[IDENTITY, shift(1.03, 0.2, 1.04)], 0.05);
    assert_eq!(c.len(), 2, "{c:?}");
    assert!(c.iter().all(|c| (c.gap - 0.05).abs() < 1e-14 && (c.n - V::new(0.6, 0.0, 0.8)).norm() < 1e-12));
}

#[test]
fn cylinder_and_cone_stand_on_a_box() {
    for gap in [0.005, 1e-10, 0.0, -1e-10, -0.005] {
        let s = pair((Box, &[1.0, 1.0, 0.5]), (Cylinder, &[0.3, 0.2]));
        let c = s.contacts(&[IDENTITY, shift(0.1, 0.2, 0.8 + gap)], 0.01);
        assert_eq!(c.len(), 8, "{gap}");
        assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-15 && c.n == V::z()));
        let lying = s.contacts(&[IDENTITY, pose(V::new(0.1, 0.2, 0.7 + gap), turn(V::y(), FRAC_PI_2))], 0.01);
        assert_eq!(lying.len(), 2, "{gap}: {lying:?}");
        assert!(lying.iter().all(|c| (c.gap - gap).abs() < 1e-15 && c.n == V::z()));
        let s = pair((Box, &[1.0, 1.0, 0.5]), (Cone, &[0.3, 0.2]));
        let c = s.contacts(&[IDENTITY, shift(0.1, 0.2, 0.8 + gap)], 0.01);
        assert_eq!(c.len(), 8);
        assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-15 && c.n == V::z()));
        let s = pair((Cylinder, &[0.5, 1.0]), (Cylinder, &[0.3, 0.2]));
        let c = s.contacts(&[IDENTITY, shift(0.1, 0.2, 0.8 + gap)], 0.01);
        assert_eq!(c.len(), 8);
        assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-15 && c.n == V::z()));
    }
}

#[test]
fn parallel_and_crossed_capsules_and_cylinders() {
    for (kind, p) in [(Capsule, [0.5, 0.1]), (Cylinder, [0.5, 0.1])] {
        let s = pair((kind, &p), (kind, &p));
        for gap in [0.01, 1e-9, 0.0, -0.01] {
            let c = s.contacts(&[IDENTITY, shift(0.2 + gap, 0.0, 0.3)], 0.01);
            assert_eq!(c.len(), 2, "{kind:?} {gap}: {c:?}");
            assert!(c.iter().all(|c| (c.gap - gap).abs() < 1e-12 && (c.n - V::x()).norm() < 1e-7), "{c:?}");
            let c = s.contacts(&[IDENTITY, pose(V::new(0.2 + gap, 0.1, 0.2), turn(V::x(), FRAC_PI_2))], 0.01);
            assert_eq!(c.len(), 1, "{kind:?} {gap}: {c:?}");
            assert!((c[0].gap - gap).abs() < 1e-12 && (c[0].n - V::x()).norm() < 1e-7, "{c:?}");
        }
    }
}

/// Boxes at the side of a long cylinder: flat, on an edge, on a corner, apart and overlapping, and as far as the middle
/// over the ends and beyond them, in both orders. Over the side the gap is that of the point nearest to the axis.
#[test]
fn a_box_at_the_side_of_a_cylinder_has_the_gap_of_its_point_nearest_to_the_axis() {
    let (cylinder, brick): ((_, &[f64]), (_, &[f64])) = ((Cylinder, &[0.5, 0.2]), (Box, &[0.1, 0.15, 0.2]));
    let tilted = turn(V::new(0.3, -0.2, 0.9), 0.4);
    for (turned, on_corner) in [(turn(V::x(), 0.3), false), (turn(V::y(), 0.5), false), (tilted, true)] {
        for (gap, z) in [(0.05, 0.0), (1e-9, 0.1), (0.0, -0.3), (-0.01, 0.2), (-0.05, 0.45), (0.02, 0.68)] {
            let corner = turned * support(brick.0, brick.1, &(turned.inverse() * -V::x()));
            let y = if on_corner { -corner.y } else { 0.0 };
            let at = pose(V::new(0.2 + gap - corner.x, y, z), turned);
            let truth = brute_gap(cylinder, &IDENTITY, brick, &at);
            let ahead = pair(cylinder, brick).contacts(&[IDENTITY, at], 0.1);
            let back = pair(brick, cylinder).contacts(&[at, IDENTITY], 0.1);
            for c in [&ahead, &back] {
                assert!((least(c) - truth).abs() < 1e-7 + 1e-4 * truth.abs(), "{gap} {z}: {truth} {c:?}");
            }
            if z.abs() < 0.21 {
                assert!((least(&ahead) - gap).abs() < 1e-12, "{gap} {z}: {ahead:?}");
            }
            assert!((least(&ahead) - least(&back)).abs() < 1e-12, "{ahead:?} {back:?}");
        }
    }
}

/// Boxes beside the rim of a cylinder, apart, in both orders: the gap is proved from both sides. Along the normal the two are that
/// far apart, and the points told lie in them at that distance.
#[test]
fn the_gap_of_a_box_beside_the_rim_of_a_cylinder_is_proved_from_both_sides() {
    let (cylinder, brick): ((_, &[f64]), (_, &[f64])) =
        ((Cylinder, &[0.05, 0.04]), (Box, &[0.02, 0.012, 0.03]));
    let mut dice = Dice(29);
    let mut proved = 0;
    for k in 0..1500 {
        let at = pose(dice.vector() * 0.12, dice.rotation());
        let (pair, poses) = match k % 2 {
            0 => (pair(cylinder, brick), [IDENTITY, at]),
            _ => (pair(brick, cylinder), [at, IDENTITY]),
        };
        let contacts = pair.contacts(&poses, 0.1);
        let Some(c) = contacts.iter().min_by(|c, d| c.gap.total_cmp(&d.gap)) else { continue };
        if c.gap < 1e-5 {
            continue;
        }
        let towards = if k % 2 == 0 { c.n } else { -c.n };
        let (x, q) = parts(&at);
        let on_cylinder = support(cylinder.0, cylinder.1, &towards);
        let on_brick = x + q * support(brick.0, brick.1, &(q.inverse() * -towards));
        assert!((towards.dot(&(on_brick - on_cylinder)) - c.gap).abs() < 1e-15, "{k}: {c:?}");
        let (p, b) = if k % 2 == 0 { (c.a, c.b) } else { (c.b, c.a) };
        let b = q.inverse() * (b - x);
        assert!(p.x.hypot(p.y) < 0.04 + 1e-12 && p.z.abs() < 0.05 + 1e-12, "{k}: {c:?}");
        assert!((0..3).all(|i| b[i].abs() < brick.1[i] + 1e-12), "{k}: {c:?} {b:?}");
        assert!(((c.b - c.a).norm() - c.gap).abs() < 1e-12, "{k}: {c:?}");
        proved += 1;
    }
    assert!(proved > 800, "{proved}");
}

/// Random pairs at random depth: the least gap is the best separation over all directions.
#[test]
fn least_gap_is_the_best_separation_over_the_sphere() {
    let mut dice = Dice(11);
    let mut worst = 0.0f64;
    for (i, a) in KINDS.iter().enumerate() {
        for b in &KINDS[i..] {
            let s = pair(*a, *b);
            for _ in 0..12 {
                let (qa, qb) = (dice.rotation(), dice.rotation());
                let at = dice.vector().normalize() * dice.range(0.3, 0.75);
                let poses = [pose(V::zeros(), qa), pose(at, qb)];
                let truth = brute_gap(*a, &poses[0], *b, &poses[1]);
                let c = s.contacts(&poses, 0.1);
                if truth > 0.2 + 1e-6 {
                    assert!(c.is_empty(), "{a:?} {b:?} {truth} {c:?}");
                    continue;
                }
                assert!(!c.is_empty(), "{a:?} {b:?} {truth} {poses:?}");
                let error = least(&c) - truth;
                // The reference is a random search: it may miss a little, the detector may not.
                assert!(
                    error > -1e-8 - 1e-3 * truth.abs() && error < 1e-5,
                    "{a:?} {b:?}: {} vs {truth} {poses:?} {c:?}",
                    least(&c)
                );
                worst = worst.max(error.abs());
            }
        }
    }
    println!("largest difference from the search: {worst:e}");
}

/// d(gap)/dt = n · (velocity of B at its point − velocity of A at its point), for every contact whose key persists.
#[test]
fn gap_rate_is_the_normal_relative_velocity() {
    let mut dice = Dice(5);
    let h = 1e-5;
    let mut seen = 0;
    let mut worst = 0.0f64;
    for (i, a) in KINDS.iter().enumerate() {
        for b in &KINDS[i..] {
            let s = pair(*a, *b);
            let mut detector = s.detector().unwrap();
            for _ in 0..20 {
                let poses = [
                    pose(V::zeros(), dice.rotation()),
                    pose(dice.vector().normalize() * dice.range(0.3, 0.6), dice.rotation()),
                ];
                let twist: Vec<V> = (0..4).map(|_| dice.vector()).collect();
                let at = |t: f64| {
                    [moved(&poses[0], &twist[0], &twist[1], t), moved(&poses[1], &twist[2], &twist[3], t)]
                };
                let now = ask(&mut detector, &poses, 0.03);
                let (before, after) = (ask(&mut detector, &at(-h), 0.03), ask(&mut detector, &at(h), 0.03));
                for c in &now {
                    let find = |all: &[Contact]| all.iter().find(|d| d.key == c.key).map(|d| d.gap);
                    let (Some(g0), Some(g1)) = (find(&before), find(&after)) else { continue };
                    let vel =
                        |k: usize, x: &V| twist[2 * k] + twist[2 * k + 1].cross(&(x - parts(&poses[k]).0));
                    let rate = c.n.dot(&(vel(1, &c.b) - vel(0, &c.a)));
                    let error = ((g1 - g0) / (2.0 * h) - rate).abs();
                    assert!(
                        error < 2e-4,
                        "{a:?} {b:?} rate {rate} fd {} {c:?} {before:?} {after:?} {poses:?}",
                        (g1 - g0) / (2.0 * h)
                    );
                    worst = worst.max(error);
                    seen += 1;
                }
            }
        }
    }
    println!("{seen} rates compared, largest error {worst:e}");
    assert!(seen > 300);
}

/// Sliding through contact: the least gap follows the motion exactly for flat contact and never jumps.
#[test]
fn gap_is_continuous_through_zero() {
    let mut dice = Dice(17);
    for (i, a) in KINDS.iter().enumerate() {
        for b in &KINDS[i..] {
            let s = pair(*a, *b);
            let mut detector = s.detector().unwrap();
            for _ in 0..4 {
                let (qa, qb, d) = (dice.rotation(), dice.rotation(), dice.vector().normalize());
                let gap = |detector: &mut _, x: f64| {
                    least(&ask(detector, &[pose(V::zeros(), qa), pose(d * x, qb)], 1.0))
                };
                let (mut lo, mut hi) = (0.05, 2.0);
                for _ in 0..60 {
                    let mid = 0.5 * (lo + hi);
                    if gap(&mut detector, mid) > 0.0 { hi = mid } else { lo = mid }
                }
                let mut last = gap(&mut detector, lo - 2e-4);
                for k in -19..=20 {
                    let g = gap(&mut detector, lo + f64::from(k) * 1e-5);
                    assert!(
                        (g - last).abs() <= 1.1e-5,
                        "{a:?} {b:?} jump {} at {k} {d} {lo} {qa} {qb}",
                        g - last
                    );
                    last = g;
                }
                for e in [1e-6, 1e-8, 1e-10] {
                    let slope = gap(&mut detector, lo + e) - gap(&mut detector, lo - e);
                    assert!(slope >= -1e-9 && slope <= 2.0 * e + 1e-9, "{a:?} {b:?} slope {slope} over {e}");
                }
            }
        }
    }
}

#[test]
fn order_of_the_bodies_only_mirrors_the_contacts() {
    let mut dice = Dice(23);
    for (i, a) in KINDS.iter().enumerate() {
        for b in &KINDS[i..] {
            for _ in 0..10 {
                let poses = [
                    pose(dice.vector() * 0.1, dice.rotation()),
                    pose(dice.vector().normalize() * dice.range(0.3, 0.6), dice.rotation()),
                ];
                let c = pair(*a, *b).contacts(&poses, 0.02);
                let d = pair(*b, *a).contacts(&[poses[1], poses[0]], 0.02);
                assert_eq!(c.len(), d.len(), "{a:?} {b:?} {poses:?} {c:?} {d:?}");
                for c in &c {
                    let near =
                        |d: &&Contact| (d.a - c.b).norm() + (d.b - c.a).norm() + (d.n + c.n).norm() < 3e-5;
                    let d = d.iter().find(near).unwrap_or_else(|| panic!("{a:?} {b:?} {c:?} {d:?}"));
                    assert!((c.gap - d.gap).abs() < 1e-10, "{a:?} {b:?} {c:?} {d:?}");
                    assert_eq!((c.key.feature_a, c.key.feature_b), (d.key.feature_b, d.key.feature_a));
                }
            }
        }
    }
}

#[test]
fn contacts_move_with_the_frame() {
    let mut dice = Dice(29);
    for (i, a) in KINDS.iter().enumerate() {
        for b in &KINDS[i..] {
            let poses =
                [pose(V::zeros(), dice.rotation()), pose(dice.vector().normalize() * 0.45, dice.rotation())];
            let (q, x) = (dice.rotation(), dice.vector() * 10.0);
            let carried = poses.map(|p| {
                let (y, r) = parts(&p);
                pose(q * y + x, q * r)
            });
            let s = pair(*a, *b);
            let (c, d) = (s.contacts(&poses, 0.02), s.contacts(&carried, 0.02));
            assert_eq!(c.len(), d.len());
            for (c, d) in c.iter().zip(&d) {
                assert_eq!(c.key, d.key);
                assert!((c.gap - d.gap).abs() < 1e-10, "{a:?} {b:?} {c:?} {d:?}");
                assert!(
                    (q * c.n - d.n).norm() < 3e-5 && (q * c.b + x - d.b).norm() < 3e-5,
                    "{a:?} {b:?} {c:?} {d:?}"
                );
            }
        }
    }
}

#[test]
fn concentric_bodies_part_by_the_least_translation() {
    for (a, b, depth) in [
        (KINDS[1], (Box, &[0.1, 0.1, 0.1][..]), 0.3),
        (KINDS[3], (Cylinder, &[0.1, 0.1][..]), 0.3),
        (KINDS[2], (Capsule, &[0.1, 0.1][..]), 0.25),
    ] {
        let c = pair(a, b).contacts(&[IDENTITY, IDENTITY], 0.01);
        assert!((least(&c) + depth).abs() < 1e-9, "{a:?} {b:?} {c:?}");
    }
}

/// Two upright boxes that lean on each other, nearly parallel: edges on opposite sides are parallel too, and have no contact.
#[test]
fn parallel_edges_make_contacts_only_where_they_lie_above_one_another() {
    let side = [0.005, 0.025, 0.05];
    let s = pair((Box, &side), (Box, &side));
    let mut dice = Dice(31);
    let mut seen = 0;
    for _ in 0..4000 {
        let size = 10f64.powf(dice.range(-6.0, -1.8));
        let [a, b] = [0, 1].map(|_| UnitQuaternion::new(dice.vector() * size));
        let at = V::new(dice.range(0.0099, 0.0105), dice.range(-5e-4, 5e-4), dice.range(-0.08, 0.08));
        for c in s.contacts(&[pose(V::zeros(), a), pose(at, b)], 1e-3) {
            let aside = (c.b - c.a) - c.n * c.gap;
            assert!(aside.norm() < 0.1 * 0.025, "{} m aside: {c:?}", aside.norm());
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}
