//! Support functions of superellipses and superellipsoids: dual norms, nested for two exponents.
//!
//! The unit ball of the p-norm has in the direction (α, β) the support value ‖(α, β)‖_q, 1/p + 1/q = 1, at the point
//! (sgn α |α|^(q−1), sgn β |β|^(q−1))/‖(α, β)‖_q^(q−1). With M the larger and m the smaller of |α|, |β|, r = m/M and
//! t = r^(q−1) = r^(1/(p−1)) that is M-coordinate k = (1 + r t)^(−1/p), m-coordinate t k: no power overflows.

use vinci_detect::Vec3;

/// Second derivatives beyond this (of the unit ball at unit direction) count as this: a flat place.
const FLAT: f64 = 1e15;

/// Support point of the unit p-ball, and κ of the support function's second derivative κ (−β, α)(−β, α)ᵀ.
pub(crate) struct Support2 {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) curvature: f64,
}

/// See the head of this module; (0, 0) has the centre.
pub(crate) fn unit_ball(alpha: f64, beta: f64, p: f64) -> Support2 {
    let (a, b) = (alpha.abs(), beta.abs());
    let m = a.max(b);
    if m == 0.0 {
        return Support2 { x: 0.0, y: 0.0, curvature: 0.0 };
    }
    let r = a.min(b) / m;
    let t = small_coordinate(r, p);
    let k = if p == 2.0 { 1.0 / (1.0 + r * r).sqrt() } else { (1.0 + r * t).powf(-1.0 / p) };
    let (x, y) = if a >= b { (k, t * k) } else { (t * k, k) };
    // κ = (q − 1) r^(q−2) (1 + r^q)^(1/q−2)/M³ with r^(q−2) = t/r and 1/q − 2 = −1 − 1/p.
    let curvature = (slope(r, t, p) * k / (1.0 + r * t)).min(FLAT) / (m * m * m);
    Support2 { x: x.copysign(alpha), y: y.copysign(beta), curvature }
}

/// r^(1/(p−1)); for p = 1 the corner, or the middle of the edge.
fn small_coordinate(r: f64, p: f64) -> f64 {
    if p == 2.0 {
        r
    } else if p == 1.0 {
        if r == 1.0 { 1.0 } else { 0.0 }
    } else {
        r.powf(1.0 / (p - 1.0))
    }
}

/// dt/dr = (q − 1) r^(q−2).
fn slope(r: f64, t: f64, p: f64) -> f64 {
    if p == 1.0 {
        return 0.0;
    }
    if r > 0.0 {
        return t / (r * (p - 1.0));
    }
    if p > 2.0 {
        FLAT
    } else if p == 2.0 {
        1.0
    } else {
        0.0
    }
}

/// A support point with the second derivative of the support function, Σ kᵢ vᵢ vᵢᵀ.
pub(crate) struct Curved {
    pub(crate) point: Vec3,
    pub(crate) factors: [f64; 2],
    pub(crate) vectors: [Vec3; 2],
}

/// |x/a|^s + |y/b|^s ≤ 1 in the direction n (local).
pub(crate) fn superellipse(half: &Vec3, s: f64, n: &Vec3) -> Curved {
    let (alpha, beta) = (half.x * n.x, half.y * n.y);
    let u = unit_ball(alpha, beta, s);
    Curved {
        point: Vec3::new(half.x * u.x, half.y * u.y, 0.0),
        factors: [u.curvature, 0.0],
        vectors: [Vec3::new(-half.x * beta, half.y * alpha, 0.0), Vec3::zeros()],
    }
}

/// ‖(‖(x/a, y/b)‖_p2, z/c)‖_p1 ≤ 1 in the direction n (local): the dual norms nest in the same way.
pub(crate) fn superellipsoid(half: &Vec3, [p1, p2]: [f64; 2], n: &Vec3) -> Curved {
    let d = half.component_mul(n);
    let section = unit_ball(d.x, d.y, p2);
    let g = d.x * section.x + d.y * section.y;
    let side = unit_ball(g, d.z, p1);
    let along = Vec3::new(-d.z * section.x, -d.z * section.y, g);
    let across = Vec3::new(-d.y, d.x, 0.0);
    Curved {
        point: half.component_mul(&Vec3::new(side.x * section.x, side.x * section.y, side.y)),
        factors: [side.curvature, side.x * section.curvature],
        vectors: [half.component_mul(&along), half.component_mul(&across)],
    }
}
