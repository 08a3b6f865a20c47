//! A robot model as a scene writes it, and how it is read.

use super::build;
use super::extras::Extras;
use super::report::Report;
use crate::Node;
use crate::diagnostics::TextSpan;
use nalgebra::Isometry3;
use std::path::PathBuf;

/// How a model is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// Roots of packages by name, for `package://NAME/…`.
    pub packages: Vec<(String, PathBuf)>,
    /// True if meshes that cannot be read are left out.
    pub skip_meshes: bool,
    /// Keyframe of an MJCF model that is its start, by its name, or by its number where it has none.
    pub keyframe: Option<String>,
}

/// A model as a scene writes it.
#[derive(Debug, Clone)]
pub struct Model {
    /// Name of the robot, fit for a tree.
    pub name: String,
    /// The list `links`.
    pub links: Node,
    /// The list `joints`.
    pub joints: Node,
    /// Joints that mimic others.
    pub mimics: Vec<Mimic>,
    /// Parts of the scene around the tree; none of URDF models.
    pub extras: Extras,
    /// Report on what was read and what was left out.
    pub report: Report,
}

/// A joint that follows another: q = ratio · q_other + offset.
#[derive(Debug, Clone)]
pub struct Mimic {
    /// The joint.
    pub joint: String,
    /// The one it follows.
    pub other: String,
    /// Motion per motion of the other.
    pub ratio: f64,
    /// Coordinate where that of the other is 0.
    pub offset: f64,
    /// Where this was written.
    pub place: TextSpan,
}

impl Model {
    /// The couplers of a tree called `tree`.
    pub fn couplers(&self, tree: &str) -> Vec<Node> {
        let coupler = |m: &Mimic| {
            let place = &m.place;
            let ends = [&m.joint, &m.other].map(|joint| build::text(format!("{tree}.{joint}"), place));
            build::object(
                vec![
                    ("name", build::text(format!("{tree}_{}_{}", m.joint, m.other), place)),
                    ("joints", build::array(ends.into(), place)),
                    ("ratio", build::number(m.ratio, place)),
                    ("offset", build::number(m.offset, place)),
                ],
                place,
            )
        };
        self.mimics.iter().map(coupler).collect()
    }

    /// The keys of a tree: links, joints, and what else the model says of them.
    pub(super) fn tree_entries(&self) -> Vec<(&'static str, Node)> {
        let mut entries = vec![("links", self.links.clone()), ("joints", self.joints.clone())];
        entries.extend(self.extras.tree_entries(&self.links.place));
        entries
    }

    /// Entries for the lists of a scene, for a tree called `tree` that stands at `base`.
    pub(super) fn lists(&self, tree: &str, base: &Isometry3<f64>) -> Vec<(&'static str, Vec<Node>)> {
        let mut lists = self.extras.lists(tree, base);
        lists.push(("couplers", self.couplers(tree)));
        lists.retain(|(_, elements)| !elements.is_empty());
        lists
    }

    /// A whole scene with this model as the tree `tree`.
    pub fn scene(&self, tree: &str, floating: bool) -> Node {
        let place = &self.links.place;
        let mut entries = vec![("name", build::text(tree, place))];
        if floating {
            entries.push(("floating", build::flag(true, place)));
        }
        entries.extend(self.tree_entries());
        let moves = !self.links.elements().is_empty();
        let trees = if moves { vec![build::object(entries, place)] } else { vec![] };
        let mut scene = vec![
            ("format", build::text(crate::types::SCENE_FORMAT, place)),
            ("name", build::text(tree, place)),
            ("space", build::text("spatial", place)),
        ];
        if let Some((gravity, place)) = &self.extras.gravity {
            scene.push(("gravity", build::numbers(gravity, place)));
        }
        let materials = self.extras.material_entries();
        if !materials.is_empty() {
            scene.push(("materials", build::map(materials.into_iter(), place)));
        }
        let mut lists = self.lists(tree, &Isometry3::identity());
        if lists.iter().all(|(key, _)| *key != "bodies") {
            lists.insert(0, ("bodies", vec![]));
        }
        lists.insert(1, ("trees", trees));
        scene.extend(lists.into_iter().map(|(key, elements)| (key, build::array(elements, place))));
        build::object(scene, place)
    }
}
