//! Directories of results: which files in them are those of a run, and how they are cleared.

use super::files::io_error;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use vinci_run::CHECKPOINT;
use vinci_run::lock::LOCK;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Files that a run, or `view` of it, writes; a directory that holds only these may be written again.
const RUN_FILES: [&str; 15] = [
    "experiment.json",
    "summary.json",
    CHECKPOINT,
    "trajectory.csv",
    "links.csv",
    "contacts.csv",
    "events.csv",
    "gradients.csv",
    "drives.csv",
    "controllers.csv",
    "supports.csv",
    "report.html",
    "view.html",
    "repro",
    "states",
];

/// End of the name of a file that stands aside.
pub(super) const ASIDE: &str = ".before";

/// Ends of names of files that are being written, or stand aside.
const UNFINISHED: [&str; 2] = [".part", ASIDE];

/// What stands in a directory: files of a run, and others. Nothing where there is no directory.
fn contents(dir: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Diagnostics> {
    let entries = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Default::default()),
        entries => entries.and_then(Iterator::collect::<Result<Vec<_>, _>>),
    };
    let entries = entries.map_err(|e| io_error("cannot write to", dir, &e))?;
    let pictures = pictures_of(dir);
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = UNFINISHED.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
        RUN_FILES.contains(&name) || pictures.iter().any(|f| name == f)
    };
    Ok(entries.into_iter().map(|e| e.path()).filter(|p| !p.ends_with(LOCK)).partition(is_ours))
}

/// A file in a directory that is no run's.
pub(crate) fn foreign_file(dir: &Path) -> Result<Option<PathBuf>, Diagnostics> {
    Ok(contents(dir)?.1.into_iter().next())
}

/// Makes sure that results can go to `dir`: it is new, empty, or holds an earlier run, whose files are removed.
/// With `force` other things may be there too; they stay.
pub(crate) fn clear_directory(dir: &Path, force: bool) -> Result<(), Diagnostics> {
    let (ours, foreign) = contents(dir)?;
    if let (Some(path), false) = (foreign.first(), force) {
        return Err(in_use(dir, path));
    }
    for path in &ours {
        let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        removed.map_err(|e| io_error("cannot remove", path, &e))?;
    }
    Ok(())
}

/// Files of the pictures that the run in a directory drew, if there was one.
fn pictures_of(dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join("experiment.json")).unwrap_or_default();
    let run: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    let pictures = run["record"]["pictures"].as_array();
    pictures.into_iter().flatten().filter_map(|p| p["file"].as_str()).map(str::to_owned).collect()
}

pub(super) fn in_use(directory: &Path, path: &Path) -> Diagnostics {
    let message = format!("{} is in use: it holds {}", directory.display(), path.display());
    let help = "choose another --out, or add --force to write beside what is there";
    Diagnostic::error(Code::Io, message).help(help).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_of_an_earlier_run_are_its_own() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("y.png", "");
        assert!(clear_directory(dir.path(), false).is_err());
        write("experiment.json", r#"{ "record": { "pictures": [ { "file": "y.png" } ] } }"#);
        clear_directory(dir.path(), false).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_of_an_earlier_run_is_used_again_and_one_with_other_things_is_not() {
        let dir = tempfile::tempdir().unwrap();
        for file in RUN_FILES {
            std::fs::write(dir.path().join(file), "").unwrap();
        }
        clear_directory(dir.path(), false).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        std::fs::write(dir.path().join("gradients.csv"), "").unwrap();
        std::fs::write(dir.path().join("notes.txt"), "").unwrap();
        assert!(clear_directory(dir.path(), false).is_err());
        clear_directory(dir.path(), true).unwrap();
        assert!(dir.path().join("notes.txt").exists() && !dir.path().join("gradients.csv").exists());
    }

    /// Every file that the recorder or the end of a run makes is known here.
    #[test]
    fn every_file_that_a_run_writes_is_in_the_list() {
        let sources =
            [include_str!("../../../run/src/record.rs"), include_str!("../../../run/src/writing.rs")];
        let mut seen = 0;
        for source in sources {
            for name in
                source.split('"').filter(|s| [".csv", ".json", ".html"].iter().any(|e| s.ends_with(e)))
            {
                if !name.contains([' ', '/', '\n']) {
                    assert!(RUN_FILES.contains(&name), "{name}");
                    seen += 1;
                }
            }
        }
        assert!(seen >= 8, "{seen}");
    }
}
