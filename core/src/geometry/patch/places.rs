//! Where the shapes that meet in patches stand, and their flat sides in the world.

use nalgebra::Vector3;

use super::flat::Flat;
use crate::contact::{ContactKey, RawContacts};
use crate::geometry::{Frame, Placed, Shapes};
use crate::model::{PatchLaw, System};

/// Distance of two flush sides as a part of the radius of a ball, or of the size of what lies on them.
const FLUSH: f64 = 1e-4;
/// 1 − the cosine between their normals (1 mrad).
const PARALLEL: f64 = 5e-7;
/// Cosine of the steepest face that has nodes: what is steeper has next to no area over the side.
const UPRIGHT: f64 = 0.02;

/// All shapes at one configuration.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) system: &'a System,
    pub(super) shapes: &'a Shapes,
    /// Flat sides of every shape.
    pub(super) flats: &'a [Vec<Flat>],
    pub(super) poses: &'a [f64],
    pub(super) raw: &'a RawContacts<'a>,
}

/// One of two shapes: its number, where it stands, its flat sides.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) shape: u32,
    pub(super) placed: Placed<'a>,
    pub(super) flats: &'a [Flat],
}

/// A flat side in the world.
pub(super) struct Ground<'a> {
    pub(super) flat: &'a Flat,
    pub(super) number: u32,
    pub(super) frame: Frame,
}

impl<'a> Places<'a> {
    /// The law of two shapes whose bodies meet in patches.
    pub(super) fn law(&self, key: &ContactKey) -> Option<&'a PatchLaw> {
        let (a, b) = (self.shapes.solid(key.shape_a)?, self.shapes.solid(key.shape_b)?);
        self.system.materials.patch(a.body, b.body)
    }

    /// A shape where it stands.
    pub(super) fn side(&self, shape: u32) -> Option<Side<'a>> {
        let solid = self.shapes.solid(shape)?;
        let placed = solid.place(&self.shapes.frame(self.poses, solid.body));
        Some(Side { shape, placed, flats: &self.flats[shape as usize] })
    }

    /// Sides that a shape of this size meets in patches and that are flush with one of them, that one too.
    pub(super) fn flush_with(
        self,
        ground: &Ground<'_>,
        (shape, size): (u32, f64),
    ) -> impl Iterator<Item = Ground<'a>> {
        let (normal, place) = (ground.normal(), ground.frame.at);
        let is_flush = move |other: &Ground<'_>| {
            normal.dot(&(other.frame.at - place)).abs() <= FLUSH * size
                && other.normal().dot(&normal) >= 1.0 - PARALLEL
        };
        let other = move |key: &ContactKey| match [key.shape_a, key.shape_b] {
            [a, b] if a == shape => Some(b),
            [a, b] if b == shape => Some(a),
            _ => None,
        };
        let side = move |key: &ContactKey| {
            let other = other(key)?;
            self.law(key).and_then(|_| self.side(other))?.along(&normal)
        };
        self.raw.key.iter().filter_map(side).filter(is_flush)
    }
}

impl<'a> Side<'a> {
    /// The flat side that looks most along a direction.
    pub(super) fn along(&self, d: &Vector3<f64>) -> Option<Ground<'a>> {
        let own = self.placed.frame.dir_back(d);
        let along = |flat: &Flat| flat.frame.turn.column(2).dot(&own);
        let best =
            (0..self.flats.len()).max_by(|&i, &j| along(&self.flats[i]).total_cmp(&along(&self.flats[j])))?;
        Some(self.ground(best))
    }

    /// The flat sides that look along a direction, each with the cosine between.
    pub(super) fn all_along(&self, d: Vector3<f64>) -> impl Iterator<Item = (Ground<'a>, f64)> + '_ {
        let grounds = (0..self.flats.len()).map(|k| self.ground(k));
        grounds.map(move |ground| (ground.normal().dot(&d), ground)).filter_map(|(cosine, ground)| {
            (cosine > UPRIGHT && !ground.flat.is_unbounded()).then_some((ground, cosine))
        })
    }

    fn ground(&self, k: usize) -> Ground<'a> {
        let flat = &self.flats[k];
        Ground { flat, number: k as u32, frame: self.placed.frame.then(&flat.frame) }
    }
}

impl Ground<'_> {
    pub(super) fn normal(&self) -> Vector3<f64> {
        self.frame.turn.column(2).into()
    }
}
