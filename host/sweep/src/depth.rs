//! Certain depth of planar solids in one another. A detector's gap says along which edge a body goes back where it came in;
//! of a body put anywhere it may be far more than the way out. A ball of radius ρ about a point of one solid at signed distance d from
//! another is ρ − d deep in it, and stays in it as long as no point moves farther than that.

use nalgebra::{Rotation2, Vector2};
use vinci_core::model::{Shape, ShapeKind};

type PlanarPose = (Rotation2<f64>, Vector2<f64>);

/// (x, y, angle) as rotation and origin.
fn place(pose: &[f64]) -> PlanarPose {
    (Rotation2::new(pose[2]), Vector2::new(pose[0], pose[1]))
}

/// A core grown by a radius, in some frame.
#[derive(Debug, Clone)]
enum Core {
    /// Counter-clockwise.
    Polygon(Vec<Vector2<f64>>),
    /// From one point to another, which may be the same.
    Stick([Vector2<f64>; 2], f64),
    /// Solid behind a point, seen along the normal.
    Half(Vector2<f64>, Vector2<f64>),
}

fn core(shape: &Shape, pose: &[f64]) -> Option<Core> {
    let (turn, origin) = place(pose);
    let (own, offset) = place(&shape.pose);
    let at = |x: f64, y: f64| turn * (own * Vector2::new(x, y) + offset) + origin;
    let p = &shape.params;
    Some(match shape.kind {
        ShapeKind::Polygon => Core::Polygon(p.chunks_exact(2).map(|c| at(c[0], c[1])).collect()),
        ShapeKind::Disc => Core::Stick([at(0.0, 0.0); 2], p[0]),
        ShapeKind::PlanarCapsule => Core::Stick([at(-p[0], 0.0), at(p[0], 0.0)], p[1]),
        ShapeKind::Segment => Core::Stick([at(p[0], p[1]), at(p[2], p[3])], 0.0),
        ShapeKind::HalfPlane => Core::Half(at(0.0, 0.0), turn * (own * Vector2::y())),
        _ => return None,
    })
}

/// Distance of a point from a segment.
fn from_segment(x: Vector2<f64>, [a, b]: [Vector2<f64>; 2]) -> f64 {
    let (d, along) = (x - a, b - a);
    let length = along.norm_squared();
    let t = if length > 0.0 { (d.dot(&along) / length).clamp(0.0, 1.0) } else { 0.0 };
    (d - along * t).norm()
}

/// Signed distance of a point from a simple polygon, negative inside (crossing rule).
fn from_polygon(x: Vector2<f64>, corners: &[Vector2<f64>]) -> f64 {
    let (mut least, mut inside) = (f64::INFINITY, false);
    for (k, &b) in corners.iter().enumerate() {
        let a = corners[(k + corners.len() - 1) % corners.len()];
        least = least.min(from_segment(x, [a, b]));
        if (a.y > x.y) != (b.y > x.y) && x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
    }
    if inside { -least } else { least }
}

impl Core {
    fn distance(&self, x: Vector2<f64>) -> f64 {
        match self {
            Self::Polygon(corners) => from_polygon(x, corners),
            Self::Stick(ends, radius) => from_segment(x, *ends) - radius,
            Self::Half(at, normal) => normal.dot(&(x - at)),
        }
    }

    /// Points, with the radius about them that is solid: corners first, then the sides in pieces no longer than `piece`.
    fn balls(&self, piece: f64, all: &mut Vec<(Vector2<f64>, f64)>) {
        let (sides, radius): (Vec<[Vector2<f64>; 2]>, f64) = match self {
            Self::Polygon(c) => ((0..c.len()).map(|k| [c[k], c[(k + 1) % c.len()]]).collect(), 0.0),
            Self::Stick(ends, radius) => (vec![*ends, [ends[1]; 2]], *radius),
            Self::Half(..) => return,
        };
        all.extend(sides.iter().map(|[a, _]| (*a, radius)));
        for [a, b] in sides {
            let n = ((b - a).norm() / piece).ceil() as usize;
            all.extend((1..n).map(|k| (a + (b - a) * (k as f64 / n as f64), radius)));
        }
    }
}

