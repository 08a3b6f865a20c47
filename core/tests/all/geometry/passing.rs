//! Motions that carry a body across another, and motions that do not.

use nalgebra::UnitQuaternion;
use vinci_core::geometry::{Motion, Pass, Shapes};
use vinci_core::model::{ShapeKind, Space};

use super::common::*;

/// Shapes of bodies 0, 1 (and so on), their poses at the start and at the end, h ω of each.
struct Step {
    shapes: Shapes,
    from: Vec<f64>,
    to: Vec<f64>,
    spin: Vec<V>,
}

impl Step {
    fn pass(&self) -> Option<Pass> {
        let spin = |body: u32| self.spin[body as usize];
        if !self.shapes.may_cross(&self.from, &self.to, spin) {
            return None;
        }
        let n = self.shapes.len() as u32;
        let near = (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b, 0.0)));
        let free = |_: u32| false;
        self.shapes.pass(&self.from, &self.to, (spin, free), near, &vec![f64::INFINITY; self.spin.len()])
    }
}

/// Two planar shapes; the first stays where the first pose says unless it is given another.
fn planar(a: Shape, b: Shape, from: [[f64; 3]; 2], to: [[f64; 3]; 2]) -> Step {
    let shapes = shapes(Space::Planar, &[a.of(0), b.of(1)]);
    let spin = (0..2).map(|i| V::z() * (to[i][2] - from[i][2])).collect();
    Step { shapes, from: from.concat(), to: to.concat(), spin }
}

fn spatial(a: Shape, b: Shape, from: [[f64; 7]; 2], to: [[f64; 7]; 2], spin: [V; 2]) -> Step {
    Step {
        shapes: shapes(Space::Spatial, &[a.of(0), b.of(1)]),
        from: from.concat(),
        to: to.concat(),
        spin: spin.to_vec(),
    }
}

const HERE: [f64; 3] = [0.0; 3];

fn at(x: f64, y: f64, z: f64) -> [f64; 7] {
    [x, y, z, 1.0, 0.0, 0.0, 0.0]
}

fn wall() -> Shape {
    rect(0.01, 1.0)
}

fn disc(r: f64) -> Shape {
    shape(ShapeKind::Disc, &[r])
}

#[test]
fn a_fast_disc_through_a_wall_of_twenty_millimetres() {
    for k in [1e-3, 1.0, 1e3] {
        for h in [2e-3, 4e-3, 8e-3] {
            let (x, v) = (-0.11, 60.0);
            let from = [HERE, [x * k, 0.2 * k, 0.0]];
            let to = [HERE, [(x + v * h) * k, 0.2 * k, 0.0]];
            let step = planar(scaled(&wall(), k), scaled(&disc(0.05), k), from, to);
            let pass = step.pass();
            // After 2 ms it is at x = 0.01: past the middle of the wall, so that it would be pushed out behind.
            let crossing = pass.expect("it is behind").crossing;
            assert!((crossing.entry - 0.05 / (v * h)).abs() < 1e-3, "{crossing:?}");
            assert!(crossing.cosine < -0.9 && crossing.depth > 0.5 * (0.1 + 0.02) * k * 0.8, "{crossing:?}");
        }
    }
}

#[test]
fn parallel_segments_cross_whatever_the_scale() {
    for k in [1e-3, 1.0, 1e3] {
        for (y, shift) in [(0.3, 0.0), (0.3, 0.4), (-0.2, -0.3), (0.25, 0.1)] {
            let segment = || shape(ShapeKind::Segment, &[-0.5 * k, 0.0, 0.5 * k, 0.0]);
            let from = [HERE, [0.0, y * k, 0.0]];
            let across = planar(segment(), segment(), from, [HERE, [shift * k, -y * k, 0.0]]);
            let crossing = across.pass().expect("they have changed sides").crossing;
            assert!(crossing.cosine < -0.9, "{crossing:?}");
            assert!((crossing.entry - 0.5).abs() < 1e-2, "{crossing:?}");
            // Towards each other, and away again: the same side.
            assert!(
                planar(segment(), segment(), from, [HERE, [shift * k, 1e-3 * y * k, 0.0]]).pass().is_none()
            );
        }
    }
}

#[test]
fn a_disc_that_stays_in_front_or_stops_in_the_wall_has_not_passed() {
    for end in [-0.07, -0.06, -0.055, -0.03] {
        let step = planar(wall(), disc(0.05), [HERE, [-0.5, 0.0, 0.0]], [HERE, [end, 0.0, 0.0]]);
        assert_eq!(step.pass(), None, "{end}");
    }
}

