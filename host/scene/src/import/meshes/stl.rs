//! STL, binary or text.

use nalgebra::Vector3;
use std::io::Cursor;

/// All vertices.
pub(super) fn vertices(bytes: &[u8]) -> Result<Vec<Vector3<f64>>, String> {
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|e| e.to_string())?;
    Ok(mesh.vertices.iter().map(|v| Vector3::from_fn(|i, _| f64::from(v.0[i]))).collect())
}
