//! Models as trees: robots that nobody here wrote, a small one with its frames worked out by hand, meshes.

mod inline;
mod limits;
mod mesh_files;
mod mjcf;
mod mjcf_faults;
mod recorded;
mod robots;
mod sdf;
mod sdf_exported;
mod sdf_faults;

use super::*;
use crate::types::Scene;
use crate::{compile, load_scene};
use std::path::PathBuf;
use vinci_core::model::System;

/// A scene around trees.
fn scene_text(trees: &str, more: &str) -> String {
    format!(r#"{{ "format": "vinci/scene@1", "space": "spatial", "bodies": [], "trees": [{trees}]{more} }}"#)
}

/// Loads and compiles a scene of a directory.
fn system(path: &Path) -> (Scene, System) {
    let loaded = load_scene(path).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
    let (system, _) =
        compile(&loaded.scene, &loaded.node).unwrap_or_else(|diagnostics| panic!("{diagnostics}"));
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

/// A model written as `vinci import` writes it, and loaded from there.
fn imported(file: &Path, directory: &Path, skip_meshes: bool) -> PathBuf {
    let options = ModelOptions { skip_meshes, ..ModelOptions::default() };
    let model = read_model(file, None, &options, &mut Diagnostics::new()).unwrap();
    let out = directory.join("imported.json");
    std::fs::write(&out, laid_out(&model.scene("robot", false)).unwrap()).unwrap();
    out
}
