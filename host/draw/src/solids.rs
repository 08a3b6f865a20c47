//! Spatial shapes as triangles, each in its own frame with its axis along z.

use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::Vector3;

use crate::mesh::Mesh;

/// Corners of a circle.
const AROUND: u32 = 32;
/// Arcs of a quarter circle.
const QUARTER: u32 = 8;
/// Squares along a side of a floor.
pub(crate) const SQUARES: u32 = 20;

/// A point of a profile: radius and height, m, and the outward normal there in the same plane.
type Profile = [f64; 4];

/// A surface of revolution about z, from the top down.
fn revolved(profile: &[Profile]) -> Mesh {
    grid(profile.len() as u32 - 1, AROUND, |i, j| {
        let [r, z, nr, nz] = profile[i as usize];
        let (sin, cos) = (TAU * f64::from(j % AROUND) / f64::from(AROUND)).sin_cos();
        (Vector3::new(r * cos, r * sin, z), Vector3::new(nr * cos, nr * sin, nz))
    })
}

/// A surface over a grid of positions and normals.
fn grid(rows: u32, columns: u32, at: impl Fn(u32, u32) -> (Vector3<f64>, Vector3<f64>)) -> Mesh {
    let mut mesh = Mesh::default();
    for (i, j) in (0..=rows).flat_map(|i| (0..=columns).map(move |j| (i, j))) {
        let (position, normal) = at(i, j);
        mesh.positions.push(position);
        mesh.normals.push(normal.try_normalize(0.0).unwrap_or_else(Vector3::z));
    }
    let index = |i: u32, j: u32| i * (columns + 1) + j;
    for (i, j) in (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))) {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        mesh.triangles.extend([[a, b, c], [a, c, d]].into_iter().filter(|t| has_area(&mesh.positions, *t)));
    }
    mesh
}

fn has_area(positions: &[Vector3<f64>], triangle: [u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|k| positions[k as usize]);
    (b - a).cross(&(c - a)).norm_squared() > 0.0
}

/// A quarter of a circle of a radius about a height: from the top to the side, or from the side to the bottom.
fn quarter(upper: bool, radius: f64, height: f64) -> impl Iterator<Item = Profile> {
    (0..=QUARTER).map(move |k| {
        let part = FRAC_PI_2 * f64::from(k) / f64::from(QUARTER);
        // The pole has radius 0, not a rounding error.
        let (r, z) = match (upper, k) {
            (true, 0) => (0.0, 1.0),
            (false, QUARTER) => (0.0, -1.0),
            (true, _) => (part.sin(), part.cos()),
            (false, _) => (part.cos(), -part.sin()),
        };
        [radius * r, height + radius * z, r, z]
    })
}

/// A ball.
pub(crate) fn ball(radius: f64) -> Mesh {
    capsule(0.0, radius)
}

/// A capsule of a half length of its axis.
pub(crate) fn capsule(half: f64, radius: f64) -> Mesh {
    let profile: Vec<_> = quarter(true, radius, half).chain(quarter(false, radius, -half)).collect();
    revolved(&profile)
}

/// A cylinder of a half height.
pub(crate) fn cylinder(half: f64, radius: f64) -> Mesh {
    revolved(&[
        [0.0, half, 0.0, 1.0],
        [radius, half, 0.0, 1.0],
        [radius, half, 1.0, 0.0],
        [radius, -half, 1.0, 0.0],
        [radius, -half, 0.0, -1.0],
        [0.0, -half, 0.0, -1.0],
    ])
}

/// A cone of a half height and the radius of its base.
pub(crate) fn cone(half: f64, radius: f64) -> Mesh {
    let side = [2.0 * half, radius];
    revolved(&[
        [0.0, half, side[0], side[1]],
        [radius, -half, side[0], side[1]],
        [radius, -half, 0.0, -1.0],
        [0.0, -half, 0.0, -1.0],
    ])
}

/// A box of half sides.
pub(crate) fn cuboid(half: [f64; 3]) -> Mesh {
    let sign = |k: u32, axis: u32| if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
    let corner = |k: u32| Vector3::from_fn(|axis, _| sign(k, axis as u32) * half[axis]);
    let corners: Vec<_> = (0..8).map(corner).collect();
    let faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<_> = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Mesh::faceted(&corners, &triangles)
}

/// The surface (|x/a|^(2/ε2) + |y/b|^(2/ε2))^(ε2/ε1) + |z/c|^(2/ε1) = 1.
pub(crate) fn superellipsoid([a, b, c]: [f64; 3], [e1, e2]: [f64; 2]) -> Mesh {
    let power = |x: f64, e: f64| if x == 0.0 { 0.0 } else { x.signum() * x.abs().powf(e) };
    let (rows, columns) = (4 * QUARTER, 2 * AROUND);
    grid(rows, columns, |i, j| {
        let latitude = FRAC_PI_2 * (1.0 - 2.0 * f64::from(i) / f64::from(rows));
        let pole = i == 0 || i == rows;
        let (sv, cv) = if pole { (latitude.signum(), 0.0) } else { latitude.sin_cos() };
        let (su, cu) = (TAU * f64::from(j % columns) / f64::from(columns)).sin_cos();
        let (ring, flat) = (power(cv, e1), if pole { 0.0 } else { power(cv, 2.0 - e1) });
        let position = Vector3::new(a * ring * power(cu, e2), b * ring * power(su, e2), c * power(sv, e1));
        let normal = Vector3::new(
            flat * power(cu, 2.0 - e2) / a,
            flat * power(su, 2.0 - e2) / b,
            power(sv, 2.0 - e1) / c,
        );
        (position, normal)
    })
}

/// A square of side 2 `extent` in the plane z = 0, cut into squares.
pub(crate) fn floor(extent: f64) -> Mesh {
    let step = 2.0 * extent / f64::from(SQUARES);
    // Rows run against y, so that triangles turn upwards.
    grid(SQUARES, SQUARES, |i, j| {
        let at = |k: u32| step * f64::from(k) - extent;
        (Vector3::new(at(j), -at(i), 0.0), Vector3::z())
    })
}

/// An arrow along z of a length, for forces.
pub(crate) fn arrow(length: f64, radius: f64) -> Mesh {
    let (head, wide) = ((6.0 * radius).min(0.5 * length), 2.5 * radius);
    let mut mesh = lifted(cylinder(0.5 * (length - head), radius), 0.5 * (length - head));
    mesh.append(&lifted(cone(0.5 * head, wide), length - 0.5 * head));
    mesh
}

fn lifted(mut mesh: Mesh, height: f64) -> Mesh {
    mesh.positions.iter_mut().for_each(|p| p.z += height);
    mesh
}
