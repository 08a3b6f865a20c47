//! Inverse kinematics and ways of links.

use nalgebra::{UnitQuaternion, Vector3};
use vinci_core::tree::{Joint, JointKind, Limits, Link, Tree};

use super::*;

/// Seven joints with the axes and lengths of a lightweight arm: z, y, z, −y, z, y, z.
fn seven() -> Tree {
    let axes =
        [Vector3::z(), Vector3::y(), Vector3::z(), -Vector3::y(), Vector3::z(), Vector3::y(), Vector3::z()];
    let lengths = [0.16, 0.2, 0.21, 0.21, 0.19, 0.21, 0.08];
    tree(&axes, &lengths, 2.1)
}

fn tree(axes: &[Vector3<f64>], lengths: &[f64], limit: f64) -> Tree {
    let mut joints: Vec<Joint> = Vec::new();
    for (i, (axis, length)) in axes.iter().zip(lengths).enumerate() {
        let mut joint = Joint::new(format!("j{i}"), JointKind::Revolute, i.checked_sub(1));
        joint.axis = *axis;
        joint.frame.translation.vector = if i == 0 { Vector3::zeros() } else { Vector3::z() * *length };
        joint.limits = Some(Limits { lower: -limit, upper: limit });
        joints.push(joint);
    }
    let link = |i: usize| Link {
        mass: 1.0,
        inertia: nalgebra::Matrix3::identity(),
        ..Link::massless(format!("l{i}"))
    };
    Tree::new("arm", (0..axes.len()).map(link).collect(), joints).unwrap()
}

/// Numbers from 0 to 1, always the same ones.
fn numbers(mut seed: u64) -> impl FnMut() -> f64 {
    move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn reachable_poses_are_reached_within_the_limits() {
    let tree = seven();
    let all: Vec<usize> = (0..7).collect();
    let point = Vector3::new(0.01, 0.0, 0.1);
    let mut reach = Reach::new(&tree, 6, point, &all);
    let mut number = numbers(7);
    let (mut worst, mut places) = (0.0_f64, 0);
    for k in 0..200 {
        let q: Vec<f64> = (0..7).map(|_| 4.2 * number() - 2.1).collect();
        let mut pose = reach.pose(&q);
        if k % 4 == 0 {
            pose.orientation = None;
            places += 1;
        }
        let mut found = vec![0.0; 7];
        let left = reach.solve_anywhere(&mut found, &pose);
        assert_eq!(left, Ok(()), "pose {k}");
        assert!(found.iter().all(|q| q.abs() <= 2.1), "pose {k}: {found:?}");
        let there = reach.pose(&found);
        let turned = match (pose.orientation, there.orientation) {
            (Some(a), Some(b)) => a.angle_to(&b),
            _ => 0.0,
        };
        worst = worst.max((there.position - pose.position).norm()).max(turned);
    }
    println!("200 poses ({places} of the point alone): {worst:.1e} (m and rad) left at most");
    assert!(worst < 1e-8, "{worst}");
}

#[test]
fn what_is_out_of_reach_is_told_with_the_distance_left() {
    // Two links in a plane, 0.5 m and 0.3 m to the point: 0.8 m at most, and 2 m asked for.
    let tree = tree(&[Vector3::y(), Vector3::y()], &[0.0, 0.5], 3.2);
    let far = Pose { position: Vector3::new(2.0, 0.0, 0.0), orientation: None };
    let near = Pose { position: Vector3::new(0.7, 0.0, 0.1), orientation: None };
    let keys = [PoseKey { t: 0.0, pose: near }, PoseKey { t: 1.0, pose: far }];
    let error = joint_path(&tree, 1, Vector3::z() * 0.3, &[0, 1], &keys, &[0.3, 0.3]).unwrap_err();
    let PathError::OutOfReach { keyframe, ref link, left } = error else { panic!("{error}") };
    assert_eq!((keyframe, link.as_str()), (1, "l1"));
    assert!((left - 1.2).abs() < 1e-3, "{left}");
    // Both ends can be reached, but not the middle of the line between them: it passes the axis within 0.2 m.
    let across = Pose { position: Vector3::new(-0.7, 0.0, 0.1), orientation: None };
    let keys = [PoseKey { t: 0.0, pose: near }, PoseKey { t: 1.0, pose: across }];
    let error = joint_path(&tree, 1, Vector3::z() * 0.3, &[0, 1], &keys, &[0.3, 0.3]).unwrap_err();
    let PathError::PathOutOfReach { keyframe: 1, t, .. } = error else { panic!("{error}") };
    assert!((0.3..0.5).contains(&t), "{t}");
}

#[test]
fn a_way_goes_where_it_is_told_between_its_keyframes() {
    let tree = seven();
    let all: Vec<usize> = (0..7).collect();
    let point = Vector3::new(0.0, 0.0, 0.1);
    let down = UnitQuaternion::from_euler_angles(0.1, 2.6, 0.2);
    let turned = UnitQuaternion::from_euler_angles(0.3, 2.4, -0.3);
    let pose = |p: [f64; 3], o| Pose { position: Vector3::from(p), orientation: Some(o) };
    let keys = [
        PoseKey { t: 0.5, pose: pose([0.45, 0.1, 0.4], down) },
        PoseKey { t: 1.5, pose: pose([0.45, -0.2, 0.5], turned) },
    ];
    let start = [0.0, 0.6, 0.0, 1.2, 0.0, 0.9, 0.0];
    let curves = joint_path(&tree, 6, point, &all, &keys, &start).unwrap();
    let mut reach = Reach::new(&tree, 6, point, &all);
    let mut worst = [0.0_f64; 2];
    for k in 0..=100 {
        let (t, s) = (0.5 + 0.01 * f64::from(k), 0.01 * f64::from(k));
        let q: Vec<f64> = curves.iter().map(|c| c.at(t)).collect();
        let here = reach.pose(&q);
        // A spline through two points at rest is 3 s² − 2 s³ of the way.
        let part = s * s * (3.0 - 2.0 * s);
        let place = keys[0].pose.position.lerp(&keys[1].pose.position, part);
        worst[0] = worst[0].max((here.position - place).norm());
        worst[1] = worst[1].max(here.orientation.unwrap().angle_to(&down.slerp(&turned, part)));
    }
    println!("between postures: {:.1e} m, {:.1e} rad off the way", worst[0], worst[1]);
    assert!(worst[0] < 1e-6 && worst[1] < 1e-6, "{worst:?}");
    // At the keyframes exactly, and held before and after.
    for (t, key) in [(0.0, 0), (0.5, 0), (1.5, 1), (9.0, 1)] {
        let q: Vec<f64> = curves.iter().map(|c| c.at(t)).collect();
        assert!((reach.pose(&q).position - keys[key].pose.position).norm() < 1e-9);
    }
}