#[test]
fn one_that_ends_exactly_behind_has_passed() {
    for end in [0.06, 0.06 + 1e-12, 0.0601] {
        let step = planar(wall(), disc(0.05), [HERE, [-0.06, 0.0, 0.0]], [HERE, [end, 0.0, 0.0]]);
        assert!(step.pass().is_some(), "{end}");
    }
}

#[test]
fn both_bodies_may_move() {
    let from = [[1.0, 0.0, 0.0], [-1.0, 0.1, 0.0]];
    let to = [[-1.0, 0.0, 0.0], [1.0, 0.1, 0.0]];
    let through = planar(disc(0.1), disc(0.2), from, to).pass().unwrap().crossing;
    assert!((through.entry - (1.0 - 0.5 * (0.09_f64 - 0.01).sqrt()) / 2.0).abs() < 1e-3, "{through:?}");
    // Side by side, and one behind the other.
    let to = [[-1.0, 0.0, 0.0], [-3.0, 0.1, 0.0]];
    assert_eq!(planar(disc(0.1), disc(0.2), from, to).pass(), None);
    let from = [[1.0, 0.0, 0.0], [-1.0, 0.301, 0.0]];
    assert_eq!(planar(disc(0.1), disc(0.2), from, [[-1.0, 0.0, 0.0], [1.0, 0.301, 0.0]]).pass(), None);
}

#[test]
fn a_body_beside_a_corner_passes_nothing() {
    // Past the upper end of the wall, by a hair, and over the corner of a box at 45°.
    for over in [1e-6, 1e-3, 0.1] {
        let y = 1.05 + over;
        let step = planar(wall(), disc(0.05), [HERE, [-0.3, y, 0.0]], [HERE, [0.3, y, 0.0]]);
        assert_eq!(step.pass(), None, "{over}");
        let far = 2.0_f64.sqrt() * (2.0_f64.sqrt() + 0.05 + over);
        let (from, to) = ([-0.5, far + 0.5, 0.0], [0.5 + far, -0.5, 0.0]);
        let along = planar(rect(1.0, 1.0), disc(0.05), [HERE, from], [HERE, to]);
        assert_eq!(along.pass(), None, "{over}");
    }
    // A shallow cut of the corner is no crossing; a deep one is.
    let cut = |deep: f64| {
        let c = 2.0 - deep * 2.0_f64.sqrt();
        let step =
            planar(rect(1.0, 1.0), disc(0.05), [HERE, [c - 2.0, 2.0, 0.0]], [HERE, [2.0, c - 2.0, 0.0]]);
        step.pass()
    };
    assert_eq!(cut(-0.06), None);
    assert_eq!(cut(-0.045), None);
    assert!(cut(0.3).is_some());
}

/// The depth was divided by the thickness of both together: what is small went through what is large unseen.
#[test]
fn depth_counts_against_the_thinner_body() {
    let pebble = || disc(0.002);
    // 9 mm deep through the corner of a brick, and over its top by half of itself.
    for (y, part) in [(0.043, 2.25), (0.05, 0.5)] {
        let (from, to) = ([-0.06, y, 0.0], [0.06, y, 0.0]);
        let found = planar(rect(0.05, 0.05), pebble(), [HERE, from], [HERE, to]).pass().unwrap().crossing;
        assert_eq!(found.thickness, 0.004);
        assert!((found.depth / found.thickness - part).abs() < 1e-9, "{found:?}");
    }
    // A short way through the corner alone, and two discs that pass with a fifth of them in each other.
    let (from, to) = ([0.038, 0.0545, 0.0], [0.0545, 0.038, 0.0]);
    assert!(planar(rect(0.05, 0.05), pebble(), [HERE, from], [HERE, to]).pass().is_some());
    let (from, to) = ([-0.3, 0.16, 0.0], [0.3, 0.16, 0.0]);
    let found = planar(disc(0.1), disc(0.1), [HERE, from], [HERE, to]).pass().unwrap().crossing;
    assert!((found.depth / found.thickness - 0.2).abs() < 1e-2, "{found:?}");
}

