//! Surfaces by parameters in which both the point and the normal are Lipschitz.
//!
//! Along the unit p-ball let t be the ratio of the smaller to the larger coordinate and r = t^(p−1) that of the normal. For
//! p ≥ 2, r is a differentiable function of t, for p < 2, t is one of r: so the parameter u is t or r, and neither flat places nor
//! sharp ones are singular. The whole curve is φ = 2k + u with the quarter k = 0…3 and |u| ≤ 1. For p = 1 and p = ∞ the curve of
//! the (t, r) has two straight pieces, the corner (the normal turns) and the edge (the point slides): u = t + r, |u| ≤ 2, φ = 4k + u.
//! A box is the ball of p = ∞ in both exponents; a capsule's side slides, its ends turn.

use crate::solid::{Convex, Core};
use nalgebra::Vector2;
use vinci_detect::{Frame, Vec3};

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

/// Half the width of a quarter in φ.
fn half_width(p: f64) -> f64 {
    if p == 1.0 || p.is_infinite() { 2.0 } else { 1.0 }
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
    let u = if p.is_infinite() {
        if r == 0.0 { 0.0 } else { r + 1_f64.copysign(r) }
    } else if p > 2.0 {
        r.abs().powf(1.0 / (p - 1.0)).copysign(r)
    } else {
        r
    };
    quarter * half_width(p) + u
}

/// t, r and their derivatives in u.
fn ratios(u: f64, p: f64) -> [f64; 4] {
    let (inner, outer) = (u.clamp(-1.0, 1.0), u - u.clamp(-1.0, 1.0));
    let (turning, sliding) = if u.abs() <= 1.0 { (1.0, 0.0) } else { (0.0, 1.0) };
    if p == 1.0 {
        [outer, inner, sliding, turning]
    } else if p.is_infinite() {
        [inner, outer, turning, sliding]
    } else if p >= 2.0 {
        let steep = if p == 2.0 { 1.0 } else { u.abs().powf(p - 2.0) };
        [u, u * steep, 1.0, (p - 1.0) * steep]
    } else {
        let q = p / (p - 1.0);
        let steep = u.abs().powf(q - 2.0);
        [u * steep, u, (q - 1.0) * steep, 1.0]
    }
}

/// Place, normal and derivatives at φ.
fn ring(phi: f64, p: f64) -> Ring {
    let width = 2.0 * half_width(p);
    let quarter = (phi / width).round();
    let [t, r, dt, dr] = ratios(phi - width * quarter, p);
    let sum = 1.0 + r * t;
    let rate = (r * dt + t * dr) / sum;
    let m = if p.is_infinite() { 1.0 } else { sum.powf(-1.0 / p) };
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

/// Returns true if [`parameters`] and [`spot`] take the shape: polygons and hulls have no such charts here.
pub(crate) fn is_charted(shape: &Convex) -> bool {
    match &shape.core {
        Core::Polytope(_, _, cuboid) => cuboid.is_some(),
        _ => true,
    }
}

/// Parameters of the place with the outward normal `n` (local).
pub(crate) fn parameters(shape: &Convex, n: &Vec3) -> [f64; 2] {
    match &shape.core {
        Core::Superellipse(half, s) => [angle(half.x * n.x, half.y * n.y, *s), 0.0],
        Core::Superellipsoid(half, p) => inverse(half, *p, n),
        Core::Polytope(_, _, Some(half)) => inverse(half, [f64::INFINITY; 2], n),
        Core::Stick(half) => {
            // Ends turn from ±1 on; a normal across the axis is in the middle of the side.
            let [up, around] = inverse(&Vec3::repeat(1.0), [2.0; 2], &axial(n, half));
            [if up == 0.0 { 0.0 } else { up + 1_f64.copysign(up) }, around]
        }
        _ => inverse(&Vec3::repeat(1.0), [2.0; 2], n),
    }
}

/// Parameters of a superellipsoid's place.
fn inverse(half: &Vec3, [p1, p2]: [f64; 2], n: &Vec3) -> [f64; 2] {
    let d = half.component_mul(n);
    let around = angle(d.x, d.y, p2);
    let section = ring(around, p2).point;
    let up = angle(d.x * section.x + d.y * section.y, d.z, p1);
    // Downward normals are a little below the equator, not all the way round.
    let whole = 8.0 * half_width(p1);
    [if up > 0.5 * whole { up - whole } else { up }, around]
}

/// Axes of a capsule in which it lies along z: x and z change places in the plane.
fn axial(v: &Vec3, half: &Vec3) -> Vec3 {
    if half.x == 0.0 { *v } else { Vec3::new(v.y, v.z, v.x) }
}

/// Undoes [`axial`].
fn from_axial(v: &Vec3, half: &Vec3) -> Vec3 {
    if half.x == 0.0 { *v } else { Vec3::new(v.z, v.x, v.y) }
}

/// Point, normal (of any length), and their derivatives, local.
type Local = (Vec3, Vec3, [Vec3; 2], [Vec3; 2]);

/// The place with the given parameters.
pub(crate) fn spot(shape: &Convex, frame: &Frame, u: [f64; 2]) -> Spot {
    let (x, m, dx, dm) = match &shape.core {
        Core::Superellipse(half, s) => flat(half, *s, u[0]),
        Core::Superellipsoid(half, p) => nested(half, *p, u),
        Core::Polytope(_, _, Some(half)) => nested(half, [f64::INFINITY; 2], u),
        Core::Stick(half) => stick(half, u),
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

/// The second parameter turns nothing: the plane leaves it out.
fn flat(half: &Vec3, s: f64, u: f64) -> Local {
    let c = ring(u, s);
    let on = |v: Vec2| Vec3::new(half.x * v.x, half.y * v.y, 0.0);
    let off = |v: Vec2| Vec3::new(v.x / half.x, v.y / half.y, 0.0);
    (on(c.point), off(c.normal), [on(c.point_rate), Vec3::zeros()], [off(c.normal_rate), Vec3::zeros()])
}

/// The axis of a capsule: for |u₁| ≤ 1 the point slides along it, beyond the normal turns.
fn stick(half: &Vec3, [up, around]: [f64; 2]) -> Local {
    let slide = up.clamp(-1.0, 1.0);
    let (_, m, _, dm) = nested(&Vec3::repeat(1.0), [2.0; 2], [up - slide, around]);
    let (sliding, turning) = if up.abs() <= 1.0 { (1.0, 0.0) } else { (0.0, 1.0) };
    let turned = [dm[0] * turning, dm[1]].map(|v| from_axial(&v, half));
    (*half * slide, from_axial(&m, half), [*half * sliding, Vec3::zeros()], turned)
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
