//! Loading plugins: from a path to something that creates stages, or to one sentence why not.
//!
//! Order of the checks: the file exists; it is read once; its ELF tables lie within it; it exports the contract's version,
//! and of a major that we speak; it is hashed — all this before any code of it runs. Then a private copy of those very
//! bytes is loaded, the manifest is read, the layout of every struct is compared, and the log is connected.
//! Libraries are never unloaded.

mod bytes;
mod elf;
mod error;
mod file;
mod library;
mod major2;
mod memory;
mod open;
mod plugin;
mod program;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::codes;
use crate::exit_watch::{self, Mark};
use crate::float_env::FloatEnv;
pub use crate::table::complete as complete_options;
use bytes::{hex, read_up_to};
use elf::Elf;
use error::ENTRIES;
pub use error::LoadError;
pub use file::{ReadError, open_regular, read_regular};
use library::Library;
use memory::PrivateCopy;
pub use plugin::{Elsewhere, LoadedPlugin};
pub use program::{DESCRIPTION_FORMAT, DESCRIPTION_SUFFIX, Program, ProgramFile, is_program, read_program};
use sha2::{Digest, Sha256};

/// Loads the plugin library at `path`. The same bytes, from whatever path, are loaded only once.
pub fn load(path: &Path) -> Result<LoadedPlugin, LoadError> {
    load_if(path, |_| Ok(()))
}

/// Loads the library at `path` if `accepts` takes its SHA-256 (hex). It is asked about the very bytes that are loaded, before any of
/// their code runs.
///
/// # Errors
/// As of [`load`], and what `accepts` says.
pub fn load_if(
    path: &Path,
    accepts: impl FnOnce(&str) -> Result<(), LoadError>,
) -> Result<LoadedPlugin, LoadError> {
    static LOADED: Mutex<BTreeMap<[u8; 32], &'static Library>> = Mutex::new(BTreeMap::new());
    let (bytes, digest) = examined(path)?;
    accepts(&hex(&digest))?;
    // Held while loading: two threads must not load one library twice.
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let library = match loaded.get(&digest) {
        Some(library) => library,
        None => {
            let library: &'static Library = Box::leak(Box::new(load_bytes(path, &bytes, &digest)?));
            loaded.insert(digest, library);
            library
        }
    };
    Ok(LoadedPlugin::here(path, library))
}

/// SHA-256 of the library at `path`, hex, after the checks that [`load`] makes before any of its code runs; none of it runs here either.
///
/// # Errors
/// As of [`load`].
pub fn examine(path: &Path) -> Result<String, LoadError> {
    examined(path).map(|(_, digest)| hex(&digest))
}

fn examined(path: &Path) -> Result<(Vec<u8>, [u8; 32]), LoadError> {
    let bytes = read(path)?;
    // Before the digest, which takes longer: a search for plugins passes many libraries that are none.
    check_version(path, &bytes)?;
    let digest = Sha256::digest(&bytes).into();
    Ok((bytes, digest))
}

/// SHA-256 of a file, hex, as of a library that is loaded; of the description of a program that of all its files ([`Program::digest`]).
///
/// # Errors
/// Where it cannot be read.
pub fn digest_of(path: &Path) -> Result<String, LoadError> {
    if is_program(path) {
        return Ok(read_program(path)?.digest);
    }
    Ok(hex(&Sha256::digest(read(path)?)))
}

/// Libraries that a library links, as its file says; nothing of it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linked {
    /// The libraries, by name or path, in their order.
    pub names: Vec<String>,
    /// Directories that it wants them to be looked for in before those of the system.
    pub search: Vec<PathBuf>,
}

/// Libraries that the library at `path` links.
///
/// # Errors
/// What the file is instead of a library; on systems without ELF nothing is known, and nothing is listed. A program links nothing.
pub fn linked(path: &Path) -> Result<Linked, LoadError> {
    if !cfg!(target_os = "linux") || is_program(path) {
        return Ok(Linked::default());
    }
    let bytes = read(path)?;
    let elf = Elf::check(&bytes).map_err(|flaw| LoadError::from_elf(path, flaw))?;
    let search = elf.search_path().join(":");
    let search = search.split(':').filter(|d| !d.is_empty());
    Ok(Linked { names: elf.needed(), search: search.map(PathBuf::from).collect() })
}

/// Libraries larger than this are not read: the largest there are, with the symbols for a debugger, have a tenth of it.
const LARGEST: u64 = 2 << 30;

fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    read_up_to(path, LARGEST)
}

fn load_bytes(path: &Path, bytes: &[u8], digest: &[u8; 32]) -> Result<Library, LoadError> {
    let hex = hex(digest);
    let copy = PrivateCopy::new(bytes, &hex)
        .map_err(|e| LoadError::Unreadable { path: path.to_owned(), reason: e.to_string() })?;
    let env = FloatEnv::now();
    let name = path.to_string_lossy();
    exit_watch::arm();
    let library = exit_watch::during(&Mark { plugin: &*name, call: "load" }, || open::open(path, &copy, hex));
    let changed = env.restore();
    copy.opened();
    if exit_watch::has_forked() {
        return Err(LoadError::Forked { path: path.to_owned() });
    }
    let mut library = library?;
    if let Some((before, after)) = changed {
        let warning = format!(
            "loading {} changed the floating-point environment from {before:#x} to {after:#x}; it was put back \
             (the library was probably linked with -ffast-math)",
            path.display()
        );
        tracing::warn!("{warning}");
        library.warnings.push(warning);
    }
    Ok(library)
}

/// Refuses libraries of another major. (A second major will stand beside `major2`, and be chosen by this number.)
fn check_version(path: &Path, bytes: &[u8]) -> Result<(), LoadError> {
    match contract_version(path, bytes)? {
        Some(found) if found >> 16 != codes::CONTRACT_VERSION >> 16 => {
            Err(LoadError::ContractVersion { path: path.to_owned(), found })
        }
        _ => Ok(()),
    }
}

/// The contract version (major << 16 | minor) as it stands in the bytes of the library at `path`, without running a line of
/// it; none where the system's libraries cannot be looked into.
///
/// # Errors
/// What the file is instead of a plugin.
pub fn contract_version(path: &Path, bytes: &[u8]) -> Result<Option<u32>, LoadError> {
    if !cfg!(target_os = "linux") {
        return Ok(None);
    }
    let elf = Elf::check(bytes).map_err(|flaw| LoadError::from_elf(path, flaw))?;
    match (elf.symbol(major2::VERSION_SYMBOL), elf.symbol(table::SYMBOL)) {
        (Some((address, _)), _) => Ok(elf.u32_at(address)),
        (None, Some(symbol)) => table::version(path, &elf, symbol),
        (None, None) if elf.lists_symbols() => {
            Err(LoadError::NotAPlugin { path: path.to_owned(), symbol: ENTRIES })
        }
        (None, None) => Ok(None),
    }
}
