//! Geometry: shapes that are none.

use super::super::compile::doubled_area;
use super::super::hull::{NoHull, convex_hull, open_edge};
use super::super::path::Path;
use super::super::shapes::{Exponents, Shape, ShapeKind};
use super::super::types::Body;
use super::Lint;
use crate::diagnostics::Code;
use nalgebra::Vector3;

impl Lint<'_> {
    /// Returns true if the shapes of a body are sound; reported if not.
    pub(super) fn shapes(&mut self, body: &Body, path: &Path) -> bool {
        let before = self.diagnostics.errors();
        self.shape_list(&body.shapes, body, &path.join("shapes"));
        self.diagnostics.errors() == before && !self.written_but_lost(body, path)
    }

    /// Shapes that were written but did not pass the schema.
    fn written_but_lost(&self, body: &Body, path: &Path) -> bool {
        body.shapes.is_empty()
            && self.node.find(&path.join("shapes")).is_some_and(|n| !n.elements().is_empty())
    }

    fn shape_list(&mut self, shapes: &[Shape], body: &Body, path: &Path) {
        for (i, shape) in shapes.iter().enumerate() {
            let path = path.join(i);
            if let Some(turned) = &shape.placement.orientation {
                self.orientation(turned, &path.join("orientation"));
            }
            match &shape.kind {
                ShapeKind::Polygon { vertices } => self.polygon(vertices, &path.join("vertices")),
                ShapeKind::Segment { from, to } if from == to => {
                    let help = "give two different ends";
                    self.error(&path.join("to"), Code::BadShape, "this segment has length zero", help);
                }
                ShapeKind::HalfPlane { normal, .. } => {
                    self.unbounded("half-plane", normal.as_ref().map(|n| &n[..]), body, &path);
                }
                ShapeKind::HalfSpace { normal, .. } => {
                    self.unbounded("half-space", normal.as_ref().map(|n| &n[..]), body, &path);
                }
                ShapeKind::ConvexHull { points } => self.hull(points, &path.join("points")),
                ShapeKind::Mesh { vertices, triangles } => self.mesh(vertices, triangles, body, &path),
                ShapeKind::Superellipse { exponent, .. } => {
                    self.exponent(*exponent, &path.join("exponent"));
                }
                ShapeKind::Superellipsoid { exponents: Exponents::One(p), .. } => {
                    self.exponent(*p, &path.join("exponents"));
                }
                ShapeKind::Superellipsoid { exponents: Exponents::Two(both), .. } => {
                    for (k, p) in both.iter().enumerate() {
                        self.exponent(*p, &path.join("exponents").join(k));
                    }
                }
                ShapeKind::Compound { shapes } => self.shape_list(shapes, body, &path.join("shapes")),
                _ => {}
            }
        }
    }

    /// Exponents below 1 curve inwards: no detector of implicit shapes can take them.
    fn exponent(&mut self, p: f64, path: &Path) {
        if p < 1.0 {
            let message = format!("the exponent is {p}: a shape with an exponent below 1 is not convex");
            let help = "give 1 (a diamond) or more: 2 is an ellipse, 8 a box with round corners; ε of the literature is 2/exponent";
            self.error(path, Code::BadShape, message, help);
        }
    }

    fn unbounded(&mut self, what: &str, normal: Option<&[f64]>, body: &Body, path: &Path) {
        if !body.is_static {
            let message =
                format!("body `{}` can move, but a {what} belongs to static bodies only", body.name);
            let help = "write \"static\": true, or take a box";
            self.error(&path.join("type"), Code::BadShape, message, help);
        }
        if normal.is_some_and(|n| n.iter().all(|x| *x == 0.0)) {
            let message = format!("the normal of this {what} has length zero");
            self.error(
                &path.join("normal"),
                Code::BadShape,
                message,
                "give a direction, for example upwards",
            );
        }
    }

    fn polygon(&mut self, vertices: &[[f64; 2]], path: &Path) {
        let n = vertices.len();
        if let Some(i) = (0..n).find(|&i| vertices[i] == vertices[(i + 1) % n]) {
            let message = format!("corners {i} and {} of this polygon are the same point", (i + 1) % n);
            let help = "give every corner once; the last is joined to the first by itself";
            self.error(&path.join((i + 1) % n), Code::BadShape, message, help);
        } else if let Some((i, j)) = crossing(vertices) {
            let message =
                format!("the edges {i}-{} and {j}-{} of this polygon meet", (i + 1) % n, (j + 1) % n);
            let help = "give the corners in order around the polygon; split one that is not simple into several shapes";
            self.error(path, Code::BadShape, message, help);
        } else if doubled_area(vertices) == 0.0 {
            self.error(path, Code::BadShape, "this polygon has no area", "its corners lie on one line");
        }
    }

    fn hull(&mut self, points: &[[f64; 3]], path: &Path) {
        let points: Vec<Vector3<f64>> = points.iter().map(|p| Vector3::from(*p)).collect();
        if points.len() < 4 {
            return;
        }
        match convex_hull(&points) {
            Ok(_) => {}
            Err(NoHull::Flat) => {
                let help = "a convex hull needs four points that span space";
                self.error(path, Code::BadShape, "these points lie in one plane", help);
            }
            Err(NoHull::TooLarge) => {
                let message = format!("{} points are too many for a convex hull", points.len());
                self.error(path, Code::BadShape, message, "give the corners of a simpler hull");
            }
        }
    }

    fn mesh(&mut self, vertices: &[[f64; 3]], triangles: &[[u32; 3]], body: &Body, path: &Path) {
        let count = vertices.len();
        let path = path.join("triangles");
        for (i, t) in triangles.iter().enumerate() {
            if let Some(bad) = t.iter().find(|v| **v as usize >= count) {
                let message = format!("triangle {i} has corner {bad}, but there are {count} vertices");
                self.error(
                    &path.join(i),
                    Code::BadShape,
                    message,
                    format!("vertices are numbered 0 to {}", count.saturating_sub(1)),
                );
                return;
            }
            let [a, b, c] = t.map(|v| Vector3::from(vertices[v as usize]));
            if (b - a).cross(&(c - a)).norm() == 0.0 {
                let message = format!("triangle {i} has no area");
                self.error(&path.join(i), Code::BadShape, message, "leave such triangles out");
                return;
            }
        }
        if body.is_static || (body.mass.is_some() && body.inertia.is_some()) {
            return;
        }
        if let Some((a, b)) = open_edge(triangles) {
            let message = format!(
                "this mesh is not closed at the edge {a}-{b}, so it has no volume to take a mass from"
            );
            let help = "close it (every edge once in each direction), or give `mass` and `inertia`";
            self.error(&path, Code::BadShape, message, help);
        } else if volume(vertices, triangles) <= 0.0 {
            let help = "list the corners of every triangle counter-clockwise seen from outside";
            self.error(&path, Code::BadShape, "this mesh is inside out", help);
        }
    }
}

