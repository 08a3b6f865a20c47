//! From a path to checked values.

use super::anchor::{anchor_models, anchor_plugins};
use super::experiment::Experiment;
use super::layers::{
    Layer, SceneLayer, check_format, layer_of, patch_without_base, read_layer, read_scene_value,
};
use super::lint::{lint_experiment, lint_scene};
use super::merge::normalise_plugins;
use super::node::{Node, Value};
use super::path::{Path, Segment};
use super::read::{document_of, read_document};
use super::schema::{complete_experiment_schema, scene_schema_for};
use super::set::Override;
use super::types::{Body, SCENE_FORMAT, Scene};
use super::validate::validate;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan, did_you_mean};
use crate::import::expand_models;
use crate::types::SpaceName;
use crate::validate::Subject;
use std::path::{Path as FilePath, PathBuf};
use std::sync::OnceLock;

/// A checked experiment with its scene.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The file it was read from.
    pub path: PathBuf,
    /// The experiment; its `scene` is null here, see the next field.
    pub experiment: Experiment,
    /// The scene.
    pub scene: Scene,
    /// The experiment with places, after `extends` and `--set`.
    pub experiment_node: Node,
    /// The scene with places.
    pub scene_node: Node,
    /// Warnings of the checks.
    pub warnings: Diagnostics,
    /// True if the experiment names no solver, and the one that stands in it is the default.
    pub default_solver: bool,
    /// Word for the host's own choice of a solver (`auto`), where the files have it in the place of a solver.
    pub chosen_for: Option<Node>,
}

impl Loaded {
    /// The experiment with its own word for the solver where the host has chosen one.
    pub(crate) fn as_written(&self) -> Node {
        let mut node = self.experiment_node.clone();
        let place = node.place.clone();
        if let Some(written) = &self.chosen_for
            && let Some(entry) = node.entry_mut("solver", &place)
        {
            entry.node = written.clone();
        }
        node
    }

    /// The experiment as `run` records it: everything resolved, the scene inside. Running it again needs no other file.
    pub fn resolved(&self) -> Node {
        let mut node = self.as_written();
        if let Value::Object(entries) = &mut node.value {
            entries.retain(|e| e.key != "extends");
        }
        if let Some(entry) = node.entry_mut("scene", &self.scene_node.place) {
            entry.node = self.scene_node.clone();
        }
        node
    }

    /// The experiment for another directory: plugins that are named by a path get the absolute path.
    pub fn standalone(&self) -> Node {
        let mut node = self.resolved();
        anchor_plugins(&mut node);
        node
    }

    /// Where a value of the experiment was written, for messages about it (the nearest enclosing value if it was not).
    pub fn place(&self, path: &Path) -> TextSpan {
        self.experiment_node.place_of(path)
    }

    /// Where a value of the scene was written.
    pub fn scene_place(&self, path: &Path) -> TextSpan {
        self.scene_node.place_of(path)
    }
}

/// A checked scene.
#[derive(Debug, Clone)]
pub struct LoadedScene {
    /// The scene.
    pub scene: Scene,
    /// The scene with places.
    pub node: Node,
    /// Warnings of the checks.
    pub warnings: Diagnostics,
}

/// Result of `vinci check` on a file.
#[derive(Debug, Clone)]
pub enum Checked {
    /// An experiment.
    Experiment(Box<Loaded>),
    /// A scene.
    Scene(Box<LoadedScene>),
}

/// The files of an experiment, read once, to be completed with other values again and again.
#[derive(Debug, Clone)]
pub struct Documents {
    path: PathBuf,
    layer: Layer,
    schemas: Schemas,
}

/// What documents are checked against, made when it is first needed: making one costs more than a check.
#[derive(Debug, Clone, Default)]
struct Schemas {
    experiment: OnceLock<serde_json::Value>,
    planar: OnceLock<serde_json::Value>,
    spatial: OnceLock<serde_json::Value>,
    /// Whether the documents stand for the middle of a run, where drives need not agree with where bodies began.
    running: bool,
}

