//! Opening a library with the loader of the system, and reading its entry.

use std::path::Path;

use libloading::Library as OpenLibrary;

use super::error::LoadError;
use super::library::Library;
use super::memory::PrivateCopy;
use super::{major2, table};

/// Opens the copy of the library at `path`; runs code of the plugin.
pub(super) fn open(path: &Path, copy: &PrivateCopy, digest: String) -> Result<Library, LoadError> {
    let library = open_library(path, copy)?;
    if table::is_in(library) && !major2::is_in(library) {
        return table::read(path, library, digest);
    }
    major2::read(path, copy, library, digest)
}

fn open_library(path: &Path, copy: &PrivateCopy) -> Result<&'static OpenLibrary, LoadError> {
    // SAFETY: runs the library's initialisers. Nothing can be known about them; that is what trusting a plugin means.
    let opened = unsafe { open_now(&copy.path) };
    let library = opened.map_err(|e| {
        let reason = said_by_loader(&e, &copy.path.to_string_lossy());
        LoadError::OpenFailed { path: path.to_owned(), reason }
    })?;
    Ok(Box::leak(Box::new(library)))
}

/// Message of the system's loader. The copy that it opened has a name that tells nobody anything.
fn said_by_loader(error: &dyn std::error::Error, copy: &str) -> String {
    let text = std::iter::successors(Some(error), |e| e.source())
        .last()
        .map(ToString::to_string)
        .unwrap_or_default();
    text.strip_prefix(&format!("{copy}: ")).unwrap_or(&text).replace(copy, "it")
}

/// All symbols bound at once (a missing one is found here, not in the middle of a run), none visible to other libraries.
///
/// # Safety
/// Runs the library's initialisers.
#[cfg(unix)]
unsafe fn open_now(path: &Path) -> Result<OpenLibrary, libloading::Error> {
    use libloading::os::unix;
    // SAFETY: the caller's promise.
    unsafe { unix::Library::open(Some(path), unix::RTLD_NOW | unix::RTLD_LOCAL) }.map(OpenLibrary::from)
}

/// # Safety
/// Runs the library's initialisers.
#[cfg(not(unix))]
unsafe fn open_now(path: &Path) -> Result<OpenLibrary, libloading::Error> {
    // SAFETY: the caller's promise.
    unsafe { OpenLibrary::new(path) }
}
