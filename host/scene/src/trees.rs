//! Structure of a tree: which link hangs on which, and the values that hold for a joint.

use super::path::{Path, at};
use super::types::{JointLimits, Tree, TreeJoint, TreeJointKind};
use crate::diagnostics::{Code, did_you_mean, list};
use std::collections::{BTreeMap, BTreeSet};

/// Key of the values for all joints.
pub(crate) const ALL_JOINTS: &str = "*";
/// How the joint of the root is called, unless the tree has a joint of this name.
const BASE: &str = "base";
/// Faults of one kind that are looked for in one tree: each is told with the nearest of all names.
const MOST_FAULTS: usize = 100;

/// Links in the order of core: parents before children, branch by branch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Layout {
    /// One per link.
    pub places: Vec<LinkPlace>,
    /// Name of the joint that places the root, where no joint of the tree does.
    pub(crate) base_joint: String,
}

/// Where a link hangs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkPlace {
    /// Index in the tree's `links`.
    pub link: usize,
    /// Index in the tree's `joints`; `None`: the root, which `base` places.
    pub joint: Option<usize>,
    /// Position of the parent in the layout; `None`: the world.
    pub parent: Option<usize>,
}

/// Something wrong with a tree, at a path in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Path from the tree on.
    pub path: Path,
    /// Kind of fault.
    pub code: Code,
    /// Message.
    pub message: String,
    /// Next step for the user.
    pub help: String,
}

impl Fault {
    fn new(path: Path, code: Code, message: String, help: impl Into<String>) -> Self {
        Self { path, code, message, help: help.into() }
    }
}

/// Links and joints by name, so that nothing is looked for in lists.
struct Index<'a> {
    /// Index of a link.
    link: BTreeMap<&'a str, usize>,
    /// Joints that hang on a link, in order.
    joints_on: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Index<'a> {
    fn of(tree: &'a Tree) -> Self {
        let mut index = Self { link: BTreeMap::new(), joints_on: BTreeMap::new() };
        for (i, link) in tree.links.iter().enumerate() {
            // The first of two of one name, which is a fault of its own.
            index.link.entry(&link.name).or_insert(i);
        }
        for (i, joint) in tree.joints.iter().enumerate() {
            if let Some(parent) = &joint.parent {
                index.joints_on.entry(parent).or_default().push(i);
            }
        }
        index
    }
}