impl Schemas {
    fn in_a_run(running: bool) -> Self {
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

impl Documents {
    /// Reads an experiment, what it extends, and its scene.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn read(path: &FilePath) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let layer = read_layer(path, None, &mut Vec::new(), &mut diagnostics);
        Self::of(path, layer, diagnostics)
    }

    /// Reads an experiment from its text, which is not a file yet. Files that it names lie beside `file`, which stands for it in messages.
    ///
    /// # Errors
    /// As of [`Documents::read`]; a text that is not JSON.
    pub fn of_text(text: &str, file: &FilePath) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let node = document_of(text, &file.display().to_string(), &mut diagnostics);
        let layer = node.and_then(|node| layer_of(node, file, &mut Vec::new(), &mut diagnostics));
        Self::of(file, layer, diagnostics)
    }

    /// Reads an experiment that stands inside another document, `file`.
    ///
    /// # Errors
    /// Another `format`; files that cannot be read.
    pub fn inline(node: &Node, file: &FilePath) -> Result<Self, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let layer = layer_of(node.clone(), file, &mut Vec::new(), &mut diagnostics);
        Self::of(file, layer, diagnostics)
    }

    fn of(path: &FilePath, layer: Option<Layer>, diagnostics: Diagnostics) -> Result<Self, Diagnostics> {
        match layer {
            Some(layer) if !diagnostics.has_errors() => {
                Ok(Self { path: path.to_owned(), layer, schemas: Schemas::default() })
            }
            _ => Err(diagnostics),
        }
    }

    /// The experiment as one value that needs no other document: what it extends and its scene inside, with these changes, its files and
    /// plugins by absolute paths. Nothing is checked or completed: values may be missing that others will set.
    ///
    /// # Errors
    /// Changes that cannot be made.
    pub fn contained(&self, overrides: &[Override]) -> Result<Node, Diagnostics> {
        let (mut layer, mut diagnostics) = (self.layer.clone(), Diagnostics::new());
        change(&mut layer, overrides, &mut diagnostics);
        let scene = match layer.scene {
            SceneLayer::Whole(mut node) | SceneLayer::Patch(mut node) => {
                anchor_models(&mut node);
                Some(node)
            }
            SceneLayer::Absent | SceneLayer::Broken => None,
        };
        let mut node = layer.node;
        node.remove(&Path::root().join("extends"));
        anchor_plugins(&mut node);
        let place = node.place.clone();
        if let Some(scene) = scene
            && let Some(entry) = node.entry_mut("scene", &place)
        {
            entry.node = scene;
        }
        diagnostics.accept(|_| node)
    }

    /// The experiment with these changes, completed and checked.
    ///
    /// # Errors
    /// All findings when at least one of them is an error.
    pub fn with(&self, overrides: &[Override]) -> Result<Loaded, Diagnostics> {
        complete(&self.path, self.layer.clone(), overrides, Diagnostics::new(), &self.schemas)
    }
}

/// Reads, completes and checks an experiment.
///
/// # Errors
/// All findings when at least one of them is an error.
pub fn load_experiment(path: &FilePath, overrides: &[Override]) -> Result<Loaded, Diagnostics> {
    load(path, overrides, false)
}

/// Loads the experiment of a run that goes on from a saved state: drives need not agree with the initial poses.
///
/// # Errors
/// As of [`load_experiment`].
pub fn load_running(path: &FilePath, overrides: &[Override]) -> Result<Loaded, Diagnostics> {
    load(path, overrides, true)
}

fn load(path: &FilePath, overrides: &[Override], running: bool) -> Result<Loaded, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Some(layer) = read_layer(path, None, &mut Vec::new(), &mut diagnostics) else {
        return Err(diagnostics);
    };
    complete(path, layer, overrides, diagnostics, &Schemas::in_a_run(running))
}

fn complete(
    path: &FilePath,
    mut layer: Layer,
    overrides: &[Override],
    mut diagnostics: Diagnostics,
    schemas: &Schemas,
) -> Result<Loaded, Diagnostics> {
    warn_of_overruled(overrides, &mut diagnostics);
    change(&mut layer, overrides, &mut diagnostics);
    let experiment = checked_experiment(&layer.node, schemas, &mut diagnostics);
    let scene = match layer.scene {
        SceneLayer::Whole(mut node) => {
            expand_models(&mut node, &mut diagnostics);
            checked_scene(&node, schemas, &mut diagnostics).map(|scene| (scene, node))
        }
        SceneLayer::Patch(node) => {
            diagnostics.push(patch_without_base(&node));
            None
        }
        SceneLayer::Absent | SceneLayer::Broken => None,
    };
    match (experiment, scene) {
        (Some(experiment), Some((scene, scene_node))) => diagnostics.accept(|warnings| Loaded {
            path: path.to_owned(),
            experiment,
            scene,
            experiment_node: layer.node,
            scene_node,
            warnings,
            default_solver: false,
            chosen_for: None,
        }),
        _ => Err(diagnostics),
    }
}

