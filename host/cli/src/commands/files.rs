//! Files that a command line names: what they are called, how they are written, what is said where that fails.

use std::path::Path;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::SWEEP_FORMAT;
use vinci_scene::{Node, read_document};

/// A command line without what it is about.
pub(crate) fn nothing_named(example: &str) -> Diagnostics {
    Diagnostic::error(Code::Usage, "no experiment is named").help(format!("write {example}")).into()
}

/// Writes a file that was asked for.
pub(crate) fn put_file(path: &Path, bytes: &[u8]) -> Result<(), Diagnostics> {
    std::fs::write(path, bytes).map_err(|e| io_error("cannot write", path, &e))
}

/// A file that could not be read or written.
pub(crate) fn io_error(what: &str, path: &Path, error: &std::io::Error) -> Diagnostics {
    Diagnostic::error(Code::Io, format!("{what} {}: {error}", path.display())).into()
}

/// The name results are kept under: that of the file without its endings.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_string()
}

/// Whether a file says that it is a sweep. What cannot be read is none, and is reported as what it should be.
pub(crate) fn is_sweep(file: &Path) -> bool {
    let node = read_document(file, None, &mut Diagnostics::new());
    node.is_some_and(|n| n.get("format").and_then(Node::as_str) == Some(SWEEP_FORMAT))
}
