//! Two placed convex shapes and what a direction says about them.

use crate::solid::Convex;
use crate::superquadric::Curved;
use vinci_detect::{Frame, Vec3};

/// Support points in the direction n of the first and −n of the second shape, each from the origin of its shape, world
/// axes, radii included.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    pub(crate) n: Vec3,
    pub(crate) x1: Vec3,
    pub(crate) x2: Vec3,
}

/// Function that is maximised over the unit vectors n.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// f(n) = n·d − h₁(n) − h₂(−n): the signed gap.
    Gap,
    /// σ(n) = n·d/(h₁(n) + h₂(−n)): the growth that makes them touch.
    Growth,
}

/// Two shapes.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) a: &'a Convex,
    pub(crate) b: &'a Convex,
    pub(crate) frame_a: &'a Frame,
    pub(crate) frame_b: &'a Frame,
    /// Origin of b seen from that of a, m.
    pub(crate) d: Vec3,
    /// Length that rounding errors scale with, m.
    pub(crate) scale: f64,
    pub(crate) planar: bool,
}

impl<'a> Pair<'a> {
    pub(crate) fn new(a: (&'a Convex, &'a Frame), b: (&'a Convex, &'a Frame), planar: bool) -> Self {
        let d = b.1.pos - a.1.pos;
        let scale = d.norm() + a.0.reach + b.0.reach;
        Self { a: a.0, b: b.0, frame_a: a.1, frame_b: b.1, d, scale, planar }
    }

    /// Support points at n.
    pub(crate) fn sample(&self, n: &Vec3) -> Sample {
        self.curved(n).0
    }

    /// Support points at n with the second derivatives of both support functions (local).
    pub(crate) fn curved(&self, n: &Vec3) -> (Sample, Curved, Curved) {
        let (c1, c2) =
            (self.a.core.support(&self.frame_a.dir_back(n)), self.b.core.support(&-self.frame_b.dir_back(n)));
        let x1 = self.frame_a.rot * c1.point + n * self.a.radius;
        let x2 = self.frame_b.rot * c2.point - n * self.b.radius;
        (Sample { n: *n, x1, x2 }, c1, c2)
    }

    /// Both shapes are at least this round: with f above minus this there is one optimum.
    pub(crate) fn roundness(&self) -> f64 {
        self.a.roundness + self.b.roundness
    }

    /// From the first support point to the second, m.
    pub(crate) fn w(&self, s: &Sample) -> Vec3 {
        self.d + s.x2 - s.x1
    }

    /// f(n), m.
    pub(crate) fn gap(&self, s: &Sample) -> f64 {
        s.n.dot(&self.w(s))
    }

    /// σ(n).
    pub(crate) fn growth(&self, s: &Sample) -> f64 {
        s.n.dot(&self.d) / s.n.dot(&(s.x1 - s.x2))
    }

    /// A vector whose tangential part is along the gradient of the goal.
    pub(crate) fn ascent(&self, goal: Goal, s: &Sample) -> Vec3 {
        match goal {
            Goal::Gap => self.w(s),
            Goal::Growth => self.d - (s.x1 - s.x2) * self.growth(s),
        }
    }

    /// Length of the tangential part of w: 0 where the common normal is found.
    pub(crate) fn misfit(&self, s: &Sample) -> f64 {
        let w = self.w(s);
        (w - s.n * s.n.dot(&w)).norm()
    }

    /// The direction between the origins; y where they coincide.
    pub(crate) fn line(&self) -> Vec3 {
        let length = self.d.norm();
        if length > 1e-12 * self.scale { self.d / length } else { Vec3::y() }
    }
}
