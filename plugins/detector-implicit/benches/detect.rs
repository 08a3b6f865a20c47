//! Microseconds per pair: cold (a new search) and warm (moved a little since last time), separated and overlapping.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use vinci_detector_implicit::{Config, Implicit};
use vinci_sdk::core::model::{ShapeKind, ShapeView, Space, SystemView};
use vinci_sdk::core::stage::{DetectQuery, Detector};

type Solid = (ShapeKind, Vec<f64>);

fn detector(space: Space, solids: &[Solid; 2]) -> Implicit {
    let local: &[f64] = if space == Space::Planar { &[0.0; 3] } else { &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] };
    let view = |i: usize| ShapeView {
        kind: solids[i].0 as u32,
        body: i as u32,
        pose: local,
        params: &solids[i].1,
        indices: &[],
    };
    let system = SystemView {
        space,
        body_names: &["a", "b"],
        is_static: &[u8::from(matches!(solids[0].0, ShapeKind::HalfPlane | ShapeKind::HalfSpace)), 0],
        shapes: &[view(0), view(1)],
        ignored_pairs: &[],
        nv: 2 * space.nv() as u32,
        nq: 2 * space.nq() as u32,
        ..SystemView::NOTHING
    };
    Implicit::new(&Config::default(), &system).expect("shapes of the bench are valid")
}

/// Poses of a pair in the directions of a fixed spiral, at a distance that leaves it apart or overlapping.
fn poses(space: Space, distance: f64, shift: f64) -> Vec<Vec<f64>> {
    (0..16)
        .map(|i| {
            let (a, z) = (2.4 * f64::from(i) + shift, f64::from(i) / 16.0 - 0.5);
            let rho = (1.0 - z * z).sqrt() * distance;
            match space {
                Space::Planar => {
                    vec![0.0, 0.0, 0.0, distance * a.cos(), distance * a.sin(), 1.7 * f64::from(i) + shift]
                }
                Space::Spatial => {
                    let half = (0.7 * f64::from(i) + 0.3 + shift) / 2.0;
                    let (s, c) = half.sin_cos();
                    let axis = [0.48 * s, 0.6 * s, 0.64 * s];
                    let place = [rho * a.cos(), rho * a.sin(), distance * z];
                    [[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].as_slice(), &place, &[c], &axis].concat()
                }
            }
        })
        .collect()
}

fn pair(c: &mut Criterion, name: &str, space: Space, solids: [Solid; 2], distance: f64) {
    let margin = [10.0; 2];
    let (here, there) = (poses(space, distance, 0.0), poses(space, distance, 1e-3));
    let mut fresh = detector(space, &solids);
    c.bench_function(&format!("16 x {name}, cold"), |b| {
        b.iter(|| {
            for pose in &here {
                fresh.load_state(&[]).expect("no state is a state");
                black_box(
                    fresh.detect(&DetectQuery { t: 0.0, pose, margin: &margin }).expect("valid poses").len(),
                );
            }
        });
    });
    let mut warm: Vec<Implicit> = here.iter().map(|_| detector(space, &solids)).collect();
    let mut flip = false;
    c.bench_function(&format!("16 x {name}, warm"), |b| {
        b.iter(|| {
            flip = !flip;
            for (d, pose) in warm.iter_mut().zip(if flip { &here } else { &there }) {
                black_box(
                    d.detect(&DetectQuery { t: 0.0, pose, margin: &margin }).expect("valid poses").len(),
                );
            }
        });
    });
}

fn benches(c: &mut Criterion) {
    let (planar, spatial) = (Space::Planar, Space::Spatial);
    let ellipse = |s: f64| (ShapeKind::Superellipse, vec![0.5, 0.3, s]);
    let ovoid = |p1: f64, p2: f64| (ShapeKind::Superellipsoid, vec![0.5, 0.4, 0.3, 2.0 / p1, 2.0 / p2]);
    let square = || (ShapeKind::Polygon, vec![-0.4, -0.3, 0.4, -0.3, 0.4, 0.3, -0.4, 0.3]);
    let cuboid = || (ShapeKind::Box, vec![0.5, 0.4, 0.3]);
    for (state, distance) in [("apart", 1.3), ("overlapping", 0.6)] {
        let mut both =
            |name: &str, space, solids| pair(c, &format!("{name}, {state}"), space, solids, distance);
        both("ellipses", planar, [ellipse(2.0), ellipse(2.0)]);
        both("superellipses 4 and 8", planar, [ellipse(4.0), ellipse(8.0)]);
        both("superellipses 1.5 and 20", planar, [ellipse(1.5), ellipse(20.0)]);
        both("superellipse 4 and rectangle", planar, [ellipse(4.0), square()]);
        both("ellipsoids", spatial, [ovoid(2.0, 2.0), ovoid(2.0, 2.0)]);
        both("superellipsoids 4 and 8", spatial, [ovoid(4.0, 4.0), ovoid(8.0, 8.0)]);
        both("superellipsoids 2 4 and 1.5 6", spatial, [ovoid(2.0, 4.0), ovoid(1.5, 6.0)]);
        both("superellipsoids 20 and 20", spatial, [ovoid(20.0, 20.0), ovoid(20.0, 20.0)]);
        both("ellipsoid and box", spatial, [ovoid(2.0, 2.0), cuboid()]);
        both("superellipsoid 4 and box", spatial, [ovoid(4.0, 4.0), cuboid()]);
    }
    pair(
        c,
        "half-space and superellipsoid 4",
        spatial,
        [(ShapeKind::HalfSpace, vec![]), ovoid(4.0, 4.0)],
        0.3,
    );
}

criterion_group! {
    name = all;
    config = Criterion::default().sample_size(20).warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(500));
    targets = benches
}
criterion_main!(all);
