//! A polytope at the round side of a cylinder: in closed form, where it can be proved, what GJK and EPA iterate for.

use crate::beside::Beside;
use crate::gjk::{Axis, Pair};
use crate::math::segment_parameter;
use vinci_detect::Vec3;

/// A point of the polytope in the frame of the cylinder, and its distance ρ to the cylinder's axis, m.
#[derive(Clone, Copy)]
struct Near {
    x: Vec3,
    rho: f64,
}

/// The separation along the normal of the cylinder's side that looks at the polytope, and whether it is the gap.
///
/// Let x be the point of the polytope nearest to the axis of the cylinder, at ρ from it, and n the radial direction
/// through x: σ(n) = ρ − r if the polytope lies beyond x along n. No direction is better if x is over the side (apart),
/// or if the ball of radius r − ρ around x lies inside the cylinder (overlapping): that ball is then also inside of B − A,
/// around its origin. `None`: no such pair, the axis meets the polytope, or σ(n) is less than ρ − r by more than
/// `tolerance`, m.
pub(crate) fn side_separation(pair: &Pair<'_>, tolerance: f64) -> Option<(Axis, bool)> {
    let both = Beside::of(pair)?;
    let near = nearest(&both, tolerance)?;
    let n = both.direction(outward(&near)?);
    let sigma = pair.separation_along(&n);
    let gap = near.rho - both.radius;
    let inside = near.x.z.abs() + (-gap).max(0.0) <= both.half;
    (sigma >= gap - tolerance).then_some((Axis { n, sigma }, inside))
}

fn outward(near: &Near) -> Option<Vec3> {
    (near.rho > 0.0).then(|| Vec3::new(near.x.x / near.rho, near.x.y / near.rho, 0.0))
}

/// The point on the edges of a polytope nearest to the z axis; of several within `tolerance`, one nearest to z = 0.
fn nearest(both: &Beside<'_>, tolerance: f64) -> Option<Near> {
    let mut best: Option<Near> = None;
    let place = |v: u32| both.place(&both.polytope.vertices[v as usize]);
    for &[v, w] in &both.polytope.edges {
        let found = nearest_on(&place(v), &place(w), tolerance);
        let better = |b: &Near| {
            let level = found.rho <= b.rho + tolerance && found.x.z.abs() < b.x.z.abs();
            found.rho < b.rho - tolerance || level
        };
        if best.as_ref().is_none_or(better) {
            best = Some(found);
        }
    }
    best
}

/// Nearest point on a segment.
fn nearest_on(a: &Vec3, b: &Vec3, tolerance: f64) -> Near {
    let flat = |x: &Vec3| Vec3::new(x.x, x.y, 0.0);
    let (e, origin) = (b - a, Vec3::zeros());
    let parallel = flat(&e).norm_squared() <= tolerance * tolerance;
    let t = if parallel && e.z != 0.0 {
        (-a.z / e.z).clamp(0.0, 1.0)
    } else {
        segment_parameter(&origin, &flat(a), &flat(b))
    };
    let x = a + e * t;
    Near { x, rho: flat(&x).norm() }
}
