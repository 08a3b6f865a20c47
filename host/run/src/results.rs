//! The directory of a run, read back: its summary, and whether its files are what the run wrote.

use std::io;
use std::path::Path;

use serde_json::Value;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::{LARGEST_SUMMARY, read_regular};

use crate::sealed::changed_file;
use crate::summary::SUMMARY_FORMAT;

/// Folder in the directory of a run that holds the complete run which stood there before, until this one has ended too.
pub const EARLIER: &str = ".earlier";

/// Removes the complete run that stood in a directory before: the one that has ended takes its place. What cannot be removed does no harm.
pub fn forget_earlier(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory.join(EARLIER));
}

/// Advice on a directory that is not what a run wrote.
pub(crate) const DAMAGED: &str = "the run is damaged, or of another version: run it again";

/// Advice on a directory that is not what a run wrote, with the place of the complete run that stood there before, where there is one.
pub(crate) fn damaged_in(directory: &Path) -> String {
    let earlier = directory.join(EARLIER);
    if !earlier.is_dir() {
        return DAMAGED.to_owned();
    }
    format!("{DAMAGED}; the complete run that stood there before is in {}", earlier.display())
}

/// The summary of the run in a directory; none where it has none, as one that was stopped or killed.
///
/// # Errors
/// A file that is no summary, or one of another version.
pub fn summary_of(directory: &Path) -> Result<Option<Value>, Diagnostics> {
    let path = directory.join("summary.json");
    let bad = |why: &str, help: &str| {
        Diagnostics::from(Diagnostic::error(Code::Io, format!("{}: {why}", path.display())).help(help))
    };
    let bytes = match read_regular(&path, LARGEST_SUMMARY).map_err(io::Error::from) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(bad(&e.to_string(), &damaged_in(directory))),
    };
    let summary: Value = serde_json::from_slice(&bytes)
        .map_err(|e| bad(&format!("it is no summary: {e}"), &damaged_in(directory)))?;
    match summary["format"].as_str() {
        Some(SUMMARY_FORMAT) => Ok(Some(summary)),
        Some(other) => {
            let why = format!("its format is \"{other}\", this program reads \"{SUMMARY_FORMAT}\"");
            Err(bad(&why, "look at it with the version that wrote it, or run it again"))
        }
        None => Err(bad("it is no summary: it has no format", &damaged_in(directory))),
    }
}

/// Checks that the files of a run that has ended hold what it wrote. Files that are missing are not looked at.
///
/// # Errors
/// A file that was changed; one that cannot be read; a summary whose list of files is none.
pub fn check_files(directory: &Path, summary: &Value) -> Result<(), Diagnostics> {
    let unread = |e: io::Error| {
        let message = format!("cannot check the files of {}: {e}", directory.display());
        Diagnostics::from(Diagnostic::error(Code::Io, message).help(damaged_in(directory)))
    };
    let sums = match &summary["files"] {
        Value::Null => return Ok(()),
        list => serde_json::from_value(list.clone()).map_err(|e| unread(e.into()))?,
    };
    let Some(name) = changed_file(directory, &sums).map_err(unread)? else { return Ok(()) };
    let file = directory.join(name);
    let message =
        format!("{} does not hold what the run wrote to it (summary.json has its SHA-256)", file.display());
    Err(Diagnostic::error(Code::Io, message)
        .help("the run is damaged: put the file back, or run it again")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A re-run died on a full disk, and nobody was told that the complete run is still there.
    #[test]
    fn the_complete_run_that_stood_there_before_is_told_of() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(damaged_in(dir.path()), DAMAGED);
        std::fs::create_dir(dir.path().join(EARLIER)).unwrap();
        let told = damaged_in(dir.path());
        assert!(told.contains("run it again") && told.ends_with(EARLIER), "{told}");
    }

    /// Its files counted as unchanged, whatever they held.
    #[test]
    fn a_list_of_files_that_is_none_checks_nothing_and_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let told = |files: Value| {
            check_files(dir.path(), &json!({ "files": files })).map_err(|e| e.render_text(false))
        };
        assert_eq!(told(Value::Null), Ok(()));
        let error = told(json!({ "trajectory.csv": "deadbeef" })).unwrap_err();
        assert!(error.contains("cannot check the files of") && error.contains("run it again"), "{error}");
    }
}
