//! Patches: nodes on a grid in the place of the few contacts that a detector reports of two bodies.
//!
//! A ball over a flat side (of a half-space, a box, a hull) has nodes on the grid of that side, at the places over which the ball is
//! within reach; a node's gap is the height of the ball's surface there. Over the seam of two flush sides it has nodes on both. Faces over
//! a flat side have nodes on their own grids, and a node's gap is its height over the side: those of the smaller of two faces that lie on
//! one another, else of all faces of the body that stands on the side with an edge or a corner. Each stands for the area of its cell as the
//! side sees it, A cos θ. All nodes of a patch have the normal of the flat side below. A node keeps its identity as long as it is the
//! same cell of the same grid, so it moves with the body that the grid is on.
//!
//! What meets in another way (edges on edges, rims of a side, round shapes that are no balls) keeps the contacts of the detector. All stand
//! for a cell of the grid.

mod flat;
mod places;

use nalgebra::Vector3;

use super::Shapes;
use crate::contact::{ContactError, DetectedContacts, RawContacts};
use crate::model::{PatchLaw, Space, System};
use flat::Flat;
use places::{Ground, Places, Side};

/// Nodes of a patch at most.
const MOST: usize = 4096;
/// Cells of a face that are counted at most.
const MOST_CELLS: i64 = 1 << 20;
/// Cosine of the largest angle between two faces that lie on one another, and between a contact's normal and that of its side (0.1 rad).
const FLAT: f64 = 0.995;
/// Part of the radius of a ball within which it has nodes, where it is not pressed in deeper.
const CAP: f64 = 0.5;
/// Part of the radius within which a ball that is pressed in deep has nodes: at its equator gaps change without end.
const DEEP: f64 = 0.9;
/// Largest change of a node's gap by the way of the bodies: the slope 1/√(1 − DEEP²) of a ball there.
pub(crate) const STEEPEST: f64 = 2.3;
/// Feature of the side that has no grid, with the number of the face that has it.
const GRID: u32 = 3 << 30 | 1 << 29;

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
            let sides = law.and_then(|law| Some((law, places.side(key.shape_a)?, places.side(key.shape_b)?)));
            let from = nodes.len();
            let mut is_seam = false;
            if let Some((law, a, b)) = sides {
                let reach = margin[a.placed.solid.body as usize] + margin[b.placed.solid.body as usize];
                // A ball that turns about its centre comes no nearer. The shared half of the margins has its turning too.
                let turns = |side: &Side<'_>| {
                    if side.placed.solid.is_ball() { turning[side.placed.solid.body as usize] } else { 0.0 }
                };
                let reach = reach - 2.0 * (turns(&a) + turns(&b));
                is_seam = patch((law, places), [a, b], reach, group, (nodes, cell))?;
            }
            if nodes.len() == from && !is_seam {
                group.iter().for_each(|&i| nodes.copy(raw, i as usize));
                cell.resize(nodes.len(), law.map_or(0.0, |law| law.cell));
            }
        }
        Ok((nodes.view(), cell))
    }
}

