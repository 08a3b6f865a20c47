//! Queries: filter, placement, and the errors for shapes that are placed nowhere.

use vinci_core::error::{ErrorKind, StageError};
use vinci_core::model::{Space, SystemView};
use vinci_core::stage::DetectQuery;
use vinci_detect::{Filter, Frame, Placement, Vec3};

fn system<'a>(space: Space, names: &'a [&'a str], still: &'a [u8], ignored: &'a [u32]) -> SystemView<'a> {
    SystemView {
        space,
        body_names: names,
        is_static: still,
        shapes: &[],
        ignored_pairs: ignored,
        nv: (space.nv() * still.len()) as u32,
        nq: (space.nq() * still.len()) as u32,
        ..SystemView::NOTHING
    }
}

#[test]
fn the_filter_is_the_rule_of_the_system() {
    let n = 40_u32;
    let still: Vec<u8> = (0..n).map(|i| u8::from(i % 3 == 0)).collect();
    // Out of order, one twice, some of them between static bodies.
    let pair = |i: u32| [(7 * i) % 20, 20 + (11 * i) % 20];
    let mut ignored: Vec<u32> = (0..60).rev().flat_map(pair).collect();
    ignored.extend(pair(5));
    let view = system(Space::Planar, &[], &still, &ignored);
    let filter = Filter::new(&view);
    let mut count = [0; 2];
    for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
        assert_eq!(filter.may_collide(a, b), view.may_collide(a, b), "{a} {b}");
        count[usize::from(filter.may_collide(a, b))] += 1;
    }
    assert!(count[0] > 200 && count[1] > 1000, "{count:?}");
}

#[test]
fn an_ignored_pair_counts_whichever_body_comes_first() {
    let filter = Filter::new(&system(Space::Planar, &[], &[0; 3], &[2, 0]));
    assert!(!filter.may_collide(0, 2) && !filter.may_collide(2, 0));
    assert!(filter.may_collide(0, 1) && filter.may_collide(2, 1) && !filter.may_collide(1, 1));
}

#[test]
fn shapes_are_where_their_bodies_take_them() {
    let quarter = std::f64::consts::FRAC_PI_2;
    let local = Frame::from_pose(Space::Planar, &[3.0, 0.5, quarter]).unwrap();
    let view = system(Space::Planar, &["a", "b"], &[0; 2], &[]);
    let mut placement = Placement::new(&view, [(1, local), (0, Frame::default()), (1, Frame::default())]);
    assert_eq!(placement.frame(0), &Frame::default());
    let pose = [10.0, 20.0, 0.0, 1.0, 2.0, quarter];
    placement.place(&DetectQuery { t: 0.0, pose: &pose, margin: &[0.0, 1.0] }, "").unwrap();
    // Three along the body's x, which is the world's y, half along its y, which is −x; turned by half a turn in all.
    let near = |x: Vec3, y: Vec3| assert!((x - y).norm() < 1e-14, "{x} {y}");
    near(placement.frame(0).pos, Vec3::new(0.5, 5.0, 0.0));
    near(placement.frame(0).dir(&Vec3::x()), -Vec3::x());
    near(placement.frame(1).pos, Vec3::new(10.0, 20.0, 0.0));
    near(placement.frame(2).pos, Vec3::new(1.0, 2.0, 0.0));
    near(placement.frame(2).dir(&Vec3::x()), Vec3::y());
}

fn refusal(placement: &mut Placement, pose: &[f64], margin: &[f64]) -> StageError {
    let query = DetectQuery { t: 0.25, pose, margin };
    placement.place(&query, "all must be finite").unwrap_err()
}

#[test]
fn queries_that_place_nothing_are_refused_by_name() {
    let view = system(Space::Planar, &["cup", "lid"], &[0; 2], &[]);
    let mut p = Placement::new(&view, [(1, Frame::default())]);
    let good = [1.0, 2.0, 0.5, 3.0, 4.0, 0.0];
    for (pose, margin, found) in
        [(&good[..5], &[0.0; 2][..], "5 and 2"), (&good[..], &[0.0][..], "6 and 1"), (&[], &[], "0 and 0")]
    {
        let expected = format!("2 bodies need 6 pose coordinates and 2 margins, got {found}");
        assert_eq!(refusal(&mut p, pose, margin), StageError::bad_input(expected));
    }
    let mut bad = good;
    bad[4] = f64::NAN;
    let message = "body `lid` has pose [3.0, NaN, 0.0] and margin 0 at t = 0.25 s; all must be finite: the step before this \
                   one went wrong";
    assert_eq!(refusal(&mut p, &bad, &[0.0; 2]), StageError::new(ErrorKind::NonFinite, message));
    for margin in [f64::NAN, f64::INFINITY, -1e-9] {
        let e = refusal(&mut p, &good, &[margin, 0.0]);
        let start = format!("body `cup` has pose [1.0, 2.0, 0.5] and margin {margin} at t = 0.25 s; ");
        assert!(e.kind == ErrorKind::NonFinite && e.message.starts_with(&start), "{e}");
    }
    assert!(p.place(&DetectQuery { t: 0.0, pose: &good, margin: &[0.0; 2] }, "").is_ok());
    assert_eq!(p.frame(0).pos, Vec3::new(3.0, 4.0, 0.0));
}

#[test]
fn a_quaternion_of_length_zero_is_no_pose() {
    let mut p = Placement::new(&system(Space::Spatial, &["cup"], &[0], &[]), []);
    let e = refusal(&mut p, &[0.0; 7], &[0.0]);
    assert!(e.kind == ErrorKind::NonFinite && e.message.contains("`cup` has pose [0.0, 0.0,"), "{e}");
}

#[test]
fn lost_contacts_name_both_bodies() {
    let p = Placement::new(&system(Space::Planar, &["cup", "lid"], &[0; 3], &[]), []);
    let expected = "the contact of bodies `lid` and `?` at t = 0.5 s is not finite: their poses are beyond double precision; \
                    check units and the step before this one";
    assert_eq!(p.lost([1, 2], 0.5), StageError::new(ErrorKind::NonFinite, expected));
}
