//! Opening a library with the loader of the system, and what a library of either entry gives.

use std::path::Path;

use libloading::Library as OpenLibrary;

use super::error::LoadError;
use super::memory::PrivateCopy;
use super::{major2, table};
use crate::codes;
use crate::detector::DetectorFunctions;
use crate::log::{HostServices, host_services};
use crate::manifest::{Manifest, Role};
use crate::solver::SolverFunctions;
use crate::stepper::StepperFunctions;

/// An open library whose tables have been checked.
pub(super) struct Library {
    pub(super) roles: Roles,
    pub(super) manifests: Vec<Manifest>,
    pub(super) digest: String,
    pub(super) warnings: Vec<String>,
    /// Whether it brings a guard of ours: a library in C does not.
    pub(super) guarded: bool,
}

/// The roles of a library.
#[derive(Clone, Copy)]
pub(super) struct Roles {
    pub(super) detector: Option<DetectorFunctions>,
    pub(super) stepper: Option<StepperFunctions>,
    pub(super) solver: Option<SolverFunctions>,
}

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

/// What the loader of the system says. The copy that it opened has a name that tells nobody anything.
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

/// A manifest for every role that is exported, and none beside.
pub(super) fn check_roles(path: &Path, roles: &Roles, manifests: &[Manifest]) -> Result<(), LoadError> {
    let bad = |reason: String| Err(LoadError::BadManifest { path: path.to_owned(), reason });
    let exported = [
        (Role::Detector, roles.detector.is_some()),
        (Role::Stepper, roles.stepper.is_some()),
        (Role::Solver, roles.solver.is_some()),
    ];
    for (role, exists) in exported {
        match (exists, manifests.iter().filter(|m| m.role == role).count()) {
            (true, 1) | (false, 0) => {}
            (true, 0) => return bad(format!("a {} is exported but not named in it", role.name())),
            (false, _) => return bad(format!("it names a {} but none is exported", role.name())),
            (true, n) => return bad(format!("it names {n} {}s", role.name())),
        }
    }
    match manifests.iter().find(|m| m.id.is_empty()) {
        Some(m) => bad(format!("the {} has no id", m.role.name())),
        None if manifests.is_empty() => bad("it names no role".into()),
        None => Ok(()),
    }
}

/// Hands the host's services to a library, which are there for ever.
pub(super) fn initialise(
    path: &Path,
    manifests: &[Manifest],
    init: unsafe extern "C" fn(*const HostServices) -> i32,
) -> Result<(), LoadError> {
    let id = ids(manifests);
    // Kept for ever, as the library is.
    let name: &'static str = Box::leak(id.clone().into_boxed_str());
    let services = host_services(name);
    // SAFETY: the function is one of the contract; the services hold nothing that ends.
    match unsafe { init(&services) } {
        codes::OK => Ok(()),
        code => Err(LoadError::InitFailed { path: path.to_owned(), id, reason: format!("code {code}") }),
    }
}

/// Ids of all roles, for messages.
pub(super) fn ids(manifests: &[Manifest]) -> String {
    manifests.iter().map(|m| m.id.as_str()).collect::<Vec<_>>().join(" + ")
}
