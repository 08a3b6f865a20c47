//! Names: unique where they are given, known where they are used.

use super::super::compile::DEFAULT_MATERIAL;
use super::super::node::{Node, Value};
use super::super::path::{Path, at};
use super::super::shapes::{Shape, ShapeKind};
use super::super::types::{Joint, Scene, Tree};
use super::Lint;
use crate::diagnostics::{Code, did_you_mean, list};
use crate::types::SpaceName;
use std::collections::BTreeSet;

struct Known<'a> {
    what: &'static str,
    names: Vec<&'a str>,
    sorted: BTreeSet<&'a str>,
}

impl<'a> Known<'a> {
    fn new(what: &'static str, names: Vec<&'a str>) -> Self {
        let sorted = names.iter().copied().collect();
        Self { what, names, sorted }
    }
}

/// Links as bodies are called, `TREE/LINK`, from the document.
fn link_names(scene: &Node) -> Vec<String> {
    let name = |node: &Node| node.get("name").and_then(Node::as_str).map(str::to_owned);
    let trees = scene.get("trees").map(Node::elements).unwrap_or_default().iter();
    let of_tree = |tree: &Node| {
        let links = tree.get("links").map(Node::elements).unwrap_or_default();
        let prefix = name(tree).unwrap_or_default();
        links.iter().filter_map(name).map(|link| format!("{prefix}/{link}")).collect::<Vec<_>>()
    };
    trees.flat_map(of_tree).collect()
}

