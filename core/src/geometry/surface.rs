//! Distance of a point from the surface of a shape.

use nalgebra::Vector3;

use super::core::Core;
use super::facet::nearest_on;
use super::gjk::bounds;
use super::solid::Placed;

/// Rounds of the search for the nearest point of a superquadric.
const ROUNDS: usize = 24;

impl Placed<'_> {
    /// Signed distance of a world point from the shape's surface, m: negative inside.
    ///
    /// Exact up to rounding, with two exceptions. Polygons with notches, meshes and segments have no inside here: their value
    /// is the distance from the boundary, ≥ 0. Superquadrics: by iteration, never above the true value; outside
    /// to about 1e-8 of it, inside exact to second order near the surface.
    pub fn signed_distance(&self, x: &Vector3<f64>) -> f64 {
        let own = self.solid.core.signed_distance(&self.frame.point_back(x));
        match self.solid.core {
            Core::Super { .. } if own > 0.0 => own.max(bounds(self, x, f64::INFINITY).lower),
            _ => own - self.solid.radius,
        }
    }

    /// Distance of a world point from the core that the radius grows, m.
    pub(super) fn core_distance(&self, x: &Vector3<f64>) -> f64 {
        self.solid.core.signed_distance(&self.frame.point_back(x)).max(0.0)
    }

    /// Returns true if a world point lies in a polygon, by the even-odd rule; false for every other kind.
    pub(super) fn polygon_holds(&self, x: &Vector3<f64>) -> bool {
        let own = self.frame.point_back(x);
        match &self.solid.core {
            Core::Hull(b) | Core::Surface(b) if b.is_planar() => {
                let crosses = |p: &Vector3<f64>, q: &Vector3<f64>| {
                    (p.y > own.y) != (q.y > own.y) && own.x < p.x + (q.x - p.x) * (own.y - p.y) / (q.y - p.y)
                };
                b.facets.iter().filter(|f| crosses(&f.corner[0], &f.corner[1])).count() % 2 == 1
            }
            _ => false,
        }
    }
}

impl Core {
    fn signed_distance(&self, x: &Vector3<f64>) -> f64 {
        match self {
            Self::Half(n) => n.dot(x),
            Self::Point => x.norm(),
            Self::Stick([p, q]) => (x - nearest_on(p, q, x)).norm(),
            Self::Box(half) => {
                let over = x.abs() - half;
                over.sup(&Vector3::zeros()).norm() + over.max().min(0.0)
            }
            Self::Cylinder { half, radius } => {
                let (side, cap) = (x.x.hypot(x.y) - radius, x.z.abs() - half);
                side.max(0.0).hypot(cap.max(0.0)) + side.max(cap).min(0.0)
            }
            Self::Cone { half, radius } => cone(x, *half, *radius),
            Self::Super { axes, outer, inner } => self.superquadric(x, axes, *outer, *inner),
            Self::Hull(boundary) => match boundary.highest(x) {
                [inside, _] if inside <= 0.0 => inside,
                // The foot on that plane is below all others, by |n·m| ≤ 1: it is on the face.
                [over, next] if next <= -over => over,
                _ => (x - boundary.nearest(x).1).norm(),
            },
            Self::Surface(boundary) => (x - boundary.nearest(x).1).norm(),
        }
    }

    /// max over unit n of n·x − h(n). Every n gives a lower bound; the one sought is the normal at the foot of x.
    fn superquadric(&self, x: &Vector3<f64>, axes: &Vector3<f64>, outer: f64, inner: f64) -> f64 {
        let mut best = f64::NEG_INFINITY;
        let mut foot = *x;
        for _ in 0..ROUNDS {
            let n = gradient(&foot, axes, outer, inner);
            let at = self.support(&n);
            let value = n.dot(&(x - at));
            if !(value > best) {
                break;
            }
            best = value;
            foot = x - n * value;
        }
        // Planes across the axes: good where gradients are not.
        for k in 0..if axes.z == 0.0 { 2 } else { 3 } {
            best = best.max(x[k].abs() - axes[k]);
        }
        best
    }
}

/// Unit outward normal of the superquadric through x.
fn gradient(x: &Vector3<f64>, axes: &Vector3<f64>, outer: f64, inner: f64) -> Vector3<f64> {
    let scaled = |k: usize| if axes[k] > 0.0 { (x[k] / axes[k]).abs() } else { 0.0 };
    let norm = |u: f64, v: f64, p: f64| {
        let most = u.max(v);
        if most > 0.0 { most * ((u / most).powf(p) + (v / most).powf(p)).powf(1.0 / p) } else { 0.0 }
    };
    let (u, v, w) = (scaled(0), scaled(1), scaled(2));
    let rho = norm(u, v, inner);
    let all = norm(rho, w, outer);
    let share = |t: f64, of: f64, p: f64| if of > 0.0 { (t / of).powf(p - 1.0) } else { 0.0 };
    let level = share(rho, all, outer);
    let part = |k: usize, value: f64| {
        if axes[k] > 0.0 { value.copysign(x[k]) / axes[k] } else { 0.0 }
    };
    let g = Vector3::new(
        part(0, level * share(u, rho, inner)),
        part(1, level * share(v, rho, inner)),
        part(2, share(w, all, outer)),
    );
    // At the centre any direction will do.
    g.try_normalize(0.0).filter(|n| n.iter().all(|c| c.is_finite())).unwrap_or_else(Vector3::x)
}

/// In a plane through the axis a cone is a triangle.
fn cone(x: &Vector3<f64>, half: f64, radius: f64) -> f64 {
    let at = Vector3::new(x.x.hypot(x.y), x.z, 0.0);
    let (apex, rim) = (Vector3::new(0.0, half, 0.0), Vector3::new(radius, -half, 0.0));
    let n = Vector3::new(2.0 * half, radius, 0.0).normalize();
    let (side, base) = (n.dot(&(at - apex)), -half - at.y);
    if side <= 0.0 && base <= 0.0 {
        return side.max(base);
    }
    let middle = Vector3::new(0.0, -half, 0.0);
    let feet = [nearest_on(&apex, &rim, &at), nearest_on(&middle, &rim, &at)];
    feet.map(|foot| (at - foot).norm()).into_iter().fold(f64::INFINITY, f64::min)
}
