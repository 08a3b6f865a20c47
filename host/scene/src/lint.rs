//! Physics: what the schema cannot say about a scene or an experiment.

mod bodies;
mod controllers;
mod drives;
mod joint_drives;
mod links;
mod names;
mod pictures;
mod plugin_controllers;
mod scheduled_events;
mod shapes;
mod supports;
mod time;
mod trees;

use super::experiment::Experiment;
use super::node::Node;
use super::path::{Path, at};
use super::types::Scene;
use super::validate::MOST_FINDINGS;
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::types::SpaceName;

/// Collects findings about one document.
pub(super) struct Lint<'a> {
    node: &'a Node,
    diagnostics: &'a mut Diagnostics,
    /// True if the scene is one in the middle of a run: drives need not agree with where bodies began.
    running: bool,
}

impl Lint<'_> {
    fn push(&mut self, diagnostic: Diagnostic, path: &Path) {
        if self.diagnostics.len() >= 2 * MOST_FINDINGS {
            return;
        }
        let mut place = self.node.place_of(path);
        // Of a whole object only the opening bracket is marked.
        if self.node.find(path).is_none_or(|n| !n.entries().is_empty()) {
            place = place.part(0, 1);
        }
        self.diagnostics.push(diagnostic.at(place));
    }

    fn error(&mut self, path: &Path, code: Code, message: impl Into<String>, help: impl Into<String>) {
        self.push(Diagnostic::error(code, message).help(help), path);
    }

    fn warning(&mut self, path: &Path, code: Code, message: impl Into<String>, help: impl Into<String>) {
        self.push(Diagnostic::warning(code, message).help(help), path);
    }

    fn something_moves(&mut self) {
        let Some(Node { value: super::Value::Array(bodies), .. }) = self.node.get("bodies") else { return };
        let is_static =
            |b: &Node| matches!(b.get("static").map(|n| &n.value), Some(super::Value::Bool(true)));
        if bodies.iter().all(is_static) && self.node.get("trees").is_none_or(|t| t.elements().is_empty()) {
            let message = if bodies.is_empty() {
                "the scene has no bodies"
            } else {
                "every body of the scene is static"
            };
            let help = "add a body that can move: { \"name\": …, \"mass\": …, \"shapes\": [ … ] }";
            self.error(&at!["bodies"], Code::Unphysical, message, help);
        }
    }

    /// Returns true if a value was written at a path, right or wrong.
    fn written(&self, path: &Path) -> bool {
        self.node.find(path).is_some_and(|n| !matches!(n.value, super::Value::Null))
    }
}

/// Checks the physics of a scene whose types are right. `running`: as it is in the middle of a run.
pub(super) fn lint_scene(scene: &Scene, node: &Node, running: bool, diagnostics: &mut Diagnostics) {
    let mut lint = Lint { node, diagnostics, running };
    lint.names(scene);
    for (i, body) in scene.bodies.iter().enumerate() {
        let path = at!["bodies", i];
        let shapes_fine = lint.shapes(body, &path);
        lint.body(body, &path, scene.space, shapes_fine);
        lint.body_drives(body, &path, scene.space);
        lint.supports(scene, body, &path, shapes_fine);
    }
    lint.gravity_of_supports(scene);
    lint.trees(scene);
    lint.controllers(scene);
    lint.links(scene);
    lint.something_moves();
}

/// Checks an experiment whose types are right.
pub(super) fn lint_experiment(experiment: &Experiment, node: &Node, diagnostics: &mut Diagnostics) {
    let mut lint = Lint { node, diagnostics, running: false };
    lint.time(&experiment.time);
    lint.scheduled_events(experiment);
    lint.plugin_controllers(experiment);
    lint.pictures(experiment);
}

/// The length of positions in a space.
pub(super) fn dimension(space: SpaceName) -> usize {
    match space {
        SpaceName::Planar => 2,
        SpaceName::Spatial => 3,
    }
}
