//! Shapes of planar bodies in a picture.

use vinci_core::model::{Shape, ShapeKind};

use super::window::Window;
use crate::svg::{Canvas, Paint, px};

/// Corners of the polygon that stands for a superellipse.
const CORNERS: usize = 128;

/// A pose (x, y, angle) in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pose {
    pub x: f64,
    pub y: f64,
    pub angle: f64,
}

impl Pose {
    /// Point of the first three numbers.
    pub(crate) fn of(numbers: &[f64]) -> Self {
        let at = |k: usize| numbers.get(k).copied().unwrap_or(0.0);
        Self { x: at(0), y: at(1), angle: at(2) }
    }

    /// A point of this frame in the one around it.
    pub(crate) fn apply(&self, p: [f64; 2]) -> [f64; 2] {
        let [x, y] = self.turn(p);
        [self.x + x, self.y + y]
    }

    /// A direction of this frame in the one around it.
    pub(crate) fn turn(&self, d: [f64; 2]) -> [f64; 2] {
        let (sin, cos) = self.angle.sin_cos();
        [cos * d[0] - sin * d[1], sin * d[0] + cos * d[1]]
    }

    /// The pose `inner` of this frame in the one around it.
    fn compose(&self, inner: Self) -> Self {
        let [x, y] = self.apply([inner.x, inner.y]);
        Self { x, y, angle: self.angle + inner.angle }
    }
}

/// A shape placed in the plane, m.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Placed {
    Circle([f64; 2], f64),
    Capsule([f64; 2], [f64; 2], f64),
    Polygon(Vec<[f64; 2]>),
    Segment([f64; 2], [f64; 2]),
    /// A point of the border and the outward normal.
    HalfPlane([f64; 2], [f64; 2]),
}

/// The shape of a body at `pose`; `None` for kinds that do not lie in the plane.
pub(crate) fn placed(shape: &Shape, pose: Pose) -> Option<Placed> {
    let (frame, p) = (pose.compose(Pose::of(&shape.pose)), &shape.params);
    let centre = [frame.x, frame.y];
    Some(match shape.kind {
        ShapeKind::Disc => Placed::Circle(centre, p[0]),
        ShapeKind::PlanarCapsule => {
            Placed::Capsule(frame.apply([-p[0], 0.0]), frame.apply([p[0], 0.0]), p[1])
        }
        ShapeKind::Polygon => Placed::Polygon(p.chunks_exact(2).map(|c| frame.apply([c[0], c[1]])).collect()),
        ShapeKind::Segment => Placed::Segment(frame.apply([p[0], p[1]]), frame.apply([p[2], p[3]])),
        ShapeKind::HalfPlane => Placed::HalfPlane(centre, frame.turn([0.0, 1.0])),
        ShapeKind::Superellipse => {
            Placed::Polygon(superellipse(p, CORNERS).map(|point| frame.apply(point)).collect())
        }
        _ => return None,
    })
}

/// The curve |x/a|^s + |y/b|^s = 1 at equal steps of the angle φ: x = a sgn(cos φ) |cos φ|^(2/s).
/// Points of the border in the frame of the shape, m, counter-clockwise; so many corners; `params`: a, b, s.
pub fn superellipse(params: &[f64], corners: usize) -> impl Iterator<Item = [f64; 2]> {
    let [a, b, s] = [params[0], params[1], params[2]];
    let power = move |c: f64| c.signum() * c.abs().powf(2.0 / s);
    (0..corners).map(move |k| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / corners as f64).sin_cos();
        [a * power(cos), b * power(sin)]
    })
}

/// The box [left, bottom, right, top] around a shape, m; half-planes have none.
pub(crate) fn bounds(placed: &Placed) -> Option<[f64; 4]> {
    let around = |points: &[[f64; 2]], r: f64| {
        let empty = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        points.iter().fold(empty, |b, p| {
            [b[0].min(p[0] - r), b[1].min(p[1] - r), b[2].max(p[0] + r), b[3].max(p[1] + r)]
        })
    };
    match placed {
        Placed::Circle(c, r) => Some(around(&[*c], *r)),
        Placed::Capsule(a, b, r) => Some(around(&[*a, *b], *r)),
        Placed::Polygon(points) => Some(around(points, 0.0)),
        Placed::Segment(a, b) => Some(around(&[*a, *b], 0.0)),
        Placed::HalfPlane(..) => None,
    }
}

/// Draws a shape.
pub(crate) fn draw(canvas: &mut Canvas, window: &Window, placed: &Placed, paint: Paint<'_>) {
    match placed {
        Placed::Circle(c, r) => canvas.circle(window.at(*c), r * window.scale, paint),
        Placed::Capsule(a, b, r) => capsule(canvas, window, (*a, *b, *r), paint),
        Placed::Polygon(points) => canvas.polygon(points.iter().map(|p| window.at(*p)), paint),
        Placed::Segment(a, b) => canvas.line(window.at(*a), window.at(*b), paint),
        Placed::HalfPlane(p, n) => half_plane(canvas, window, *p, *n, paint),
    }
}

/// Two straight sides and two half circles.
fn capsule(canvas: &mut Canvas, window: &Window, (a, b, r): ([f64; 2], [f64; 2], f64), paint: Paint<'_>) {
    let (d, length) = ([b[0] - a[0], b[1] - a[1]], (b[0] - a[0]).hypot(b[1] - a[1]));
    if length == 0.0 {
        return canvas.circle(window.at(a), r * window.scale, paint);
    }
    let side = [-d[1] * r / length, d[0] * r / length];
    let at = |p: [f64; 2], s: f64| window.at([p[0] + s * side[0], p[1] + s * side[1]]).map(px);
    let ([ax, ay], [bx, by], [cx, cy], [dx, dy]) = (at(a, 1.0), at(b, 1.0), at(b, -1.0), at(a, -1.0));
    let r = px(r * window.scale);
    let path = format!("M{ax} {ay}L{bx} {by}A{r} {r} 0 0 1 {cx} {cy}L{dx} {dy}A{r} {r} 0 0 1 {ax} {ay}Z");
    canvas.put(format_args!("<path d=\"{path}\" {paint}/>\n"));
}

/// A rectangle behind the border, larger than the window, which cuts it.
fn half_plane(canvas: &mut Canvas, window: &Window, p: [f64; 2], n: [f64; 2], paint: Paint<'_>) {
    let [x0, y0, x1, y1] = window.view;
    let (centre, reach) = ([0.5 * (x0 + x1), 0.5 * (y0 + y1)], (x1 - x0).hypot(y1 - y0));
    let height = (centre[0] - p[0]) * n[0] + (centre[1] - p[1]) * n[1];
    let foot = [centre[0] - height * n[0], centre[1] - height * n[1]];
    let deep = reach + height.abs();
    let corner = |along: f64, below: f64| {
        window.at([foot[0] - along * n[1] - below * n[0], foot[1] + along * n[0] - below * n[1]])
    };
    let corners = [corner(-reach, 0.0), corner(reach, 0.0), corner(reach, deep), corner(-reach, deep)];
    canvas.polygon(corners.into_iter(), paint);
}
