//! Files of models: reading, and where written paths lead.

use crate::diagnostics::{Diagnostic, Source, TextSpan, did_you_mean};
use crate::files::{self, LARGEST_MESH, LARGEST_MODEL, unreadable};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes of a mesh or a buffer of one.
pub(super) fn read_bytes(path: &Path) -> Result<Vec<u8>, Diagnostic> {
    files::read_regular(path, LARGEST_MESH).map_err(|e| unreadable(path, &e, || nearest_file(path)))
}

/// The text of a model.
pub(super) fn read_text(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let kind = "robot models are XML; save it as UTF-8";
    files::read_text(path, LARGEST_MODEL, kind, || nearest_file(path))
}

/// The nearest file in the directory, or that the directory is not there.
pub(super) fn nearest_file(path: &Path) -> String {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = std::fs::read_dir(directory) else {
        return format!("the directory `{}` does not exist", directory.display());
    };
    let mut names: Vec<String> = entries.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    did_you_mean(wanted, names.iter().map(String::as_str)).unwrap_or_default()
}

/// A path written at a place, relative to the file of that place (of a flag: to the working directory).
pub(super) fn beside(place: &TextSpan, written: &str) -> PathBuf {
    match Path::new(place.source.name()).parent() {
        Some(directory) if !place.source.is_flag() => directory.join(written),
        _ => PathBuf::from(written),
    }
}
