//! Robot models in SDF.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::import::{ModelOptions, read_model};

fuzz_target!(|bytes: &[u8]| {
    let Ok(directory) = tempfile::tempdir() else { return };
    let path = directory.path().join("model.sdf");
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let mut found = Diagnostics::new();
    let model = read_model(&path, None, &ModelOptions::default(), &mut found);
    assert_eq!(model.is_none(), found.has_errors());
    if let Some(model) = model {
        let _ = (model.report.render(), model.scene("robot", false));
    }
    let _ = found.render_text(false);
});
