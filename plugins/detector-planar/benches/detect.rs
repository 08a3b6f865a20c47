//! Time of one call, warm, poses changing from call to call so that nothing is remembered.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/all/common/mod.rs"]
mod common;

use common::*;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use vinci_sdk::prelude::*;

/// Times `detect` on two sets of poses in turn.
fn time(c: &mut Criterion, name: &str, w: &World, pose: &[[f64; 3]], margin: f64) {
    let mut detector = w.create("{}").unwrap();
    let flat = pose.concat();
    let mut shifted = flat.clone();
    for (i, p) in shifted.chunks_exact_mut(3).enumerate() {
        if w.is_static[i] == 0 {
            p.iter_mut().for_each(|x| *x += 1e-9);
        }
    }
    let margins = vec![margin; pose.len()];
    let mut turn = false;
    c.bench_function(name, |b| {
        b.iter(|| {
            turn = !turn;
            let pose = if turn { &flat } else { &shifted };
            let contacts = detector.detect(&DetectQuery { t: 0.0, pose: black_box(pose), margin: &margins });
            black_box(contacts.unwrap().len())
        });
    });
}

fn pairs(c: &mut Criterion) {
    let mut on_ground = |name: &str, shape: (ShapeKind, Vec<f64>), y: f64| {
        let mut w = World::default();
        w.one("ground", half_plane()).fixed().one("body", shape);
        time(c, name, &w, &[NO_POSE, [0.3, y, 0.0]], 0.01);
    };
    on_ground("disc on half-plane", disc(0.5), 0.5);
    on_ground("box on half-plane", rect(0.5, 0.5), 0.5);
    let gear: Vec<_> = (0..100)
        .map(|i| {
            let (a, r) = (std::f64::consts::TAU * f64::from(i) / 100.0, if i % 2 == 0 { 1.0 } else { 0.9 });
            [r * a.cos(), r * a.sin()]
        })
        .collect();
    for (name, a, b, pose) in [
        ("disc on disc", disc(0.5), disc(0.5), [0.6, 0.8, 0.0]),
        ("box on box", rect(0.5, 0.5), rect(0.5, 0.5), [0.3, 1.0, 0.0]),
        ("capsule on box", rect(0.5, 0.5), capsule(0.5, 0.1), [0.3, 0.6, 0.0]),
        ("box in a notch", ell(), rect(0.25, 0.25), [1.25, 1.25, 0.0]),
        ("gear on gear, 100 corners each", polygon(&gear), polygon(&gear), [1.92, 0.0, 0.03]),
    ] {
        time(c, name, &pair(a, b), &[NO_POSE, pose], 0.01);
    }
}

fn many(c: &mut Criterion) {
    let mut w = World::default();
    w.one("ground", half_plane()).fixed();
    let mut pose = vec![NO_POSE];
    for i in 0..10 {
        w.one(&format!("box {i}"), rect(0.5, 0.5));
        pose.push([0.01 * f64::from(i % 3), 0.5 + f64::from(i), 0.0]);
    }
    time(c, "stack of 10 boxes", &w, &pose, 0.01);
    for (name, spacing) in [("1000 boxes apart", 1.2), ("1000 boxes packed", 1.0)] {
        let mut w = World::default();
        w.one("ground", half_plane()).fixed();
        let mut pose = vec![NO_POSE];
        for i in 0..1000_u32 {
            w.one(&format!("box {i}"), rect(0.5, 0.5));
            pose.push([f64::from(i % 32) * spacing, 0.5 + f64::from(i / 32) * spacing, 0.0]);
        }
        time(c, name, &w, &pose, 0.01);
    }
}

criterion_group!(benches, pairs, many);
criterion_main!(benches);
