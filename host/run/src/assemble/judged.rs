//! The law that the referee holds the stepper to: the manifest's declarations with the values of options in their places.

use vinci_core::referee::Declaration;
use vinci_engine::declared::law_of;

use crate::used::Used;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The declaration of a stepper with its options. A word that means nothing is a warning.
pub(super) fn declaration(stepper: &Used, diagnostics: &mut Diagnostics) -> Declaration {
    let law = law_of(&stepper.manifest, &stepper.options);
    for word in &law.unknown {
        let id = &stepper.manifest.id;
        let message = format!(
            "{id} declares `{word}`, which the referee does not know, or whose value is out of range; it is ignored"
        );
        diagnostics.push(Diagnostic::warning(Code::UnknownDeclaration, message));
    }
    law
}
