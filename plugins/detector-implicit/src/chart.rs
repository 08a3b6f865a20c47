//! Surfaces by parameters in which both the point and the normal are smooth.
//!
//! Along the unit p-ball let t be the ratio of the smaller to the larger coordinate and r = t^(p−1) that of the normal. For
//! p ≥ 2, r is a differentiable function of t, for p < 2, t is one of r: so the parameter u is t or r, and neither flat
//! places nor sharp ones are singular. The whole curve is φ = 2k + u with the quarter k = 0…3 and |u| ≤ 1.

use crate::frame::{Frame, Vec3};
use crate::solid::{Convex, Core};
use nalgebra::Vector2;

type Vec2 = Vector2<f64>;

/// A place on the unit p-ball, its normal (of dual norm 1), and their derivatives in φ.
struct Ring {
    point: Vec2,
    normal: Vec2,
    point_rate: Vec2,
    normal_rate: Vec2,
}

/// A place on a surface: point and unit outward normal with derivatives in the parameters, world axes from the shape's
/// origin, radius left out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) x: Vec3,
    pub(crate) n: Vec3,
    pub(crate) dx: [Vec3; 2],
    pub(crate) dn: [Vec3; 2],
}

/// The parameter of the unit p-ball's place with a normal along (α, β).
fn angle(alpha: f64, beta: f64, p: f64) -> f64 {
    let (quarter, major, minor) = match (alpha.abs() >= beta.abs(), alpha >= 0.0, beta >= 0.0) {
        (true, true, _) => (0.0, alpha, beta),
        (true, false, _) => (4.0, -alpha, -beta),
        (false, _, true) => (2.0, beta, -alpha),
        (false, _, false) => (6.0, -beta, alpha),
    };
    let r = if major > 0.0 { minor / major } else { 0.0 };
    quarter + if p > 2.0 { r.abs().powf(1.0 / (p - 1.0)).copysign(r) } else { r }
}

/// Place, normal and derivatives at φ; p > 1.
fn ring(phi: f64, p: f64) -> Ring {
    let quarter = (0.5 * phi).round();
    let u = phi - 2.0 * quarter;
    let power = if p >= 2.0 { p - 1.0 } else { 1.0 / (p - 1.0) };
    let steep = if power == 1.0 { 1.0 } else { u.abs().powf(power - 1.0) };
    let (bent, bent_rate) = (u * steep, power * steep);
    let (t, r, dt, dr) = if p >= 2.0 { (u, bent, 1.0, bent_rate) } else { (bent, u, bent_rate, 1.0) };
    let sum = 1.0 + r * t;
    let rate = (r * dt + t * dr) / sum;
    let m = sum.powf(-1.0 / p);
    let a = 1.0 / (sum * m);
    let (dm, da) = (-rate * m / p, -rate * a * (1.0 - 1.0 / p));
    let turned = |x: f64, y: f64| match (quarter as i64).rem_euclid(4) {
        0 => Vec2::new(x, y),
        1 => Vec2::new(-y, x),
        2 => Vec2::new(-x, -y),
        _ => Vec2::new(y, -x),
    };
    Ring {
        point: turned(m, t * m),
        normal: turned(a, r * a),
        point_rate: turned(dm, dt * m + t * dm),
        normal_rate: turned(da, dr * a + r * da),
    }
}

/// Whether [`parameters`] and [`spot`] take the shape: smooth at least once, no corners.
pub(crate) fn is_charted(shape: &Convex) -> bool {
    match &shape.core {
        Core::Point => true,
        Core::Superellipse(_, s) => *s > 1.0,
        Core::Superellipsoid(_, p) => p.iter().all(|p| *p > 1.0),
        Core::Stick(_) | Core::Polytope(..) => false,
    }
}

/// Parameters of the place with the outward normal `n` (local).
pub(crate) fn parameters(shape: &Convex, n: &Vec3) -> [f64; 2] {
    match &shape.core {
        Core::Superellipse(half, s) => [angle(half.x * n.x, half.y * n.y, *s), 0.0],
        Core::Superellipsoid(half, [p1, p2]) => {
            let d = half.component_mul(n);
            let around = angle(d.x, d.y, *p2);
            let section = ring(around, *p2).point;
            [angle(d.x * section.x + d.y * section.y, d.z, *p1), around]
        }
        _ => [angle(n.x.hypot(n.y), n.z, 2.0), angle(n.x, n.y, 2.0)],
    }
}

/// The place with the given parameters.
pub(crate) fn spot(shape: &Convex, frame: &Frame, u: [f64; 2]) -> Spot {
    let (x, m, dx, dm) = match &shape.core {
        Core::Superellipse(half, s) => {
            let c = ring(u[0], *s);
            let (on, off) = (|v: Vec2| Vec3::new(half.x * v.x, half.y * v.y, 0.0), |v: Vec2| {
                Vec3::new(v.x / half.x, v.y / half.y, 0.0)
            });
            let flat = [on(c.point_rate), Vec3::zeros()];
            (on(c.point), off(c.normal), flat, [off(c.normal_rate), Vec3::z()])
        }
        Core::Superellipsoid(half, p) => nested(half, *p, u),
        _ => {
            let (_, m, _, dm) = nested(&Vec3::repeat(1.0), [2.0; 2], u);
            (Vec3::zeros(), m, [Vec3::zeros(); 2], dm)
        }
    };
    let size = m.norm();
    let n = m / size;
    let dn = dm.map(|v| frame.rot * ((v - n * n.dot(&v)) / size));
    Spot { x: frame.rot * x, n: frame.rot * n, dx: dx.map(|v| frame.rot * v), dn }
}

/// Section by φ₂, side by φ₁: (G X, G Y, Z) with the normal (γ ξ, γ η, ζ).
fn nested(half: &Vec3, [p1, p2]: [f64; 2], u: [f64; 2]) -> (Vec3, Vec3, [Vec3; 2], [Vec3; 2]) {
    let (side, section) = (ring(u[0], p1), ring(u[1], p2));
    let join = |s: &Vec2, c: &Vec2, z: f64| Vec3::new(s.x * c.x, s.x * c.y, z);
    let on = |v: Vec3| half.component_mul(&v);
    let off = |v: Vec3| v.component_div(half);
    (
        on(join(&side.point, &section.point, side.point.y)),
        off(join(&side.normal, &section.normal, side.normal.y)),
        [
            on(join(&side.point_rate, &section.point, side.point_rate.y)),
            on(join(&side.point, &section.point_rate, 0.0)),
        ],
        [
            off(join(&side.normal_rate, &section.normal, side.normal_rate.y)),
            off(join(&side.normal, &section.normal_rate, 0.0)),
        ],
    )
}
