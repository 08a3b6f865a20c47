//! Honest answers pass, at every scale; every lie is found and says where.

use vinci_core::contact::{ContactKey, RawContacts};
use vinci_core::geometry::{DetectorCheck, DetectorReport, Watch};
use vinci_core::model::{ShapeKind, Space};
use vinci_core::stage::DetectQuery;

use super::common::*;

/// A detector's answer that can be tampered with.
#[derive(Clone, Default)]
struct Answer {
    key: Vec<ContactKey>,
    gap: Vec<f64>,
    normal: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    group: Vec<u32>,
}

impl Answer {
    /// A contact between two shapes: point on A, normal, gap; B's point follows.
    fn push(&mut self, shapes: [u32; 2], x: V, n: V, gap: f64) {
        let feature = self.key.len() as u32;
        let key = ContactKey { shape_a: shapes[0], shape_b: shapes[1], feature_a: 0, feature_b: feature };
        self.key.push(key);
        self.gap.push(gap);
        self.normal.extend_from_slice(n.as_slice());
        self.a.extend_from_slice(x.as_slice());
        self.b.extend_from_slice((x + n * gap).as_slice());
    }

    fn view(&self) -> RawContacts<'_> {
        RawContacts {
            key: &self.key,
            gap: &self.gap,
            normal: &self.normal,
            point_a: &self.a,
            point_b: &self.b,
            group: &self.group,
        }
    }
}

/// A scene with an honest answer.
struct Case {
    check: DetectorCheck,
    pose: Vec<f64>,
    margin: Vec<f64>,
    answer: Answer,
}

impl Case {
    fn judge(&self, step: u64) -> DetectorReport {
        let query = DetectQuery { t: 0.0, pose: &self.pose, margin: &self.margin };
        self.check.judge(&query, &self.answer.view(), step)
    }

    fn with(&self, change: impl FnOnce(&mut Answer)) -> DetectorReport {
        let mut answer = self.answer.clone();
        change(&mut answer);
        Case { check: self.check.clone(), pose: self.pose.clone(), margin: self.margin.clone(), answer }
            .judge(0)
    }
}

/// A ground, a box on it and a disc beside it, lengths times k. The box hangs `gap` over the ground.
fn planar(k: f64, gap: f64) -> Case {
    let list = [
        shape(ShapeKind::HalfPlane, &[]).of(0),
        scaled(&rect(0.5, 0.25), k).of(1),
        scaled(&shape(ShapeKind::Disc, &[0.3]), k).of(2),
    ];
    let pose = [0.0, 0.0, 0.0, 0.0, 0.25 + gap, 0.0, 0.85, 0.3, 0.0];
    let mut answer = Answer::default();
    for x in [-0.5, 0.5] {
        answer.push([0, 1], V::new(x * k, 0.0, 0.0), V::y(), gap * k);
    }
    answer.push([0, 2], V::new(0.85 * k, 0.0, 0.0), V::y(), 0.0);
    answer.push([1, 2], V::new(0.5 * k, 0.3 * k, 0.0), V::x(), 0.05 * k);
    Case {
        check: DetectorCheck::of_shapes(shapes(Space::Planar, &list)),
        pose: pose.iter().enumerate().map(|(i, x)| if i % 3 < 2 { x * k } else { *x }).collect(),
        margin: vec![0.1 * k; 3],
        answer,
    }
}

