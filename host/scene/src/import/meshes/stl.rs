//! STL, binary or text.

use super::triangles::Surface;
use nalgebra::Vector3;
use std::io::Cursor;

/// All vertices and triangles.
pub(super) fn surface(bytes: &[u8]) -> Result<Surface, String> {
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|e| e.to_string())?;
    let points = mesh.vertices.iter().map(|v| Vector3::from_fn(|i, _| f64::from(v.0[i]))).collect();
    let triangles = mesh.faces.iter().map(|f| f.vertices.map(|i| i as u32)).collect();
    Ok(Surface { points, triangles })
}
