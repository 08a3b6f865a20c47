//! Joints with their axes, limits and resistance.

use std::f64::consts::TAU;

use nalgebra::Vector3;
use vinci_core::model::{Coupler, TreePart};
use vinci_core::tree::{Joint, JointKind};

use super::super::xml::numbers;
use super::Writing;
use super::trees::{Role, hung};

/// Limit that is none in SDF.
const UNLIMITED: f64 = 1e16;
/// Axes at right angles up to this make a universal joint.
const SQUARE: f64 = 1e-12;

impl Writing<'_> {
    /// The joint that moves a link.
    pub(super) fn joint(&mut self, tree: usize, part: &TreePart, roles: &[Role], k: usize) {
        let joint = &part.tree.joints()[k];
        let middle = joint.parent.filter(|p| roles[*p] == Role::Middle);
        middle.into_iter().chain([k]).for_each(|k| self.start(tree, k));
        if (joint.kind, joint.parent) == (JointKind::Free, None) {
            return self.passive(joint);
        }
        let first = middle.map(|k| &part.tree.joints()[k]);
        let lead = middle.and_then(|middle| self.lead(tree, middle, k));
        let kind = if lead.is_some() { "screw" } else { self.kind(part, joint, first) };
        let name = self.joint_name(part, joint, first);
        self.xml.open("joint", &[("name", name), ("type", kind.to_owned())]);
        let parent = hung(&part.tree, roles, k).0.map_or("world", |p| part.tree.links()[p].name.as_str());
        self.xml.text("parent", &[], parent);
        self.xml.text("child", &[], &part.tree.links()[k].name);
        self.axes(kind, (tree, part, k), first);
        if let Some(lead) = lead {
            self.xml.text("screw_thread_pitch", &[], &numbers(&[lead * TAU]));
        }
        let turned = first.filter(|_| lead.is_some()).unwrap_or(joint);
        if turned.rotor_inertia != 0.0 {
            self.xml.text("drake:rotor_inertia", &[], &numbers(&[turned.rotor_inertia]));
            self.xml.text("drake:gear_ratio", &[], &numbers(&[turned.gear_ratio]));
        }
        self.xml.close();
    }

    fn axes(&mut self, kind: &str, (tree, part, k): (usize, &TreePart, usize), first: Option<&Joint>) {
        let joint = &part.tree.joints()[k];
        match (kind, first) {
            ("screw", Some(first)) => self.axis("axis", first, joint.axis, None),
            (_, Some(first)) => {
                // The first axis stands in the frame of the middle, seen from the child.
                self.axis("axis", first, joint.frame.rotation.inverse() * first.axis, None);
                self.axis("axis2", joint, joint.axis, None);
            }
            ("fixed" | "ball", None) => {}
            (_, None) => {
                let coupler = self.coupler_of(tree, part, k);
                self.axis("axis", joint, joint.axis, coupler);
            }
        }
    }

    fn kind(&mut self, part: &TreePart, joint: &Joint, first: Option<&Joint>) -> &'static str {
        if let Some(first) = first {
            let axis = joint.frame.rotation.inverse() * first.axis;
            return if axis.dot(&joint.axis).abs() < SQUARE { "universal" } else { "revolute2" };
        }
        match joint.kind {
            JointKind::Fixed => "fixed",
            JointKind::Revolute if joint.limits.is_none() => "continuous",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Ball => {
                self.passive(joint);
                "ball"
            }
            JointKind::Free | JointKind::Planar | JointKind::Cylindrical => {
                let name = format!("{}.{}", part.tree.name(), joint.name);
                let kind = joint.kind.name();
                self.omissions.add(format!("`{name}` is {kind}, which SDF does not have: it is fixed"));
                "fixed"
            }
        }
    }

    /// Way per angle, m/rad, of a hinge and a slide along its axis that a coupler holds together.
    pub(super) fn lead(&self, tree: usize, hinge: usize, slide: usize) -> Option<f64> {
        let part = &self.subject.system.trees[tree].tree;
        let (first, second) = (&part.joints()[hinge], &part.joints()[slide]);
        let along = second.frame.rotation.inverse() * first.axis;
        let dof = |joint: usize| (tree as u32, part.v_range(joint).start as u32);
        let own = [dof(slide), dof(hinge)];
        let coupler = self.subject.system.couplers.iter().find(|c| c.joints == own && c.offset == 0.0)?;
        let is_screw = second.kind == JointKind::Prismatic && (along - second.axis).norm() < SQUARE;
        let is_bare = second.limits.is_none() && second.damping == 0.0 && second.friction == 0.0;
        (is_screw && is_bare).then_some(coupler.ratio)
    }

    /// Says of joints without axis that their resistance is lost.
    fn passive(&mut self, joint: &Joint) {
        if joint.damping != 0.0 || joint.friction != 0.0 {
            let name = &joint.name;
            self.omissions
                .add(format!("`{name}` has damping or friction, which joints without axis have not"));
        }
    }

    /// A name that no link of the model has; of two hinges that of both without their numbers.
    fn joint_name(&self, part: &TreePart, joint: &Joint, first: Option<&Joint>) -> String {
        let both = first.and_then(|first| {
            let (a, b) = (first.name.strip_suffix("_1")?, joint.name.strip_suffix("_2")?);
            (a == b).then(|| a.to_owned())
        });
        let screw = first.filter(|_| joint.kind == JointKind::Prismatic).map(|first| first.name.clone());
        let name = both.or(screw).unwrap_or_else(|| joint.name.clone());
        let taken = part.tree.links().iter().any(|link| link.name == name);
        if taken { format!("{name}_joint") } else { name }
    }

    fn axis(
        &mut self,
        name: &'static str,
        joint: &Joint,
        axis: Vector3<f64>,
        follows: Option<(String, Coupler)>,
    ) {
        self.xml.open(name, &[]);
        self.xml.text("xyz", &[], &numbers(axis.as_slice()));
        if let Some(limits) = joint.limits {
            self.xml.open("limit", &[]);
            let ends = [("lower", limits.lower), ("upper", limits.upper)];
            let ends = ends.map(|(key, end)| (key, end.clamp(-UNLIMITED, UNLIMITED)));
            ends.into_iter().for_each(|(key, end)| self.xml.text(key, &[], &numbers(&[end])));
            self.xml.close();
        }
        if joint.damping != 0.0 || joint.friction != 0.0 {
            self.xml.open("dynamics", &[]);
            self.xml.text("damping", &[], &numbers(&[joint.damping]));
            self.xml.text("friction", &[], &numbers(&[joint.friction]));
            self.xml.close();
        }
        if let Some((other, coupler)) = follows {
            self.xml.open("mimic", &[("joint", other), ("axis", "axis".into())]);
            self.xml.text("multiplier", &[], &numbers(&[coupler.ratio]));
            self.xml.text("offset", &[], &numbers(&[coupler.offset]));
            self.xml.text("reference", &[], "0");
            self.xml.close();
        }
        self.xml.close();
    }

    /// The first coupler that makes a joint follow another one of its tree, and the name of that.
    fn coupler_of(&self, tree: usize, part: &TreePart, k: usize) -> Option<(String, Coupler)> {
        let own = |c: &&Coupler| {
            self.is_written(c)
                && c.joints[0].0 as usize == tree
                && part.tree.joint_of_v(c.joints[0].1 as usize) == k
        };
        let coupler = self.subject.system.couplers.iter().find(own)?;
        let other = &part.tree.joints()[part.tree.joint_of_v(coupler.joints[1].1 as usize)];
        Some((self.joint_name(part, other, None), coupler.clone()))
    }

    /// Returns true if SDF says a coupler: of two joints of one tree, the first of which follows no other.
    fn is_written(&self, coupler: &Coupler) -> bool {
        let system = self.subject.system;
        let [(a, first), (b, second)] = coupler.joints;
        let tree = &system.trees[a as usize].tree;
        let single = |dof: u32| {
            let joint = tree.joint_of_v(dof as usize);
            matches!(tree.joints()[joint].kind, JointKind::Revolute | JointKind::Prismatic)
                && tree.links()[joint].mass > 0.0
        };
        let earlier = system.couplers.iter().take_while(|c| !std::ptr::eq(*c, coupler));
        a == b && single(first) && single(second) && earlier.into_iter().all(|c| c.joints[0] != (a, first))
    }

    pub(super) fn unwritten_couplers(&self) -> usize {
        let is_screw = |c: &Coupler| {
            let [(tree, slide), (_, hinge)] = c.joints;
            let part = &self.subject.system.trees[tree as usize].tree;
            let joint = |dof: u32| part.joint_of_v(dof as usize);
            part.joints()[joint(slide)].parent == Some(joint(hinge))
                && self.lead(tree as usize, joint(hinge), joint(slide)).is_some()
        };
        self.subject.system.couplers.iter().filter(|c| !self.is_written(c) && !is_screw(c)).count()
    }
}