#[test]
fn rolling_and_sliding_bodies_pass_nothing() {
    for gap in [0.0, 1e-9, -1e-6, -1e-4] {
        for speed in [0.1, 1.0, 5.0] {
            let y = 1.0 + 0.1 + gap;
            let (from, to) = ([-0.4, y, 0.0], [-0.4 + 0.15 * speed, y, -1.5 * speed]);
            let step = planar(rect(5.0, 1.0), disc(0.1), [HERE, from], [HERE, to]);
            assert_eq!(step.pass(), None, "{gap} {speed}");
            let slides = planar(rect(5.0, 1.0), rect(0.1, 0.1), [HERE, from], [HERE, [to[0], y, 0.0]]);
            assert_eq!(slides.pass(), None, "{gap} {speed}");
        }
    }
    let ball = || shape(ShapeKind::Ball, &[0.1]);
    let floor = || shape(ShapeKind::Box, &[5.0, 5.0, 1.0]);
    let spin = V::y() * 10.0;
    let step = spatial(
        floor(),
        ball(),
        [at(0.0, 0.0, 0.0), at(0.0, 0.0, 1.1)],
        [at(0.0, 0.0, 0.0), at(1.0, 0.0, 1.1)],
        [V::zeros(), spin],
    );
    assert_eq!(step.pass(), None);
}

#[test]
fn half_spaces_have_no_other_side() {
    let step = planar(
        shape(ShapeKind::HalfPlane, &[]),
        disc(0.1),
        [HERE, [0.0, 1.0, 0.0]],
        [HERE, [0.0, -5.0, 0.0]],
    );
    assert_eq!(step.pass(), None);
}

