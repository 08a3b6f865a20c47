//! Meshes that geoms name: corners of their hulls, and what they weigh.

use super::mesh_mass::{Fill, MeshMass};
use super::mesh_state::{MeshAsset, ReadMesh, State};
use super::reader::Reader;
use crate::diagnostics::{Code, did_you_mean};
use crate::import::MeshRead;
use crate::import::meshes::{self, Surface};
use crate::import::robot::quaternion;
use crate::import::robot::{Filled, Solid, solid_of};
use crate::import::tag::Tag;
use nalgebra::{Isometry3, Matrix3, Rotation3, SymmetricEigen, UnitQuaternion, Vector3};
use std::rc::Rc;

/// Coordinates of meshes, m: their fifth powers are finite.
const LARGEST: f64 = 1e12;

impl Reader<'_> {
    /// Makes the meshes known by their names.
    pub(super) fn mesh_assets(&mut self, root: &Tag) {
        for tag in root.named("asset").flat_map(|a| a.named("mesh")) {
            let tag = self.defaults.complete(tag, super::defaults::MAIN, self.robot.found);
            let file = tag.text("file").and_then(|file| std::path::Path::new(file).file_stem());
            let name = tag.text("name").map(str::to_owned);
            let Some(name) = name.or_else(|| Some(file?.to_string_lossy().into_owned())) else {
                let message = "a mesh has neither `name` nor `file`".to_owned();
                self.error(Code::MissingKey, &tag.place, message, "");
                continue;
            };
            let place = tag.place.clone();
            if self.meshes.insert(name.clone(), MeshAsset { tag, state: State::Unread }).is_some() {
                let message = format!("a second mesh is named `{name}`");
                self.error(Code::DuplicateName, &place, message, "every name is given once");
            }
        }
    }

    /// Solid of a geom of a mesh; where its type is another one, that solid fitted to the mesh.
    pub(super) fn mesh_geom(&mut self, tag: &Tag, kind: &str, touches: bool, of: &str) -> Option<Filled> {
        let name = self.required(tag, "mesh", of)?.text.clone();
        let pose = self.pose(tag, of);
        let Some(mesh) = self.mesh(&name, tag, of) else {
            return self.robot.options.skip_meshes.then_some(Filled { solid: None, pose, body: None });
        };
        if kind != "mesh" {
            return self.fitted(tag, kind, &mesh, pose, of);
        }
        let hull = if touches { self.hull(&name, tag, &mesh) } else { None };
        let MeshMass { measure, com, moments } = mesh.mass;
        Some(Filled { solid: hull.map(Solid::Hull), pose, body: Some((measure, com, moments)) })
    }

    /// The corners of the hull of a mesh, made once.
    fn hull(&mut self, name: &str, geom: &Tag, mesh: &ReadMesh) -> Option<Rc<Vec<Vector3<f64>>>> {
        if let Some(hull) = self.hulls.get(name) {
            return hull.clone();
        }
        let file = self.meshes.get(name).and_then(|asset| asset.tag.text("file")).unwrap_or(name).to_owned();
        let hull = match meshes::corners(&file, &mesh.surface.points) {
            Ok(hull) => {
                let (vertices, corners) = (mesh.surface.points.len(), hull.corners.len());
                self.robot.report.meshes.push(MeshRead { file, vertices, corners });
                Some(Rc::new(hull.corners))
            }
            Err(fault) => {
                self.mesh_fault(geom, fault.code, fault.message, &fault.help);
                None
            }
        };
        self.hulls.insert(name.to_owned(), hull.clone());
        hull
    }

    fn mesh(&mut self, name: &str, geom: &Tag, of: &str) -> Option<Rc<ReadMesh>> {
        let Some(asset) = self.meshes.get(name).cloned() else {
            let known = self.meshes.keys().map(String::as_str);
            let help = did_you_mean(name, known).unwrap_or_default();
            let message = format!("{of} names the mesh `{name}`, which is not among the assets");
            self.error(Code::UnknownName, &geom.place_of("mesh"), message, &help);
            return None;
        };
        let state = match asset.state {
            State::Read(mesh) => return Some(mesh),
            State::Broken => return None,
            State::Unread => self.read_mesh(name, &asset.tag).map(Rc::new),
        };
        let kept = state.clone().map_or(State::Broken, State::Read);
        if let Some(asset) = self.meshes.get_mut(name) {
            asset.state = kept;
        }
        state
    }

    fn read_mesh(&mut self, name: &str, tag: &Tag) -> Option<ReadMesh> {
        let of = format!("mesh `{name}`");
        let fill = match self.word(tag, "inertia", &of, &["legacy", "exact", "convex", "shell"]) {
            "exact" => Fill::Exact,
            "convex" => Fill::Convex,
            "shell" => Fill::Shell,
            _ => Fill::Legacy,
        };
        let mut surface = if tag.attribute("vertex").is_some() {
            self.written_surface(tag, &of)?
        } else {
            self.surface_of_file(tag, &of)?
        };
        self.transform(&mut surface, tag, &of);
        self.measured(surface, fill, tag, &of)
    }

    /// A mesh with its volume and moments.
    fn measured(&mut self, mut surface: Surface, fill: Fill, tag: &Tag, of: &str) -> Option<ReadMesh> {
        if !surface.points.iter().all(|p| p.amax() < LARGEST) {
            let message = format!("{of} is larger than {LARGEST} m");
            self.mesh_fault(tag, Code::BadShape, message, "correct its `scale`");
            return None;
        }
        if surface.triangles.is_empty() || fill == Fill::Convex {
            match meshes::corners(tag.text("file").unwrap_or(of), &surface.points) {
                Ok(hull) => surface.triangles = hull.faces,
                Err(fault) => {
                    self.mesh_fault(tag, fault.code, fault.message, &fault.help);
                    return None;
                }
            }
        }
        let Some(mass) = MeshMass::of(&surface, fill) else {
            let message = format!("{of} encloses no volume, or its triangles are seen from inside");
            let help = "write inertia=\"shell\" for surfaces without volume";
            self.mesh_fault(tag, Code::BadShape, message, help);
            return None;
        };
        Some(ReadMesh { surface, mass })
    }

    /// A mesh that cannot be read: an error, or left out where that is asked for.
    fn mesh_fault(&mut self, tag: &Tag, code: Code, message: String, help: &str) {
        let why = "its geoms have neither shape nor mass";
        self.robot.mesh_fault(&tag.place_of("file"), (code, message), help, why);
    }

    fn surface_of_file(&mut self, tag: &Tag, of: &str) -> Option<Surface> {
        let file = self.required(tag, "file", of)?.text.clone();
        let name = if self.settings.strip_path {
            std::path::Path::new(&file).file_name().map_or(file.clone(), |n| n.to_string_lossy().into_owned())
        } else {
            file.clone()
        };
        let within = self.settings.mesh_directory.as_ref().filter(|_| !name.starts_with('/'));
        let name =
            within.map_or(name.clone(), |directory| format!("{}/{name}", directory.trim_end_matches('/')));
        match meshes::surface(&name, self.robot.path, self.robot.options) {
            Ok(mut surface) => {
                // MuJoCo keeps what files say to single precision.
                surface.points.iter_mut().for_each(|p| *p = p.map(|x| f64::from(x as f32)));
                Some(surface)
            }
            Err(fault) => {
                self.mesh_fault(tag, fault.code, fault.message, &fault.help);
                None
            }
        }
    }

    /// A mesh written in the model: `vertex`, and `face` unless it is the hull.
    fn written_surface(&mut self, tag: &Tag, of: &str) -> Option<Surface> {
        let numbers = self.numbers(tag, "vertex", of, (12, usize::MAX))?;
        let points: Vec<Vector3<f64>> =
            numbers.chunks_exact(3).map(|p| Vector3::from_fn(|i, _| f64::from(p[i] as f32))).collect();
        let faces = self.numbers(tag, "face", of, (3, usize::MAX)).unwrap_or_default();
        let inside = |x: &f64| x.fract() == 0.0 && *x >= 0.0 && (*x as usize) < points.len();
        if !numbers.len().is_multiple_of(3) || !faces.len().is_multiple_of(3) || !faces.iter().all(inside) {
            let message =
                format!("{of}: `vertex` and `face` hold triples, `face` of numbers of vertices from 0");
            self.error(Code::BadShape, &tag.place, message, "");
            return None;
        }
        let triangles = faces.chunks_exact(3).map(|f| [f[0] as u32, f[1] as u32, f[2] as u32]).collect();
        Some(Surface { points, triangles })
    }

    /// Moves, turns and scales the vertices, in this order.
    fn transform(&mut self, surface: &mut Surface, tag: &Tag, of: &str) {
        let offset = self.vector(tag, "refpos", of).unwrap_or_default();
        let turn = self.array::<4>(tag, "refquat", of).and_then(quaternion);
        let turn = turn.unwrap_or_else(UnitQuaternion::identity);
        let scale = self.vector(tag, "scale", of).unwrap_or_else(|| Vector3::repeat(1.0));
        for p in &mut surface.points {
            *p = (turn.inverse() * (*p - offset)).component_mul(&scale);
        }
        if scale.product() < 0.0 {
            surface.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
    }

    /// A primitive fitted to a mesh: to the box of the same moments, or to the box around it.
    fn fitted(
        &mut self,
        tag: &Tag,
        kind: &str,
        mesh: &ReadMesh,
        pose: Isometry3<f64>,
        of: &str,
    ) -> Option<Filled> {
        let mass = &mesh.mass;
        let scale = self.number(tag, "fitscale", of).unwrap_or(1.0);
        let (axes, half) = equivalent_box(mass);
        let own = Isometry3::from_parts(mass.com.into(), axes);
        let (own, [x, y, z]) = if self.settings.fit_boxes {
            let (centre, half) = around(&mesh.surface.points, &own);
            (own * Isometry3::from_parts(centre.into(), Default::default()), half)
        } else {
            (own, half)
        };
        let (size, needed) = match (kind, self.settings.fit_boxes) {
            ("sphere", false) => ([(x + y + z) / 3.0, 0.0, 0.0], 1),
            ("sphere", true) => ([x.max(y).max(z), 0.0, 0.0], 1),
            ("capsule", false) => ([(x + y) / 2.0, (z - (x + y) / 4.0).max(0.0), 0.0], 2),
            ("cylinder", false) => ([(x + y) / 2.0, z, 0.0], 2),
            ("capsule", true) => ([x.max(y), z - x.max(y), 0.0], 2),
            ("cylinder", true) => ([x.max(y), z, 0.0], 2),
            ("box" | "ellipsoid", _) => ([x, y, z], 3),
            // A plane has no size to fit.
            _ => ([0.0; 3], 3),
        };
        let size = size.map(|s| s * scale);
        if size[..needed].iter().any(|s| *s <= 0.0) {
            self.error(Code::BadShape, &tag.place, format!("{of}: no {kind} fits its mesh"), "");
            return None;
        }
        Some(Filled { solid: Some(solid_of(kind, size)), pose: pose * own, body: None })
    }
}

