//! Refusals, and whether their messages help.

use crate::common::*;
use vinci_sdk::prelude::*;

fn refuse(shape: (ShapeKind, Vec<f64>)) -> StageError {
    let mut w = World::default();
    w.one("floor", half_plane()).fixed();
    w.body("crate", &[(ShapeKind::Disc, NO_POSE, vec![1.0]), (shape.0, NO_POSE, shape.1)]);
    w.create("{}").unwrap_err()
}

#[track_caller]
fn expect(shape: (ShapeKind, Vec<f64>), kind: ErrorKind, what: &str) {
    let e = refuse(shape);
    assert_eq!(e.kind, kind, "{e}");
    assert!(e.message.starts_with("body `crate`, shape 1"), "{e}");
    assert!(e.message.contains(what), "{e}");
    assert!(!e.message.contains('\n'));
}

#[test]
fn bad_measures() {
    let bad = ErrorKind::BadInput;
    expect(disc(0.0), bad, "its radius is 0; give a length above 0");
    expect(disc(-1.0), bad, "its radius is -1");
    expect(disc(f64::NAN), bad, "not finite");
    expect((ShapeKind::Disc, vec![]), bad, "it has 0 measures; give 1: radius");
    expect(capsule(1.0, 0.0), bad, "its radius is 0");
    expect(capsule(-1.0, 1.0), bad, "its half length is -1");
    expect(segment([1.0, 2.0], [1.0, 2.0]), bad, "ends coincide");
    expect((ShapeKind::HalfPlane, vec![0.0, 1.0]), bad, "takes no measures");
}

#[test]
fn bad_polygons() {
    let bad = ErrorKind::BadInput;
    expect((ShapeKind::Polygon, vec![0.0; 4]), bad, "at least 3 corners");
    expect((ShapeKind::Polygon, vec![0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.5]), bad, "at least 3 corners");
    expect(
        polygon(&[[0.0, 0.0], [0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]),
        bad,
        "clockwise; list them in the opposite order",
    );
    expect(polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), bad, "corners 1 and 2 coincide");
    expect(polygon(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1e-12, 0.0]]), bad, "corners 3 and 0 coincide");
    // A figure of eight, a spike without width, a boundary that touches itself, no area at all.
    expect(
        polygon(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]),
        bad,
        "the edges after corners 0 and 2 meet",
    );
    expect(
        polygon(&[[0.0, 0.0], [2.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
        bad,
        "the edges after corners 0 and 1 meet",
    );
    let touching = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
    expect(polygon(&touching), bad, "the edges after corners 0 and 2 meet");
    expect(polygon(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), bad, "meet");
    expect(polygon(&[[0.0, 0.0], [2.0, 0.0], [1.0, 3e-9]]), bad, "no area");
    expect(polygon(&[[0.0, 0.0], [2.0, 0.0], [1.0, f64::INFINITY]]), bad, "not finite");
}

#[test]
fn foreign_kinds_and_spaces() {
    for (kind, name) in [
        (ShapeKind::Superellipse, "superellipse"),
        (ShapeKind::Ball, "ball"),
        (ShapeKind::TriMesh, "tri-mesh"),
    ] {
        expect((kind, vec![1.0, 1.0, 4.0]), ErrorKind::Unsupported, name);
        let e = refuse((kind, vec![1.0, 1.0, 4.0]));
        assert!(e.message.contains("supports disc, planar-capsule, polygon, half-plane, segment"), "{e}");
    }
    let mut w = World::default();
    w.one("a", disc(1.0));
    let e = w.create_in("{}", Space::Spatial).unwrap_err();
    assert_eq!(e.kind, ErrorKind::Unsupported);
    assert!(e.message.contains("planar scenes only"), "{e}");
}

#[test]
fn options_have_ranges_and_advice() {
    let mut w = World::default();
    w.one("a", disc(1.0));
    for ok in ["", "{}", r#"{"merge_tolerance": 1e-6}"#, r#"{"angle_tolerance": 0}"#] {
        w.create(ok).unwrap();
    }
    for (bad, what) in [
        (r#"{"merge_tolerance": 0}"#, "`merge_tolerance` is 0"),
        (r#"{"merge_tolerance": 0.1}"#, "at most 1e-3"),
        (r#"{"angle_tolerance": -0.1}"#, "`angle_tolerance` is -0.1"),
        (r#"{"angle_tolerance": 1}"#, "0 to π/4"),
        (r#"{"angel_tolerance": 0.1}"#, "did you mean `angle_tolerance`?"),
    ] {
        let e = w.create(bad).unwrap_err();
        assert_eq!(e.kind, ErrorKind::BadOption);
        assert!(e.message.contains(what), "{e}");
    }
}

#[test]
fn bad_queries() {
    let w = pair(disc(1.0), disc(1.0));
    let mut d = w.create("{}").unwrap();
    let mut ask = |pose: &[f64], margin: &[f64]| {
        d.detect(&DetectQuery { t: 0.0, pose, margin }).map(|c| c.len()).map_err(|e| (e.kind, e.message))
    };
    let good = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    assert_eq!(ask(&good, &[0.0; 2]), Ok(1));
    assert_eq!(ask(&good[..3], &[0.0; 2]).unwrap_err().0, ErrorKind::BadInput);
    assert_eq!(ask(&good, &[0.0]).unwrap_err().0, ErrorKind::BadInput);
    for margin in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(ask(&good, &[0.0, margin]).unwrap_err().1.contains("margin of body `b`"));
    }
    let mut bad = good;
    bad[5] = f64::NAN;
    let (kind, message) = ask(&bad, &[0.0; 2]).unwrap_err();
    assert_eq!((kind, message.as_str()), (ErrorKind::NonFinite, "angle of body `b` is NaN"));
    assert_eq!(ask(&good, &[0.0; 2]), Ok(1), "a refused call leaves no trace");
}

#[test]
fn the_manifest_says_what_it_is() {
    let m = vinci_detector_planar::PlanarDetector::manifest();
    assert_eq!((m.id.as_str(), m.role), ("vinci.detector.planar", Role::Detector));
    assert!(m.deterministic && m.works_in(Space::Planar) && !m.works_in(Space::Spatial));
    assert!(m.knows_shape(ShapeKind::Segment) && !m.knows_shape(ShapeKind::Superellipse));
    let options = m.options.to_string();
    assert!(options.contains("merge_tolerance") && options.contains("angle_tolerance"));
}