/// A box on a box, turned by 30° about the vertical, and a ball over a corner region of the lower one.
fn spatial(k: f64) -> Case {
    let list = [
        scaled(&shape(ShapeKind::Box, &[1.0, 1.0, 0.5]), k).of(0),
        scaled(&shape(ShapeKind::Box, &[0.3, 0.3, 0.3]), k).of(1),
        scaled(&shape(ShapeKind::Ball, &[0.2]), k).of(2),
    ];
    let (angle, n) = (std::f64::consts::PI / 6.0, V::z());
    let turn = nalgebra::UnitQuaternion::new(n * angle);
    let mut answer = Answer::default();
    for (x, y) in [(-0.3, -0.3), (0.3, -0.3), (0.3, 0.3), (-0.3, 0.3)] {
        let at = turn * V::new(x, y, 0.0) + V::new(0.0, 0.0, 0.5);
        answer.push([0, 1], at * k, n, -1e-6 * k);
    }
    answer.push([0, 2], V::new(0.8, 0.8, 0.5) * k, n, 0.05 * k);
    let poses = [
        pose3(V::zeros(), nalgebra::UnitQuaternion::identity()),
        pose3(V::new(0.0, 0.0, 0.8 - 1e-6) * k, turn),
        pose3(V::new(0.8, 0.8, 0.75) * k, nalgebra::UnitQuaternion::identity()),
    ];
    Case {
        check: DetectorCheck::of_shapes(shapes(Space::Spatial, &list)),
        pose: poses.concat(),
        margin: vec![0.1 * k; 3],
        answer,
    }
}

fn cases(k: f64) -> [Case; 4] {
    [planar(k, 0.0), planar(k, 0.02), planar(k, -0.01), spatial(k)]
}

const SCALES: [f64; 3] = [1e-3, 1.0, 1e3];

#[track_caller]
fn is_honest(report: &DetectorReport) {
    let worst = [report.unit, report.gap, report.surface, report.normal].map(|a| a.value);
    assert!(worst.iter().all(|x| *x < 1e-9), "{report:?}");
    assert!(report.missed.is_none() && report.distance.is_none() && report.bare.is_none(), "{report:?}");
}

/// Of a face on the ground contacts span half at least.
#[test]
fn one_point_is_no_face() {
    for k in SCALES {
        let closer = |part: f64| {
            planar(k, 0.0).with(|answer| {
                for list in [&mut answer.a, &mut answer.b] {
                    (list[0], list[3]) = (part * list[0], part * list[3]);
                }
            })
        };
        let bare = |part: f64| closer(part).bare.map_or(0.0, |fault| fault.share);
        assert!((bare(0.0) - 0.5).abs() < 1e-9 && (bare(0.4) - 0.1).abs() < 1e-9, "{k}");
        assert_eq!(bare(0.6), 0.0, "{k}");
    }
}

#[test]
fn honest_answers_pass_at_every_scale() {
    for k in SCALES {
        for case in cases(k) {
            let report = case.judge(0);
            is_honest(&report);
            assert_eq!(report.contacts as usize, case.answer.key.len());
            assert!(report.pairs >= 2, "{report:?}");
            (1..100).for_each(|step| is_honest(&case.judge(step)));
        }
    }
}

#[test]
fn normals_that_are_none_are_found() {
    for k in SCALES {
        for case in cases(k) {
            let last = case.answer.key.len() - 1;
            // Longer than one.
            let report = case.with(|a| a.normal.iter_mut().skip(3 * last).for_each(|x| *x *= 1.001));
            assert!(
                (report.unit.value - 1e-3).abs() < 1e-9 && report.unit.contact == last as u32,
                "{report:?}"
            );
            // Turned by 3°, gap and all: only the shapes can tell.
            for i in 0..=last {
                let report = case.with(|a| {
                    let (sin, cos) = 0.05_f64.sin_cos();
                    let n = V::new(a.normal[3 * i], a.normal[3 * i + 1], a.normal[3 * i + 2]);
                    let t = if n.x == 0.0 { V::x() } else { V::y() };
                    let tilted = n * cos + t * sin;
                    a.normal[3 * i..3 * i + 3].copy_from_slice(tilted.as_slice());
                    let at = |l: &[f64]| V::from_column_slice(&l[3 * i..3 * i + 3]);
                    let apart = at(&a.b) - at(&a.a);
                    a.gap[i] = tilted.dot(&apart);
                });
                // Of features that are apart nobody can tell yet.
                if case.answer.gap[i].abs() < 1e-4 * k {
                    assert!(
                        report.normal.value > 0.005 && report.normal.contact == i as u32,
                        "{i} {report:?}"
                    );
                }
                assert!(report.gap.value < 1e-12);
            }
            // Turned round.
            let report = case.with(|a| {
                a.normal[3 * last..].iter_mut().for_each(|x| *x = -*x);
                a.gap[last] = -a.gap[last];
            });
            let turned = report.normal.value > 0.5 && report.normal.contact == last as u32;
            assert!(turned || report.distance.is_some(), "{report:?}");
        }
    }
}

