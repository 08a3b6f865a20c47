//! The detector's side of the contract: identity, filtering, determinism, broad phase, refusals.

use crate::common::*;
use vinci_detector_parry::Config;
use vinci_sdk::core::error::ErrorKind;
use vinci_sdk::core::model::ShapeKind::{self, *};
use vinci_sdk::core::stage::{DetectQuery, Detector};

fn random_scene(dice: &mut Dice, n: usize) -> (Scene, Vec<[f64; 7]>) {
    let tetra = [0.3, 0.0, -0.2, -0.2, 0.3, -0.2, -0.2, -0.3, -0.2, 0.0, 0.0, 0.4];
    let kinds: [(ShapeKind, &[f64]); 6] = [
        (Ball, &[0.3]),
        (Box, &[0.2, 0.3, 0.25]),
        (Capsule, &[0.2, 0.15]),
        (Cylinder, &[0.2, 0.3]),
        (Cone, &[0.3, 0.2]),
        (ConvexHull, &tetra),
    ];
    let mut s = Scene::default().body("ground", true, HalfSpace, &[]);
    let mut poses = vec![pose(V::zeros(), turn(V::x(), 0.1))];
    let side = (n as f64).cbrt() * 0.8;
    for i in 0..n {
        let (kind, params) = kinds[i % 6];
        s = s.body(&format!("b{i}"), i % 17 == 0, kind, params);
        poses.push(pose(dice.vector() * side * 0.5 + V::z() * side * 0.5, dice.rotation()));
    }
    (s, poses)
}

#[test]
fn broad_phase_finds_what_brute_force_finds() {
    let mut dice = Dice(42);
    let (mut s, poses) = random_scene(&mut dice, 500);
    s.ignored = vec![1, 2, 3, 9, 10, 77];
    let all = s.contacts(&poses, 0.02);
    let mut expected = Vec::new();
    for i in 0..poses.len() {
        for j in i + 1..poses.len() {
            // Bodies farther apart than their sizes cannot touch: saves most of the two-body scenes.
            let far = (parts(&poses[i]).0 - parts(&poses[j]).0).norm() > 1.2;
            let both_static = s.is_static[i] != 0 && s.is_static[j] != 0;
            if both_static || (i > 0 && far) || s.ignored.chunks(2).any(|p| p == [i as u32, j as u32]) {
                continue;
            }
            let mut two = Scene::default();
            for k in [i, j] {
                let shape = &s.shapes[k];
                let kind = ShapeKind::from_code(shape.kind).unwrap();
                two = two.body("x", s.is_static[k] != 0, kind, &shape.params);
            }
            for mut c in two.contacts(&[poses[i], poses[j]], 0.02) {
                (c.key.shape_a, c.key.shape_b) = (i as u32, j as u32);
                expected.push(c);
            }
        }
    }
    assert!(all.len() > 300, "{}", all.len());
    assert_eq!(all, expected);
}

#[test]
fn the_answer_depends_on_the_poses_alone() {
    let mut dice = Dice(43);
    let (s, poses) = random_scene(&mut dice, 120);
    let fresh = s.contacts(&poses, 0.03);
    let mut used = s.detector().unwrap();
    for _ in 0..30 {
        let other: Vec<[f64; 7]> = poses.iter().map(|_| pose(dice.vector() * 2.0, dice.rotation())).collect();
        ask(&mut used, &other, 0.05);
        assert_eq!(ask(&mut used, &poses, 0.03), fresh);
    }
    let mut bytes = Vec::new();
    used.save_state(&mut bytes);
    assert!(bytes.is_empty());
    assert!(used.load_state(&[]).is_ok());
}

#[test]
fn margins_add_up_and_are_respected() {
    let s = Scene::default().body("a", false, Ball, &[0.5]).body("b", false, Ball, &[0.5]);
    let mut d = s.detector().unwrap();
    let pose = [shift(0.0, 0.0, 0.0), shift(1.05, 0.0, 0.0)].concat();
    let mut count =
        |a: f64, b: f64| d.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[a, b] }).unwrap().len();
    assert_eq!((count(0.03, 0.03), count(0.06, 0.0), count(0.0, 0.06)), (1, 1, 1));
    assert_eq!((count(0.02, 0.02), count(0.049, 0.0), count(0.0, 0.0)), (0, 0, 0));
    let mut dice = Dice(4);
    let (s, poses) = random_scene(&mut dice, 200);
    let wide = s.contacts(&poses, 0.05);
    let narrow = s.contacts(&poses, 0.01);
    assert!(wide.iter().all(|c| c.gap <= 0.1) && narrow.iter().all(|c| c.gap <= 0.02));
    assert!(wide.iter().any(|c| c.gap > 0.02) && wide.len() > narrow.len());
}

