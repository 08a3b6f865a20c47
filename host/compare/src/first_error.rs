//! Reasons in words.

use vinci_scene::diagnostics::{Diagnostics, Severity};

/// The message of the first error; empty where there is none.
pub(crate) fn first_error(diagnostics: &Diagnostics) -> String {
    let error = diagnostics.iter().find(|found| found.severity == Severity::Error);
    error.map_or_else(String::new, |error| error.message.clone())
}
