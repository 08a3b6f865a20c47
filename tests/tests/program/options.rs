//! Options of the shipped plugins: every number has bounds in the schema, and what is outside them is refused before anything is
//! allocated or counted by it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use vinci_abi::Manifest;
use vinci_abi::load::{LoadedPlugin, load};
use vinci_core::error::ErrorKind;
use vinci_core::model::SystemView;
use vinci_tests::experiment::{experiment, planar, set};
use vinci_tests::house;

/// Libraries of detectors, steppers and solvers, the optional one too where it was built.
fn plugins() -> Vec<LoadedPlugin> {
    let optional = house::build().parent().unwrap().join("highs/release");
    let mut paths: Vec<PathBuf> = [house::build().to_path_buf(), optional]
        .iter()
        .filter_map(|directory| std::fs::read_dir(directory).ok())
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| is_plugin(path.file_name().unwrap().to_str().unwrap()))
        .collect();
    paths.sort();
    paths.iter().map(|path| load(path).unwrap()).collect()
}

fn is_plugin(file: &str) -> bool {
    let name = file
        .strip_prefix(std::env::consts::DLL_PREFIX)
        .and_then(|f| f.strip_suffix(std::env::consts::DLL_SUFFIX));
    let roles = ["vinci_detector_", "vinci_stepper_", "vinci_solver_"];
    name.is_some_and(|name| roles.iter().any(|role| name.starts_with(role)))
}

/// A number in a schema: how it is reached, and where it stands.
struct Number<'a> {
    name: String,
    schema: &'a Value,
    /// A value in place of the number, as the options that hold it.
    options: Box<dyn Fn(Value) -> Value + 'a>,
}

/// All numbers below a schema; `wrap` makes options of a value at this place.
fn numbers<'a>(
    schema: &'a Value,
    root: &'a Value,
    name: &str,
    wrap: &'a dyn Fn(Value) -> Value,
    found: &mut Vec<Number<'a>>,
) {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(target.strip_prefix('#').unwrap()).unwrap();
        return numbers(target, root, name, wrap, found);
    }
    let is = |word: &str| match &schema["type"] {
        Value::String(one) => one == word,
        Value::Array(several) => several.iter().any(|s| s == word),
        _ => false,
    };
    if is("number") || is("integer") {
        found.push(Number { name: name.into(), schema, options: Box::new(wrap) });
    }
    for list in ["oneOf", "anyOf", "allOf"] {
        for inner in schema.get(list).and_then(Value::as_array).into_iter().flatten() {
            numbers(inner, root, name, wrap, found);
        }
    }
    for (key, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let deeper = &*Box::leak(Box::new(move |value| wrap([(key.clone(), value)].into_iter().collect())));
        numbers(inner, root, &format!("{name}.{key}"), deeper, found);
    }
    if is("array") {
        assert!(schema.get("maxItems").is_some(), "{name}: a list of any length");
        let deeper = &*Box::leak(Box::new(move |value| wrap(json!([value]))));
        numbers(&schema["items"], root, &format!("{name}[]"), deeper, found);
    }
}

fn all_numbers(manifest: &Manifest) -> Vec<Number<'_>> {
    let mut found = Vec::new();
    numbers(&manifest.options, &manifest.options, &manifest.id, &|value| value, &mut found);
    found
}

/// A bound below or above, whichever the keys name.
fn bound(schema: &Value, keys: [&str; 2]) -> Option<f64> {
    keys.iter().find_map(|key| schema.get(key)?.as_f64())
}

#[test]
fn every_numeric_option_has_bounds() {
    let (plugins, mut unbounded, mut count) = (plugins(), Vec::new(), 0);
    assert!(plugins.len() >= 19, "{} plugins", plugins.len());
    for number in plugins.iter().flat_map(LoadedPlugin::manifests).flat_map(all_numbers) {
        count += 1;
        let low = bound(number.schema, ["minimum", "exclusiveMinimum"]);
        let high = bound(number.schema, ["maximum", "exclusiveMaximum"]);
        match (low, high) {
            (Some(low), Some(high)) if low < high && low.is_finite() && high.is_finite() => {}
            _ => unbounded.push(number.name),
        }
    }
    assert!(unbounded.is_empty(), "without bounds: {}", unbounded.join(", "));
    assert!(count > 60, "only {count} numbers were found");
}

/// A system without anything in it: options are looked at before.
fn empty() -> SystemView<'static> {
    SystemView::NOTHING
}

/// Who calls a plugin without the host's checks is refused by the plugin's own side.
#[test]
fn plugins_refuse_numbers_out_of_bounds() {
    for plugin in plugins() {
        for manifest in plugin.manifests() {
            for number in all_numbers(manifest) {
                let high = bound(number.schema, ["maximum", "exclusiveMaximum"]).unwrap();
                let beyond = if number.schema["format"] == "double" {
                    json!(2.0 * high)
                } else {
                    json!(2 * high as u64 + 2)
                };
                let options = (number.options)(beyond).to_string();
                let refused = match manifest.role {
                    vinci_abi::Role::Detector => plugin.create_detector(&options, &empty()).err(),
                    vinci_abi::Role::Stepper => plugin.create_stepper(&options, &empty()).err(),
                    vinci_abi::Role::Solver => plugin.create_solver(&options, &empty()).err(),
                    vinci_abi::Role::Controller => plugin.create_controller(&options, &empty()).err(),
                };
                let error = refused.unwrap_or_else(|| panic!("{} took {options}", number.name));
                assert_eq!(error.kind, ErrorKind::BadOption, "{}: {error}", number.name);
                assert!(error.message.contains("at most") || error.message.contains("less than"), "{error}");
            }
        }
    }
}

/// 9007199254740990 directions aborted the check for want of memory, 10⁹ took for ever.
#[test]
fn a_count_out_of_bounds_is_refused_with_its_place() {
    let disc = json!({"name": "disc", "mass": 1, "shapes": [{"type": "disc", "radius": 0.1}]});
    let sound = experiment(planar(0.0, 0.0, json!([disc])), 0.01, 0.05);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("e.json");
    for found in [9_007_199_254_740_990_u64, 1_000_000_000, 3] {
        let options = json!({"plugin": "stewart-trinkle", "options": {"friction_directions": found}});
        let text = serde_json::to_string_pretty(&set(&sound, "/stepper", options)).unwrap();
        std::fs::write(&path, &text).unwrap();
        let output = Command::new(house::program()).arg("check").arg(&path).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{said}");
        let expected = format!(
            "`stepper.options.friction_directions` must be at least 4 and at most 1024, found {found}"
        );
        assert!(said.contains(&expected), "{said}");
        let line = 1 + text.lines().position(|line| line.contains("friction_directions")).unwrap();
        assert!(said.contains(&format!("e.json:{line}:")), "{said}");
    }
}
