//! Nodes of two shapes that meet in a patch.

use nalgebra::Vector3;

use super::flat::Grid;
use super::places::{Ground, Places, Side};
use super::surface::{FLUSH, NARROW, Surface};
use crate::contact::{ContactError, ContactKey, DetectedContacts};
use crate::model::PatchLaw;

/// Nodes of a patch at most.
pub(super) const MOST: usize = 4096;
/// Cells of a face that are counted at most.
const MOST_CELLS: i64 = 1 << 20;
/// Part of the radius of a ball within which it has nodes, where it is not pressed in deeper.
const CAP: f64 = 0.5;
/// Part of the radius within which a ball that is pressed in deep has nodes: at its equator gaps change without end.
const DEEP: f64 = 0.9;
/// Largest change of a node's gap by the way of the bodies: the slope 1/√(1 − DEEP²) of a ball there.
pub(crate) const STEEPEST: f64 = 2.3;
/// Feature of the side that has no grid, with the number of the face that has it.
pub(super) const GRID: u32 = 3 << 30 | 1 << 29;

/// A cell of a face.
struct Cell {
    face: u32,
    /// Place on the grid.
    at: [i64; 2],
    /// Middle, world, m.
    x: Vector3<f64>,
    /// Side of the square that has its area as the ground sees it, m.
    side: f64,
}

/// Nodes of a pair of shapes on their way out.
pub(super) struct Nodes<'o> {
    pub(super) places: Places<'o>,
    pub(super) pair: [u32; 2],
    /// Gap up to which nodes are wanted, m.
    pub(super) reach: f64,
    pub(super) out: (&'o mut DetectedContacts, &'o mut Vec<f64>),
}

impl Nodes<'_> {
    /// Nodes of a ball over a flat side that the contact's normal is of: at (x, y) of the side the gap is z_c − √(R² − ρ²), ρ the distance from
    /// the foot of the centre. `is_b`: the ball is shape b. Returns true if the ball is over the side, or over one that is flush with it.
    pub(super) fn of_ball(
        &mut self,
        law: &PatchLaw,
        surface: &Surface<'_>,
        ball: &Side<'_>,
        is_b: bool,
    ) -> Result<bool, ContactError> {
        let (centre, radius) = ball.placed.ball();
        let ground = &surface.ground;
        let c = ground.frame.point_back(&centre);
        // Over an edge or corner of a surface the normal is another one. A gap that is narrow beside the depth is none.
        let off = (NARROW * (radius - c.z)).max(FLUSH * radius);
        if !(c.z > 0.0 && surface.is_near(&centre, off)) {
            return Ok(false);
        }
        let grid = ground.flat.grid(law.cell, MOST_CELLS);
        let cap = self.cap(&grid, radius, c.z);
        self.check((4.0 * cap / (grid.side.x * grid.side.y)).max(1.0))?;
        for at in grid.near(&c.xy(), cap.sqrt()) {
            let x = grid.centre(at);
            let squared = (x - c.xy()).norm_squared();
            if squared <= cap && ground.flat.holds(&x) {
                let gap = c.z - (radius * radius - squared).sqrt();
                let on = [0.0, gap].map(|z| ground.frame.point(&Vector3::new(x.x, x.y, z)));
                if !surface.is_covered(&on[0]) {
                    self.push((grid.cell, ground.number, at), gap, ground, on, (is_b, !is_b));
                }
            }
        }
        Ok(true)
    }

    /// Square of the radius around the foot of a ball within which it has nodes, m². `height`: of its centre, m.
    fn cap(&self, grid: &Grid, radius: f64, height: f64) -> f64 {
        // The cell nearest to the foot is within half a diagonal.
        let rise = 0.25 * grid.side.norm_squared() / radius;
        let reach = self.reach.max(height - radius + rise);
        let pressed = radius * radius - height * height;
        let most = if pressed > 0.5 * (CAP * radius).powi(2) { DEEP } else { CAP };
        (radius * radius - (height - reach).max(0.0).powi(2)).clamp(0.0, (most * radius).powi(2))
    }

    /// Nodes of the faces of a shape that look down on a flat side: grids are the faces', the gap of a node its height over the side. The lowest
    /// node is there in any case. `is_b`: the faces are of shape b. Returns true if there are cells over the side, or over one that is flush
    /// with it and carries them.
    pub(super) fn of_faces(
        &mut self,
        law: &PatchLaw,
        surface: &Surface<'_>,
        side: &Side<'_>,
        is_b: bool,
    ) -> Result<bool, ContactError> {
        let off = FLUSH * side.placed.solid.size();
        let mut siblings = self.places.neighbours(side, surface.ground.shape);
        siblings.retain(|other| other.placed.solid.body == side.placed.solid.body);
        let mut cells = Vec::new();
        for (face, cosine) in side.all_along(-surface.ground.normal()) {
            self.cells_of(law, (face, cosine), (&siblings, off), &mut cells)?;
        }
        let is_over = cells.iter().any(|cell| surface.is_under(&cell.x));
        cells.retain(|cell| surface.carries(&cell.x));
        self.push_lowest(&cells, &surface.ground, is_b)?;
        Ok(is_over)
    }

    /// Appends the cells of a face that no other shape of its body hides. Of flush faces that overlap one has them.
    fn cells_of(
        &self,
        law: &PatchLaw,
        (face, cosine): (Ground<'_>, f64),
        (siblings, off): (&[Side<'_>], f64),
        out: &mut Vec<Cell>,
    ) -> Result<(), ContactError> {
        let grid = face.flat.grid(law.cell, MOST_CELLS);
        if let Some([n, m]) = grid.count.filter(|[n, m]| n * m > MOST_CELLS) {
            return self.check(n as f64 * m as f64);
        }
        let (n, number, side) = (face.normal(), face.number, grid.cell * cosine.sqrt());
        let face = Surface::of(face, siblings, off);
        for at in grid.all() {
            let centre = grid.centre(at);
            if face.ground.flat.holds(&centre) {
                let x = face.ground.frame.point(&Vector3::new(centre.x, centre.y, 0.0));
                if !face.is_covered(&x) && !siblings.iter().any(|other| other.hides(&x, &n, off)) {
                    out.push(Cell { face: number, at, x, side });
                }
            }
        }
        Ok(())
    }

    /// Appends those of the cells that are within reach, the lowest one in any case.
    fn push_lowest(&mut self, cells: &[Cell], ground: &Ground<'_>, is_b: bool) -> Result<(), ContactError> {
        let gap = |x: &Vector3<f64>| ground.frame.point_back(x).z;
        let lowest = cells.iter().map(|cell| gap(&cell.x)).fold(f64::INFINITY, f64::min);
        let reach = self.reach.max(lowest);
        let near = || cells.iter().filter(|cell| gap(&cell.x) <= reach);
        self.check(near().count() as f64)?;
        for cell in near() {
            let gap = gap(&cell.x);
            let on = [cell.x - ground.normal() * gap, cell.x];
            self.push((cell.side, cell.face, cell.at), gap, ground, on, (is_b, is_b));
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

/// Returns true if two nodes are one cell of the grid of one shape, over two others.
pub(crate) fn is_same_cell(k: &ContactKey, l: &ContactKey) -> bool {
    let is_on_grid = |feature: u32| feature & GRID == GRID;
    let is_same = k.feature_a == l.feature_a && k.feature_b == l.feature_b;
    let (a, b) = (k.shape_a == l.shape_a, k.shape_b == l.shape_b);
    is_same && (a && !b && is_on_grid(k.feature_b) || b && !a && is_on_grid(k.feature_a))
}