/// Appends the nodes of two shapes; none where they do not meet in a patch. Returns true over a seam, whose other side carries
/// where this one has no nodes.
fn patch(
    (law, places): (&PatchLaw, Places<'_>),
    [a, b]: [Side<'_>; 2],
    reach: f64,
    group: &[u32],
    out: (&mut DetectedContacts, &mut Vec<f64>),
) -> Result<bool, ContactError> {
    let raw = places.raw;
    let gap = |i: &&u32| raw.gap[**i as usize];
    let Some(&nearest) = group.iter().min_by(|i, j| gap(i).total_cmp(&gap(j))) else { return Ok(false) };
    let n = Vector3::from_column_slice(&raw.normal[3 * nearest as usize..][..3]);
    let mut nodes = Nodes { places, pair: [a.shape, b.shape], reach, out };
    match (a.placed.solid.is_ball(), b.placed.solid.is_ball()) {
        (false, true) => nodes.of_ball(law, a.along(&n), &b, true),
        (true, false) => nodes.of_ball(law, b.along(&-n), &a, false),
        (false, false) => match (a.along(&n), b.along(&-n)) {
            (Some(p), Some(q)) => match foot([&p, &q], &n) {
                Some(true) => nodes.of_faces(law, &p, &b, true),
                Some(false) => nodes.of_faces(law, &q, &a, false),
                None => Ok(false),
            },
            _ => Ok(false),
        },
        (true, true) => Ok(false),
    }
}

/// Returns true if the nodes of two sides are on that of shape b, false if on that of shape a; none where they meet in no patch. `n`: the
/// contact's normal, from a to b.
fn foot([p, q]: [&Ground<'_>; 2], n: &Vector3<f64>) -> Option<bool> {
    match (p.normal().dot(n) > FLAT, -q.normal().dot(n) > FLAT) {
        (true, true) => Some(q.flat.area() < p.flat.area()),
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

/// Nodes of a pair of shapes on their way out.
struct Nodes<'o> {
    places: Places<'o>,
    pair: [u32; 2],
    /// Gap up to which nodes are wanted, m.
    reach: f64,
    out: (&'o mut DetectedContacts, &'o mut Vec<f64>),
}

impl Nodes<'_> {
    /// Nodes of a ball over a flat side that the contact's normal is of: at (x, y) of the side the gap is z_c − √(R² − ρ²), ρ the distance from
    /// the foot of the centre. `is_b`: the ball is shape b. Returns true where the foot is beside the side, over one that is flush with it.
    fn of_ball(
        &mut self,
        law: &PatchLaw,
        ground: Option<Ground<'_>>,
        ball: &Side<'_>,
        is_b: bool,
    ) -> Result<bool, ContactError> {
        let Some(ground) = ground else { return Ok(false) };
        let (centre, radius) = ball.placed.ball();
        let c = ground.frame.point_back(&centre);
        let grid = ground.flat.grid(law.cell, MOST_CELLS);
        let foot = c.xy();
        // Over an edge or corner of a face the normal is another one.
        let is_beside = !ground.flat.holds(&foot);
        let mut flush = self.places.flush_with(&ground, (ball.shape, radius));
        let is_held = !is_beside || flush.any(|side| side.flat.holds(&side.frame.point_back(&centre).xy()));
        if !(c.z > 0.0 && is_held) {
            return Ok(false);
        }
        // The cell nearest to the foot is within half a diagonal.
        let rise = 0.25 * grid.side.norm_squared() / radius;
        let reach = self.reach.max(c.z - radius + rise);
        let pressed = radius * radius - c.z * c.z;
        let most = if pressed > 0.5 * (CAP * radius).powi(2) { DEEP } else { CAP };
        let cap = (radius * radius - (c.z - reach).max(0.0).powi(2)).clamp(0.0, (most * radius).powi(2));
        self.check((4.0 * cap / (grid.side.x * grid.side.y)).max(1.0))?;
        for at in grid.near(&foot, cap.sqrt()) {
            let x = grid.centre(at);
            let squared = (x - foot).norm_squared();
            if squared <= cap && ground.flat.holds(&x) {
                let gap = c.z - (radius * radius - squared).sqrt();
                let on = [0.0, gap].map(|z| ground.frame.point(&Vector3::new(x.x, x.y, z)));
                self.push((grid.cell, ground.number, at), gap, &ground, on, (is_b, !is_b));
            }
        }
        Ok(is_beside)
    }

    /// Nodes of the faces of a shape that look down on a flat side: grids are the faces', the gap of a node its height over the side. The lowest
    /// node is there in any case. `is_b`: the faces are of shape b. Returns true where all cells are over sides that are flush with this one.
    fn of_faces(
        &mut self,
        law: &PatchLaw,
        ground: &Ground<'_>,
        side: &Side<'_>,
        is_b: bool,
    ) -> Result<bool, ContactError> {
        let mut cells = Vec::new();
        for (face, cosine) in side.all_along(-ground.normal()) {
            let grid = face.flat.grid(law.cell, MOST_CELLS);
            if let Some([n, m]) = grid.count.filter(|[n, m]| n * m > MOST_CELLS) {
                return self.check(n as f64 * m as f64).map(|()| false);
            }
            for at in grid.all() {
                let centre = grid.centre(at);
                if face.flat.holds(&centre) {
                    let x = face.frame.point(&Vector3::new(centre.x, centre.y, 0.0));
                    cells.push((face.number, at, x, grid.cell * cosine.sqrt()));
                }
            }
        }
        let owns = |ground: &Ground<'_>, x: &Vector3<f64>| {
            ground.flat.owns(&ground.frame, &ground.frame.point_back(x).xy())
        };
        if !cells.iter().any(|cell| owns(ground, &cell.2)) {
            let size = (side.shape, side.placed.solid.size());
            let mut flush = self.places.flush_with(ground, size);
            return Ok(flush.any(|other| cells.iter().any(|cell| owns(&other, &cell.2))));
        }
        cells.retain(|cell| owns(ground, &cell.2));
        self.push_lowest(&cells, ground, is_b).map(|()| false)
    }

    /// Appends those of the cells (face, place on its grid, middle, side) that are within reach, the lowest one in any case.
    fn push_lowest(
        &mut self,
        cells: &[(u32, [i64; 2], Vector3<f64>, f64)],
        ground: &Ground<'_>,
        is_b: bool,
    ) -> Result<(), ContactError> {
        let gap = |x: &Vector3<f64>| ground.frame.point_back(x).z;
        let lowest = cells.iter().map(|cell| gap(&cell.2)).fold(f64::INFINITY, f64::min);
        let reach = self.reach.max(lowest);
        let near = || cells.iter().filter(|cell| gap(&cell.2) <= reach);
        self.check(near().count() as f64)?;
        for (face, at, x, cell) in near() {
            let gap = gap(x);
            let on = [x - ground.normal() * gap, *x];
            self.push((*cell, *face, *at), gap, ground, on, (is_b, is_b));
        }
        Ok(())
    }

    /// Appends a node with the side of its square: `on` the ground and on the other shape, which is b or not, as is the shape that the grid is on.
    fn push(
        &mut self,
        (cell, face, [i, j]): (f64, u32, [i64; 2]),
        gap: f64,
        ground: &Ground<'_>,
        [below, above]: [Vector3<f64>; 2],
        (is_b, grid_on_b): (bool, bool),
    ) {
        let features = [(j as u32 & 0xffff) << 16 | i as u32 & 0xffff, GRID | face];
        let features = if grid_on_b { [features[1], features[0]] } else { features };
        let up = ground.normal();
        let places = if is_b { [up, below, above] } else { [-up, above, below] };
        self.out.0.push(self.pair, features, gap, places, 0);
        self.out.1.push(cell);
    }

    fn check(&self, nodes: f64) -> Result<(), ContactError> {
        let [shape_a, shape_b] = self.pair;
        if nodes <= MOST as f64 {
            return Ok(());
        }
        Err(ContactError::TooManyNodes { shape_a, shape_b, nodes, most: MOST })
    }
}

#[cfg(test)]
mod tests;
