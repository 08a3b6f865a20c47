//! Two shapes in motion: when they meet, when they part, how deep they were in each other.
//!
//! Conservative advancement (Mirtich 1996), forwards from the start and backwards from the end: with the distance d along a unit
//! vector n and the rate at which it can shrink at most, c = n·(ẋ_A − ẋ_B) + |ω_A| r_A + |ω_B| r_B, nothing meets within d/c.

use nalgebra::Vector3;

use super::Motion;
use crate::geometry::{Gap, Placed, Solid, distance};

/// Rounds of one advancement. Every round leaves a gap that is above `touch` or ends it.
const ROUNDS: usize = 200;

/// Looks between meeting and parting.
const LOOKS: usize = 16;

/// Looks at shapes that are all but in touch, and the angle, rad, that both may turn by over all of them: between two looks a point
/// a metre from the axis is off its chord by 3e-5 m at most.
const CLOSE_LOOKS: usize = 64;
const CLOSE_TURN: f64 = 1.0;

/// Cosine of normals that belong to different sides: a box has its sides at 90°.
const OPPOSED: f64 = -0.1;

/// Share of the thickness of the thinner shape: a cut that is less deep is a graze, on any side of a sharp tip.
const GRAZE: f64 = 0.05;

/// Share of the thickness of the thinner shape: a shape that was in another by more and is out again has gone through a part of it.
const DEEP: f64 = 0.1;

/// Facets up to which all normals of a shape are tried as ways out.
const FEW: usize = 64;

/// Part of the smaller shape below which two shapes are looked at evenly, not by advancement.
const NEAR: f64 = 1e-6;

/// Length of the last part of a way, as a part of the smaller shape, on which shapes that end in touch may be that near.
const TAIL: f64 = 1e-2;

/// Overlap that is rounding of places, as a part of the smaller shape and of how far from the origin they are.
const ROUNDING: f64 = 1e-13;

/// A body that was in another and is out of it, or has changed sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Share of the step after which they meet; 0: they touch from the start.
    pub entry: f64,
    /// Share of the step after which they part; 1: they still touch.
    pub exit: f64,
    /// Deepest overlap seen between, m: no more than this parts them there.
    pub depth: f64,
    /// Thickness of the thinner one, of two sheets 0, m.
    pub thickness: f64,
    /// Cosine between the normals at entry and at exit, A to B: negative where B has come out on another side of A.
    pub cosine: f64,
}

/// Two shapes and their motions.
pub(super) struct Pair<'a> {
    pub(super) a: (&'a Solid, &'a Motion),
    pub(super) b: (&'a Solid, &'a Motion),
}

/// A time at which two shapes touch, and the unit vector from A to B there.
#[derive(Debug, Clone, Copy)]
struct Touch {
    share: f64,
    normal: Vector3<f64>,
}

