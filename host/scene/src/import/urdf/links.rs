//! Links: mass properties and collision shapes.

use super::super::xml::Element;
use super::super::{build, meshes};
use super::reader::Reader;
use super::values::Origin;
use crate::Node;
use crate::diagnostics::{Code, Diagnostic};
use nalgebra::{Matrix3, UnitQuaternion};

impl Reader<'_> {
    /// The entry of `links` of a `<link>`.
    pub(super) fn link(&mut self, element: &Element<'_>) -> Option<Node> {
        let name = self.name("link", element)?;
        let of = format!("link `{name}`");
        let place = element.place();
        let name_place = element.attribute("name").map_or_else(|| place.clone(), |a| a.place);
        let mut entries = vec![("name", build::text(name, &name_place))];
        self.report.links.0 += 1;
        match self.single(element, "inertial", &of) {
            Some(inertial) => entries.extend(self.inertial(&inertial, &of)),
            None => self.report.links.1 += 1,
        }
        let shapes: Vec<Node> = element.named("collision").filter_map(|c| self.collision(&c, &of)).collect();
        if !shapes.is_empty() {
            entries.push(("shapes", build::array(shapes, &place)));
        }
        Some(build::object(entries, &place))
    }

    /// Mass, centre of mass, and the inertia turned into link axes, R I Rᵀ.
    fn inertial(&mut self, element: &Element<'_>, of: &str) -> Vec<(&'static str, Node)> {
        let origin = self.origin(element, of);
        let mass = self.required(element, "mass", of);
        let mass = mass.and_then(|m| Some((self.needed(&m, "value", of)?, m.attribute("value")?.place)));
        let inertia = self.required(element, "inertia", of);
        let (Some((mass, mass_place)), Some(inertia)) = (mass, inertia) else { return vec![] };
        let Some(tensor) = self.tensor(&inertia, of) else { return vec![] };
        if mass < 0.0 {
            let help = "masses are positive; a mere frame has no <inertial>";
            self.error(Code::Unphysical, &mass_place, format!("{of} has the mass {mass} kg"), help);
            return vec![];
        }
        if mass == 0.0 && tensor == Matrix3::zeros() {
            self.report.links.1 += 1;
            return vec![];
        }
        self.report.mass += mass;
        let place = inertia.place();
        let turned = turned(&tensor, &origin);
        let rows = (0..3).map(|i| build::numbers(&[turned[(i, 0)], turned[(i, 1)], turned[(i, 2)]], &place));
        let mut entries = vec![("mass", build::number(mass, &mass_place))];
        if origin.xyz != [0.0; 3] {
            let at = element.child("origin").map_or_else(|| place.clone(), |o| o.place());
            entries.push(("com", build::numbers(&origin.xyz, &at)));
        }
        entries.push(("inertia", build::array(rows.collect(), &place)));
        entries
    }

    fn tensor(&mut self, element: &Element<'_>, of: &str) -> Option<Matrix3<f64>> {
        let keys = ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"];
        let values = keys.map(|key| self.needed(element, key, of));
        let [Some(xx), Some(yy), Some(zz), Some(xy), Some(xz), Some(yz)] = values else { return None };
        if let Some(k) = [xx, yy, zz].iter().position(|x| *x < 0.0) {
            let place = element.attribute(keys[k]).map_or_else(|| element.place(), |a| a.place);
            let message = format!("{of} has the moment of inertia {} = {} kg m²", keys[k], [xx, yy, zz][k]);
            let help =
                "the moments of any real body are positive and none is larger than the sum of the others";
            self.error(Code::Unphysical, &place, message, help);
            return None;
        }
        Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz))
    }

    fn collision(&mut self, element: &Element<'_>, of: &str) -> Option<Node> {
        let origin = self.origin(element, of);
        let geometry = self.required(element, "geometry", of)?;
        let kinds: Vec<Element<'_>> = geometry.children().collect();
        let [kind] = kinds.as_slice() else {
            let message = format!("{of}: <geometry> must hold one shape, found {}", kinds.len());
            self.error(Code::BadShape, &geometry.place(), message, "");
            return None;
        };
        let (name, mut entries) = self.geometry(kind, of)?;
        *self.report.shapes.entry(name).or_default() += 1;
        entries.insert(0, ("type", build::text(name, &kind.place())));
        let place = element.child("origin").map_or_else(|| element.place(), |o| o.place());
        entries.extend(origin.entries(&place));
        Some(build::object(entries, &kind.place()))
    }

    /// The type of a shape and its keys.
    fn geometry(
        &mut self,
        kind: &Element<'_>,
        of: &str,
    ) -> Option<(&'static str, Vec<(&'static str, Node)>)> {
        Some(match kind.name() {
            "box" => ("box", vec![("size", self.box_size(kind, of)?)]),
            "sphere" => ("ball", vec![("radius", self.length(kind, "radius", of)?)]),
            "cylinder" => (
                "cylinder",
                vec![
                    ("height", self.length(kind, "length", of)?),
                    ("radius", self.length(kind, "radius", of)?),
                ],
            ),
            "capsule" | "drake:capsule" => (
                "capsule",
                vec![
                    ("length", self.length(kind, "length", of)?),
                    ("radius", self.length(kind, "radius", of)?),
                ],
            ),
            "mesh" => ("convex-hull", self.mesh(kind, of)?),
            other => {
                let message = format!("{of}: unknown geometry <{other}>");
                let help = "known are <box>, <sphere>, <cylinder>, <capsule> and <mesh>";
                self.error(Code::UnknownValue, &kind.place(), message, help);
                return None;
            }
        })
    }

    fn box_size(&mut self, element: &Element<'_>, of: &str) -> Option<Node> {
        let place = self.text(element, "size", of)?.1;
        let before = self.diagnostics.errors();
        let size = self.vector(element, "size", of, [1.0; 3]);
        if self.diagnostics.errors() > before {
            return None;
        }
        let what = format!("{of}: `size` of <box>");
        size.iter().try_for_each(|x| self.positive(*x, &place, &what).map(|_| ()))?;
        Some(build::numbers(&size, &place))
    }

    fn mesh(&mut self, element: &Element<'_>, of: &str) -> Option<Vec<(&'static str, Node)>> {
        let (file, place) = self.text(element, "filename", of)?;
        let scale = self.vector(element, "scale", of, [1.0; 3]);
        match meshes::hull(file, scale, self.path, self.options) {
            Ok((hull, read)) => {
                self.report.meshes.push(read);
                let points = hull.iter().map(|p| build::numbers(&[p.x, p.y, p.z], &place)).collect();
                Some(vec![("points", build::array(points, &place))])
            }
            Err(fault) if self.options.skip_meshes => {
                let why = "its link has no shape in its place";
                self.report.drop(format!("mesh {file} ({})", fault.message), place, why);
                None
            }
            Err(fault) => {
                let message = format!("{of}: {}", fault.message);
                let skip = "--skip-meshes (in a scene: \"skip_meshes\": true) leaves such meshes out";
                let between = match fault.help.as_str() {
                    "" => "",
                    help if help.ends_with('?') => " ",
                    _ => "; ",
                };
                let help = format!("{}{between}{skip}", fault.help);
                self.diagnostics.push(Diagnostic::error(fault.code, message).at(place).help(help));
                None
            }
        }
    }
}

/// R I Rᵀ, symmetric to the bit; without rotation the numbers as they are.
fn turned(tensor: &Matrix3<f64>, origin: &Origin) -> Matrix3<f64> {
    if origin.rpy == [0.0; 3] {
        return *tensor;
    }
    let [roll, pitch, yaw] = origin.rpy;
    let r = UnitQuaternion::from_euler_angles(roll, pitch, yaw).to_rotation_matrix();
    let turned = r.matrix() * tensor * r.matrix().transpose();
    Matrix3::from_fn(|i, j| turned[(i.min(j), i.max(j))])
}
