//! Surfaces of meshes.

use nalgebra::Vector3;

/// The surface of a mesh: corners, m, and triangles that may be none.
#[derive(Debug, Clone, Default)]
pub(crate) struct Surface {
    pub(crate) points: Vec<Vector3<f64>>,
    pub(crate) triangles: Vec<[u32; 3]>,
}
