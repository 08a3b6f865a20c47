//! Wavefront OBJ.

use super::triangles::Surface;
use nalgebra::Vector3;

/// Positions of all vertices that faces use, and the faces cut into triangles.
pub(super) fn surface(bytes: &[u8]) -> Result<Surface, String> {
    let options = tobj::LoadOptions {
        ignore_points: true,
        ignore_lines: true,
        triangulate: true,
        ..tobj::LoadOptions::default()
    };
    // Materials are looks.
    let no_materials = |_: &std::path::Path| Err(tobj::LoadError::OpenFileFailed);
    let (models, _) =
        tobj::load_obj_buf(&mut &bytes[..], &options, no_materials).map_err(|e| e.to_string())?;
    let mut surface = Surface::default();
    for model in &models {
        let first = surface.points.len() as u32;
        surface.points.extend(model.mesh.positions.chunks_exact(3).map(Vector3::from_column_slice));
        let triangles = model.mesh.indices.chunks_exact(3);
        surface.triangles.extend(triangles.map(|t| [first + t[0], first + t[1], first + t[2]]));
    }
    Ok(surface)
}
