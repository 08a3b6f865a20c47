//! The law that the referee holds the stepper to: the manifest's declarations with the values of options in their places.

use vinci_abi::parameters::{RESTITUTION, Reading};
use vinci_core::referee::Declaration;

use crate::physics::{declared, value_of};
use crate::used::Used;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The declaration of a stepper with its options. A word that means nothing is a warning.
pub(super) fn declaration(stepper: &Used, diagnostics: &mut Diagnostics) -> Declaration {
    let mut declared = declared(&stepper.manifest, &stepper.options);
    // What a stepper leaves out is told before the run; what it does not speak of it owes.
    let reading = stepper
        .manifest
        .parameters
        .reading(RESTITUTION, |path| value_of(&stepper.manifest, &stepper.options, path));
    if matches!(reading, Reading::Ignored | Reading::Refused) {
        declared.restitution = None;
    }
    if stepper.manifest.has_capability("deviates") {
        declared.words.push("deviates".into());
    }
    for word in &declared.unknown {
        let id = &stepper.manifest.id;
        let message = format!(
            "{id} declares `{word}`, which the referee does not know, or whose value is out of range; it is ignored"
        );
        diagnostics.push(Diagnostic::warning(Code::UnknownDeclaration, message));
    }
    declared
}
