//! A polytope beside a cylinder, in the frame of the cylinder, whichever of the two comes first.

use crate::gjk::Pair;
use crate::polytope::Polytope;
use crate::solid::Core;
use vinci_detect::{Frame, Vec3};

/// A cylinder about z and a polytope.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    /// Half height of the cylinder, m.
    pub(crate) half: f64,
    /// Its radius, m.
    pub(crate) radius: f64,
    pub(crate) polytope: &'a Polytope,
    /// The cylinder is A.
    is_first: bool,
    b_in_a: Frame,
    shift: Vec3,
}

impl<'a> Beside<'a> {
    /// The two of a pair, if they are that.
    pub(crate) fn of(pair: &Pair<'a>) -> Option<Self> {
        let (half, radius, polytope, is_first) = match (pair.a, pair.b) {
            (&Core::Cylinder { half, radius }, Core::Polytope(p)) => (half, radius, p, true),
            (Core::Polytope(p), &Core::Cylinder { half, radius }) => (half, radius, p, false),
            _ => return None,
        };
        let shift = pair.b_in_a.pos + pair.shift;
        Some(Self { half, radius, polytope, is_first, b_in_a: pair.b_in_a, shift })
    }

    /// A point of the polytope in the frame of the cylinder.
    pub(crate) fn place(&self, v: &Vec3) -> Vec3 {
        if self.is_first { self.b_in_a.dir(v) + self.shift } else { self.b_in_a.dir_back(&(v - self.shift)) }
    }

    /// A direction from cylinder to polytope, in the frame of the cylinder, as one from A to B in the frame of A.
    pub(crate) fn direction(&self, n: Vec3) -> Vec3 {
        if self.is_first { n } else { -self.b_in_a.dir(&n) }
    }

    /// Points of cylinder and polytope, in the frame of the cylinder, as those of A and B in the frame of A.
    pub(crate) fn points(&self, [on_cylinder, on_polytope]: [Vec3; 2]) -> (Vec3, Vec3) {
        let back = |x: Vec3| self.b_in_a.dir(&x) + self.shift;
        if self.is_first { (on_cylinder, on_polytope) } else { (back(on_polytope), back(on_cylinder)) }
    }
}
