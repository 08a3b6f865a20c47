//! Models in the place of the trees that name them.

use super::model::{Model, ModelOptions};
use super::{build, files, read_model};
use crate::compile::frame;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, TextSpan};
use crate::types::Base;
use crate::{Entry, Node, Value};
use nalgebra::Isometry3;
use std::collections::BTreeSet;

/// Parts that a model adds to the scene around its tree.
struct Added {
    lists: Vec<(&'static str, Vec<Node>)>,
    materials: Vec<(String, Node)>,
    gravity: Option<([f64; 3], TextSpan)>,
}

/// Reads the models that trees of a scene name, in their place.
pub(crate) fn expand_models(scene: &mut Node, diagnostics: &mut Diagnostics) {
    let mut all = Vec::new();
    let Some(trees) = scene.entry("trees").map(|_| crate::Path::root().join("trees")) else { return };
    let Some(Node { value: Value::Array(trees), .. }) = scene.find_mut(&trees) else { return };
    for tree in trees {
        match expand(tree, diagnostics) {
            Some(added) => all.extend(added),
            // Said already: nothing more is said about it.
            None => tree.value = Value::Poisoned,
        }
    }
    for added in all {
        add(scene, added);
    }
}

/// Puts what models bring behind what the scene has. Materials and gravity that the scene writes itself hold.
fn add(scene: &mut Node, added: Added) {
    let place = scene.place.clone();
    for (key, elements) in added.lists {
        let Some(entry) = scene.entry_mut(key, &place) else { continue };
        match &mut entry.node.value {
            Value::Array(list) => list.extend(elements),
            Value::Null => entry.node.value = Value::Array(elements),
            _ => {}
        }
    }
    if !added.materials.is_empty()
        && let Some(entry) = scene.entry_mut("materials", &place)
    {
        if matches!(entry.node.value, Value::Null) {
            entry.node.value = Value::Object(vec![]);
        }
        for (name, node) in added.materials {
            if entry.node.get(&name).is_none()
                && let Value::Object(entries) = &mut entry.node.value
            {
                entries.push(build::entry(&name, node));
            }
        }
    }
    if let Some((gravity, at)) = added.gravity
        && let Some(entry) = scene.entry_mut("gravity", &place)
        && matches!(entry.node.value, Value::Null)
    {
        entry.node = build::numbers(&gravity, &at);
    }
}

/// Puts links and joints in the place of `model`; what it adds to the scene.
fn expand(tree: &mut Node, diagnostics: &mut Diagnostics) -> Option<Option<Added>> {
    let Some(written) = tree.get("model").and_then(|n| Some((n.as_str()?.to_owned(), n.place.clone())))
    else {
        return Some(None);
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
    if model.links.elements().is_empty() {
        let message = format!("nothing in the model `{written}` moves: it makes no tree");
        let help = "write what stands as `bodies` of the scene: `vinci import` shows them";
        diagnostics.push(Diagnostic::error(Code::Unphysical, message).at(place).help(help));
        return None;
    }
    tracing::info!(model = %written, "{}", model.report.summary());
    let name = tree.get("name").and_then(Node::as_str).unwrap_or_default().to_owned();
    let lists = model.lists(&name, &base_of(tree));
    let (materials, gravity) = (model.extras.material_entries(), model.extras.gravity.clone());
    replace(tree, &model, &place);
    Some(Some(Added { lists, materials, gravity }))
}

fn replace(tree: &mut Node, model: &Model, place: &TextSpan) {
    let Value::Object(entries) = &mut tree.value else { return };
    entries.retain(|e| !["model", "packages", "skip_meshes", "keyframe"].contains(&e.key.as_str()));
    for (key, node) in model.tree_entries() {
        match entries.iter_mut().find(|e| e.key == key) {
            // What the scene says of a joint holds; a word of the scene for the whole does too.
            Some(own) => add_absent(&mut own.node, node),
            None => entries.push(Entry { key: key.into(), key_place: place.clone(), node, carried: false }),
        }
    }
}

/// Adds the entries of an object that another one lacks.
fn add_absent(own: &mut Node, other: Node) {
    let (Value::Object(entries), Value::Object(theirs)) = (&mut own.value, other.value) else { return };
    let known: BTreeSet<String> = entries.iter().map(|e| e.key.clone()).collect();
    entries.extend(theirs.into_iter().filter(|e| !known.contains(&e.key)));
}

/// Where a tree stands; what is wrong with its `base` is found later.
fn base_of(tree: &Node) -> Isometry3<f64> {
    let base = tree.get("base").and_then(|node| serde_json::from_value::<Base>(node.to_json()).ok());
    let base = base.unwrap_or_default();
    frame(base.position, base.orientation.as_ref())
}

fn options_of(tree: &Node) -> ModelOptions {
    let packages = tree.get("packages").map(Node::entries).unwrap_or_default();
    let root = |e: &Entry| Some((e.key.clone(), files::beside(&e.node.place, e.node.as_str()?)));
    let skip = tree.get("skip_meshes").is_some_and(|n| matches!(n.value, Value::Bool(true)));
    ModelOptions {
        packages: packages.iter().filter_map(root).collect(),
        skip_meshes: skip,
        keyframe: tree.get("keyframe").and_then(Node::as_str).map(str::to_owned),
    }
}
