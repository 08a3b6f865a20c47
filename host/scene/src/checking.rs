//! Checking the documents of experiments and scenes: keys, types and sense; then their values.

use std::sync::OnceLock;

use super::experiment::Experiment;
use super::lint::{lint_experiment, lint_scene};
use super::node::{Node, Value};
use super::path::{Path, Segment};
use super::schema::{complete_experiment_schema, scene_schema_for, space_name};
use super::types::{Body, Scene};
use super::validate::{MOST_FINDINGS, Subject, validate};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::types::SpaceName;

/// Schemas that documents are checked against, made when first needed: making one costs more than a check.
#[derive(Debug, Clone, Default)]
pub(super) struct Schemas {
    experiment: OnceLock<serde_json::Value>,
    planar: OnceLock<serde_json::Value>,
    spatial: OnceLock<serde_json::Value>,
    /// True if the documents stand for the middle of a run, where drives need not agree with where bodies began.
    running: bool,
}

impl Schemas {
    pub(super) fn in_a_run(running: bool) -> Self {
        Self { running, ..Self::default() }
    }

    fn experiment(&self) -> &serde_json::Value {
        self.experiment.get_or_init(complete_experiment_schema)
    }

    fn scene(&self, space: SpaceName) -> &serde_json::Value {
        let of = if space == SpaceName::Planar { &self.planar } else { &self.spatial };
        of.get_or_init(|| scene_schema_for(space))
    }
}

/// The experiment of a document; what is wrong goes to `diagnostics`.
pub(super) fn checked_experiment(
    node: &Node,
    schemas: &Schemas,
    diagnostics: &mut Diagnostics,
) -> Option<Experiment> {
    let subject =
        Subject { name: "the experiment".into(), hint: "`vinci schema experiment` prints all keys".into() };
    let mut findings = Diagnostics::new();
    let bad = validate(node, schemas.experiment(), &subject, &mut findings);
    let mut plain = node.clone();
    bad.iter().for_each(|path| plain.remove(path));
    let mut json = plain.to_json();
    json["scene"] = serde_json::Value::Null;
    let typed = typed::<Experiment>(json, node, &mut findings);
    if let Some(experiment) = &typed {
        lint_experiment(experiment, node, &mut findings);
    }
    let usable = !findings.has_errors();
    diagnostics.append(findings);
    typed.filter(|_| usable)
}

/// Checks a scene document.
pub fn check_scene(node: &Node, diagnostics: &mut Diagnostics) -> Option<Scene> {
    checked_scene(node, &Schemas::default(), diagnostics)
}

/// Checks a scene document as it is in the middle of a run.
pub(super) fn check_running_scene(node: &Node, diagnostics: &mut Diagnostics) -> Option<Scene> {
    checked_scene(node, &Schemas::in_a_run(true), diagnostics)
}

/// Checks an experiment document.
pub(super) fn check_experiment(node: &Node, diagnostics: &mut Diagnostics) -> Option<Experiment> {
    checked_experiment(node, &Schemas::default(), diagnostics)
}

/// The scene of a document; what is wrong goes to `diagnostics`.
pub(super) fn checked_scene(node: &Node, schemas: &Schemas, diagnostics: &mut Diagnostics) -> Option<Scene> {
    let subject = Subject { name: "the scene".into(), hint: "`vinci schema scene` prints all keys".into() };
    let mut findings = Diagnostics::new();
    let (space, mut node) = (space_of(node, &mut findings), node.clone());
    if findings.has_errors()
        && let Some(entry) = node.entry_mut("space", &node.place.clone())
    {
        entry.node.value = Value::Poisoned;
    }
    let bad = validate(&node, schemas.scene(space), &subject, &mut findings);
    if findings.errors() >= MOST_FINDINGS {
        // More were not looked for; what is left would be looked through for nothing, and takes memory.
        diagnostics.append(findings);
        return None;
    }
    let mut json = without(&node, &bad);
    json["space"] = space_name(space).into();
    let typed = typed::<Scene>(json, &node, &mut findings);
    if let Some(scene) = &typed {
        lint_scene(scene, &node, schemas.running, &mut findings);
    }
    let usable = !findings.has_errors();
    diagnostics.append(findings);
    typed.filter(|_| usable)
}

/// A scene without what was found wrong, so that the rest can be checked: wrong values of bodies are left out, a body that
/// cannot be read then becomes a static one, other wrong sections are left out as a whole.
fn without(scene: &Node, bad: &[Path]) -> serde_json::Value {
    let mut plain = scene.clone();
    for path in bad {
        match path.segments() {
            [Segment::Key(section), Segment::Index(_), _, ..] if section == "bodies" => plain.remove(path),
            [Segment::Key(section), Segment::Index(_)] if section == "bodies" => {}
            _ => plain.remove(&path.first(1)),
        }
    }
    let mut json = plain.to_json();
    let bodies = json.get("bodies").and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let readable = |body: serde_json::Value| match serde_json::from_value::<Body>(body.clone()) {
        Ok(_) => body,
        Err(_) => serde_json::json!({ "name": "unreadable", "static": true }),
    };
    json["bodies"] = bodies.into_iter().map(readable).collect();
    json
}

/// The space of a scene. Where `space` is missing or wrong this is reported, and the space is guessed from the first
/// position so that the rest can be checked.
fn space_of(node: &Node, diagnostics: &mut Diagnostics) -> SpaceName {
    let help = "`space` is one of `planar`, `spatial`";
    match node.get("space") {
        Some(n) if n.as_str() == Some("planar") => return SpaceName::Planar,
        Some(n) if n.as_str() == Some("spatial") => return SpaceName::Spatial,
        Some(n) => {
            let (code, message) = match n.as_str() {
                Some(text) => (Code::UnknownValue, format!("`space` has the unknown value \"{text}\"")),
                None => (Code::WrongType, format!("`space` must be a string, found {}", n.describe())),
            };
            let meant = n.as_str().and_then(|t| did_you_mean(t, ["planar", "spatial"])).map(|m| m + " ");
            let help = meant.unwrap_or_default() + help;
            diagnostics.push(Diagnostic::error(code, message).at(n.place.clone()).help(help));
        }
        None => {
            let missing = Diagnostic::error(Code::MissingKey, "the scene lacks the key `space`");
            diagnostics.push(missing.at(node.place.part(0, 1)).help(help));
        }
    }
    let bodies = node.get("bodies").map(Node::elements).unwrap_or_default();
    let lengths = bodies.iter().filter_map(|b| b.get("position")).map(|p| p.elements().len());
    if lengths.chain(node.get("gravity").map(|g| g.elements().len())).any(|n| n == 3) {
        SpaceName::Spatial
    } else {
        SpaceName::Planar
    }
}

/// The typed value of a document whose findings are known. Without findings this cannot fail; if it does all the same, the
/// message of the reader is reported at the root.
fn typed<T: serde::de::DeserializeOwned>(
    json: serde_json::Value,
    node: &Node,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    match serde_json::from_value(json) {
        Ok(value) => Some(value),
        Err(error) => {
            if !diagnostics.has_errors() {
                diagnostics
                    .push(Diagnostic::error(Code::WrongType, error.to_string()).at(node.place.part(0, 1)));
            }
            None
        }
    }
}
