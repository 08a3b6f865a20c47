//! Flat sides of shapes, and the grid on them.

use nalgebra::{Matrix3, Vector2, Vector3};

use crate::contact::tangent_basis;
use crate::geometry::Frame;
use crate::geometry::core::Core;
use crate::geometry::solid::Solid;

/// Rounding of places, part of the size of a solid.
const SAME: f64 = 1e-9;
/// Part of the size of a hull by which corners may be off the plane of a face: corners that were rounded (to six digits, to single precision)
/// belong to one face.
const COPLANAR: f64 = 1e-5;

/// A flat side of a shape.
#[derive(Debug, Clone)]
pub(super) struct Flat {
    /// In the axes of the shape: origin on the side, z outward.
    pub(super) frame: Frame,
    /// Corners in (x, y) of the frame, counter-clockwise, m; none where the side has no end.
    outline: Vec<Vector2<f64>>,
}

/// A grid on a flat side: the centre of cell (i, j) is at first + (i, j) · side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) first: Vector2<f64>,
    pub(super) side: Vector2<f64>,
    /// Side of the square with the area of a cell, m.
    pub(super) cell: f64,
    /// Cells along x and y; none: the grid has no end.
    pub(super) count: Option<[i64; 2]>,
}

impl Flat {
    /// The flat sides of a spatial solid: half-spaces, boxes, convex hulls. Others have none.
    pub(super) fn of_solid(solid: &Solid) -> Vec<Self> {
        match &solid.core {
            Core::Half(up) => {
                vec![Self { frame: frame(Vector3::zeros(), up), outline: Vec::new() }]
            }
            Core::Box(half) if solid.radius == 0.0 => {
                let corner = |k: usize| {
                    let sign = |axis: usize| if k >> axis & 1 == 0 { 1.0 } else { -1.0 };
                    Vector3::new(sign(0) * half.x, sign(1) * half.y, sign(2) * half.z)
                };
                let corners: Vec<_> = (0..8).map(corner).collect();
                let axes = (0..3).flat_map(|axis| [1.0, -1.0].map(|sign| Vector3::ith(axis, sign)));
                axes.filter_map(|n| Self::face(&n, &corners, solid.size())).collect()
            }
            Core::Hull(boundary) if solid.radius == 0.0 && !boundary.is_planar() => {
                let corners: Vec<_> = boundary.corners().collect();
                let normals: Vec<_> = boundary.planes().map(|(n, _)| n).collect();
                Self::of_hull(&corners, &normals, solid.size())
            }
            _ => Vec::new(),
        }
    }

    /// The faces of a hull. Triangles of one face whose corners were rounded have normals of their own, and each finds a part of the face's
    /// corners: the largest of such sets is the face.
    fn of_hull(corners: &[Vector3<f64>], normals: &[Vector3<f64>], size: f64) -> Vec<Self> {
        let mut faces: Vec<(Vector3<f64>, Vec<usize>)> = Vec::new();
        for n in normals {
            let top = highest(n, corners);
            let on: Vec<usize> =
                (0..corners.len()).filter(|k| n.dot(&corners[*k]) >= top - COPLANAR * size).collect();
            let holds = |all: &[usize], some: &[usize]| some.iter().all(|k| all.contains(k));
            if !faces.iter().any(|(_, face)| holds(face, &on)) {
                faces.retain(|(_, face)| !holds(&on, face));
                faces.push((*n, on));
            }
        }
        let points = |on: &[usize]| on.iter().map(|k| corners[*k]).collect::<Vec<_>>();
        faces.iter().filter_map(|(n, on)| Self::through(n, &points(on))).collect()
    }

    /// The face of a convex solid that looks along n: the corners farthest that way.
    fn face(n: &Vector3<f64>, corners: &[Vector3<f64>], size: f64) -> Option<Self> {
        let top = highest(n, corners);
        let on: Vec<_> = corners.iter().filter(|x| n.dot(x) >= top - SAME * size).copied().collect();
        Self::through(n, &on)
    }

    /// The face with a normal through corners, around their middle.
    fn through(n: &Vector3<f64>, on: &[Vector3<f64>]) -> Option<Self> {
        if on.len() < 3 {
            return None;
        }
        let frame = frame(on.iter().sum::<Vector3<f64>>() / on.len() as f64, n);
        let mut outline: Vec<_> = on.iter().map(|x| frame.point_back(x).xy()).collect();
        outline.sort_by(|a, b| a.y.atan2(a.x).total_cmp(&b.y.atan2(b.x)));
        Some(Self { frame, outline })
    }

    /// Returns true if it has no end.
    pub(super) fn is_unbounded(&self) -> bool {
        self.outline.is_empty()
    }

    /// Returns true if (x, y) lies on the side.
    pub(super) fn holds(&self, x: &Vector2<f64>) -> bool {
        self.inside(x) >= 0.0
    }

