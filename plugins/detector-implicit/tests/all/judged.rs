//! Core's check of detectors, which knows nothing of this one, has nothing to say about its answers.

use crate::common::*;
use vinci_detector_implicit::{Config, Implicit};
use vinci_sdk::core::geometry::{DetectorCheck, DetectorReport, Shapes};
use vinci_sdk::prelude::*;

fn check(space: Space, solids: &[Solid]) -> DetectorCheck {
    let local: &[f64] = if space == Space::Planar { &[0.0; 3] } else { &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] };
    let view = |(i, s): (usize, &'_ Solid)| (i as u32, s.clone());
    let owned: Vec<(u32, Solid)> = solids.iter().enumerate().map(view).collect();
    let shapes: Vec<ShapeView<'_>> = owned
        .iter()
        .map(|(i, s)| ShapeView {
            kind: s.kind as u32,
            body: *i,
            pose: local,
            params: &s.params,
            indices: &[],
        })
        .collect();
    let is_static: Vec<u8> = solids.iter().map(|s| u8::from(s.fixed)).collect();
    DetectorCheck::of_shapes(Shapes::of_view(&SystemView {
        space,
        body_names: &[],
        is_static: &is_static,
        shapes: &shapes,
        ignored_pairs: &[],
        nv: 0,
        nq: 0,
        ..SystemView::NOTHING
    }))
}

fn scaled(solid: &Solid, k: f64) -> Solid {
    let lengths = match solid.kind {
        ShapeKind::Superellipse => 2,
        ShapeKind::Superellipsoid => 3,
        _ => solid.params.len(),
    };
    let params = solid.params.iter().enumerate().map(|(i, x)| if i < lengths { x * k } else { *x }).collect();
    Solid { params, ..solid.clone() }
}

fn worst(space: Space, solids: &[Solid], seed: u64, rounds: usize) -> DetectorReport {
    let (mut dice, mut worst) = (Dice(seed), DetectorReport::default());
    for k in [1e-3, 1.0, 1e3] {
        let solids: Vec<Solid> = solids.iter().map(|s| scaled(s, k)).collect();
        let mut detector: Implicit = create(space, &solids, &Config::default()).unwrap();
        let check = check(space, &solids);
        for _ in 0..rounds {
            let mut place = |s: &Solid| {
                let x = if s.fixed { V::zeros() } else { dice.vector() * k };
                match space {
                    Space::Planar => vec![x.x, x.y, dice.range(-3.0, 3.0)],
                    Space::Spatial => pose3(x, dice.rotation()).to_vec(),
                }
            };
            let pose: Vec<f64> = solids.iter().flat_map(&mut place).collect();
            let margin: Vec<f64> = solids.iter().map(|_| k * dice.range(0.0, 0.3)).collect();
            let query = DetectQuery { t: 0.0, pose: &pose, margin: &margin };
            let raw = detector.detect(&query).unwrap();
            let report = check.judge_all(&query, &raw);
            honest(&report, || format!("scale {k}, pose {pose:?}, margin {margin:?}, solids {solids:?}"));
            worst.join(&report);
        }
    }
    worst
}

#[track_caller]
fn honest(report: &DetectorReport, what: impl Fn() -> String) {
    let small = [report.unit.value, report.gap.value, report.surface.value].iter().all(|x| *x < 1e-7);
    let fits = small && report.normal.value < 1e-7 && report.distance.is_none() && report.missed.is_none();
    assert!(fits, "{report:#?}\n{}", what());
}

#[test]
fn shapes_of_the_plane() {
    let mut dice = Dice(1);
    for seed in 0..10 {
        let mut solids = vec![solid(ShapeKind::HalfPlane, &[])];
        solids.extend((0..3).map(|_| ellipse(dice.range(0.2, 0.6), dice.range(0.2, 0.6), dice.exponent())));
        solids.extend([solid(ShapeKind::Disc, &[0.3]), solid(ShapeKind::PlanarCapsule, &[0.3, 0.2])]);
        let found = worst(Space::Planar, &solids, 20 + seed, 40);
        assert!(found.contacts > 100, "{found:?}");
    }
}

#[test]
fn shapes_of_space() {
    let mut dice = Dice(2);
    for seed in 0..6 {
        let mut solids = vec![solid(ShapeKind::HalfSpace, &[])];
        let mut side = || dice.range(0.2, 0.6);
        let axes: Vec<[f64; 3]> = (0..2).map(|_| [side(), side(), side()]).collect();
        solids.extend(axes.iter().map(|a| powers(a[0], a[1], a[2], dice.exponent(), dice.exponent())));
        solids.extend([
            solid(ShapeKind::Ball, &[0.3]),
            solid(ShapeKind::Capsule, &[0.3, 0.2]),
            solid(ShapeKind::Box, &[0.3, 0.2, 0.4]),
        ]);
        let found = worst(Space::Spatial, &solids, 40 + seed, 12);
        assert!(found.contacts > 30, "{found:?}");
    }
}
