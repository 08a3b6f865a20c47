//! Alternatives at convex corners (`corners: or`).

use crate::common::*;
use vinci_sdk::prelude::*;

/// (feature A, feature B, gap, group) of a ledge, its top right corner (vertex 2) in the origin, and a body.
fn found(body: (ShapeKind, Vec<f64>), pose: [f64; 3], margin: f64) -> Vec<(u32, u32, f64, u32)> {
    let ledge = polygon(&[[-1.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-1.0, 0.0]]);
    let mut detector = pair(ledge, body).create("{\"corners\": \"or\"}").unwrap();
    let pose = [NO_POSE, pose].concat();
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[margin; 2] }).unwrap();
    let group = |i: usize| raw.group.get(i).copied().unwrap_or(0);
    (0..raw.len()).map(|i| (raw.key[i].feature_a, raw.key[i].feature_b, raw.gap[i], group(i))).collect()
}

fn tip() -> (ShapeKind, Vec<f64>) {
    polygon(&[[0.0, 0.0], [0.05, 0.3], [-0.05, 0.3]])
}

#[test]
fn a_tip_near_the_end_of_an_edge_has_both_edges_as_alternatives() {
    // Edges of the ledge: 1 right (feature 3), 2 top (feature 5).
    let near = found(tip(), [-0.03, 0.01, 0.0], 0.05);
    let least =
        |feature: u32| near.iter().filter(|c| c.0 == feature).map(|c| c.2).fold(f64::INFINITY, f64::min);
    // Before the side of the ledge it is not the tip that decides, but the vertex farthest back.
    assert!((least(3) + 0.08).abs() < 1e-15 && (least(5) - 0.01).abs() < 1e-15, "{near:?}");
    assert!(near.iter().all(|c| c.3 > 0));
    let far = found(tip(), [-0.3, 0.01, 0.0], 0.05);
    assert_eq!(far.iter().map(|c| (c.0, c.1, c.3)).collect::<Vec<_>>(), [(5, 0, 0)]);
}

#[test]
fn corners_in_each_others_wedge_are_apart_above_or_beside() {
    // A box up and to the right of the ledge: two directions part them, in each its lower left corner (vertex 0) and the
    // ledge's (vertex 2) say the same.
    let both = found(rect(0.5, 0.5), [0.51, 0.52, 0.0], 0.05);
    let seen: Vec<_> = both.iter().map(|c| (c.0, c.1, c.3)).collect();
    assert_eq!(seen, [(3, 0, 1), (5, 0, 1)]);
    assert!((both[0].2 - 0.01).abs() < 1e-15 && (both[1].2 - 0.02).abs() < 1e-15);
}

#[test]
fn equal_boxes_on_each_other_have_no_alternatives_to_standing() {
    let stack = found(rect(0.5, 0.5), [-0.5, 0.5, 0.0], 0.05);
    assert_eq!(stack.len(), 2);
    assert!(stack.iter().all(|c| c.3 == 0), "{stack:?}");
}

#[test]
fn a_small_box_may_leap_off_the_edge_as_a_whole() {
    let leap = found(rect(0.01, 0.01), [-0.02, 0.01, 0.0], 0.05);
    // Either both lower corners stay above the top of the ledge or the left ones, which are last to pass, are beyond its side.
    for lower in [0, 2] {
        assert!(leap.iter().any(|c| (c.0, c.1) == (5, lower) && c.2.abs() < 1e-15 && c.3 > 0), "{leap:?}");
    }
    assert!(leap.iter().filter(|c| c.0 == 3).all(|c| (c.2 + 0.03).abs() < 1e-15), "{leap:?}");
    assert!(leap.iter().any(|c| c.0 == 3));
}

/// s of the best axis of two convex polygons, m: positive when apart.
fn parted(x: &[[f64; 2]], y: &[[f64; 2]]) -> f64 {
    let by = |x: &[[f64; 2]], y: &[[f64; 2]]| {
        let s = |i: usize| y.iter().map(|p| height(x, i, *p)).fold(f64::INFINITY, f64::min);
        (0..x.len()).map(s).fold(f64::NEG_INFINITY, f64::max)
    };
    by(x, y).max(by(y, x))
}

/// Distance of `p` before the edge of `x` that follows corner `i`.
fn height(x: &[[f64; 2]], i: usize, p: [f64; 2]) -> f64 {
    let (u, v) = (x[i], x[(i + 1) % x.len()]);
    let d = [v[0] - u[0], v[1] - u[1]];
    -cross(d, [p[0] - u[0], p[1] - u[1]]) / d[0].hypot(d[1])
}

/// A pair, its contacts at the start with alternatives, and its corners after a motion within the margin.
struct Motion {
    start: [Vec<[f64; 2]>; 2],
    end: [Vec<[f64; 2]>; 2],
    contacts: Vec<(ContactKey, u32)>,
}

