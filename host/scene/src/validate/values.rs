//! Types and values of single JSON values.

use super::super::node::{Node, Value};
use super::super::path::Path;
use super::checker::Checker;
use crate::diagnostics::{Code, Diagnostic, called_here, did_you_mean, list};
use crate::types::NAME_PATTERN;
use serde_json::{Map, Value as Json};

/// Rule for names, in words.
pub(super) const NAME_HELP: &str =
    "names begin with a letter or `_` and go on with letters, digits, `_` and `-`";

/// JSON type names a node answers to.
pub(super) fn types_of(node: &Node) -> &'static [&'static str] {
    match &node.value {
        Value::Null => &["null"],
        Value::Bool(_) => &["boolean"],
        Value::Number(n) if n.is_u64() || n.is_i64() => &["integer", "number"],
        Value::Number(n) if n.as_f64().is_some_and(|x| x.fract() == 0.0 && x.abs() < 9e15) => {
            &["integer", "number"]
        }
        Value::Number(_) => &["number"],
        Value::String(_) => &["string"],
        Value::Array(_) => &["array"],
        Value::Object(_) => &["object"],
        Value::Poisoned => &[],
    }
}

/// The types a schema without alternatives asks for; empty: any.
pub(super) fn types_asked(schema: &Json) -> Vec<&str> {
    match schema.get("type") {
        Some(Json::String(one)) => vec![one],
        Some(Json::Array(several)) => several.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    }
}

/// "a number", "an array".
pub(super) fn phrase(name: &str) -> &'static str {
    match name {
        "number" => "a number",
        "integer" => "a whole number",
        "string" => "a string",
        "boolean" => "true or false",
        "array" => "an array",
        "object" => "an object",
        "null" => "null",
        _ => "a value",
    }
}

/// "a, b or c".
pub(super) fn alternatives(mut words: Vec<String>) -> String {
    words.dedup();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => "a value".into(),
    }
}

/// The fault of a name, if the pattern is that of names.
pub(super) fn bad_name(name: &str, pattern: &Json) -> Option<&'static str> {
    if pattern != NAME_PATTERN {
        return None;
    }
    let mut chars = name.chars();
    let start = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let rest = chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (!(start && rest)).then_some("is not a name")
}

impl<'a> Checker<'a> {
    /// Returns true if the type is right; reported if not.
    pub(super) fn check_type(&mut self, node: &Node, schema: &'a Json, path: &Path, about: &str) -> bool {
        let asked = types_asked(schema);
        if asked.is_empty() || types_of(node).iter().any(|t| asked.contains(t)) {
            return true;
        }
        let expected =
            alternatives(asked.iter().filter(|t| **t != "null").map(|t| phrase(t).to_owned()).collect());
        self.wrong_type(node, path, &expected, about);
        false
    }

    /// Reports a value of the wrong type.
    pub(super) fn wrong_type(&mut self, node: &Node, path: &Path, expected: &str, about: &str) {
        let message = format!("{} must be {expected}, found {}", self.called(path), node.describe());
        let quoted_number =
            expected.contains("number") && node.as_str().is_some_and(|s| s.parse::<f64>().is_ok());
        let help = if quoted_number { "remove the quotes".into() } else { first_sentence(about) };
        self.report(path, node, Code::WrongType, message, help);
    }

    pub(super) fn check_value(
        &mut self,
        node: &Node,
        keywords: &Map<String, Json>,
        path: &Path,
        about: &str,
    ) {
        match &node.value {
            Value::Number(_) => self.check_range(node, keywords, path, about),
            Value::String(text) => self.check_text(node, text, keywords, path, about),
            _ => {}
        }
    }