#[test]
fn identities_survive_small_motion() {
    let mut dice = Dice(6);
    let on_plane =
        Scene::default().body("ground", true, HalfSpace, &[]).body("b", false, Box, &[0.5, 0.4, 0.3]);
    let on_box =
        Scene::default().body("table", true, Box, &[1.0, 1.0, 0.5]).body("b", false, Box, &[0.5, 0.4, 0.3]);
    let cylinder =
        Scene::default().body("table", true, Box, &[1.0, 1.0, 0.5]).body("b", false, Cylinder, &[0.3, 0.2]);
    for (s, z) in [(on_plane, 0.3), (on_box, 0.8), (cylinder, 0.8)] {
        let mut d = s.detector().unwrap();
        let keys = |c: Vec<Contact>| c.iter().map(|c| c.key).collect::<Vec<_>>();
        let first = keys(ask(&mut d, &[IDENTITY, shift(0.0, 0.0, z)], 0.01));
        assert!(first.len() >= 4);
        for k in 0..100 {
            // Slides and yaws a lot, tilts and heaves a little.
            let x = V::new(0.003 * f64::from(k), 0.001 * f64::from(k), z + dice.range(-1e-6, 1e-6));
            let q = nalgebra::UnitQuaternion::new(dice.vector() * 1e-7) * turn(V::z(), 0.005 * f64::from(k));
            assert_eq!(keys(ask(&mut d, &[IDENTITY, pose(x, q)], 0.01)), first);
        }
    }
}

#[test]
fn several_shapes_of_one_body_and_poses_of_shapes() {
    // A dumbbell: two balls on one body, with a box between; no contacts among them.
    let mut s = Scene::default().body("ground", true, HalfSpace, &[]).at(shift(0.0, 0.0, -1.0));
    s = s.body("bell", false, Ball, &[0.2]).at(shift(0.5, 0.0, 0.0));
    let mut second = s.shapes[1].clone();
    second.pose = shift(-0.5, 0.0, 0.0).to_vec();
    let mut bar = second.clone();
    (bar.kind, bar.params, bar.pose) = (Box as u32, vec![0.5, 0.05, 0.05], shift(0.0, 0.0, 0.0).to_vec());
    s.shapes.extend([second, bar]);
    let c = s.contacts(&[IDENTITY, pose(V::new(1.0, 2.0, -0.8), turn(V::z(), 1.0))], 0.01);
    assert_eq!(c.len(), 2);
    assert!(c.iter().all(|c| c.gap.abs() < 1e-15));
    let expected = V::new(1.0 + 0.5 * 1f64.cos(), 2.0 + 0.5 * 1f64.sin(), -1.0);
    assert!((c[0].b - expected).norm() < 1e-15);
    assert_eq!((c[0].key.shape_a, c[0].key.shape_b, c[1].key.shape_b), (0, 1, 2));
}

/// Kind, parameters, indices, and the refusal they deserve.
type Case<'a> = (ShapeKind, &'a [f64], &'a [u32], ErrorKind, &'a str);

fn refusal(s: &Scene) -> (ErrorKind, String) {
    let Err(e) = s.detector() else { panic!("accepted: {s:?}") };
    (e.kind, e.message)
}

