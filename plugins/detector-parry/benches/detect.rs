//! Times of a query: one pair of boxes, a field of boxes, a pile of spheres. Sizes are in the names.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use vinci_detector_parry::{Config, Parry};
use vinci_sdk::core::model::{ShapeKind, ShapeView, Space, SystemView};
use vinci_sdk::core::stage::{DetectQuery, Detector};

const LOCAL: [f64; 7] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];

/// A detector for bodies with one shape each: (kind, parameters, static).
fn detector(shapes: &[(ShapeKind, Vec<f64>, bool)]) -> Parry {
    let names: Vec<String> = (0..shapes.len()).map(|i| format!("b{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_static: Vec<u8> = shapes.iter().map(|s| u8::from(s.2)).collect();
    let views: Vec<ShapeView<'_>> = shapes
        .iter()
        .enumerate()
        .map(|(i, s)| ShapeView {
            kind: s.0 as u32,
            body: i as u32,
            pose: &LOCAL,
            params: &s.1,
            indices: &[],
        })
        .collect();
    let n = shapes.len() as u32;
    let system = SystemView {
        space: Space::Spatial,
        body_names: &names,
        is_static: &is_static,
        shapes: &views,
        ignored_pairs: &[],
        nv: 6 * n,
        nq: 7 * n,
        ..SystemView::NOTHING
    };
    Parry::new(&Config::default(), &system).expect("shapes of the bench are valid")
}

/// Times one scene between two nearly equal sets of poses, so that the tree has something to do.
fn scene(c: &mut Criterion, name: &str, shapes: &[(ShapeKind, Vec<f64>, bool)], pose: &[f64], margin: f64) {
    let mut parry = detector(shapes);
    let margin = vec![margin; shapes.len()];
    let moved: Vec<f64> =
        pose.iter().enumerate().map(|(i, x)| if i % 7 == 0 { x + 1e-4 } else { *x }).collect();
    let count = parry
        .detect(&DetectQuery { t: 0.0, pose, margin: &margin })
        .expect("poses of the bench are valid")
        .len();
    let mut flip = false;
    c.bench_function(&format!("{name}, {count} contacts"), |b| {
        b.iter(|| {
            flip = !flip;
            let pose = if flip { pose } else { &moved };
            let query = DetectQuery { t: 0.0, pose: black_box(pose), margin: &margin };
            parry.detect(&query).expect("poses of the bench are valid").len()
        });
    });
}

fn place(x: f64, y: f64, z: f64) -> [f64; 7] {
    [x, y, z, 1.0, 0.0, 0.0, 0.0]
}

fn pair(c: &mut Criterion, name: &str, kind: ShapeKind, params: &[f64], z: f64) {
    let shapes = [(ShapeKind::Box, vec![1.0, 1.0, 0.5], true), (kind, params.to_vec(), false)];
    scene(c, name, &shapes, &[place(0.0, 0.0, 0.0), place(0.1, 0.2, z)].concat(), 0.005);
}

fn benches(c: &mut Criterion) {
    pair(c, "box on box", ShapeKind::Box, &[0.5, 0.3, 0.2], 0.701);
    pair(c, "cylinder on box, touching", ShapeKind::Cylinder, &[0.3, 0.2], 0.8);
    pair(c, "cylinder on box, 5 mm apart", ShapeKind::Cylinder, &[0.3, 0.2], 0.805);
    let boxes = |gap: f64| {
        let at = |i: usize| (0.2 + gap) * i as f64;
        let poses: Vec<f64> =
            (0..1000).flat_map(|i| place(at(i % 10), at(i / 10 % 10), at(i / 100))).collect();
        (vec![(ShapeKind::Box, vec![0.1, 0.1, 0.1], false); 1000], poses)
    };
    let (shapes, poses) = boxes(0.05);
    scene(c, "1000 boxes apart", &shapes, &poses, 0.001);
    let (shapes, poses) = boxes(0.001);
    scene(c, "1000 boxes close", &shapes, &poses, 0.001);
    let mut shapes = vec![(ShapeKind::HalfSpace, vec![], true)];
    shapes.extend(vec![(ShapeKind::Ball, vec![0.05], false); 50]);
    let mut poses = place(0.0, 0.0, 0.0).to_vec();
    let at = |i: usize, layer: usize| 0.1 * i as f64 + 0.05 * (layer % 2) as f64;
    for i in 0..50 {
        let layer = i / 16;
        let z = 0.05 + 0.0707 * layer as f64;
        poses.extend(place(at(i % 4, layer), at(i / 4 % 4, layer), z));
    }
    scene(c, "pile of 50 spheres", &shapes, &poses, 0.002);
}

criterion_group!(all, benches);
criterion_main!(all);
