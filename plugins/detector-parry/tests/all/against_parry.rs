//! The differential check against parry's own contact query, and the measurement behind README, "What was measured".

use crate::common::*;
use parry3d_f64::math::{Pose, Rot3, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Shape};
use vinci_sdk::core::model::ShapeKind;

const HULL: [f64; 24] = [
    0.4, 0.1, 0.2, -0.3, 0.35, 0.1, -0.2, -0.3, 0.15, 0.25, -0.25, -0.2, -0.35, 0.05, -0.25, 0.1, 0.3, -0.3,
    0.0, 0.0, 0.42, 0.3, 0.3, 0.0,
];
const KINDS: [(ShapeKind, &[f64]); 6] = [
    (ShapeKind::Ball, &[0.3]),
    (ShapeKind::Box, &[0.3, 0.2, 0.4]),
    (ShapeKind::Capsule, &[0.3, 0.15]),
    (ShapeKind::Cylinder, &[0.25, 0.2]),
    (ShapeKind::Cone, &[0.3, 0.25]),
    (ShapeKind::ConvexHull, &HULL),
];

/// parry's shape; its axis is y where ours is z.
fn parry_shape(kind: ShapeKind, p: &[f64]) -> (std::boxed::Box<dyn Shape>, bool) {
    let points: Vec<Vector> = HULL.chunks_exact(3).map(|c| Vector::new(c[0], c[1], c[2])).collect();
    match kind {
        ShapeKind::Ball => (std::boxed::Box::new(Ball::new(p[0])), false),
        ShapeKind::Box => (std::boxed::Box::new(Cuboid::new(Vector::new(p[0], p[1], p[2]))), false),
        ShapeKind::Capsule => (std::boxed::Box::new(Capsule::new_y(p[0], p[1])), true),
        ShapeKind::Cylinder => (std::boxed::Box::new(Cylinder::new(p[0], p[1])), true),
        ShapeKind::Cone => (std::boxed::Box::new(Cone::new(p[0], p[1])), true),
        _ => (std::boxed::Box::new(ConvexPolyhedron::from_convex_hull(&points).unwrap()), false),
    }
}

fn parry_pose(p: &[f64; 7], turn: bool) -> Pose {
    let q = Rot3::from_xyzw(p[4], p[5], p[6], p[3]);
    let turned = if turn { q * Rot3::from_rotation_x(std::f64::consts::FRAC_PI_2) } else { q };
    Pose::from_parts(Vector::new(p[0], p[1], p[2]), turned)
}

#[test]
fn never_a_worse_normal_than_parry() {
    let mut dice = Dice(77);
    println!("{:>11} {:>11} | apart: gap, normal     | overlapping: gap, normal | parry gave up", "", "");
    for (i, &(ka, pa)) in KINDS.iter().enumerate() {
        for &(kb, pb) in &KINDS[i..] {
            let s = Scene::default().body("a", true, ka, pa).body("b", false, kb, pb);
            let mut detector = s.detector().unwrap();
            let ((ga, ta), (gb, tb)) = (parry_shape(ka, pa), parry_shape(kb, pb));
            let mut worst = [[0.0f64; 2]; 2];
            let mut lost = 0;
            for _ in 0..400 {
                let at = dice.vector().normalize() * dice.range(0.25, 0.75);
                let poses = [pose(V::zeros(), dice.rotation()), pose(at, dice.rotation())];
                let ours = ask(&mut detector, &poses, 0.05);
                if ours.is_empty() {
                    continue;
                }
                let theirs =
                    query::contact(&parry_pose(&poses[0], ta), &*ga, &parry_pose(&poses[1], tb), &*gb, 0.1);
                let Ok(Some(c)) = theirs else {
                    lost += 1;
                    continue;
                };
                let n = V::new(c.normal1.x, c.normal1.y, c.normal1.z);
                let ((xa, qa), (xb, qb)) = (parts(&poses[0]), parts(&poses[1]));
                let sigma = |n: &V| {
                    let on_a = xa + qa * support(ka, pa, &(qa.inverse() * n));
                    let on_b = xb + qb * support(kb, pb, &(qb.inverse() * -n));
                    n.dot(&(on_b - on_a))
                };
                let best = ours.iter().map(|c| sigma(&c.n)).fold(f64::MIN, f64::max);
                assert!(best > sigma(&n) - 1e-9, "{ka:?} {kb:?} {poses:?} {best} {} {ours:?}", sigma(&n));
                // Several contacts, each with the normal of its own features: compare the one parry means.
                let off = |d: &Contact| (d.n - n).norm() + (d.gap - c.dist).abs();
                let same = ours.iter().min_by(|c, d| off(c).total_cmp(&off(d))).unwrap();
                let w = &mut worst[usize::from(same.gap <= 0.0)];
                w[0] = w[0].max((c.dist - same.gap).abs());
                w[1] = w[1].max((n - same.n).norm());
            }
            let [[a, b], [c, d]] = worst;
            println!(
                "{:>11} {:>11} | {a:.1e}, {b:.1e} rad | {c:.1e}, {d:.1e} rad   | {lost}",
                format!("{ka:?}"),
                format!("{kb:?}")
            );
        }
    }
}