#[test]
fn bad_shapes_are_refused_by_name_with_advice() {
    let flat = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.3, 0.4, 0.0];
    let tri = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0];
    let cases: [Case<'_>; 17] = [
        (Ball, &[0.0], &[], ErrorKind::BadInput, "radius = 0 must be positive"),
        (Ball, &[-1.0], &[], ErrorKind::BadInput, "radius = -1"),
        (Ball, &[f64::NAN], &[], ErrorKind::BadInput, "radius = NaN"),
        (Ball, &[], &[], ErrorKind::BadInput, "needs the parameters [radius] but has 0"),
        (Box, &[1.0, 0.0, 1.0], &[], ErrorKind::BadInput, "half y = 0"),
        (Capsule, &[1.0, 0.0], &[], ErrorKind::BadInput, "radius"),
        (Cylinder, &[f64::INFINITY, 1.0], &[], ErrorKind::BadInput, "half height"),
        (Cone, &[1.0, 1.0, 1.0], &[], ErrorKind::BadInput, "has 3"),
        (ConvexHull, &tri[..9], &[], ErrorKind::BadInput, "at least four"),
        (ConvexHull, &flat, &[], ErrorKind::BadInput, "one plane"),
        (ConvexHull, &[0.0, 1.0], &[], ErrorKind::BadInput, "multiple of three"),
        (ConvexHull, &[f64::NAN; 12], &[], ErrorKind::NonFinite, "point 0"),
        (TriMesh, &tri, &[], ErrorKind::BadInput, "no triangles"),
        (TriMesh, &tri, &[0, 1, 4], ErrorKind::BadInput, "triangle 0 names vertex 4 but there are 4"),
        (TriMesh, &tri, &[0, 1, 2, 0, 1, 3], ErrorKind::BadInput, "triangle 1 has no area"),
        (Superellipsoid, &[1.0, 1.0, 1.0, 1.0, 1.0], &[], ErrorKind::Unsupported, "convex hull"),
        (Polygon, &[0.0, 0.0, 1.0, 0.0, 0.0, 1.0], &[], ErrorKind::Unsupported, "planar shape"),
    ];
    for (kind, params, indices, error, text) in cases {
        let mut s = Scene::default().body("floor", true, Ball, &[1.0]).mesh("wheel", false, params, indices);
        s.shapes[1].kind = kind as u32;
        let (found, message) = refusal(&s);
        assert_eq!(found, error, "{message}");
        assert!(message.contains(text), "{message}");
        assert!(message.contains("shape 1") && message.contains("`wheel`"), "{message}");
    }
}

#[test]
fn bad_scenes_options_and_queries_are_refused() {
    let good = Scene::default().body("ball", false, Ball, &[1.0]);
    let mut s = good.clone();
    s.planar = true;
    assert!(refusal(&s).1.contains("vinci.detector.planar"));
    s = good.clone();
    s.shapes[0].kind = 999;
    assert!(refusal(&s).1.contains("999"));
    s = good.clone();
    s.shapes[0].body = 5;
    assert!(refusal(&s).1.contains("does not exist"));
    s = good.clone();
    s.shapes[0].pose = vec![0.0; 7];
    assert!(refusal(&s).1.contains("quaternion"));
    s.shapes[0].pose = vec![0.0; 3];
    assert!(refusal(&s).1.contains("seven"));
    let moving = Scene::default().body("floor", false, HalfSpace, &[]);
    assert!(refusal(&moving).1.contains("static"));
    for config in [
        Config { merge_tolerance: -1.0, ..Config::default() },
        Config { merge_tolerance: f64::NAN, ..Config::default() },
        Config { max_points: 3, ..Config::default() },
        Config { rim_points: 2, ..Config::default() },
    ] {
        assert_eq!(good.detector_with(&config).err().unwrap().kind, ErrorKind::BadOption);
    }
    let mut d = good.detector().unwrap();
    let mut kind = |pose: &[f64], margin: &[f64]| {
        d.detect(&DetectQuery { t: 0.0, pose, margin }).map(|c| c.len()).map_err(|e| e.kind)
    };
    assert_eq!(kind(&IDENTITY, &[0.0]), Ok(0));
    assert_eq!(kind(&IDENTITY[..6], &[0.0]), Err(ErrorKind::BadInput));
    assert_eq!(kind(&IDENTITY, &[]), Err(ErrorKind::BadInput));
    assert_eq!(kind(&[f64::NAN, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], &[0.0]), Err(ErrorKind::NonFinite));
    assert_eq!(kind(&[0.0; 7], &[0.0]), Err(ErrorKind::NonFinite));
    assert_eq!(kind(&IDENTITY, &[f64::INFINITY]), Err(ErrorKind::NonFinite));
}

#[test]
fn millimetres_and_kilometres_give_the_same_contacts() {
    let mut dice = Dice(8);
    let (s, poses) = random_scene(&mut dice, 150);
    let one = s.contacts(&poses, 0.02);
    for scale in [1e-4, 1e4] {
        let mut t = s.clone();
        t.shapes.iter_mut().for_each(|s| s.params.iter_mut().for_each(|x| *x *= scale));
        let moved: Vec<[f64; 7]> = poses.iter().map(|p| pose(parts(p).0 * scale, parts(p).1)).collect();
        let other = t.contacts(&moved, 0.02 * scale);
        assert_eq!(one.len(), other.len());
        for (c, d) in one.iter().zip(&other) {
            assert_eq!(c.key, d.key);
            assert!((c.gap * scale - d.gap).abs() < 1e-9 * scale, "{c:?} {d:?}");
        }
    }
}