impl Motion {
    /// Both bodies move by `share` of what fits into the margin, and turn with the rest.
    fn random(rng: &mut Rng, share: f64) -> Self {
        let shape = [rng.convex(), rng.convex()];
        let margin = rng.within(0.01, 0.25);
        let pose = [rng.pose(1.0), rng.pose(1.0)];
        let world = pair(polygon(&shape[0]), polygon(&shape[1]));
        let mut detector = world.create("{\"corners\": \"or\"}").unwrap();
        let raw =
            detector.detect(&DetectQuery { t: 0.0, pose: &pose.concat(), margin: &[margin; 2] }).unwrap();
        let group = |i: usize| raw.group.get(i).copied().unwrap_or(0);
        let contacts = (0..raw.len()).map(|i| (raw.key[i], group(i))).collect();
        // All corners lie within 1 m of the origin of their body.
        let end = pose.map(|p| {
            let (way, turn) =
                (rng.within(0.0, std::f64::consts::TAU), rng.within(-1.0, 1.0) * (1.0 - share) * margin);
            [p[0] + share * margin * way.cos(), p[1] + share * margin * way.sin(), p[2] + turn]
        });
        let at = |pose: [[f64; 3]; 2]| [0, 1].map(|i| moved(&shape[i], pose[i]));
        Self { start: at(pose), end: at(end), contacts }
    }

    /// The row at the end; corners against corners by their distance.
    fn gap(&self, key: ContactKey) -> f64 {
        let [a, b] = &self.end;
        let (i, j) = (key.feature_a as usize / 2, key.feature_b as usize / 2);
        match (key.feature_a % 2, key.feature_b % 2) {
            (0, 1) => height(b, j % b.len(), a[i]),
            (1, 0) => height(a, i % a.len(), b[j]),
            _ => (a[i][0] - b[j][0]).hypot(a[i][1] - b[j][1]),
        }
    }

    /// The least of all groups' best gaps at the end: not negative where the contacts are kept.
    fn kept(&self) -> f64 {
        let best = |group: u32| {
            let own = self.contacts.iter().filter(|c| c.1 == group);
            own.map(|c| self.gap(c.0)).fold(f64::NEG_INFINITY, f64::max)
        };
        let value = |c: &(ContactKey, u32)| if c.1 == 0 { self.gap(c.0) } else { best(c.1) };
        self.contacts.iter().map(value).fold(f64::INFINITY, f64::min)
    }
}

#[test]
fn contacts_with_alternatives_miss_no_overlap() {
    let (mut rng, mut overlaps, mut grouped) = (Rng(41), 0, 0);
    for case in 0..40_000 {
        let motion = Motion::random(&mut rng, if case % 2 == 0 { 1.0 } else { 0.7 });
        if parted(&motion.start[0], &motion.start[1]) < 0.0 || motion.contacts.iter().all(|c| c.1 == 0) {
            continue;
        }
        grouped += 1;
        let depth = -parted(&motion.end[0], &motion.end[1]);
        // What flat edges may cost: a thousandth of the size.
        if depth > 2e-3 {
            overlaps += 1;
            assert!(motion.kept() < 0.0, "case {case}: {depth} deep, kept by {}", motion.kept());
        }
    }
    assert!(overlaps > 300 && grouped > 3000, "{overlaps} of {grouped}");
}

#[test]
fn bodies_that_only_shift_meet_no_wall_in_mid_air() {
    let (mut rng, mut walls, mut apart) = (Rng(42), 0, 0);
    for _ in 0..40_000 {
        let motion = Motion::random(&mut rng, 1.0);
        if parted(&motion.start[0], &motion.start[1]) < 0.0 || motion.contacts.is_empty() {
            continue;
        }
        if parted(&motion.end[0], &motion.end[1]) > 1e-3 {
            apart += 1;
            walls += usize::from(motion.kept() < 0.0);
        }
    }
    // Those that are left have more axes than groups can be made for.
    assert!(apart > 4000 && 200 * walls < apart, "{walls} of {apart}");
}

#[test]
fn a_tip_at_the_end_of_a_ledge_with_a_notch_has_groups_with_names_of_their_own() {
    // The ledge as an L, so that its corner (vertex 2) is convex, the body is not.
    let ell = polygon(&[[-1.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-0.8, 0.0], [-0.8, 0.5], [-1.0, 0.5]]);
    let mut detector = pair(ell, rect(0.01, 0.01)).create("{\"corners\": \"or\"}").unwrap();
    let pose = [NO_POSE, [-0.02, 0.01, 0.0]].concat();
    let raw = detector.detect(&DetectQuery { t: 0.0, pose: &pose, margin: &[0.05; 2] }).unwrap();
    assert!(raw.key.windows(2).all(|k| k[0] < k[1]), "{:?}", raw.key);
    let (mut top, mut side) = (0, 0);
    for (i, k) in raw.key.iter().enumerate() {
        assert!(raw.group[i] > 0, "{k:?}");
        match (k.feature_a / 2) % 6 {
            2 => top += usize::from(raw.gap[i].abs() < 1e-15),
            1 => side += usize::from((raw.gap[i] + 0.03).abs() < 1e-15),
            _ => panic!("{k:?}"),
        }
    }
    assert!(top >= 2 && top == side, "{:?}", raw.key);
}
