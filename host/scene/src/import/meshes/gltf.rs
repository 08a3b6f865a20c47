//! glTF with its buffers beside it, or glb.
//!
//! The document is the parser's; what its numbers point to is read here, for they may point anywhere: nodes that are their own
//! children, views beyond their buffers, accessors of more vertices than there is memory.

mod positions;

use super::super::packages::Roots;
use nalgebra::{Matrix4, Point3, Vector3};
use std::path::Path;

/// Nodes inside each other.
const DEEPEST: usize = 64;
/// Nodes, each counted as often as it stands in the scene.
const MOST_NODES: usize = 100_000;
/// Vertices, each counted as often as it stands in the scene.
const MOST_VERTICES: usize = 8_000_000;
/// Bytes of all buffers.
const MOST_BYTES: usize = 256 << 20;

/// Positions of all vertices of the default scene (of the first one where none is), with the nodes' transformations. glTF
/// has +y up, robots +z: (x, y, z) becomes (x, −z, y).
pub(super) fn vertices(bytes: &[u8], path: &Path, roots: &Roots) -> Result<Vec<Vector3<f64>>, String> {
    check_header(bytes)?;
    let (document, blob) = parse(bytes)?;
    let mut reader = Reader { buffers: Vec::new(), nodes: 0, points: Vec::new() };
    let mut bytes_left = MOST_BYTES;
    for described in document.buffers() {
        let bytes = buffer(&described, blob.as_deref(), path, roots)?;
        bytes_left = bytes_left.checked_sub(bytes.len()).ok_or("its buffers have more than 256 MiB")?;
        reader.buffers.push(bytes);
    }
    let scene = document.default_scene().or_else(|| document.scenes().next());
    for node in scene.ok_or("it has no scene")?.nodes() {
        reader.add(&node, &Matrix4::identity(), DEEPEST)?;
    }
    Ok(reader.points)
}

/// The document, checked, and the binary part of a glb.
fn parse(bytes: &[u8]) -> Result<(gltf::Document, Option<Vec<u8>>), String> {
    let gltf::Gltf { document, blob } =
        gltf::Gltf::from_slice_without_validation(bytes).map_err(|e| e.to_string())?;
    // The parser's own check takes for granted that vertices have an accessor.
    let root = document.as_json();
    let primitives = root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mut named = primitives.flat_map(|primitive| primitive.attributes.values());
    if let Some(missing) = named.find(|accessor| accessor.value() >= root.accessors.len()) {
        let (at, count) = (missing.value(), root.accessors.len());
        return Err(format!("a mesh has its vertices in accessor {at}, and the file has {count} accessors"));
    }
    let document = gltf::Document::from_json(document.into_json()).map_err(|e| e.to_string())?;
    Ok((document, blob))
}

/// The length that a glb gives itself: magic, version and length are 12 bytes, which the parser takes for granted.
fn check_header(bytes: &[u8]) -> Result<(), String> {
    let length = bytes.strip_prefix(b"glTF").and_then(|rest| rest.get(4..8)?.try_into().ok());
    match length.map(u32::from_le_bytes) {
        Some(length @ ..12) => Err(format!("its header says that it is {length} bytes long")),
        _ => Ok(()),
    }
}

fn buffer(
    buffer: &gltf::Buffer<'_>,
    blob: Option<&[u8]>,
    path: &Path,
    roots: &Roots,
) -> Result<Vec<u8>, String> {
    let bytes = match buffer.source() {
        gltf::buffer::Source::Bin => blob.ok_or("it has no binary part")?.to_vec(),
        gltf::buffer::Source::Uri(uri) if uri.starts_with("data:") => {
            return Err("buffers inside the file are not read: store them as .bin or .glb".into());
        }
        gltf::buffer::Source::Uri(uri) => {
            let file = path.with_file_name(uri);
            if !roots.hold(&file) {
                return Err(format!("its buffer `{uri}` lies outside the model's folder and its packages"));
            }
            super::read_bytes(&file).map_err(|d| d.message)?
        }
    };
    if bytes.len() < buffer.length() {
        return Err(format!("a buffer has {} bytes instead of {}", bytes.len(), buffer.length()));
    }
    Ok(bytes)
}

struct Reader {
    buffers: Vec<Vec<u8>>,
    nodes: usize,
    points: Vec<Vector3<f64>>,
}

impl Reader {
    /// The vertices of a node and of those under it; `depth` more may stand inside each other.
    fn add(&mut self, node: &gltf::Node<'_>, above: &Matrix4<f64>, depth: usize) -> Result<(), String> {
        let deeper = depth.checked_sub(1);
        let deeper =
            deeper.ok_or_else(|| format!("more than {DEEPEST} of its nodes stand inside each other"))?;
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(format!("its scene has more than {MOST_NODES} nodes"));
        }
        let own = node.transform().matrix();
        let pose = above * Matrix4::from_fn(|i, j| f64::from(own[j][i]));
        for primitive in node.mesh().iter().flat_map(gltf::Mesh::primitives) {
            let Some(accessor) = primitive.get(&gltf::Semantic::Positions) else { continue };
            if accessor.count() > MOST_VERTICES - self.points.len() {
                return Err(format!("its scene has more than {MOST_VERTICES} vertices"));
            }
            for p in positions::read(&accessor, &self.buffers)? {
                let p = pose.transform_point(&Point3::from(p.map(f64::from)));
                self.points.push(Vector3::new(p.x, -p.z, p.y));
            }
        }
        node.children().try_for_each(|child| self.add(&child, &pose, deeper))
    }
}
