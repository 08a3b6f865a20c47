//! The shortest way out of a deep overlap: branch and bound over the directions.
//!
//! The depth −f(n) is the support function of the Minkowski difference: every support point k seen at some direction bounds it
//! from below, −f(m) ≥ m·k. Over a tile of the sphere (an arc of the circle) with unit corners n_i that is at least
//! min n_i·k where this is positive. Tiles whose bound is no better than the best way known are done; others are divided.

use crate::pair::{Pair, Sample};
use vinci_detect::Vec3;

/// Divisions of an octant (a quarter circle).
const LEVELS: [u32; 2] = [5, 6];
/// Places polished at most.
const WAYS: usize = 12;
/// Directions sampled at most.
const BUDGET: usize = 6000;
/// Cosine of the angle within which a way out is taken to be the known one.
const SAME: f64 = 0.99;

struct Tiles<'p, 'a, P: Fn(&Vec3) -> Sample> {
    pair: &'p Pair<'a>,
    polish: P,
    known: [Vec3; WAYS],
    count: usize,
    left: usize,
    best: Sample,
    depth: f64,
}

impl<P: Fn(&Vec3) -> Sample> Tiles<'_, '_, P> {
    /// Polishes a direction; ties stay with the first, whatever rounding says.
    fn offer(&mut self, n: &Vec3) {
        if self.count == WAYS || self.known[..self.count].iter().any(|k| k.dot(n) > SAME) {
            return;
        }
        let s = (self.polish)(n);
        self.known[self.count] = s.n;
        self.count += 1;
        let depth = -self.pair.gap(&s);
        if depth < self.depth - 1e-12 * self.pair.scale {
            (self.best, self.depth) = (s, depth);
        }
    }

    /// Looks through a tile with two or three corners.
    fn search(&mut self, corners: &[Vec3], level: u32) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let centre = corners.iter().sum::<Vec3>().normalize();
        let k = -self.pair.w(&self.pair.sample(&centre));
        let bound = corners.iter().map(|n| n.dot(&k)).fold(f64::INFINITY, f64::min);
        if bound >= self.depth - 1e-12 * self.pair.scale {
            return;
        }
        if level == 0 {
            return self.offer(&centre);
        }
        let middle = |i: usize, j: usize| (corners[i] + corners[j]).normalize();
        if corners.len() == 2 {
            self.search(&[corners[0], centre], level - 1);
            return self.search(&[centre, corners[1]], level - 1);
        }
        let m = [middle(1, 2), middle(2, 0), middle(0, 1)];
        self.search(&m, level - 1);
        for i in 0..3 {
            self.search(&[corners[i], m[(i + 2) % 3], m[(i + 1) % 3]], level - 1);
        }
    }
}

/// The least deep of the stationary directions, each reached by `polish` from a place that may lie uphill of it.
pub(crate) fn shortest(pair: &Pair<'_>, polish: impl Fn(&Vec3) -> Sample) -> Sample {
    let first = polish(&likeliest(pair));
    let known = [first.n; WAYS];
    let mut tiles =
        Tiles { pair, polish, known, count: 1, left: BUDGET, best: first, depth: -pair.gap(&first) };
    for i in 0..if pair.planar { 4 } else { 8 } {
        let sign = |bit: u32| if i >> bit & 1 == 0 { 1.0 } else { -1.0 };
        let (x, y, z) = (Vec3::x() * sign(0), Vec3::y() * sign(1), Vec3::z() * sign(2));
        if pair.planar { tiles.search(&[x, y], LEVELS[1]) } else { tiles.search(&[x, y, z], LEVELS[0]) }
    }
    tiles.best
}

/// The least deep of the line of centres and the shapes' own directions.
fn likeliest(pair: &Pair<'_>) -> Vec3 {
    let mut best = (pair.gap(&pair.sample(&pair.line())), pair.line());
    for (shape, frame, sign) in [(pair.a, pair.frame_a, 1.0), (pair.b, pair.frame_b, -1.0)] {
        for way in &shape.ways_out {
            let n = frame.rot * way * sign;
            let gap = pair.gap(&pair.sample(&n));
            if gap > best.0 + 1e-12 * pair.scale {
                best = (gap, n);
            }
        }
    }
    best.1
}
