//! The signed gap of two convex shapes: ψ = max over unit n of f(n) = n·d − h₁(n) − h₂(−n).
//!
//! Separated, that is the distance; overlapping, minus the shortest translation that parts them. While ψ is above minus the
//! roundness of the shapes there is exactly one stationary direction above that level, so wherever the search began the answer
//! is the same. Deeper there may be several; then all known ways out are tried from the pose alone, and the past has no say.

use crate::arc::climb;
use crate::kkt::kkt;
use crate::newton::{Newton, newton};
use crate::pair::{Goal, Pair, Sample};
use crate::solid::tangents;
use crate::tiles::shortest;
use vinci_detect::Vec3;

/// Misfit of an answer that is accepted, of the scale of the pair.
const ACCEPTED: f64 = 1e-10;
/// First step of a climb, rad.
const STEP: f64 = 0.02;

/// Separation of a pair, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Separation {
    /// Farther apart than asked; a direction that shows it.
    Apart(Vec3),
    /// The closest (deepest) points.
    Contact(Sample),
}

/// The pair's gap, unless it is above `limit`; `warm` is the normal of last time.
pub(crate) fn separation(pair: &Pair<'_>, warm: Option<Vec3>, limit: f64) -> Separation {
    let start = warm.unwrap_or_else(|| pair.line());
    let found = shallow(pair, &start, limit).unwrap_or_else(|| Separation::Contact(deep(pair)));
    match found {
        Separation::Contact(s) if pair.gap(&s) > limit => Separation::Apart(s.n),
        other => other,
    }
}

/// The one optimum of shapes that overlap by less than their roundness.
fn shallow(pair: &Pair<'_>, start: &Vec3, limit: f64) -> Option<Separation> {
    let unique = |s: &Sample| pair.gap(s) + pair.roundness() > 1e-12 * pair.scale;
    if let Some(s) = on_a_face(pair).filter(unique) {
        return Some(Separation::Contact(s));
    }
    let lost = match newton(pair, start, limit) {
        Newton::Apart(n) => return Some(Separation::Apart(n)),
        Newton::Found(s) => return unique(&s).then_some(Separation::Contact(s)),
        Newton::Lost(n) => n,
    };
    let proven = |s: &Sample| unique(s) && pair.misfit(s) <= ACCEPTED * pair.scale;
    let walked = || kkt(pair, &walk(pair, &lost));
    if let Some(s) = kkt(pair, &lost).filter(proven).or_else(|| walked().filter(proven)) {
        return Some(Separation::Contact(s));
    }
    if unique(&pair.sample(&lost)) {
        return climb(pair, Goal::Gap, &lost, STEP).filter(proven).map(Separation::Contact);
    }
    None
}

/// The growth problem: the direction with the largest σ(n). It has one optimum however deep the shapes overlap.
pub(crate) fn growth(pair: &Pair<'_>) -> Option<Sample> {
    if pair.d.norm() <= 1e-9 * pair.scale {
        return None;
    }
    climb(pair, Goal::Growth, &pair.line(), 0.2)
}

/// The least deep of all ways out.
fn deep(pair: &Pair<'_>) -> Sample {
    shortest(pair, |n| polished(pair, n))
}

/// The stationary direction uphill from n; n itself where none is found.
fn polished(pair: &Pair<'_>, n: &Vec3) -> Sample {
    let start = match newton(pair, n, f64::INFINITY) {
        Newton::Found(s) => return s,
        Newton::Lost(m) | Newton::Apart(m) => m,
    };
    let uphill = |m: &Vec3| {
        let floor = pair.gap(&pair.sample(m)) - 1e-14 * pair.scale;
        kkt(pair, m).filter(|s| pair.gap(s) >= floor)
    };
    if let Some(s) = uphill(&start).or_else(|| uphill(&walk(pair, &start))) {
        return s;
    }
    let reached = climb(pair, Goal::Gap, &start, STEP);
    let good = reached.filter(|s| pair.misfit(s) <= ACCEPTED * pair.scale);
    // The sweep of half circles may miss a ridge that runs across it; from where it ended it sees it from another side.
    good.or_else(|| reached.and_then(|s| climb(pair, Goal::Gap, &s.n, STEP)))
        .unwrap_or_else(|| pair.sample(&start))
}

/// Uphill by trial in shrinking steps, whatever the slopes: a start for what is fast.
fn walk(pair: &Pair<'_>, n: &Vec3) -> Vec3 {
    let (mut best, mut here, mut step) = (pair.gap(&pair.sample(n)), *n, 0.1);
    let mut turn = 0.3_f64;
    while step > 1e-3 {
        let (t1, t2) = tangents(&here);
        let mut moved = false;
        for k in 0..if pair.planar { 2 } else { 6 } {
            let angle = turn + f64::from(k) * std::f64::consts::FRAC_PI_3;
            let side =
                if pair.planar { t1 * f64::from(1 - 2 * k) } else { t1 * angle.cos() + t2 * angle.sin() };
            let m = (here + side * step).normalize();
            let gap = pair.gap(&pair.sample(&m));
            if gap > best {
                (best, here, moved) = (gap, m, true);
                break;
            }
        }
        turn += 1.0;
        step *= if moved { 1.2 } else { 0.6 };
    }
    here
}

/// Contact of a face (edge, in the plane) of a polytope with whatever is lowest over it, if it is over the face.
fn on_a_face(pair: &Pair<'_>) -> Option<Sample> {
    let (a, b) = (pair.a.core.faces(), pair.b.core.faces());
    if !a.is_empty() {
        let (n, low) = highest(pair, true)?;
        let point = pair.d + low - n * n.dot(&(pair.d + low)) + n * face_offset(pair, &n, true);
        let local = pair.frame_a.dir_back(&point);
        let inside = a.iter().all(|f| f.normal.dot(&local) <= f.offset + 1e-13 * pair.scale);
        return inside.then_some(Sample { n, x1: point, x2: low });
    }
    if b.is_empty() {
        return None;
    }
    let (n, low) = highest(pair, false)?;
    let seen = low - pair.d;
    let point = seen - n * (n.dot(&seen) + face_offset(pair, &n, false));
    let local = pair.frame_b.dir_back(&point);
    let inside = b.iter().all(|f| f.normal.dot(&local) <= f.offset + 1e-13 * pair.scale);
    inside.then_some(Sample { n, x1: low, x2: point })
}

/// Height of the face with the normal n (of a) or −n (of b) over the origin of its shape.
fn face_offset(pair: &Pair<'_>, n: &Vec3, of_a: bool) -> f64 {
    let s = pair.sample(n);
    if of_a { n.dot(&s.x1) } else { -n.dot(&s.x2) }
}

/// The face from which the other shape stands off farthest: n from a to b, and the other's support point.
fn highest(pair: &Pair<'_>, of_a: bool) -> Option<(Vec3, Vec3)> {
    let (faces, frame, sign) = if of_a {
        (pair.a.core.faces(), pair.frame_a, 1.0)
    } else {
        (pair.b.core.faces(), pair.frame_b, -1.0)
    };
    let mut best: Option<(f64, Vec3, Vec3)> = None;
    for face in faces {
        let s = pair.sample(&(frame.rot * face.normal * sign));
        let gap = pair.gap(&s);
        if best.is_none_or(|(g, ..)| gap > g) {
            best = Some((gap, s.n, if of_a { s.x2 } else { s.x1 }));
        }
    }
    best.map(|(_, n, low)| (n, low))
}
