//! What a manifest declares under the options of a run.

use serde_json::Value;
use vinci_abi::Manifest;
use vinci_core::referee::Declaration;

/// The words of a manifest under these options, JSON.
pub(crate) fn declared(manifest: &Manifest, options: &str) -> Declaration {
    Declaration::read(&manifest.declares, |path| value_of(manifest, options, path))
}

/// The value of an option, `a.b` for one within another, as text.
pub(crate) fn value_of(manifest: &Manifest, options: &str, path: &str) -> Option<String> {
    let given: Value = serde_json::from_str(options).unwrap_or_default();
    option(&given, &manifest.options, path)
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
