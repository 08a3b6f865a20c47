//! From a path to checked values.

use super::anchor::{anchor_models, anchor_plugins};
use super::checking::{Schemas, check_scene, checked_experiment};
use super::experiment::Experiment;
use super::layers::{
    Layer, SceneLayer, check_format, layer_of, patch_without_base, read_layer, read_scene_value,
};
use super::merge::normalise_plugins;
use super::node::{Node, Value};
use super::path::Path;
use super::read::{document_of, read_document};
use super::scene_found::SceneFound;
use super::set::Override;
use super::types::{SCENE_FORMAT, Scene};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};
use crate::import::expand_models;
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
    /// The scene as it stands in the files, made when first needed: most changes leave it as it is.
    scene: OnceLock<SceneFound>,
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
                Ok(Self { path: path.to_owned(), layer, schemas: Schemas::default(), scene: OnceLock::new() })
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
        let known = overrides.iter().all(Override::leaves_scene).then_some(&self.scene);
        complete(&self.path, self.layer.clone(), overrides, Diagnostics::new(), (&self.schemas, known))
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
    complete(path, layer, overrides, diagnostics, (&Schemas::in_a_run(running), None))
}

/// An experiment with changes. `known`: where its scene is kept once it is checked, if the changes leave it as it is.
fn complete(
    path: &FilePath,
    mut layer: Layer,
    overrides: &[Override],
    mut diagnostics: Diagnostics,
    (schemas, known): (&Schemas, Option<&OnceLock<SceneFound>>),
) -> Result<Loaded, Diagnostics> {
    warn_of_overruled(&layer, overrides, &mut diagnostics);
    change(&mut layer, overrides, &mut diagnostics);
    let experiment = checked_experiment(&layer.node, schemas, &mut diagnostics);
    let scene = match layer.scene {
        SceneLayer::Whole(node) => {
            let found = match known {
                Some(known) => known.get_or_init(|| SceneFound::of(node, schemas)).clone(),
                None => SceneFound::of(node, schemas),
            };
            diagnostics.append(found.findings);
            found.scene.map(|scene| (scene, found.node))
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
fn warn_of_overruled(layer: &Layer, overrides: &[Override], diagnostics: &mut Diagnostics) {
    for (k, one) in overrides.iter().enumerate().filter(|(_, one)| one.asked_by().is_some()) {
        let root = if one.is_for_scene() { layer.scene.node() } else { Some(&layer.node) };
        let again = overrides[k + 1..].iter().filter(|later| later.overrules(one, root));
        if let Some((last, later)) = again.filter_map(|later| Some((later.asked_by()?, later))).next_back() {
            let is_within = later.target(root).len() > one.target(root).len();
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
