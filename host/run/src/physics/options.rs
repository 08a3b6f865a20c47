//! Values of options in force: given, or default.

use crate::used::Used;
use serde_json::Value;
use vinci_abi::Manifest;

/// The value of an option in force as text, given or default; none where it is null, false or unknown.
pub fn option_in_force(used: &Used, name: &str) -> Option<String> {
    value_of(&used.manifest, &used.options, name).filter(|value| value != "false")
}

/// The value of an option under these options (JSON), `a.b` for one within another: as given, else its default in the
/// schema; text without quotes, none where it is null or unknown.
pub(crate) fn value_of(manifest: &Manifest, options: &str, path: &str) -> Option<String> {
    let given: Value = serde_json::from_str(options).unwrap_or_default();
    let value = path.split('.').try_fold(&given, |value, key| value.get(key));
    let default = || manifest.options.get("properties")?.get(path)?.get("default");
    value.or_else(default).filter(|value| !value.is_null()).map(text_of)
}

/// A value as text: words without quotes, others as JSON.
pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
