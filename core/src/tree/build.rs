//! Makes a tree and checks it.

use std::collections::HashSet;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::link::Lump;
use super::model::{Attached, Body, Dof, NONE};
use super::{Joint, JointKind, Link, Tree, TreeError, TreeState, plane_axes};
use crate::model::check_inertia;

impl Tree {
    /// A tree of `links`, link i moved by joint i.
    ///
    /// # Errors
    ///
    /// [`TreeError`] for each of these:
    ///
    /// - numbers of links and joints that differ or are zero, names used twice, parents that do not come before their children;
    /// - numbers that are not finite, axes not of unit length;
    /// - negative masses, inertias, damping, friction or rotors, and inertias no body has ([`check_inertia`]);
    /// - limits on joints of other than one dof, or a lower limit above the upper one;
    /// - degrees of freedom without inertia.
    pub fn new(name: impl Into<String>, links: Vec<Link>, joints: Vec<Joint>) -> Result<Self, TreeError> {
        let name = name.into();
        check_names(&name, &links, &joints)?;
        for (i, (link, joint)) in links.iter().zip(&joints).enumerate() {
            check_joint(i, joint)?;
            check_link(link)?;
        }
        let mut tree = Self {
            name,
            links,
            joints,
            q_start: vec![0],
            v_start: vec![0],
            bodies: vec![],
            attached: vec![],
            dofs: vec![],
            body_of_link: vec![],
            paths: vec![],
            references: vec![],
            quaternion: vec![],
        };
        tree.add_bodies();
        let turning = tree.bodies.iter().filter(|b| b.kind.has_quaternion());
        let place = |b: &Body| [b.q, b.v].map(|start| (start + b.kind.n_translations()) as u32);
        tree.quaternion = turning.flat_map(place).collect();
        tree.choose_references();
        tree.check_dofs()?;
        Ok(tree)
    }

    fn add_bodies(&mut self) {
        let mut in_body: Vec<Isometry3<f64>> = Vec::with_capacity(self.links.len());
        for i in 0..self.links.len() {
            let joint = &self.joints[i];
            let (parent, at) = match joint.parent {
                Some(p) => (self.body_of_link[p], in_body[p]),
                None => (NONE, Isometry3::identity()),
            };
            let rotation = UnitQuaternion::new_normalize(joint.frame.rotation.into_inner());
            let frame = Isometry3::from_parts(joint.frame.translation, rotation);
            let (kind, place) = (joint.kind, at * frame);
            let body = if kind == JointKind::Fixed {
                self.attached.push(Attached { link: i, body: parent, place });
                in_body.push(place);
                parent
            } else {
                self.add_body(i, parent, place);
                in_body.push(Isometry3::identity());
                self.bodies.len() - 1
            };
            if body != NONE {
                self.bodies[body].lump.add(&self.links[i], &in_body[i]);
            }
            self.body_of_link.push(body);
            self.q_start.push(self.q_start[i] + kind.nq());
            self.v_start.push(self.v_start[i] + kind.nv());
        }
    }

    fn add_body(&mut self, link: usize, parent: usize, place: Isometry3<f64>) {
        let (first, root) = match parent {
            NONE => {
                self.references.push(self.bodies.len());
                (self.paths.len(), self.references.len() - 1)
            }
            p => (self.continued(self.bodies[p].path), self.bodies[p].root),
        };
        let (kind, q, v) = (self.joints[link].kind, self.q_start[link], self.dofs.len());
        self.add_dofs(kind, first);
        let joint = &self.joints[link];
        let (axes, rotor, lump) = (axes(joint), joint.reflected_inertia(), Lump::EMPTY);
        let path = (first, self.paths.len());
        self.bodies.push(Body { link, parent, root, kind, q, v, place, axes, lump, rotor, path });
    }

    /// Where a path begins that goes on from `path`: in place where that one is the last, so that a chain has one path in all.
    fn continued(&mut self, path: (usize, usize)) -> usize {
        if path.1 == self.paths.len() {
            return path.0;
        }
        let first = self.paths.len();
        self.paths.extend_from_within(path.0..path.1);
        first
    }

    /// The dofs of the body that comes next, whose path begins at `first`.
    fn add_dofs(&mut self, kind: JointKind, first: usize) {
        for i in 0..kind.nv() {
            let dof = self.dofs.len();
            let parent = if self.paths.len() > first { self.paths[self.paths.len() - 1] } else { NONE };
            let run = if parent != NONE && parent + 1 == dof { self.dofs[parent].run } else { dof };
            self.dofs.push(Dof { body: self.bodies.len(), turns: i >= kind.n_translations(), parent, run });
            self.paths.push(dof);
        }
    }

