//! Every plugin of the house passes the suite.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use vinci_conformance::fixture::build_members;
use vinci_conformance::{DEFAULT_SEED, check};

/// Returns true if a directory is a crate of the workspace: one that is a workspace of its own needs tools that not every machine
/// has, and is built and checked by a command of its own.
fn is_member(directory: &Path) -> bool {
    let manifest = std::fs::read_to_string(directory.join("Cargo.toml"));
    manifest.is_ok_and(|text| !text.lines().any(|line| line.trim() == "[workspace]"))
}

#[test]
fn every_plugin_of_the_house_passes() {
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins");
    let mut names: Vec<String> = std::fs::read_dir(plugins)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| is_member(path))
        .map(|path| format!("vinci-{}", path.file_name().unwrap().to_str().unwrap()))
        .collect();
    names.sort();
    assert!(names.len() >= 7, "{names:?}");
    let (built, mut bad) = (build_members().unwrap(), Vec::new());
    for name in &names {
        let (_, path) = built.iter().find(|(built, _)| built == name).unwrap();
        let report = check(path, DEFAULT_SEED);
        if !report.passed() {
            bad.push(format!("{name}\n{report}"));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n\n"));
}
