//! Surfaces of several shapes whose sides are flush, and the seams between them.
//!
//! A body that stands on such a surface meets each of its shapes in contacts of their own. At a seam a detector may find a way out through the
//! flank of one shape, which the other hides, or over an edge that the surface does not have. There the normal is that of the surface.

use nalgebra::Vector3;

use super::places::{Ground, Places, Side};

/// Distance of two flush sides as a part of the size of what lies on them, and of a contact from their seam.
const FLUSH: f64 = 1e-4;
/// 1 − the cosine between their normals (1 mrad).
const PARALLEL: f64 = 5e-7;
/// Part of its height by which a body that stands on a side is below it at most.
const SUNK: f64 = 0.25;

/// A flat side, and those of other shapes that are flush with it.
pub(super) struct Surface<'a> {
    pub(super) ground: Ground<'a>,
    beside: Vec<Ground<'a>>,
}

impl Surface<'_> {
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

    /// Returns true if a point is on a seam with another side; `off`: distance from it at most, m.
    fn has_seam(&self, x: &Vector3<f64>, off: f64) -> bool {
        let is_near = |side: &Ground<'_>| side.flat.is_near(&side.foot(x), off);
        is_near(&self.ground) && self.beside.iter().any(is_near)
    }
}

impl<'a> Places<'a> {
    /// The surface of a flat side for a shape of this size that meets it in a patch.
    pub(super) fn surface(self, ground: Ground<'a>, (shape, size): (u32, f64)) -> Surface<'a> {
        let (normal, place) = (ground.normal(), ground.frame.at);
        let is_flush = |other: &Ground<'_>| {
            normal.dot(&(other.frame.at - place)).abs() <= FLUSH * size
                && other.normal().dot(&normal) >= 1.0 - PARALLEL
        };
        let mut beside: Vec<Ground<'a>> = Vec::new();
        for key in self.raw.key {
            let Some(other) = key.other(shape).filter(|other| *other != ground.shape) else { continue };
            if beside.iter().any(|side| side.shape == other) || self.law(key).is_none() {
                continue;
            }
            beside.extend(self.side(other).and_then(|side| side.along(&normal)).filter(is_flush));
        }
        Surface { ground, beside }
    }

    /// Normal of a contact of two shapes, from a to b: the detector's, or that of the surface at whose seam the contacts are.
    pub(super) fn normal(self, [a, b]: [&Side<'a>; 2], group: &[u32]) -> Option<Vector3<f64>> {
        let raw = self.raw;
        let gap = |i: &&u32| raw.gap[**i as usize];
        let nearest = *group.iter().min_by(|i, j| gap(i).total_cmp(&gap(j)))? as usize;
        let up = self.seam_normal(a, b, group, raw.point_a);
        let down = || self.seam_normal(b, a, group, raw.point_b).map(|n| -n);
        up.or_else(down).or_else(|| Some(Vector3::from_column_slice(&raw.normal[3 * nearest..][..3])))
    }

    /// Normal of the surface on which a shape stands at a seam. `points`: places of all contacts on the shape below.
    fn seam_normal(
        self,
        below: &Side<'a>,
        above: &Side<'a>,
        group: &[u32],
        points: &[f64],
    ) -> Option<Vector3<f64>> {
        let size = above.placed.solid.size();
        if above.placed.solid.is_unbounded() {
            return None;
        }
        let is_at_seam = |surface: &Surface<'_>| {
            let mut points =
                group.iter().map(|i| Vector3::from_column_slice(&points[3 * *i as usize..][..3]));
            points.any(|x| surface.has_seam(&x, FLUSH * size))
        };
        let depth = |ground: &Ground<'_>| {
            let (n, place) = (ground.normal(), ground.frame.at);
            let [low, high] = [-above.placed.extent(&-n), above.placed.extent(&n)];
            let depth = n.dot(&place) - low;
            (depth <= SUNK * (high - low)).then_some(depth)
        };
        let grounds = below.grounds().filter_map(|ground| Some((depth(&ground)?, ground)));
        let surfaces = grounds.map(|(depth, ground)| (depth, self.surface(ground, (above.shape, size))));
        let with_seam = surfaces.filter(|(_, surface)| is_at_seam(surface));
        with_seam.min_by(|(i, _), (j, _)| i.total_cmp(j)).map(|(_, surface)| surface.ground.normal())
    }
}
