//! Copies of files and folders.

use std::path::{Path, PathBuf};

/// Copies a file, or a folder with all in it but what was built.
pub(super) fn copy_all(from: &Path, to: &Path) -> Result<(), String> {
    if from.is_file() {
        return copy(from, to);
    }
    for path in entries(from)?.iter().filter(|path| !path.ends_with("target")) {
        copy_all(path, &to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// Copies a file into a folder that is made.
pub(super) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    let folder = to.parent().unwrap_or(to);
    std::fs::create_dir_all(folder).map_err(|e| told(folder, &e))?;
    std::fs::copy(from, to).map(drop).map_err(|e| told(from, &e))
}

/// Files and folders of a folder, sorted.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| told(folder, &e))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// An error with its path.
pub(super) fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
