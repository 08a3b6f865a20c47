//! A maximum along a great circle, and a maximum over the sphere as a maximum of maxima: no smoothness asked.
//!
//! Along n(θ) the slope g = n'(θ)·w jumps where a support point jumps (flat faces, edges), so its zero is bracketed. Three
//! candidates take turns: the secant (smooth), the meeting of the two tangent planes n·w_lo = n·w_hi (exact at a kink), and a
//! place just behind the end that moved last, which draws the other end near. Where a round does not halve the bracket, it is
//! bisected. What remains is a bracket as wide as the rounding of θ; the support points are mixed so that w has no part along
//! n'. That mixture is a point of each body, on its flat place.

use crate::pair::{Goal, Pair, Sample};
use crate::solid::tangents;
use vinci_detect::Vec3;

/// Brackets narrower than this (rad) are a kink.
const WIDTH: f64 = 1e-15;
const ROUNDS: usize = 40;

/// A place on the circle: angle, slope, and what was found there.
#[derive(Clone, Copy)]
struct Mark {
    theta: f64,
    slope: f64,
    w: Vec3,
    sample: Sample,
}

/// n(θ) = cos θ c + sin θ t.
#[derive(Clone, Copy)]
struct Circle {
    c: Vec3,
    t: Vec3,
}

impl Circle {
    fn at(&self, theta: f64) -> Vec3 {
        let (sin, cos) = theta.sin_cos();
        self.c * cos + self.t * sin
    }

    fn tangent(&self, theta: f64) -> Vec3 {
        let (sin, cos) = theta.sin_cos();
        self.t * cos - self.c * sin
    }

    /// The angle between two marks at which their planes have the same height.
    fn meeting(&self, lo: &Mark, hi: &Mark) -> f64 {
        let jump = lo.w - hi.w;
        let theta = (-self.c.dot(&jump)).atan2(self.t.dot(&jump));
        let turn = std::f64::consts::PI;
        theta + turn * ((0.5 * (lo.theta + hi.theta) - theta) / turn).round()
    }
}

/// Something that has a slope at every angle.
struct Search<F: FnMut(f64) -> Option<Mark>> {
    circle: Circle,
    look: F,
    /// Slopes below this are zero, m.
    zero: f64,
}

impl<F: FnMut(f64) -> Option<Mark>> Search<F> {
    /// Uphill from `start` until the slope turns.
    fn run(&mut self, start: f64, step: f64) -> Option<Mark> {
        let mut here = (self.look)(start)?;
        let mut step = step;
        while here.slope.abs() > self.zero {
            let theta = here.theta + step.copysign(here.slope);
            if (theta - start).abs() > 1.6 {
                return None;
            }
            let next = (self.look)(theta)?;
            if next.slope * here.slope <= 0.0 {
                return if here.slope > 0.0 { self.close(here, next) } else { self.close(next, here) };
            }
            (here, step) = (next, 3.0 * step);
        }
        Some(here)
    }

    /// Shrinks a bracket: slope ≥ 0 at `lo`, ≤ 0 at `hi`.
    fn close(&mut self, mut lo: Mark, mut hi: Mark) -> Option<Mark> {
        let mut guesses = 3;
        for _ in 0..ROUNDS {
            let before = hi.theta - lo.theta;
            // Steep powers defeat every guess: then bisect, and guess again later.
            for turn in (3 - guesses)..6 {
                let width = hi.theta - lo.theta;
                if lo.slope.abs() <= self.zero {
                    return Some(lo);
                }
                if hi.slope.abs() <= self.zero {
                    return Some(hi);
                }
                if width <= WIDTH {
                    return Some(self.mixed(&lo, &hi));
                }
                let Some(theta) = self.candidate(turn, &lo, &hi, before) else { continue };
                let theta = theta.clamp(lo.theta + 0.25 * WIDTH, hi.theta - 0.25 * WIDTH);
                if theta <= lo.theta || theta >= hi.theta {
                    return Some(self.mixed(&lo, &hi));
                }
                let new = (self.look)(theta)?;
                if new.slope >= 0.0 {
                    lo = new
                } else {
                    hi = new
                }
                if turn == 2 {
                    guesses = if hi.theta - lo.theta < 0.1 * before { 3 } else { 1 };
                }
            }
        }
        Some(self.mixed(&lo, &hi))
    }

