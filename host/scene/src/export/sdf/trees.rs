//! Trees as models: which links are written as links, as frames, or as the middle of a joint of two axes.

use std::collections::BTreeSet;

use nalgebra::{Isometry3, Translation3, Vector3};
use vinci_core::model::{DofRole, TreePart};
use vinci_core::tree::{JointKind, Tree};

use super::super::contacts::pairs;
use super::super::poses::parts;
use super::Writing;
use super::links::isometry;

/// Mass of a link that has none and moves by itself, kg: SDF has no links without mass.
const LEAST: f64 = 1e-9;

/// How a link is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Link,
    /// A frame on the link that it is fixed to.
    Frame,
    /// The middle of a joint of two axes, which is neither link nor frame of the scene.
    Middle,
}

impl Writing<'_> {
    pub(super) fn tree(&mut self, tree: usize) {
        let part = &self.subject.system.trees[tree];
        let roles = self.roles(tree);
        self.xml.open("model", &[("name", part.tree.name().to_owned())]);
        if self.touches_itself(part) {
            self.xml.text("self_collide", &[], "true");
        }
        for (k, role) in roles.iter().enumerate() {
            match role {
                Role::Link => self.link(part, &roles, k),
                Role::Frame => self.frame(part, k),
                Role::Middle => {}
            }
        }
        (0..roles.len()).filter(|k| roles[*k] == Role::Link).for_each(|k| self.joint(tree, part, &roles, k));
        self.xml.close();
    }

    /// How each link of a tree is written.
    fn roles(&self, tree: usize) -> Vec<Role> {
        let part = &self.subject.system.trees[tree];
        let joints = part.tree.joints();
        let role = |k: usize| {
            let massless = part.tree.links()[k].mass == 0.0;
            let hangs = joints[k].kind == JointKind::Fixed && joints[k].parent.is_some();
            let mut on = (0..joints.len()).filter(|c| joints[*c].parent == Some(k));
            match (on.next(), on.next()) {
                _ if massless && hangs && !is_anchored(&part.tree, k) => Role::Frame,
                (Some(child), None) if massless && self.is_middle(tree, k, child) => Role::Middle,
                _ => Role::Link,
            }
        };
        (0..joints.len()).map(role).collect()
    }

    /// Returns true if a link is the middle of two hinges through one point, or of a screw.
    fn is_middle(&self, tree: usize, k: usize, child: usize) -> bool {
        let part = &self.subject.system.trees[tree];
        let (first, second) = (&part.tree.joints()[k], &part.tree.joints()[child]);
        let through = second.frame.translation.vector == Vector3::zeros();
        let heavy = part.tree.links()[child].mass > 0.0;
        let shapes = self.subject.system.shapes.iter().any(|s| s.body == part.bodies[k]);
        let pair = match (first.kind, second.kind) {
            (JointKind::Revolute, JointKind::Revolute) => first.rotor_inertia == 0.0,
            (JointKind::Revolute, JointKind::Prismatic) => self.lead(tree, k, child).is_some(),
            _ => false,
        };
        pair && through && heavy && !shapes
    }

    fn link(&mut self, part: &TreePart, roles: &[Role], k: usize) {
        let (link, body) = (&part.tree.links()[k], part.bodies[k]);
        let (parent, frame) = hung(&part.tree, roles, k);
        let joint = &part.tree.joints()[k];
        let start = match (joint.kind, joint.parent) {
            (JointKind::Free, None) => {
                let q = &part.q[part.tree.q_range(k)];
                isometry(&([q[0], q[1], q[2]], [q[3], q[4], q[5], q[6]]))
            }
            _ => Isometry3::identity(),
        };
        self.xml.open("link", &[("name", link.name.clone())]);
        let parent = parent.map(|p| part.tree.links()[p].name.as_str());
        self.pose(&parts(&(frame * start)), parent);
        self.mass(part, k);
        self.weight(part.gravity);
        self.shapes_of(body, &Translation3::from(link.com).into());
        for of in (0..roles.len()).filter(|of| roles[*of] == Role::Frame) {
            if let Some(place) = carried(&part.tree, roles, of, k) {
                self.shapes_of(part.bodies[of], &place);
            }
        }
        self.xml.close();
    }

    fn mass(&mut self, part: &TreePart, k: usize) {
        let link = &part.tree.links()[k];
        if link.mass > 0.0 {
            self.inertial(link.mass, link.com, &link.inertia);
        } else if !is_anchored(&part.tree, k) {
            let name = format!("{}/{}", part.tree.name(), link.name);
            self.omissions.add(format!("`{name}` has no mass: it is written with {LEAST} kg"));
            self.inertial(LEAST, Vector3::zeros(), &(nalgebra::Matrix3::identity() * LEAST));
        }
    }

    fn frame(&mut self, part: &TreePart, k: usize) {
        let joint = &part.tree.joints()[k];
        let on = joint.parent.map_or("", |p| part.tree.links()[p].name.as_str()).to_owned();
        let name = part.tree.links()[k].name.clone();
        self.xml.open("frame", &[("name", name), ("attached_to", on)]);
        self.pose(&parts(&joint.frame), None);
        self.xml.close();
    }

    /// Returns true if links of a tree touch each other.
    fn touches_itself(&self, part: &TreePart) -> bool {
        let own: BTreeSet<u32> = part.bodies.iter().copied().collect();
        let shapes = &self.subject.system.shapes;
        let inside = |i: usize| own.contains(&shapes[i].body);
        pairs(self.subject.system).any(|(i, j, _)| inside(i) && inside(j))
    }

    /// Pairs of bodies with shapes that do not touch for another reason than that their model says so.
    pub(super) fn unheld_pairs(&self) -> usize {
        let system = self.subject.system;
        let solid: BTreeSet<u32> = system.shapes.iter().map(|s| s.body).collect();
        let told = |a: u32, b: u32| {
            system.trees.iter().any(|part| {
                let place = |body: u32| part.bodies.iter().position(|x| *x == body);
                let (Some(i), Some(j)) = (place(a), place(b)) else { return false };
                !self.touches_itself(part) || are_joined(&part.tree, i, j)
            })
        };
        let ignored = system.ignored_pairs.chunks_exact(2);
        ignored.filter(|p| solid.contains(&p[0]) && solid.contains(&p[1]) && !told(p[0], p[1])).count()
    }

    /// Says which joints do not start at 0, or are held.
    pub(super) fn start(&mut self, tree: usize, k: usize) {
        let part = &self.subject.system.trees[tree];
        let name = format!("{}.{}", part.tree.name(), part.tree.joints()[k].name);
        let q = &part.q[part.tree.q_range(k)];
        let moved = match part.tree.joints()[k].kind {
            JointKind::Free => false,
            JointKind::Ball => q[1..].iter().any(|x| *x != 0.0),
            _ => q.iter().any(|x| *x != 0.0),
        };
        if moved {
            self.omissions.add(format!("`{name}` starts elsewhere: joints start at 0"));
        }
        if part.role[part.tree.v_range(k)].iter().any(|role| *role != DofRole::Free) {
            self.omissions.add(format!("`{name}` is locked or driven: the joint there is free"));
        }
    }
}

