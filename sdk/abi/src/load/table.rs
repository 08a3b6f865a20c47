//! A library with the plain C entry: its table, its manifests, its functions.

use std::path::Path;

use libloading::Library as OpenLibrary;
use serde_json::{Map, Value};

use super::elf::Elf;
use super::error::LoadError;
use super::library::{Library, Roles, check_roles, initialise};
use crate::codes;
use crate::manifest::Manifest;
use crate::table::{self, PluginV1};

pub(super) use crate::table::SYMBOL;

/// The contract version in the bytes of a library, without running a line of it.
pub(super) fn version(path: &Path, elf: &Elf<'_>, symbol: (u64, u64)) -> Result<Option<u32>, LoadError> {
    let (address, size) = symbol;
    let [Some(claimed), Some(version)] = [address, address.saturating_add(4)].map(|at| elf.u32_at(at)) else {
        return Ok(None);
    };
    // The version first: a table of another major may have another size.
    if version >> 16 == codes::CONTRACT_VERSION >> 16 {
        check_size(path, claimed.min(u32::try_from(size).unwrap_or(u32::MAX)))?;
    }
    Ok(Some(version))
}

fn check_size(path: &Path, size: u32) -> Result<(), LoadError> {
    table::check_size(size).map_err(|reason| bad(path, SYMBOL, reason))
}

fn bad(path: &Path, table: &'static str, reason: String) -> LoadError {
    LoadError::BadTable { path: path.to_owned(), table, reason }
}

/// Returns true if a library has this entry.
pub(super) fn is_in(library: &OpenLibrary) -> bool {
    find(library).is_some()
}

fn find(library: &OpenLibrary) -> Option<*const PluginV1> {
    // SAFETY: the symbol is a table in every library that has it; it is not read here.
    unsafe { library.get::<*const PluginV1>(SYMBOL) }.ok().map(|symbol| *symbol)
}

/// Checks an open library and reads what it offers; runs code of the plugin.
pub(super) fn read(path: &Path, library: &'static OpenLibrary, digest: String) -> Result<Library, LoadError> {
    let plugin = head(path, library)?;
    let roles = roles(path, &plugin)?;
    let manifests = manifests(path, &plugin)?;
    check_roles(path, &roles, &manifests)?;
    if let Some(init) = plugin.init {
        initialise(path, &manifests, init)?;
    }
    Ok(Library { roles, manifests, digest, warnings: Vec::new(), guarded: false })
}

/// The exported table. Its size and version were looked at in the file, where that lists its symbols; here they are once more.
fn head(path: &Path, library: &'static OpenLibrary) -> Result<PluginV1, LoadError> {
    let misplaced =
        || bad(path, SYMBOL, "it stands where no table can stand; export the table itself".into());
    let table = find(library).filter(|table| table.is_aligned()).ok_or_else(misplaced)?;
    // SAFETY: every table of this name begins with two numbers, and the symbol of an open library is readable.
    let [size, contract] = unsafe { *table.cast::<[u32; 2]>() };
    if contract >> 16 != codes::CONTRACT_VERSION >> 16 {
        return Err(LoadError::ContractVersion { path: path.to_owned(), found: contract });
    }
    check_size(path, size)?;
    // SAFETY: as large as it must be, by its own word.
    Ok(unsafe { *table })
}

fn roles(path: &Path, plugin: &PluginV1) -> Result<Roles, LoadError> {
    let bad = |table: &'static str| move |reason: String| bad(path, table, reason);
    // SAFETY: tables of an open library, each with its size in front; that they are readable is what trusting a plugin means.
    unsafe {
        Ok(Roles {
            detector: table::detector(plugin.detector).map_err(bad("the detector table"))?,
            stepper: table::stepper(plugin.stepper).map_err(bad("the stepper table"))?,
            solver: table::solver(plugin.solver).map_err(bad("the solver table"))?,
            controller: table::controller(plugin.controller).map_err(bad("the controller table"))?,
        })
    }
}

fn manifests(path: &Path, plugin: &PluginV1) -> Result<Vec<Manifest>, LoadError> {
    let bad = |reason: String| LoadError::BadManifest { path: path.to_owned(), reason };
    let function = plugin.manifest.ok_or_else(|| bad("its function manifest is null".into()))?;
    // SAFETY: a function of the contract; the text lives as long as the library, that is for ever.
    let text = unsafe { function().bytes.text("the text") }.map_err(|flaw| bad(flaw.message))?;
    let list: Vec<Map<String, Value>> = serde_json::from_str(text)
        .map_err(|error| bad(format!("a JSON list of objects is expected, one for each role: {error}")))?;
    let manifest = |map| serde_json::from_value(Value::Object(built_in_c(map, plugin.contract)));
    list.into_iter().map(manifest).collect::<Result<_, _>>().map_err(|error| bad(error.to_string()))
}

/// A manifest with the facts of its building, which an author in C need not write.
fn built_in_c(mut map: Map<String, Value>, contract: u32) -> Map<String, Value> {
    map.insert("contract".into(), format!("{}.{}", contract >> 16, contract & 0xffff).into());
    map.insert("rustc".into(), "no Rust compiler (C entry)".into());
    map.insert("panic".into(), "none".into());
    map
}
