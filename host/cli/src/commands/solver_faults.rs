//! Names of a solver's refusals and faults.

use vinci_core::StageError;
use vinci_core::error::ErrorKind;

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// A refusal is about the options or the problem; anything else is the plugin's fault.
pub(super) fn misbehaved(name: &str, error: &StageError) -> Diagnostics {
    if is_fault(error) {
        return Diagnostic::error(Code::PluginFault, error.message.clone()).into();
    }
    Diagnostic::error(Code::BadOption, format!("{name} refuses: {}", error.message)).into()
}

/// Returns true if a plugin broke: nothing more is asked of it.
pub(super) fn is_fault(error: &StageError) -> bool {
    matches!(error.kind, ErrorKind::Panicked | ErrorKind::Fault)
}
