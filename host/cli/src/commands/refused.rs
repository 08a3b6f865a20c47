//! Messages for a plugin that is not found or not taken.

use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// With the code of refused plugins, and where to look.
pub(super) fn not_found(message: &str) -> Diagnostics {
    Diagnostic::error(Code::Plugin, message).help("`vinci plugin list` shows all plugins").into()
}
