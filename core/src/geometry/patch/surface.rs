//! Surfaces of several shapes whose sides are flush.

use nalgebra::Vector3;

use super::places::{Ground, Places, Side};

/// Distance of two flush sides, along their normal or beside one another, as a part of the size of what lies on them.
pub(super) const FLUSH: f64 = 1e-4;
/// Part of its height by which a body that stands on a side is below it at most.
pub(super) const DEEPEST: f64 = 0.25;
/// Steps and gaps of a surface up to this part of the depth to which a body is pressed in are none where its ground is looked for.
pub(super) const NARROW: f64 = 0.25;
/// 1 − the cosine between their normals (1 mrad).
const PARALLEL: f64 = 5e-7;
/// Rounding of a distance, part of the width of a seam.
const SAME: f64 = 1e-6;
/// Largest sine between a side and a direction along it.
const ALONG: f64 = 1e-3;

/// Width within which sides of a shape that another meets are one, m.
pub(super) fn width(side: &Side<'_>, other: &Side<'_>) -> f64 {
    FLUSH * side.placed.solid.size().min(other.placed.solid.size())
}

/// Width of seams beneath another shape that is pressed into this side, m: steps and gaps are small beside its depth.
pub(super) fn width_below(side: &Side<'_>, other: &Side<'_>, ground: &Ground<'_>) -> f64 {
    let [depth, height] = other.below(ground);
    let narrow = if depth <= DEEPEST * height { NARROW * depth } else { 0.0 };
    width(side, other).max(narrow)
}

/// A flat side, and those of other shapes that are flush with it.
pub(super) struct Surface<'a> {
    pub(super) ground: Ground<'a>,
    pub(super) beside: Vec<Ground<'a>>,
    /// Width within which sides are one, m.
    pub(super) off: f64,
}

impl<'a> Surface<'a> {
    /// The surface of a side among its neighbours; `off`: width within which sides are one, m.
    pub(super) fn of(ground: Ground<'a>, neighbours: &[Side<'a>], off: f64) -> Self {
        let normal = ground.normal();
        let along = neighbours.iter().filter_map(|side| side.along(&normal));
        let beside = along.filter(|side| ground.is_flush(side, off)).collect();
        Self { ground, beside, off }
    }

    /// Returns true if the side carries what is over a point. Of several sides that the point is on, or in the gap between, the one does that it
    /// is farthest inside.
    pub(super) fn carries(&self, x: &Vector3<f64>) -> bool {
        if self.is_beside(x) { !self.is_covered(x) } else { self.ground.owns(x) }
    }

    /// Returns true if another of the sides carries what is over a point of this one.
    pub(super) fn is_covered(&self, x: &Vector3<f64>) -> bool {
        let own = self.ground.inside(x);
        // Cells of two grids may be in one place but for rounding: then the first shape has it.
        let same = SAME * self.off;
        let mut others = self.beside.iter().map(|side| (side.inside(x), side.shape));
        others.any(|(inside, shape)| inside > own + same || inside >= own - same && shape < self.ground.shape)
    }

    /// Returns true if one of the sides carries what is over a point.
    pub(super) fn is_under(&self, x: &Vector3<f64>) -> bool {
        self.ground.owns(x) || self.is_beside(x)
    }

    /// Returns true if one of the sides is under a point, or not farther from it than so much, m.
    pub(super) fn is_near(&self, x: &Vector3<f64>, off: f64) -> bool {
        self.ground.inside(x) >= -off || self.beside.iter().any(|side| side.inside(x) >= -off)
    }

    /// Returns true if a point is on another of the sides, or beyond it by less than the width of a seam.
    fn is_beside(&self, x: &Vector3<f64>) -> bool {
        self.beside.iter().any(|side| side.inside(x) >= -self.off)
    }
}

impl Ground<'_> {
    /// Returns true if another side is flush with it.
    fn is_flush(&self, other: &Self, off: f64) -> bool {
        let normal = self.normal();
        normal.dot(&(other.frame.at - self.frame.at)).abs() <= off
            && other.normal().dot(&normal) >= 1.0 - PARALLEL
    }
}

impl<'a> Places<'a> {
    /// Area of a surface, m²: with all shapes whose body another meets in patches, near or far.
    pub(super) fn area(self, surface: &Surface<'_>, met: &Side<'_>) -> f64 {
        let ground = &surface.ground;
        if surface.beside.is_empty() {
            return ground.flat.area();
        }
        let patches = |side: &Side<'_>| {
            self.system.materials.patch(side.placed.solid.body, met.placed.solid.body).is_some()
        };
        let sides = (0..self.flats.len() as u32).filter_map(|shape| self.side(shape)).filter(patches);
        let along = sides.filter_map(|side| side.along(&ground.normal()));
        along.filter(|side| ground.is_flush(side, surface.off)).map(|side| side.flat.area()).sum()
    }

    /// The surface of a shape that looks most along a direction, for another that meets it.
    pub(super) fn surface(self, side: &Side<'a>, other: &Side<'a>, d: &Vector3<f64>) -> Option<Surface<'a>> {
        let neighbours = self.neighbours(side, other.shape);
        let ground = side.along(d)?;
        let off = width_below(side, other, &ground);
        Some(Surface::of(ground, &neighbours, off))
    }

    /// Shapes beside another that a third one meets in patches too: their sides may be flush with its sides, or hide them.
    pub(super) fn neighbours(self, side: &Side<'a>, met: u32) -> Vec<Side<'a>> {
        let mut found: Vec<Side<'a>> = Vec::new();
        for key in self.raw.key {
            let Some(other) = key.other(met).filter(|other| *other != side.shape) else { continue };
            if found.iter().all(|found| found.shape != other) && self.law(key).is_some() {
                found.extend(self.side(other).filter(|other| other.may_touch(side)));
            }
        }
        found
    }
}

impl Side<'_> {
    /// Returns true if balls around both shapes meet.
    fn may_touch(&self, other: &Self) -> bool {
        let [(x, r), (y, s)] = [self.placed.ball(), other.placed.ball()];
        self.placed.solid.is_unbounded() || other.placed.solid.is_unbounded() || (x - y).norm() <= r + s
    }

    /// Returns true if the shape hides the side of another at a point, whose normal is n: outside it there is this shape. `off`: rounding, m.
    pub(super) fn hides(&self, x: &Vector3<f64>, n: &Vector3<f64>, off: f64) -> bool {
        let is_inside = |side: Ground<'_>| {
            let normal = side.normal();
            let height = normal.dot(&(x - side.frame.at));
            height < -off || height <= off && normal.dot(n) < ALONG
        };
        !self.flats.is_empty() && self.grounds().all(is_inside)
    }
}