/// One disc on another: the touching point is on both, the gap fits, and a normal turned by a thousandth still pushes aside.
#[test]
fn normals_of_discs_are_exact() {
    for k in SCALES {
        let disc = |body| scaled(&shape(ShapeKind::Disc, &[0.3]), k).of(body);
        let check = DetectorCheck::of_shapes(shapes(Space::Planar, &[disc(0), disc(1)]));
        let turned = |angle: f64| {
            let mut answer = Answer::default();
            answer.push([0, 1], V::new(0.0, 0.3 * k, 0.0), V::new(angle.sin(), angle.cos(), 0.0), 0.0);
            let pose = vec![0.0, 0.0, 0.0, 0.0, 0.6 * k, 0.0];
            Case { check: check.clone(), pose, margin: vec![0.1 * k; 2], answer }.judge(0)
        };
        is_honest(&turned(0.0));
        assert!((turned(1e-3).normal.value - 10.0).abs() < 1e-3, "{:?}", turned(1e-3));
    }
}

#[test]
fn points_off_their_surfaces_are_found() {
    for k in SCALES {
        for case in cases(k) {
            for i in 0..case.answer.key.len() {
                // Both points moved along the normal: the gap stays.
                let report = case.with(|a| {
                    for j in 0..3 {
                        let step = 1e-3 * k * a.normal[3 * i + j];
                        a.a[3 * i + j] += step;
                        a.b[3 * i + j] += step;
                    }
                });
                assert!(report.surface.value > 1e-4 && report.surface.contact == i as u32, "{i} {report:?}");
                assert!(report.gap.value < 1e-12);
            }
        }
        // Beyond the edge of the lower box, in the plane of its face: a wall in mid-air. As one of a group it may be there.
        let case = spatial(k);
        let beyond = |a: &mut Answer| {
            a.a[0] += 2.0 * k;
            a.b[0] += 2.0 * k;
        };
        let report = case.with(beyond);
        assert!(report.surface.value > 0.1 && report.surface.contact == 0, "{report:?}");
    }
}

#[test]
fn gaps_of_wrong_size_or_sign_are_found() {
    for k in SCALES {
        for case in [planar(k, 0.02), planar(k, -0.01), spatial(k)] {
            let last = case.answer.key.len() - 1;
            let report = case.with(|a| a.gap[last] = -a.gap[last]);
            assert!(report.gap.value > 0.05 && report.gap.contact == last as u32, "{report:?}");
            let report = case.with(|a| a.gap[last] *= 2.0);
            assert!(report.gap.value > 0.02 && report.gap.contact == last as u32, "{report:?}");
        }
    }
}

#[test]
fn missing_pairs_are_found_within_a_round() {
    for k in SCALES {
        for case in cases(k) {
            let pairs: Vec<(u32, u32)> = case.answer.key.iter().map(|c| (c.shape_a, c.shape_b)).collect();
            for pair in pairs {
                let mut answer = Answer::default();
                for i in 0..case.answer.key.len() {
                    let key = case.answer.key[i];
                    if (key.shape_a, key.shape_b) != pair {
                        let at = |l: &[f64]| V::from_column_slice(&l[3 * i..3 * i + 3]);
                        let shapes = [key.shape_a, key.shape_b];
                        answer.push(shapes, at(&case.answer.a), at(&case.answer.normal), case.answer.gap[i]);
                    }
                }
                let liar = Case { answer, ..case_of(&case) };
                let missed = liar.judge(0).missed.expect("the first look sees everything");
                assert_eq!((missed.shape_a, missed.shape_b), pair);
                assert!(missed.gap == f64::INFINITY && missed.distance < missed.reach);
                // All pairs are in one window: as many rounds as there are pairs name each of them.
                let steps = 1..1 + 3 * liar.check.steps_per_round();
                assert!(
                    steps
                        .into_iter()
                        .any(|s| liar.judge(s).missed.is_some_and(|m| (m.shape_a, m.shape_b) == pair))
                );
                let known = Case { check: liar.check.clone().exempt([pair]), ..case_of(&liar) };
                assert_eq!(known.judge(0).missed, None);
            }
        }
    }
}

