//! Geometries as solids.

use super::reader::{Context, Reader};
use crate::diagnostics::Code;
use crate::import::meshes;
use crate::import::robot::{Solid, normal, turned_z};
use crate::import::tag::Tag;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use std::rc::Rc;

impl Reader<'_> {
    /// The solid of a `<geometry>` and where it stands in it; `None` where it has no shape here, which is said.
    pub(super) fn solid(
        &mut self,
        geometry: &Tag,
        of: &str,
        context: &Context,
    ) -> Option<(Solid, Isometry3<f64>)> {
        let kinds: Vec<&Rc<Tag>> = geometry.children.iter().collect();
        let [kind] = kinds[..] else {
            let message = format!("{of}: <geometry> must hold one shape, found {}", kinds.len());
            self.robot.error(Code::BadShape, &geometry.place, message, "");
            return None;
        };
        match kind.name.as_str() {
            "plane" => self.plane(kind, of),
            "empty" => None,
            "heightmap" | "image" | "polyline" => {
                let why = "no such shape: it touches nothing";
                self.robot.report.drop(format!("geometry/{}", kind.name), kind.place.clone(), why);
                None
            }
            "mesh" => Some((Solid::Hull(self.mesh(kind, of, context)?), Isometry3::identity())),
            _ => Some((self.primitive(kind, of)?, Isometry3::identity())),
        }
    }

    fn primitive(&mut self, kind: &Tag, of: &str) -> Option<Solid> {
        Some(match kind.name.as_str() {
            "box" => Solid::Box(self.sizes(kind, "size", of)?.map(|side| 0.5 * side)),
            "sphere" => Solid::Sphere(self.length(kind, "radius", of)?),
            "ellipsoid" => Solid::Ellipsoid(self.sizes(kind, "radii", of)?),
            "drake:ellipsoid" => {
                let axes = ["a", "b", "c"].map(|axis| self.length(kind, axis, of));
                let [Some(a), Some(b), Some(c)] = axes else { return None };
                Solid::Ellipsoid([a, b, c])
            }
            name @ ("cylinder" | "capsule" | "cone" | "drake:capsule") => {
                let (length, radius) = (self.length(kind, "length", of), self.length(kind, "radius", of));
                let (half, radius) = (0.5 * length?, radius?);
                match name {
                    "cylinder" => Solid::Cylinder { radius, half },
                    "cone" => Solid::Cone { radius, half },
                    _ => Solid::Capsule { radius, half },
                }
            }
            other => {
                let message = format!("{of}: unknown geometry <{other}>");
                let help = "known are <box>, <sphere>, <cylinder>, <capsule>, <cone>, <ellipsoid>, <plane> and <mesh>";
                self.robot.error(Code::UnknownValue, &kind.place, message, help);
                return None;
            }
        })
    }

    /// Three lengths above 0, m.
    fn sizes(&mut self, kind: &Tag, name: &str, of: &str) -> Option<[f64; 3]> {
        let child = self.required(kind, name, of)?.clone();
        let sizes = self.vector(kind, name, of)?;
        let what = format!("{of}: <{name}> of <{}>", kind.name);
        sizes.iter().try_for_each(|x| self.positive(*x, &child.content, &what).map(|_| ()))?;
        Some(sizes.into())
    }

    /// Everything below a plane, however large the plane is said to be.
    fn plane(&mut self, kind: &Tag, of: &str) -> Option<(Solid, Isometry3<f64>)> {
        let given = self.vector(kind, "normal", of).unwrap_or_else(Vector3::z);
        let Some(up) = normal(given) else {
            let message = format!("{of}: the <normal> of its <plane> has length zero");
            self.robot.error(Code::BadShape, &kind.place, message, "give a direction, for example 0 0 1");
            return None;
        };
        let turn = if up == Vector3::z() { UnitQuaternion::identity() } else { turned_z(up) };
        Some((Solid::Plane, Isometry3::from_parts(Vector3::zeros().into(), turn)))
    }

    /// The corners of the hull of a mesh, made once.
    fn mesh(&mut self, kind: &Tag, of: &str, context: &Context) -> Option<Rc<Vec<Vector3<f64>>>> {
        let uri = self.text(kind, "uri", of)?.clone();
        let scale: [f64; 3] = self.vector(kind, "scale", of).unwrap_or_else(|| Vector3::repeat(1.0)).into();
        if let Some(part) = kind.child("submesh") {
            let message = format!("{of} is a part of the mesh `{}`", uri.text);
            let help = "save the part as a mesh of its own: whole meshes are read";
            self.robot.error(Code::BadShape, &part.place, message, help);
            return None;
        }
        let key = (context.file.to_path_buf(), uri.text.clone(), scale.map(f64::to_bits));
        if let Some(known) = self.hulls.get(&key) {
            return known.clone();
        }
        let hull = match meshes::hull(&uri.text, scale, &context.file, self.robot.options) {
            Ok((corners, read)) => {
                self.robot.report.meshes.push(read);
                Some(Rc::new(corners))
            }
            Err(fault) => {
                let what = (fault.code, format!("{of}: {}", fault.message));
                self.robot.mesh_fault(&uri.place, what, &fault.help, "its link has no shape in its place");
                None
            }
        };
        self.hulls.insert(key, hull.clone());
        hull
    }
}
