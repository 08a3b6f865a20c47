//! Libraries that a library links beyond the system's own: files that may change while its own bytes stay.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use vinci_abi::load::{LoadError, digest_of, linked};

/// A file that a library links.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkedFile {
    /// Name by which the loader of the system is asked for it.
    pub name: String,
    /// SHA-256 of the file that it finds, hex.
    pub sha256: String,
}

/// Directories whose libraries are the system's.
const SYSTEM: [&str; 4] = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/// All files beyond the system's libraries that the library at `path` links, those of its links included, in the order in which they are
/// met. Those that the loader is told of by path, by the library's own search path, or by `LD_LIBRARY_PATH`; what lies in none of these is
/// the system's.
///
/// # Errors
/// Where one of them cannot be read.
pub fn linked_files(path: &Path) -> Result<Vec<LinkedFile>, LoadError> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    // The library itself is loaded from a copy: its own place means nothing to the loader.
    let mut open = vec![(path.to_owned(), None)];
    while let Some((library, origin)) = open.pop() {
        let asked = linked(&library)?;
        for name in asked.names {
            let Some(file) = place_of(&name, &asked.search, origin.as_deref()) else { continue };
            if seen.insert(file.clone()) {
                found.push(LinkedFile { name, sha256: digest_of(&file)? });
                let directory = file.parent().map(Path::to_owned);
                open.push((file, directory));
            }
        }
    }
    Ok(found)
}

/// Where the loader finds a library that is not the system's.
fn place_of(name: &str, search: &[PathBuf], origin: Option<&Path>) -> Option<PathBuf> {
    let beyond = |file: &PathBuf| file.is_file() && !SYSTEM.iter().any(|system| file.starts_with(system));
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(beyond);
    }
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let own = search.iter().filter_map(|directory| whole(directory, origin));
    let directories = own.chain(std::env::split_paths(&named).filter(|d| d.is_absolute()));
    directories.map(|directory| directory.join(name)).find(beyond)
}

/// A directory of a search path; `$ORIGIN` is where the library lies that has the path.
fn whole(directory: &Path, origin: Option<&Path>) -> Option<PathBuf> {
    let text = directory.to_str()?;
    match text.strip_prefix("$ORIGIN").or_else(|| text.strip_prefix("${ORIGIN}")) {
        Some(rest) => Some(origin?.join(rest.trim_start_matches('/'))),
        None => Some(directory.to_owned()).filter(|d| d.is_absolute()),
    }
}