#[test]
fn a_hull_given_far_from_its_own_origin_behaves_like_the_same_hull_at_it() {
    let cube: Vec<f64> = (0..8)
        .flat_map(|i| {
            [0.1, 0.1, 0.1]
                .map(|h| h)
                .into_iter()
                .enumerate()
                .map(move |(k, h)| if i >> k & 1 == 0 { -h } else { h })
        })
        .collect();
    let far: Vec<f64> = cube.iter().map(|x| x + 50.0).collect();
    let near = Scene::default().body("t", true, Box, &[1.0, 1.0, 0.5]).body("h", false, ConvexHull, &cube);
    let moved = Scene::default()
        .body("t", true, Box, &[1.0, 1.0, 0.5])
        .body("h", false, ConvexHull, &far)
        .at(shift(-50.0, -50.0, -50.0));
    let poses = [IDENTITY, pose(V::new(0.2, 0.1, 0.599), turn(V::z(), 0.4))];
    let (c, d) = (near.contacts(&poses, 0.01), moved.contacts(&poses, 0.01));
    assert_eq!((c.len(), d.len()), (4, 4));
    for c in &c {
        assert!(d.iter().any(|d| (c.b - d.b).norm() < 1e-12 && (c.gap - d.gap).abs() < 1e-12));
    }
}

/// A hull with many faces goes by GJK and EPA instead of the axis test.
#[test]
fn a_large_hull_stands_on_its_flat_side_and_is_round_elsewhere() {
    let mut points = Vec::new();
    for i in 0..400 {
        let z = 1.0 - 2.0 * (f64::from(i) + 0.5) / 400.0;
        let a = f64::from(i) * 2.399963229728653;
        let r = (1.0 - z * z).sqrt();
        points.extend_from_slice(&[r * a.cos(), r * a.sin(), z.max(-0.9)]);
    }
    let s = Scene::default().body("t", true, Box, &[2.0, 2.0, 0.5]).body("h", false, ConvexHull, &points);
    for gap in [0.01, 1e-9, 0.0, -1e-9, -0.01] {
        let c = s.contacts(&[IDENTITY, shift(0.1, 0.2, 1.4 + gap)], 0.01);
        assert_eq!(c.len(), 8, "{gap} {c:?}");
        assert!(
            c.iter().all(|c| (c.gap - gap).abs() < 1e-12 && (c.n - V::z()).norm() < 1e-12),
            "{gap} {c:?}"
        );
    }
    let ball = Scene::default().body("t", true, Ball, &[1.0]).body("h", false, ConvexHull, &points);
    let other = Scene::default().body("t", true, ConvexHull, &points).body("h", false, ConvexHull, &points);
    let mut dice = Dice(5);
    for _ in 0..50 {
        let poses = [pose(V::zeros(), dice.rotation()), pose(V::new(2.0, 0.0, 0.0), dice.rotation())];
        for s in [&ball, &other] {
            let c = s.contacts(&poses, 0.1);
            let least = c.iter().map(|c| c.gap).fold(f64::MAX, f64::min);
            // The hulls lie within 0.012 of the unit ball except for the flat side.
            assert!(c.is_empty() || (least > -1e-9 && least < 0.2), "{least}");
        }
    }
}

#[test]
fn stacked_cylinders_share_the_lens_of_their_caps() {
    let s = Scene::default().body("a", true, Cylinder, &[0.1, 0.5]).body("b", false, Cylinder, &[0.1, 0.5]);
    for (x, yaw) in [(0.0, 0.0), (0.0, 0.2), (0.3, 0.0), (0.3, 0.1), (0.9, 0.3)] {
        let c = s.contacts(&[IDENTITY, pose(V::new(x, 0.0, 0.2), turn(V::z(), yaw))], 0.005);
        assert!(c.len() >= 3 && c.len() <= 8, "{x} {yaw} {c:?}");
        assert!(c.iter().all(|c| c.gap.abs() < 1e-15 && c.n == V::z()));
        let width = |f: &dyn Fn(&Contact) -> f64| {
            c.iter().map(f).fold(f64::MIN, f64::max) - c.iter().map(f).fold(f64::MAX, f64::min)
        };
        // The lens is 1 − x wide and 2 √(0.25 − x²/4) high; chords of eight points lose up to 8 % of a radius.
        assert!(
            width(&|c| c.b.x) > (1.0 - x) - 0.1
                && width(&|c| c.b.y) > 2.0 * (0.25 - x * x / 4.0_f64).sqrt() - 0.2,
            "{x} {yaw} {c:?}"
        );
    }
}

