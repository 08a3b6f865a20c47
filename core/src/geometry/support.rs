//! Support functions: the point of a convex shape farthest along a direction.

use nalgebra::Vector3;

use super::core::Core;
use super::solid::Placed;

impl Core {
    /// A point of the core farthest along d (own axes). Of half-spaces the origin: they have none.
    pub(super) fn support(&self, d: &Vector3<f64>) -> Vector3<f64> {
        match self {
            Self::Half(_) | Self::Point => Vector3::zeros(),
            Self::Stick([p, q]) => {
                if d.dot(&(q - p)) > 0.0 {
                    *q
                } else {
                    *p
                }
            }
            Self::Box(half) => Vector3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z)),
            Self::Cylinder { half, radius } => rim(d, *radius, half.copysign(d.z)),
            Self::Cone { half, radius } => {
                let base = rim(d, *radius, -half);
                if d.z * half >= d.dot(&base) { Vector3::new(0.0, 0.0, *half) } else { base }
            }
            Self::Super { axes, outer, inner } => superquadric(axes, *outer, *inner, d),
            Self::Hull(boundary) | Self::Surface(boundary) => boundary.farthest(d),
        }
    }
}

impl Placed<'_> {
    /// A point of the shape farthest along the direction d (world, any length), world. Of a shape with notches one of its
    /// convex hull; of a half-space, which has none, its origin.
    #[inline]
    pub fn support(&self, d: &Vector3<f64>) -> Vector3<f64> {
        let core = self.core_support(d);
        let (radius, length) = (self.solid.radius, d.norm());
        if radius > 0.0 && length > 0.0 { core + d * (radius / length) } else { core }
    }

    /// Support point of the core alone, without its radius.
    #[inline]
    pub(super) fn core_support(&self, d: &Vector3<f64>) -> Vector3<f64> {
        self.frame.point(&self.solid.core.support(&self.frame.dir_back(d)))
    }

    /// Out of a half-plane or half-space, world; none of other shapes.
    pub(super) fn up(&self) -> Option<Vector3<f64>> {
        if let Core::Half(up) = &self.solid.core { Some(self.frame.dir(up)) } else { None }
    }

    /// Support function max n·x over the shape for a unit vector n, world, m. Of a half-space ∞ but for its own normal.
    pub fn extent(&self, n: &Vector3<f64>) -> f64 {
        if let Core::Half(up) = &self.solid.core {
            let up = self.frame.dir(up);
            // A direction that differs by rounding is the normal.
            return if (n - up).norm() <= 1e-9 { n.dot(&self.frame.at) } else { f64::INFINITY };
        }
        n.dot(&self.core_support(n)) + self.solid.radius
    }
}

/// The point of a circle around the z axis farthest along d; its centre where d is along the axis.
fn rim(d: &Vector3<f64>, radius: f64, z: f64) -> Vector3<f64> {
    let rho = d.x.hypot(d.y);
    if rho > 0.0 && rho > 1e-14 * d.z.abs() {
        Vector3::new(d.x / rho * radius, d.y / rho * radius, z)
    } else {
        Vector3::new(0.0, 0.0, z)
    }
}

/// Gradient of the dual norm ‖(‖(a d_x, b d_y)‖_q2, c d_z)‖_q1, 1/p + 1/q = 1.
fn superquadric(axes: &Vector3<f64>, outer: f64, inner: f64, d: &Vector3<f64>) -> Vector3<f64> {
    let u = axes.component_mul(d);
    let (rho, [x, y]) = dual(u.x, u.y, inner);
    if axes.z == 0.0 {
        return Vector3::new(axes.x * x, axes.y * y, 0.0);
    }
    let (_, [r, z]) = dual(rho, u.z, outer);
    Vector3::new(axes.x * x * r, axes.y * y * r, axes.z * z)
}

/// The q-norm of (u, v), dual to exponent p, and its gradient: the point of the p-ball farthest along (u, v).
fn dual(u: f64, v: f64, p: f64) -> (f64, [f64; 2]) {
    let (x, y) = (u.abs(), v.abs());
    let most = x.max(y);
    if most == 0.0 {
        return (0.0, [0.0, 0.0]);
    }
    if p <= 1.0 {
        // A diamond: one of its corners.
        return if x >= y { (x, [1.0_f64.copysign(u), 0.0]) } else { (y, [0.0, 1.0_f64.copysign(v)]) };
    }
    let q = p / (p - 1.0);
    let (x, y) = (x / most, y / most);
    let norm = (x.powf(q) + y.powf(q)).powf(1.0 / q);
    let share = |t: f64, sign: f64| (t / norm).powf(q - 1.0).copysign(sign);
    (most * norm, [share(x, u), share(y, v)])
}
