//! Separating axes of two polytopes near a place where they are close, one row each.

use crate::feature;
use crate::manifold::Point;
use crate::math::{line_parameters, segment_parameter};
use crate::polytope::Polytope;
use vinci_detect::{Frame, Vec3};

/// Edges that cross under less than this sine have no normal to rely on.
const PARALLEL: f64 = 0.02;
/// Sine up to which a direction counts as in the normal cone of an edge: that of rounding.
const IN_CONE: f64 = 1e-9;
/// Sine of the turn after which the support vertex of a sturdy axis is still the same.
const STURDY: f64 = 0.479;

/// A polytope and where it is.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    pub(crate) polytope: &'a Polytope,
    pub(crate) frame: &'a Frame,
}

impl Body<'_> {
    fn vertex(&self, v: u32) -> Vec3 {
        self.frame.point(&self.polytope.vertices[v as usize])
    }

    fn vertices(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.polytope.vertices.iter().map(|v| self.frame.point(v))
    }

    /// An edge as its start and its way.
    fn edge(&self, e: usize) -> (Vec3, Vec3) {
        let [v, w] = self.polytope.edges[e];
        (self.vertex(v), self.vertex(w) - self.vertex(v))
    }

    fn edge_is_near(&self, e: usize, place: &Vec3, reach: f64) -> bool {
        let (p, d) = self.edge(e);
        (p + d * segment_parameter(place, &p, &(p + d)) - place).norm() <= reach
    }

    /// Returns true if an edge of a face is within reach of a place, where something can pass the face's end.
    fn ends_near(&self, face: usize, place: &Vec3, reach: f64) -> bool {
        let face = &self.polytope.faces[face];
        let edges = &self.polytope.loop_edges[face.start..face.start + face.len];
        edges.iter().any(|&e| self.edge_is_near(e as usize, place, reach))
    }

    fn allows(&self, edge: usize, n: &Vec3) -> bool {
        self.polytope.edge_allows(edge as u32, &self.frame.dir_back(n), IN_CONE)
    }
}

/// A row that parts the bodies where it is open.
pub(crate) struct Axis {
    pub(crate) point: Point,
    /// True if the same vertex is the support after a small turn.
    pub(crate) sturdy: bool,
}

/// Two polytopes in the frame of the first and a contact between them.
pub(crate) struct PolytopeContact<'a> {
    pub(crate) bodies: [Body<'a>; 2],
    pub(crate) on: [Vec3; 2],
    /// How far places may move in the step, m.
    pub(crate) reach: f64,
    /// Heights closer than this are one, m.
    pub(crate) merge: f64,
}

impl PolytopeContact<'_> {
    /// Calls `take` with all axes that can be open at the end of the step and whose row acts within reach of the place:
    /// s_g = min_w n_g·(w − x_g) over the vertices w of the other body, for the faces g of both; then crossings of edges.
    pub(crate) fn axes(&self, ties: &mut Vec<Vec3>, take: &mut dyn FnMut(Axis)) {
        for owner in [0, 1] {
            for g in 0..self.bodies[owner].polytope.faces.len() {
                self.face(owner, g, ties).into_iter().for_each(&mut *take);
            }
        }
        let near = |side: usize| {
            let body = self.bodies[side];
            let edges = 0..body.polytope.edges.len();
            edges.filter(move |&e| body.edge_is_near(e, &self.on[side], self.reach))
        };
        for a in near(0) {
            for b in near(1) {
                self.crossing(a, b).into_iter().for_each(&mut *take);
            }
        }
    }

    /// The other body's lowest place over face g of body `owner`, of several the closest to the contact.
    fn face(&self, owner: usize, g: usize, ties: &mut Vec<Vec3>) -> Option<Axis> {
        let (x, y) = (self.bodies[owner], self.bodies[1 - owner]);
        if !x.ends_near(g, &self.on[owner], self.reach) {
            return None;
        }
        let face = &x.polytope.faces[g];
        let n = x.frame.dir(&face.normal);
        let origin = x.vertex(x.polytope.loop_vertices[face.start]);
        let height = |p: &Vec3| n.dot(&(p - origin));
        let lowest = y.vertices().map(|p| height(&p)).fold(f64::MAX, f64::min);
        if lowest < -self.reach {
            return None;
        }
        ties.clear();
        ties.extend(y.vertices().filter(|p| height(p) <= lowest + self.merge));
        let at = &self.on[1 - owner];
        let low = closest_of(ties, at);
        if (low - at).norm() > self.reach {
            return None;
        }
        let gap = height(&low);
        let above = |p: Vec3| height(&p) - gap >= STURDY * (p - low).norm();
        let sturdy = ties.len() == 1 && y.vertices().all(above);
        let (id, foot) = (feature::FACE | g as u32, low - n * gap);
        Some(Axis { point: point(owner, [id, 0], gap, n, [foot, low]), sturdy })
    }

    /// The crossing of two edges whose common normal lies in the normal cones of both.
    fn crossing(&self, a: usize, b: usize) -> Option<Axis> {
        let [of_a, of_b] = self.bodies;
        let ((p, d), (q, e)) = (of_a.edge(a), of_b.edge(b));
        let c = d.cross(&e);
        if c.norm() < PARALLEL * d.norm() * e.norm() {
            return None;
        }
        let c = c.normalize();
        let n = [c, -c].into_iter().find(|n| of_a.allows(a, n) && of_b.allows(b, &-n))?;
        let (s, t) = line_parameters(&p, &d, &q, &e)?;
        let on = [p + d * s, q + e * t];
        let gap = n.dot(&(on[1] - on[0]));
        let far = |side: usize| (on[side] - self.on[side]).norm() > self.reach;
        if gap < -self.reach || far(0) || far(1) {
            return None;
        }
        let id = [feature::EDGE | a as u32, feature::EDGE | b as u32];
        Some(Axis { point: point(0, id, gap, n, on), sturdy: false })
    }
}

/// The point of the hull of a few points that is closest to `x`, up to its inside.
fn closest_of(points: &[Vec3], x: &Vec3) -> Vec3 {
    let mut best = points[0];
    for (i, p) in points.iter().enumerate() {
        for q in &points[i..] {
            let r = p + (q - p) * segment_parameter(x, p, q);
            if (r - x).norm_squared() < (best - x).norm_squared() {
                best = r;
            }
        }
    }
    best
}

/// A row of body `owner` (its feature, normal and place first), turned to the order of the pair.
fn point(owner: usize, id: [u32; 2], gap: f64, n: Vec3, on: [Vec3; 2]) -> Point {
    if owner == 0 {
        Point { feature_a: id[0], feature_b: id[1], gap, normal: n, on_a: on[0], on_b: on[1], group: 0 }
    } else {
        Point { feature_a: id[1], feature_b: id[0], gap, normal: -n, on_a: on[1], on_b: on[0], group: 0 }
    }
}
