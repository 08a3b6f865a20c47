//! `vinci.lock`: the very plugins that an experiment ran with.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use vinci_abi::Role;
use vinci_abi::load::{LoadError, LoadedPlugin, read_regular};

use super::links::{LinkedFile, linked_files};

/// The format of locks.
pub const LOCK_FORMAT: &str = "vinci/lock@1";

/// Locks larger than this are not read.
const LARGEST: u64 = 4 << 20;

/// A plugin that is locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockEntry {
    /// Its role.
    pub role: Role,
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Name of its library's file, for people.
    pub file: String,
    /// SHA-256 of the library, hex.
    pub sha256: String,
    /// Libraries that it links beyond the system's own.
    pub links: Vec<LinkedFile>,
}

/// The plugins of an experiment; written by `vinci plugin lock`, obeyed under `--locked`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// [`LOCK_FORMAT`].
    pub format: String,
    /// Plugins by role and id.
    pub plugins: Vec<LockEntry>,
    /// The file that it was read from.
    #[serde(skip)]
    pub path: PathBuf,
    /// Command that wrote that file.
    #[serde(skip)]
    pub origin: LockOrigin,
}

/// Command that a lock of plugins was written by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LockOrigin {
    /// `vinci plugin lock`.
    #[default]
    Lock,
    /// `vinci sweep plan`.
    Plan,
}

impl LockOrigin {
    fn verb(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Plan => "plan",
        }
    }

    /// The command that writes it anew.
    pub(super) fn command(self) -> &'static str {
        match self {
            Self::Lock => "vinci plugin lock EXPERIMENT",
            Self::Plan => "vinci sweep plan",
        }
    }
}

/// Reason why a lock is not obeyed.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It cannot be read.
    #[error("{path} {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// The end of the sentence.
        reason: String,
    },
    /// It is no lock.
    #[error("{path} is no lock of plugins: {reason}")]
    Malformed {
        /// The file.
        path: String,
        /// Fault, in words.
        reason: String,
    },
}

impl Lock {
    /// A lock of plugins that were found, each with the role it was found for.
    ///
    /// # Errors
    /// Where a library that one of them links cannot be read.
    pub fn of(found: &[(Role, LoadedPlugin)]) -> Result<Self, LoadError> {
        let mut plugins = Vec::new();
        for (role, plugin) in found {
            let Some(manifest) = plugin.manifest(*role) else { continue };
            plugins.push(LockEntry {
                role: *role,
                id: manifest.id.clone(),
                version: manifest.version.clone(),
                file: plugin.path().file_name().unwrap_or_default().to_string_lossy().into_owned(),
                sha256: plugin.digest().to_owned(),
                links: linked_files(plugin.path())?,
            });
        }
        let key = |e: &LockEntry| (e.role, e.id.clone(), e.version.clone(), e.sha256.clone());
        plugins.sort_by_key(key);
        plugins.dedup();
        Ok(Self { format: LOCK_FORMAT.into(), plugins, path: PathBuf::new(), origin: LockOrigin::Lock })
    }

    /// The lock in a file.
    ///
    /// # Errors
    /// Where it cannot be read, or is none.
    pub fn read(path: &Path) -> Result<Self, LockError> {
        let shown = path.display().to_string();
        let bytes = read_regular(path, LARGEST)
            .map_err(|e| LockError::Unreadable { path: shown.clone(), reason: e.to_string() })?;
        let bad = |reason: String| LockError::Malformed { path: shown.clone(), reason };
        let lock: Self = serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
        if lock.format != LOCK_FORMAT {
            return Err(bad(format!("its format is `{}`, not `{LOCK_FORMAT}`", lock.format)));
        }
        Ok(Self { path: path.to_owned(), ..lock })
    }

    /// Returns true if it holds a library with this digest.
    pub(super) fn holds(&self, digest: &str) -> bool {
        self.plugins.iter().any(|e| e.sha256 == digest)
    }

    /// Refuses the library at `path` unless it, and what it links, are those that are locked.
    pub(super) fn admits(&self, path: &Path, digest: &str) -> Result<(), LoadError> {
        let Some(entry) = self.plugins.iter().find(|e| e.sha256 == digest) else {
            return Err(self.changed(path, digest, "holds"));
        };
        let links = linked_files(path)?;
        match links.iter().find(|link| !entry.links.contains(link)) {
            Some(other) => Err(self.changed(Path::new(&other.name), &other.sha256, "has it linked with")),
            None if links.len() != entry.links.len() => {
                Err(self.changed(path, digest, "holds with its links"))
            }
            None => Ok(()),
        }
    }

    fn changed(&self, path: &Path, found: &str, verb: &str) -> LoadError {
        LoadError::Changed {
            path: path.to_owned(),
            found: found.to_owned(),
            by: format!("{} {verb}", self.path.display()),
            advice: format!(
                "put the old one back, or {} anew with `{}`",
                self.origin.verb(),
                self.origin.command()
            ),
        }
    }
}
