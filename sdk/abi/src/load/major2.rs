//! A library of contract 2 in Rust: symbols, manifest, layout check, services.

use std::path::Path;

use abi_stable::library::{LibraryError, RootModule, lib_header_from_path};
use libloading::Library as OpenLibrary;

use super::error::{ENTRIES, LoadError};
use super::library::{Library, Roles, check_roles, ids, initialise};
use super::memory::PrivateCopy;
use crate::codes;
use crate::manifest::{Manifest, ManifestText};
use crate::module::PluginModuleRef;
use crate::raw::Slice;

pub(super) const VERSION_SYMBOL: &str = "vinci_contract_version";
const MANIFEST_SYMBOL: &str = "vinci_manifest";

/// Returns true if a library has this entry.
pub(super) fn is_in(library: &OpenLibrary) -> bool {
    // SAFETY: the symbol is an integer in every library that has it; it is not read here.
    unsafe { library.get::<*const u32>(VERSION_SYMBOL) }.is_ok()
}

/// Checks an open library and reads what it offers; runs code of the plugin.
pub(super) fn read(
    path: &Path,
    copy: &PrivateCopy,
    library: &'static OpenLibrary,
    digest: String,
) -> Result<Library, LoadError> {
    check_version(path, library)?;
    let manifests = read_manifests(path, library)?;
    let module = check_layout(path, copy, &manifests)?;
    let roles = Roles {
        detector: module.detector().into_option(),
        stepper: module.stepper().into_option(),
        solver: module.solver().into_option(),
        controller: module.controller().into_option(),
    };
    check_roles(path, &roles, &manifests)?;
    initialise(path, &manifests, module.init())?;
    Ok(Library { roles, manifests, digest, warnings: Vec::new(), guarded: true })
}

fn check_version(path: &Path, library: &'static OpenLibrary) -> Result<(), LoadError> {
    // SAFETY: the symbol is an integer in every library that has it.
    let version = unsafe { library.get::<*const u32>(VERSION_SYMBOL) };
    let version = version.map_err(|_| LoadError::NotAPlugin { path: path.to_owned(), symbol: ENTRIES })?;
    // SAFETY: as above; the address of a symbol of an open library is readable.
    let found = unsafe { **version };
    if found >> 16 != codes::CONTRACT_VERSION >> 16 {
        return Err(LoadError::ContractVersion { path: path.to_owned(), found });
    }
    Ok(())
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
