//! Random pairs against the surfaces' own equations and a dense scan of directions.
#![allow(clippy::print_stdout)] // helpers of tests are tests

use crate::common::*;
use vinci_detector_implicit::Config;
use vinci_sdk::prelude::{ShapeKind, Space};

/// Pairs per test: 1e5 in four.
const PAIRS: u32 = 25_000;

/// The worst of many.
#[derive(Debug, Default)]
struct Worst {
    /// |f(n) − ψ|, f by the dual norms.
    value: f64,
    /// How far the oracle is above ψ: a better direction was missed.
    missed: f64,
    /// How far points lie outside their shapes.
    outside: f64,
    /// |x₂ − x₁ − ψ n|.
    common: f64,
    /// Largest angle between n and the oracle's direction, rad, and how often the oracle could tell: f falls around n, and
    /// the oracle came to ψ.
    angle: f64,
    sharp: usize,
    apart: usize,
    overlap: usize,
    /// How far ψ is above the oracle: the oracle's own error.
    short: f64,
}

impl Worst {
    /// Apart, the first and third number prove ψ alone: n shows a distance of at least ψ, the points one of at most ψ.
    fn add(&mut self, space: Space, solids: [&Solid; 2], pose: [&[f64]; 2]) {
        let c = only(space, solids, pose);
        let slab = Slab::new(space, solids, pose);
        let (f, n) = slab.oracle(&c.n);
        let value = (slab.at(&c.n) - c.gap).abs();
        self.value = self.value.max(value);
        self.missed = self.missed.max(f - c.gap);
        self.short = self.short.max(c.gap - f);
        self.common = self.common.max((c.b - c.a - c.n * c.gap).norm());
        for (s, p, x) in [(solids[0], pose[0], c.a), (solids[1], pose[1], c.b)] {
            let (r, o) = place(p);
            self.outside = self.outside.max(outside(s, &r.tr_mul(&(x - o))));
        }
        // A way out as short as this one elsewhere, or a flat top, leaves the direction open.
        let angle = n.cross(&c.n).norm().atan2(n.dot(&c.n));
        if c.gap - f < 1e-9 && slab.ring(&c.n, 1e-3) < c.gap - 1e-7 && angle < 0.1 {
            self.angle = self.angle.max(angle);
            self.sharp += 1;
        }
        if f - c.gap > 1e-10 || value > 1e-10 || (c.b - c.a - c.n * c.gap).norm() > 1e-9 {
            println!("{solids:?} {pose:?}: {} at {:?}, oracle {f} at {n:?}", c.gap, c.n);
        }
        if c.gap > 0.0 { self.apart += 1 } else { self.overlap += 1 }
    }

    fn check(&self) {
        println!("{self:?}");
        assert!(self.value < 1e-12 && self.missed < 1e-10, "{self:?}");
        assert!(self.outside < 1e-12 && self.common < 1e-10, "{self:?}");
        let all = self.apart + self.overlap;
        assert!(self.angle < 1e-3 && self.sharp > all / 3, "{self:?}");
        assert!(self.apart > self.overlap / 4 && self.overlap > self.apart / 4, "{self:?}");
    }
}

fn planar(dice: &mut Dice) -> Solid {
    ellipse(dice.range(0.2, 1.0), dice.range(0.2, 1.0), dice.exponent())
}

fn spatial(dice: &mut Dice) -> Solid {
    let [a, b, c] = [0; 3].map(|_| dice.range(0.2, 1.0));
    let p1 = dice.exponent();
    let p2 = if dice.word().is_multiple_of(3) { p1 } else { dice.exponent() };
    powers(a, b, c, p1, p2)
}

fn pose2(dice: &mut Dice, span: f64) -> [f64; 3] {
    [dice.range(-span, span), dice.range(-span, span), dice.range(-3.2, 3.2)]
}

#[test]
#[ignore = "long"]
fn superellipses() {
    let (mut dice, mut worst) = (Dice(1), Worst::default());
    for _ in 0..PAIRS {
        let (a, b) = (planar(&mut dice), planar(&mut dice));
        let (p, q) = (pose2(&mut dice, 1.0), pose2(&mut dice, 1.0));
        worst.add(Space::Planar, [&a, &b], [&p, &q]);
    }
    worst.check();
}

#[test]
#[ignore = "long"]
fn superellipsoids() {
    let (mut dice, mut worst) = (Dice(2), Worst::default());
    for _ in 0..PAIRS {
        let (a, b) = (spatial(&mut dice), spatial(&mut dice));
        let (p, q) = (pose3(dice.vector(), dice.rotation()), pose3(dice.vector(), dice.rotation()));
        worst.add(Space::Spatial, [&a, &b], [&p, &q]);
    }
    worst.check();
}

