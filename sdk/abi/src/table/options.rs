//! Options for a library that brings no reader of JSON: checked by its schema, completed, in one form.

use serde_json::{Map, Value};
use vinci_core::StageError;

use crate::{bounds, spelling};

/// Objects and lists inside each other that are followed; no options need more.
const DEEPEST: usize = 16;

/// Options as such a library gets them: a JSON object without spaces, keys in alphabetical order, none that the schema does not know,
/// types, words and bounds as it says, its defaults filled in.
pub fn complete(options: &str, schema: &Value) -> Result<String, StageError> {
    let text = if options.trim().is_empty() { "{}" } else { options };
    let bad = |why: String| StageError::bad_option(format!("options: {why}"));
    let mut value: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
    let Value::Object(map) = &mut value else {
        let start: String = text.chars().take(20).collect();
        return Err(bad(format!("a JSON object is expected, not `{start}`")));
    };
    check_keys(map, schema, DEEPEST).map_err(bad)?;
    bounds::check(text, schema)?;
    for (name, property) in properties(schema) {
        if let Some(default) = property.get("default").filter(|_| !map.contains_key(name)) {
            map.insert(name.clone(), default.clone());
        }
    }
    map.sort_keys();
    Ok(value.to_string())
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Known keys, each with a value that its schema takes.
fn check_keys(map: &Map<String, Value>, schema: &Value, depth: usize) -> Result<(), String> {
    for (key, value) in map {
        match schema.get("properties").and_then(|known| known.get(key)) {
            Some(property) => check(value, property, key, depth)?,
            None if schema.get("additionalProperties") == Some(&Value::Bool(false)) => {
                return Err(unknown(key, schema));
            }
            None => {}
        }
    }
    Ok(())
}

fn unknown(key: &str, schema: &Value) -> String {
    let mut known: Vec<&str> = properties(schema).map(|(name, _)| name.as_str()).collect();
    known.sort_unstable();
    if known.is_empty() {
        return format!("unknown field `{key}`, there are no options");
    }
    let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match spelling::nearest(key, known) {
        Some(near) => format!("unknown field `{key}`, expected one of {list}; did you mean `{near}`?"),
        None => format!("unknown field `{key}`, expected one of {list}"),
    }
}

/// A value of a type, and among the words, that the schema names. What it says in other ways is left to the library.
fn check(value: &Value, schema: &Value, name: &str, depth: usize) -> Result<(), String> {
    let Some(deeper) = depth.checked_sub(1) else { return Err(format!("{name} lies too deep")) };
    let named = match schema.get("type") {
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    if !named.is_empty() && !named.iter().any(|kind| is(value, kind)) {
        return Err(format!("{name} must be of type {}, found {value}", named.join(" or ")));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array).filter(|words| !words.contains(value)) {
        let words: Vec<String> = words.iter().map(Value::to_string).collect();
        return Err(format!("{name} must be one of {}, found {value}", words.join(", ")));
    }
    match value {
        Value::Object(map) => check_keys(map, schema, deeper),
        Value::Array(list) => list.iter().try_for_each(|entry| {
            schema.get("items").map_or(Ok(()), |items| check(entry, items, name, deeper))
        }),
        _ => Ok(()),
    }
}

/// Returns true if a value is of a type of JSON Schema.
fn is(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|x| x.fract() == 0.0),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "omega": { "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 2, "default": 1.0 },
                "max_sweeps": { "type": "integer", "minimum": 1, "default": 1000 },
                "rule": { "type": "string", "enum": ["least", "lexicographic"], "default": "least" },
                "list": { "type": "array", "items": { "type": "number" } },
                "limit": { "type": ["number", "null"] },
            },
        })
    }

    #[test]
    fn defaults_are_filled_in_and_keys_are_in_order() {
        assert_eq!(complete("", &schema()).unwrap(), r#"{"max_sweeps":1000,"omega":1.0,"rule":"least"}"#);
        let given = r#" { "rule" : "lexicographic", "omega": 1.5, "limit": null, "list": [ 1, 2 ] } "#;
        let expected = r#"{"limit":null,"list":[1,2],"max_sweeps":1000,"omega":1.5,"rule":"lexicographic"}"#;
        assert_eq!(complete(given, &schema()).unwrap(), expected);
    }

    #[test]
    fn what_the_schema_does_not_take_is_refused_with_what_it_takes() {
        for (options, message) in [
            ("7", "options: a JSON object is expected, not `7`"),
            (
                r#"{"max_sweep": 3}"#,
                "options: unknown field `max_sweep`, expected one of `limit`, `list`, `max_sweeps`, `omega`, `rule`; \
                 did you mean `max_sweeps`?",
            ),
            (r#"{"omega": "x"}"#, r#"options: omega must be of type number, found "x""#),
            (r#"{"limit": true}"#, "options: limit must be of type number or null, found true"),
            (r#"{"max_sweeps": 1.5}"#, "options: max_sweeps must be of type integer, found 1.5"),
            (r#"{"list": [1, {}]}"#, "options: list must be of type number, found {}"),
            (r#"{"rule": "best"}"#, r#"options: rule must be one of "least", "lexicographic", found "best""#),
            (r#"{"omega": 2}"#, "omega must be greater than 0 and less than 2, found 2"),
        ] {
            assert_eq!(
                complete(options, &schema()).unwrap_err(),
                StageError::bad_option(message),
                "{options}"
            );
        }
        let none = json!({ "type": "object", "additionalProperties": false });
        let message = "options: unknown field `a`, there are no options";
        assert_eq!(complete(r#"{"a": 1}"#, &none).unwrap_err(), StageError::bad_option(message));
    }
}
