//! Equality constraints: couplers of joints, points that stay together, bodies held in the world.

use super::reader::Reader;
use crate::diagnostics::Code;
use crate::import::extras::{Loop, LoopEnd};
use crate::import::model::Mimic;
use crate::import::robot::JointIndex;
use crate::import::robot::quaternion;
use crate::import::robot::{JointKind, WORLD};
use crate::import::tag::Tag;
use nalgebra::{Isometry3, Point3, Vector3};

/// Distance of the points that hold the axes of a body, m.
const LEVER: f64 = 0.1;

impl Reader<'_> {
    pub(super) fn equalities(&mut self, root: &Tag) {
        for (number, tag) in root.named("equality").flat_map(|e| e.children.iter()).enumerate() {
            let tag = self.defaults.complete_as(tag, "equality", self.robot.found);
            let name =
                tag.text("name").map_or_else(|| format!("equality_{number}"), crate::import::names::fit);
            if !self.flag(&tag, "active", &format!("equality `{name}`"), true) {
                self.robot.report.drop("equality (not active)".into(), tag.place.clone(), "it has no effect");
                continue;
            }
            match tag.name.as_str() {
                "joint" => self.coupled(&tag),
                "connect" => self.connected(&tag, &name),
                "weld" => self.welded(&tag, &name),
                other => {
                    let why = "no such constraint: it has no effect";
                    self.robot.report.drop(format!("equality/{other}"), tag.place.clone(), why);
                }
            }
        }
    }

    /// q₁ − r₁ = c₀ + c₁ (q₂ − r₂), with r the coordinates in the configuration of the model.
    fn coupled(&mut self, tag: &Tag) {
        let of = "an equality of joints";
        let Some(first) = self.joint_called(tag, "joint1", of) else { return };
        if tag.attribute("joint2").is_none() {
            let why = "a joint is not held at a number by a coupler: use `drives`";
            self.robot.report.drop("equality/joint (of one joint)".into(), tag.place.clone(), why);
            return;
        }
        let Some(second) = self.joint_called(tag, "joint2", of) else { return };
        let Some([c0, c1]) = self.linear(tag, of) else { return };
        let joint = |(body, joint): JointIndex| &self.robot.bodies[body].joints[joint];
        let (a, b) = (joint(first), joint(second));
        let single = |kind: JointKind| matches!(kind, JointKind::Hinge | JointKind::Slide);
        if first == second || !single(a.kind) || !single(b.kind) {
            let message = "an equality couples two joints that each have one coordinate".to_owned();
            self.error(Code::Contradiction, &tag.place, message, "name two hinges or slides");
            return;
        }
        let (joint, other, offset) = (a.name.clone(), b.name.clone(), a.reference + c0 - c1 * b.reference);
        self.robot.mimics.push(Mimic { joint, other, ratio: c1, offset, place: tag.place.clone() });
    }

    /// c₀ and c₁ of a linear `polycoef`; none, with a finding, where terms of higher order are not 0.
    fn linear(&mut self, tag: &Tag, of: &str) -> Option<[f64; 2]> {
        let mut c = [0.0, 1.0, 0.0, 0.0, 0.0];
        if let Some(given) = self.numbers(tag, "polycoef", of, (1, 5)) {
            c[..given.len()].copy_from_slice(&given);
        }
        if c[2..].iter().any(|x| *x != 0.0) {
            let why = "couplers are linear: it has no effect";
            self.robot.report.drop("equality/joint (of higher order)".into(), tag.place_of("polycoef"), why);
            return None;
        }
        Some([c[0], c[1]])
    }

    /// Bodies, and points of each that lie at each other, in the frames of the bodies.
    fn ends(&mut self, tag: &Tag, of: &str) -> Option<[(usize, Isometry3<f64>); 2]> {
        if tag.attribute("body1").is_none() {
            let sites = ["site1", "site2"].map(|key| self.site_called(tag, key, of));
            let [Some(a), Some(b)] = sites else { return None };
            return Some([a, b]);
        }
        let first = self.body_called(tag, "body1", of)?;
        let second = match tag.attribute("body2") {
            Some(_) => self.body_called(tag, "body2", of)?,
            None => WORLD,
        };
        Some([(first, Isometry3::identity()), (second, Isometry3::identity())])
    }

    fn site_called(&mut self, tag: &Tag, key: &str, of: &str) -> Option<(usize, Isometry3<f64>)> {
        let name = self.required(tag, key, of)?.clone();
        let found = self.sites.get(&name.text).map(|site| (site.body, site.pose));
        if found.is_none() {
            let message = format!("{of} names the site `{}`, which the model does not have", name.text);
            self.error(Code::UnknownName, &name.place, message, "");
        }
        found
    }

    fn connected(&mut self, tag: &Tag, name: &str) {
        let of = format!("connect `{name}`");
        let Some([first, second]) = self.ends(tag, &of) else { return };
        let points = if tag.attribute("body1").is_some() {
            if self.required(tag, "anchor", &of).is_none() {
                return;
            }
            let Some(anchor) = self.vector(tag, "anchor", &of) else { return };
            let world = self.robot.world_pose(first.0) * Point3::from(anchor);
            [anchor, self.robot.world_pose(second.0).inverse_transform_point(&world).coords]
        } else {
            [first.1.translation.vector, second.1.translation.vector]
        };
        let ends = [self.end(first.0, points[0]), self.end(second.0, points[1])];
        self.add_loop(name.to_owned(), ends, None, tag);
    }

    /// A point of a body as an end of a loop.
    fn end(&self, body: usize, at: Vector3<f64>) -> LoopEnd {
        if self.robot.bodies[body].weld == WORLD {
            let at = self.robot.world_pose(body) * Point3::from(at);
            return LoopEnd { link: None, at: at.coords.into() };
        }
        LoopEnd {
            link: Some(self.robot.bodies[body].name.clone()),
            at: (at - self.robot.link_origin(body)).into(),
        }
    }

    fn add_loop(&mut self, name: String, ends: [LoopEnd; 2], along: Option<Vec<&'static str>>, tag: &Tag) {
        if ends.iter().all(|end| end.link.is_none()) {
            self.robot.report.drop(
                "equality (between bodies that stand)".into(),
                tag.place.clone(),
                "nothing moves",
            );
            return;
        }
        self.robot.extras.loops.push(Loop { name, ends, along, place: tag.place.clone() });
    }

    /// A body held in the world: three points, of which the second and third hold its axes.
    fn welded(&mut self, tag: &Tag, name: &str) {
        let of = format!("weld `{name}`");
        let Some([first, second]) = self.ends(tag, &of) else { return };
        let anchor = self.vector(tag, "anchor", &of).unwrap_or_default();
        let Some(between) = self.relative_pose(tag, first, second, &of) else { return };
        let standing = [first.0, second.0].map(|body| self.robot.bodies[body].weld == WORLD);
        if !standing[0] && !standing[1] {
            let why =
                "bodies are held together by their axes only where one of them stands: it has no effect";
            self.robot.report.drop("equality/weld (of two bodies that move)".into(), tag.place.clone(), why);
            return;
        }
        // Pose of the second body's frame of reference in the first body, and the world axes at that place.
        let (first_frame, second_frame) = (first.1 * between, second.1);
        let world = if standing[0] {
            self.robot.world_pose(first.0) * first_frame
        } else {
            self.robot.world_pose(second.0) * second_frame
        };
        let points =
            [(Vector3::zeros(), None), (Vector3::x(), Some(vec!["y", "z"])), (Vector3::y(), Some(vec!["z"]))];
        for (k, (axis, along)) in points.into_iter().enumerate() {
            let local = Point3::from(anchor + world.inverse_transform_vector(&(axis * LEVER)));
            let ends = [
                self.end(first.0, (first_frame * local).coords),
                self.end(second.0, (second_frame * local).coords),
            ];
            self.add_loop(format!("{name}_{k}"), ends, along, tag);
        }
    }

    /// Pose of the second body seen from the first: as written, or as the model stands.
    fn relative_pose(
        &mut self,
        tag: &Tag,
        first: (usize, Isometry3<f64>),
        second: (usize, Isometry3<f64>),
        of: &str,
    ) -> Option<Isometry3<f64>> {
        if tag.attribute("body1").is_none() {
            return Some(Isometry3::identity());
        }
        let [x, y, z, w, i, j, k] = self.array::<7>(tag, "relpose", of).unwrap_or_default();
        let Some(turn) = quaternion([w, i, j, k]) else {
            return Some(self.robot.world_pose(first.0).inverse() * self.robot.world_pose(second.0));
        };
        Some(Isometry3::from_parts(Vector3::new(x, y, z).into(), turn))
    }
}
