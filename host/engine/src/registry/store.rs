//! The store of installed plugins: one folder for each id and version, with the library and its note.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};
use vinci_abi::Manifest;
use vinci_abi::load::LoadError;

/// Where the plugins of a user are installed: `vinci/plugins` below `XDG_DATA_HOME`, which is `~/.local/share` unless it is set to a whole
/// path. None without a home.
pub fn installed_in() -> Option<PathBuf> {
    let whole = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = whole("XDG_DATA_HOME").or_else(|| Some(whole("HOME")?.join(".local/share")))?;
    Some(data.join("vinci/plugins"))
}

/// The folder of an id and version within the place.
pub fn folder_of(store: &Path, id: &str, version: &Version) -> PathBuf {
    store.join(format!("{id}@{version}"))
}

/// A plugin that is installed, by the name of its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its id; of a library of several roles that of the first.
    pub id: String,
    /// Its version.
    pub version: Version,
    /// Where its library lies.
    pub folder: PathBuf,
}

impl Installed {
    /// Returns true if it answers to an id or its last words, behind `@` with the versions that are meant. What is no requirement means nothing.
    pub fn answers_to(&self, name: &str) -> bool {
        let (id, version) = name.split_once('@').unwrap_or((name, "*"));
        let named = self.id == id || self.id.ends_with(&format!(".{id}"));
        named && VersionReq::parse(version).is_ok_and(|wanted| wanted.matches(&self.version))
    }
}

/// All plugins that are installed: by id, the highest version first. What has another name is none of them.
pub fn installed(store: &Path) -> Vec<Installed> {
    let entries = std::fs::read_dir(store).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let (id, version) = name.split_once('@').filter(|(id, _)| may_be_installed(id))?;
        let version = Version::parse(version).ok()?;
        Some(Installed { id: id.to_owned(), version, folder: store.join(&name) })
    });
    let mut all: Vec<_> = named.collect();
    all.sort_by_key(|one| (one.id.clone(), Reverse(one.version.clone())));
    all
}

/// Longest id, bytes: with a version it is the name of a folder.
const LONGEST: usize = 128;

/// Returns true if an id can be the name of a folder: words of small letters, digits and hyphens with points between. Nothing else leaves the
/// place where plugins are installed.
pub fn may_be_installed(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    id.len() <= LONGEST && id.split('.').all(|word| !word.is_empty() && word.chars().all(plain))
}

/// Refuses manifests with an id that is none: ids stand in messages, tables and records of runs, where a line break or a comma would say
/// something else.
pub(super) fn refuse_ids(path: &Path, manifests: &[Manifest]) -> Result<(), LoadError> {
    let Some(wrong) = manifests.iter().find(|m| !may_be_installed(&m.id)) else { return Ok(()) };
    let start: String = wrong.id.chars().take(LONGEST).collect();
    let reason = format!(
        "{start:?} is no id: words of small letters, digits and hyphens with points between, as owner.role.method, at most {LONGEST} bytes"
    );
    Err(LoadError::BadManifest { path: path.to_owned(), reason })
}

/// Folders of all plugins that are installed.
pub(super) fn folders(store: &Path) -> Vec<PathBuf> {
    installed(store).into_iter().map(|one| one.folder).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_would_leave_the_place_are_none() {
        for id in ["a.solver.b-2", "x"] {
            assert!(may_be_installed(id), "{id}");
        }
        assert!(!may_be_installed(&"a".repeat(LONGEST + 1)));
        for id in ["", ".", "..", "a..b", "a/b", "../a", ".a", "A.b", "a@1", "a b", "a.b/"] {
            assert!(!may_be_installed(id), "{id}");
        }
    }
}