impl Lint<'_> {
    pub(super) fn names(&mut self, scene: &Scene) {
        self.unique("bodies", "body");
        self.unique("springs", "spring");
        self.unique("torsion_springs", "torsion spring");
        self.unique("joints", "joint");
        self.unique("trees", "tree");
        self.unique("couplers", "coupler");
        self.unique("controllers", "controller");
        // From the document, so that a faulty body is not also called absent.
        let node = self.node;
        let named = node.get("bodies").map(Node::elements).unwrap_or_default().iter();
        let mut bodies: Vec<&str> = named.filter_map(|b| b.get("name").and_then(Node::as_str)).collect();
        let mut seen = BTreeSet::new();
        bodies.retain(|name| seen.insert(*name));
        let links = link_names(node);
        bodies.extend(links.iter().map(String::as_str));
        let bodies = Known::new("body", bodies);
        let own = node.get("materials").map(Node::entries).unwrap_or_default().iter().map(|e| e.key.as_str());
        let own = own.filter(|n| *n != DEFAULT_MATERIAL);
        let materials = Known::new("material", std::iter::once(DEFAULT_MATERIAL).chain(own).collect());
        for (i, body) in scene.bodies.iter().enumerate() {
            self.known(body.material.as_deref(), &materials, &at!["bodies", i, "material"]);
            self.shape_materials(&body.shapes, &materials, &at!["bodies", i, "shapes"]);
        }
        for (i, tree) in scene.trees.iter().enumerate() {
            self.tree_materials(tree, &materials, &at!["trees", i]);
        }
        self.pairs(scene, &bodies, &materials);
        self.patches(scene, &bodies);
        for (i, spring) in scene.springs.iter().enumerate() {
            self.two_ends(&spring.bodies, &bodies, &at!["springs", i, "bodies"], "spring");
        }
        for (i, spring) in scene.torsion_springs.iter().enumerate() {
            self.two_ends(&spring.bodies, &bodies, &at!["torsion_springs", i, "bodies"], "torsion spring");
            if scene.space == SpaceName::Spatial {
                let message = "torsion springs join angles, and bodies in space have none";
                self.error(
                    &at!["torsion_springs", i],
                    Code::Contradiction,
                    message,
                    "use springs with levers",
                );
            }
        }
        for (i, joint) in scene.joints.iter().enumerate() {
            self.two_ends(&joint.bodies, &bodies, &at!["joints", i, "bodies"], "joint");
            self.axes(joint, &at!["joints", i, "along"]);
        }
        for (i, pair) in scene.ignore_contacts.iter().enumerate() {
            self.two_names(pair, &bodies, &at!["ignore_contacts", i]);
            if pair[0] == pair[1] {
                let message = format!("body `{}` is paired with itself", pair[0]);
                self.error(&at!["ignore_contacts", i], Code::Contradiction, message, "name two bodies");
            }
        }
    }

    fn tree_materials(&mut self, tree: &Tree, materials: &Known<'_>, path: &Path) {
        self.known(tree.material.as_deref(), materials, &path.join("material"));
        for (link, material) in &tree.materials {
            self.known(Some(material), materials, &path.join("materials").join(link.as_str()));
        }
        for (i, link) in tree.links.iter().enumerate() {
            let path = path.join("links").join(i);
            self.known(link.material.as_deref(), materials, &path.join("material"));
            self.shape_materials(&link.shapes, materials, &path.join("shapes"));
        }
    }

    /// Axes of a joint: each once.
    fn axes(&mut self, joint: &Joint, path: &Path) {
        let axes = joint.along.as_deref().unwrap_or_default();
        if let Some(i) = (1..axes.len()).find(|&i| axes[..i].contains(&axes[i])) {
            self.error(
                &path.join(i),
                Code::Contradiction,
                "this axis is named twice",
                "name every axis once",
            );
        }
    }

    pub(super) fn unique(&mut self, key: &str, what: &str) {
        let node = self.node;
        let elements = node.get(key).map(Node::elements).unwrap_or_default();
        let mut seen = std::collections::BTreeMap::new();
        for (i, name) in elements.iter().enumerate().filter_map(|(i, e)| Some((i, e.get("name")?))) {
            let Some(text) = name.as_str() else { continue };
            match seen.get(text) {
                None => {
                    seen.insert(text, name);
                }
                Some(first) => {
                    let first: &Node = first;
                    let message = format!("a second {what} is named `{text}`");
                    let help =
                        format!("the first is at {}; every {what} needs a name of its own", first.place);
                    self.error(&at![key, i, "name"], Code::DuplicateName, message, help);
                }
            }
        }
    }

    fn known(&mut self, name: Option<&str>, known: &Known<'_>, path: &Path) {
        let Some(name) = name.filter(|n| !known.sorted.contains(n)) else { return };
        if name.contains('/') && self.lost_a_tree() {
            return;
        }
        let meant = did_you_mean(name, known.names.iter().copied()).map_or_else(String::new, |m| m + " ");
        let plural = if known.what == "body" { "bodies" } else { "materials" };
        let help = match known.names.as_slice() {
            [] => format!("the scene has no {plural}"),
            names => format!("{meant}{plural} of this scene: {}", list(names.iter().copied())),
        };
        self.error(path, Code::UnknownName, format!("there is no {} `{name}`", known.what), help);
    }

    /// Returns true if a tree could not be read, so that its links are not known.
    fn lost_a_tree(&self) -> bool {
        let trees = self.node.get("trees").map(Node::elements).unwrap_or_default();
        trees.iter().any(|t| matches!(t.value, Value::Poisoned))
    }

    fn two_names(&mut self, names: &[String; 2], known: &Known<'_>, path: &Path) {
        for (side, name) in names.iter().enumerate() {
            self.known(Some(name), known, &path.join(side));
        }
    }

    fn shape_materials(&mut self, shapes: &[Shape], materials: &Known<'_>, path: &Path) {
        for (i, shape) in shapes.iter().enumerate() {
            let path = path.join(i);
            self.known(shape.placement.material.as_deref(), materials, &path.join("material"));
            if let ShapeKind::Compound { shapes } = &shape.kind {
                self.shape_materials(shapes, materials, &path.join("shapes"));
            }
        }
    }

    /// Pairs that meet in patches: two bodies that are there, each pair once.
    fn patches(&mut self, scene: &Scene, bodies: &Known<'_>) {
        let sorted = |names: &[String; 2]| {
            (names[0].clone().min(names[1].clone()), names[0].clone().max(names[1].clone()))
        };
        for (i, patch) in scene.patches.iter().enumerate() {
            let path = at!["patches", i].join("bodies");
            self.two_names(&patch.bodies, bodies, &path);
            let pair = sorted(&patch.bodies);
            if pair.0 == pair.1 {
                let message = format!("body `{}` is paired with itself", pair.0);
                self.error(&path, Code::Contradiction, message, "name two bodies");
            }
            if scene.patches[..i].iter().any(|other| sorted(&other.bodies) == pair) {
                let message = format!("the patches of `{}` and `{}` are described twice", pair.0, pair.1);
                self.error(&path, Code::Contradiction, message, "leave one of them out");
            }
        }
    }

    fn pairs(&mut self, scene: &Scene, bodies: &Known<'_>, materials: &Known<'_>) {
        for (i, pair) in scene.pairs.iter().enumerate() {
            let path = at!["pairs", i];
            match (&pair.materials, &pair.bodies) {
                (Some(names), None) => self.two_names(names, materials, &path.join("materials")),
                (None, Some(names)) => {
                    self.two_names(names, bodies, &path.join("bodies"));
                    if names[0] == names[1] {
                        let message = format!("body `{}` is paired with itself", names[0]);
                        self.error(&path.join("bodies"), Code::Contradiction, message, "name two bodies");
                    }
                }
                (Some(_), Some(_)) => {
                    let help = "give one of them; for both write two pairs";
                    self.error(
                        &path,
                        Code::Contradiction,
                        "this pair has both `materials` and `bodies`",
                        help,
                    );
                }
                (None, None)
                    if self.written(&path.join("materials")) || self.written(&path.join("bodies")) => {}
                (None, None) => {
                    let help = "name two of them: \"materials\": [a, b] or \"bodies\": [a, b]";
                    self.error(
                        &path,
                        Code::MissingKey,
                        "this pair has neither `materials` nor `bodies`",
                        help,
                    );
                }
            }
        }
    }

    /// The ends of a spring or joint: bodies that are there, not the same one, not twice the world.
    fn two_ends(&mut self, ends: &[Option<String>; 2], bodies: &Known<'_>, path: &Path, what: &str) {
        for (side, name) in ends.iter().enumerate() {
            self.known(name.as_deref(), bodies, &path.join(side));
        }
        match ends {
            [None, None] => {
                let message = format!("this {what} joins the world to itself");
                self.error(path, Code::Contradiction, message, "name at least one body");
            }
            [Some(a), Some(b)] if a == b => {
                let message = format!("this {what} joins body `{a}` to itself");
                self.error(path, Code::Contradiction, message, "name two bodies, or null for the world");
            }
            _ => {}
        }
    }
}
