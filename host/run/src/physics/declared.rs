//! The declarations of a manifest under the options of a run.

use super::options::value_of;
use vinci_abi::Manifest;
use vinci_core::referee::Declaration;

/// The words of a manifest under these options, JSON.
pub(crate) fn declared(manifest: &Manifest, options: &str) -> Declaration {
    Declaration::read(&manifest.declares, |path| value_of(manifest, options, path))
}
