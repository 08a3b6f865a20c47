//! JSON Schemas of the formats, generated from the types.

use super::experiment::Experiment;
use super::types::Scene;
use crate::types::SpaceName;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Dialect of the published schemas.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// An option schema of a plugin, for [`experiment_schema`].
#[derive(Debug, Clone)]
pub struct PluginSchema {
    /// `detector`, `stepper`, `solver` or `controller`.
    pub role: String,
    /// Id of the plugin.
    pub id: String,
    /// JSON Schema of its options.
    pub options: Value,
}

/// The schema of scenes of one space, with marks resolved: what the checks use.
pub(crate) fn scene_schema_for(space: SpaceName) -> Value {
    let mut schema = generate::<Scene>();
    specialise(&mut schema, space);
    schema["properties"]["space"]["const"] = json!(space_name(space));
    schema
}

/// The schema of complete experiments (after `extends`): what the checks use.
pub(crate) fn complete_experiment_schema() -> Value {
    generate::<Experiment>()
}

/// The published schema of scenes: planar or spatial.
pub fn scene_schema() -> Value {
    let variants =
        [SpaceName::Planar, SpaceName::Spatial].map(|s| (capital(space_name(s)), scene_schema_for(s)));
    publish("scene", "Vinci scene, version 1", variants)
}

/// The published schema of experiments: complete, or with `extends` and any part missing. With `plugins`, the options of
/// each of them are described as well.
pub fn experiment_schema(plugins: &[PluginSchema]) -> Value {
    let mut complete = complete_experiment_schema();
    describe_plugins(&mut complete, plugins);
    let mut partial = complete.clone();
    remove_required(&mut partial);
    partial["required"] = json!(["format", "extends"]);
    if let Some(properties) = complete["properties"].as_object_mut() {
        properties.remove("extends");
    }
    publish(
        "experiment",
        "Vinci experiment, version 1",
        [("Complete".into(), complete), ("Partial".into(), partial)],
    )
}

/// The schema of a type.
pub fn generate<T: schemars::JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

/// Name of a space as scenes write it.
pub(crate) fn space_name(space: SpaceName) -> &'static str {
    match space {
        SpaceName::Planar => "planar",
        SpaceName::Spatial => "spatial",
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Resolves the marks `x-space`, `x-length` and `x-items-length` for one space.
fn specialise(schema: &mut Value, space: SpaceName) {
    let foreign = |v: &Value| v.get("x-space").is_some_and(|s| s != space_name(space));
    match schema {
        Value::Array(alternatives) => {
            alternatives.retain(|a| !foreign(a));
            alternatives.iter_mut().for_each(|a| specialise(a, space));
        }
        Value::Object(map) => {
            if let Some(Value::Object(properties)) = map.get_mut("properties") {
                properties.retain(|_, p| !foreign(p));
            }
            if let Some(length) = map.remove("x-length").and_then(|kind| length_of(&kind, space)) {
                map.insert("minItems".into(), length.into());
                map.insert("maxItems".into(), length.into());
            }
            if let Some(length) = map.remove("x-items-length").and_then(|kind| length_of(&kind, space)) {
                map["items"]["minItems"] = length.into();
                map["items"]["maxItems"] = length.into();
            }
            if map.remove("x-items-positive").is_some() {
                map["items"]["exclusiveMinimum"] = 0.into();
            }
            map.remove("x-space");
            map.values_mut().for_each(|v| specialise(v, space));
        }
        _ => {}
    }
}

fn length_of(kind: &Value, space: SpaceName) -> Option<usize> {
    match (kind.as_str()?, space) {
        ("vector", SpaceName::Planar) => Some(2),
        ("vector", SpaceName::Spatial) | ("dofs", SpaceName::Planar) => Some(3),
        ("dofs", SpaceName::Spatial) => Some(6),
        _ => None,
    }
}

fn remove_required(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.remove("required");
            map.values_mut().for_each(remove_required);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_required),
        _ => {}
    }
}

/// Adds, for each plugin, "if `plugin` is this id, `options` are these". The plugin's schema is a resource of its own
/// (`$id`), so that its references stay inside it.
fn describe_plugins(schema: &mut Value, plugins: &[PluginSchema]) {
    let definitions =
        [("detector", "Detector"), ("stepper", "Plugin"), ("solver", "Solver"), ("controller", "Controller")];
    for (role, definition) in definitions {
        let rules: Vec<Value> = plugins
            .iter()
            .filter(|p| p.role == role)
            .map(|p| {
                let mut options = p.options.clone();
                options["$id"] = json!(format!("{}.options.schema.json", p.id));
                json!({ "if": { "properties": { "plugin": { "const": p.id } } }, "then": { "properties": { "options": options } } })
            })
            .collect();
        if !rules.is_empty() {
            schema["$defs"][definition]["allOf"] = Value::Array(rules);
        }
    }
}

/// Key by which editors name the schema of a file; readers pass it over.
pub(crate) const SCHEMA_KEY: &str = "$schema";

/// Lets documents name their schema.
pub fn allow_schema_key(schema: &mut Value) {
    let key = json!({ "type": "string", "description": "The schema of this file, for editors." });
    schema["properties"][SCHEMA_KEY] = key;
}

/// One schema with alternatives at its root, the definitions of each under names of their own.
fn publish<const N: usize>(name: &str, title: &str, variants: [(String, Value); N]) -> Value {
    let mut definitions = Map::new();
    let mut alternatives = Vec::new();
    for (prefix, mut schema) in variants {
        let own = schema.as_object_mut().and_then(|root| {
            root.remove("$schema");
            root.remove("$defs")
        });
        rename_references(&mut schema, &prefix);
        allow_schema_key(&mut schema);
        for (key, mut definition) in own.as_ref().and_then(Value::as_object).cloned().unwrap_or_default() {
            rename_references(&mut definition, &prefix);
            definitions.insert(format!("{prefix}{key}"), definition);
        }
        schema["title"] = json!(format!("{prefix} {name}"));
        alternatives.push(schema);
    }
    let mut root = json!({ "$schema": DIALECT, "$id": format!("{name}.schema.json"), "title": title });
    root["oneOf"] = Value::Array(alternatives);
    root["$defs"] = Value::Object(definitions);
    finish(&mut root);
    root
}

fn rename_references(schema: &mut Value, prefix: &str) {
    match schema {
        Value::Object(map) if map.contains_key("$id") => {}
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("#/$defs/{prefix}{name}");
            }
            map.values_mut().for_each(|v| rename_references(v, prefix));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| rename_references(v, prefix)),
        _ => {}
    }
}

/// Turns the mark of inline scenes into a reference to the scene schema.
fn finish(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            if map.remove("x-format").is_some() {
                map.remove("type");
                map.insert("$ref".into(), json!("scene.schema.json"));
            }
            map.values_mut().for_each(finish);
        }
        Value::Array(items) => items.iter_mut().for_each(finish),
        _ => {}
    }
}
