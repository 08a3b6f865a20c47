//! Links: mass properties.

use super::frames::Carrier;
use super::models::Open;
use super::reader::{Context, Link, Reader};
use crate::diagnostics::Code;
use crate::import::robot::{Body, HEAVIEST, Mass, WORLD, turned};
use crate::import::tag::Tag;
use nalgebra::{Isometry3, Matrix3};

impl Reader<'_> {
    pub(super) fn link(&mut self, tag: &Tag, context: &Context, open: &mut Vec<Open>) {
        let Some(name) = self.named_as(tag, "name").cloned() else { return };
        let (prefix, place) = (&context.prefix, &tag.place);
        let called = self.robot.named("body", &format!("{prefix}{}", name.text), &name.place);
        let of = format!("link `{called}`");
        let (pose, relative_to) = self.pose(tag, &of, context.minor);
        let frame = self.frames.add(&name.text, pose);
        self.known_as(&name, frame, context);
        self.frames.carry(frame, Carrier::Link(self.links.len()));
        open.push(Open { frame, place: place.clone(), relative_to, attached_to: None });
        let mut body = Body::new(called, place, WORLD, Isometry3::identity());
        if !context.is_static {
            self.inertial(tag, &of, &mut body, context);
            self.weightless(tag, &of);
        }
        let self_collide = self.flag(tag, "self_collide", &of, context.self_collide);
        let (top, is_static) = (context.top.unwrap_or_default(), context.is_static);
        self.links.push(Link { body, frame, top, is_static, self_collide });
        self.collisions(tag, &of, context);
    }

    /// Words of a link about its motion that a scene cannot say of a single link.
    fn weightless(&mut self, tag: &Tag, of: &str) {
        if !self.flag(tag, "gravity", of, true) {
            let why = "it has weight: only a whole tree can be without (`gravity` of the tree)";
            self.robot.report.drop("link/gravity (false)".into(), tag.place.clone(), why);
        }
        if self.flag(tag, "kinematic", of, false) {
            let why = "it moves by forces as other links do";
            self.robot.report.drop("link/kinematic (true)".into(), tag.place.clone(), why);
        }
    }

    fn inertial(&mut self, tag: &Tag, of: &str, body: &mut Body, context: &Context) {
        let inertial = self.single(tag, "inertial", of).cloned();
        let Some(inertial) = inertial else {
            let text = format!("{of} has no <inertial>: 1 kg and moments of 1 kg m², as the format says");
            self.robot.report.note(text, tag.place.clone());
            body.mass = Mass { mass: 1.0, inertia: Matrix3::identity(), ..Mass::default() };
            return;
        };
        if let Some(auto) =
            inertial.attribute("auto").filter(|a| !matches!(a.text.trim(), "false" | "0" | ""))
        {
            let message = format!("{of} takes its mass from its collisions");
            let help = "`gz sdf --print --expand-auto-inertials FILE` writes the numbers";
            self.robot.error(Code::UnknownValue, &auto.place.clone(), message, help);
            return;
        }
        body.mass_place = inertial.place.clone();
        let mass = self.number(&inertial, "mass", of).unwrap_or(1.0);
        if !(mass > 0.0 && mass <= HEAVIEST) {
            let place = inertial.child("mass").map_or(&inertial.place, |m| &m.content.place).clone();
            let help = "masses are above 0; a mere frame is a <frame>";
            self.robot.error(Code::Unphysical, &place, format!("{of} has the mass {mass} kg"), help);
            return;
        }
        let Some(tensor) = self.tensor(&inertial, of) else { return };
        let pose = self.own_pose(&inertial, of, context);
        let r = pose.rotation.to_rotation_matrix();
        let inertia = if r.matrix() == &Matrix3::identity() { tensor } else { turned(&tensor, r.matrix()) };
        body.mass = Mass { mass, com: pose.translation.vector, inertia };
    }

    /// A pose that is always seen from the link.
    fn own_pose(&mut self, inertial: &Tag, of: &str, context: &Context) -> Isometry3<f64> {
        let (pose, named) = self.pose(inertial, of, context.minor);
        if let Some(named) = named {
            let message = format!("{of}: the pose of its <inertial> names the frame `{}`", named.text);
            let help = "masses are placed in the frame of their link";
            self.robot.error(Code::Contradiction, &named.place, message, help);
        }
        pose
    }

    /// Moments about the centre of mass; those that are not written are the format's: 1, and 0 off the diagonal.
    fn tensor(&mut self, inertial: &Tag, of: &str) -> Option<Matrix3<f64>> {
        let Some(inertia) = self.single(inertial, "inertia", of).cloned() else {
            return Some(Matrix3::identity());
        };
        let keys = [("ixx", 1.0), ("iyy", 1.0), ("izz", 1.0), ("ixy", 0.0), ("ixz", 0.0), ("iyz", 0.0)];
        let before = self.robot.found.errors();
        let [xx, yy, zz, xy, xz, yz] =
            keys.map(|(key, default)| self.number(&inertia, key, of).unwrap_or(default));
        for (key, value) in [("ixx", xx), ("iyy", yy), ("izz", zz)] {
            if value <= 0.0 {
                let place = inertia.child(key).map_or(&inertia.place, |m| &m.content.place).clone();
                let message = format!("{of} has the moment of inertia {key} = {value} kg m²");
                let help =
                    "the moments of any real body are positive and none is larger than the sum of the others";
                self.robot.error(Code::Unphysical, &place, message, help);
            }
        }
        let tensor = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        (self.robot.found.errors() == before).then_some(tensor)
    }
}