#[test]
fn options_come_as_json_and_unknown_ones_are_refused() {
    let config: Config = serde_json::from_str("{\"max_points\": 6}").unwrap();
    assert_eq!((config.max_points, config.rim_points, config.merge_tolerance), (6, 8, 1e-5));
    assert!(serde_json::from_str::<Config>("{\"max_pionts\": 6}").is_err());
}

#[test]
fn empty_and_lonely_scenes() {
    assert!(Scene::default().contacts(&[], 0.1).is_empty());
    assert!(Scene::default().body("x", false, Ball, &[1.0]).contacts(&[IDENTITY], 0.1).is_empty());
    let two = Scene::default().body("x", true, Ball, &[1.0]).body("y", true, Ball, &[1.0]);
    assert!(two.contacts(&[IDENTITY, IDENTITY], 0.1).is_empty());
}

#[test]
fn max_points_and_rim_points() {
    let s = Scene::default().body("g", true, HalfSpace, &[]).body("c", false, Cylinder, &[0.1, 0.5]);
    let count = |config: Config| {
        ask(&mut s.detector_with(&config).unwrap(), &[IDENTITY, shift(0.0, 0.0, 0.1)], 0.01).len()
    };
    assert_eq!(count(Config { rim_points: 5, ..Config::default() }), 5);
    assert_eq!(count(Config { rim_points: 32, ..Config::default() }), 8);
    assert_eq!(count(Config { rim_points: 32, max_points: 4, ..Config::default() }), 4);
}

#[test]
fn poses_that_are_none_are_refused_in_these_words() {
    let s = Scene::default().body("cup", true, HalfSpace, &[]).body("lid", false, Ball, &[1.0]);
    let mut d = s.detector().unwrap();
    let mut message = |pose: &[[f64; 7]], margin: &[f64]| {
        d.detect(&DetectQuery { t: 0.25, pose: &pose.concat(), margin }).unwrap_err().message
    };
    let lengths = "2 bodies need 14 pose coordinates and 2 margins, got 7 and 2";
    assert_eq!(message(&[IDENTITY], &[0.0; 2]), lengths);
    let none = "body `lid` has pose [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0] and margin 0 at t = 0.25 s; all must be finite, the \
                quaternion non-zero and the margin not negative: the step before this one went wrong";
    assert_eq!(message(&[IDENTITY, [0.0; 7]], &[0.0; 2]), none);
    let lost = "the contact of bodies `cup` and `lid` at t = 0.25 s is not finite: their poses are beyond double precision; \
                check units and the step before this one";
    assert_eq!(message(&[shift(0.0, 0.0, 1.5e308), shift(0.0, 0.0, -1.5e308)], &[0.0; 2]), lost);
}

/// Twelve boxes and balls are paired from a list, the same twelve among forty that are far away from a tree: the same contacts.
#[test]
fn a_list_of_few_pairs_and_a_tree_find_the_same_contacts() {
    let mut dice = Dice(5);
    let poses: Vec<[f64; 7]> = (0..12).map(|_| pose(dice.vector() * 0.3, dice.rotation())).collect();
    let few = (0..12).fold(Scene::default(), |scene, k| match k % 2 {
        0 => scene.body(&format!("box {k}"), false, Box, &[0.1, 0.05, 0.08]),
        _ => scene.body(&format!("ball {k}"), k == 1, Ball, &[0.1]),
    });
    let many = (12..40).fold(few.clone(), |scene, k| scene.body(&format!("far {k}"), false, Ball, &[0.1]));
    let far = (12..40).map(|k| shift(f64::from(k), 0.0, 50.0));
    let all: Vec<[f64; 7]> = poses.iter().copied().chain(far).collect();
    let found = few.contacts(&poses, 0.02);
    assert!(found.len() > 10, "{}", found.len());
    assert_eq!(found, many.contacts(&all, 0.02));
}
