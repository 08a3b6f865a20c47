//! Core's check of detectors, which knows nothing of this one, has nothing to say about its answers.

use crate::common::*;
use vinci_detector_planar::PlanarDetector;
use vinci_sdk::core::geometry::{DetectorCheck, DetectorReport, Shapes};
use vinci_sdk::prelude::*;

type Part = (ShapeKind, [f64; 3], Vec<f64>);

fn scene(bodies: &[Vec<Part>], options: &str) -> (PlanarDetector, DetectorCheck) {
    let shapes: Vec<ShapeView<'_>> = bodies
        .iter()
        .enumerate()
        .flat_map(|(body, parts)| parts.iter().map(move |part| (body as u32, part)))
        .map(|(body, (kind, pose, params))| ShapeView {
            kind: *kind as u32,
            body,
            pose,
            params,
            indices: &[],
        })
        .collect();
    let n = bodies.len();
    let names: Vec<String> = (0..n).map(|i| format!("body{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_static: Vec<u8> = (0..n).map(|i| u8::from(i == 0)).collect();
    let view = SystemView {
        space: Space::Planar,
        body_names: &names,
        is_static: &is_static,
        shapes: &shapes,
        ignored_pairs: &[],
        nv: 3 * n as u32,
        nq: 3 * n as u32,
        ..SystemView::NOTHING
    };
    let check = DetectorCheck::of_shapes(Shapes::of_view(&view));
    (PlanarDetector::create(options, &view).unwrap(), check)
}

fn one(shape: (ShapeKind, Vec<f64>)) -> Vec<Part> {
    vec![(shape.0, NO_POSE, shape.1)]
}

fn scaled(bodies: &[Vec<Part>], k: f64) -> Vec<Vec<Part>> {
    let part = |(kind, pose, params): &Part| {
        let pose = [pose[0] * k, pose[1] * k, pose[2]];
        (*kind, pose, params.iter().map(|x| x * k).collect())
    };
    bodies.iter().map(|parts| parts.iter().map(part).collect()).collect()
}

/// Judges answers at many random poses; the worst of all.
fn worst(bodies: &[Vec<Part>], options: &str, seed: u64, rounds: usize) -> DetectorReport {
    let (mut rng, mut worst) = (Rng(seed), DetectorReport::default());
    for k in [1e-3, 1.0, 1e3] {
        let (mut detector, check) = scene(&scaled(bodies, k), options);
        for _ in 0..rounds {
            let mut pose: Vec<f64> = bodies.iter().flat_map(|_| rng.pose(1.6)).collect();
            pose[..3].fill(0.0);
            pose.iter_mut().enumerate().filter(|(i, _)| i % 3 < 2).for_each(|(_, x)| *x *= k);
            let margin: Vec<f64> = bodies.iter().map(|_| k * rng.within(0.0, 0.3)).collect();
            let query = DetectQuery { t: 0.0, pose: &pose, margin: &margin };
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
            honest(&report, || format!("scale {k}, pose {pose:?}, margin {margin:?}: {:?}", print()));
            worst.join(&report);
        }
    }
    worst
}

#[track_caller]
fn honest(report: &DetectorReport, what: impl Fn() -> String) {
    let small = [report.unit.value, report.gap.value, report.surface.value].iter().all(|x| *x < 1e-9);
    let small = small && report.normal.value < 1e-8 && report.grouped.value == 0.0;
    let fits = small && report.distance.is_none() && report.missed.is_none();
    assert!(fits, "{report:#?}\n{}", what());
}

fn round() -> Vec<Vec<Part>> {
    vec![
        one(half_plane()),
        one(disc(0.3)),
        one(disc(0.8)),
        one(capsule(0.5, 0.2)),
        one(capsule(0.2, 0.4)),
        one(segment([-0.6, 0.0], [0.7, 0.2])),
        one(rect(0.5, 0.3)),
        one(rect(0.8, 0.05)),
    ]
}

fn random_convex(seed: u64) -> Vec<Vec<Part>> {
    let mut rng = Rng(seed);
    let bodies = (0..5).map(|_| one(polygon(&rng.convex())));
    std::iter::once(one(half_plane())).chain(bodies).collect()
}

fn random_stars(seed: u64) -> Vec<Vec<Part>> {
    let mut rng = Rng(seed);
    let mut bodies: Vec<Vec<Part>> = vec![one(half_plane())];
    bodies.extend((0..3).map(|_| one(polygon(&rng.star()))));
    bodies.extend([one(polygon(&rng.convex())), one(disc(0.3)), one(capsule(0.4, 0.1)), one(ell())]);
    bodies
}

#[test]
fn round_and_straight_shapes() {
    let found = worst(&round(), "{}", 1, 300);
    assert!(found.contacts > 1000 && found.pairs > 1000, "{found:?}");
}

#[test]
fn convex_polygons_and_their_alternatives() {
    for options in ["{}", r#"{"corners": "or"}"#] {
        for seed in 0..15 {
            let found = worst(&random_convex(seed), options, 100 + seed, 30);
            assert!(found.contacts > 100, "{found:?}");
        }
    }
}

#[test]
fn notches() {
    for options in ["{}", r#"{"corners": "or"}"#] {
        for seed in 0..15 {
            let found = worst(&random_stars(seed), options, 200 + seed, 30);
            assert!(found.contacts > 100, "{found:?}");
        }
    }
}

#[test]
fn several_polygons_on_one_body() {
    let rect_at = |x: f64, y: f64, a: f64, b: f64| (ShapeKind::Polygon, [x, y, 0.0], rect(a, b).1);
    let cup = vec![rect_at(0.0, -0.5, 0.6, 0.1), rect_at(-0.5, 0.0, 0.1, 0.5), rect_at(0.5, 0.0, 0.1, 0.5)];
    let tiles =
        vec![rect_at(-0.5, 0.0, 0.5, 0.2), rect_at(0.5, 0.0, 0.5, 0.2), rect_at(1.2, -0.05, 0.2, 0.15)];
    let bodies = [
        one(half_plane()),
        cup.clone(),
        tiles,
        cup,
        one(disc(0.2)),
        one(rect(0.3, 0.2)),
        one(capsule(0.3, 0.1)),
    ];
    for options in ["{}", r#"{"corners": "or"}"#] {
        let found = worst(&bodies, options, 7, 300);
        assert!(found.contacts > 1000, "{found:?}");
    }
}