fn case_of(case: &Case) -> Case {
    let Case { check, pose, margin, answer } = case;
    Case { check: check.clone(), pose: pose.clone(), margin: margin.clone(), answer: answer.clone() }
}

#[test]
fn contacts_that_hide_the_nearest_ones_are_found() {
    for k in SCALES {
        // Of the box over the ground only the far corner of a tilted box is told.
        let mut case = planar(k, 0.02);
        case.pose[5] = 0.1;
        let (sin, cos) = 0.1_f64.sin_cos();
        let corner = |x: f64| V::new(cos * x + sin * 0.25, 0.27 + sin * x - cos * 0.25, 0.0) * k;
        let mut answer = Answer::default();
        let (low, high) = (corner(-0.5), corner(0.5));
        answer.push([0, 1], V::new(high.x, 0.0, 0.0), V::y(), high.y);
        let hidden = Case { answer: answer.clone(), ..case_of(&case) }.judge(0).distance.unwrap();
        assert_eq!((hidden.shape_a, hidden.shape_b), (0, 1));
        assert!((hidden.distance - low.y).abs() < 1e-12 * k && hidden.gap > hidden.distance);
        answer.push([0, 1], V::new(low.x, 0.0, 0.0), V::y(), low.y);
        assert_eq!(Case { answer, ..case_of(&case) }.judge(0).distance, None);
    }
}

#[test]
fn phantoms_are_found() {
    // A row between a box and a disc that says they overlap although they are apart: n across, points on both surfaces.
    let mut case = planar(1.0, 0.0);
    case.pose[6] = 0.85;
    case.pose[7] = 0.9;
    case.answer = Answer::default();
    case.answer.push([1, 2], V::new(0.5, 0.2, 0.0), V::x(), 0.0);
    case.answer.b = vec![0.55, 0.9, 0.0];
    case.answer.gap = vec![0.05];
    let report = case.judge(0);
    // Apart by hypot(.35, .4) − .3 = .2315.
    let fault = report.distance.unwrap();
    assert!(fault.distance > 0.2 && fault.gap == 0.05 && fault.share > 0.05, "{fault:?}");
}

#[test]
fn rounded_shapes_may_show_any_point_of_their_core() {
    // A capsule tilted over the ground: the row of its high end is below that end, inside of the surface.
    let list = [shape(ShapeKind::HalfPlane, &[]).of(0), shape(ShapeKind::PlanarCapsule, &[0.5, 0.2]).of(1)];
    let (sin, cos) = 0.4_f64.sin_cos();
    let mut answer = Answer::default();
    for x in [-0.5, 0.5] {
        answer.push([0, 1], V::new(x * cos, 0.0, 0.0), V::y(), 0.4 + x * sin - 0.2);
    }
    let case = Case {
        check: DetectorCheck::of_shapes(shapes(Space::Planar, &list)),
        pose: vec![0.0, 0.0, 0.0, 0.0, 0.4, 0.4],
        margin: vec![1.0; 2],
        answer,
    };
    is_honest(&case.judge(0));
    let report = case.with(|a| a.b[4] -= 0.01);
    assert!(report.surface.value > 1e-3 && report.surface.contact == 1, "{report:?}");
}

#[test]
fn pairs_that_may_not_collide_are_not_missed() {
    let two = |a: u32, b: u32| [shape(ShapeKind::Ball, &[1.0]).of(a), shape(ShapeKind::Ball, &[1.0]).of(b)];
    let judge = |list: &[Shape; 2], bodies: usize| {
        let check = DetectorCheck::of_shapes(shapes(Space::Spatial, list));
        let pose = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].repeat(bodies);
        let query = DetectQuery { t: 0.0, pose: &pose, margin: &vec![0.1; bodies] };
        check.judge(&query, &RawContacts::default(), 0)
    };
    assert_eq!(judge(&two(1, 1), 2).missed, None);
    assert!(judge(&two(0, 1), 2).missed.is_some());
    assert!(judge(&two(1, 2), 3).missed.is_some());
}

