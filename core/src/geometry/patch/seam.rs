//! The ground of two shapes at a seam.
//!
//! A body that stands on the surface of several shapes meets each of them in contacts of their own. At a seam a detector may find a way out
//! through the flank of one shape, which the other hides, or over an edge that the surface does not have. There the ground is the side over which
//! the other body is least deep, all of its shapes that are flush taken as one.

use nalgebra::Vector3;

use super::FLAT;
use super::places::{Ground, Places, Side};
use super::surface::{DEEPEST, Surface, width, width_below};

/// One of two shapes that meet, and what is beside it.
struct Party<'a> {
    side: Side<'a>,
    neighbours: Vec<Side<'a>>,
    /// Its sides at whose seams the contacts are.
    seams: Vec<Ground<'a>>,
    /// Shapes whose sides are flush with those.
    siblings: Vec<u32>,
    /// Places of the contacts on it, m.
    points: Vec<Vector3<f64>>,
    /// Distance below which places are one, m.
    off: f64,
}

impl<'a> Party<'a> {
    /// A shape that meets another at these places.
    fn new(
        places: Places<'a>,
        side: &Side<'a>,
        other: &Side<'a>,
        points: impl Iterator<Item = Vector3<f64>>,
    ) -> Self {
        let neighbours = places.neighbours(side, other.shape);
        let off = width(side, other);
        let points = if neighbours.is_empty() { Vec::new() } else { points.collect() };
        let mut party =
            Self { side: *side, neighbours, seams: Vec::new(), siblings: Vec::new(), points, off };
        if !party.neighbours.is_empty() {
            side.grounds().for_each(|ground| party.add(ground, other));
        }
        party
    }

    /// Takes up a side if a contact is on its seam with a flush side of another shape. `above`: the shape that meets it.
    fn add(&mut self, ground: Ground<'a>, above: &Side<'_>) {
        let off = width_below(&self.side, above, &ground);
        let surface = Surface::of(ground, &self.neighbours, off);
        let (n, place) = (surface.ground.normal(), surface.ground.frame.at);
        let feet = self.points.iter().map(|x| x - n * n.dot(&(x - place)));
        let seen: Vec<_> = feet.filter(|x| !self.is_hidden(x, &n, off)).collect();
        let is_at_seam = |other: &Ground<'_>| {
            seen.iter().any(|x| surface.ground.inside(x) >= -off && other.inside(x) >= -off)
        };
        if surface.beside.iter().any(is_at_seam) {
            self.siblings.extend(surface.beside.iter().map(|side| side.shape));
            self.seams.push(surface.ground);
        }
    }

    /// The side that a normal is of, where a contact sees it.
    fn seen(&self, n: &Vector3<f64>) -> Option<Ground<'a>> {
        let side = self.side.along(n).filter(|side| side.normal().dot(n) > FLAT)?;
        let is_seen = |x: &Vector3<f64>| !self.is_hidden(x, &side.normal(), self.off);
        (self.neighbours.is_empty() || self.points.iter().any(is_seen)).then_some(side)
    }

    /// Returns true if a neighbour hides a side with this normal at a point, and reaches above it by more than so much, m.
    fn is_hidden(&self, x: &Vector3<f64>, n: &Vector3<f64>, off: f64) -> bool {
        self.neighbours.iter().any(|other| other.hides(x, n, off))
    }

    /// Depth of the shape and of those that are flush with it below a side of the other, m.
    fn depth(&self, ground: &Ground<'_>) -> f64 {
        let siblings = self.neighbours.iter().filter(|side| self.siblings.contains(&side.shape));
        siblings.chain([&self.side]).map(|side| side.below(ground)[0]).fold(f64::MIN, f64::max)
    }

    /// Returns true if the shape stands on a side of the other, and is not deep below it.
    fn stands_on(&self, ground: &Ground<'_>) -> bool {
        let [depth, height] = self.side.below(ground);
        depth <= DEEPEST * height
    }

    /// Returns true if the contacts are at no seam, or on an edge of the surface with this normal.
    fn has_edge(&self, n: &Vector3<f64>) -> bool {
        self.seams.is_empty() || self.is_of_edge(n)
    }

    /// Returns true if a normal is one of an edge between two sides, both of which the contacts are on.
    fn is_of_edge(&self, n: &Vector3<f64>) -> bool {
        let height = |side: &Ground<'_>, x: &Vector3<f64>| side.frame.point_back(x).z.abs();
        let is_on = |side: &&Ground<'_>| self.points.iter().any(|x| height(side, x) <= self.off);
        let normals = || self.seams.iter().filter(is_on).map(Ground::normal);
        let is_between = |s: Vector3<f64>, t: Vector3<f64>| {
            let cross = s.cross(&t);
            let across = cross.normalize().dot(n);
            cross.norm() > 0.1
                && across * across <= 1.0 - FLAT * FLAT
                && s.cross(n).dot(&cross) >= 0.0
                && n.cross(&t).dot(&cross) >= 0.0
        };
        normals().any(|s| normals().any(|t| is_between(s, t)))
    }
}

impl<'a> Places<'a> {
    /// Normal of the contacts of two shapes, from a to b: that of the nearest one, or at a seam that of the ground there.
    pub(super) fn normal(self, [a, b]: [&Side<'a>; 2], group: &[u32]) -> Option<Vector3<f64>> {
        let raw = self.raw;
        let gap = |i: &&u32| raw.gap[**i as usize];
        let nearest = *group.iter().min_by(|i, j| gap(i).total_cmp(&gap(j)))? as usize;
        let at = |list: &[f64], i: usize| Vector3::from_column_slice(&list[3 * i..][..3]);
        let n = at(raw.normal, nearest);
        let points = |list: &'a [f64]| group.iter().map(move |i| at(list, *i as usize));
        let (a, b) =
            (Party::new(self, a, b, points(raw.point_a)), Party::new(self, b, a, points(raw.point_b)));
        if a.seams.is_empty() && b.seams.is_empty() {
            return Some(n);
        }
        let (p, q) = (a.seen(&n), b.seen(&-n));
        if p.is_none() && q.is_none() && a.has_edge(&n) && b.has_edge(&-n) {
            return Some(n);
        }
        let up = a.seams.iter().chain(&p).filter(|ground| b.stands_on(ground));
        let down = b.seams.iter().chain(&q).filter(|ground| a.stands_on(ground));
        let normals = up.map(|ground| (ground.normal(), b.depth(ground)));
        let normals = normals.chain(down.map(|ground| (-ground.normal(), a.depth(ground))));
        let least = normals.min_by(|(_, i), (_, j)| i.total_cmp(j));
        Some(least.map_or(n, |(n, _)| n))
    }
}