    fn check_range(&mut self, node: &Node, keywords: &Map<String, Json>, path: &Path, about: &str) {
        let (Some(x), bound) = (node.as_f64(), |key| keywords.get(key).and_then(Json::as_f64)) else {
            return;
        };
        let low =
            bound("minimum").is_some_and(|m| x < m) || bound("exclusiveMinimum").is_some_and(|m| x <= m);
        let high =
            bound("maximum").is_some_and(|m| x > m) || bound("exclusiveMaximum").is_some_and(|m| x >= m);
        if !low && !high {
            return;
        }
        let words = [
            ("exclusiveMinimum", "greater than"),
            ("minimum", "at least"),
            ("exclusiveMaximum", "less than"),
            ("maximum", "at most"),
        ];
        let limits: Vec<String> = words
            .iter()
            .filter_map(|(key, word)| keywords.get(*key).map(|limit| format!("{word} {limit}")))
            .collect();
        let message =
            format!("{} must be {}, found {}", self.called(path), limits.join(" and "), node.describe());
        self.report(path, node, Code::OutOfRange, message, first_sentence(about));
    }

    fn check_text(
        &mut self,
        node: &Node,
        text: &str,
        keywords: &Map<String, Json>,
        path: &Path,
        about: &str,
    ) {
        let shortest = keywords.get("minLength").and_then(Json::as_u64).unwrap_or(0);
        if (text.chars().count() as u64) < shortest {
            let message = format!("{} must not be empty", self.called(path));
            self.report(path, node, Code::OutOfRange, message, first_sentence(about));
        } else if let Some(problem) = keywords.get("pattern").and_then(|p| bad_name(text, p)) {
            let message = format!("{}: \"{text}\" {problem}", self.called(path));
            let diagnostic = Diagnostic::error(Code::UnknownValue, message).at(node.place.clone());
            self.diagnostics.push(diagnostic.help(NAME_HELP));
        } else {
            let words: Vec<&str> = words_of(keywords);
            if !words.is_empty() && !words.contains(&text) {
                self.unknown_word(node, text, &words, path);
            }
        }
    }

    /// Reports a word that is not among the allowed ones.
    pub(super) fn unknown_word(&mut self, node: &Node, text: &str, words: &[&str], path: &Path) {
        let message = match words {
            [only] => format!("{} must be \"{only}\", found \"{text}\"", self.called(path)),
            _ => format!("{} has the unknown value \"{text}\"", self.called(path)),
        };
        let here = called_here(text, words).or_else(|| called_across(text, words));
        let here = here.map(|word| format!("here it is called `{word}`;"));
        let meant = here.or_else(|| did_you_mean(text, words.iter().copied()));
        let meant = meant.map_or_else(String::new, |m| m + " ");
        let help = match words {
            [_] => String::new(),
            _ => format!("{meant}known values: {}", list(words.iter().copied())),
        };
        self.report(path, node, Code::UnknownValue, message, help);
    }
}

/// Shapes of the plane, and what stands for them in space.
const ACROSS: [[&str; 2]; 3] = [["disc", "ball"], ["half-plane", "half-space"], ["polygon", "convex-hull"]];

/// The name of what is called so in a scene of the other space.
fn called_across<'a>(found: &str, words: &[&'a str]) -> Option<&'a str> {
    let other = |[plane, space]: [&'static str; 2]| match found {
        _ if found == plane => Some(space),
        _ if found == space => Some(plane),
        _ => None,
    };
    let name = ACROSS.into_iter().find_map(other)?;
    words.iter().copied().find(|word| *word == name)
}

/// The strings that `const` and `enum` allow.
pub(super) fn words_of(keywords: &Map<String, Json>) -> Vec<&str> {
    let several = keywords.get("enum").and_then(Json::as_array);
    keywords.get("const").into_iter().chain(several.into_iter().flatten()).filter_map(Json::as_str).collect()
}

/// The beginning of a description up to its first full stop, for help lines.
pub(crate) fn first_sentence(text: &str) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.find(". ") {
        Some(end) => joined[..end].to_owned(),
        None => joined.trim_end_matches('.').to_owned(),
    }
}
