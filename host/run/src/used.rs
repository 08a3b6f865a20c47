//! A plugin that an experiment uses, with its options, and whether an error is its fault.

use crate::summary::PluginUsed;
use vinci_abi::Manifest;
use vinci_abi::load::LoadedPlugin;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_scene::Path;

/// A plugin an experiment uses: the library, the part of it that is meant, and the options it gets.
#[derive(Debug, Clone)]
pub struct Used {
    /// The library.
    pub plugin: LoadedPlugin,
    /// The manifest of the role it is used in.
    pub manifest: Manifest,
    /// Its checked options, JSON.
    pub options: String,
    /// Where the experiment names it (`solver`, `solver.fallback[0]`).
    pub path: Path,
}

impl Used {
    /// Returns true if this is the same plugin with the same options, wherever it is named.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (&self.manifest.id, &self.options) == (&other.manifest.id, &other.options)
            && self.plugin.digest() == other.plugin.digest()
    }

    /// The plugin as the summary names it.
    pub fn summary(&self) -> PluginUsed {
        PluginUsed {
            id: self.manifest.id.clone(),
            version: self.manifest.version.clone(),
            digest: self.plugin.digest().to_string(),
        }
    }
}

/// Returns true if an error says that the plugin broke the contract, rather than that it refuses what it was given.
pub(crate) fn is_fault(error: &StageError) -> bool {
    matches!(error.kind, ErrorKind::Panicked | ErrorKind::Fault)
}
