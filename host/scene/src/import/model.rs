//! A robot model as a scene writes it, and how it is read.

use super::build;
use super::report::Report;
use crate::diagnostics::TextSpan;
use crate::{Node, Value};
use std::path::PathBuf;

/// How a model is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelOptions {
    /// Roots of packages by name, for `package://NAME/…`.
    pub packages: Vec<(String, PathBuf)>,
    /// True if meshes that cannot be read are left out.
    pub skip_meshes: bool,
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

    /// A whole scene with this model as the tree `tree`.
    pub fn scene(&self, tree: &str, floating: bool) -> Node {
        let place = &self.links.place;
        let mut entries = vec![("name", build::text(tree, place))];
        if floating {
            entries.push(("floating", Node::new(Value::Bool(true), place.clone())));
        }
        entries.extend([("links", self.links.clone()), ("joints", self.joints.clone())]);
        let tree_node = build::object(entries, place);
        let mut scene = vec![
            ("format", build::text(crate::types::SCENE_FORMAT, place)),
            ("name", build::text(tree, place)),
            ("space", build::text("spatial", place)),
            ("bodies", build::array(vec![], place)),
            ("trees", build::array(vec![tree_node], place)),
        ];
        let couplers = self.couplers(tree);
        if !couplers.is_empty() {
            scene.push(("couplers", build::array(couplers, place)));
        }
        build::object(scene, place)
    }
}