    /// The first body that does more than slide: slides alone may lead far from where the masses are.
    fn choose_references(&mut self) {
        for reference in &mut self.references {
            while self.bodies[*reference].kind == JointKind::Prismatic {
                let mut children = (0..self.bodies.len()).filter(|&b| self.bodies[b].parent == *reference);
                match (children.next(), children.next()) {
                    (Some(only), None) => *reference = only,
                    _ => break,
                }
            }
        }
    }

    /// A dof without inertia has none in a configuration of no symmetry, so one is enough to find it.
    fn check_dofs(&self) -> Result<(), TreeError> {
        let q: Vec<f64> = (0..self.nq()).map(|i| 0.25 + (0.618_033_988 * i as f64).fract()).collect();
        let mut state = TreeState::default();
        state.update(self, &q);
        state.check_inertia(self).map_err(|dof| {
            let joint = self.joint_of_v(dof);
            let name = self.joints[joint].name.clone();
            TreeError::NoInertia { joint: name, dof: dof - self.v_start[joint] }
        })
    }
}

/// The joint's axis three times, or x, y and the normal of a plane.
fn axes(joint: &Joint) -> [Vector3<f64>; 3] {
    let n = joint.axis.normalize();
    match joint.kind {
        JointKind::Planar => {
            let (x, y) = plane_axes(&n);
            [x, y, n]
        }
        _ => [n; 3],
    }
}

fn check_names(tree: &str, links: &[Link], joints: &[Joint]) -> Result<(), TreeError> {
    let tree = tree.to_string();
    if links.len() != joints.len() {
        return Err(TreeError::Count { tree, links: links.len(), joints: joints.len() });
    }
    if links.is_empty() {
        return Err(TreeError::Empty { tree });
    }
    if let Some(name) = twice(links.iter().map(|l| l.name.as_str())) {
        return Err(TreeError::Duplicate { tree, what: "link", name });
    }
    match twice(joints.iter().map(|j| j.name.as_str())) {
        Some(name) => Err(TreeError::Duplicate { tree, what: "joint", name }),
        None => Ok(()),
    }
}

/// The first that was there before.
fn twice<'a>(mut names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut seen = HashSet::new();
    names.find(|name| !seen.insert(*name)).map(str::to_owned)
}

fn check_joint(link: usize, joint: &Joint) -> Result<(), TreeError> {
    let bad = |reason: String| Err(TreeError::BadJoint { joint: joint.name.clone(), reason });
    if let Some(parent) = joint.parent
        && parent >= link
    {
        return Err(TreeError::Parent { joint: joint.name.clone(), link, parent });
    }
    let rotation = joint.frame.rotation.quaternion();
    if !joint.frame.translation.vector.iter().all(|x| x.is_finite()) || !is_unit(rotation.norm()) {
        return bad("its frame must be finite, its rotation a unit quaternion".into());
    }
    let has_axis = !matches!(joint.kind, JointKind::Fixed | JointKind::Ball | JointKind::Free);
    if has_axis && !is_unit(joint.axis.norm()) {
        return bad(format!("its axis must have length 1, found {}", joint.axis.norm()));
    }
    let values =
        [("damping", joint.damping), ("friction", joint.friction), ("rotor inertia", joint.rotor_inertia)];
    for (what, value) in values {
        if !(value >= 0.0 && value.is_finite()) {
            return bad(format!("its {what} must be finite and not negative, found {value}"));
        }
    }
    if !joint.gear_ratio.is_finite() {
        return bad(format!("its gear ratio must be finite, found {}", joint.gear_ratio));
    }
    match check_limits(joint) {
        Some(reason) => bad(reason),
        None => Ok(()),
    }
}

fn check_limits(joint: &Joint) -> Option<String> {
    let limits = joint.limits?;
    if joint.kind.nv() != 1 {
        return Some(format!(
            "only revolute and prismatic joints have limits, this one is {}",
            joint.kind.name()
        ));
    }
    let ordered =
        limits.lower <= limits.upper && limits.lower < f64::INFINITY && limits.upper > f64::NEG_INFINITY;
    (!ordered).then(|| format!("its limits {} … {} leave nothing", limits.lower, limits.upper))
}

fn check_link(link: &Link) -> Result<(), TreeError> {
    let bad = |reason: String| Err(TreeError::BadLink { link: link.name.clone(), reason });
    if !(link.mass >= 0.0 && link.mass.is_finite()) {
        return bad(format!("its mass must be finite and not negative, found {}", link.mass));
    }
    if !link.com.iter().all(|x| x.is_finite()) {
        return bad("its centre of mass must be finite".into());
    }
    if !link.inertia.iter().all(|x| x.is_finite()) {
        return bad("its inertia must be finite".into());
    }
    if link.mass == 0.0 {
        return match link.inertia.iter().all(|&x| x == 0.0) {
            true => Ok(()),
            false => bad("it has inertia but no mass".into()),
        };
    }
    check_inertia(&link.inertia).or_else(bad)
}

fn is_unit(length: f64) -> bool {
    (length - 1.0).abs() < 1e-9
}
