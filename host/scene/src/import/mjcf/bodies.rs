//! The tree of bodies: frames, replicates, inertials, sites.

use super::defaults::MAIN;
use super::reader::{Reader, Site};
use crate::diagnostics::Code;
use crate::import::robot::{Body, HEAVIEST, Mass, WORLD, turned};
use crate::import::tag::Tag;
use nalgebra::{Isometry3, Matrix3, Vector3};
use std::rc::Rc;

/// Where an element stands: in which body, in which frame of it, and what holds for it there.
#[derive(Clone)]
pub(super) struct Scope {
    pub(super) body: usize,
    pub(super) frame: Isometry3<f64>,
    /// Class of defaults of elements that name none.
    pub(super) class: Rc<str>,
    /// Suffix that replicates add to names.
    pub(super) suffix: Rc<str>,
}

impl Reader<'_> {
    /// Reads the world and everything in it.
    pub(super) fn world(&mut self, root: &Tag) {
        self.robot.bodies.push(Body::new("world".into(), &root.place, WORLD, Isometry3::identity()));
        self.robot.names.insert("body world".into(), "world".into());
        let scope =
            Scope { body: WORLD, frame: Isometry3::identity(), class: MAIN.into(), suffix: "".into() };
        for world in root.named("worldbody") {
            self.content(world, &scope);
        }
        self.robot.name_joints();
    }

    fn content(&mut self, tag: &Tag, scope: &Scope) {
        for child in &tag.children {
            let part = matches!(child.name.as_str(), "body" | "joint" | "freejoint" | "geom" | "frame");
            if part && !self.count_part(&child.place) {
                return;
            }
            match child.name.as_str() {
                "body" => self.body(child, scope),
                "frame" => self.frame(child, scope),
                "replicate" => self.replicate(child, scope),
                "inertial" => self.inertial(child, scope),
                "joint" | "freejoint" => self.joint(child, scope),
                "geom" => self.geom(child, scope),
                "site" => self.site(child, scope),
                "composite" | "flexcomp" | "attach" => self.refuse(child),
                // Cameras, lights and plugins: listed by those who look for what is not read.
                _ => {}
            }
        }
    }

    /// Elements that make bodies: without them it would be another model.
    fn refuse(&mut self, tag: &Tag) {
        let message = format!("<{}> makes bodies in a way that is not read", tag.name);
        let help =
            "let MuJoCo write the model without it: `mujoco.MjSpec.from_file(…).to_xml()` after compiling";
        self.error(Code::UnknownKey, &tag.place, message, help);
    }

    /// Defaults that hold for the elements inside a body or frame.
    fn inside(&mut self, tag: &Tag, scope: &Scope) -> Rc<str> {
        self.defaults.check(tag, "childclass", self.robot.found);
        tag.text("childclass").map_or_else(|| scope.class.clone(), Rc::from)
    }

    fn body(&mut self, tag: &Rc<Tag>, scope: &Scope) {
        let class = self.inside(tag, scope);
        let index = self.robot.bodies.len();
        let name = self.named("body", tag, &scope.suffix);
        let name = name.unwrap_or_else(|| self.robot.free_name("body", &format!("body_{index}")));
        let of = format!("body `{name}`");
        let frame = scope.frame * self.pose(tag, &of);
        let mut body = Body::new(name, &tag.place, scope.body, frame);
        body.mocap = self.flag(tag, "mocap", &of, false);
        self.robot.bodies.push(body);
        let inside = Scope { body: index, frame: Isometry3::identity(), class, suffix: scope.suffix.clone() };
        self.content(tag, &inside);
        let fixed = self.robot.bodies[index].joints.is_empty();
        self.robot.bodies[index].weld = if fixed { scope.body } else { index };
        if self.robot.bodies[index].mocap && (scope.body != WORLD || !fixed) {
            let message = format!("{of} is a mocap body, and not fixed to the world");
            self.error(
                Code::Contradiction,
                &tag.place,
                message,
                "mocap bodies stand in the world and have no joints",
            );
        }
    }

    fn frame(&mut self, tag: &Tag, scope: &Scope) {
        let class = self.inside(tag, scope);
        let frame = scope.frame * self.pose(tag, "a frame");
        self.content(tag, &Scope { frame, class, ..scope.clone() });
    }

    /// Copies, each moved and turned on from the one before.
    fn replicate(&mut self, tag: &Tag, scope: &Scope) {
        let of = "a replicate";
        if self.required(tag, "count", of).is_none() {
            return;
        }
        let class = self.inside(tag, scope);
        let count = self.integer(tag, "count", of, 0).max(0) as usize;
        let offset = self.vector(tag, "offset", of).unwrap_or_default();
        let euler = self.array::<3>(tag, "euler", of).unwrap_or_default();
        let (separator, digits) = (tag.text("sep").unwrap_or_default(), count.to_string().len());
        let mut at = Vector3::zeros();
        for i in 0..count {
            if !self.count_part(&tag.place) {
                return;
            }
            let turn = self.settings.euler(euler.map(|angle| angle * i as f64));
            let frame = scope.frame * Isometry3::from_parts(at.into(), turn);
            at += turn * offset;
            let suffix = format!("{separator}{i:0digits$}{}", scope.suffix);
            let scope = Scope { frame, class: class.clone(), suffix: suffix.into(), ..scope.clone() };
            self.content(tag, &scope);
        }
    }

    fn inertial(&mut self, tag: &Tag, scope: &Scope) {
        let of = format!("body `{}`", self.robot.bodies[scope.body].name);
        if scope.body == WORLD || self.robot.bodies[scope.body].inertial.is_some() {
            let message = if scope.body == WORLD {
                "the world has an <inertial>".to_owned()
            } else {
                format!("{of} has two <inertial>")
            };
            self.error(Code::Contradiction, &tag.place, message, "keep one in every body that moves");
            return;
        }
        let (Some(_), Some(_)) = (self.required(tag, "mass", &of), self.required(tag, "pos", &of)) else {
            return;
        };
        let mass = self.number(tag, "mass", &of).unwrap_or_default();
        if !(0.0..=HEAVIEST).contains(&mass) {
            let message = format!("{of} has the mass {mass} kg");
            self.error(
                Code::Unphysical,
                &tag.place_of("mass"),
                message,
                "masses are finite and not negative",
            );
            return;
        }
        let pose = self.pose(tag, &of);
        let Some(inertia) = self.tensor(tag, &of) else { return };
        let r = pose.rotation.to_rotation_matrix();
        let inertia = turned(&inertia, r.matrix());
        let body = &mut self.robot.bodies[scope.body];
        body.inertial = Some(Mass { mass, com: pose.translation.vector, inertia });
        body.mass_place = tag.place.clone();
    }

    /// The moments of an `<inertial>` in its own axes.
    fn tensor(&mut self, tag: &Tag, of: &str) -> Option<Matrix3<f64>> {
        if let Some(full) = tag.attribute("fullinertia") {
            let place = full.place.clone();
            let turned = ["quat", "euler", "axisangle", "xyaxes", "zaxis", "diaginertia"];
            if let Some(key) = turned.iter().find(|key| tag.attribute(key).is_some()) {
                let message = format!("{of} has both `fullinertia` and `{key}`");
                self.error(Code::Contradiction, &place, message, "keep one of them");
                return None;
            }
            let [xx, yy, zz, xy, xz, yz] = self.array::<6>(tag, "fullinertia", of)?;
            return Some(Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz));
        }
        let before = self.robot.found.errors();
        let moments = self.vector(tag, "diaginertia", of).unwrap_or_default();
        if moments.min() < 0.0 {
            let message = format!("{of} has a negative moment of inertia");
            self.error(Code::Unphysical, &tag.place_of("diaginertia"), message, "moments are positive");
        }
        (self.robot.found.errors() == before).then(|| Matrix3::from_diagonal(&moments))
    }

    fn site(&mut self, tag: &Rc<Tag>, scope: &Scope) {
        let tag = self.defaults.complete(tag, &scope.class, self.robot.found);
        let Some(name) = tag.text("name") else { return };
        let name = format!("{name}{}", scope.suffix);
        let of = format!("site `{name}`");
        let pose = match self.array::<6>(&tag, "fromto", &of) {
            Some([a, b, c, d, e, f]) => {
                let middle = (Vector3::new(a, b, c) + Vector3::new(d, e, f)) / 2.0;
                Isometry3::from_parts(middle.into(), Default::default())
            }
            None => self.pose(&tag, &of),
        };
        self.sites.insert(name, Site { body: scope.body, pose: scope.frame * pose });
    }
}
