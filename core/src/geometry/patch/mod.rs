//! Patches: nodes on a grid in the place of the few contacts that a detector reports of two bodies.
//!
//! A ball over a flat side (of a half-space, a box, a hull) has nodes on the grid of that side, at the places over which the ball is
//! within reach; a node's gap is the height of the ball's surface there. Over the seam of two flush sides it has nodes on both. Faces over
//! a flat side have nodes on their own grids, and a node's gap is its height over the side: all faces that look down on it. Of two faces that
//! lie on one another the larger one is the side. Each stands for the area of its cell as the
//! side sees it, A cos θ. All nodes of a patch have the normal of the flat side below. A node keeps its identity as long as it is the
//! same cell of the same grid, so it moves with the body that the grid is on.
//!
//! What meets in another way (edges on edges, rims of a side, round shapes that are no balls) keeps the contacts of the detector. All stand
//! for a cell of the grid.

mod flat;
mod nodes;
mod places;
mod seam;
mod surface;

use nalgebra::Vector3;

use super::Shapes;
use crate::contact::{ContactError, DetectedContacts, RawContacts};
use crate::model::{PatchLaw, Space, System};
use flat::Flat;
use nodes::Nodes;
pub(crate) use nodes::{STEEPEST, is_same_cell};
use places::{Places, Side};
use surface::Surface;

/// Cosine of the largest angle between two faces that lie on one another, and between a contact's normal and that of its side (0.1 rad).
const FLAT: f64 = 0.995;

/// Part by which areas may differ by rounding.
const SAME: f64 = 1e-9;

/// The flat sides of the shapes of a system, and the nodes of its patches. Keeps its memory between detections.
#[derive(Debug, Clone, Default)]
pub struct Patches {
    shapes: Option<Shapes>,
    /// Flat sides of every shape.
    flats: Vec<Vec<Flat>>,
    nodes: DetectedContacts,
    cell: Vec<f64>,
    order: Vec<u32>,
}

impl Patches {
    /// Patches of a system. A system without patches costs nothing.
    pub fn new(system: &System) -> Self {
        if system.materials.patches.is_empty() || system.space != Space::Spatial {
            return Self::default();
        }
        let shapes = Shapes::new(system);
        let flats = |solid: &Option<super::Solid>| solid.as_ref().map_or(vec![], Flat::of_solid);
        let flats = shapes.solids.iter().map(flats).collect();
        Self { shapes: Some(shapes), flats, ..Self::default() }
    }

    /// The contacts with nodes in the place of those of bodies that meet in patches, and the sides of the squares that have their
    /// areas, m (0: no node; empty: the system has no patches). `poses` and `margin`: of all bodies, as in the query; `turning`: how
    /// much of each margin is due to the body's own turning, m.
    ///
    /// # Errors
    /// A patch of too many nodes.
    pub fn refine<'a>(
        &'a mut self,
        system: &System,
        (poses, margin): (&[f64], &[f64]),
        turning: &[f64],
        raw: &'a RawContacts<'a>,
    ) -> Result<(RawContacts<'a>, &'a [f64]), ContactError> {
        let Self { shapes: Some(shapes), flats, nodes, cell, order } = self else {
            return Ok((*raw, &[]));
        };
        nodes.clear();
        cell.clear();
        order.clear();
        order.extend(0..raw.len() as u32);
        let pair = |i: &u32| raw.key.get(*i as usize).map(|k| (k.shape_a, k.shape_b));
        order.sort_by_key(pair);
        let places = Places { system, shapes, flats, poses, raw };
        for group in order.chunk_by(|i, j| pair(i) == pair(j)) {
            let key = raw.key[group[0] as usize];
            let law = places.law(&key);
            let sides = [places.side(key.shape_a), places.side(key.shape_b)];
            let is_patch = match (law, sides) {
                (Some(law), [Some(a), Some(b)]) => {
                    let reach = a.reach(margin, turning) + b.reach(margin, turning);
                    patch((law, places), [a, b], reach, group, (nodes, cell))?
                }
                _ => false,
            };
            if !is_patch {
                group.iter().for_each(|&i| nodes.copy(raw, i as usize));
                cell.resize(nodes.len(), law.map_or(0.0, |law| law.cell));
            }
        }
        Ok((nodes.view(), cell))
    }
}

/// Appends the nodes of two shapes. Returns true if they meet in a patch, false if they keep the detector's contacts.
fn patch(
    (law, places): (&PatchLaw, Places<'_>),
    [a, b]: [Side<'_>; 2],
    reach: f64,
    group: &[u32],
    out: (&mut DetectedContacts, &mut Vec<f64>),
) -> Result<bool, ContactError> {
    let Some(n) = places.normal([&a, &b], group) else { return Ok(false) };
    let mut nodes = Nodes { places, pair: [a.shape, b.shape], reach, out };
    let is_ball = [a, b].map(|side| side.placed.solid.is_ball());
    match (places.surface(&a, &b, &n), places.surface(&b, &a, &-n)) {
        (Some(p), _) if is_ball[1] => nodes.of_ball(law, &p, &b, true),
        (_, Some(q)) if is_ball[0] => nodes.of_ball(law, &q, &a, false),
        (Some(p), Some(q)) => match places.stands([&p, &q], [&a, &b], &n) {
            Some(true) => nodes.of_faces(law, &p, &b, true),
            Some(false) => nodes.of_faces(law, &q, &a, false),
            None => Ok(false),
        },
        _ => Ok(false),
    }
}

impl<'a> Places<'a> {
    /// Returns true if shape b stands on the side of shape a and has the nodes, false if it is the other way round; none where they meet in no
    /// patch. Of two surfaces that lie on one another the smaller one stands. `n`: the contact's normal, from a to b.
    fn stands(self, [p, q]: [&Surface<'_>; 2], [a, b]: [&Side<'_>; 2], n: &Vector3<f64>) -> Option<bool> {
        match (p.ground.normal().dot(n) > FLAT, -q.ground.normal().dot(n) > FLAT) {
            (true, true) => match [self.area(p, b), self.area(q, a)] {
                [i, j] if (i - j).abs() <= SAME * i.min(j) => {
                    Some(q.beside.is_empty() && !p.beside.is_empty())
                }
                [i, j] => Some(j < i),
            },
            (true, false) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests;