/// Makes changes in their order.
fn change(layer: &mut Layer, overrides: &[Override], diagnostics: &mut Diagnostics) {
    // A scene named by a flag is read relative to the working directory.
    for scene in overrides.iter().filter_map(Override::scene_value) {
        let below = std::mem::replace(&mut layer.scene, SceneLayer::Absent);
        layer.scene = read_scene_value(scene, FilePath::new(""), diagnostics).over(below);
    }
    for one in overrides {
        let target = if one.is_for_scene() { layer.scene.node_mut() } else { Some(&mut layer.node) };
        if let Some(Err(error)) = target.map(|root| one.apply(root)) {
            diagnostics.push(error);
        }
        normalise_plugins(&mut layer.node);
    }
}

/// A flag that sets what a later one sets again has no effect.
fn warn_of_overruled(overrides: &[Override], diagnostics: &mut Diagnostics) {
    for (k, one) in overrides.iter().enumerate().filter(|(_, one)| one.asked_by().is_some()) {
        let again = overrides[k + 1..].iter().filter(|later| later.overrules(one));
        if let Some((last, later)) = again.filter_map(|later| Some((later.asked_by()?, later))).next_back() {
            let is_within = later.target().len() > one.target().len();
            let path = if is_within { later.path() } else { one.path() };
            let message = format!("`{path}` is set twice: `{last}` counts");
            diagnostics.push(Diagnostic::warning(Code::BadSet, message).at(one.path_place().clone()));
        }
    }
}

/// Reads and checks a scene.
///
/// # Errors
/// All findings when at least one of them is an error.
pub fn load_scene(path: &FilePath) -> Result<LoadedScene, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let node = read_document(path, None, &mut diagnostics);
    let mut node = node.filter(|n| check_format(n, SCENE_FORMAT, &mut diagnostics));
    if let Some(node) = &mut node {
        expand_models(node, &mut diagnostics);
    }
    match node.and_then(|node| Some((check_scene(&node, &mut diagnostics)?, node))) {
        Some((scene, node)) => diagnostics.accept(|warnings| LoadedScene { scene, node, warnings }),
        None => Err(diagnostics),
    }
}

/// Reads and checks an experiment or a scene, whichever the file says it is.
///
/// # Errors
/// All findings when at least one of them is an error.
pub fn check_file(path: &FilePath) -> Result<Checked, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let Some(node) = read_document(path, None, &mut diagnostics) else { return Err(diagnostics) };
    let format = node.get("format").and_then(Node::as_str).unwrap_or_default();
    let is_scene = format.starts_with("vinci/scene") || (format.is_empty() && node.entry("bodies").is_some());
    if is_scene {
        load_scene(path).map(|scene| Checked::Scene(Box::new(scene)))
    } else {
        load_experiment(path, &[]).map(|experiment| Checked::Experiment(Box::new(experiment)))
    }
}

fn checked_experiment(node: &Node, schemas: &Schemas, diagnostics: &mut Diagnostics) -> Option<Experiment> {
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

/// Reads a document of another format than scenes and experiments.
///
/// # Errors
/// What cannot be read, and another `format`.
pub fn read_format(path: &FilePath, format: &str) -> Result<Node, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let node = read_document(path, None, &mut diagnostics);
    match node.filter(|node| check_format(node, format, &mut diagnostics)) {
        Some(node) if !diagnostics.has_errors() => Ok(node),
        _ => Err(diagnostics),
    }
}

fn checked_scene(node: &Node, schemas: &Schemas, diagnostics: &mut Diagnostics) -> Option<Scene> {
    let subject = Subject { name: "the scene".into(), hint: "`vinci schema scene` prints all keys".into() };
    let mut findings = Diagnostics::new();
    let (space, mut node) = (space_of(node, &mut findings), node.clone());
    if findings.has_errors()
        && let Some(entry) = node.entry_mut("space", &node.place.clone())
    {
        entry.node.value = Value::Poisoned;
    }
    let bad = validate(&node, schemas.scene(space), &subject, &mut findings);
    let mut json = without(&node, &bad);
    json["space"] = super::schema::space_name(space).into();
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
