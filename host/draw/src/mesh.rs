//! Triangles with normals.

use nalgebra::Vector3;

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