#[test]
fn a_thin_blade_sweeps_a_post() {
    let blade = || rect(1.0, 0.002);
    let post = [0.6, 0.0, 0.0];
    for sweep in [0.2, 0.5, 1.0, 3.0] {
        let step =
            planar(disc(0.02), blade(), [post, [0.0, 0.0, -0.5 * sweep]], [post, [0.0, 0.0, 0.5 * sweep]]);
        let crossing = step.pass().unwrap_or_else(|| panic!("{sweep}")).crossing;
        assert!(crossing.cosine < 0.0 && crossing.depth > 0.01, "{crossing:?}");
    }
    // It spins beside the post, or short of it.
    for x in [1.0201, 1.5] {
        let step =
            planar(disc(0.02), blade(), [[x, 0.0, 0.0], [0.0, 0.0, -1.0]], [[x, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(step.pass(), None, "{x}");
    }
    let step = planar(disc(0.02), blade(), [post, [0.0, 0.0, -1.0]], [post, [0.0, 0.0, -0.04]]);
    assert_eq!(step.pass(), None);
}

#[test]
fn whole_turns_are_seen_by_the_spin() {
    let rod = || shape(ShapeKind::Capsule, &[1.0, 0.005]);
    let ball = || shape(ShapeKind::Ball, &[0.02]);
    let lying = UnitQuaternion::new(V::y() * std::f64::consts::FRAC_PI_2);
    let pose = pose3(V::zeros(), lying);
    let beside = at(0.0, 0.5, 0.0);
    let spin = |turns: f64| [V::zeros(), V::z() * std::f64::consts::TAU * turns];
    // Two whole turns end where they began: only h ω tells.
    let step = |turns| spatial(ball(), rod(), [beside, pose], [beside, pose], spin(turns));
    assert_eq!(step(0.0).pass(), None);
    assert!(step(1.0).pass().is_some());
    // The same turn out of reach of the ball.
    let high = at(0.0, 0.5, 0.1);
    assert_eq!(spatial(ball(), rod(), [high, pose], [high, pose], spin(1.0)).pass(), None);
}

#[test]
fn a_small_ball_through_a_thin_plate_in_space() {
    for plate in [shape(ShapeKind::Box, &[0.5, 0.5, 5e-4]), box_mesh([0.5, 0.5, 5e-4])] {
        for k in [1e-3, 1.0, 1e3] {
            for end in [-0.004, -0.01, -0.1, -2.0] {
                let (from, to) = (at(0.1 * k, 0.2 * k, 0.004 * k), at(0.15 * k, 0.2 * k, end * k));
                let (p, b) = (scaled(&plate, k), scaled(&shape(ShapeKind::Ball, &[0.003]), k));
                let step = spatial(p, b, [at(0.0, 0.0, 0.0), from], [at(0.0, 0.0, 0.0), to], [V::zeros(); 2]);
                assert!(step.pass().is_some(), "{k} {end} {:?}", plate.kind);
            }
            // Beside its edge, and along it.
            let b = || scaled(&shape(ShapeKind::Ball, &[0.003]), k);
            let here = at(0.0, 0.0, 0.0);
            for (from, to) in [
                (at(0.5031 * k, 0.0, 0.1 * k), at(0.5031 * k, 0.0, -0.1 * k)),
                (at(-0.4 * k, 0.0, 0.0036 * k), at(0.4 * k, 0.1 * k, 0.0036 * k)),
            ] {
                let step = spatial(scaled(&plate, k), b(), [here, from], [here, to], [V::zeros(); 2]);
                assert_eq!(step.pass(), None, "{k} {:?}", plate.kind);
            }
        }
    }
}

#[test]
fn a_pin_may_rattle_in_its_hole() {
    // A ring of a polygon with a slot: the pin goes from one side to the other, both normals opposed, and meets nothing between.
    let ring = shape(
        ShapeKind::Polygon,
        &[
            -1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 0.05, -0.5, 0.05, -0.5, 0.5, 0.5, 0.5, 0.5,
            -0.5, -0.5, -0.5, -0.5, -0.05, -1.0, -0.05,
        ],
    );
    let from = [-0.3, 0.2, 0.0];
    let step = planar(ring, disc(0.2), [HERE, from], [HERE, [0.3, 0.2, 0.0]]);
    assert_eq!(step.pass(), None);
}

#[test]
fn two_segments_cross() {
    let segment = |half: f64| shape(ShapeKind::Segment, &[-half, 0.0, half, 0.0]);
    let upright = std::f64::consts::FRAC_PI_2;
    let step = |y: f64| {
        planar(
            segment(1.0),
            segment(0.2),
            [[0.0, 0.0, upright], [-0.5, y, 0.1]],
            [[0.0, 0.0, upright], [0.5, y, 0.1]],
        )
    };
    assert!(step(0.3).pass().is_some());
    assert_eq!(step(1.05).pass(), None);
}

#[test]
fn runaways_are_held_against_all() {
    // No contact was reported: the body has gone farther than its margin.
    let step = planar(wall(), disc(0.05), [HERE, [-5.0, 0.0, 0.0]], [HERE, [5.0, 0.0, 0.0]]);
    let spin = |_: u32| V::zeros();
    let found = |margin: f64| {
        let moves = (spin, |_: u32| false);
        step.shapes.pass(&step.from, &step.to, moves, std::iter::empty(), &[0.0, margin]).is_some()
    };
    assert!(found(1.0));
    assert!(!found(11.0));
}

#[test]
fn slow_steps_are_not_looked_at() {
    let step = planar(wall(), disc(0.05), [HERE, [-0.061, 0.0, 0.0]], [HERE, [-0.0605, 0.0, 0.0]]);
    assert!(!step.shapes.may_cross(&step.from, &step.to, |_| V::zeros()));
    let fast = planar(wall(), disc(0.05), [HERE, [-0.3, 0.0, 0.0]], [HERE, [0.3, 0.0, 0.0]]);
    assert!(fast.shapes.may_cross(&fast.from, &fast.to, |_| V::zeros()));
}

/// A link swings about its joint: on the chord it would cut a hub that it keeps clear of, and miss a ball on the arc.
#[test]
fn links_go_round() {
    let swing = 1.0_f64;
    let at = |angle: f64| [0.5 * angle.cos(), 0.5 * angle.sin(), angle];
    let pass = |x: f64, r: f64, angle: f64, is_link: bool| {
        let post = [x * angle.cos(), x * angle.sin(), 0.0];
        let step = planar(disc(r), rect(0.4, 0.01), [post, at(-swing)], [post, at(swing)]);
        let spin = |body: u32| step.spin[body as usize];
        let near = std::iter::once((0, 1, 0.0));
        step.shapes.pass(&step.from, &step.to, (spin, |body: u32| is_link && body == 1), near, &[9.0; 2])
    };
    // The hub is at the joint, 10 mm short of the bar; the ball near the bar's end.
    assert!(pass(0.0, 0.09, 0.0, true).is_none() && pass(0.0, 0.09, 0.0, false).is_some());
    assert!(pass(0.88, 0.015, 0.0, true).is_some() && pass(0.88, 0.015, 0.0, false).is_none());
    assert!(pass(0.92, 0.015, 0.0, true).is_none());
}

#[test]
fn motions_begin_and_end_at_their_poses() {
    let mut dice = Dice(11);
    for _ in 0..200 {
        let (from, to) = (pose3(dice.vector(), dice.turn()), pose3(dice.vector(), dice.turn()));
        let spin = dice.vector() * 20.0;
        let straight = Motion::new(Space::Spatial, &from, &to, &spin);
        let frame = |pose: &[f64; 7]| vinci_core::geometry::Frame::of_pose(Space::Spatial, pose);
        for (motion, share, pose) in [
            (straight, 0.0, &from),
            (straight, 1.0, &to),
            (straight.screw(), 0.0, &from),
            (straight.screw(), 1.0, &to),
        ] {
            let (found, expected) = (motion.at(share), frame(pose));
            assert!((found.at - expected.at).norm() < 1e-10 && (found.turn - expected.turn).norm() < 1e-12);
        }
    }
}
