//! One contact: its numbers, its points, its normal.

use nalgebra::Vector3;

use super::said::Said;
use super::standing::Standing;
use super::{DetectorCheck, DetectorReport};
use crate::contact::RawContacts;
use crate::geometry::depth::off_axis;
use crate::geometry::{Placed, Solid};
use crate::lists::at;
use crate::model::ShapeKind;
use crate::stage::DetectQuery;

/// Distance to the surface, part of the size, below which nothing else is checked.
const EXACT: f64 = 1e-9;

/// Distance, part of the size, by which a foot may lie beyond the end of a face. Detectors merge places up to this.
const BEYOND: f64 = 0.01;

/// Gap, part of the size, up to which contacts touch where their normals are judged.
const TOUCHING: f64 = 1e-3;

/// Share of the distance from the world's origin that counts as rounding. With limits of 1e-6 this is 1e-14.
const FAR: f64 = 1e-8;

/// Normals of half-planes and half-spaces are exact, and so are those of discs and balls at their points: their errors count so
/// many times as much as those of other surfaces.
const FLAT: f64 = 1e4;

/// Part of the gap, or the depth, that iteration for the nearest points of shapes leaves, about the root of the machine's precision.
const APART: f64 = 1e-4;

/// Part of the gap where surfaces are round, but for balls and half-spaces: the nearest points run along them as iteration ends.
const ROUND: f64 = 1e-3;

/// Normals of two shapes with straight edges need no iteration: limit of 1e-3 where others have .1.
const CORNERED: f64 = 1e2;

/// Sine of the angle within which detectors count edges as parallel: their common normal is square to both up to this.
const PARALLEL: f64 = 0.02;

/// A side of a contact.
struct Side<'a> {
    placed: &'a Placed<'a>,
    point: Vector3<f64>,
    /// Out of the shape.
    normal: Vector3<f64>,
    /// Active distance of the pair with both radii, m.
    reach: f64,
}

impl DetectorCheck {
    /// Length that errors of a contact are held against, m.
    #[inline]
    pub(super) fn scale(&self, raw: &RawContacts<'_>, i: usize) -> f64 {
        let size = |shape: u32| self.shapes.solid(shape).map_or(f64::INFINITY, Solid::size);
        let points = raw.point_a[3 * i..3 * i + 3].iter().chain(&raw.point_b[3 * i..3 * i + 3]);
        let place = points.fold(0.0, |most: f64, x| if x.abs() > most { x.abs() } else { most });
        size(raw.key[i].shape_a).min(size(raw.key[i].shape_b)) + FAR * place
    }

    /// Returns true if contact i touches without overlap to speak of, as far as its normal is judged by the features there.
    fn touches(&self, raw: &RawContacts<'_>, i: usize, scale: f64) -> bool {
        raw.gap[i].abs() <= TOUCHING * scale
    }

    /// Points and normals of the contacts that touch or overlap, and of contact `next`.
    pub(super) fn judge_touching(
        &self,
        query: &DetectQuery<'_>,
        raw: &Said<'_>,
        next: usize,
        report: &mut DetectorReport,
    ) {
        let mut standing = Standing::default();
        for i in 0..raw.len() {
            let scale = self.scale(raw, i);
            if i == next || raw.gap[i] <= TOUCHING * scale {
                self.judge_places(query, raw, (i, scale, &mut standing), report);
            }
        }
    }

    /// |n| = 1 and gap = n·(p_b − p_a), of all contacts, and bodies that may collide.
    pub(super) fn judge_numbers(&self, raw: &RawContacts<'_>, report: &mut DetectorReport) {
        for i in 0..raw.len() {
            let n = at(raw.normal, i);
            let body = |shape: u32| self.shapes.solid(shape).map(|s| s.body);
            if let (Some(a), Some(b)) = (body(raw.key[i].shape_a), body(raw.key[i].shape_b)) {
                report.barred.offer(f64::from(u8::from(!self.shapes.may_collide(a, b))), i);
            }
            report.unit.offer((n.norm() - 1.0).abs(), i);
            let along = n.dot(&(at(raw.point_b, i) - at(raw.point_a, i)));
            let wrong = (along - raw.gap[i]).abs();
            report.gap.offer(if wrong == 0.0 { 0.0 } else { wrong / self.scale(raw, i) }, i);
        }
    }

