//! The distance of two placed shapes.

use nalgebra::Vector3;

use super::boundary::Boundary;
use super::core::Core;
use super::facet::Facet;
use super::gjk::{Bounds, PlacedFacet, bounds};
use super::solid::Placed;
use super::tree::squared_distance_to_box;

/// Bounds of the distance of two shapes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// Lower bound of the distance, m; 0 or below where nothing is known, as in overlap.
    pub lower: f64,
    /// Upper bound: the distance of two points of the shapes, m; 0: they overlap or touch.
    pub upper: f64,
    /// Unit vector from A to B that the lower bound stands for.
    pub normal: Vector3<f64>,
    /// Point of A (of its surface where apart), world, m.
    pub on_a: Vector3<f64>,
    /// Point of B.
    pub on_b: Vector3<f64>,
}

/// Bounds of the distance of two shapes, looked at up to the distance `enough`, m: beyond it only the lower bound is close.
///
/// Both bounds meet to about 1e-12 of the distance for shapes of corners, to 1e-8 for curved ones. A half-plane or
/// half-space gives the exact signed gap −h(−n), negative in overlap; two of them touch. Boundaries of polygons with notches
/// and of meshes count, not what they enclose, so that what lies wholly inside of them is apart.
pub fn distance(a: &Placed<'_>, b: &Placed<'_>, enough: f64) -> Gap {
    let grown = a.solid.radius + b.solid.radius;
    let found = match (&a.solid.core, &b.solid.core) {
        (Core::Half(up), _) => return over_half(a, up, b),
        (_, Core::Half(up)) => return over_half(b, up, a).turned(),
        (Core::Surface(s), Core::Surface(t)) => surfaces((a, s), (b, t), enough + grown),
        (Core::Surface(s), _) => facets(a, s, b, enough + grown),
        (_, Core::Surface(t)) => turned(facets(b, t, a, enough + grown)),
        _ => bounds(a, b, enough + grown),
    };
    let (lower, upper) = (found.lower - grown, found.upper - grown);
    let (on_a, on_b) =
        (found.on_a + found.normal * a.solid.radius, found.on_b - found.normal * b.solid.radius);
    if upper <= 0.0 {
        return Gap { lower: lower.min(0.0), upper: 0.0, normal: found.normal, on_a, on_b };
    }
    Gap { lower, upper, normal: found.normal, on_a, on_b }
}

impl Gap {
    fn turned(self) -> Self {
        Self { normal: -self.normal, on_a: self.on_b, on_b: self.on_a, ..self }
    }
}

fn turned(found: Bounds) -> Bounds {
    Bounds { normal: -found.normal, on_a: found.on_b, on_b: found.on_a, ..found }
}

/// The lowest point of a shape over a half-space.
fn over_half(half: &Placed<'_>, up: &Vector3<f64>, other: &Placed<'_>) -> Gap {
    let normal = half.frame.dir(up);
    if other.solid.is_unbounded() {
        let at = half.frame.at;
        return Gap { lower: 0.0, upper: 0.0, normal, on_a: at, on_b: at };
    }
    let on_b = other.support(&-normal);
    let height = normal.dot(&(on_b - half.frame.at));
    Gap { lower: height, upper: height, normal, on_a: on_b - normal * height, on_b }
}

/// A boundary against a convex shape.
fn facets(a: &Placed<'_>, boundary: &Boundary, b: &Placed<'_>, enough: f64) -> Bounds {
    let (centre, reach) = b.ball();
    search(a, boundary, &centre, reach - b.solid.radius, enough, |facet, enough| bounds(facet, b, enough))
}

/// Facet by facet of the second.
fn surfaces(a: (&Placed<'_>, &Boundary), b: (&Placed<'_>, &Boundary), enough: f64) -> Bounds {
    let (centre, reach) = b.0.ball();
    search(a.0, a.1, &centre, reach, enough, |facet, enough| {
        let (middle, far) = facet.ball();
        turned(search(b.0, b.1, &middle, far, enough, |other, enough| bounds(other, facet, enough)))
    })
}

/// The facet for which `look` finds the least distance to something in a ball, with bounds of the whole.
fn search(
    a: &Placed<'_>,
    boundary: &Boundary,
    centre: &Vector3<f64>,
    reach: f64,
    enough: f64,
    mut look: impl FnMut(&PlacedFacet, f64) -> Bounds,
) -> Bounds {
    let own = a.frame.point_back(centre);
    let away = (centre - a.frame.point(&boundary.nearest(&own).1)).norm();
    let line = Vector3::y();
    let mut best =
        Bounds { lower: f64::INFINITY, upper: f64::INFINITY, normal: line, on_a: *centre, on_b: *centre };
    // Facets beyond this distance from the centre are not looked at.
    // Of a point its own facet is at the limit itself: rounding must not hide it.
    let rounding = 1e-9 * (away + reach + a.solid.size());
    let mut limit = (away + 2.0 * reach + rounding).min(enough.max(0.0) + reach);
    let mut look_at = |facet: &Facet, limit: &mut f64| {
        let found = look(&PlacedFacet::new(facet, &a.frame), best.upper.min(enough));
        let lower = best.lower.min(found.lower);
        if found.upper < best.upper {
            best = found;
            *limit = limit.min(found.upper + reach + rounding);
        }
        best.lower = lower;
    };
    let near = |low: &Vector3<f64>, high: &Vector3<f64>, limit: &f64| {
        squared_distance_to_box(&own, low, high) <= limit * limit
    };
    boundary.tree.visit(near, &mut limit, |i, limit| look_at(&boundary.facets[i], limit));
    // What was not looked at is farther than the limit.
    best.lower = best.lower.min((limit - reach - rounding).max(0.0)).max(away - reach);
    best
}
