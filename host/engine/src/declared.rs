//! The law that a stepper declares: the words of its manifest under the options of a run.

use serde_json::Value;
use vinci_abi::Manifest;
use vinci_abi::parameters::{RESTITUTION, Reading};
use vinci_core::referee::Declaration;

/// The words of a manifest under these options, JSON.
pub fn declared(manifest: &Manifest, options: &str) -> Declaration {
    Declaration::read(&manifest.declares, |path| value_of(manifest, options, path))
}

/// The law that the referee holds a stepper to: its declaration, without the parts that the manifest says it ignores, for
/// [`Simulation::judged_by`](crate::pipeline::Simulation::judged_by). Without one, a simulation is held to the strictest law.
pub fn law_of(manifest: &Manifest, options: &str) -> Declaration {
    let mut law = declared(manifest, options);
    // What a stepper leaves out is told before the run; what it does not speak of it owes.
    let reading = manifest.parameters.reading(RESTITUTION, |path| value_of(manifest, options, path));
    if matches!(reading, Reading::Ignored | Reading::Refused) {
        law.restitution = None;
    }
    if manifest.has_capability("deviates") {
        law.words.push("deviates".into());
    }
    law
}

/// The value of an option under these options (JSON), `a.b` for one within another: as given, else its default in the
/// schema; text without quotes, none where it is null or unknown.
pub fn value_of(manifest: &Manifest, options: &str, path: &str) -> Option<String> {
    let given: Value = serde_json::from_str(options).unwrap_or_default();
    let value = path.split('.').try_fold(&given, |value, key| value.get(key));
    let default = || manifest.options.get("properties")?.get(path)?.get("default");
    value.or_else(default).filter(|value| !value.is_null()).map(text_of)
}

/// A value as text: words without quotes, others as JSON.
pub fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
