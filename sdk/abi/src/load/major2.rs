//! Opening a library of contract 2: symbols, manifest, layout check, services.

use std::path::Path;

use abi_stable::library::{LibraryError, RootModule, lib_header_from_path};
use libloading::Library as OpenLibrary;

use super::error::LoadError;
use super::memory::PrivateCopy;
use crate::codes;
use crate::log::host_services;
use crate::manifest::{Manifest, ManifestText, Role};
use crate::module::PluginModuleRef;
use crate::raw::Slice;

pub(super) const VERSION_SYMBOL: &str = "vinci_contract_version";
const MANIFEST_SYMBOL: &str = "vinci_manifest";

/// An open library whose module has been checked.
pub(super) struct Library {
    pub(super) module: PluginModuleRef,
    pub(super) manifests: Vec<Manifest>,
    pub(super) digest: String,
    pub(super) warnings: Vec<String>,
}

/// Opens the copy of the library at `path`; runs code of the plugin.
pub(super) fn open(path: &Path, copy: &PrivateCopy, digest: String) -> Result<Library, LoadError> {
    let library = open_library(path, copy)?;
    let manifests = read_manifests(path, library)?;
    let module = check_layout(path, copy, &manifests)?;
    check_roles(path, &module, &manifests)?;
    initialise(path, &module, &manifests)?;
    Ok(Library { module, manifests, digest, warnings: Vec::new() })
}

fn open_library(path: &Path, copy: &PrivateCopy) -> Result<&'static OpenLibrary, LoadError> {
    // SAFETY: runs the library's initialisers. Nothing can be known about them; that is what trusting a plugin means.
    let opened = unsafe { open_now(&copy.path) };
    let library = opened.map_err(|e| {
        let reason = said_by_loader(&e, &copy.path.to_string_lossy());
        LoadError::OpenFailed { path: path.to_owned(), reason }
    })?;
    let library: &'static OpenLibrary = Box::leak(Box::new(library));
    // SAFETY: the symbol is an integer in every library that has it.
    let version = unsafe { library.get::<*const u32>(VERSION_SYMBOL) };
    let version =
        version.map_err(|_| LoadError::NotAPlugin { path: path.to_owned(), symbol: VERSION_SYMBOL })?;
    // SAFETY: as above; the address of a symbol of an open library is readable.
    let found = unsafe { **version };
    if found >> 16 != codes::CONTRACT_VERSION >> 16 {
        return Err(LoadError::ContractVersion { path: path.to_owned(), found });
    }
    Ok(library)
}

/// Message of the system's loader, with the name of the private copy replaced.
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

fn read_manifests(path: &Path, library: &'static OpenLibrary) -> Result<Vec<Manifest>, LoadError> {
    let bad = |reason: String| LoadError::BadManifest { path: path.to_owned(), reason };
    // SAFETY: the symbol has this type in every library of this major version.
    let function = unsafe { library.get::<extern "C" fn() -> Slice<u8>>(MANIFEST_SYMBOL) };
    let function =
        function.map_err(|_| LoadError::NotAPlugin { path: path.to_owned(), symbol: MANIFEST_SYMBOL })?;
    // SAFETY: the text lives as long as the library, that is for ever.
    let text = unsafe { function().text("the text") }.map_err(|flaw| bad(flaw.message))?;
    let manifests = match serde_json::from_str(text) {
        Ok(ManifestText::List(list)) => list,
        Ok(ManifestText::Failed { panicked }) => return Err(bad(panicked)),
        Err(_) => return Err(bad(not_a_list(text))),
    };
    if let Some(m) = manifests.iter().find(|m| m.panic != "unwind") {
        return Err(LoadError::PanicAbort { path: path.to_owned(), id: m.id.clone() });
    }
    Ok(manifests)
}

/// The reason of the first manifest that cannot be read (the sum of both forms has none worth reading).
fn not_a_list(text: &str) -> String {
    match serde_json::from_str::<Vec<Manifest>>(text) {
        Err(e) if text.len() > 2 => e.to_string(),
        _ => "it is empty".into(),
    }
}

/// abi_stable's comparison of every struct and function type, ours against the library's.
fn check_layout(
    path: &Path,
    copy: &PrivateCopy,
    manifests: &[Manifest],
) -> Result<PluginModuleRef, LoadError> {
    let id = ids(manifests);
    // Opens the copy again, which gives the library that is open already.
    let header = lib_header_from_path(&copy.path).map_err(|e| refused(path, &id, "unknown", &e))?;
    let found = header.version_strings().version.to_string();
    // Never `RootModule::load_from_*`: it gives the first library ever loaded for every path.
    header.init_root_module::<PluginModuleRef>().map_err(|e| refused(path, &id, &found, &e))
}

fn refused(path: &Path, id: &str, found: &str, error: &LibraryError) -> LoadError {
    tracing::debug!("{}: {error}", path.display());
    let (path, id) = (path.to_owned(), id.to_owned());
    match error {
        LibraryError::GetSymbolError { .. } => LoadError::NotAPlugin { path, symbol: "the plugin module" },
        LibraryError::RootModule { .. } => {
            LoadError::InitFailed { path, id, reason: "its module could not be made".into() }
        }
        _ => {
            let expected = PluginModuleRef::VERSION_STRINGS.version.to_string();
            LoadError::Layout { path, id, found: found.to_owned(), expected }
        }
    }
}

fn check_roles(path: &Path, module: &PluginModuleRef, manifests: &[Manifest]) -> Result<(), LoadError> {
    let bad = |reason: String| Err(LoadError::BadManifest { path: path.to_owned(), reason });
    let exported = [
        (Role::Detector, module.detector().is_some()),
        (Role::Stepper, module.stepper().is_some()),
        (Role::Solver, module.solver().is_some()),
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

fn initialise(path: &Path, module: &PluginModuleRef, manifests: &[Manifest]) -> Result<(), LoadError> {
    let id = ids(manifests);
    // Kept for ever, as the library is.
    let name: &'static str = Box::leak(id.clone().into_boxed_str());
    let services = host_services(name);
    let init = module.init();
    // SAFETY: the services live for ever.
    match unsafe { init(&services) } {
        codes::OK => Ok(()),
        code => Err(LoadError::InitFailed { path: path.to_owned(), id, reason: format!("code {code}") }),
    }
}

fn ids(manifests: &[Manifest]) -> String {
    manifests.iter().map(|m| m.id.as_str()).collect::<Vec<_>>().join(" + ")
}
