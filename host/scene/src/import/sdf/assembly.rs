//! From links, joints and frames to bodies in the order of a tree.

use super::reader::{Axis, Follower, Joint, Kind, Reader};
use crate::diagnostics::{Code, TextSpan, list};
use crate::import::model::Mimic;
use crate::import::robot::{self, Body, JointKind, WORLD};
use nalgebra::{Isometry3, Vector3};
use std::collections::BTreeMap;

/// For every link the joint that moves it, and the links that hang on it.
struct Structure {
    mover: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
}

impl Reader<'_> {
    /// Makes the bodies of the robot, parents first.
    pub(super) fn assemble(&mut self, place: &TextSpan) {
        self.robot.names.insert("body world".into(), "world".into());
        self.robot.bodies.push(Body::new("world".into(), place, WORLD, Isometry3::identity()));
        self.link_of.push(None);
        self.place_elsewhere();
        let structure = self.structure();
        let mut body_of: Vec<Option<usize>> = vec![None; self.links.len()];
        let on_world = |l: &usize| {
            let joint = structure.mover[*l].map(|j| &self.joints[j]);
            joint.is_none_or(|j| j.parent.and_then(|p| self.frames.link(p)).is_none())
        };
        let mut waiting: Vec<usize> = (0..self.links.len()).filter(on_world).rev().collect();
        while let Some(link) = waiting.pop() {
            let joint = structure.mover[link];
            let above = joint.and_then(|j| self.joints[j].parent).and_then(|frame| self.frames.link(frame));
            let parent = above.and_then(|l| body_of[l]).unwrap_or(WORLD);
            body_of[link] = Some(self.body(link, joint, (above, parent)));
            waiting.extend(structure.children[link].iter().rev());
        }
        self.circle(&structure, &body_of);
        self.robot.name_joints();
    }

    fn structure(&mut self) -> Structure {
        let count = self.links.len();
        let mut structure = Structure { mover: vec![None; count], children: vec![Vec::new(); count] };
        for j in 0..self.joints.len() {
            let parent = self.joints[j].parent.and_then(|frame| self.frames.link(frame));
            let Some(child) = self.moved_by(j, parent) else { continue };
            if let Some(first) = structure.mover[child] {
                self.two_parents(child, [first, j]);
                continue;
            }
            structure.mover[child] = Some(j);
            if let Some(parent) = parent {
                structure.children[parent].push(child);
            }
        }
        structure
    }

    /// The link that a joint moves, unless it moves none, which is said.
    fn moved_by(&mut self, joint: usize, parent: Option<usize>) -> Option<usize> {
        let Joint { name, place, child, .. } = &self.joints[joint];
        let (name, place) = (name.clone(), place.clone());
        let Some(child) = self.frames.link(*child) else {
            let message = format!("the child of joint `{name}` moves with the world");
            self.robot.error(Code::Contradiction, &place, message, "name a link, or a frame of one");
            return None;
        };
        if self.links[child].is_static {
            let why = "its model is static: the joint moves nothing";
            self.robot.report.drop("joint (of a static model)".into(), place, why);
            return None;
        }
        if parent == Some(child) {
            let message =
                format!("joint `{name}` joins the link `{}` to itself", self.links[child].body.name);
            self.robot.error(Code::Contradiction, &place, message, "name two links");
            return None;
        }
        Some(child)
    }

    fn two_parents(&mut self, link: usize, joints: [usize; 2]) {
        let link = &self.links[link].body.name;
        let [first, second] = joints.map(|j| &self.joints[j].name);
        let message =
            format!("link `{link}` has two parents: the joints `{first}` and `{second}` both move it");
        let help = "in a tree one joint moves a link; close loops with the scene's `joints` or `couplers`";
        let place = self.joints[joints[1]].place.clone();
        self.robot.error(Code::Contradiction, &place, message, help);
    }

    /// Links that hang on one another in a circle.
    fn circle(&mut self, structure: &Structure, body_of: &[Option<usize>]) {
        let Some(start) = body_of.iter().position(Option::is_none) else { return };
        let up = |l: usize| self.frames.link(self.joints[structure.mover[l]?].parent?);
        let (mut way, mut met) = (vec![start], BTreeMap::from([(start, 0)]));
        while let Some(next) = up(way[way.len() - 1]) {
            if let Some(first) = met.insert(next, way.len()) {
                way.drain(..first);
                break;
            }
            way.push(next);
        }
        let names: Vec<&str> = way.iter().map(|l| self.links[*l].body.name.as_str()).collect();
        let message = format!("links hang on one another in a circle: {}", list(names.into_iter()));
        let help = "a tree begins at the world or at a link that moves freely";
        let place = self.links[start].body.place.clone();
        self.robot.error(Code::Contradiction, &place, message, help);
    }

    /// Appends the body of a link; its number.
    fn body(&mut self, link: usize, joint: Option<usize>, (above, parent): (Option<usize>, usize)) -> usize {
        let index = self.robot.bodies.len();
        let in_world = self.frames.pose(self.links[link].frame);
        let of_parent = above.map_or_else(Isometry3::identity, |l| self.frames.pose(self.links[l].frame));
        let mut body = self.links[link].body.clone();
        (body.parent, body.frame) = (parent, of_parent.inverse() * in_world);
        match joint {
            Some(joint) => self.move_by(joint, &in_world, &mut body),
            None if self.links[link].is_static => {}
            None => {
                let name = self.robot.free_name("joint", &format!("{}_free", body.name));
                body.joints.push(plain(name, &body.place, JointKind::Free, Vector3::zeros()));
            }
        }
        body.weld = if body.joints.is_empty() { self.weld_of(parent) } else { index };
        self.robot.bodies.push(body);
        self.link_of.push(Some(link));
        index
    }

    /// The body that one without joints is fixed to.
    fn weld_of(&self, parent: usize) -> usize {
        if parent == WORLD { WORLD } else { self.robot.bodies[parent].weld }
    }

    /// The joints of a body, in its frame.
    fn move_by(&mut self, joint: usize, link: &Isometry3<f64>, body: &mut Body) {
        let at = (link.inverse() * self.frames.pose(self.joints[joint].frame)).translation.vector;
        let axes = self.joints[joint].axes.clone().into_iter().map(|axis| {
            let in_world = self.frames.pose(axis.frame).rotation * axis.xyz;
            (link.rotation.inverse() * in_world, axis)
        });
        let axes: Vec<(Vector3<f64>, Axis)> = axes.collect();
        let Joint { name, place, kind, armature, .. } = &self.joints[joint];
        let (name, armature) = (name.clone(), *armature);
        match (*kind, &axes[..]) {
            (Kind::Fixed, _) => body.fixture = Some(name),
            (Kind::Ball, _) => body.joints.push(plain(name, place, JointKind::Ball, at)),
            (Kind::Hinge, [one]) => body.joints.push(single(name, JointKind::Hinge, at, one)),
            (Kind::Slide, [one]) => body.joints.push(single(name, JointKind::Slide, at, one)),
            (Kind::TwoHinges, [_, _]) => {
                for (k, axis) in axes.iter().enumerate() {
                    let name = self.robot.free_name("joint", &format!("{name}_{}", k + 1));
                    body.joints.push(single(name, JointKind::Hinge, at, axis));
                }
            }
            (Kind::Screw, [axis]) => self.screw(joint, at, axis, body),
            // An axis that was refused.
            _ => {}
        }
        if let Some(first) = body.joints.first_mut() {
            first.armature = armature;
        }
    }

    /// A hinge, and a slide that goes with it; limits and resistance are those of the hinge.
    fn screw(&mut self, joint: usize, at: Vector3<f64>, axis: &(Vector3<f64>, Axis), body: &mut Body) {
        let Joint { name, place, lead, .. } = &self.joints[joint];
        let (name, place, ratio) = (name.clone(), place.clone(), *lead);
        let slide = self.robot.free_name("joint", &format!("{name}_along"));
        body.joints.push(single(name.clone(), JointKind::Hinge, at, axis));
        let free = Axis {
            limits: None,
            effort: None,
            velocity: None,
            damping: 0.0,
            friction: 0.0,
            springs: (0.0, 0.0),
            ..axis.1.clone()
        };
        body.joints.push(single(slide.clone(), JointKind::Slide, at, &(axis.0, free)));
        self.robot.mimics.push(Mimic { joint: slide, other: name, ratio, offset: 0.0, place });
    }

    /// Joints that follow others, by the names of a scene.
    pub(super) fn mimics(&mut self) {
        for follower in std::mem::take(&mut self.followers) {
            let (scope, last) = self.frames.scope_of(follower.scope, &follower.other.text);
            let other = self.frames.find(scope, last);
            let other = other.and_then(|frame| self.joints.iter().find(|j| j.frame == frame));
            let Some(other) = other.map(|joint| joint.name.clone()) else {
                let message = format!(
                    "joint `{}` follows the joint `{}`, which its model does not have",
                    follower.joint, follower.other.text
                );
                let known = self.joints.iter().map(|j| j.name.as_str());
                self.robot.no_such_name(&follower.other.place, message, last, known);
                continue;
            };
            let single = |name: &str| {
                self.robot.joint_index.get(name).is_some_and(|(b, j)| {
                    matches!(self.robot.bodies[*b].joints[*j].kind, JointKind::Hinge | JointKind::Slide)
                })
            };
            let place = follower.other.place.clone();
            if !single(&follower.joint) || !single(&other) {
                let why = "couplers join two joints that each have one coordinate: it has no effect";
                self.robot.report.drop("axis/mimic (of other joints)".into(), place, why);
                continue;
            }
            let Follower { joint, ratio, offset, .. } = follower;
            self.robot.mimics.push(Mimic { joint, other, ratio, offset, place });
        }
    }
}

/// A joint without axis, limits and resistance.
fn plain(name: String, place: &TextSpan, kind: JointKind, at: Vector3<f64>) -> robot::Joint {
    robot::Joint {
        name,
        place: place.clone(),
        kind,
        at,
        axis: Vector3::z(),
        reference: 0.0,
        limits: None,
        damping: 0.0,
        friction: 0.0,
        armature: 0.0,
        stiffness: 0.0,
        spring_reference: 0.0,
        effort: None,
        velocity: None,
    }
}

/// A joint about or along an axis, whose direction stands in the frame of the body.
fn single(
    name: String,
    kind: JointKind,
    at: Vector3<f64>,
    (direction, axis): &(Vector3<f64>, Axis),
) -> robot::Joint {
    robot::Joint {
        axis: *direction,
        limits: axis.limits,
        damping: axis.damping,
        friction: axis.friction,
        stiffness: axis.springs.0,
        spring_reference: axis.springs.1,
        effort: axis.effort,
        velocity: axis.velocity,
        ..plain(name, &axis.place, kind, at)
    }
}
