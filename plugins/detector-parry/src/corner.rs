//! Alternatives at convex edges and corners of polytopes.
//!
//! Near a convex edge of Q free space is a union: what touches one face may pass the edge within the step and then lie beside
//! the other. A row of the first face alone goes on beyond its end, a wall where no body is. With (ψ_g, n_g) the height over
//! the plane of face g of Q, the contacts get OR groups:
//!
//! - **vertex over face f**: v against f and against every face g of Q that meets f within `reach` of v's foot, if v faces g,
//!   or if all of P may leap past the end of f in the step. In the latter case the vertex of P that is last to pass stands in
//!   for v: before P has passed as a whole, the plane of f holds v in the place of what is behind it;
//! - **edge across edge**: the crossing, or the end of one edge that may pass the other, beyond the face of the other it then
//!   lies beside. (Crossings near the ends of both edges get both ends.)
//! - **closest points at a vertex** v, where no face looks at another: v against all faces of Q around the closest point, in
//!   place of the contact, if v faces them all without turning: then Q and P are apart iff one of the ψ_g is ≥ 0.
//!
//! v *faces* g where all edges of P at v recede from the plane of g, or would after a turn by 0.5 rad.

use crate::manifold::{Point, Scale};
use crate::math::segment_parameter;
use crate::polytope::Polytope;
use crate::solid::feature;
use vinci_detect::{Frame, Vec3};

/// Sine of the rotation that one step may bring.
const SLACK: f64 = 0.479;
/// Sine of the rotation within which a face is faced without turning.
const EXACT: f64 = 1e-9;
/// An end of an edge passes a face whose normal is within 60° of its way.
const PASSES: f64 = 0.5;

/// A polytope and where it is.
#[derive(Clone, Copy)]
struct Body<'a> {
    polytope: &'a Polytope,
    frame: &'a Frame,
}

impl Body<'_> {
    fn vertex(&self, v: usize) -> Vec3 {
        self.frame.point(&self.polytope.vertices[v])
    }

    fn normal(&self, face: usize) -> Vec3 {
        self.frame.dir(&self.polytope.faces[face].normal)
    }

    /// Signed height of x over the plane of a face.
    fn height(&self, face: usize, x: &Vec3) -> f64 {
        let at = self.vertex(self.polytope.loop_vertices[self.polytope.faces[face].start] as usize);
        self.normal(face).dot(&(x - at))
    }

    /// Whether all edges at vertex v recede from a plane with normal n, up to `slack` (sine).
    fn faces(&self, v: usize, n: &Vec3, slack: f64) -> bool {
        let at = self.vertex(v);
        let ends = |e: &&[u32; 2]| e.contains(&(v as u32));
        self.polytope.edges.iter().filter(ends).all(|&[i, j]| {
            let d = self.vertex((if i as usize == v { j } else { i }) as usize) - at;
            n.dot(&d) >= -slack * d.norm()
        })
    }

    /// What faces f and g share: an edge's ends, or one vertex twice.
    fn shared(&self, f: usize, g: usize) -> Option<[Vec3; 2]> {
        let of = |face: usize| self.polytope.loop_of(&self.polytope.faces[face]);
        let mut both = of(f).iter().filter(|v| of(g).contains(v)).map(|&v| self.vertex(v as usize));
        let first = both.next()?;
        Some([first, both.next().unwrap_or(first)])
    }

    /// The faces on both sides of an edge.
    fn sides(&self, edge: u32) -> impl Iterator<Item = usize> + '_ {
        let of = move |f: &usize| {
            let face = &self.polytope.faces[*f];
            self.polytope.loop_edges[face.start..face.start + face.len].contains(&edge)
        };
        (0..self.polytope.faces.len()).filter(of)
    }
}

/// P meets Q; `turned`: P is the first of the pair.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    p: Body<'a>,
    q: Body<'a>,
    turned: bool,
    reach: f64,
}

impl Meeting<'_> {
    /// The contact of vertex v of P with the plane of face g of Q, under the name of feature `id` of P.
    fn row(&self, v: usize, g: usize, id: u32, group: u32) -> Point {
        let (x, n) = (self.p.vertex(v), self.q.normal(g));
        let gap = self.q.height(g, &x);
        let foot = x - n * gap;
        let (face, normal) = (feature::FACE | g as u32, if self.turned { -n } else { n });
        if self.turned {
            Point { feature_a: id, feature_b: face, gap, normal, on_a: x, on_b: foot, group }
        } else {
            Point { feature_a: face, feature_b: id, gap, normal, on_a: foot, on_b: x, group }
        }
    }

    /// Whether all of P may pass the end of face f towards face g, at `end`, in this step.
    fn leaps(&self, f: usize, g: usize, end: &Vec3) -> bool {
        let (n_f, n_g) = (self.q.normal(f), self.q.normal(g));
        let Some(out) = (n_g - n_f * n_f.dot(&n_g)).try_normalize(1e-9) else { return false };
        let vertices = 0..self.p.polytope.vertices.len();
        vertices.into_iter().all(|v| out.dot(&(self.p.vertex(v) - end)).abs() <= self.reach)
    }

    /// The vertex of P that is last to pass the plane of face g.
    fn last(&self, g: usize) -> usize {
        let height = |v: usize| self.q.height(g, &self.p.vertex(v));
        (1..self.p.polytope.vertices.len()).fold(0, |l, v| if height(v) < height(l) { v } else { l })
    }

    /// Faces of Q that vertex v over face f may come to lie beside, and the vertex that must have passed by then.
    fn beside(&self, v: usize, f: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let x = self.p.vertex(v);
        let foot = x - self.q.normal(f) * self.q.height(f, &x);
        (0..self.q.polytope.faces.len()).filter_map(move |g| {
            let [a, b] = self.q.shared(f, g).filter(|_| g != f)?;
            let end = a + (b - a) * segment_parameter(&foot, &a, &b);
            if (foot - end).norm() > self.reach {
                return None;
            }
            if self.p.faces(v, &self.q.normal(g), SLACK) {
                return Some((v, g));
            }
            self.leaps(f, g, &end).then(|| (self.last(g), g))
        })
    }

    /// The face of Q beside its edge `of_q` that an end of P's edge `of_p` lies beside once it has passed, and that end.
    fn passed(&self, of_p: u32, of_q: u32, crossing: &Vec3) -> Option<(usize, usize)> {
        let [i, j] = self.p.polytope.edges[of_p as usize].map(|v| v as usize);
        let way = |from: usize, to: usize| (self.p.vertex(to) - self.p.vertex(from)).normalize();
        let ends = [(i, way(i, j)), (j, way(j, i))];
        let near = ends.into_iter().filter(|(v, _)| (self.p.vertex(*v) - crossing).norm() <= self.reach);
        near.flat_map(|(v, way)| self.q.sides(of_q).map(move |g| (v, way, g)))
            .find(|(v, way, g)| {
                let n = self.q.normal(*g);
                n.dot(way) >= PASSES && self.p.faces(*v, &n, SLACK)
            })
            .map(|(v, _, g)| (v, g))
    }
}

