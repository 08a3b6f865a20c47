//! Files of the user and of strangers: regular ones, up to a size, with one sentence for everything else.

use crate::diagnostics::{Code, Diagnostic, Source, TextSpan};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
pub use vinci_abi::load::{ReadError, open_regular, read_regular};

/// Largest experiment, scene or sweep, bytes.
pub const LARGEST_DOCUMENT: u64 = 64 << 20;
/// Largest robot model, bytes.
pub(crate) const LARGEST_MODEL: u64 = 64 << 20;
/// Largest mesh, and largest buffer of one, bytes.
pub(crate) const LARGEST_MESH: u64 = 128 << 20;
/// Largest summary of a run, bytes.
pub const LARGEST_SUMMARY: u64 = 64 << 20;
/// Largest table that is read back, bytes.
pub const LARGEST_TABLE: u64 = 2 << 30;
/// Largest problem file, bytes.
pub const LARGEST_PROBLEM: u64 = 256 << 20;

/// The text of a file without the byte order mark that some editors write. `kind` says what such files are ("robot models
/// are XML"), `missing` what is told about a file that is not there.
pub(crate) fn read_text(
    path: &Path,
    most: u64,
    kind: &str,
    missing: impl FnOnce() -> String,
) -> Result<Arc<Source>, Diagnostic> {
    let name = path.display().to_string();
    let bytes = read_regular(path, most).map_err(|e| unreadable(path, &e, missing))?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Source::new(name, text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let source = Source::new(name, String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned());
            let message = format!("not a text file: byte {at} is not UTF-8");
            Err(Diagnostic::error(Code::Syntax, message).at(TextSpan::new(&source, at, at)).help(kind))
        }
    }
}

/// The `format` that a JSON document names, if the file is one that does.
pub fn format_of(path: &Path) -> Option<String> {
    let bytes = read_regular(path, LARGEST_DOCUMENT).ok()?;
    let document: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    document["format"].as_str().map(str::to_owned)
}

/// Error about a file that could not be read.
pub fn unreadable(path: &Path, error: &ReadError, missing: impl FnOnce() -> String) -> Diagnostic {
    let name = path.display();
    match error {
        ReadError::Io(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Diagnostic::error(Code::NoSuchFile, format!("no such file: `{name}`")).help(missing())
        }
        ReadError::Io(e) => {
            let denied = e.kind() == ErrorKind::PermissionDenied;
            let help = if denied { "check the permissions of the file and its directories" } else { "" };
            Diagnostic::error(Code::UnreadableFile, format!("cannot read `{name}`: {e}")).help(help)
        }
        ReadError::NotAFile(_) | ReadError::TooLarge { .. } => {
            Diagnostic::error(Code::UnreadableFile, format!("`{name}` {error}"))
        }
    }
}
