//! Paths of plugins in an experiment that is to be written elsewhere.

use std::path::{Path as FilePath, PathBuf};

use super::merge::PLUGIN_KEYS;
use super::node::{Node, Value};
use crate::diagnostics::TextSpan;
use vinci_engine::registry::is_path;

/// The directory that a path written at a place is relative to: that of its file, or for flags the working directory.
pub fn base_of(place: &TextSpan) -> PathBuf {
    let name = place.source.name();
    let file = if name.starts_with("--") { FilePath::new("") } else { FilePath::new(name) };
    file.parent().unwrap_or(FilePath::new("")).to_path_buf()
}

/// Makes the paths of all plugins whole, those of events included.
pub(super) fn anchor_plugins(experiment: &mut Node) {
    each(experiment, |key, node| match key {
        _ if PLUGIN_KEYS.contains(&key) => anchor(node),
        "controllers" => elements(node).for_each(anchor),
        "events" => elements(node).for_each(|event| {
            each(event, |key, node| match key {
                "swap" => each(node, |_, plugin| anchor(plugin)),
                "set" => each(node, |path, value| {
                    let last = path.rsplit('.').next().unwrap_or_default();
                    let of_list = path.strip_prefix("controllers");
                    match of_list.map(|rest| rest.trim_start_matches('.')) {
                        Some("") => elements(value).for_each(anchor),
                        // One controller, by number or by name.
                        Some(rest) if !rest.contains('.') => anchor(value),
                        _ if last == "plugin" || PLUGIN_KEYS.contains(&path) => anchor(value),
                        _ => {}
                    }
                }),
                _ => {}
            });
        }),
        _ => {}
    });
}

/// A plugin: its name, or an object with its name and those of others.
fn anchor(plugin: &mut Node) {
    let base = base_of(&plugin.place);
    match &mut plugin.value {
        Value::String(name) if is_path(name) => make_whole(name, &base),
        Value::Object(_) => each(plugin, |key, node| match key {
            "plugin" => anchor(node),
            "fallback" | "others" => elements(node).for_each(anchor),
            _ => {}
        }),
        _ => {}
    }
}

/// Makes the paths of the models and packages of a scene's trees whole.
pub(super) fn anchor_models(scene: &mut Node) {
    each(scene, |key, trees| {
        if key != "trees" {
            return;
        }
        elements(trees).for_each(|tree| {
            each(tree, |key, node| match key {
                "model" => anchor_file(node),
                "packages" => each(node, |_, root| anchor_file(root)),
                _ => {}
            });
        });
    });
}

fn anchor_file(node: &mut Node) {
    let base = base_of(&node.place);
    if let Value::String(name) = &mut node.value {
        make_whole(name, &base);
    }
}

/// Makes a path absolute. Without a working directory it stays as it is.
fn make_whole(name: &mut String, base: &FilePath) {
    if let Ok(whole) = std::path::absolute(base.join(&*name)) {
        *name = whole.to_string_lossy().into_owned();
    }
}

fn each(node: &mut Node, mut change: impl FnMut(&str, &mut Node)) {
    if let Value::Object(entries) = &mut node.value {
        entries.iter_mut().for_each(|entry| change(&entry.key, &mut entry.node));
    }
}

fn elements(node: &mut Node) -> impl Iterator<Item = &mut Node> {
    let list = match &mut node.value {
        Value::Array(list) => list.as_mut_slice(),
        _ => &mut [],
    };
    list.iter_mut()
}
