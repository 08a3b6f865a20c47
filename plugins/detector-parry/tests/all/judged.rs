//! Core's check of detectors, which knows nothing of this one, has nothing to say about its answers.

use crate::common;

use crate::common::{Dice, V, pose};
use nalgebra::UnitQuaternion;
use vinci_detector_parry::{Config, ConvexCorners, Parry};
use vinci_sdk::core::geometry::{DetectorCheck, DetectorReport, Shapes};
use vinci_sdk::core::model::{ShapeKind, ShapeView, Space, SystemView};
use vinci_sdk::core::stage::{DetectQuery, Detector};

type Part = (ShapeKind, Vec<f64>, Vec<u32>);

fn scene(bodies: &[Part], config: &Config) -> (Parry, DetectorCheck) {
    let shapes: Vec<ShapeView<'_>> = bodies
        .iter()
        .enumerate()
        .map(|(body, (kind, params, indices))| ShapeView {
            kind: *kind as u32,
            body: body as u32,
            pose: &common::IDENTITY,
            params,
            indices,
        })
        .collect();
    let n = bodies.len();
    let names = vec!["body"; n];
    let is_static: Vec<u8> = (0..n).map(|i| u8::from(i == 0)).collect();
    let view = SystemView {
        space: Space::Spatial,
        body_names: &names,
        is_static: &is_static,
        shapes: &shapes,
        ignored_pairs: &[],
        nv: 6 * n as u32,
        nq: 7 * n as u32,
        ..SystemView::NOTHING
    };
    (Parry::new(config, &view).unwrap(), DetectorCheck::of_shapes(Shapes::of_view(&view)))
}

/// Judges answers at many random poses, half of them turned about the vertical only; the worst of all.
fn worst(bodies: &[Part], config: &Config, seed: u64, rounds: usize) -> DetectorReport {
    let (mut dice, mut worst) = (Dice(seed), DetectorReport::default());
    for k in [1e-3, 1.0, 1e3] {
        let scaled: Vec<Part> =
            bodies.iter().map(|(kind, p, i)| (*kind, p.iter().map(|x| x * k).collect(), i.clone())).collect();
        let (mut detector, check) = scene(&scaled, config);
        for round in 0..rounds {
            let mut place = |i: usize| {
                let turn = if round % 2 == 0 {
                    dice.rotation()
                } else {
                    UnitQuaternion::new(V::z() * dice.range(-3.0, 3.0))
                };
                let x = dice.vector() * 0.8 * k;
                if i == 0 { pose(V::zeros(), UnitQuaternion::identity()) } else { pose(x, turn) }
            };
            let poses: Vec<f64> = (0..bodies.len()).flat_map(&mut place).collect();
            let margin: Vec<f64> = bodies.iter().map(|_| k * dice.range(0.0, 0.2)).collect();
            let query = DetectQuery { t: 0.0, pose: &poses, margin: &margin };
            let raw = detector.detect(&query).unwrap();
            let report = check.judge_all(&query, &raw);
            let print = || {
                let at = |l: &[f64], i: u32| l[3 * i as usize..3 * i as usize + 3].to_vec();
                let i =
                    if report.surface.value > report.normal.value { report.surface } else { report.normal };
                let i = i.contact.min(raw.len().max(1) as u32 - 1);
                (!raw.is_empty()).then(|| {
                    (
                        raw.key[i as usize],
                        raw.gap[i as usize],
                        at(raw.normal, i),
                        at(raw.point_a, i),
                        at(raw.point_b, i),
                        raw.group.get(i as usize),
                    )
                })
            };
            honest(&report, || format!("scale {k}, pose {poses:?}, margin {margin:?}: {:?}", print()));
            worst.join(&report);
        }
    }
    worst
}

#[track_caller]
fn honest(report: &DetectorReport, what: impl Fn() -> String) {
    let exact = report.unit.value < 1e-9 && report.gap.value < 1e-9;
    let fits = exact && report.surface.value < 1e-6 && report.normal.value < 2e-3;
    assert!(fits && report.distance.is_none() && report.missed.is_none(), "{report:#?}\n{}", what());
}

fn part(kind: ShapeKind, params: &[f64]) -> Part {
    (kind, params.to_vec(), vec![])
}

fn hull(dice: &mut Dice, n: usize) -> Part {
    let points = (0..n).flat_map(|_| (dice.vector() * 0.4).as_slice().to_vec()).collect();
    (ShapeKind::ConvexHull, points, vec![])
}

fn polytopes(seed: u64) -> Vec<Part> {
    let mut dice = Dice(seed);
    vec![
        part(ShapeKind::HalfSpace, &[]),
        part(ShapeKind::Box, &[0.3, 0.3, 0.3]),
        part(ShapeKind::Box, &[0.5, 0.1, 0.2]),
        part(ShapeKind::Box, &[0.4, 0.4, 0.05]),
        hull(&mut dice, 8),
        hull(&mut dice, 20),
    ]
}

fn round() -> Vec<Part> {
    vec![
        part(ShapeKind::HalfSpace, &[]),
        part(ShapeKind::Ball, &[0.3]),
        part(ShapeKind::Capsule, &[0.3, 0.15]),
        part(ShapeKind::Cylinder, &[0.2, 0.3]),
        part(ShapeKind::Cylinder, &[0.4, 0.1]),
        part(ShapeKind::Cone, &[0.3, 0.25]),
        part(ShapeKind::Box, &[0.3, 0.2, 0.25]),
    ]
}

fn box_mesh(half: [f64; 3]) -> Part {
    let corner = |i: usize| [0, 1, 2].map(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] });
    let params: Vec<f64> = (0..8).flat_map(corner).collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let indices = quads.iter().flat_map(|q: &[u32; 4]| [q[0], q[1], q[2], q[0], q[2], q[3]]).collect();
    (ShapeKind::TriMesh, params, indices)
}

#[test]
fn boxes_and_hulls() {
    for corners in [ConvexCorners::Nearest, ConvexCorners::Or] {
        for seed in 0..8 {
            let config = Config { corners, ..Config::default() };
            let found = worst(&polytopes(seed), &config, 10 + seed, 40);
            assert!(found.contacts > 300 && found.pairs > 300, "{found:?}");
        }
    }
}

#[test]
fn round_bodies() {
    let found = worst(&round(), &Config::default(), 3, 250);
    assert!(found.contacts > 1000, "{found:?}");
}

#[test]
fn meshes_with_convex_bodies() {
    let mut bodies = round();
    bodies.extend([box_mesh([0.4, 0.3, 0.2])]);
    let found = worst(&bodies, &Config::default(), 4, 150);
    assert!(found.contacts > 1000, "{found:?}");
}
