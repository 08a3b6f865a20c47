//! Where the shapes that meet in patches stand, and their flat sides in the world.

use nalgebra::Vector3;

use super::flat::Flat;
use crate::contact::{ContactKey, RawContacts};
use crate::geometry::{Frame, Placed, Shapes};
use crate::model::{PatchLaw, System};

/// Distance of two flush sides as a part of a ball's radius, and 1 − the cosine between their normals.
const FLUSH: f64 = 1e-9;

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

    /// Returns true if the foot of a ball is on another side that it meets in a patch, and that is flush with this one.
    pub(super) fn holds_beside(&self, ground: &Ground<'_>, ball: &Side<'_>) -> bool {
        let (centre, radius) = ball.placed.ball();
        let is_flush = |other: &Ground<'_>| {
            let apart = ground.normal().dot(&(other.frame.at - ground.frame.at));
            apart.abs() <= FLUSH * radius && other.normal().dot(&ground.normal()) >= 1.0 - FLUSH
        };
        let holds = |key: &ContactKey| {
            let other = if key.shape_a == ball.shape { key.shape_b } else { key.shape_a };
            let side = self.law(key).and_then(|_| self.side(other))?.along(&ground.normal())?;
            Some(is_flush(&side) && side.flat.holds(&side.frame.point_back(&centre).xy()))
        };
        let of_ball = self.raw.key.iter().filter(|k| k.shape_a == ball.shape || k.shape_b == ball.shape);
        of_ball.into_iter().any(|key| holds(key) == Some(true))
    }
}

impl<'a> Side<'a> {
    /// The flat side that looks most along a direction.
    pub(super) fn along(&self, d: &Vector3<f64>) -> Option<Ground<'a>> {
        let own = self.placed.frame.dir_back(d);
        let along = |flat: &Flat| flat.frame.turn.column(2).dot(&own);
        let best =
            (0..self.flats.len()).max_by(|&i, &j| along(&self.flats[i]).total_cmp(&along(&self.flats[j])))?;
        let flat = &self.flats[best];
        Some(Ground { flat, number: best as u32, frame: self.placed.frame.then(&flat.frame) })
    }
}

impl Ground<'_> {
    pub(super) fn normal(&self) -> Vector3<f64> {
        self.frame.turn.column(2).into()
    }
}
