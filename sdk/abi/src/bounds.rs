//! Options within the bounds that the plugin's own schema states, made sure of before its author's code runs: a count that
//! is out of bounds would be an allocation that ends the process.

use serde_json::Value;
use vinci_core::StageError;

/// References and alternatives that are followed inside each other; no schema of options needs more.
const DEEPEST: usize = 64;

/// Refuses numbers and lengths of lists outside the bounds that `schema` states. Text that is no JSON, unknown keys and wrong
/// types are left to the plugin, which says more about them.
pub(crate) fn check(options: &str, schema: &Value) -> Result<(), StageError> {
    let Ok(options) = serde_json::from_str::<Value>(options) else { return Ok(()) };
    let bounds = Bounds { root: schema };
    bounds.check(&options, schema, "", DEEPEST).map_err(StageError::bad_option)
}

struct Bounds<'a> {
    root: &'a Value,
}

impl<'a> Bounds<'a> {
    fn check(&self, value: &Value, schema: &'a Value, name: &str, depth: usize) -> Result<(), String> {
        let Some(deeper) = depth.checked_sub(1) else { return Ok(()) };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return target.map_or(Ok(()), |target| self.check(value, target, name, deeper));
        }
        for list in ["oneOf", "anyOf"] {
            if let Some(several) = schema.get(list).and_then(Value::as_array) {
                self.check_one_of(value, several, name, deeper)?;
            }
        }
        match value {
            Value::Number(_) => check_number(value, schema, name),
            Value::Array(list) => self.check_list(list, schema, name, deeper),
            Value::Object(map) => map.iter().try_for_each(|(key, value)| {
                let own = schema.get("properties").and_then(|known| known.get(key));
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                own.map_or(Ok(()), |own| self.check(value, own, &name, deeper))
            }),
            _ => Ok(()),
        }
    }

    /// One alternative that takes the value is enough.
    fn check_one_of(
        &self,
        value: &Value,
        several: &'a [Value],
        name: &str,
        depth: usize,
    ) -> Result<(), String> {
        let mut first = None;
        for schema in several.iter().filter(|s| self.fits(value, s)) {
            match self.check(value, schema, name, depth) {
                Ok(()) => return Ok(()),
                Err(refusal) => first = first.or(Some(refusal)),
            }
        }
        // Where no alternative is for values of this type the plugin refuses the value itself.
        first.map_or(Ok(()), Err)
    }

    /// Returns true if an alternative is for values of this type.
    fn fits(&self, value: &Value, schema: &Value) -> bool {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
        let schema = target.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema);
        let name = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let is = |word: &Value| word == name || (word == "integer" && name == "number");
        match schema.get("type") {
            Some(Value::Array(several)) => several.iter().any(is),
            Some(one) => is(one),
            None => true,
        }
    }

    fn check_list(&self, list: &[Value], schema: &'a Value, name: &str, depth: usize) -> Result<(), String> {
        let bound = |key: &str| schema.get(key).and_then(Value::as_u64);
        let length = list.len() as u64;
        if let Some(most) = bound("maxItems").filter(|most| length > *most) {
            return Err(format!("{name} must have at most {most} entries, found {length}"));
        }
        if let Some(least) = bound("minItems").filter(|least| length < *least) {
            return Err(format!("{name} must have at least {least} entries, found {length}"));
        }
        let Some(items) = schema.get("items") else { return Ok(()) };
        let entry = |(i, value)| self.check(value, items, &format!("{name}[{i}]"), depth);
        list.iter().enumerate().try_for_each(entry)
    }
}

/// A key of a schema, its words, and whether a number keeps a bound of it.
type Bound = (&'static str, &'static str, fn(f64, f64) -> bool);

fn check_number(value: &Value, schema: &Value, name: &str) -> Result<(), String> {
    let x = value.as_f64().unwrap_or(f64::NAN);
    let bounds: [Bound; 4] = [
        ("exclusiveMinimum", "greater than", |x, bound| x > bound),
        ("minimum", "at least", |x, bound| x >= bound),
        ("exclusiveMaximum", "less than", |x, bound| x < bound),
        ("maximum", "at most", |x, bound| x <= bound),
    ];
    let stated =
        || bounds.iter().filter_map(|(key, words, holds)| Some((schema.get(key)?.as_f64()?, words, holds)));
    if stated().all(|(bound, _, holds)| holds(x, bound)) {
        return Ok(());
    }
    let words: Vec<String> = stated().map(|(bound, words, _)| format!("{words} {bound}")).collect();
    Err(format!("{name} must be {}, found {value}", words.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "count": { "type": "integer", "minimum": 4, "maximum": 64 },
                "part": { "type": ["number", "null"], "exclusiveMinimum": 0, "exclusiveMaximum": 2 },
                "list": { "type": "array", "maxItems": 2, "items": { "type": "number", "maximum": 1.5 } },
                "inner": { "anyOf": [{ "$ref": "#/$defs/Inner" }, { "type": "null" }] },
            },
            "$defs": { "Inner": { "type": "object", "properties": { "kappa": { "maximum": 10 } } } },
        })
    }

    #[test]
    fn what_is_out_of_bounds_is_named_with_its_bounds() {
        for (options, message) in [
            (
                r#"{"count": 9007199254740990}"#,
                "count must be at least 4 and at most 64, found 9007199254740990",
            ),
            (r#"{"part": 0}"#, "part must be greater than 0 and less than 2, found 0"),
            (r#"{"part": 2}"#, "part must be greater than 0 and less than 2, found 2"),
            (r#"{"list": [1, 1, 1]}"#, "list must have at most 2 entries, found 3"),
            (r#"{"list": [1, 2]}"#, "list[1] must be at most 1.5, found 2"),
            (r#"{"inner": {"kappa": 11}}"#, "inner.kappa must be at most 10, found 11"),
        ] {
            assert_eq!(check(options, &schema()).unwrap_err(), StageError::bad_option(message), "{options}");
        }
    }

    #[test]
    fn what_is_within_bounds_and_what_is_the_plugins_to_judge_passes() {
        for options in [
            "",
            "{",
            "[]",
            r#"{"count": 4, "part": null, "list": [], "inner": null}"#,
            r#"{"inner": {"kappa": 10, "other": 1e300}, "unknown": 1e300, "count": "many"}"#,
        ] {
            assert_eq!(check(options, &schema()), Ok(()), "{options}");
        }
    }

    #[test]
    fn a_schema_that_goes_in_circles_ends() {
        let circle =
            json!({ "anyOf": [{ "$ref": "#" }], "properties": { "a": { "$ref": "#/properties/a" } } });
        assert_eq!(check(r#"{"a": 1}"#, &circle), Ok(()));
    }
}
