//! What the referee holds the stepper to: the manifest's declarations with the values of options in their places.

use serde_json::Value;
use vinci_abi::parameters::{RESTITUTION, Reading};
use vinci_core::referee::Declaration;

use crate::used::Used;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The declaration of a stepper with its options. A word that means nothing is a warning.
pub(super) fn declaration(stepper: &Used, found: &mut Diagnostics) -> Declaration {
    let given: Value = serde_json::from_str(&stepper.options).unwrap_or_default();
    let schema = &stepper.manifest.options;
    let mut declared = Declaration::read(&stepper.manifest.declares, |path| option(&given, schema, path));
    // What a stepper leaves out is told before the run; what it does not speak of it owes.
    let reading = stepper.manifest.parameters.reading(RESTITUTION, |path| option(&given, schema, path));
    if matches!(reading, Reading::Ignored | Reading::Refused) {
        declared.restitution = None;
    }
    for word in &declared.unknown {
        let id = &stepper.manifest.id;
        let message =
            format!("{id} declares `{word}`, which means nothing to the referee: it is judged without");
        found.push(Diagnostic::warning(Code::UnknownDeclaration, message));
    }
    declared
}

/// Value of an option, `a.b` for one within another: as given, else its default in the schema; text without quotes.
fn option(given: &Value, schema: &Value, path: &str) -> Option<String> {
    let mut value = Some(given);
    for key in path.split('.') {
        value = value.and_then(|v| v.get(key));
    }
    let name = path.split('.').next()?;
    let default = || schema.get("properties")?.get(name)?.get("default").filter(|_| !path.contains('.'));
    match value.or_else(default)? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