    fn candidate(&self, turn: usize, lo: &Mark, hi: &Mark, before: f64) -> Option<f64> {
        let width = hi.theta - lo.theta;
        let secant = lo.theta + width * lo.slope / (lo.slope - hi.slope);
        let meeting = self.circle.meeting(lo, hi);
        let inside = |x: f64| x >= lo.theta && x <= hi.theta;
        match turn {
            0 => Some(secant),
            1 => inside(meeting).then_some(meeting),
            2 => {
                // Just beyond what is near: a thousandth of the bracket from the end that the guess lies at.
                let guess = if inside(meeting) { meeting } else { secant };
                let nudge = 1e-3 * width;
                Some(if guess - lo.theta < hi.theta - guess { guess + nudge } else { guess - nudge })
            }
            _ => (width > 0.1 * before).then_some(lo.theta + 0.5 * width),
        }
    }

    /// The convex combination without slope.
    fn mixed(&self, lo: &Mark, hi: &Mark) -> Mark {
        let share = if lo.slope > hi.slope { lo.slope / (lo.slope - hi.slope) } else { 0.5 };
        let mix = |x: &Vec3, y: &Vec3| x * (1.0 - share) + y * share;
        let theta = lo.theta + share * (hi.theta - lo.theta);
        let (x1, x2) = (mix(&lo.sample.x1, &hi.sample.x1), mix(&lo.sample.x2, &hi.sample.x2));
        let n = mix(&lo.sample.n, &hi.sample.n).normalize();
        Mark { theta, slope: 0.0, w: mix(&lo.w, &hi.w), sample: Sample { n, x1, x2 } }
    }
}

/// The maximum on the circle through c and t that is uphill from the angle `start`.
fn along(pair: &Pair<'_>, goal: Goal, circle: Circle, start: f64, step: f64) -> Option<Mark> {
    let look = |theta: f64| {
        let sample = pair.sample(&circle.at(theta));
        let w = pair.ascent(goal, &sample);
        let slope = circle.tangent(theta).dot(&w);
        slope.is_finite().then_some(Mark { theta, slope, w, sample })
    };
    Search { circle, look, zero: 4e-16 * pair.scale }.run(start, step)
}

/// A maximum of the goal that is uphill from `start`: along the circle of the plane, or over the sphere.
///
/// The sphere is swept by half circles through ±t₂ at the longitudes α from `start`: the maximum on each has, by the envelope
/// theorem, the slope cos β n_α·w in α, with w the mixture found there.
pub(crate) fn climb(pair: &Pair<'_>, goal: Goal, start: &Vec3, step: f64) -> Option<Sample> {
    let (t1, t2) = tangents(start);
    if pair.planar {
        return along(pair, goal, Circle { c: *start, t: t1 }, 0.0, step).map(|m| m.sample);
    }
    let equator = Circle { c: *start, t: t1 };
    let (mut latitude, mut stride) = (0.0, step);
    let look = |alpha: f64| {
        let circle = Circle { c: equator.at(alpha), t: t2 };
        let best = along(pair, goal, circle, latitude, stride)?;
        stride = (2.0 * (best.theta - latitude).abs()).clamp(1e-9, step.max(1e-9));
        latitude = best.theta;
        let slope = equator.tangent(alpha).dot(&best.w);
        Some(Mark { theta: alpha, slope, ..best })
    };
    Search { circle: equator, look, zero: 4e-16 * pair.scale }.run(0.0, step).map(|m| m.sample)
}
