//! The files an experiment consists of: what it extends, and its scene.

use super::experiment::{EXPERIMENT_FORMAT, SWEEP_FORMAT};
use super::merge::{merge, normalise_plugins};
use super::node::{Node, Value};
use super::read::{drop_schema_key, read_document, relative_to};
use super::types::SCENE_FORMAT;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan, did_you_mean};
use std::path::{Path as FilePath, PathBuf};

/// The scene as one file of an experiment gives it.
#[derive(Debug, Clone)]
pub(super) enum SceneLayer {
    /// No value.
    Absent,
    /// A complete scene, inline or from a file.
    Whole(Node),
    /// Values to lay over the scene of the base.
    Patch(Node),
    /// Something already reported.
    Broken,
}

impl SceneLayer {
    /// The document.
    pub(super) fn node(&self) -> Option<&Node> {
        match self {
            Self::Whole(node) | Self::Patch(node) => Some(node),
            Self::Absent | Self::Broken => None,
        }
    }

    /// The document, for changing.
    pub(super) fn node_mut(&mut self) -> Option<&mut Node> {
        match self {
            Self::Whole(node) | Self::Patch(node) => Some(node),
            Self::Absent | Self::Broken => None,
        }
    }

    /// This over what the base says.
    pub(super) fn over(self, base: Self) -> Self {
        match (base, self) {
            (base, Self::Absent) => base,
            (Self::Whole(base), Self::Patch(patch)) => Self::Whole(merge(base, patch)),
            (Self::Patch(base), Self::Patch(patch)) => Self::Patch(merge(base, patch)),
            (Self::Broken, Self::Patch(_)) => Self::Broken,
            (_, own) => own,
        }
    }
}

/// An experiment with what it says about its scene.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    /// The experiment.
    pub(super) node: Node,
    /// Its scene.
    pub(super) scene: SceneLayer,
}

/// An experiment file over the ones it extends.
pub(super) fn read_layer(
    path: &FilePath,
    named_at: Option<&TextSpan>,
    above: &mut Vec<(PathBuf, String)>,
    diagnostics: &mut Diagnostics,
) -> Option<Layer> {
    let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if let Some(first) = above.iter().position(|(p, _)| *p == canonical) {
        diagnostics.push(extends_cycle(&above[first..], path).at(named_at.cloned()));
        return None;
    }
    let node = read_document(path, named_at, diagnostics)?;
    layer_of(node, path, above, diagnostics)
}

/// Experiments in a row of which each extends the next, at most: each is read within the one before.
const DEEPEST: usize = 100;

/// An experiment that stands in `path`, over the files it extends.
pub(super) fn layer_of(
    mut node: Node,
    path: &FilePath,
    above: &mut Vec<(PathBuf, String)>,
    diagnostics: &mut Diagnostics,
) -> Option<Layer> {
    if !check_format(&node, EXPERIMENT_FORMAT, diagnostics) {
        return None;
    }
    normalise_plugins(&mut node);
    let scene =
        node.get("scene").cloned().map_or(SceneLayer::Absent, |s| read_scene_value(s, path, diagnostics));
    let Some((base_name, place)) =
        node.get("extends").and_then(|n| Some((n.as_str()?.to_owned(), n.place.clone())))
    else {
        return Some(Layer { node, scene });
    };
    if above.len() >= DEEPEST {
        let message = format!("more than {DEEPEST} experiments extend each other");
        let help = "put the values of some of them into one file";
        diagnostics.push(Diagnostic::error(Code::ExtendsCycle, message).at(place).help(help));
        return None;
    }
    let canonical = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    above.push((canonical, path.display().to_string()));
    let base = read_layer(&relative_to(path, &base_name), Some(&place), above, diagnostics);
    above.pop();
    let base = base?;
    Some(Layer { node: merge(base.node, node), scene: scene.over(base.scene) })
}

fn extends_cycle(circle: &[(PathBuf, String)], back: &FilePath) -> Diagnostic {
    let names: Vec<&str> = circle.iter().map(|(_, name)| name.as_str()).collect();
    let message = format!("`extends` goes in a circle: {} -> {}", names.join(" -> "), back.display());
    Diagnostic::error(Code::ExtendsCycle, message).help("remove one of these `extends`")
}

/// The scene a value stands for; `file` is the file it is written in.
pub(super) fn read_scene_value(
    mut value: Node,
    file: &FilePath,
    diagnostics: &mut Diagnostics,
) -> SceneLayer {
    match &value.value {
        Value::String(written) => {
            let read = read_document(&relative_to(file, written), Some(&value.place), diagnostics);
            match read.filter(|scene| check_format(scene, SCENE_FORMAT, diagnostics)) {
                Some(scene) => SceneLayer::Whole(scene),
                None => SceneLayer::Broken,
            }
        }
        Value::Object(_) if value.entry("format").is_some() => {
            drop_schema_key(&mut value);
            SceneLayer::Whole(value)
        }
        Value::Object(_) => SceneLayer::Patch(value),
        // Any other type is reported by the check against the schema.
        _ => SceneLayer::Broken,
    }
}

pub(super) fn patch_without_base(node: &Node) -> Diagnostic {
    let message = "this inline scene lacks the key `format`";
    let help = format!(
        "write \"format\": \"{SCENE_FORMAT}\"; an inline scene without it changes the scene of the experiment that `extends` names"
    );
    Diagnostic::error(Code::MissingKey, message).at(node.place.part(0, 1)).help(help)
}

/// Returns true if the document says it has the format `expected`; reported if not.
pub(super) fn check_format(node: &Node, expected: &str, diagnostics: &mut Diagnostics) -> bool {
    let Some(entry) = node.entry("format") else {
        let near = node.entries().iter().find(|e| did_you_mean(&e.key, ["format"]).is_some());
        let help = match near {
            Some(e) => format!(
                "`{}` at line {} looks like it; write \"format\": \"{expected}\"",
                e.key,
                e.key_place.line()
            ),
            None => format!("write \"format\": \"{expected}\" first"),
        };
        let missing = Diagnostic::error(Code::MissingKey, "the file lacks the key `format`");
        diagnostics.push(missing.at(node.place.part(0, 1)).help(help));
        return false;
    };
    let text = entry.node.as_str().unwrap_or_default();
    if text == expected {
        return true;
    }
    let message = format!("`format` must be \"{expected}\", found {}", entry.node.describe());
    let other = [(SCENE_FORMAT, "a scene"), (EXPERIMENT_FORMAT, "an experiment")];
    let help = match other.iter().find(|(format, _)| *format == text) {
        Some((_, what)) if expected == EXPERIMENT_FORMAT => {
            format!("this file is {what}; name it in the `scene` of an experiment and run that")
        }
        Some((_, what)) => format!("this file is {what}, a scene is needed here"),
        None if text == SWEEP_FORMAT => "this file is a sweep: `vinci sweep` runs it".to_owned(),
        None => "this program reads version 1 of the formats".to_owned(),
    };
    diagnostics.push(Diagnostic::error(Code::WrongFormat, message).at(entry.node.place.clone()).help(help));
    false
}
