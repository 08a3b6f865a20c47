//! Trees: structure, masses, joints, where they start; couplers between their joints.

use super::super::compile::{core_tree, inertia_matrix, link_body};
use super::super::path::{Path, at};
use super::super::trees::{ALL_JOINTS, Fault, Layout, default_start, effective, takes_limits};
use super::super::types::{
    Coordinates, JointLimits, Link, Orientation, Scene, Tree, TreeJoint, TreeJointKind,
};
use super::Lint;
use crate::diagnostics::{Code, did_you_mean, list};
use std::collections::{BTreeMap, BTreeSet};
use vinci_core::model::check_inertia;
use vinci_core::tree::TreeError;

impl Lint<'_> {
    pub(super) fn trees(&mut self, scene: &Scene) {
        let mut layouts = Vec::with_capacity(scene.trees.len());
        for (i, tree) in scene.trees.iter().enumerate() {
            let path = at!["trees", i];
            if scene.bodies.iter().any(|b| b.name == tree.name) {
                let message = format!("a body and a tree are both named `{}`", tree.name);
                let help = "the columns of results would have the same names: rename one of them";
                self.error(&path.join("name"), Code::DuplicateName, message, help);
            }
            layouts.push(self.tree(tree, &path));
        }
        for (i, coupler) in scene.couplers.iter().enumerate() {
            self.coupler(&coupler.joints, scene, &layouts, &at!["couplers", i, "joints"]);
        }
    }

    fn tree(&mut self, tree: &Tree, path: &Path) -> Option<Layout> {
        let before = self.diagnostics.errors();
        if let Some(turned) = tree.base.as_ref().and_then(|b| b.orientation.as_ref()) {
            self.orientation(turned, &path.join("base").join("orientation"));
        }
        for (i, link) in tree.links.iter().enumerate() {
            self.link(tree, link, &path.join("links").join(i));
        }
        for (i, joint) in tree.joints.iter().enumerate() {
            self.tree_joint(tree, joint, &path.join("joints").join(i), path);
        }
        let layout = match Layout::of(tree) {
            Ok(layout) => layout,
            Err(faults) => {
                faults.into_iter().for_each(|fault| self.fault(fault, path));
                return None;
            }
        };
        self.named_in_tree(tree, &layout, path);
        self.joint_drives(tree, &layout, path);
        self.starts(tree, &layout, path);
        if self.diagnostics.errors() == before
            && let Err(error) = core_tree(tree, &layout)
        {
            self.tree_error(tree, &error, path);
        }
        Some(layout)
    }

    fn starts(&mut self, tree: &Tree, layout: &Layout, path: &Path) {
        for place in &layout.places {
            let joint = place.joint.map(|j| effective(tree, &tree.joints[j]));
            let limits = joint.as_ref().and_then(|j| j.limits.as_ref());
            self.start(tree, layout.joint_name(tree, *place), layout.kind(tree, *place), limits, path);
        }
    }

    fn fault(&mut self, fault: Fault, tree: &Path) {
        let path = fault.path.segments().iter().fold(tree.clone(), |path, s| path.join(s.clone()));
        self.error(&path, fault.code, fault.message, fault.help);
    }

    /// Reports what only core can tell: degrees of freedom without inertia.
    fn tree_error(&mut self, tree: &Tree, error: &TreeError, path: &Path) {
        let named = match error {
            TreeError::NoInertia { joint, .. } | TreeError::BadJoint { joint, .. } => {
                tree.joints.iter().position(|j| j.name == *joint).map(|j| path.join("joints").join(j))
            }
            TreeError::BadLink { link, .. } => {
                tree.links.iter().position(|l| l.name == *link).map(|l| path.join("links").join(l))
            }
            _ => None,
        };
        let help = "links without mass may be fixed to others, or lead to links with mass";
        self.error(&named.unwrap_or_else(|| path.clone()), Code::Unphysical, error.to_string(), help);
    }

    fn link(&mut self, tree: &Tree, link: &Link, path: &Path) {
        self.shapes(&link_body(tree, link), path);
        let help = "the moments of any real body are positive and none is larger than the sum of the others";
        match inertia_matrix(link) {
            Some(inertia) if link.mass > 0.0 => {
                if let Err(reason) = check_inertia(&inertia) {
                    let message = format!("link `{}`: {reason}", link.name);
                    self.error(&path.join("inertia"), Code::Unphysical, message, help);
                }
            }
            Some(inertia) if inertia.iter().any(|x| *x != 0.0) => {
                let message = format!("link `{}` has inertia but no mass", link.name);
                self.error(&path.join("inertia"), Code::Unphysical, message, "give `mass` (kg) too");
            }
            None if link.mass > 0.0 && !self.written(&path.join("inertia")) => {
                let message = format!("link `{}` has mass but no inertia", link.name);
                let help = "give `inertia` (kg m²) about its centre of mass as [ixx, iyy, izz]";
                self.error(path, Code::Unphysical, message, help);
            }
            _ => {}
        }
    }

    fn tree_joint(&mut self, tree: &Tree, joint: &TreeJoint, path: &Path, tree_path: &Path) {
        if let Some(turned) = &joint.orientation {
            self.orientation(turned, &path.join("orientation"));
        }
        if joint.axis == Some([0.0; 3]) {
            let message = format!("the axis of joint `{}` has length zero", joint.name);
            self.error(
                &path.join("axis"),
                Code::Unphysical,
                message,
                "give a direction, for example [0, 0, 1]",
            );
        }
        let own = tree.joint_values.get(&joint.name).is_some_and(|v| v.limits.is_some());
        let at = if own { tree_path.join("joint_values").join(joint.name.as_str()) } else { path.clone() };
        if let Some(limits) = effective(tree, joint).limits {
            self.limits(joint, &limits, &at.join("limits"));
        }
    }

    fn limits(&mut self, joint: &TreeJoint, limits: &JointLimits, path: &Path) {
        let (name, kind) = (&joint.name, joint.kind.name());
        if !takes_limits(joint.kind) && (limits.lower.is_some() || limits.upper.is_some()) {
            let message = format!("joint `{name}` is {kind} and has limits");
            let help = "revolute and prismatic joints have limits; leave `lower` and `upper` out";
            self.error(path, Code::Contradiction, message, help);
        }
        if let (Some(lower), Some(upper)) = (limits.lower, limits.upper)
            && lower > upper
        {
            let message =
                format!("the limits of joint `{name}` are crossed: lower {lower} is above upper {upper}");
            self.error(path, Code::Contradiction, message, "exchange them");
        }
    }

    /// Names of links and joints in the maps of a tree.
    fn named_in_tree(&mut self, tree: &Tree, layout: &Layout, path: &Path) {
        let links: Vec<&str> = tree.links.iter().map(|l| l.name.as_str()).collect();
        let joints: Vec<&str> = layout.places.iter().map(|p| layout.joint_name(tree, *p)).collect();
        let own: Vec<&str> = tree.joints.iter().map(|j| j.name.as_str()).chain([ALL_JOINTS]).collect();
        self.keys(&tree.materials, "link", &links, &path.join("materials"), &tree.name);
        self.keys(&tree.start, "joint", &joints, &path.join("start"), &tree.name);
        self.keys(&tree.velocity, "joint", &joints, &path.join("velocity"), &tree.name);
        self.keys(&tree.joint_values, "joint", &own, &path.join("joint_values"), &tree.name);
    }

    fn keys<T>(&mut self, map: &BTreeMap<String, T>, what: &str, known: &[&str], path: &Path, tree: &str) {
        let sorted: BTreeSet<&str> = known.iter().copied().collect();
        for name in map.keys().filter(|name| !sorted.contains(name.as_str())) {
            let meant = did_you_mean(name, known.iter().copied()).map_or_else(String::new, |m| m + " ");
            let message = format!("tree `{tree}` has no {what} `{name}`");
            let help = format!("{meant}its {what}s: {}", list(known.iter().copied()));
            self.error(&path.join(name.as_str()), Code::UnknownName, message, help);
        }
    }

    /// Coordinates and velocities at the start.
    fn start(
        &mut self,
        tree: &Tree,
        name: &str,
        kind: TreeJointKind,
        limits: Option<&JointLimits>,
        path: &Path,
    ) {
        let (nq, nv) = (kind.core().nq(), kind.core().nv());
        let at = |key: &str| path.join(key).join(name);
        if let Some(given) = tree.velocity.get(name) {
            self.as_many(name, kind, "velocities", given, nv, &at("velocity"));
        }
        if tree.floating && tree.joints.iter().all(|j| j.name != name) && tree.start.contains_key(name) {
            let message = format!("the root of tree `{}` is placed by `base`", tree.name);
            self.error(
                &at("start"),
                Code::Contradiction,
                message,
                "write its pose there and leave it out here",
            );
        }
        let Some(given) = tree.start.get(name) else {
            if nq == 1 {
                self.default_start(tree, name, limits, path);
            }
            return;
        };
        if !self.as_many(name, kind, "coordinates", given, nq, &at("start")) {
            return;
        }
        if kind.core().has_quaternion() {
            let numbers = given.numbers();
            let quaternion = [nq - 4, nq - 3, nq - 2, nq - 1].map(|i| numbers[i]);
            self.orientation(&Orientation::Quaternion { quaternion }, &at("start"));
        } else if nq == 1 {
            self.inside_limits(name, given.numbers()[0], limits, &at("start"));
        }
    }

    /// Said where the joint cannot start at 0.
    fn default_start(&mut self, tree: &Tree, name: &str, limits: Option<&JointLimits>, path: &Path) {
        let value = default_start(limits);
        // Crossed limits are another finding.
        let crossed = limits.is_some_and(|l| l.lower > l.upper && l.upper.is_some());
        if value == 0.0 || crossed {
            return;
        }
        let message = format!("joint `{name}` starts at its limit {value}, because 0 lies outside");
        let help = format!("say where: \"start\": {{ \"{name}\": … }}");
        let joint = tree.joints.iter().position(|j| j.name == name);
        let at = joint.map_or_else(|| path.clone(), |j| path.join("joints").join(j).join("limits"));
        self.warning(&at, Code::Contradiction, message, help);
    }

    fn as_many(
        &mut self,
        name: &str,
        kind: TreeJointKind,
        what: &str,
        given: &Coordinates,
        count: usize,
        path: &Path,
    ) -> bool {
        let found = given.numbers().len();
        if found != count {
            let message = format!("joint `{name}` is {} and has {count} {what}, found {found}", kind.name());
            self.error(path, Code::WrongType, message, "the book says in which order (Trees)");
        }
        found == count
    }

    /// A start outside its limits is kept: a stepper brings the joint back.
    fn inside_limits(&mut self, name: &str, value: f64, limits: Option<&JointLimits>, path: &Path) {
        let Some(limits) = limits else { return };
        let (lower, upper) =
            (limits.lower.unwrap_or(f64::NEG_INFINITY), limits.upper.unwrap_or(f64::INFINITY));
        if value < lower || value > upper {
            let message = format!("joint `{name}` starts at {value}, outside its limits {lower} … {upper}");
            let help = "the joint starts there, beyond its limit, which then pushes it back";
            self.warning(path, Code::Contradiction, message, help);
        }
    }

    fn coupler(&mut self, names: &[String; 2], scene: &Scene, layouts: &[Option<Layout>], path: &Path) {
        if layouts.iter().any(Option::is_none) {
            return;
        }
        let found = |tree: &str, joint: &str| {
            let i = scene.trees.iter().position(|t| t.name == tree)?;
            layouts[i].as_ref()?.kind_of(&scene.trees[i], joint)
        };
        for (side, name) in names.iter().enumerate() {
            let kind = name.split_once('.').and_then(|(tree, joint)| found(tree, joint));
            let message = match kind {
                Some(kind) if kind.core().nq() == 1 => continue,
                Some(kind) => format!("joint `{name}` is {} and cannot be coupled", kind.name()),
                None => format!("there is no joint `{name}`"),
            };
            let help = "couplers join revolute, continuous or prismatic joints, written TREE.JOINT";
            self.error(&path.join(side), Code::UnknownName, message, help);
        }
        if names[0] == names[1] {
            let message = format!("joint `{}` is coupled to itself", names[0]);
            self.error(path, Code::Contradiction, message, "name two joints");
        }
    }
}
