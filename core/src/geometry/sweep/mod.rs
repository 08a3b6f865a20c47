//! Passing through: whether a motion carries one shape across another within a step.
//!
//! A motion that is shorter than the thinner of both shapes at its thinnest carries nothing across: most steps end
//! there. Where it is longer and the shapes can meet, the motion itself is followed: when they meet, when they part, how
//! deep they are in each other between. They have passed where B parts from another side of A than it came from: normals
//! more than 96° apart, and no mere graze. They have also passed where they were in each other by more than a tenth of the thinner
//! one and are out again. A body that goes by beside a corner never meets it; one that slides, rolls or spins on another keeps its side.

mod crossing;
mod motion;

pub use crossing::Crossing;
pub use motion::Motion;
use motion::displacement;

use nalgebra::Vector3;

use super::Shapes;
use crossing::Pair;

/// A motion below this part of twice the thickness of the thinner shape is followed no further.
const SUSPICIOUS: f64 = 0.5;

/// A crossing and the shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pass {
    /// Index of shape A, the lower one.
    pub shape_a: u32,
    /// Index of shape B.
    pub shape_b: u32,
    /// The crossing: its times, its depth and its normals.
    pub crossing: Crossing,
}

impl Shapes {
    /// The passage of one shape across another, if their motions have one.
    pub fn crossing(&self, a: (u32, &Motion), b: (u32, &Motion)) -> Option<Pass> {
        let (shape_a, shape_b) = (a.0.min(b.0), a.0.max(b.0));
        let (first, second) = if a.0 <= b.0 { (a, b) } else { (b, a) };
        let pair = self.pair(first, second)?;
        let crossing = if is_slow(&pair, pair.path()) { None } else { pair.crossing() };
        crossing.map(|crossing| Pass { shape_a, shape_b, crossing })
    }

    /// Returns true if their motions keep two convex shapes out of each other all the way, to rounding; false where that is not known.
    pub fn stay_out(&self, a: (u32, &Motion), b: (u32, &Motion)) -> bool {
        let (Some(p), Some(q)) = (self.solid(a.0), self.solid(b.0)) else { return false };
        let is_known = p.is_convex() && q.is_convex() && !(p.is_unbounded() && q.is_unbounded());
        is_known && Pair { a: (p, a.1), b: (q, b.1) }.stays_out()
    }

    /// Two shapes that a motion may carry across each other: of different bodies that may collide, none of them unbounded.
    fn pair<'s>(&'s self, a: (u32, &'s Motion), b: (u32, &'s Motion)) -> Option<Pair<'s>> {
        let (p, q) = (self.solid(a.0)?, self.solid(b.0)?);
        let bounded = !p.is_unbounded() && !q.is_unbounded();
        (bounded && self.may_collide(p.body, q.body)).then_some(Pair { a: (p, a.1), b: (q, b.1) })
    }

    /// Returns true if any body moves far enough in a step that a closer look could find anything: `spin(body)` is h ω, poses are
    /// those of all bodies. Costs a few nanoseconds a body.
    pub fn may_cross(&self, from: &[f64], to: &[f64], spin: impl Fn(u32) -> Vector3<f64>) -> bool {
        let limit = 0.5 * SUSPICIOUS * self.thinnest;
        let far = |body: u32, reach: f64| {
            displacement(self.space(), self.pose(from, body), self.pose(to, body), &spin(body), reach) > limit
        };
        self.owners.iter().any(|o| o.reach.is_finite() && far(o.body, o.reach))
    }

    /// The crossing that went deepest, as a share of the thickness of the thinner shape, among pairs of shapes that can meet in
    /// the step.
    ///
    /// `near` are pairs of shapes and their least gap at the start, m, as a detector reports them for the margins of the step,
    /// those of one pair one after the other; `margin` those margins by body. `is_link`: whether joints carry a
    /// body round. Bodies that went farther than their margin are held against all others.
    pub fn pass(
        &self,
        from: &[f64],
        to: &[f64],
        (spin, is_link): (impl Fn(u32) -> Vector3<f64>, impl Fn(u32) -> bool),
        near: impl Iterator<Item = (u32, u32, f64)>,
        margin: &[f64],
    ) -> Option<Pass> {
        let motion = |body: u32| {
            let straight = Motion::new(self.space(), self.pose(from, body), self.pose(to, body), &spin(body));
            if is_link(body) { straight.screw() } else { straight }
        };
        let mut worst: Option<Pass> = None;
        // Contacts come sorted by their shapes: the same two bodies many times.
        let mut known: [Option<(u32, Motion)>; 2] = [None; 2];
        let mut look = |s: u32, t: u32, gap: f64| {
            let (Some(p), Some(q)) = (self.solid(s), self.solid(t)) else { return };
            for (known, body) in known.iter_mut().zip([p.body, q.body]) {
                if known.is_none_or(|(whose, _)| whose != body) {
                    *known = Some((body, motion(body)));
                }
            }
            let [Some((_, m)), Some((_, n))] = &known else { return };
            let pair = Pair { a: (p, m), b: (q, n) };
            let path = pair.path();
            if gap <= path
                && !is_slow(&pair, path)
                && let Some(pass) = self.crossing((s, m), (t, n))
                && worst.is_none_or(|w| share(&pass) > share(&w))
            {
                worst = Some(pass);
            }
        };
        for_least(near, &mut look);
        self.for_runaways(&motion, margin, &mut look);
        worst
    }

    /// Calls `look` with all pairs of shapes of which one body went farther than its margin.
    fn for_runaways(
        &self,
        motion: &impl Fn(u32) -> Motion,
        margin: &[f64],
        look: &mut dyn FnMut(u32, u32, f64),
    ) {
        for o in self.owners.iter().filter(|o| o.reach.is_finite()) {
            let m = motion(o.body);
            let allowed = margin.get(o.body as usize).copied().unwrap_or(f64::INFINITY);
            if m.length(o.reach) <= allowed {
                continue;
            }
            for other in self.owners.iter().filter(|x| x.body != o.body) {
                for s in &self.order[o.first as usize..o.end as usize] {
                    for t in &self.order[other.first as usize..other.end as usize] {
                        look(*s, *t, 0.0);
                    }
                }
            }
        }
    }
}

/// Calls `look` once for every run of the same pair, with its least gap.
fn for_least(near: impl Iterator<Item = (u32, u32, f64)>, look: &mut impl FnMut(u32, u32, f64)) {
    let mut at: Option<(u32, u32, f64)> = None;
    for (s, t, gap) in near {
        match &mut at {
            Some((u, v, least)) if (*u, *v) == (s, t) => *least = least.min(gap),
            _ => {
                at.into_iter().for_each(|(u, v, least)| look(u, v, least));
                at = Some((s, t, gap));
            }
        }
    }
    at.into_iter().for_each(|(u, v, least)| look(u, v, least));
}

/// Returns true if a path is too short to carry anything across.
fn is_slow(pair: &Pair<'_>, path: f64) -> bool {
    path < SUSPICIOUS * pair.width()
}

fn share(pass: &Pass) -> f64 {
    pass.crossing.depth / pass.crossing.thickness.max(f64::MIN_POSITIVE)
}
