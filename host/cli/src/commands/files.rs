//! Files that a command line names: what they are called, how they are written, what is said where that fails.

use super::run_files;
use std::io::{ErrorKind, Write};
use std::path::Path;
use vinci_compare::types::COMPARISON_FORMAT;
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
    may_be_written(path, inputs)?;
    let written = match std::fs::symlink_metadata(path) {
        Ok(there) if !there.is_file() => through(path, bytes),
        _ => replaced(path, |file, _| file.write_all(bytes)),
    };
    written.map_err(|e| io_error("cannot write", path, &e))
}

/// Refuses a place where [`put_file`] writes nothing: commands that work for long ask before.
pub(super) fn may_be_written<'p>(
    path: &Path,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Diagnostics> {
    let kept = inputs.into_iter().any(|input| is_same(input, path));
    kept_as(kept.then_some("a file that this command reads"), path)
}

/// Refuses to write over a file that is there, unless `force` asks for it. `flag`: what names the file. Pipes and devices are no such files.
pub(super) fn is_free((path, flag): (&Path, &str), force: bool) -> Result<(), Diagnostics> {
    may_be_written(path, [])?;
    if force || !path.is_file() {
        return Ok(());
    }
    let message = format!("{} is there already", path.display());
    let help = format!("choose another {flag}, or add --force");
    Err(Diagnostic::error(Code::Io, message).help(help).into())
}

/// Writes a file that is made piece by piece, whole or not at all, in a place where there is nothing or a plain file. Gives what `write` gives.
///
/// # Errors
/// A link, a pipe or a device stands there, or a file of a run; those of output.
pub(super) fn put_plain_file<T>(
    path: &Path,
    write: impl FnOnce(&mut std::fs::File) -> std::io::Result<T>,
) -> Result<T, Diagnostics> {
    put_plain(path, |file, _| write(file))
}

/// Has a file made by another program, whole or not at all, as [`put_plain_file`]. `make` is given the path at which the program is to write.
///
/// # Errors
/// As of [`put_plain_file`].
pub(super) fn put_made_file<T>(
    path: &Path,
    make: impl FnOnce(&Path) -> std::io::Result<T>,
) -> Result<T, Diagnostics> {
    put_plain(path, |_, beside| make(beside))
}

fn put_plain<T>(
    path: &Path,
    write: impl FnOnce(&mut std::fs::File, &Path) -> std::io::Result<T>,
) -> Result<T, Diagnostics> {
    let there = std::fs::symlink_metadata(path);
    kept_as(there.is_ok_and(|there| !there.is_file()).then_some("no plain file"), path)?;
    replaced(path, write).map_err(|e| io_error("cannot write", path, &e))
}

/// Refuses to replace what stands at a path, for a reason of the command or because a run left it.
fn kept_as(what: Option<&str>, path: &Path) -> Result<(), Diagnostics> {
    let Some(what) = what.or_else(|| part_of_run(path)) else { return Ok(()) };
    let message = format!("{} is {what}: it is not replaced", path.display());
    Err(Diagnostic::error(Code::Io, message).help("choose another --out").into())
}

/// Writes to what is there and no plain file: the file that a link leads to, a pipe, a device (`/dev/stdout` is a link to what may be
/// a file).
fn through(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let _reader = somebody_reads(path)?;
    std::fs::OpenOptions::new().write(true).truncate(true).create(true).open(path)?.write_all(bytes)
}

/// Opens a pipe without waiting, so that one that nobody reads is an error and not a command without an end. The pipe stays open until
/// it is written to.
#[cfg(unix)]
fn somebody_reads(path: &Path) -> std::io::Result<Option<std::fs::File>> {
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
    if !std::fs::metadata(path).is_ok_and(|there| there.file_type().is_fifo()) {
        return Ok(None);
    }
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    match std::fs::OpenOptions::new().write(true).custom_flags(flags).open(path) {
        Err(e) if e.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
            Err(std::io::Error::other("it is a pipe that nobody reads"))
        }
        opened => opened.map(Some),
    }
}

