//! Manifests of plugins, and options checked against the schemas in them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use vinci_scene::diagnostics::{TextSpan, Source};
use vinci_scene::{Entry, Node, Path, Value, validate_options};
use vinci_abi::Manifest;

fuzz_target!(|bytes: &[u8]| {
    let Ok(manifests) = serde_json::from_slice::<Vec<Manifest>>(bytes) else { return };
    let source = Source::new("options", "{}");
    let place = TextSpan::new(&source, 0, 2);
    let numbers =
        [0.0, -1.0, 1e300].map(|x| serde_json::Number::from_f64(x).map_or(Value::Null, Value::Number));
    for manifest in manifests {
        let keys =
            manifest.options["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone());
        let entry = |(key, value): (String, Value)| Entry {
            key,
            key_place: place.clone(),
            node: Node::new(value, place.clone()),
            carried: false,
        };
        let entries = keys.zip(numbers.iter().cycle().cloned()).map(entry).collect();
        let options = Node::new(Value::Object(entries), place.clone());
        let _ = validate_options(&options, &manifest.options, &Path::root(), &manifest.id);
    }
});