impl Layout {
    /// The layout of a tree.
    ///
    /// # Errors
    /// Names used twice or unknown, links with two parents or none, circles.
    pub(crate) fn of(tree: &Tree) -> Result<Self, Vec<Fault>> {
        let index = Index::of(tree);
        let mut faults = twice(tree);
        let unknown =
            tree.joints.iter().enumerate().flat_map(|(i, joint)| unknown_links(tree, &index, i, joint));
        faults.extend(unknown.take(MOST_FAULTS));
        if tree.links.is_empty() {
            let message = format!("tree `{}` has no links", tree.name);
            let help = "give `links` and `joints`, or a `model` to read them from";
            faults.push(Fault::new(Path::root(), Code::MissingKey, message, help));
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let (mover, faults) = movers(tree, &index);
        if !faults.is_empty() {
            return Err(faults);
        }
        let places = walk(tree, &index, &mover);
        let faults = left_over(tree, &index, &places, &mover);
        if !faults.is_empty() {
            return Err(faults);
        }
        Ok(Self { places, base_joint: base_joint(tree) })
    }

    /// Name of the joint of a place.
    pub(crate) fn joint_name<'a>(&'a self, tree: &'a Tree, place: LinkPlace) -> &'a str {
        place.joint.map_or(&self.base_joint, |j| &tree.joints[j].name)
    }

    /// Kind of the joint of a place.
    pub(crate) fn kind(&self, tree: &Tree, place: LinkPlace) -> TreeJointKind {
        match place.joint {
            Some(joint) => tree.joints[joint].kind,
            None if tree.floating => TreeJointKind::Free,
            None => TreeJointKind::Fixed,
        }
    }

    /// Kind of the joint of a name.
    pub(crate) fn kind_of(&self, tree: &Tree, joint: &str) -> Option<TreeJointKind> {
        let place = self.places.iter().find(|p| self.joint_name(tree, **p) == joint)?;
        Some(self.kind(tree, *place))
    }

    /// Groups of links that are fixed together: for every place the first place of its group; fixed to the world is
    /// `None`.
    pub(crate) fn groups(&self, tree: &Tree) -> Vec<Option<usize>> {
        let mut groups: Vec<Option<usize>> = Vec::with_capacity(self.places.len());
        for (i, place) in self.places.iter().enumerate() {
            let fixed = self.kind(tree, *place) == TreeJointKind::Fixed;
            groups.push(if fixed { place.parent.and_then(|p| groups[p]) } else { Some(i) });
        }
        groups
    }
}

/// The values that hold for a joint: its own, replaced by those of `*` and those for it.
pub(crate) fn effective(tree: &Tree, joint: &TreeJoint) -> TreeJoint {
    let mut joint = joint.clone();
    let all = tree.joint_values.get(ALL_JOINTS).filter(|_| joint.kind != TreeJointKind::Fixed);
    for (values, own) in [(all, false), (tree.joint_values.get(&joint.name), true)] {
        let Some(values) = values else { continue };
        joint.damping = values.damping.unwrap_or(joint.damping);
        joint.friction = values.friction.unwrap_or(joint.friction);
        joint.rotor_inertia = values.rotor_inertia.unwrap_or(joint.rotor_inertia);
        joint.gear_ratio = values.gear_ratio.unwrap_or(joint.gear_ratio);
        if own || takes_limits(joint.kind) {
            joint.limits = values.limits.or(joint.limits);
        }
    }
    joint
}

/// Returns true if joints of a kind may have bounds.
pub(crate) fn takes_limits(kind: TreeJointKind) -> bool {
    matches!(kind, TreeJointKind::Revolute | TreeJointKind::Prismatic)
}

/// Where a joint with one coordinate starts if nothing is said: at 0, or at the limit nearest to it.
pub(crate) fn default_start(limits: Option<&JointLimits>) -> f64 {
    let bound = |b: Option<f64>, none: f64| b.unwrap_or(none);
    match limits {
        Some(l) => 0.0_f64.min(bound(l.upper, f64::INFINITY)).max(bound(l.lower, f64::NEG_INFINITY)),
        None => 0.0,
    }
}

fn base_joint(tree: &Tree) -> String {
    let joints: BTreeSet<&str> = tree.joints.iter().map(|j| j.name.as_str()).collect();
    let mut name = BASE.to_owned();
    while joints.contains(name.as_str()) {
        name.push('_');
    }
    name
}

fn twice(tree: &Tree) -> Vec<Fault> {
    let links: Vec<&str> = tree.links.iter().map(|l| l.name.as_str()).collect();
    let joints: Vec<&str> = tree.joints.iter().map(|j| j.name.as_str()).collect();
    let mut faults = Vec::new();
    for (key, what, names) in [("links", "link", links), ("joints", "joint", joints)] {
        let mut seen = BTreeSet::new();
        for i in (0..names.len()).filter(|&i| !seen.insert(names[i])) {
            let message = format!("a second {what} of tree `{}` is named `{}`", tree.name, names[i]);
            let help = format!("every {what} of a tree needs a name of its own");
            faults.push(Fault::new(at![key, i, "name"], Code::DuplicateName, message, help));
        }
    }
    faults
}

fn unknown_links(tree: &Tree, index: &Index<'_>, i: usize, joint: &TreeJoint) -> Vec<Fault> {
    let known = || tree.links.iter().map(|l| l.name.as_str());
    let ends = [("parent", joint.parent.as_deref()), ("child", Some(joint.child.as_str()))];
    let unknown = |(key, name): (&str, &str)| {
        let meant = did_you_mean(name, known()).map_or_else(String::new, |m| m + " ");
        let message = format!(
            "joint `{}` names the link `{name}`, which tree `{}` does not have",
            joint.name, tree.name
        );
        let help = format!("{meant}its links: {}", list(known()));
        Fault::new(at!["joints", i, key], Code::UnknownName, message, help)
    };
    let named = ends.into_iter().filter_map(|(key, name)| Some((key, name?)));
    named.filter(|(_, name)| !index.link.contains_key(name)).map(unknown).collect()
}

/// For every link the joint that moves it.
fn movers(tree: &Tree, index: &Index<'_>) -> (Vec<Option<usize>>, Vec<Fault>) {
    let mut mover: Vec<Option<usize>> = vec![None; tree.links.len()];
    let mut faults = Vec::new();
    for (i, joint) in tree.joints.iter().enumerate() {
        let Some(&child) = index.link.get(joint.child.as_str()) else { continue };
        match mover[child] {
            None => mover[child] = Some(i),
            Some(first) => {
                let message = format!(
                    "link `{}` has two parents: the joints `{}` and `{}` both move it",
                    joint.child, tree.joints[first].name, joint.name
                );
                let help =
                    "in a tree one joint moves a link; close loops with the scene's `joints` or `couplers`";
                faults.push(Fault::new(at!["joints", i, "child"], Code::Contradiction, message, help));
            }
        }
    }
    (mover, faults)
}

/// All links that can be reached from the world, branch by branch.
fn walk(tree: &Tree, index: &Index<'_>, mover: &[Option<usize>]) -> Vec<LinkPlace> {
    let mut places = Vec::with_capacity(tree.links.len());
    let on_world = |l: &usize| mover[*l].is_none_or(|j| tree.joints[j].parent.is_none());
    let mut waiting: Vec<(usize, Option<usize>)> =
        (0..tree.links.len()).filter(on_world).map(|l| (l, None)).rev().collect();
    while let Some((link, parent)) = waiting.pop() {
        let joints = index.joints_on.get(tree.links[link].name.as_str());
        let children = joints.into_iter().flatten().rev();
        let children = children.filter_map(|&j| index.link.get(tree.joints[j].child.as_str()));
        waiting.extend(children.map(|&l| (l, Some(places.len()))));
        places.push(LinkPlace { link, joint: mover[link], parent });
    }
    places
}

/// Links in circles, and more than one root.
fn left_over(tree: &Tree, index: &Index<'_>, places: &[LinkPlace], mover: &[Option<usize>]) -> Vec<Fault> {
    let name = |l: usize| tree.links[l].name.as_str();
    let mut placed = vec![false; tree.links.len()];
    places.iter().for_each(|p| placed[p.link] = true);
    if let Some(start) = placed.iter().position(|placed| !placed) {
        let circle = circle_from(tree, index, mover, start);
        let message =
            format!("links of tree `{}` hang on one another in a circle: {}", tree.name, list(circle));
        let help = "a tree begins at the world or at one root; close loops with the scene's `joints`";
        let joint = mover[start].unwrap_or(0);
        return vec![Fault::new(at!["joints", joint, "parent"], Code::Contradiction, message, help)];
    }
    let roots: Vec<&str> = places.iter().filter(|p| p.joint.is_none()).map(|p| name(p.link)).collect();
    let on_world = places.iter().filter(|p| p.parent.is_none()).count();
    if roots.len() > 1 || (roots.len() == 1 && on_world > 1) {
        let all = places.iter().filter(|p| p.parent.is_none()).map(|p| name(p.link));
        let message = format!("tree `{}` has several roots: {}", tree.name, list(all));
        let help = "one link may be without a joint: join the others to it, or all of them to the world";
        return vec![Fault::new(at!["links"], Code::Contradiction, message, help)];
    }
    if tree.floating && roots.is_empty() {
        let message = format!("tree `{}` is floating, but joints hold it to the world", tree.name);
        let help = "drop `floating`, or the joint without parent";
        return vec![Fault::new(at!["floating"], Code::Contradiction, message, help)];
    }
    vec![]
}

/// The links of the circle that a walk towards the world from `start` ends in.
fn circle_from<'a>(tree: &'a Tree, index: &Index<'_>, mover: &[Option<usize>], start: usize) -> Vec<&'a str> {
    let up = |l: usize| {
        let parent = tree.joints[mover[l]?].parent.as_deref()?;
        index.link.get(parent).copied()
    };
    let (mut path, mut met) = (vec![start], BTreeMap::from([(start, 0)]));
    while let Some(next) = up(path[path.len() - 1]) {
        if let Some(first) = met.insert(next, path.len()) {
            path.drain(..first);
            break;
        }
        path.push(next);
    }
    path.into_iter().map(|l| tree.links[l].name.as_str()).collect()
}