fn volume(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> f64 {
    let corner = |i: u32| Vector3::from(vertices[i as usize]);
    triangles.iter().map(|t| corner(t[0]).dot(&corner(t[1]).cross(&corner(t[2])))).sum()
}

/// Two edges of a closed polygon that meet elsewhere than at a common corner, or fold back on each other.
fn crossing(vertices: &[[f64; 2]]) -> Option<(usize, usize)> {
    let n = vertices.len();
    let edge = |i: usize| (vertices[i], vertices[(i + 1) % n]);
    (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).find(|&(i, j)| {
        let ((a, b), (c, d)) = (edge(i), edge(j));
        if j == i + 1 {
            folds_back(a, b, d)
        } else if (j + 1) % n == i {
            folds_back(b, a, c)
        } else {
            meet(a, b, c, d)
        }
    })
}

fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Returns true if the edges from the corner `b` to `a` and to `d` lie on each other.
fn folds_back(a: [f64; 2], b: [f64; 2], d: [f64; 2]) -> bool {
    let along = (a[0] - b[0]) * (d[0] - b[0]) + (a[1] - b[1]) * (d[1] - b[1]);
    turn(a, b, d) == 0.0 && along > 0.0
}

fn meet(a: [f64; 2], b: [f64; 2], c: [f64; 2], d: [f64; 2]) -> bool {
    let between = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        (0..2).all(|k| p[k].min(q[k]) <= r[k] && r[k] <= p[k].max(q[k]))
    };
    let (t1, t2, t3, t4) = (turn(a, b, c), turn(a, b, d), turn(c, d, a), turn(c, d, b));
    let opposite = |s: f64, t: f64| (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0);
    (opposite(t1, t2) && opposite(t3, t4))
        || (t1 == 0.0 && between(a, b, c))
        || (t2 == 0.0 && between(a, b, d))
        || (t3 == 0.0 && between(c, d, a))
        || (t4 == 0.0 && between(c, d, b))
}
