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
    let mut out = BufWriter::new(create_anew(&temporary)?);
    write(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    std::fs::rename(&temporary, directory.join(name))
}

/// Makes a file that was not there. What stands in its place goes first; a link goes itself, the file that it leads to stays.
///
/// # Errors
/// Of output.
pub(crate) fn create_anew(path: &Path) -> io::Result<File> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    File::create_new(path)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_an_unfinished_file_leads_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::write(at("precious"), "mine").unwrap();
        std::os::unix::fs::symlink(at("precious"), at("a.json.part")).unwrap();
        write_json(dir.path(), "a.json", &1).unwrap();
        assert_eq!(std::fs::read_to_string(at("precious")).unwrap(), "mine");
        assert_eq!(std::fs::read_to_string(at("a.json")).unwrap(), "1\n");
        assert!(std::fs::symlink_metadata(at("a.json")).unwrap().is_file());
    }
}
