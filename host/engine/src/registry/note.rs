//! The note beside a library: its manifests and its digest, so that nothing of it needs to run to say what it is.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use vinci_abi::Manifest;
use vinci_abi::load::{LoadError, digest_of, read_regular};

/// The format of notes.
pub const NOTE_FORMAT: &str = "vinci/plugin@1";

/// Notes larger than this are not read.
const LARGEST: u64 = 4 << 20;

/// Note beside a library `NAME.so` as `NAME.plugin.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// [`NOTE_FORMAT`].
    pub format: String,
    /// Name of the library's file.
    pub file: String,
    /// SHA-256 of the library, hex. A note on other bytes says nothing.
    pub sha256: String,
    /// Manifests of the library, one for each role.
    pub manifests: Vec<Manifest>,
}

impl Note {
    pub(super) fn new(library: &Path, sha256: String, manifests: Vec<Manifest>) -> Self {
        let file = library.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { format: NOTE_FORMAT.into(), file, sha256, manifests }
    }

    /// Where the note on a library stands.
    pub fn place(library: &Path) -> PathBuf {
        library.with_extension("plugin.json")
    }

    /// The note beside a library, if there is one that can be read; whether it is on these bytes is not looked at.
    pub fn beside(library: &Path) -> Option<Self> {
        let bytes = read_regular(&Self::place(library), LARGEST).ok()?;
        let note: Self = serde_json::from_slice(&bytes).ok()?;
        (note.format == NOTE_FORMAT && !note.manifests.is_empty()).then_some(note)
    }

    /// Returns true if it is on the library as it is now.
    pub(super) fn is_on(&self, library: &Path) -> bool {
        digest_of(library).is_ok_and(|digest| digest == self.sha256)
    }

    /// Refuses a library with another digest: it was installed, and changed since.
    pub(super) fn holds(&self, library: &Path, digest: &str) -> Result<(), LoadError> {
        if digest == self.sha256 {
            return Ok(());
        }
        Err(LoadError::Changed {
            path: library.to_owned(),
            found: digest.to_owned(),
            by: "was installed".into(),
            advice: "`vinci plugin install FILE` installs it again".into(),
        })
    }
}