/// Returns true if nothing moves a link.
pub(super) fn is_anchored(tree: &Tree, mut k: usize) -> bool {
    loop {
        match (tree.joints()[k].kind, tree.joints()[k].parent) {
            (JointKind::Fixed, Some(parent)) => k = parent,
            (JointKind::Fixed, None) => return true,
            _ => return false,
        }
    }
}

/// Returns true if two links are fixed together, or a joint joins what they are fixed to.
fn are_joined(tree: &Tree, i: usize, j: usize) -> bool {
    let group = |mut k: usize| {
        while let (JointKind::Fixed, Some(parent)) = (tree.joints()[k].kind, tree.joints()[k].parent) {
            k = parent;
        }
        k
    };
    let (a, b) = (group(i), group(j));
    let above = |k: usize| tree.joints()[k].parent.map(group);
    a == b || above(a) == Some(b) || above(b) == Some(a)
}

/// The link that another one hangs on, over the middle of a joint, and its pose there where no joint has moved.
pub(super) fn hung(tree: &Tree, roles: &[Role], k: usize) -> (Option<usize>, Isometry3<f64>) {
    let joint = &tree.joints()[k];
    match joint.parent {
        Some(middle) if roles[middle] == Role::Middle => {
            let above = &tree.joints()[middle];
            (above.parent, above.frame * joint.frame)
        }
        parent => (parent, joint.frame),
    }
}

/// Pose of a frame in the link that carries it, if that is `link`.
fn carried(tree: &Tree, roles: &[Role], of: usize, link: usize) -> Option<Isometry3<f64>> {
    let (mut at, mut pose) = (of, Isometry3::identity());
    while roles[at] == Role::Frame {
        pose = tree.joints()[at].frame * pose;
        at = tree.joints()[at].parent?;
    }
    (at == link).then_some(pose)
}
