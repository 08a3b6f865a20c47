//! Robot models of other formats, as trees of a scene.
//!
//! [`read_model`] makes links, joints and couplers from a file; every value remembers the line of the file it came from, so
//! that all later checks of the scene speak of that line. [`expand_models`] does so for the trees of a scene that name a
//! `model`. What was read, and what was left out and why, is in the [`Report`].

mod build;
mod files;
mod meshes;
mod model;
mod packages;
mod report;

#[cfg(test)]
mod tests;
mod text;
mod urdf;
mod xml;

pub use model::{Mimic, Model, ModelOptions};
pub use report::{Dropped, MeshRead, Report};
pub use text::laid_out;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};
use crate::{Entry, Node, Value};
use std::path::Path;

/// Reads a model; `named_at` is where it was named (nowhere: the command line). `None` if an error was found.
pub fn read_model(
    path: &Path,
    named_at: Option<&TextSpan>,
    options: &ModelOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    if path.extension().is_some_and(|e| e == "xacro") {
        let message = format!("`{}` is a xacro file", path.display());
        let help = "expand it first: `xacro robot.urdf.xacro > robot.urdf`";
        let place = named_at.cloned();
        diagnostics.push(Diagnostic::error(Code::WrongFormat, message).at(place).help(help));
        return None;
    }
    let source = match files::read_text(path) {
        Ok(source) => source,
        Err(diagnostic) => {
            let place = diagnostic.place.clone().or_else(|| named_at.cloned());
            diagnostics.push(diagnostic.at(place));
            return None;
        }
    };
    let before = diagnostics.errors();
    let model = urdf::read(path, &source, options, diagnostics);
    model.filter(|_| diagnostics.errors() == before)
}

/// Reads the models that trees of a scene name, in their place.
pub(crate) fn expand_models(scene: &mut Node, diagnostics: &mut Diagnostics) {
    let mut couplers = Vec::new();
    let Some(trees) = scene.entry("trees").map(|_| crate::Path::root().join("trees")) else { return };
    let Some(Node { value: Value::Array(trees), .. }) = scene.find_mut(&trees) else { return };
    for tree in trees {
        match expand(tree, diagnostics) {
            Some(more) => couplers.extend(more),
            // Said already: nothing more is said about it.
            None => tree.value = Value::Poisoned,
        }
    }
    let place = scene.place.clone();
    if couplers.is_empty() {
        return;
    }
    if let Some(entry) = scene.entry_mut("couplers", &place) {
        match &mut entry.node.value {
            Value::Array(list) => list.extend(couplers),
            Value::Null => entry.node.value = Value::Array(couplers),
            _ => {}
        }
    }
}

/// Puts links and joints in the place of `model`; the couplers that it brings.
fn expand(tree: &mut Node, diagnostics: &mut Diagnostics) -> Option<Vec<Node>> {
    let Some(written) = tree.get("model").and_then(|n| Some((n.as_str()?.to_owned(), n.place.clone())))
    else {
        return Some(Vec::new());
    };
    let (written, place) = written;
    if let Some(both) = ["links", "joints"].into_iter().find_map(|key| tree.entry(key)) {
        let message = format!("this tree has both `model` and `{}`", both.key);
        let help = "give one of them; `joint_values` and `materials` change a model";
        diagnostics
            .push(Diagnostic::error(Code::Contradiction, message).at(both.key_place.clone()).help(help));
        return None;
    }
    let options = options_of(tree);
    let model = read_model(&files::beside(&place, &written), Some(&place), &options, diagnostics)?;
    tracing::info!(model = %written, "{}", model.report.summary());
    let name = tree.get("name").and_then(Node::as_str).unwrap_or_default().to_owned();
    let couplers = model.couplers(&name);
    if let Value::Object(entries) = &mut tree.value {
        entries.retain(|e| !["model", "packages", "skip_meshes"].contains(&e.key.as_str()));
        for (key, node) in [("links", model.links), ("joints", model.joints)] {
            entries.push(Entry { key: key.into(), key_place: place.clone(), node, carried: false });
        }
    }
    Some(couplers)
}

fn options_of(tree: &Node) -> ModelOptions {
    let packages = tree.get("packages").map(Node::entries).unwrap_or_default();
    let root = |e: &Entry| Some((e.key.clone(), files::beside(&e.node.place, e.node.as_str()?)));
    let skip = tree.get("skip_meshes").is_some_and(|n| matches!(n.value, Value::Bool(true)));
    ModelOptions { packages: packages.iter().filter_map(root).collect(), skip_meshes: skip }
}
