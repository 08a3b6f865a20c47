//! The summary of a run, read back.

use std::path::Path;

use serde_json::Value;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::{LARGEST_SUMMARY, read_regular};

use crate::summary::SUMMARY_FORMAT;

/// Advice on a directory that is not what a run wrote.
pub(super) const DAMAGED: &str = "the run is damaged, or of another version: run it again";

/// The summary of a run; null where it has none, as one that was stopped or killed.
///
/// # Errors
/// A file that is no summary, or one of another version.
pub(super) fn summary_of(path: &Path) -> Result<Value, Diagnostics> {
    let bad = |why: &str, help: &str| {
        Diagnostics::from(Diagnostic::error(Code::Io, format!("{}: {why}", path.display())).help(help))
    };
    let bytes = match read_regular(path, LARGEST_SUMMARY).map_err(std::io::Error::from) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Value::Null),
        Err(e) => return Err(bad(&e.to_string(), DAMAGED)),
    };
    let summary: Value =
        serde_json::from_slice(&bytes).map_err(|e| bad(&format!("it is no summary: {e}"), DAMAGED))?;
    match summary["format"].as_str() {
        Some(SUMMARY_FORMAT) => Ok(summary),
        Some(other) => {
            let why = format!("its format is \"{other}\", this program reads \"{SUMMARY_FORMAT}\"");
            Err(bad(&why, "look at it with the version that wrote it, or run it again"))
        }
        None => Err(bad("it is no summary: it has no format", DAMAGED)),
    }
}
