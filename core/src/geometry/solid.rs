//! Shapes made ready for questions.

use nalgebra::Vector3;

use super::core::{Core, ball, core};
use super::{Frame, thickness};
use crate::model::{ShapeKind, ShapeView, Space};

/// A shape made ready: its own frame, what bounds it, how thin it is.
#[derive(Debug, Clone)]
pub struct Solid {
    /// Its kind.
    pub kind: ShapeKind,
    /// Its body.
    pub body: u32,
    pub(super) core: Core,
    /// Growth of the core, m.
    pub(super) radius: f64,
    /// Placement in the body's axes.
    pub(super) local: Frame,
    /// Centre and radius of a ball that holds it, own axes, m; the radius of a half-space is ∞.
    pub(super) ball: (Vector3<f64>, f64),
    /// Farthest point from the body's origin at most, m.
    lever: f64,
    /// Largest extent (diameter of the ball), m.
    size: f64,
    thickness: f64,
}

impl Solid {
    /// Makes a shape ready; none where its parameters do not describe a shape of its kind.
    pub fn new(space: Space, shape: &ShapeView<'_>) -> Option<Self> {
        let kind = ShapeKind::from_code(shape.kind).filter(|_| shape.pose.len() == space.nq())?;
        let local = Frame::of_pose(space, shape.pose);
        let (core, radius) = core(kind, shape)?;
        let (centre, reach) = ball(&core);
        let reach = reach + radius;
        let thickness = thickness::thickness(&core, radius);
        let (body, size, lever) = (shape.body, 2.0 * reach, local.point(&centre).norm() + reach);
        Some(Self { kind, body, core, radius, local, ball: (centre, reach), lever, size, thickness })
    }

    /// Diameter of a ball around it, m; ∞ for half-planes and half-spaces.
    pub fn size(&self) -> f64 {
        self.size
    }

    /// A lower bound of the least extent over all directions, m: how thin it is at its thinnest.
    ///
    /// Exact for discs, balls, capsules, convex polygons, boxes, cylinders, cones, ellipses and ellipsoids. Hulls: the
    /// diameter of the ball around the centroid of their corners that they hold. Superquadrics with exponents below 2: that
    /// of a ball they hold. Segments 0. Polygons with notches and meshes 0: a thin arm or a sheet may be anywhere.
    /// Half-planes and half-spaces ∞.
    pub fn thickness(&self) -> f64 {
        self.thickness
    }

    /// Radius that a core is grown by, m; 0 for shapes that are their own core.
    pub(super) fn radius(&self) -> f64 {
        self.radius
    }

    /// Farthest point from the body's origin at most, m: what turning moves.
    pub(super) fn lever(&self) -> f64 {
        self.lever
    }

    /// Returns true if it is known to be convex.
    pub fn is_convex(&self) -> bool {
        !matches!(self.core, Core::Surface(_))
    }

    /// Returns true if it is convex and bounded by straight edges and flat faces alone.
    pub fn has_corners(&self) -> bool {
        self.radius == 0.0 && matches!(self.core, Core::Box(_) | Core::Hull(_) | Core::Stick(_))
    }

    /// Returns true if it is a half-plane or half-space.
    pub fn is_unbounded(&self) -> bool {
        matches!(self.core, Core::Half(_))
    }

    /// Returns true if it is a disc or a ball: all within a radius of a point.
    pub fn is_ball(&self) -> bool {
        matches!(self.core, Core::Point) && self.radius > 0.0
    }

    /// It stands on its body, whose pose is given.
    #[inline]
    pub fn place(&self, body: &Frame) -> Placed<'_> {
        Placed { solid: self, frame: body.then(&self.local) }
    }
}

/// A shape and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The shape.
    pub solid: &'a Solid,
    /// Own axes to world.
    pub frame: Frame,
}

impl Placed<'_> {
    /// Centre (world) and radius of a ball that holds the shape, m.
    #[inline]
    pub fn ball(&self) -> (Vector3<f64>, f64) {
        let (centre, radius) = &self.solid.ball;
        (self.frame.point(centre), *radius)
    }

    /// Height of a point over the plane of a half-plane or half-space, m; none for other shapes.
    #[inline]
    pub(super) fn height(&self, x: &Vector3<f64>) -> Option<f64> {
        match &self.solid.core {
            Core::Half(up) => Some(self.frame.dir(up).dot(&(x - self.frame.at))),
            _ => None,
        }
    }

    /// Lowest and highest corner of a box that holds the shape, world axes, m; infinite for half-spaces.
    pub fn bounds(&self) -> [Vector3<f64>; 2] {
        let (mut low, mut high) = (Vector3::zeros(), Vector3::zeros());
        for k in 0..3 {
            let axis = Vector3::ith(k, 1.0);
            high[k] = self.extent(&axis);
            low[k] = -self.extent(&-axis);
        }
        [low, high]
    }
}