    /// Distance of (x, y) from the nearest edge, m, less than 0 beyond it; ∞ where the side has no end.
    pub(super) fn inside(&self, x: &Vector2<f64>) -> f64 {
        let n = self.outline.len();
        let from_edge = |i: usize| {
            let edge = self.outline[(i + 1) % n] - self.outline[i];
            edge.perp(&(x - self.outline[i])) / edge.norm()
        };
        (0..n).map(from_edge).fold(f64::INFINITY, f64::min)
    }

    /// Returns true if (x, y) lies on the side, and on no other that shares an edge with it: of two sides one owns the edge. `placed`: where the
    /// side is in the world.
    pub(super) fn owns(&self, placed: &Frame, x: &Vector2<f64>) -> bool {
        let n = self.outline.len();
        (0..n).all(|i| {
            let edge = self.outline[(i + 1) % n] - self.outline[i];
            let inside = edge.perp(&(x - self.outline[i]));
            let rounding = SAME * edge.norm_squared();
            if inside.abs() > rounding {
                return inside > 0.0;
            }
            // The other side goes along the edge the other way.
            let along = placed.dir(&Vector3::new(edge.x, edge.y, 0.0));
            let first = along.iter().find(|d| d.abs() > SAME * edge.norm());
            first.is_some_and(|d| *d > 0.0)
        })
    }

    /// Area, m²; ∞ without an end.
    pub(super) fn area(&self) -> f64 {
        let n = self.outline.len();
        let doubled: f64 = (0..n).map(|i| self.outline[i].perp(&self.outline[(i + 1) % n])).sum();
        if n == 0 { f64::INFINITY } else { 0.5 * doubled }
    }

    /// The grid with cells of about this side. A side with an end is divided into equal cells over the rectangle around it, and the
    /// cells whose centres lie on it share its area. `most`: of more cells the area of each is its own.
    pub(super) fn grid(&self, cell: f64, most: i64) -> Grid {
        let Some(first) = self.outline.first() else {
            let side = Vector2::repeat(cell);
            return Grid { first: Vector2::zeros(), side, cell, count: None };
        };
        let (low, high) = self.outline.iter().fold((*first, *first), |(l, h), x| (l.inf(x), h.sup(x)));
        let along = |k: usize| ((high[k] - low[k]) / cell - SAME).ceil().clamp(1.0, 1e6);
        let count = [along(0), along(1)];
        let side = Vector2::new((high.x - low.x) / count[0], (high.y - low.y) / count[1]);
        let mut grid = Grid {
            first: low + side * 0.5,
            side,
            cell: (side.x * side.y).sqrt(),
            count: Some(count.map(|n| n as i64)),
        };
        if count[0] * count[1] <= most as f64 {
            let inside = grid.all().filter(|&at| self.holds(&grid.centre(at))).count();
            grid.cell = (self.area() / inside.max(1) as f64).sqrt();
        }
        grid
    }
}

impl Grid {
    /// Centre of a cell, m.
    pub(super) fn centre(&self, [i, j]: [i64; 2]) -> Vector2<f64> {
        self.first + Vector2::new(i as f64 * self.side.x, j as f64 * self.side.y)
    }

    /// All cells of a grid with an end, row by row.
    pub(super) fn all(&self) -> impl Iterator<Item = [i64; 2]> + use<> {
        let [n, m] = self.count.unwrap_or_default();
        (0..m).flat_map(move |j| (0..n).map(move |i| [i, j]))
    }

    /// The cells whose centres are within a square of half side r around a place, row by row.
    pub(super) fn near(&self, place: &Vector2<f64>, r: f64) -> impl Iterator<Item = [i64; 2]> + use<> {
        let [x, y] = [0, 1].map(|k| self.range(place[k], r, k));
        (y[0]..=y[1]).flat_map(move |j| (x[0]..=x[1]).map(move |i| [i, j]))
    }

    fn range(&self, at: f64, r: f64, axis: usize) -> [i64; 2] {
        let index = |x: f64| (x - self.first[axis]) / self.side[axis];
        let (low, high) = (index(at - r).ceil() as i64, index(at + r).floor() as i64);
        match self.count {
            Some(count) => [low.max(0), high.min(count[axis] - 1)],
            None => [low, high],
        }
    }
}

/// Largest n·x of corners.
fn highest(n: &Vector3<f64>, corners: &[Vector3<f64>]) -> f64 {
    corners.iter().map(|x| n.dot(x)).fold(f64::NEG_INFINITY, f64::max)
}

/// A frame with z along a unit vector.
fn frame(at: Vector3<f64>, z: &Vector3<f64>) -> Frame {
    let x = tangent_basis(z, &Vector3::zeros());
    Frame { at, turn: Matrix3::from_columns(&[x, z.cross(&x), *z]) }
}
