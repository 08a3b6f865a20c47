//! The files that a run begins from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vinci_scene::{Loaded, Node};

/// Experiment, scene and what they extend, and the saved state if one is given; each with what it is.
pub(super) fn of(loaded: &Loaded, from: Option<&Path>) -> Vec<(PathBuf, &'static str)> {
    let mut named = written([&loaded.experiment_node, &loaded.scene_node]);
    named.remove(&loaded.path);
    let state = from.map(|state| (state.to_owned(), "the state that the run goes on from"));
    let experiment = (loaded.path.clone(), "the experiment that is to run");
    let others = named.into_iter().map(|path| (path, "a file of the experiment that is to run"));
    state.into_iter().chain([experiment]).chain(others).collect()
}

/// The files in which values and their parts are written.
pub(super) fn written<'n>(nodes: impl IntoIterator<Item = &'n Node>) -> BTreeSet<PathBuf> {
    let mut files = BTreeSet::new();
    nodes.into_iter().for_each(|node| add(node, &mut files));
    files
}

/// Adds the file that one value stands in.
fn add(node: &Node, files: &mut BTreeSet<PathBuf>) {
    let source = &node.place.source;
    if !source.is_flag() && !files.contains(Path::new(source.name())) {
        files.insert(PathBuf::from(source.name()));
    }
    node.elements().iter().for_each(|element| add(element, files));
    node.entries().iter().for_each(|entry| add(&entry.node, files));
}
