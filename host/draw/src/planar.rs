//! Planar shapes as plates about the plane z = 0.

use std::f64::consts::{PI, TAU};

use earcut::Earcut;
use nalgebra::Vector3;
use vinci_core::model::{Shape, ShapeKind};
use vinci_run::pictures::superellipse;

use crate::mesh::Mesh;

/// Half the thickness of a plate as a part of the scene's size.
const HALF_THICK: f64 = 0.01;
/// Half the width of a line as a part of the scene's size.
const HALF_LINE: f64 = 0.003;
/// Corners of a closed curve.
const CORNERS: usize = 64;

/// A planar shape as a plate; `extent`: size of the scene, m.
pub(crate) fn plate(shape: &Shape, extent: f64) -> Mesh {
    prism(&outline(shape, extent), HALF_THICK * extent)
}

/// Corners of the border, counter-clockwise, m.
fn outline(shape: &Shape, extent: f64) -> Vec<[f64; 2]> {
    let p = shape.params.as_slice();
    match shape.kind {
        ShapeKind::Disc => arc([0.0, 0.0], p[0], 0.0, TAU, CORNERS).collect(),
        ShapeKind::PlanarCapsule => capsule(p[0], p[1]),
        ShapeKind::Polygon => p.chunks_exact(2).map(|c| [c[0], c[1]]).collect(),
        ShapeKind::Superellipse => superellipse(p, CORNERS).collect(),
        ShapeKind::Segment => line([p[0], p[1]], [p[2], p[3]], HALF_LINE * extent),
        ShapeKind::HalfPlane => {
            vec![[-extent, -0.1 * extent], [extent, -0.1 * extent], [extent, 0.0], [-extent, 0.0]]
        }
        // Spatial shapes are solids.
        _ => Vec::new(),
    }
}

fn arc(centre: [f64; 2], r: f64, from: f64, angle: f64, parts: usize) -> impl Iterator<Item = [f64; 2]> {
    (0..parts).map(move |k| {
        let (sin, cos) = (from + angle * k as f64 / parts as f64).sin_cos();
        [centre[0] + r * cos, centre[1] + r * sin]
    })
}

fn capsule(half: f64, r: f64) -> Vec<[f64; 2]> {
    let end = |x: f64, from: f64| arc([x, 0.0], r, from, PI, CORNERS / 2).chain([[x, x.signum() * r]]);
    end(half, -0.5 * PI).chain(end(-half, 0.5 * PI)).collect()
}

fn line(a: [f64; 2], b: [f64; 2], half: f64) -> Vec<[f64; 2]> {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
    let [nx, ny] = [-half * dy / length, half * dx / length];
    vec![[a[0] - nx, a[1] - ny], [b[0] - nx, b[1] - ny], [b[0] + nx, b[1] + ny], [a[0] + nx, a[1] + ny]]
}

/// A prism over a simple polygon between z = −half and z = half.
fn prism(outline: &[[f64; 2]], half: f64) -> Mesh {
    let mut cap: Vec<u32> = Vec::new();
    Earcut::new().earcut(outline.iter().copied(), &[], &mut cap);
    let at = |k: u32, z: f64| Vector3::new(outline[k as usize][0], outline[k as usize][1], z);
    let mut mesh = Mesh::default();
    for t in cap.chunks_exact(3) {
        let (a, b, c) = (at(t[0], half), at(t[1], half), at(t[2], half));
        let turns = (b - a).cross(&(c - a)).z > 0.0;
        let [front, back] = if turns { [[0, 1, 2], [0, 2, 1]] } else { [[0, 2, 1], [0, 1, 2]] };
        mesh.append(&Mesh::faceted(&[a, b, c], &[front]));
        let below = [t[0], t[1], t[2]].map(|k| at(k, -half));
        mesh.append(&Mesh::faceted(&below, &[back]));
    }
    for k in 0..outline.len() as u32 {
        let next = (k + 1) % outline.len() as u32;
        let side = [at(k, -half), at(next, -half), at(next, half), at(k, half)];
        mesh.append(&Mesh::faceted(&side, &[[0, 1, 2], [0, 2, 3]]));
    }
    mesh
}
