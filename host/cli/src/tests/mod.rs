//! Tests of the program's own parts: messages, files, flags.

#[path = "../../../scene/src/tests/files.rs"]
mod files;
mod golden;
mod schemas;

use crate::cli::ChangeArgs;
use files::{Files, both};
use std::path::PathBuf;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::load_experiment;

#[test]
fn later_flags_win_and_flags_of_their_own_win_over_set() {
    let changes = ChangeArgs {
        set: vec!["time.step=1".into(), "time.step=+.5".into(), "solver.plugin=newton".into()],
        solver: Some("pgs".into()),
        duration: Some("20".into()),
        ..ChangeArgs::default()
    };
    let loaded = load_experiment(&both().path("e.json"), &changes.overrides().unwrap()).unwrap();
    let e = &loaded.experiment;
    assert_eq!(
        (e.time.step, e.time.duration, e.solver.as_ref().unwrap().plugin.as_str()),
        (0.5, 20.0, "pgs")
    );
}
