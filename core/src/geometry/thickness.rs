//! Thickness of a shape: its least width.

use nalgebra::Vector3;

use super::core::Core;

/// A lower bound of the least width of a core grown by a radius, m; see [`Solid::thickness`](super::Solid::thickness).
pub(super) fn thickness(core: &Core, radius: f64) -> f64 {
    let own = match core {
        Core::Half(_) => f64::INFINITY,
        Core::Point | Core::Stick(_) | Core::Surface(_) => 0.0,
        Core::Box(half) => 2.0 * half.min(),
        // The width along a direction at angle θ to the axis is concave in θ between the axis and the plane across it.
        Core::Cylinder { half, radius } => 2.0 * half.min(*radius),
        // Altitudes of the triangle that a plane through the axis cuts out.
        Core::Cone { half, radius } => {
            let height = 2.0 * half;
            height.min(2.0 * radius * height / height.hypot(*radius))
        }
        Core::Super { axes, outer, inner } => superquadric(axes, *outer, *inner),
        Core::Hull(boundary) if boundary.is_planar() => least_height(boundary.corners(), boundary.normals()),
        Core::Hull(boundary) => held_ball(boundary.corners(), boundary.planes()),
    };
    own + 2.0 * radius
}

/// 2 min h over unit directions, with h(n) = ‖(‖(a n_x, b n_y)‖_q2, c n_z)‖_q1 and 1/p + 1/q = 1. A q-norm with q ≤ 2 is at
/// least the 2-norm; with q > 2 at least 2^(1/q − 1/2) of it.
fn superquadric(axes: &Vector3<f64>, outer: f64, inner: f64) -> f64 {
    let planar = axes.z == 0.0;
    let least = if planar { axes.x.min(axes.y) } else { axes.min() };
    let share = |p: f64| 2.0_f64.powf((0.5 - 1.0 / p).min(0.0));
    2.0 * least * share(inner) * if planar { 1.0 } else { share(outer) }
}

/// Least width of a convex polygon: over an edge, the height of the farthest corner.
fn least_height<'a>(
    corners: impl Iterator<Item = Vector3<f64>> + Clone,
    edges: impl Iterator<Item = (&'a Vector3<f64>, f64)>,
) -> f64 {
    let height =
        |(n, offset): (&Vector3<f64>, f64)| corners.clone().map(|x| offset - n.dot(&x)).fold(0.0, f64::max);
    edges.map(height).fold(f64::INFINITY, f64::min)
}

/// Diameter of the ball around the mean of the corners that touches the nearest facet.
fn held_ball(
    corners: impl Iterator<Item = Vector3<f64>>,
    planes: impl Iterator<Item = (Vector3<f64>, f64)>,
) -> f64 {
    let (sum, count) = corners.fold((Vector3::zeros(), 0.0), |(s, n), x| (s + x, n + 1.0));
    let centre = sum / count;
    let depth = planes.map(|(n, offset)| offset - n.dot(&centre)).fold(f64::INFINITY, f64::min);
    2.0 * depth.max(0.0)
}