/// Only Unix has pipes in its directories.
#[cfg(not(unix))]
fn somebody_reads(_: &Path) -> std::io::Result<Option<std::fs::File>> {
    Ok(None)
}

/// Writes a file under a new name in the same directory, then renames it.
fn replaced<T>(
    path: &Path,
    write: impl FnOnce(&mut std::fs::File, &Path) -> std::io::Result<T>,
) -> std::io::Result<T> {
    let Some(name) = path.file_name() else { return Err(std::io::ErrorKind::InvalidFilename.into()) };
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(beside);
    let whole = || {
        let mut file = std::fs::File::create_new(&beside)?;
        let written = write(&mut file, &beside)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)?;
        Ok(written)
    };
    whole().inspect_err(|_| drop(std::fs::remove_file(&beside)))
}

/// Returns true if two paths are the same file.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Name of a kind of file, where this file is one of those that a run left in its directory. A page of `view` is made again.
fn part_of_run(path: &Path) -> Option<&'static str> {
    let place = path.canonicalize().ok()?;
    let name = place.file_name()?.to_string_lossy();
    let name = run_files::finished(&name);
    let directory = place.parent()?;
    let in_folder = || {
        let folder = directory.file_name()?.to_string_lossy().into_owned();
        Some(run_files::is_written_in(&folder, name) && run_files::was_here(directory.parent()?))
    };
    let in_run = name != "view.html" && run_files::is_written(name) && run_files::was_here(directory);
    (in_run || in_folder() == Some(true)).then_some("a file of the run in its directory")
}

/// Advice where there is no room for a file.
const FULL: &str = "make room, and give the command again";

/// Advice where there is no room for a run.
const FULL_OF_RUN: &str = "make room: a run that left a checkpoint goes on with `vinci run --resume DIRECTORY`, and a complete one that stood there before is in `.earlier` in it";

/// A file that could not be read or written.
pub(crate) fn io_error(what: &str, path: &Path, error: &std::io::Error) -> Diagnostics {
    told(what, path, error, FULL)
}

/// A directory of a run, or a file in one, that could not be written.
pub(crate) fn run_error(path: &Path, error: &std::io::Error) -> Diagnostics {
    told("cannot write to", path, error, FULL_OF_RUN)
}

fn told(what: &str, path: &Path, error: &std::io::Error, full: &str) -> Diagnostics {
    let said = Diagnostic::error(Code::Io, format!("{what} {}: {error}", path.display()));
    if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge) {
        return said.help(full).into();
    }
    said.into()
}

/// The name results are kept under: that of the file without its endings, which are letters (`.sweep.json`): the dot of a number stays.
pub(crate) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_ending = |ending: &str| !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphabetic());
    let mut stem = name.as_ref();
    while let Some((before, ending)) = stem.rsplit_once('.')
        && is_ending(ending)
    {
        stem = before;
    }
    stem.to_owned()
}

/// Returns true if a file says that it is a sweep. What cannot be read is none, and is reported as what it should be.
pub(crate) fn is_sweep(file: &Path) -> bool {
    says(file, SWEEP_FORMAT)
}

/// Returns true if a file says that it is a comparison.
pub(super) fn is_comparison(file: &Path) -> bool {
    says(file, COMPARISON_FORMAT)
}

/// Returns true if a file says that it has this format, in whatever version: what reads it tells of a wrong one.
fn says(file: &Path, format: &str) -> bool {
    let kind = |format: &str| format.split('@').next().unwrap_or_default().to_owned();
    let node = read_document(file, None, &mut Diagnostics::new());
    node.is_some_and(|n| n.get("format").and_then(Node::as_str).map(kind) == Some(kind(format)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tilt_0.05.json` and `tilt_0.1.json` wrote to one directory.
    #[test]
    fn numbers_in_names_of_files_stay() {
        for (file, name) in [
            ("a/peg.json", "peg"),
            ("peg.sweep.json", "peg"),
            ("tilt_0.05.json", "tilt_0.05"),
            ("tilt_0.1_x.scene.json", "tilt_0.1_x"),
            ("plain", "plain"),
        ] {
            assert_eq!(stem(Path::new(file)), name);
        }
    }
}
