//! glTF with its buffers beside it, or glb.

use nalgebra::{Matrix4, Point3, Vector3};
use std::path::Path;

/// Positions of all vertices of the default scene (of the first one where none is), with the nodes' transformations. glTF
/// has +y up, robots +z: (x, y, z) becomes (x, −z, y).
pub(super) fn vertices(bytes: &[u8], path: &Path) -> Result<Vec<Vector3<f64>>, String> {
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).map_err(|e| e.to_string())?;
    let buffers: Vec<Vec<u8>> =
        document.buffers().map(|b| buffer(&b, blob.as_deref(), path)).collect::<Result<_, _>>()?;
    let scene = document.default_scene().or_else(|| document.scenes().next());
    let mut points = Vec::new();
    for node in scene.ok_or("it has no scene")?.nodes() {
        add(&node, &Matrix4::identity(), &buffers, &mut points);
    }
    Ok(points)
}

fn buffer(buffer: &gltf::Buffer<'_>, blob: Option<&[u8]>, path: &Path) -> Result<Vec<u8>, String> {
    let bytes = match buffer.source() {
        gltf::buffer::Source::Bin => blob.ok_or("it has no binary part")?.to_vec(),
        gltf::buffer::Source::Uri(uri) if uri.starts_with("data:") => {
            return Err("buffers inside the file are not read: store them as .bin or .glb".into());
        }
        gltf::buffer::Source::Uri(uri) => {
            let file = path.with_file_name(uri);
            super::read_bytes(&file).map_err(|d| d.message)?
        }
    };
    if bytes.len() < buffer.length() {
        return Err(format!("a buffer has {} bytes instead of {}", bytes.len(), buffer.length()));
    }
    Ok(bytes)
}

fn add(node: &gltf::Node<'_>, above: &Matrix4<f64>, buffers: &[Vec<u8>], points: &mut Vec<Vector3<f64>>) {
    let own = node.transform().matrix();
    let pose = above * Matrix4::from_fn(|i, j| f64::from(own[j][i]));
    for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
        let reader = primitive.reader(|b| buffers.get(b.index()).map(Vec::as_slice));
        for p in reader.read_positions().into_iter().flatten() {
            let p = pose.transform_point(&Point3::from(p.map(f64::from)));
            points.push(Vector3::new(p.x, -p.z, p.y));
        }
    }
    for child in node.children() {
        add(&child, &pose, buffers, points);
    }
}