#[test]
fn answers_that_fit_no_system_are_left_to_the_one_who_refuses_them() {
    let case = planar(1.0, 0.0);
    let bad = case.with(|a| a.key[0].shape_b = 77);
    assert_eq!((bad.contacts, bad.pairs), (0, 0));
    let bad = case.with(|a| a.gap.clear());
    assert_eq!((bad.contacts, bad.pairs), (0, 0));
}

#[test]
fn what_is_no_number_is_the_worst() {
    let case = planar(1.0, 0.0);
    let report = case.with(|a| a.gap[1] = f64::NAN);
    assert!(report.gap.value.is_nan() && report.gap.contact == 1, "{report:?}");
}

/// A ground, a box on it and a disc that comes down beside it and is never reported.
#[test]
fn a_pair_that_is_left_out_is_missed_when_it_comes_near() {
    let mut case = planar(1.0, 0.0);
    let keep = |key: &ContactKey| key.shape_b != 2;
    let kept: Vec<usize> = (0..case.answer.key.len()).filter(|&i| keep(&case.answer.key[i])).collect();
    let all = std::mem::take(&mut case.answer);
    kept.iter().for_each(|&i| {
        let at = |list: &[f64]| V::new(list[3 * i], list[3 * i + 1], list[3 * i + 2]);
        case.answer.push([all.key[i].shape_a, all.key[i].shape_b], at(&all.a), at(&all.normal), all.gap[i]);
    });
    let mut watch = Watch::default();
    let mut look = |case: &Case| {
        let mut report = DetectorReport::default();
        let query = DetectQuery { t: 0.0, pose: &case.pose, margin: &case.margin };
        watch.judge(&case.check, &query, &case.answer.view(), &mut report);
        report.missed.map(|missed| (missed.shape_a, missed.shape_b))
    };
    // Its active distance is .2 m; it falls by 2 mm a step, and its side of the box stays .5 m away.
    case.pose[6] = 1.5;
    let height = |k: usize| 1.0 - 0.002 * k as f64;
    for k in 0..500 {
        case.pose[7] = height(k);
        let expected = (height(k) - 0.3 < 0.2 - 1e-6).then_some((0, 2));
        assert_eq!(look(&case), expected, "{k}");
    }
    // Back to where it was, as after a step that is taken back, and down at once.
    case.pose[7] = 1.0;
    assert_eq!(look(&case), None);
    case.pose[7] = 0.4;
    assert_eq!(look(&case), Some((0, 2)));
}

/// A box tilted on a wide box; only the corner that just touches is reported, the other is 60 mm deep.
#[test]
fn a_corner_that_is_hidden_is_seen() {
    let angle = 0.3_f64;
    let low = 0.1 * angle.sin() + 0.05 * angle.cos();
    let list = [rect(3.0, 0.5).of(0), rect(0.1, 0.05).of(1)];
    let deep = 0.06;
    let mut answer = Answer::default();
    let turned =
        |x: f64, y: f64| V::new(x * angle.cos() - y * angle.sin(), x * angle.sin() + y * angle.cos(), 0.0);
    let centre = V::new(0.0, 0.5 + low - deep, 0.0);
    let (hidden, shown) = (centre + turned(-0.1, -0.05), centre + turned(0.1, -0.05));
    answer.push([0, 1], V::new(shown.x, 0.5, 0.0), V::y(), shown.y - 0.5);
    let mut case = Case {
        check: DetectorCheck::of_shapes(shapes(Space::Planar, &list)),
        pose: vec![0.0, 0.0, 0.0, centre.x, centre.y, angle],
        margin: vec![0.05; 2],
        answer,
    };
    let fault = case.judge(0).distance.expect("a depth of 60 mm is not reported");
    assert!((fault.share * 0.05_f64.hypot(0.1) * 2.0 - (deep + shown.y - 0.5)).abs() < 1e-3, "{fault:?}");
    case.answer.push([0, 1], V::new(hidden.x, 0.5, 0.0), V::y(), hidden.y - 0.5);
    assert_eq!(case.judge(0).distance, None);
}