/// A pair of polytopes in the frame of the first, and where its contacts go.
struct Pass<'a> {
    /// A's vertices against B, B's against A.
    meetings: [Meeting<'a>; 2],
    merge: f64,
    groups: &'a mut u32,
    points: &'a mut Vec<Point>,
}

/// Makes groups of the contacts `points` of two polytopes (frame of A, features of A first); `groups` counts them.
pub(crate) fn alternatives(
    (a, b): (&Polytope, &Polytope),
    b_in_a: &Frame,
    scale: &Scale,
    groups: &mut u32,
    points: &mut Vec<Point>,
) {
    let own = Frame::default();
    let a = Body { polytope: a, frame: &own };
    let b = Body { polytope: b, frame: b_in_a };
    let reach = scale.margin;
    let meetings =
        [Meeting { p: a, q: b, turned: true, reach }, Meeting { p: b, q: a, turned: false, reach }];
    let mut pass = Pass { meetings, merge: scale.merge, groups, points };
    for at in (0..pass.points.len()).rev() {
        let h = pass.points[at];
        match (h.feature_a >> 30, h.feature_b >> 30) {
            (0, 2) => pass.vertex(0, at, h.feature_a as usize, h.feature_b),
            (2, 0) => pass.vertex(1, at, h.feature_b as usize, h.feature_a),
            (1, 1) => pass.crossing(at),
            (0, 1) | (1, 0) | (3, 3) => pass.closest(at),
            _ => {}
        }
    }
}

impl Pass<'_> {
    fn is_there(&self, p: &Point) -> bool {
        self.points.iter().any(|h| (h.feature_a, h.feature_b) == (p.feature_a, p.feature_b))
    }

    /// Adds a row as an alternative to contact `at`, unless there is one of its name.
    fn join(&mut self, at: usize, row: Point) {
        if self.is_there(&row) {
            return;
        }
        if self.points[at].group == 0 {
            *self.groups += 1;
            self.points[at].group = *self.groups;
        }
        let group = self.points[at].group;
        self.points.push(Point { group, ..row });
    }

    fn vertex(&mut self, side: usize, at: usize, v: usize, face: u32) {
        let meeting = self.meetings[side];
        let f = (face & !feature::FACE) as usize;
        for (last, g) in meeting.beside(v, f) {
            self.join(at, meeting.row(last, g, v as u32, 0));
        }
    }

    fn crossing(&mut self, at: usize) {
        let h = self.points[at];
        let edge = [h.feature_a & !feature::EDGE, h.feature_b & !feature::EDGE];
        for (side, on) in [h.on_a, h.on_b].iter().enumerate() {
            let meeting = self.meetings[side];
            if let Some((v, g)) = meeting.passed(edge[side], edge[1 - side], on) {
                self.join(at, meeting.row(v, g, feature::EDGE | edge[side], 0));
            }
        }
    }

    /// Puts the faces around the closest point in the place of contact `at`.
    fn closest(&mut self, at: usize) {
        let h = self.points[at];
        for (side, (x, on)) in [(h.on_a, h.on_b), (h.on_b, h.on_a)].into_iter().enumerate() {
            let (meeting, merge) = (self.meetings[side], self.merge);
            let mut vertices = 0..meeting.p.polytope.vertices.len();
            let Some(v) = vertices.find(|&v| (meeting.p.vertex(v) - x).norm() <= merge) else { continue };
            let count = meeting.q.polytope.faces.len();
            let around: Vec<usize> =
                (0..count).filter(|&g| meeting.q.height(g, &on).abs() <= merge).collect();
            let faced = |g: &usize| meeting.p.faces(v, &meeting.q.normal(*g), EXACT);
            let rows = || around.iter().map(|&g| meeting.row(v, g, v as u32, 0));
            if around.len() < 2 || !around.iter().all(faced) || rows().any(|row| self.is_there(&row)) {
                continue;
            }
            *self.groups += 1;
            let group = *self.groups;
            self.points.remove(at);
            self.points.extend(rows().map(|row| Point { group, ..row }));
            return;
        }
    }
}
