//! Atomic writes: files that are there whole or not at all, however the process ends.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file beside its place, brings it to the disk and renames it; what stood there stays until then.
///
/// # Errors
/// Of input and output, and those of `write`.
pub fn write_atomic(
    directory: &Path,
    name: &str,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = directory.join(format!("{name}.part"));
    let mut out = BufWriter::new(File::create(&temporary)?);
    write(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(&temporary, directory.join(name))
}

/// Writes JSON on many lines, atomically.
///
/// # Errors
/// Of input and output, and values that JSON has no form for.
pub fn write_json(directory: &Path, name: &str, value: &impl serde::Serialize) -> io::Result<()> {
    write_atomic(directory, name, |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")
    })
}
