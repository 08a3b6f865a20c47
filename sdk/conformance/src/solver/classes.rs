//! Classes of problems that a solver takes.

use crate::subject::{Stop, Subject};
use vinci_core::problem::ProblemClass;

/// Takes the class, or the test is skipped.
pub(crate) fn takes(subject: &Subject, class: ProblemClass) -> Result<(), Stop> {
    if subject.manifest.has_class(class) {
        return Ok(());
    }
    Err(Stop::Skipped(format!("takes no {} problems", class.name())))
}