/// Axes (largest moment first) and half sides of the box that has the moments of a mesh.
fn equivalent_box(mass: &MeshMass) -> (UnitQuaternion<f64>, [f64; 3]) {
    let eigen = SymmetricEigen::new(mass.moments);
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| eigen.eigenvalues[*b].total_cmp(&eigen.eigenvalues[*a]));
    let [a, b, c] = order.map(|i| eigen.eigenvalues[i]);
    let side = |sum: f64| 0.5 * (6.0 * sum.max(0.0) / mass.measure).sqrt();
    let [x, y] = [order[0], order[1]].map(|i| eigen.eigenvectors.column(i).into_owned());
    let r = Matrix3::from_columns(&[x, y, x.cross(&y)]);
    let axes = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(r));
    (axes, [side(b + c - a), side(a + c - b), side(a + b - c)])
}

/// Centre and half sides of the box around points, in a frame.
fn around(points: &[Vector3<f64>], frame: &Isometry3<f64>) -> (Vector3<f64>, [f64; 3]) {
    let local = points.iter().map(|p| frame.inverse_transform_point(&(*p).into()).coords);
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for p in local {
        (low, high) = (low.inf(&p), high.sup(&p));
    }
    let centre = (low + high) / 2.0;
    (centre, (high - centre).into())
}
