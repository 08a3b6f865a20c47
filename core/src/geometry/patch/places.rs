//! Where the shapes that meet in patches stand, and their flat sides in the world.

use nalgebra::{Vector2, Vector3};

use super::flat::Flat;
use crate::contact::{ContactKey, RawContacts};
use crate::geometry::{Frame, Placed, Shapes};
use crate::model::{PatchLaw, System};

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
    /// Shape that it is of.
    pub(super) shape: u32,
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
}

impl<'a> Side<'a> {
    /// Gap up to which nodes of the shape are wanted, m. `margin` and `turning` of all bodies, as of [`super::Patches::refine`].
    pub(super) fn reach(&self, margin: &[f64], turning: &[f64]) -> f64 {
        let body = self.placed.solid.body as usize;
        // A ball that turns about its centre comes no nearer. The shared half of the margins has its turning too.
        margin[body] - if self.placed.solid.is_ball() { 2.0 * turning[body] } else { 0.0 }
    }

    /// Depth below a side, m, and height along its normal.
    pub(super) fn below(&self, ground: &Ground<'_>) -> [f64; 2] {
        let n = ground.normal();
        let down = self.placed.extent(&-n);
        [down + n.dot(&ground.frame.at), down + self.placed.extent(&n)]
    }

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
        self.grounds().map(move |ground| (ground.normal().dot(&d), ground)).filter_map(|(cosine, ground)| {
            (cosine > UPRIGHT && !ground.flat.is_unbounded()).then_some((ground, cosine))
        })
    }

    /// All flat sides.
    pub(super) fn grounds(&self) -> impl Iterator<Item = Ground<'a>> + '_ {
        (0..self.flats.len()).map(|k| self.ground(k))
    }

    fn ground(&self, k: usize) -> Ground<'a> {
        let flat = &self.flats[k];
        Ground { shape: self.shape, flat, number: k as u32, frame: self.placed.frame.then(&flat.frame) }
    }
}

impl Ground<'_> {
    pub(super) fn normal(&self) -> Vector3<f64> {
        self.frame.turn.column(2).into()
    }

    /// Place of a point on the side, seen along its normal, m.
    pub(super) fn foot(&self, x: &Vector3<f64>) -> Vector2<f64> {
        self.frame.point_back(x).xy()
    }

    /// Distance of a point seen along the normal from the nearest edge, m, less than 0 beyond it.
    pub(super) fn inside(&self, x: &Vector3<f64>) -> f64 {
        self.flat.inside(&self.foot(x))
    }

    /// Returns true if a point seen along the normal is on the side: of two sides that share an edge on one of them.
    pub(super) fn owns(&self, x: &Vector3<f64>) -> bool {
        self.flat.owns(&self.frame, &self.foot(x))
    }
}