/// A body, and what it may be in.
#[derive(Debug)]
pub(super) struct Solids {
    /// Solids of the body, in its frame.
    body: Vec<Core>,
    body_balls: Vec<(Vector2<f64>, f64)>,
    /// Solids of the other bodies, in the world's frame.
    others: Vec<Core>,
    other_balls: Vec<(Vector2<f64>, f64)>,
}

impl Solids {
    /// Returns true if it knows shapes of this kind.
    pub(super) fn know(kind: ShapeKind) -> bool {
        use ShapeKind::{Disc, HalfPlane, PlanarCapsule, Polygon, Segment};
        matches!(kind, Disc | PlanarCapsule | Polygon | HalfPlane | Segment)
    }

    /// The shapes of the body and those of others with the poses of their bodies; `piece`: how closely sides of the body are looked at, m.
    pub(super) fn new<'a>(
        body: impl Iterator<Item = &'a Shape>,
        others: impl Iterator<Item = (&'a Shape, &'a [f64])>,
        piece: f64,
    ) -> Self {
        let body: Vec<Core> = body.filter_map(|s| core(s, &[0.0; 3])).collect();
        let others: Vec<Core> = others.filter_map(|(s, pose)| core(s, pose)).collect();
        let (mut body_balls, mut other_balls) = (Vec::new(), Vec::new());
        body.iter().for_each(|core| core.balls(piece, &mut body_balls));
        others.iter().for_each(|core| core.balls(f64::INFINITY, &mut other_balls));
        Self { body, body_balls, others, other_balls }
    }

    /// Returns true if the body at this place is deeper than `depth` in something.
    pub(super) fn deeper(&self, pose: &[f64], depth: f64) -> bool {
        let (turn, origin) = place(pose);
        let hit = |cores: &[Core], x, radius: f64| cores.iter().any(|c| c.distance(x) < radius - depth);
        self.body_balls.iter().any(|(x, radius)| hit(&self.others, turn * x + origin, *radius))
            || self
                .other_balls
                .iter()
                .any(|(x, radius)| hit(&self.body, turn.inverse() * (x - origin), *radius))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(params: &[f64]) -> Shape {
        let (kind, params) = (ShapeKind::Polygon, params.to_vec());
        Shape { kind, body: 0, material: 0, pose: vec![0.0; 3], params, indices: Vec::new() }
    }

    /// A square of side 2 beside a half-plane, a disc and an L: closed forms.
    #[test]
    fn depths_are_the_ways_out() {
        let square = polygon(&[-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0]);
        let of = |other: Shape, pose: [f64; 3]| {
            let fixed = [0.0; 3];
            let s = Solids::new(std::iter::once(&square), std::iter::once((&other, &fixed[..])), 0.1);
            // By halving: the depth at which it is no more deep enough.
            let (mut low, mut high) = (-10.0, 10.0);
            for _ in 0..60 {
                let mid = 0.5 * (low + high);
                if s.deeper(&pose, mid) { low = mid } else { high = mid }
            }
            low
        };
        let half = Shape { kind: ShapeKind::HalfPlane, params: Vec::new(), ..square.clone() };
        assert!((of(half.clone(), [3.0, 0.75, 0.0]) - 0.25).abs() < 1e-9);
        let diagonal = 2.0_f64.sqrt();
        assert!((of(half, [3.0, 1.0, std::f64::consts::FRAC_PI_4]) - (diagonal - 1.0)).abs() < 1e-9);
        let disc = Shape { kind: ShapeKind::Disc, params: vec![0.5], ..square.clone() };
        assert!((of(disc.clone(), [1.2, 0.3, 0.0]) - 0.3).abs() < 1e-9);
        assert!((of(disc, [0.8, 0.3, 0.0]) - 0.7).abs() < 1e-9, "its centre is inside");
        // In the notch of an L the corner of the square stands free; pushed into an arm it is as deep as it was pushed.
        let l = polygon(&[0.0, 0.0, 4.0, 0.0, 4.0, 1.0, 1.0, 1.0, 1.0, 4.0, 0.0, 4.0]);
        assert!(of(l.clone(), [2.0, 2.0, 0.0]).abs() < 1e-9);
        assert!((of(l, [2.2, 1.9, 0.0]) - 0.1).abs() < 1e-9);
    }
}
