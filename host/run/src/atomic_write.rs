//! Atomic writes: files that are there whole or not at all, however the process ends.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file beside its place, brings it to the disk and renames it; what stood there stays until then. Gives what `write` gives. Where
/// it fails nothing of it is left.
///
/// # Errors
/// Of input and output, and those of `write`.
pub fn write_atomic<T>(
    directory: &Path,
    name: &str,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
) -> io::Result<T> {
    let temporary = directory.join(format!("{name}.part"));
    let file = create_anew(&temporary)?;
    let whole = || {
        let mut out = BufWriter::new(file);
        let written = write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&temporary, directory.join(name))?;
        Ok(written)
    };
    whole().inspect_err(|_| drop(std::fs::remove_file(&temporary)))
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

    /// Half a file was left beside its place where the disk was full.
    #[test]
    fn a_write_that_fails_leaves_nothing_and_keeps_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.json"), "before").unwrap();
        let full = |out: &mut BufWriter<File>| {
            out.write_all(b"half of it")?;
            Err::<(), _>(io::ErrorKind::StorageFull.into())
        };
        let error = write_atomic(dir.path(), "a.json", full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert_eq!(std::fs::read_to_string(dir.path().join("a.json")).unwrap(), "before");
    }

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
