//! Directories of results: what in them is a run's, what is not, and how they are cleared.

use super::compare_plan::PLAN;
use super::files::{io_error, is_same};
use super::run_files::{FOLDERS, finished, has_summary, is_written, is_written_in, pictures_of, was_here};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use vinci_compare::measures::FILES;
use vinci_run::lock::LOCK;
use vinci_run::results::{EARLIER, forget_earlier};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::files::format_of;

/// Files and folders in a directory but for its lock and an earlier run, each with the name that it has once it is finished. Nothing where there is no
/// directory.
fn entries(dir: &Path) -> Result<Vec<(PathBuf, String)>, Diagnostics> {
    let found = match std::fs::read_dir(dir) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        found => found.and_then(Iterator::collect::<Result<Vec<_>, _>>),
    };
    let named = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (entry.path(), finished(&name).to_owned())
    };
    let found = found.map_err(|e| io_error("cannot write to", dir, &e))?;
    Ok(found.into_iter().map(named).filter(|(_, name)| ![LOCK, EARLIER].contains(&name.as_str())).collect())
}

/// Returns true if a path is a directory itself, not a link to one.
fn is_folder(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// Contents of a directory: files with the names of a run's, those in its folders too, and others.
fn contents(dir: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Diagnostics> {
    let pictures = pictures_of(dir);
    let (mut named, mut foreign) = (Vec::new(), Vec::new());
    let mut sort = |path: PathBuf, is_named: bool| {
        if is_named && !is_folder(&path) { named.push(path) } else { foreign.push(path) }
    };
    for (path, name) in entries(dir)? {
        match FOLDERS.iter().find(|folder| path.ends_with(folder) && is_folder(&path)) {
            Some(folder) => {
                entries(&path)?.into_iter().for_each(|(path, name)| sort(path, is_written_in(folder, &name)));
            }
            None => sort(path, is_written(&name) || pictures.contains(&name)),
        }
    }
    Ok((named, foreign))
}

/// The first file of a directory that no run wrote. In a directory without a run all files count, whatever their names.
pub(crate) fn foreign_file(dir: &Path) -> Result<Option<PathBuf>, Diagnostics> {
    let (named, foreign) = contents(dir)?;
    let others = if was_here(dir) { Vec::new() } else { named };
    Ok(foreign.into_iter().chain(others).next())
}

/// A file or folder that neither a comparison nor one of its runs made. `table`: the name of its table.
pub(super) fn beside_comparison(dir: &Path, table: &str) -> Result<Option<PathBuf>, Diagnostics> {
    for (path, name) in entries(dir)? {
        let is_ours = [table, PLAN].contains(&name.as_str())
            || FILES.contains(&name.as_str())
            || (path.is_dir() && foreign_file(&path)?.is_none());
        if !is_ours {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// The plan or the summary of a sweep in a directory: a run's have the same names, so that neither can be written beside the other.
pub(super) fn file_of_sweep(dir: &Path) -> Option<PathBuf> {
    let is_sweeps = |path: &PathBuf| format_of(path).is_some_and(|format| format.starts_with("vinci/sweep"));
    ["plan.json", "summary.json"].map(|name| dir.join(name)).into_iter().find(is_sweeps)
}

/// Moves a complete run into [`EARLIER`], so that a run can write where it stands and it is lost only to one that has ended: a disk may be
/// full before. What is not complete is removed, and an earlier run that stands aside already stays there.
pub(crate) fn set_aside(dir: &Path) -> Result<(), Diagnostics> {
    if !has_summary(dir) {
        return clear_directory(dir);
    }
    forget_earlier(dir);
    let earlier = dir.join(EARLIER);
    for path in &contents(dir)?.0 {
        let within = path.strip_prefix(dir).unwrap_or(path);
        let name = within.file_name().unwrap_or_default().to_string_lossy();
        let to = earlier.join(within).with_file_name(finished(&name));
        let folder = to.parent().unwrap_or(&earlier);
        let moved = std::fs::create_dir_all(folder).and_then(|()| std::fs::rename(path, &to));
        moved.map_err(|e| io_error("cannot move", path, &e))?;
    }
    remove_folders(dir);
    Ok(())
}

/// Removes the folders of a run that are empty. Those that hold something else stay with it.
fn remove_folders(dir: &Path) {
    FOLDERS.iter().map(|folder| dir.join(folder)).for_each(|folder| drop(std::fs::remove_dir(folder)));
}

/// Removes what an earlier run left, or what has the name of it, so that a run can write there. Other things stay.
fn clear_directory(dir: &Path) -> Result<(), Diagnostics> {
    for path in &contents(dir)?.0 {
        std::fs::remove_file(path).map_err(|e| io_error("cannot remove", path, &e))?;
    }
    remove_folders(dir);
    Ok(())
}

/// Refuses a directory whose clearing would take a file along that the run begins from, whatever the user says. `inputs`: these files, and
/// what each is.
///
/// # Errors
/// The first one that would go; of input.
pub(super) fn keep_inputs(dir: &Path, inputs: &[(PathBuf, &str)]) -> Result<(), Diagnostics> {
    for path in contents(dir)?.0 {
        if let Some((_, what)) = inputs.iter().find(|(input, _)| is_same(input, &path)) {
            let message =
                format!("{} is {what}: results in {} would replace it", path.display(), dir.display());
            return Err(Diagnostic::error(Code::Io, message).help("choose another --out").into());
        }
    }
    Ok(())
}

pub(super) fn in_use(directory: &Path, path: &Path) -> Diagnostics {
    let message = format!("{} is in use: it holds {}", directory.display(), path.display());
    let help = match file_of_sweep(directory) {
        Some(_) => "it holds a sweep: choose another --out",
        None => "choose another --out, or add --force to write beside what is there",
    };
    Diagnostic::error(Code::Io, message).help(help).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = r#"{ "format": "vinci/summary@1" }"#;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.0.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }

        fn is_free(&self) -> bool {
            foreign_file(self.0.path()).unwrap().is_none()
        }

        /// Files that are left once it is cleared.
        fn left(&self) -> Vec<String> {
            clear_directory(self.0.path()).unwrap();
            let left = std::fs::read_dir(self.0.path()).unwrap();
            left.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
        }
    }

    #[test]
    fn pictures_of_an_earlier_run_are_its_own() {
        let folder = Folder::new();
        folder.write("y.png", "");
        folder.write("experiment.json", r#"{ "record": { "pictures": [ { "file": "y.png" } ] } }"#);
        assert!(!folder.is_free(), "no run was there");
        folder.write("summary.json", SUMMARY);
        assert!(folder.is_free() && folder.left().is_empty());
    }

    /// A disk that was full lost the run that was there, and gave nothing for it.
    #[test]
    fn a_complete_run_stands_aside_until_another_has_ended() {
        let folder = Folder::new();
        let at = |name: &str| folder.0.path().join(name);
        for name in ["summary.json.before", "states/end.json", "notes.txt"] {
            folder.write(name, SUMMARY);
        }
        set_aside(folder.0.path()).unwrap();
        let is_kept = || at(".earlier/summary.json").exists() && at(".earlier/states/end.json").exists();
        assert!(
            is_kept()
                && at("notes.txt").exists()
                && !at("states").exists()
                && !at(".earlier/notes.txt").exists()
        );
        assert!(!at("summary.json.before").exists());
        // One that was killed in its place is not a run, and the other stays.
        folder.write("trajectory.csv.part", "");
        set_aside(folder.0.path()).unwrap();
        assert!(is_kept() && !at("trajectory.csv.part").exists());
        std::fs::remove_file(at("notes.txt")).unwrap();
        assert!(folder.is_free());
        // What another left beside it, without states of its own, is none of somebody else's.
        folder.write("experiment.json", "{}");
        assert!(folder.is_free());
        forget_earlier(folder.0.path());
        assert!(!at(".earlier").exists());
    }

    #[test]
    fn a_directory_of_an_earlier_run_is_used_again_and_one_with_other_things_is_not() {
        let folder = Folder::new();
        for name in
            ["trajectory.csv", "report.html", "states/end.json", "states/0.5.json", "gradients.csv.part"]
        {
            folder.write(name, "");
        }
        assert!(!folder.is_free(), "no run was there");
        folder.write("summary.json", SUMMARY);
        assert!(folder.is_free() && folder.left().is_empty());
        folder.write("summary.json", SUMMARY);
        folder.write("notes.txt", "");
        assert!(!folder.is_free());
        assert_eq!(folder.left(), ["notes.txt"]);
    }

    /// A folder went with everything in it.
    #[test]
    fn files_of_others_in_the_folders_of_a_run_are_seen_and_stay() {
        let folder = Folder::new();
        for name in ["summary.json", "states/end.json", "states/notes.txt"] {
            folder.write(name, SUMMARY);
        }
        assert!(!folder.is_free());
        assert_eq!(folder.left(), ["states"]);
        assert!(folder.0.path().join("states/notes.txt").exists());
        assert!(!folder.0.path().join("states/end.json").exists());
    }
}