/// Faces have the normal that they have: 3° of tilt brake a block that slides without friction.
#[test]
fn normals_of_flat_faces_are_not_tilted() {
    let list = [rect(3.0, 0.5).of(0), rect(0.1, 0.05).of(1)];
    let tilted = |degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut answer = Answer::default();
        [-0.1, 0.1]
            .iter()
            .for_each(|x| answer.push([0, 1], V::new(*x, 0.5, 0.0), V::new(-sin, cos, 0.0), 0.0));
        let check = DetectorCheck::of_shapes(shapes(Space::Planar, &list));
        let case = Case { check, pose: vec![0.0, 0.0, 0.0, 0.0, 0.55, 0.0], margin: vec![0.05; 2], answer };
        case.judge(0).normal.value
    };
    // Held against .1.
    assert!(tilted(0.0) < 1e-9 && tilted(3.0) > 1.0 && tilted(0.2) > 0.1, "{}", tilted(0.2));
}

/// Nearest points of two cylinders are found by iteration: of a gap of 2.5 mm they were 3.6e-7 m off. Those of boxes are exact.
#[test]
fn points_of_round_shapes_have_a_thousandth_of_the_gap() {
    let off = |kind: ShapeKind, params: &[f64], part: f64| {
        let (list, gap) = ([shape(kind, params).of(0), shape(kind, params).of(1)], 0.1);
        let still = nalgebra::UnitQuaternion::identity();
        let pose = [pose3(V::zeros(), still), pose3(V::x() * (1.0 + gap), still)].concat();
        let mut answer = Answer::default();
        answer.push([0, 1], V::new(0.5 + part * gap, 0.0, 0.0), V::x(), gap);
        let check = DetectorCheck::of_shapes(shapes(Space::Spatial, &list));
        Case { check, pose, margin: vec![0.1; 2], answer }.judge(0).surface.value
    };
    let cylinder = |part: f64| off(ShapeKind::Cylinder, &[0.5, 0.5], part);
    assert!(cylinder(5e-4) == 0.0 && cylinder(3e-3) > 1e-4, "{}", cylinder(3e-3));
    let cube = |part: f64| off(ShapeKind::Box, &[0.5, 0.5, 0.5], part);
    assert!(cube(0.0) == 0.0 && cube(5e-4) > 1e-5, "{}", cube(5e-4));
}

/// Shapes in turn stand where they stand: what is kept of the contact before is that of its own shapes, on either side.
#[test]
fn every_contact_is_held_against_its_own_shapes() {
    let list: Vec<_> = (0..4).map(|b| rect(0.5, 0.25).of(b)).collect();
    let check = DetectorCheck::of_shapes(shapes(Space::Planar, &list));
    let pose: Vec<f64> = (0..4).flat_map(|b| [0.01 * f64::from(b), 0.5 * f64::from(b), 0.0]).collect();
    let mut answer = Answer::default();
    for lower in 0..3_u32 {
        let (own, next) = (0.01 * f64::from(lower), 0.01 * f64::from(lower + 1));
        for x in [next - 0.5, own + 0.5] {
            answer.push([lower, lower + 1], V::new(x, 0.5 * f64::from(lower) + 0.25, 0.0), V::y(), 0.0);
        }
    }
    let case = Case { check, pose, margin: vec![0.05; 4], answer };
    is_honest(&case.judge(0));
    let lowered = case.with(|a| (a.a[13], a.b[13]) = (a.a[13] - 1e-3, a.b[13] - 1e-3));
    assert!(lowered.surface.value > 1e-4 && lowered.surface.contact == 4, "{lowered:?}");
}

