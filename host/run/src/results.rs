//! The directory of a run, read back: its summary, and whether its files are what the run wrote.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::{LARGEST_SUMMARY, read_regular};

use crate::acceptance::Refusal;
use crate::sealed::{FileSum, changed_file};
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

/// The first refusal of a run that the referee does not accept, in words; none where it accepts it, and where nothing is known.
pub fn refusal_of(summary: &Value) -> Option<String> {
    let referee = &summary["referee"];
    let first = || match Refusal::deserialize(&referee["refusal"]) {
        Ok(refusal) => refusal.to_string(),
        Err(_) => "its summary does not say why".to_owned(),
    };
    (referee["accepted"] == false).then(first)
}

/// Checks that the files of a run that has ended hold what it wrote. Files that are missing are not looked at.
///
/// # Errors
/// A file that was changed; one that cannot be read; a summary whose list of files is none.
pub fn check_files(directory: &Path, summary: &Value) -> Result<(), Diagnostics> {
    let sums = sums_of(directory, summary)?;
    let changed = changed_file(directory, &sums).map_err(|e| unread(directory, &e))?;
    let why = "does not hold what the run wrote to it (summary.json has its SHA-256)";
    changed.map_or(Ok(()), |name| Err(damaged_file(&directory.join(name), why)))
}

/// Checks as [`check_files`], and that every one of the files is there.
///
/// # Errors
/// As of [`check_files`]; a file that is missing.
pub fn check_all_files(directory: &Path, summary: &Value) -> Result<(), Diagnostics> {
    check_files(directory, summary)?;
    let sums = sums_of(directory, summary)?;
    let missing = sums.keys().find(|name| !directory.join(name).exists());
    missing.map_or(Ok(()), |name| Err(damaged_file(&directory.join(name), "is missing: the run wrote it")))
}

/// Sums of the files of a run; none where its summary lists none.
fn sums_of(directory: &Path, summary: &Value) -> Result<BTreeMap<String, FileSum>, Diagnostics> {
    match &summary["files"] {
        Value::Null => Ok(BTreeMap::new()),
        list => serde_json::from_value(list.clone()).map_err(|e| unread(directory, &e.into())),
    }
}

fn unread(directory: &Path, error: &io::Error) -> Diagnostics {
    let message = format!("cannot check the files of {}: {error}", directory.display());
    Diagnostic::error(Code::Io, message).help(damaged_in(directory)).into()
}

fn damaged_file(file: &Path, why: &str) -> Diagnostics {
    let help = "the run is damaged: put the file back, or run it again";
    Diagnostic::error(Code::Io, format!("{} {why}", file.display())).help(help).into()
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

    /// "completed" was said of runs that the referee refused.
    #[test]
    fn a_refusal_is_told_with_its_reason() {
        let refusal = json!({ "check": "penetration", "criterion": "overlap", "value": 0.5, "limit": 0.01,
            "step": 3, "time": 0.03, "place": "a / b" });
        let told = |accepted: bool, refusal: &Value| {
            refusal_of(&json!({ "referee": { "accepted": accepted, "refusal": refusal } }))
        };
        let text = told(false, &refusal).unwrap();
        assert!(text.contains("step 3, t = 0.03 s") && text.contains("a / b"), "{text}");
        assert_eq!(told(false, &Value::Null).as_deref(), Some("its summary does not say why"));
        assert_eq!((told(true, &Value::Null), refusal_of(&Value::Null)), (None, None));
    }

    /// A summary whose list of files is malformed made all files pass as unchanged.
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

    /// A run without its trajectory was made again as if it were whole.
    #[test]
    fn a_file_that_is_missing_is_told_where_all_are_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.csv"), "x").unwrap();
        let sum = FileSum::of_bytes(b"x");
        let summary = json!({ "files": { "a.csv": sum, "b.csv": sum } });
        assert!(check_files(dir.path(), &summary).is_ok());
        let error = check_all_files(dir.path(), &summary).unwrap_err().render_text(false);
        assert!(error.contains("b.csv is missing: the run wrote it"), "{error}");
        std::fs::write(dir.path().join("b.csv"), "x").unwrap();
        assert!(check_all_files(dir.path(), &summary).is_ok());
    }
}
