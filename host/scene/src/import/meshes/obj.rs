//! Wavefront OBJ.

use nalgebra::Vector3;

/// Positions of all vertices that faces use.
pub(super) fn vertices(bytes: &[u8]) -> Result<Vec<Vector3<f64>>, String> {
    let options =
        tobj::LoadOptions { ignore_points: true, ignore_lines: true, ..tobj::LoadOptions::default() };
    // Materials are looks.
    let no_materials = |_: &std::path::Path| Err(tobj::LoadError::OpenFileFailed);
    let (models, _) =
        tobj::load_obj_buf(&mut &bytes[..], &options, no_materials).map_err(|e| e.to_string())?;
    let positions = models.iter().flat_map(|m| m.mesh.positions.chunks_exact(3));
    Ok(positions.map(Vector3::from_column_slice).collect())
}