/// Beyond the corner of a hull the nearest point is the corner, however low the planes of its faces are there.
#[test]
fn points_beyond_corners_are_as_far_as_the_corner() {
    let square = rect(0.5, 0.5).solid();
    let placed = square.place(&vinci_core::geometry::Frame::identity());
    let far = |x: f64, y: f64| placed.signed_distance(&V::new(x, y, 0.0));
    for (x, y, expected) in [
        (0.0, 0.6, 0.1),
        (0.53, 0.54, 0.05),
        (0.5, 0.51, 0.01),
        (0.5 + 3e-9, 0.5 + 4e-9, 5e-9),
        (0.2, 0.45, -0.05),
    ] {
        assert!((far(x, y) - expected).abs() < 1e-15, "{x} {y}: {}", far(x, y));
    }
}

/// Whatever axis bodies are spread along, a pair that comes near is looked at: along y in a stack, along x in a row.
#[test]
fn pairs_are_missed_along_every_axis() {
    for along in [V::x(), V::y()] {
        let list: Vec<_> = (0..5).map(|b| shape(ShapeKind::Disc, &[0.5]).of(b)).collect();
        let check = DetectorCheck::of_shapes(shapes(Space::Planar, &list));
        let pose: Vec<f64> =
            (0..5).flat_map(|b| [along.x, along.y, 0.0].map(|x| 1.05 * f64::from(b) * x)).collect();
        let case = Case { check, pose, margin: vec![0.05; 5], answer: Answer::default() };
        let query = DetectQuery { t: 0.0, pose: &case.pose, margin: &case.margin };
        let mut report = DetectorReport::default();
        Watch::default().judge(&case.check, &query, &case.answer.view(), &mut report);
        assert!(report.missed.is_some_and(|m| m.shape_b == m.shape_a + 1), "{along} {report:?}");
    }
}

/// A least gap that is off by 3e-4 m at shapes of .6 m is a finding, and so is a pair left out that is nearer by that than it may be.
#[test]
fn distances_are_told_from_those_a_little_off() {
    let case = planar(1.0, 0.02);
    for off in [3e-4, -3e-4] {
        let report = case.with(|a| (a.gap[3], a.b[9]) = (a.gap[3] + off, a.b[9] + off));
        let fault = report.distance.unwrap();
        assert!((fault.shape_a, fault.shape_b) == (1, 2) && fault.share > 1e-4, "{off} {fault:?}");
    }
    let list = [shape(ShapeKind::Disc, &[0.5]).of(0), shape(ShapeKind::Disc, &[0.5]).of(1)];
    let check = DetectorCheck::of_shapes(shapes(Space::Planar, &list));
    let left_out = |apart: f64| {
        let pose = vec![0.0, 0.0, 0.0, 1.0 + apart, 0.0, 0.0];
        let case = Case { check: check.clone(), pose, margin: vec![0.05; 2], answer: Answer::default() };
        case.judge(0).missed.map(|fault| fault.share)
    };
    assert!(left_out(0.1 - 3e-4).is_some_and(|share| share > 1e-4) && left_out(0.1).is_none());
}

/// The ground and itself are one body.
#[test]
fn bodies_that_may_not_collide_have_no_contacts() {
    let case = planar(1.0, 0.0);
    assert_eq!(case.judge(0).barred.value, 0.0);
    let found = case.with(|answer| answer.key[0].shape_b = 0);
    assert_eq!((found.barred.value, found.barred.contact), (1.0, 0));
}

/// Soft bodies overlap by more than a thousandth of their size: their normals have no turn of their own that a detector could count.
#[test]
fn normals_of_contacts_that_overlap_are_looked_at_in_every_step() {
    let mut case = planar(1.0, -0.01);
    assert!(case.judge(1).normal.value < 1e-9, "{:?}", case.judge(1).normal);
    let n = V::new(0.01, 1.0, 0.0).normalize();
    case.answer.normal[..3].copy_from_slice(n.as_slice());
    let a = V::new(case.answer.a[0], case.answer.a[1], 0.0);
    case.answer.b[..3].copy_from_slice((a + n * case.answer.gap[0]).as_slice());
    for step in 1..4 {
        assert!(case.judge(step).normal.value > 0.1, "{step}: {:?}", case.judge(step).normal);
    }
}

