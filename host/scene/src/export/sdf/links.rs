//! Links with their masses, and bodies as models of one link.

use nalgebra::{Isometry3, Matrix3, Quaternion, UnitQuaternion, Vector3};
use vinci_core::model::DofRole;

use super::super::poses::{Place, at_start};
use super::super::xml::numbers;
use super::Writing;

/// The link of a body.
const LINK: &str = "link";

impl Writing<'_> {
    /// A body as a model of one link.
    pub(super) fn body(&mut self, body: u32, stands: bool) {
        let of = self.subject.system.bodies[body as usize].clone();
        let held = of.role.iter().filter(|role| **role != DofRole::Free).count();
        let wholly = !stands && held == of.role.len();
        if wholly {
            self.omissions.add(format!("`{}` is held or driven as a whole: it stands", of.name));
        } else if held > 0 && !stands {
            self.omissions
                .add(format!("`{}` is held or driven along some of its ways: it moves freely", of.name));
        }
        if of.damping.iter().any(|d| *d != 0.0) {
            self.omissions.add(format!("`{}` has damping, which bodies without joint have not", of.name));
        }
        self.xml.open("model", &[("name", of.name.clone())]);
        if stands || wholly {
            self.xml.text("static", &[], "true");
        }
        self.pose(&at_start(self.subject.system, body), None);
        self.xml.open("link", &[("name", LINK.into())]);
        if !stands {
            self.inertial(of.mass.mass, Vector3::zeros(), &of.mass.inertia);
            self.weight(of.gravity);
        }
        self.shapes_of(body, &Isometry3::identity());
        self.xml.close();
        self.xml.close();
    }

    /// A pose, seen from a frame, unless it is the identity.
    pub(super) fn pose(&mut self, (position, turn): &Place, relative_to: Option<&str>) {
        let [w, x, y, z] = *turn;
        let mut attributes: Vec<(&str, String)> =
            relative_to.iter().map(|frame| ("relative_to", (*frame).to_owned())).collect();
        if (x, y, z) == (0.0, 0.0, 0.0) {
            if *position == [0.0; 3] && relative_to.is_none() {
                return;
            }
            let [a, b, c] = *position;
            return self.xml.text("pose", &attributes, &numbers(&[a, b, c, 0.0, 0.0, 0.0]));
        }
        attributes.push(("rotation_format", "quat_xyzw".into()));
        let [a, b, c] = *position;
        self.xml.text("pose", &attributes, &numbers(&[a, b, c, x, y, z, w]));
    }

    pub(super) fn weight(&mut self, gravity: bool) {
        if !gravity {
            self.xml.text("gravity", &[], "false");
        }
    }

    /// Mass and inertia about the centre of mass, which stands at `com` in the frame of the link.
    pub(super) fn inertial(&mut self, mass: f64, com: Vector3<f64>, inertia: &Matrix3<f64>) {
        let mut i = *inertia;
        if self.subject.system.space == vinci_core::model::Space::Planar {
            // Only the moment about z is felt; the others are those of a flat thing, with room for rounding.
            let j = i[(2, 2)];
            i = Matrix3::from_diagonal(&Vector3::new(0.6 * j, 0.6 * j, j));
        }
        self.xml.open("inertial", &[]);
        self.pose(&(com.into(), [1.0, 0.0, 0.0, 0.0]), None);
        self.xml.text("mass", &[], &numbers(&[mass]));
        self.xml.open("inertia", &[]);
        let moments = [
            ("ixx", i[(0, 0)]),
            ("iyy", i[(1, 1)]),
            ("izz", i[(2, 2)]),
            ("ixy", i[(0, 1)]),
            ("ixz", i[(0, 2)]),
            ("iyz", i[(1, 2)]),
        ];
        moments.into_iter().for_each(|(key, value)| self.xml.text(key, &[], &numbers(&[value])));
        self.xml.close();
        self.xml.close();
    }
}

/// A pose as one thing.
pub(super) fn isometry((position, [w, x, y, z]): &Place) -> Isometry3<f64> {
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(*w, *x, *y, *z));
    Isometry3::from_parts(Vector3::from(*position).into(), turn)
}
