//! Contacts in, the same contacts out; groups; numbers that are none.

use vinci_core::contact::ContactKey;
use vinci_detect::{DetectedContacts, Vec3};

fn points(x: f64) -> [Vec3; 3] {
    [Vec3::y(), Vec3::new(x, 1.0, 2.0), Vec3::new(x, 1.5, 2.0)]
}

#[test]
fn contacts_come_out_as_they_went_in() {
    let mut r = DetectedContacts::default();
    assert!(r.is_empty() && r.view().is_empty());
    r.push([4, 7], [1, 2], 0.5, points(3.0), 0);
    r.push([0, 1], [5, 6], -0.25, [-Vec3::x(), Vec3::zeros(), Vec3::new(0.25, 0.0, 0.0)], 0);
    let v = r.view();
    let keys = [
        ContactKey { shape_a: 4, shape_b: 7, feature_a: 1, feature_b: 2 },
        ContactKey { shape_a: 0, shape_b: 1, feature_a: 5, feature_b: 6 },
    ];
    assert_eq!((v.key, v.gap), (&keys[..], &[0.5, -0.25][..]));
    assert_eq!(v.normal, [0.0, 1.0, 0.0, -1.0, 0.0, 0.0]);
    assert_eq!(v.point_a, [3.0, 1.0, 2.0, 0.0, 0.0, 0.0]);
    assert_eq!(v.point_b, [3.0, 1.5, 2.0, 0.25, 0.0, 0.0]);
    assert!(v.group.is_empty() && r.len() == 2 && !r.is_empty());
}

#[test]
fn groups_are_there_for_all_contacts_or_for_none() {
    let mut r = DetectedContacts::default();
    r.push([0, 1], [0, 0], 0.5, points(0.0), 0);
    assert!(r.view().group.is_empty());
    let [first, second] = [r.new_group(), r.new_group()];
    assert_eq!((first, second), (1, 2));
    r.push([0, 1], [0, 1], 0.5, points(0.0), second);
    r.push([0, 1], [0, 2], 0.25, points(0.0), second);
    r.push([0, 1], [0, 3], 0.25, points(0.0), 0);
    assert_eq!(r.view().group, [0, 2, 2, 0]);
    assert!(r.view().is_most_open(1) && !r.view().is_most_open(2) && r.view().is_most_open(3));
}

#[test]
fn numbers_of_groups_begin_again_after_clearing_and_pass_by_those_in_use() {
    let mut r = DetectedContacts::default();
    r.push([0, 1], [0, 0], 0.5, points(0.0), 7);
    assert_eq!(r.view().group, [7]);
    assert_eq!(r.new_group(), 8);
    r.clear();
    r.push([0, 1], [0, 0], 0.5, points(0.0), 0);
    assert!(r.view().group.is_empty());
    assert_eq!((r.new_group(), r.len()), (1, 1));
}

#[test]
fn a_cleared_report_keeps_its_memory() {
    let mut r = DetectedContacts::default();
    let fill = |r: &mut DetectedContacts| {
        (0..100).for_each(|i| r.push([0, i], [0, 0], 1.0, points(0.0), i));
        let v = r.view();
        assert_eq!(v.len(), 100);
        let lists = [v.gap, v.normal, v.point_a, v.point_b].map(<[f64]>::as_ptr);
        (v.key.as_ptr(), lists, v.group.as_ptr())
    };
    let before = fill(&mut r);
    r.clear();
    assert!(r.is_empty());
    assert_eq!(fill(&mut r), before);
}

#[test]
fn every_number_that_is_none_is_seen_from_its_contact_back() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for place in 0..10 {
            let mut r = DetectedContacts::default();
            r.push([0, 1], [0, 0], 0.5, points(0.0), 0);
            let (mut gap, mut vectors) = (0.5, points(0.0));
            if place == 9 {
                gap = bad;
            } else {
                vectors[place / 3][place % 3] = bad;
            }
            r.push([0, 1], [0, 1], gap, vectors, 0);
            r.push([0, 1], [0, 2], 0.5, points(0.0), 0);
            let seen: Vec<bool> = (0..=3).map(|from| r.is_finite(from)).collect();
            assert_eq!(seen, [false, false, true, true], "{bad} at {place}");
        }
    }
}
