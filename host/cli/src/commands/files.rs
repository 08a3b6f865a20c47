//! Files that a command line names: what they are called, how they are written, what is said where that fails.

use super::run_files;
use std::io::Write;
use std::path::Path;
use vinci_run::atomic_write::write_atomic;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::experiment::SWEEP_FORMAT;
use vinci_scene::{Node, read_document};

/// A command line without what it is about.
pub(crate) fn nothing_named(example: &str) -> Diagnostics {
    Diagnostic::error(Code::Usage, "no experiment is named").help(format!("write {example}")).into()
}

/// Writes a file that was asked for, whole or not at all. `inputs`: files that the command has read, which it does not replace; nor
/// does it replace files of a run.
pub(crate) fn put_file<'p>(
    path: &Path,
    bytes: &[u8],
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Diagnostics> {
    let kept = inputs.into_iter().any(|input| is_same(input, path));
    let kept = kept.then_some("a file that this command reads").or_else(|| part_of_run(path));
    if let Some(what) = kept {
        let message = format!("{} is {what}: it is not replaced", path.display());
        return Err(Diagnostic::error(Code::Io, message).help("choose another --out").into());
    }
    let directory = path.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = match path.file_name() {
        Some(name) if !path.exists() || path.is_file() => {
            write_atomic(directory, &name.to_string_lossy(), |file| file.write_all(bytes))
        }
        // A pipe or a device is written to.
        _ => std::fs::write(path, bytes),
    };
    written.map_err(|e| io_error("cannot write", path, &e))
}

/// Whether two paths are the same file.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Whether a file is one of those that a run left in its directory. A page of `view` is made again.
fn part_of_run(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy();
    let directory = path.canonicalize().ok()?.parent()?.to_owned();
    let written = name != "view.html" && run_files::is_written(&name) && run_files::was_here(&directory);
    written.then_some("a file of the run in its directory")
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
