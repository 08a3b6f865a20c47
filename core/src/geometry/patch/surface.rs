//! Surfaces of several shapes whose sides are flush.

use nalgebra::Vector3;

use super::places::{Ground, Places, Side};

/// Distance of two flush sides as a part of the size of what lies on them, and of a contact from their seam.
pub(super) const FLUSH: f64 = 1e-4;
/// 1 − the cosine between their normals (1 mrad).
const PARALLEL: f64 = 5e-7;
/// Largest sine between a side and a direction along it.
const ALONG: f64 = 1e-3;

/// A flat side, and those of other shapes that are flush with it.
pub(super) struct Surface<'a> {
    pub(super) ground: Ground<'a>,
    pub(super) beside: Vec<Ground<'a>>,
}

impl<'a> Surface<'a> {
    /// The surface of a side among its neighbours; `off`: distance of flush sides at most, m.
    pub(super) fn of(ground: Ground<'a>, neighbours: &[Side<'a>], off: f64) -> Self {
        let (normal, place) = (ground.normal(), ground.frame.at);
        let is_flush = |other: &Ground<'_>| {
            normal.dot(&(other.frame.at - place)).abs() <= off
                && other.normal().dot(&normal) >= 1.0 - PARALLEL
        };
        let beside = neighbours.iter().filter_map(|side| side.along(&normal)).filter(is_flush).collect();
        Self { ground, beside }
    }

    /// Returns true if the side carries what is over a point: of sides that overlap the one of the first shape does.
    pub(super) fn carries(&self, x: &Vector3<f64>) -> bool {
        self.ground.owns(x) && !self.is_covered(x)
    }

    /// Returns true if a side of a shape before this one carries what is over a point.
    pub(super) fn is_covered(&self, x: &Vector3<f64>) -> bool {
        self.beside.iter().any(|side| side.shape < self.ground.shape && side.owns(x))
    }

    /// Returns true if one of the flush sides carries what is over a point.
    pub(super) fn is_under(&self, x: &Vector3<f64>) -> bool {
        self.ground.owns(x) || self.beside.iter().any(|side| side.owns(x))
    }

    /// Returns true if one of the flush sides is under a point, edges included.
    pub(super) fn holds(&self, x: &Vector3<f64>) -> bool {
        let holds = |side: &Ground<'_>| side.flat.holds(&side.foot(x));
        holds(&self.ground) || self.beside.iter().any(holds)
    }
}

impl<'a> Places<'a> {
    /// Shapes beside another that a third one meets in patches too: their sides may be flush with its sides, or hide them.
    pub(super) fn neighbours(self, side: &Side<'a>, met: u32) -> Vec<Side<'a>> {
        let mut found: Vec<Side<'a>> = Vec::new();
        for key in self.raw.key {
            let Some(other) = key.other(met).filter(|other| *other != side.shape) else { continue };
            if found.iter().all(|found| found.shape != other) && self.law(key).is_some() {
                found.extend(self.side(other).filter(|other| other.touches(side)));
            }
        }
        found
    }
}

impl Side<'_> {
    /// Returns true if balls around both shapes meet.
    fn touches(&self, other: &Self) -> bool {
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
