//! Triangles of a shape in its own frame.

use nalgebra::Vector3;
use vinci_core::geometry::convex_hull;
use vinci_core::model::{Shape, ShapeKind};

use crate::{planar, solids};

/// Vertices with outward normals, and triangles counter-clockwise seen from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Positions, m.
    pub positions: Vec<Vector3<f64>>,
    /// Unit normals, one per vertex.
    pub normals: Vec<Vector3<f64>>,
    /// Vertices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Triangles of a shape in its own frame. Planar shapes are plates as thick as a part of `extent`, the size of the scene in m;
    /// half-planes and half-spaces are as wide as it.
    pub fn of_shape(shape: &Shape, extent: f64) -> Self {
        let p = shape.params.as_slice();
        match shape.kind {
            ShapeKind::Ball => solids::ball(p[0]),
            ShapeKind::Box => solids::cuboid([p[0], p[1], p[2]]),
            ShapeKind::Capsule => solids::capsule(p[0], p[1]),
            ShapeKind::Cylinder => solids::cylinder(p[0], p[1]),
            ShapeKind::Cone => solids::cone(p[0], p[1]),
            ShapeKind::Superellipsoid => solids::superellipsoid([p[0], p[1], p[2]], [p[3], p[4]]),
            ShapeKind::ConvexHull => hull(p),
            ShapeKind::TriMesh => Self::faceted(&points(p), &triples(&shape.indices)),
            ShapeKind::HalfSpace => solids::floor(extent),
            _ => planar::plate(shape, extent),
        }
    }

    /// Triangles with a normal of their own each.
    pub(crate) fn faceted(points: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Self {
        let mut mesh = Self::default();
        for corners in triangles {
            let [a, b, c] = corners.map(|k| points[k as usize]);
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_else(Vector3::z);
            let first = mesh.positions.len() as u32;
            mesh.positions.extend([a, b, c]);
            mesh.normals.extend([normal; 3]);
            mesh.triangles.push([first, first + 1, first + 2]);
        }
        mesh
    }

    /// Adds another mesh.
    pub(crate) fn append(&mut self, other: &Self) {
        let first = self.positions.len() as u32;
        self.positions.extend(&other.positions);
        self.normals.extend(&other.normals);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|k| k + first)));
    }
}

fn hull(p: &[f64]) -> Mesh {
    let points = points(p);
    // A scene with points in one plane is refused before it runs.
    Mesh::faceted(&points, &convex_hull(&points).unwrap_or_default())
}

fn points(p: &[f64]) -> Vec<Vector3<f64>> {
    p.chunks_exact(3).map(Vector3::from_column_slice).collect()
}

fn triples(indices: &[u32]) -> Vec<[u32; 3]> {
    indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(kind: ShapeKind, params: &[f64]) -> Shape {
        let pose = if (kind as u32) < 100 { vec![0.0; 3] } else { vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0] };
        Shape { kind, body: 0, material: 0, pose, params: params.to_vec(), indices: Vec::new() }
    }

    /// ∮ x·n dA / 3: positive where triangles turn outwards.
    fn volume(mesh: &Mesh) -> f64 {
        let corner = |k: u32| mesh.positions[k as usize];
        mesh.triangles.iter().map(|t| corner(t[0]).dot(&corner(t[1]).cross(&corner(t[2]))) / 6.0).sum()
    }

    #[test]
    fn solids_are_closed_and_hold_their_volume() {
        use std::f64::consts::PI;
        let cases = [
            (ShapeKind::Ball, vec![0.5], PI / 6.0),
            (ShapeKind::Box, vec![0.5, 1.0, 1.5], 6.0),
            (ShapeKind::Cylinder, vec![1.0, 0.5], PI / 2.0),
            (ShapeKind::Cone, vec![1.0, 0.5], PI / 6.0),
            (ShapeKind::Capsule, vec![1.0, 0.5], PI / 2.0 + PI / 6.0),
            (ShapeKind::Superellipsoid, vec![0.5, 0.5, 0.5, 1.0, 1.0], PI / 6.0),
        ];
        for (kind, params, right) in cases {
            let mesh = Mesh::of_shape(&shape(kind, &params), 1.0);
            let volume = volume(&mesh);
            assert!((volume / right - 1.0).abs() < 0.02, "{kind:?}: {volume} for {right}");
        }
    }

    #[test]
    fn normals_are_units_and_point_where_triangles_turn() {
        for (kind, params) in [
            (ShapeKind::Ball, vec![0.5]),
            (ShapeKind::Box, vec![0.5, 1.0, 1.5]),
            (ShapeKind::Capsule, vec![1.0, 0.5]),
            (ShapeKind::Cone, vec![1.0, 0.5]),
            (ShapeKind::Disc, vec![0.3]),
            (ShapeKind::Polygon, vec![0.0, 0.0, 2.0, 0.0, 2.0, 2.0, 1.0, 0.5]),
        ] {
            let mesh = Mesh::of_shape(&shape(kind, &params), 1.0);
            for t in &mesh.triangles {
                let [a, b, c] = t.map(|k| mesh.positions[k as usize]);
                let face = (b - a).cross(&(c - a));
                for k in t {
                    let n = mesh.normals[*k as usize];
                    assert!((n.norm() - 1.0).abs() < 1e-9, "{kind:?}");
                    assert!(n.dot(&face) >= -1e-12 * face.norm(), "{kind:?}");
                }
            }
        }
    }
}
