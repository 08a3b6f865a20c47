//! Trees: bodies within bodies.

use nalgebra::{Isometry3, Vector3};
use vinci_core::model::DofRole;
use vinci_core::state::quaternion_of;
use vinci_core::tree::{Joint, JointKind, plane_axes};

use super::super::poses::parts;
use super::super::xml::numbers;
use super::Writing;

impl Writing<'_> {
    pub(super) fn tree(&mut self, tree: usize) {
        let joints = self.subject.system.trees[tree].tree.joints().len();
        let roots: Vec<usize> = (0..joints)
            .filter(|k| self.subject.system.trees[tree].tree.joints()[*k].parent.is_none())
            .collect();
        roots.into_iter().for_each(|link| self.link(tree, link));
    }

    fn link(&mut self, tree: usize, k: usize) {
        let part = &self.subject.system.trees[tree];
        let (joint, link) = (part.tree.joints()[k].clone(), part.tree.links()[k].clone());
        let (body, gravity) = (part.bodies[k], part.gravity);
        let children: Vec<usize> =
            (0..part.tree.joints().len()).filter(|c| part.tree.joints()[*c].parent == Some(k)).collect();
        let (position, turn) = parts(&joint.frame);
        let name = self.subject.system.bodies[body as usize].name.clone();
        let mut attributes = vec![("name", name), ("pos", numbers(&position)), ("quat", numbers(&turn))];
        if !gravity {
            attributes.push(("gravcomp", "1".into()));
        }
        self.xml.open("body", &attributes);
        self.tree_joint(tree, k, &joint);
        if link.mass > 0.0 {
            self.inertial(link.mass, link.com, &link.inertia);
        }
        self.shapes_of(body, link.com);
        self.sites_of(body, link.com);
        children.into_iter().for_each(|child| self.link(tree, child));
        self.xml.close();
    }

    /// The joints of MuJoCo that make one of ours, with its coordinates at the start.
    fn tree_joint(&mut self, tree: usize, k: usize, joint: &Joint) {
        let part = &self.subject.system.trees[tree];
        let name = format!("{}.{}", part.tree.name(), joint.name);
        let q = part.q[part.tree.q_range(k)].to_vec();
        let v = part.v[part.tree.v_range(k)].to_vec();
        let roles = part.role[part.tree.v_range(k)].to_vec();
        if roles.iter().any(|role| *role != DofRole::Free) {
            self.unsaid(format!("`{name}` is locked or driven: the joint there is free"));
        }
        let (x, y) = plane_axes(&joint.axis);
        let single = |kind: &'static str, way: &str, axis: Vector3<f64>| (kind, format!("{name}{way}"), axis);
        let list = match joint.kind {
            JointKind::Fixed => Vec::new(),
            JointKind::Revolute => vec![single("hinge", "", joint.axis)],
            JointKind::Prismatic => vec![single("slide", "", joint.axis)],
            JointKind::Cylindrical => {
                vec![single("slide", ".z", joint.axis), single("hinge", ".angle", joint.axis)]
            }
            JointKind::Planar => {
                vec![
                    single("slide", ".x", x),
                    single("slide", ".y", y),
                    single("hinge", ".angle", joint.axis),
                ]
            }
            JointKind::Ball => vec![single("ball", "", Vector3::z())],
            JointKind::Free => vec![single("free", "", Vector3::z())],
        };
        if joint.kind == JointKind::Free {
            return self.free(&name, joint, (&q, &v));
        }
        for (kind, name, axis) in list {
            self.xml.leaf("joint", &passive(kind, name, axis, joint));
        }
        self.qpos.extend(&q);
        if joint.kind == JointKind::Ball {
            let spin = quaternion_of(&q).inverse() * Vector3::new(v[0], v[1], v[2]);
            self.qvel.extend(spin.iter());
        } else {
            self.qvel.extend(&v);
        }
    }

    /// A root that moves freely: MuJoCo has its pose in the world, ours is in the frame of the joint.
    fn free(&mut self, name: &str, joint: &Joint, (q, v): (&[f64], &[f64])) {
        if joint.parent.is_some() {
            return self.unsaid(format!("`{name}` moves freely on another link: it is fixed to it"));
        }
        self.xml.leaf("freejoint", &[("name", name.to_owned())]);
        let turn = quaternion_of(&q[3..7]);
        let place = joint.frame * Isometry3::from_parts(Vector3::new(q[0], q[1], q[2]).into(), turn);
        let (position, quaternion) = parts(&place);
        self.qpos.extend(position.into_iter().chain(quaternion));
        let linear = joint.frame.rotation * Vector3::new(v[0], v[1], v[2]);
        let spin = turn.inverse() * Vector3::new(v[3], v[4], v[5]);
        self.qvel.extend(linear.iter().chain(spin.iter()));
    }
}

/// A joint with its limits, damping, dry friction and reflected inertia.
fn passive(kind: &str, name: String, axis: Vector3<f64>, joint: &Joint) -> Vec<(&'static str, String)> {
    let mut out = vec![("name", name), ("type", kind.to_owned())];
    if kind != "ball" {
        out.push(("axis", numbers(axis.as_slice())));
    }
    if let Some(limits) = joint.limits {
        out.push(("range", numbers(&[limits.lower, limits.upper])));
    }
    let numbered = [
        ("damping", joint.damping),
        ("frictionloss", joint.friction),
        ("armature", joint.reflected_inertia()),
    ];
    out.extend(numbered.into_iter().filter(|(_, x)| *x != 0.0).map(|(key, x)| (key, numbers(&[x]))));
    out
}
