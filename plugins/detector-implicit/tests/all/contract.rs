//! The detector's side of the contract, closed forms, and the worked numbers.

use crate::common::*;
use vinci_detector_implicit::{Config, PolytopePairs};
use vinci_sdk::prelude::{DetectQuery, Detector, ErrorKind, ShapeKind, Space};

const AT: [f64; 7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

fn at(x: f64, y: f64, z: f64) -> [f64; 7] {
    [x, y, z, 1.0, 0.0, 0.0, 0.0]
}

#[test]
fn unit_spheres_have_the_gap_of_their_centres() {
    let ball = powers(1.0, 1.0, 1.0, 2.0, 2.0);
    let c = only(Space::Spatial, [&ball, &ball], [&AT, &at(3.0, 0.0, 0.0)]);
    assert!((c.gap - 1.0).abs() < 1e-14 && (c.n - V::x()).norm() < 1e-14);
    let c = only(Space::Spatial, [&ball, &ball], [&AT, &at(1.5, 0.0, 0.0)]);
    assert!((c.gap + 0.5).abs() < 1e-14 && (c.n - V::x()).norm() < 1e-14);
    let mut d = create(Space::Spatial, &[ball.clone(), ball], &Config::default()).unwrap();
    ask(&mut d, &[AT, at(1.5, 0.0, 0.0)].concat(), 9.0, 2);
    assert!((d.growth(0, 1).unwrap() - 0.75).abs() < 1e-12);
}

/// Exponent 8 against exponent 4, worked with a conic solver.
#[test]
fn the_worked_pair_of_superellipsoids() {
    let solids = [powers(1.0, 1.0, 1.0, 8.0, 8.0), powers(0.5, 1.0, 1.0, 4.0, 4.0)];
    let pose = at(3.0, 0.5, 0.2);
    let c = only(Space::Spatial, [&solids[0], &solids[1]], [&AT, &pose]);
    println!("{c:?}");
    assert!((c.gap - 1.500_079).abs() < 1e-6, "{}", c.gap);
    assert!((c.a - V::new(0.999_95, 0.3726, 0.1775)).norm() < 2e-3, "{:?}", c.a);
    assert!((c.b - V::new(2.500_03, 0.3741, 0.1776)).norm() < 2e-3, "{:?}", c.b);
    let mut d = create(Space::Spatial, &solids, &Config::default()).unwrap();
    ask(&mut d, &[AT, pose].concat(), 9.0, 2);
    assert!((d.growth(0, 1).unwrap() - 2.0).abs() < 5e-5);
}

/// An ellipsoid lies under a plane at the height √(Σ (aᵢ nᵢ)²).
#[test]
fn ellipsoids_and_superellipses_over_a_plane() {
    let mut dice = Dice(7);
    for _ in 0..200 {
        let q = dice.rotation();
        let body = powers(0.5, 0.3, 0.2, 2.0, 2.0);
        let pose = pose3(V::new(0.3, -0.2, 0.4), q);
        let c = only(Space::Spatial, [&solid(ShapeKind::HalfSpace, &[]), &body], [&AT, &pose]);
        let up = q.inverse() * V::z();
        let height = (0.5 * up.x).hypot(0.3 * up.y).hypot(0.2 * up.z);
        assert!((c.gap - (0.4 - height)).abs() < 1e-14 && (c.n - V::z()).norm() < 1e-15);
    }
    // A diamond on its corner and on its edge.
    let diamond = ellipse(0.5, 0.5, 1.0);
    let plane = solid(ShapeKind::HalfPlane, &[]);
    for (angle, height) in [(0.0, 0.5), (std::f64::consts::FRAC_PI_4, 0.5 / 2f64.sqrt())] {
        let c = only(Space::Planar, [&plane, &diamond], [&[0.0; 3], &[0.1, 1.0, angle]]);
        assert!((c.gap - (1.0 - height)).abs() < 1e-15);
    }
}

/// ψ̇ = n·(v_b(x₂) − v_a(x₁)), apart and overlapping: the normal row of the host is the derivative of the gap.
#[test]
fn the_gap_has_the_normal_row_as_its_derivative() {
    let mut dice = Dice(8);
    let (mut worst, mut count) = (0.0_f64, 0);
    for _ in 0..400 {
        let [p, q] = [0; 2].map(|_| [dice.range(1.3, 8.0), dice.range(1.3, 8.0)]);
        let a = powers(dice.range(0.3, 1.0), dice.range(0.3, 1.0), dice.range(0.3, 1.0), p[0], p[1]);
        let b = powers(dice.range(0.3, 1.0), dice.range(0.3, 1.0), dice.range(0.3, 1.0), q[0], q[1]);
        let (x, y) = (dice.vector() * 1.2, dice.vector() * 1.2);
        let (qa, qb) = (dice.rotation(), dice.rotation());
        let (va, vb, wa, wb) = (dice.vector(), dice.vector(), dice.vector(), dice.vector());
        let moved = |t: f64| {
            let turn = |w: V| nalgebra::UnitQuaternion::new(w * t);
            let (pa, pb) = (pose3(x + va * t, turn(wa) * qa), pose3(y + vb * t, turn(wb) * qb));
            only(Space::Spatial, [&a, &b], [&pa, &pb])
        };
        let h = 1e-5;
        let [before, here, after] = [-h, 0.0, h].map(moved);
        // Where two ways out of a deep overlap are equally long, ψ has a kink.
        if (after.n - before.n).norm() > 0.05 {
            continue;
        }
        let rate = here.n.dot(&(vb + wb.cross(&(here.b - y)) - va - wa.cross(&(here.a - x))));
        let error = ((after.gap - before.gap) / (2.0 * h) - rate).abs() / (1.0 + rate.abs());
        worst = worst.max(error);
        count += 1;
    }
    println!("{count} pairs, derivative of the gap: {worst:e}");
    assert!(count > 350 && worst < 1e-5, "{count} {worst:e}");
}

#[test]
fn what_is_not_convex_or_not_known_is_refused_by_name() {
    let plain = Config::default();
    let refusal = |space, solids: &[Solid]| {
        let e = create(space, solids, &Config::default()).err().expect("refused");
        (e.kind, e.message)
    };
    let spatial: [(ShapeKind, &[f64], &str); 6] = [
        (ShapeKind::Superellipsoid, &[1.0, 1.0, 1.0, 2.5, 1.0], "epsilon 1 = 2.5"),
        (ShapeKind::Superellipsoid, &[1.0, 1.0, 1.0, 1.0, 2.1], "not convex"),
        (ShapeKind::Superellipsoid, &[1.0, -1.0, 1.0, 1.0, 1.0], "half axis b = -1"),
        (ShapeKind::Superellipsoid, &[1.0, 1.0], "has 2"),
        (ShapeKind::TriMesh, &[], "TriMesh"),
        (ShapeKind::Ball, &[0.0], "radius = 0"),
    ];
    for (kind, params, text) in spatial {
        let (_, message) = refusal(Space::Spatial, &[solid(kind, params)]);
        assert!(message.contains(text) && message.contains("`body0`"), "{message}");
    }
    for (params, text) in [([1.0, 1.0, 0.99], "exponent = 0.99"), ([1.0, f64::NAN, 2.0], "half axis b = NaN")]
    {
        let (kind, message) = refusal(Space::Planar, &[solid(ShapeKind::Superellipse, &params)]);
        assert!(kind == ErrorKind::BadInput && message.contains(text), "{message}");
    }
    let notched = [0.0, 0.0, 2.0, 0.0, 0.5, 0.5, 0.0, 2.0];
    assert!(refusal(Space::Planar, &[solid(ShapeKind::Polygon, &notched)]).1.contains("not convex"));
    let boxes = [solid(ShapeKind::Box, &[1.0; 3]), solid(ShapeKind::Box, &[1.0; 3])];
    let (kind, message) = refusal(Space::Spatial, &boxes);
    assert!(kind == ErrorKind::Unsupported && message.contains("polytope_pairs"), "{message}");
    let leave = Config { polytope_pairs: PolytopePairs::Leave };
    let mut d = create(Space::Spatial, &boxes, &leave).unwrap();
    assert!(ask(&mut d, &[AT, AT].concat(), 1.0, 2).is_empty());
    let mut d = create(Space::Planar, &[ellipse(1.0, 1.0, 2.0), ellipse(1.0, 1.0, 2.0)], &plain).unwrap();
    assert!(d.load_state(&[1, 2, 3]).is_err() && d.load_state(&[255; 32]).is_err());
    assert!(d.load_state(&[]).is_ok());
}

#[test]
fn poses_that_are_none_are_refused_in_these_words() {
    let solids = [solid(ShapeKind::HalfSpace, &[]), powers(1.0, 1.0, 1.0, 2.0, 2.0)];
    let mut d = create(Space::Spatial, &solids, &Config::default()).unwrap();
    let mut message = |pose: &[[f64; 7]], margin: &[f64]| {
        d.detect(&DetectQuery { t: 0.25, pose: &pose.concat(), margin }).unwrap_err().message
    };
    let lengths = "2 bodies need 14 pose coordinates and 2 margins, got 7 and 2";
    assert_eq!(message(&[AT], &[0.0; 2]), lengths);
    let none = "body `body1` has pose [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] and margin 0 at t = 0.25 s; all must be finite, a \
                quaternion non-zero and the margin not negative: the step before this one went wrong";
    assert_eq!(message(&[AT, [0.0; 7]], &[0.0; 2]), none);
    let lost = "the contact of bodies `body0` and `body1` at t = 0.25 s is not finite: their poses are beyond double \
                precision; check units and the step before this one";
    assert_eq!(message(&[at(0.0, 0.0, 1.5e308), at(0.0, 0.0, -1.5e308)], &[0.0; 2]), lost);
}