    /// Points on the surfaces and the normal, of contact i, whose errors are held against `scale`, m.
    pub(super) fn judge_places<'a>(
        &'a self,
        query: &DetectQuery<'_>,
        raw: &Said<'_>,
        (i, scale, standing): (usize, f64, &mut Standing<'a>),
        report: &mut DetectorReport,
    ) {
        let (key, n) = (raw.key[i], at(raw.normal, i));
        let is_grouped = raw.has_alternative(i);
        // Ways out of what has notches, or siblings, go along the planes of faces that are not the nearest ones.
        let notched = |shape: u32| {
            self.joined[shape as usize] || self.shapes.solid(shape).is_some_and(|s| !s.is_convex())
        };
        let is_notched = notched(key.shape_a) || notched(key.shape_b);
        let overlap = || self.reported(raw, key.shape_a, key.shape_b).gap < 0.0;
        let extends = || is_grouped || (is_notched && overlap());
        let margin = |s: &Solid| query.margin[s.body as usize] + s.radius();
        let reach = [key.shape_a, key.shape_b].map(|s| self.shapes.solid(s).map_or(0.0, margin)).iter().sum();
        let pair = [key.shape_a, key.shape_b];
        let Some([a, b]) = standing.place(&self.shapes, query.pose, pair) else { return };
        let side = |placed, point, normal| Side { placed, point, normal, reach };
        let (a, b) = (side(a, at(raw.point_a, i), n), side(b, at(raw.point_b, i), -n));
        report.contacts += 1;
        let found = left_by_iteration(a.placed.solid, b.placed.solid) * raw.gap[i].abs();
        for side in [&a, &b] {
            let off = self.off_surface(query, side, &extends, scale);
            report.surface.offer((off - found).max(0.0) / scale, i);
        }
        let exact = |side: &Side<'_>| match side.placed.solid.is_unbounded() || side.placed.solid.is_ball() {
            true => FLAT * side.placed.fit(&side.point, &side.normal).cone,
            false => 0.0,
        };
        report.normal.offer(exact(&a).max(exact(&b)), i);
        // Of features that are apart the lines and planes may end before the contact: their normals say nothing yet.
        if self.touches(raw, i, scale) {
            let cornered = !is_notched && a.placed.solid.has_corners() && b.placed.solid.has_corners();
            let mut tilted = tilt(&a, &b);
            if is_grouped {
                // Alternatives are planes that go on beyond their faces: their directions alone are known.
                let axis =
                    if is_notched { None } else { off_axis(a.placed, b.placed, &n, self.shapes.space) };
                tilted = tilted.min(axis.unwrap_or(0.0));
            }
            report.normal.offer(if cornered { CORNERED } else { 1.0 } * tilted, i);
        }
    }

    /// How far the point is from where it may be, m. `extends`: whether the planes of faces go on beyond their ends.
    fn off_surface(
        &self,
        query: &DetectQuery<'_>,
        side: &Side<'_>,
        extends: &dyn Fn() -> bool,
        scale: f64,
    ) -> f64 {
        let Side { placed, point, normal, reach } = side;
        let mut off = placed.signed_distance(point).abs();
        if off <= EXACT * scale {
            return off;
        }
        let radius = placed.solid.radius();
        if radius > 0.0 {
            off = off.min(placed.core_distance(&(point - normal * radius)));
        }
        let mut height = placed.height_over_face(point, normal);
        let extends = extends();
        if extends && placed.solid.is_convex() {
            // Also lines of edges go on: in the plane that holds the shape on one side.
            height = height.min((placed.extent(normal) - normal.dot(point)).abs());
        }
        let notch = || placed.is_beyond_notch(point, normal, *reach);
        let may =
            || extends || off <= BEYOND * scale || self.is_within(query, placed.solid, point) || notch();
        if height < off && may() { height } else { off }
    }

    /// Returns true if a polygon of the same body holds the point: behind the end of an edge in a notch or at a seam.
    fn is_within(&self, query: &DetectQuery<'_>, solid: &Solid, point: &Vector3<f64>) -> bool {
        let frame = self.shapes.frame(query.pose, solid.body);
        let siblings = self.shapes.solids.iter().flatten().filter(|s| s.body == solid.body);
        solid.kind == ShapeKind::Polygon && siblings.map(|s| s.place(&frame)).any(|s| s.polygon_holds(point))
    }
}

/// Part of the gap of two shapes by which points may be off their surfaces.
fn left_by_iteration(a: &Solid, b: &Solid) -> f64 {
    let exact = |s: &Solid| s.is_ball() || s.is_unbounded();
    let is_round = |s: &Solid| !exact(s) && !s.has_corners() && s.is_convex();
    if !exact(a) && !exact(b) && (is_round(a) || is_round(b)) { ROUND } else { APART }
}

/// How far the normal is from any that the shapes allow there.
fn tilt(a: &Side<'_>, b: &Side<'_>) -> f64 {
    let (mut of_a, mut of_b) = (a.placed.fit(&a.point, &a.normal), b.placed.fit(&b.point, &b.normal));
    let round = |fit: &crate::geometry::feature::Fit| if fit.is_round { fit.cone } else { 0.0 };
    let closest = of_a.cone.max(of_b.cone);
    if closest <= EXACT {
        return closest;
    }
    a.placed.look_closer(&a.point, &a.normal, &mut of_a);
    b.placed.look_closer(&b.point, &b.normal, &mut of_b);
    let faces = of_a.face.max(round(&of_b)).min(of_b.face.max(round(&of_a)));
    let right_way = of_a.is_upper || of_b.is_upper;
    let edges = if right_way { (of_a.edge.max(of_b.edge) - PARALLEL).max(0.0) } else { f64::INFINITY };
    closest.min(faces).min(edges)
}
