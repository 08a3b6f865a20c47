//! Models as trees: robots that nobody here wrote, a small one with its frames worked out by hand, meshes.

mod inline;
mod limits;
mod mesh_files;
mod robots;

use super::*;
use crate::scene::types::Scene;
use crate::scene::{compile, load_scene};
use vinci_core::model::System;

/// A scene around trees.
fn scene_text(trees: &str, more: &str) -> String {
    format!(r#"{{ "format": "vinci/scene@1", "space": "spatial", "bodies": [], "trees": [{trees}]{more} }}"#)
}

/// Loads and compiles a scene of a directory.
fn system(path: &Path) -> (Scene, System) {
    let loaded = load_scene(path).unwrap_or_else(|found| panic!("{found}"));
    let (system, _) = compile(&loaded.scene, &loaded.node).unwrap_or_else(|found| panic!("{found}"));
    (loaded.scene, system)
}

/// The trees of two systems, their shapes and the pairs that do not touch are the same to the bit.
fn assert_same(a: &System, b: &System) {
    assert_eq!(a.trees.len(), b.trees.len());
    for (x, y) in a.trees.iter().zip(&b.trees) {
        assert_eq!(x.tree, y.tree);
        assert_eq!((&x.bodies, &x.q, &x.v), (&y.bodies, &y.q, &y.v));
    }
    assert_eq!(a.shapes, b.shapes);
    assert_eq!(a.ignored_pairs, b.ignored_pairs);
    assert_eq!(a.initial_pose, b.initial_pose);
    assert_eq!(a.couplers, b.couplers);
}

/// The same model written by `vinci import` and loaded from there.
fn imported(file: &Path, directory: &Path, flags: &[&str]) -> PathBuf {
    use clap::Parser;
    let out = directory.join("imported.json");
    let mut line = vec!["vinci", "--quiet", "import", file.to_str().unwrap(), "--force", "--name", "robot"];
    line.extend(["--out", out.to_str().unwrap()]);
    line.extend(flags);
    assert_eq!(crate::commands::dispatch(&crate::cli::Cli::try_parse_from(line).unwrap()), 0);
    out
}