impl Pair<'_> {
    /// Farthest that any two points of the shapes go relative to each other in the step, m.
    pub(super) fn path(&self) -> f64 {
        (self.a.1.shift - self.b.1.shift).norm() + self.swing()
    }

    /// Diameter of a ball around the smaller one, m.
    fn size(&self) -> f64 {
        self.a.0.size().min(self.b.0.size())
    }

    /// Returns true if one of them is a half-plane or half-space.
    fn has_half_space(&self) -> bool {
        self.a.0.is_unbounded() || self.b.0.is_unbounded()
    }

    fn swing(&self) -> f64 {
        self.a.1.swing(self.a.0) + self.b.1.swing(self.b.0)
    }

    /// Thickness of the thinner one, m; beside a sheet that of the other.
    fn thin(&self) -> f64 {
        let (s, t) = (self.a.0.thickness(), self.b.0.thickness());
        if s.min(t) > 0.0 { s.min(t) } else { s.max(t) }
    }

    /// Length that a motion must exceed to carry one across the other, or the thinner one through a corner of the other: twice the
    /// thickness of the thinner one, m. Sheets count a hundredth of the size of the smaller shape: less is no crossing,
    /// whatever its sign.
    pub(super) fn width(&self) -> f64 {
        let size = self.size();
        (self.a.0.thickness() + self.b.0.thickness()).min(2.0 * self.thin()).max(0.01 * size)
    }

    fn placed(&self, share: f64) -> (Placed<'_>, Placed<'_>) {
        (self.a.0.place(&self.a.1.at(share)), self.b.0.place(&self.b.1.at(share)))
    }

    fn gap(&self, share: f64) -> Gap {
        let (p, q) = self.placed(share);
        distance(&p, &q, f64::INFINITY)
    }

    /// First time from `share` on, forwards (sign 1) or backwards (−1), at which the gap is below `touch`. It aims at half of
    /// `touch`: of thin shapes the way out of an overlap does not tell from where they came.
    fn advance(&self, start: f64, sign: f64, touch: f64) -> Option<Touch> {
        let mut share = start;
        let shift = (self.a.1.shift - self.b.1.shift) * sign;
        for _ in 0..ROUNDS {
            let gap = self.gap(share);
            if gap.lower <= touch {
                return Some(Touch { share, normal: self.normal(share, &gap) });
            }
            let rate = gap.normal.dot(&shift) + self.swing();
            if rate <= 0.0 {
                return None;
            }
            share += sign * (gap.lower - 0.5 * touch) / rate;
            if !(0.0..=1.0).contains(&share) {
                return None;
            }
        }
        Some(Touch { share, normal: self.gap(share).normal })
    }

    /// The normal of a touch: that of the distance, in overlap the shortest way out.
    fn normal(&self, share: f64, gap: &Gap) -> Vector3<f64> {
        if gap.upper > 0.0 {
            return gap.normal;
        }
        self.depth(share, &[gap.normal]).1
    }

    /// The least translation that parts the shapes among the directions tried, m (below 0: they are apart), and its direction
    /// for B. Exact for discs, balls and convex polygons, from above for others; notches are filled.
    fn depth(&self, share: f64, also: &[Vector3<f64>]) -> (f64, Vector3<f64>) {
        let (p, q) = self.placed(share);
        let line = (q.ball().0 - p.ball().0).try_normalize(0.0).unwrap_or_else(Vector3::y);
        let mut best = (f64::INFINITY, line);
        let mut offer = |n: &Vector3<f64>| {
            let depth = p.extent(n) + q.extent(&-n);
            if depth < best.0 {
                best = (depth, *n);
            }
        };
        offer(&line);
        also.iter().for_each(&mut offer);
        p.for_normals(FEW, &mut |n| offer(n));
        q.for_normals(FEW, &mut |n| offer(&-n));
        best
    }

    /// The crossing, if the motion carries one shape across the other.
    pub(super) fn crossing(&self) -> Option<Crossing> {
        let thickness = self.thin();
        let size = self.size();
        let touch = (1e-4 * thickness).max(1e-6 * size);
        let entry = self.advance(0.0, 1.0, touch)?;
        let exit = self.advance(1.0, -1.0, touch)?;
        let normals = [entry.normal, exit.normal];
        // Two sheets overlap for no time at all.
        let limit = if thickness > 0.0 { 0.0 } else { touch };
        let depth = self.deepest(entry.share, exit.share, &normals, limit)?;
        let cosine = normals[0].dot(&normals[1]);
        let found = Crossing { entry: entry.share, exit: exit.share, depth, thickness, cosine };
        let changes_sides = cosine < OPPOSED && depth >= GRAZE * thickness;
        (changes_sides || self.goes_in_and_out(&found, &normals)).then_some(found)
    }

    /// Returns true if the shapes are known never to be in each other, but by rounding. One of them is bounded.
    pub(super) fn stays_out(&self) -> bool {
        let turns = self.a.1.turn.norm() + self.b.1.turn.norm();
        if self.has_half_space() {
            return turns <= CLOSE_TURN && self.is_out_from(0.0, self.sag());
        }
        let size = self.size();
        match self.advance(0.0, 1.0, NEAR * size) {
            None => true,
            // What touches at the end of the way may: a touch on the way is a collision, or nobody knows.
            Some(touch) => {
                let is_last = (1.0 - touch.share) * self.path() <= TAIL * size;
                is_last && turns <= CLOSE_TURN && self.is_out_from(touch.share, 0.0)
            }
        }
    }

    /// How far a point of a bounded shape may be off the straight line between two of the looks, m.
    fn sag(&self) -> f64 {
        let one = |(solid, motion): (&Solid, &Motion)| match solid.is_unbounded() {
            true => 0.0,
            false => solid.lever() * (motion.turn.norm() / CLOSE_LOOKS as f64).powi(2) / 8.0,
        };
        one(self.a) + one(self.b)
    }

    /// Returns true if all looks from a share of the step on see the shapes apart: by `sag` between the ends, at the ends to rounding.
    fn is_out_from(&self, from: f64, sag: f64) -> bool {
        (0..=CLOSE_LOOKS).all(|k| {
            let share = from + (1.0 - from) * k as f64 / CLOSE_LOOKS as f64;
            let inner = k > 0 && k < CLOSE_LOOKS;
            self.is_out(share, if inner { sag } else { 0.0 })
        })
    }

    /// Returns true if the shapes are apart by a length, m; by none, if they are in each other by rounding at most.
    fn is_out(&self, share: f64, by: f64) -> bool {
        let gap = self.gap(share);
        let size = self.size();
        let rounding = ROUNDING * (size + gap.on_a.amax().max(gap.on_b.amax()));
        if self.has_half_space() {
            return gap.lower >= by - rounding;
        }
        gap.upper > by || (by == 0.0 && self.depth(share, &[gap.normal]).0 <= rounding)
    }

    /// The deepest overlap between two times, m; none where they are apart whenever looked at. Gaps up to `limit` count as
    /// overlap. A blade that comes round again is in the other only for a moment after the first and before the last touch.
    fn deepest(&self, entry: f64, exit: f64, normals: &[Vector3<f64>; 2], limit: f64) -> Option<f64> {
        let evenly = (0..LOOKS).map(|k| entry + (exit - entry) * (k as f64 + 0.5) / LOOKS as f64);
        let soon = self.width() / self.path();
        let early = [0.1, 0.25, 0.5].map(|part| (entry + part * soon).min(exit));
        let late = [0.1, 0.25, 0.5].map(|part| (exit - part * soon).max(entry));
        let overlaps = |share: &f64| self.gap(*share).upper <= limit;
        let looks = evenly.chain(early).chain(late).filter(overlaps);
        looks.map(|share| self.depth(share, normals).0.max(0.0)).max_by(f64::total_cmp)
    }

    /// Returns true if the shapes were in each other by a part of the thinner one that is no graze, and neither before nor after by half
    /// as much.
    fn goes_in_and_out(&self, found: &Crossing, normals: &[Vector3<f64>; 2]) -> bool {
        let convex = self.a.0.is_convex() && self.b.0.is_convex();
        let sheet = self.a.0.thickness().min(self.b.0.thickness()) == 0.0;
        let ends = [0.0, 1.0].map(|share| self.depth(share, normals).0);
        convex
            && !sheet
            && found.depth > DEEP * found.thickness
            && ends.iter().all(|depth| *depth <= 0.5 * found.depth)
    }
}
