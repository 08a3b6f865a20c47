//! A half-space (half-plane) against a convex shape: the gap of a point is its height.

use crate::solid::{Convex, Core};
use vinci_detect::{Frame, Vec3};

/// A point over the plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Height {
    /// Which of the points of the shape.
    pub(crate) feature: u32,
    /// The point, world, m.
    pub(crate) point: Vec3,
    /// m.
    pub(crate) height: f64,
}

/// Calls `report` with every point of the shape that the plane through `origin` with the unit normal `up` may hold: corners
/// of polytopes and both ends of capsules up to `limit`, of round shapes the lowest.
pub(crate) fn heights(
    shape: &Convex,
    frame: &Frame,
    origin: &Vec3,
    up: &Vec3,
    limit: f64,
    mut report: impl FnMut(Height),
) {
    let mut look = |feature: u32, local: Vec3| {
        let point = frame.rot * local + frame.pos - up * shape.radius;
        let height = up.dot(&(point - origin));
        if height <= limit {
            report(Height { feature, point, height });
        }
    };
    match &shape.core {
        Core::Polytope(corners, ..) => corners.iter().enumerate().for_each(|(i, x)| look(i as u32, *x)),
        Core::Stick(half) => [-*half, *half].into_iter().enumerate().for_each(|(i, x)| look(i as u32, x)),
        core => look(0, core.support(&-frame.dir_back(up)).point),
    }
}
