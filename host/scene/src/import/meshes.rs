//! Meshes as the corners of their convex hull.

mod gltf;
mod msh;
mod obj;
mod stl;
mod triangles;

use super::MeshRead;
use super::files::{nearest_file, read_bytes};
use super::model::ModelOptions;
use super::packages::{Roots, resolve};
use crate::diagnostics::Code;
use crate::{NoHull, convex_hull};
use nalgebra::Vector3;
use std::path::Path;
pub(super) use triangles::Surface;

/// Reason why there is no hull.
#[derive(Debug)]
pub(super) struct MeshFault {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: String,
}

/// The convex hull of a mesh.
#[derive(Debug)]
pub(super) struct Hull {
    pub(super) corners: Vec<Vector3<f64>>,
    /// Faces by numbers of all points of the mesh.
    pub(super) faces: Vec<[u32; 3]>,
}

/// The corners of the convex hull of the mesh that `model` calls `file`, scaled along the mesh's axes, m.
pub(super) fn hull(
    file: &str,
    scale: [f64; 3],
    model: &Path,
    options: &ModelOptions,
) -> Result<(Vec<Vector3<f64>>, MeshRead), MeshFault> {
    let points = surface(file, model, options)?.points;
    let points: Vec<Vector3<f64>> =
        points.into_iter().map(|p| p.component_mul(&Vector3::from(scale))).collect();
    let vertices = points.len();
    let points = corners(file, &points)?.corners;
    let read = MeshRead { file: file.to_owned(), vertices, corners: points.len() };
    Ok((points, read))
}

/// The convex hull of a mesh called `file`.
pub(super) fn corners(file: &str, points: &[Vector3<f64>]) -> Result<Hull, MeshFault> {
    let faces = if points.len() < 4 { Err(NoHull::Flat) } else { convex_hull(points) };
    let faces = faces.map_err(|reason| no_hull(file, points.len(), reason))?;
    let mut corners: Vec<u32> = faces.concat();
    corners.sort_unstable();
    corners.dedup();
    let corners = corners.iter().map(|c| points[*c as usize]).collect();
    Ok(Hull { corners, faces })
}

/// The mesh that `model` calls `file`.
pub(super) fn surface(file: &str, model: &Path, options: &ModelOptions) -> Result<Surface, MeshFault> {
    let path = resolve(file, model, options).map_err(|help| MeshFault {
        code: Code::NoSuchFile,
        message: format!("the mesh `{file}` cannot be found"),
        help,
    })?;
    let roots = Roots::of(file, model, options);
    // Checked first, so that messages never tell whether a file outside exists.
    if !roots.hold(&path) {
        return Err(outside(file));
    }
    if !path.exists() {
        let message = format!("the mesh `{file}` is not there: no file `{}`", path.display());
        return Err(MeshFault { code: Code::NoSuchFile, message, help: nearest_file(&path) });
    }
    read(&path, &roots).map_err(|reason| MeshFault {
        code: Code::BadShape,
        message: format!("the mesh `{file}`: {reason}"),
        help: String::new(),
    })
}

fn no_hull(file: &str, vertices: usize, reason: NoHull) -> MeshFault {
    let (message, help) = match reason {
        NoHull::Flat => (
            format!("the mesh `{file}` has no volume: its {vertices} vertices lie in one plane"),
            "a convex hull needs four points that span space",
        ),
        NoHull::TooLarge => (
            format!("the {vertices} vertices of the mesh `{file}` are too many for a convex hull"),
            "use a simpler mesh for collisions",
        ),
    };
    MeshFault { code: Code::BadShape, message, help: help.into() }
}

/// A model somebody else wrote must not have any file read.
fn outside(file: &str) -> MeshFault {
    MeshFault {
        code: Code::UnreadableFile,
        message: format!("the mesh `{file}` lies outside the model's folder and its packages"),
        help: "put it there, or name its directory: --package NAME=DIR, or `packages` in the scene".into(),
    }
}

/// All vertices of a mesh, m, and its triangles (of glTF none: nobody asks for them).
fn read(path: &Path, roots: &Roots) -> Result<Surface, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    let bytes = || read_bytes(path).map_err(|d| d.message);
    let surface = match extension.as_str() {
        "obj" => obj::surface(&bytes()?),
        "stl" => stl::surface(&bytes()?),
        "msh" => msh::surface(&bytes()?),
        "gltf" | "glb" => {
            gltf::vertices(&bytes()?, path, roots).map(|points| Surface { points, triangles: vec![] })
        }
        other => {
            return Err(format!("meshes of kind `.{other}` are not read: convert it to OBJ, STL or glTF"));
        }
    }?;
    match surface.points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        Some(i) => Err(format!("vertex {i} is not finite")),
        None => Ok(surface),
    }
}
