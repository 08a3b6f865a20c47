//! Values of options in force: given, or default.

use crate::used::Used;
use vinci_abi::Manifest;

/// The value of an option in force as text, given or default; none where it is null, false or unknown.
pub fn option_in_force(used: &Used, name: &str) -> Option<String> {
    option_of(&used.manifest, &used.options, name)
}

/// The same under these options, JSON.
pub(crate) fn option_of(manifest: &Manifest, options: &str, name: &str) -> Option<String> {
    let given: serde_json::Value = serde_json::from_str(options).ok()?;
    let default = manifest.options.pointer(&format!("/properties/{name}/default"));
    match given.get(name).or(default)? {
        serde_json::Value::Null | serde_json::Value::Bool(false) => None,
        serde_json::Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
