//! Options: JSON text in, the plugin author's struct out, with errors that help.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use vinci_abi::Manifest;
use vinci_abi::spelling::nearest;
use vinci_core::StageError;

/// Puts the JSON Schema of an options type into a manifest.
pub trait OptionsSchema {
    /// With the options of type `T`.
    fn options<T: JsonSchema>(self) -> Self;
}

impl OptionsSchema for Manifest {
    fn options<T: JsonSchema>(self) -> Self {
        self.options_schema(schemars::schema_for!(T).to_value())
    }
}

/// Options of a plugin that leaves nothing to choose: no option is known. (A manifest without options says the same.)
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoOptions {}

/// Options from JSON text; an empty text means `{}`. An unknown key is refused with the nearest known one.
pub fn parse_options<T: DeserializeOwned>(json: &str) -> Result<T, StageError> {
    let text = if json.trim().is_empty() { "{}" } else { json };
    // serde would take an array as the fields in order.
    if !text.trim_start().starts_with('{') {
        let start: String = text.chars().take(20).collect();
        return Err(StageError::bad_option(format!("options: a JSON object is expected, not `{start}`")));
    }
    serde_json::from_str(text).map_err(|error| StageError::bad_option(explain(&error.to_string())))
}

/// serde's "unknown field `x`, expected one of `a`, `b` at line 1 column 9" with a suggestion; other messages as they are.
fn explain(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let Some(found) = quoted.next().filter(|_| message.starts_with("unknown ")) else {
        return format!("options: {message}");
    };
    match nearest(found, quoted) {
        Some(known) => format!("options: {message}; did you mean `{known}`?"),
        None => format!("options: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vinci_core::error::ErrorKind;

    #[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields)]
    struct Config {
        /// Sweeps at most.
        max_sweeps: u32,
        /// Over-relaxation.
        omega: f64,
        /// How.
        rule: Rule,
    }

    #[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Rule {
        #[default]
        MinRatio,
        Lexicographic,
    }

    #[test]
    fn nothing_gives_the_defaults() {
        for text in ["", "  ", "{}"] {
            assert_eq!(parse_options::<Config>(text).unwrap(), Config::default());
        }
        assert_eq!(parse_options::<Config>(r#"{"max_sweeps": 7}"#).unwrap().max_sweeps, 7);
    }

    #[test]
    fn unknown_keys_and_values_come_with_advice() {
        let error = parse_options::<Config>(r#"{"max_sweep": 7}"#).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadOption);
        assert_eq!(
            error.message,
            "options: unknown field `max_sweep`, expected one of `max_sweeps`, `omega`, `rule` at line 1 column 12; \
             did you mean `max_sweeps`?"
        );
        let error = parse_options::<Config>(r#"{"rule": "lexicographc"}"#).unwrap_err();
        assert!(error.message.ends_with("did you mean `lexicographic`?"), "{error}");
        let error = parse_options::<NoOptions>(r#"{"tolerance": 1}"#).unwrap_err();
        assert_eq!(
            error.message,
            "options: unknown field `tolerance`, there are no fields at line 1 column 12"
        );
        let error = parse_options::<Config>(r#"{"tolerance": 1}"#).unwrap_err();
        assert!(!error.message.contains("did you mean"), "{error}");
    }

    #[test]
    fn broken_json_and_wrong_types_are_refused_with_their_place() {
        for text in ["{", "[]", "7", r#"{"omega": "fast"}"#, r#"{"omega": 1e999}"#, "null"] {
            let error = parse_options::<Config>(text).unwrap_err();
            assert_eq!(error.kind, ErrorKind::BadOption, "{text}");
            assert!(error.message.starts_with("options: "), "{error}");
        }
    }

    #[test]
    fn the_schema_knows_keys_and_comments() {
        let manifest = Manifest::new("a.solver.b", vinci_abi::Role::Solver, "1.0.0").options::<Config>();
        let text = manifest.options.to_string();
        assert!(text.contains("max_sweeps") && text.contains("Sweeps at most."), "{text}");
        assert_eq!(manifest.options["additionalProperties"], serde_json::json!(false));
    }
}
