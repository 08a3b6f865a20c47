//! Signed distance of a point to a convex core in closed form: all a ball needs.

use crate::math::{segment_parameter, tangents};
use crate::polytope::Polytope;
use crate::solid::Core;
use vinci_detect::Vec3;

/// Outward unit normal and signed distance (negative inside) of `x` to the surface of `core`.
pub(crate) fn surface(core: &Core, x: &Vec3) -> (Vec3, f64) {
    match *core {
        Core::Polytope(ref p) => polytope_surface(p, x),
        Core::Cylinder { half, radius } => {
            let (n, d) = cylinder_profile(half, radius, x.x.hypot(x.y), x.z);
            (revolve(n, x), d)
        }
        Core::Cone { half, radius } => {
            let (n, d) = cone_profile(half, radius, x.x.hypot(x.y), x.z);
            (revolve(n, x), d)
        }
    }
}

/// Turns a normal (radial, axial) of the half plane through `x` into space.
fn revolve(n: (f64, f64), x: &Vec3) -> Vec3 {
    let rho = x.x.hypot(x.y);
    let radial = if rho > 0.0 { Vec3::new(x.x / rho, x.y / rho, 0.0) } else { Vec3::x() };
    radial * n.0 + Vec3::z() * n.1
}

type Profile = ((f64, f64), f64);

fn cylinder_profile(half: f64, radius: f64, rho: f64, z: f64) -> Profile {
    let (side, cap) = (rho - radius, z.abs() - half);
    let up = 1.0f64.copysign(z);
    if side > 0.0 && cap > 0.0 {
        let d = side.hypot(cap);
        ((side / d, up * cap / d), d)
    } else if side >= cap {
        ((1.0, 0.0), side)
    } else {
        ((0.0, up), cap)
    }
}

fn cone_profile(half: f64, radius: f64, rho: f64, z: f64) -> Profile {
    let slant = (2.0 * half).hypot(radius);
    let (nr, nz) = (2.0 * half / slant, radius / slant);
    let side = nr * rho + nz * (z - half);
    let base = -half - z;
    // Position along the slanted side, from the apex (0) to the rim (1).
    let along = (rho * radius - (z - half) * 2.0 * half) / (slant * slant);
    let corner = |dr: f64, dz: f64| {
        let d = dr.hypot(dz);
        if d > 0.0 { ((dr / d, dz / d), d) } else { ((nr, nz), 0.0) }
    };
    if side <= 0.0 && base <= 0.0 {
        if side >= base { ((nr, nz), side) } else { ((0.0, -1.0), base) }
    } else if along < 0.0 && base <= 0.0 {
        corner(rho, z - half)
    } else if along <= 1.0 && side > 0.0 {
        ((nr, nz), side)
    } else if base > 0.0 && rho <= radius {
        ((0.0, -1.0), base)
    } else {
        corner(rho - radius, z + half)
    }
}

fn polytope_surface(p: &Polytope, x: &Vec3) -> (Vec3, f64) {
    let level = |i: usize| p.faces[i].normal.dot(x) - p.faces[i].offset;
    let highest = (0..p.faces.len()).fold(None, |best: Option<(usize, f64)>, i| match best {
        Some((_, h)) if h >= level(i) => best,
        _ => Some((i, level(i))),
    });
    if let Some((i, h)) = highest
        && (h <= 0.0 || over_face(p, i, x))
    {
        return (p.faces[i].normal, h);
    }
    let mut best = (Vec3::zeros(), f64::MAX);
    for i in 0..p.faces.len() {
        let h = level(i);
        if h > 0.0 && h < best.1 && over_face(p, i, x) {
            best = (p.faces[i].normal * h, h);
        }
    }
    for &[v, w] in &p.edges {
        let (a, b) = (p.vertices[v as usize], p.vertices[w as usize]);
        let offset = x - (a + (b - a) * segment_parameter(x, &a, &b));
        if offset.norm() < best.1 {
            best = (offset, offset.norm());
        }
    }
    let sideways = || p.directions.first().map_or_else(Vec3::z, |d| tangents(d).0);
    match highest {
        _ if best.1 > 0.0 => (best.0 / best.1, best.1),
        Some((i, _)) => (p.faces[i].normal, 0.0),
        None => (sideways(), 0.0),
    }
}

fn over_face(p: &Polytope, i: usize, x: &Vec3) -> bool {
    let face = &p.faces[i];
    let corners = p.loop_of(face);
    (0..face.len).all(|k| {
        let (a, b) = (p.vertices[corners[k] as usize], p.vertices[corners[(k + 1) % face.len] as usize]);
        (x - a).dot(&face.normal.cross(&(b - a))) >= 0.0
    })
}
