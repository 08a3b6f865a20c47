//! Experiments with their scenes inside: all checks, and the system they describe.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vinci_scene::{compile, load_experiment};

fuzz_target!(|bytes: &[u8]| {
    let Ok(directory) = tempfile::tempdir() else { return };
    let path = directory.path().join("experiment.json");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    match load_experiment(&path, &[]) {
        Ok(loaded) => drop(compile(&loaded.scene, &loaded.scene_node)),
        Err(diagnostics) => assert!(diagnostics.has_errors()),
    }
});
