//! Robot models of strangers, in any of the formats.

use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::import::{ModelOptions, read_model};

/// Reads bytes as a model whose file has this name, and makes all texts of it.
pub fn read(bytes: &[u8], name: &str) {
    let Ok(directory) = tempfile::tempdir() else { return };
    let path = directory.path().join(name);
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    let mut diagnostics = Diagnostics::new();
    let model = read_model(&path, None, &ModelOptions::default(), &mut diagnostics);
    assert_eq!(model.is_none(), diagnostics.has_errors());
    if let Some(model) = model {
        let _ = (model.report.render(), model.scene("robot", false));
    }
    let _ = diagnostics.render_text(false);
}
