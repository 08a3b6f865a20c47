//! Patches: a flat face that lies on a half-plane or a half-space, and the contacts that stand for all of it. One point in its middle has the
//! right place, gap and normal, but it resists neither turning nor tipping.

use nalgebra::Vector3;

use super::DetectorCheck;
use crate::contact::RawContacts;
use crate::geometry::{Gap, Placed};
use crate::lists::at;
use crate::model::Space;

/// Gap up to which contacts touch, part of the size.
const TOUCHING: f64 = 1e-3;

/// Sine of the angle within which a face is flat on the ground: corners that are higher by this part of the size are no part of it.
const FLAT: f64 = 1e-6;

/// Distance below which two feet are one, part of the size.
const NARROW: f64 = 0.1;

/// Part of the width of a face that its contacts have to span. Detectors may leave out corners, as long as others are beside them.
const SPANNED: f64 = 0.5;

impl DetectorCheck {
    /// How much of the width of a face on the ground is missing from what its contacts have to span, as a part of the width; 0 where
    /// two shapes are none of these. `s` and `t`: their numbers.
    pub(super) fn bare(
        &self,
        [(s, p), (t, q)]: [(u32, &Placed<'_>); 2],
        raw: &RawContacts<'_>,
        (found, size, reach): (&Gap, f64, f64),
    ) -> f64 {
        let (up, foot, shape) = match (p.up(), q.up()) {
            (Some(up), None) => (up, q, t),
            (None, Some(up)) => (up, p, s),
            _ => return 0.0,
        };
        let judged = foot.solid.has_corners() && !self.joined[shape as usize];
        if !judged || found.upper > TOUCHING * size || reach < 10.0 * FLAT * size {
            return 0.0;
        }
        let sides = sides(self.shapes.space, &up);
        sides
            .iter()
            .map(|side| bare_along(side, &up, foot, size, || points(raw, [s, t], shape)))
            .fold(0.0, f64::max)
    }
}

/// Directions along the ground in which faces are measured.
fn sides(space: Space, up: &Vector3<f64>) -> Vec<Vector3<f64>> {
    if space == Space::Planar {
        return vec![Vector3::new(up.y, -up.x, 0.0)];
    }
    let beside = if up.x.abs() < 0.5 { Vector3::x() } else { Vector3::y() };
    let a = up.cross(&beside).normalize();
    let b = up.cross(&a);
    vec![a, b, (a + b).normalize(), (a - b).normalize()]
}

/// The missing part of the width along one direction.
fn bare_along<P: Iterator<Item = Vector3<f64>>>(
    side: &Vector3<f64>,
    up: &Vector3<f64>,
    foot: &Placed<'_>,
    size: f64,
    points: impl Fn() -> P,
) -> f64 {
    let end = |sign: f64| side.dot(&foot.support(&(side * (sign * FLAT) - up)));
    let width = end(1.0) - end(-1.0);
    if width < NARROW * size {
        return 0.0;
    }
    let (low, high) = points()
        .map(|x| side.dot(&x))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    (SPANNED - (high - low) / width).max(0.0)
}

/// Points on `shape` of the contacts of a pair.
fn points<'a>(
    raw: &'a RawContacts<'a>,
    [s, t]: [u32; 2],
    shape: u32,
) -> impl Iterator<Item = Vector3<f64>> + 'a {
    raw.key.iter().enumerate().filter_map(move |(i, key)| {
        let pair = (key.shape_a, key.shape_b) == (s, t) || (key.shape_a, key.shape_b) == (t, s);
        pair.then(|| at(if key.shape_a == shape { raw.point_a } else { raw.point_b }, i))
    })
}