/// At a step of 1 ms bodies reach a hundredth of a millimetre far: left out, they sank through each other.
#[test]
fn bodies_that_sink_unreported_are_missed_however_small_their_reach_is() {
    let ground = || shape(ShapeKind::HalfSpace, &[]);
    let cube = || shape(ShapeKind::Box, &[0.5, 0.5, 0.5]);
    let ball = || shape(ShapeKind::Ball, &[0.5]);
    let barrel = || shape(ShapeKind::Cylinder, &[0.5, 0.5]);
    let mesh = || box_mesh([0.5; 3]);
    let pairs: [(Shape, Shape, f64); 6] = [
        (ground(), cube(), 0.5),
        (cube(), ball(), 1.0),
        (cube(), cube(), 1.0),
        (cube(), barrel(), 1.0),
        (mesh(), ball(), 1.0),
        (mesh(), cube(), 1.0),
    ];
    for (below, above, apart) in pairs {
        let kinds = (below.kind, above.kind);
        let check = DetectorCheck::of_shapes(shapes(Space::Spatial, &[below.of(0), above.of(1)]));
        let looks = |depth: f64| {
            // Upwards is the normal of the ground: z.
            let pose = [
                pose3(V::zeros(), nalgebra::UnitQuaternion::identity()),
                pose3(V::new(0.01, 0.02, apart - depth), nalgebra::UnitQuaternion::identity()),
            ]
            .concat();
            let case = Case { check: check.clone(), pose, margin: vec![5e-8; 2], answer: Answer::default() };
            let query = DetectQuery { t: 0.0, pose: &case.pose, margin: &case.margin };
            let mut watched = DetectorReport::default();
            Watch::default().judge(&case.check, &query, &case.answer.view(), &mut watched);
            [case.judge(0).missed, watched.missed].map(|missed| missed.map_or(0.0, |fault| fault.share))
        };
        assert_eq!(looks(1e-4), [1.0; 2], "{kinds:?}");
        assert_eq!(looks(0.02), [1.0; 2], "{kinds:?}");
        assert!(looks(1e-8).iter().all(|share| *share < 1e-6), "{kinds:?}: {:?}", looks(1e-8));
        assert_eq!(looks(-1e-4), [0.0; 2], "{kinds:?}");
    }
}

/// One number for all contacts made each an excuse for all others; two ends of a face that are alternatives let it tip.
#[test]
fn groups_hold_alternatives_of_one_pair_and_no_others() {
    let case = planar(1.0, -0.01);
    assert_eq!(case.judge(0).grouped.value, 0.0);
    let n = case.answer.key.len();
    let lies: [&[usize]; 3] = [&[0, 1], &[1, 2], &[2, 3]];
    for (k, lie) in lies.iter().enumerate() {
        for step in [0, 7] {
            let mut answer = case.answer.clone();
            answer.group = (0..n).map(|i| u32::from(lie.contains(&i))).collect();
            let liar = Case { answer, ..case_of(&case) };
            let found = liar.judge(step);
            assert_eq!((found.grouped.value, found.grouped.contact), (1.0, lie[1] as u32), "{k} {found:?}");
        }
    }
    let alone = case.with(|answer| answer.group = (1..=n as u32).collect());
    assert_eq!(alone.grouped.value, 0.0);
}

/// A face on the ground with its contact in the middle is bare, also where that contact has a group.
#[test]
fn grouped_contacts_of_faces_on_the_ground_leave_them_bare_too() {
    let case = planar(1.0, 0.0);
    let found = case.with(|answer| {
        (answer.a[0], answer.b[0], answer.a[3], answer.b[3]) = (0.0, 0.0, 0.01, 0.01);
        answer.group = vec![1, 1, 0, 0];
    });
    assert!(found.bare.is_some_and(|fault| fault.share > 0.4), "{found:?}");
}