#[test]
#[ignore = "long"]
fn superellipses_and_polygons_discs_and_capsules() {
    let (mut dice, mut worst) = (Dice(3), Worst::default());
    for i in 0..PAIRS {
        let a = planar(&mut dice);
        let b = match i % 3 {
            0 => solid(ShapeKind::Disc, &[dice.range(0.1, 0.8)]),
            1 => solid(ShapeKind::PlanarCapsule, &[dice.range(0.1, 0.8), dice.range(0.05, 0.3)]),
            _ => {
                let k = 3 + dice.word() % 5;
                let turn = dice.range(0.0, 1.0);
                let corner = |j: u64| std::f64::consts::TAU * (j as f64 + turn) / k as f64;
                let corners: Vec<f64> =
                    (0..k).flat_map(|j| [0.9 * corner(j).cos(), 0.4 * corner(j).sin()]).collect();
                solid(ShapeKind::Polygon, &corners)
            }
        };
        let (p, q) = (pose2(&mut dice, 1.0), pose2(&mut dice, 1.0));
        let swap = i % 2 == 0;
        worst.add(Space::Planar, if swap { [&b, &a] } else { [&a, &b] }, [&p, &q]);
    }
    worst.check();
}

#[test]
#[ignore = "long"]
fn superellipsoids_and_boxes_hulls_balls_and_capsules() {
    let (mut dice, mut worst) = (Dice(4), Worst::default());
    let tetra = [0.6, 0.0, -0.4, -0.4, 0.6, -0.4, -0.4, -0.6, -0.4, 0.0, 0.0, 0.8];
    for i in 0..PAIRS {
        let a = spatial(&mut dice);
        let b = match i % 4 {
            0 => solid(ShapeKind::Ball, &[dice.range(0.1, 0.8)]),
            1 => solid(ShapeKind::Capsule, &[dice.range(0.1, 0.8), dice.range(0.05, 0.3)]),
            2 => solid(ShapeKind::Box, &[dice.range(0.1, 0.8), dice.range(0.1, 0.8), dice.range(0.1, 0.8)]),
            _ => {
                let mut hull = solid(ShapeKind::ConvexHull, &tetra);
                hull.indices = vec![0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3];
                hull
            }
        };
        let (p, q) = (pose3(dice.vector(), dice.rotation()), pose3(dice.vector(), dice.rotation()));
        let swap = i % 2 == 0;
        worst.add(Space::Spatial, if swap { [&b, &a] } else { [&a, &b] }, [&p, &q]);
    }
    worst.check();
}

/// Warm along a path and cold at every place of it.
#[test]
fn warm_and_cold_agree_and_states_restore_bits() {
    let mut dice = Dice(5);
    let mut worst = 0.0_f64;
    for round in 0..300 {
        let space = if round % 2 == 0 { Space::Planar } else { Space::Spatial };
        let solids = [0; 2].map(|_| if round % 2 == 0 { planar(&mut dice) } else { spatial(&mut dice) });
        let mut warm = create(space, &solids, &Config::default()).unwrap();
        let (start, way, spin) = (dice.vector() * 1.2, dice.vector() * 0.02, dice.vector() * 0.03);
        for k in 0..25 {
            let t = f64::from(k);
            let (x, turn) = (start + way * t, spin * t);
            let pose: Vec<f64> = if space == Space::Planar {
                [[0.0; 3], [x.x, x.y, turn.x]].concat()
            } else {
                let q = nalgebra::UnitQuaternion::new(turn);
                [pose3(V::zeros(), nalgebra::UnitQuaternion::identity()), pose3(x, q)].concat()
            };
            let mut state = Vec::new();
            vinci_sdk::prelude::Detector::save_state(&warm, &mut state);
            let mut restored = create(space, &solids, &Config::default()).unwrap();
            vinci_sdk::prelude::Detector::load_state(&mut restored, &state).unwrap();
            let mut cold = create(space, &solids, &Config::default()).unwrap();
            let [w, r, c] = [&mut warm, &mut restored, &mut cold].map(|d| ask(d, &pose, 10.0, 2));
            assert_eq!(w, r, "a restored state gives other bits");
            worst = worst.max((w[0].gap - c[0].gap).abs());
        }
    }
    println!("gaps, warm against cold: {worst:e}");
    assert!(worst < 1e-12, "{worst:e}");
}
