//! Checking a document against a JSON Schema, with messages for people.
//!
//! Only the keywords that this program's own schemas and those of plugin options use are known: type, const, enum,
//! properties, required, additionalProperties, propertyNames, items, minItems, maxItems, minimum, maximum,
//! exclusiveMinimum, exclusiveMaximum, minLength, pattern (of names), oneOf, anyOf, allOf, $ref to `#/…`. Others are not
//! checked here; a plugin refuses what is left when it reads its options.
//!
//! Ours because every finding needs a place in a file and one mistake is to give one sentence: see "An own schema check" in
//! `docs/src/decisions.md`.

mod checker;
mod choice;
mod values;

use super::node::{Node, Value};
use super::path::Path;
use crate::diagnostics::{Code, Diagnostic, Diagnostics, did_you_mean, list};
use checker::{BadPaths, Checker};
use serde_json::{Map, Value as Json};
use values::first_sentence;

pub use checker::Subject;

/// After so many findings in one document no more are looked for.
pub(crate) const MOST_FINDINGS: usize = 1000;

/// Schemas inside each other (a document has at most 512 levels): one of a plugin may go in circles.
const DEEPEST: usize = 2000;

/// Checks `node` against `schema`; findings go to `diagnostics`, the paths of wrong values are returned.
pub fn validate(node: &Node, schema: &Json, subject: &Subject, diagnostics: &mut Diagnostics) -> BadPaths {
    validate_at(node, schema, &Path::root(), subject, diagnostics)
}

/// Checks a part of a document that stands at `path`.
pub(crate) fn validate_at(
    node: &Node,
    schema: &Json,
    path: &Path,
    subject: &Subject,
    diagnostics: &mut Diagnostics,
) -> BadPaths {
    let mut checker = Checker { root: schema, subject, diagnostics: Vec::new(), bad: Vec::new(), depth: 0 };
    checker.check(node, schema, path);
    diagnostics.extend(checker.diagnostics);
    checker.bad
}

impl<'a> Checker<'a> {
    fn check(&mut self, node: &Node, schema: &'a Json, path: &Path) {
        if self.diagnostics.len() >= MOST_FINDINGS || self.depth >= DEEPEST {
            return;
        }
        self.depth += 1;
        self.check_keywords(node, schema, path);
        self.depth -= 1;
    }

    fn check_keywords(&mut self, node: &Node, schema: &'a Json, path: &Path) {
        if matches!(node.value, Value::Poisoned) {
            self.bad.push(path.clone());
            return;
        }
        let description = schema.get("description");
        let schema = self.resolve(schema);
        let Some(keywords) = schema.as_object() else { return };
        for all in keywords.get("allOf").and_then(Json::as_array).into_iter().flatten() {
            self.check(node, all, path);
        }
        if let Some(alternatives) =
            keywords.get("oneOf").or_else(|| keywords.get("anyOf")).and_then(Json::as_array)
        {
            self.check_choice(node, alternatives, path, description.or_else(|| schema.get("description")));
            return;
        }
        let about =
            description.or_else(|| schema.get("description")).and_then(Json::as_str).unwrap_or_default();
        if self.check_type(node, schema, path, about) {
            self.check_value(node, keywords, path, about);
            self.check_object(node, keywords, path);
            self.check_array(node, keywords, path, about);
        }
    }

    fn check_object(&mut self, node: &Node, keywords: &'a Map<String, Json>, path: &Path) {
        let Value::Object(entries) = &node.value else { return };
        let properties = keywords.get("properties").and_then(Json::as_object);
        let additional = keywords.get("additionalProperties");
        let known: Vec<&str> = properties.into_iter().flat_map(|p| p.keys().map(String::as_str)).collect();
        for entry in entries {
            if self.diagnostics.len() >= MOST_FINDINGS {
                return;
            }
            let path = path.join(entry.key.as_str());
            if let Some(schema) = properties.and_then(|p| p.get(&entry.key)) {
                self.check(&entry.node, schema, &path);
            } else if additional == Some(&Json::Bool(false)) {
                let parent = self.called(&path.parent());
                let mut unknown = self.unknown_key(&entry.key, &parent, &known, &path);
                unknown.place = Some(entry.key_place.clone());
                self.diagnostics.push(unknown);
                self.bad.push(path);
            } else {
                self.check_key(entry, keywords, &path);
                if let Some(schema) = additional.filter(|a| a.is_object()) {
                    self.check(&entry.node, schema, &path);
                }
            }
        }
        self.check_required(node, keywords, path);
    }

    fn unknown_key(&self, key: &str, parent: &str, known: &[&str], path: &Path) -> Diagnostic {
        let message = format!("unknown key `{key}` in {parent}");
        let help = match (did_you_mean(key, known.iter().copied()), other_space(key, path)) {
            (Some(meant), _) => format!("{meant} {}", self.subject.hint),
            (None, Some(reason)) => format!("{reason}; {}", self.subject.hint),
            (None, None) if known.is_empty() => format!("no keys are known here; {}", self.subject.hint),
            (None, None) => format!("known keys: {}; {}", list(known.iter().copied()), self.subject.hint),
        };
        Diagnostic::error(Code::UnknownKey, message).help(help)
    }

    /// Keys that are names chosen by the user.
    fn check_key(&mut self, entry: &super::Entry, keywords: &Map<String, Json>, path: &Path) {
        let pattern = keywords.get("propertyNames").and_then(|p| p.get("pattern"));
        if let Some(problem) = pattern.and_then(|p| values::bad_name(&entry.key, p)) {
            let diagnostic =
                Diagnostic::error(Code::UnknownValue, format!("the key `{}` {problem}", entry.key));
            self.diagnostics.push(diagnostic.at(entry.key_place.clone()).help(values::NAME_HELP));
            self.bad.push(path.clone());
        }
    }

    fn check_required(&mut self, node: &Node, keywords: &Map<String, Json>, path: &Path) {
        let required = keywords.get("required").and_then(Json::as_array);
        for key in required.into_iter().flatten().filter_map(Json::as_str) {
            if node.entry(key).is_some() {
                continue;
            }
            let about = keywords["properties"][key]["description"].as_str().unwrap_or_default();
            let what = if about.is_empty() {
                String::new()
            } else {
                format!("`{key}`: {}; ", first_sentence(about))
            };
            // A misspelt key is reported as unknown already; here only its absence is.
            let missing = format!("{} lacks the key `{key}`", self.called(path));
            let start = node.place.part(0, 1);
            let help = format!("{what}{}", self.subject.hint);
            self.diagnostics.push(Diagnostic::error(Code::MissingKey, missing).at(start).help(help));
            self.bad.push(path.clone());
        }
    }

    fn check_array(&mut self, node: &Node, keywords: &'a Map<String, Json>, path: &Path, about: &str) {
        let Value::Array(elements) = &node.value else { return };
        let bound = |key| keywords.get(key).and_then(Json::as_u64);
        let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(u64::MAX));
        let length = elements.len() as u64;
        if length < least || length > most {
            let expected = match (least, most) {
                (a, b) if a == b => format!("exactly {a}"),
                (a, u64::MAX) => format!("at least {a}"),
                (0, b) => format!("at most {b}"),
                (a, b) => format!("{a} to {b}"),
            };
            let entries = if expected.ends_with(" 1") { "entry" } else { "entries" };
            let message = format!("{} must have {expected} {entries}, found {length}", self.called(path));
            self.report(path, node, Code::WrongType, message, first_sentence(about));
        }
        if let Some(items) = keywords.get("items") {
            for (i, element) in elements.iter().enumerate() {
                self.check(element, items, &path.join(i));
            }
        }
    }
}

/// Keys that exist in scenes of the other space only.
fn other_space(key: &str, path: &Path) -> Option<String> {
    let inside_dofs = path.segments().iter().rev().nth(1) == Some(&"dofs".into());
    let text = match key {
        "orientation" => "a planar pose has `angle` (rad), `orientation` belongs to spatial scenes",
        "angle" if !inside_dofs => "a spatial pose has `orientation`, `angle` belongs to planar scenes",
        "z" | "rx" | "ry" | "rz" if inside_dofs => "this degree of freedom exists in spatial scenes only",
        "supports" | "support_gravity" => {
            "support points exist in planar scenes only: bodies that lie on the plane of the scene"
        }
        "trees" | "couplers" => "articulated trees exist in spatial scenes only",
        "angle" => "this degree of freedom exists in planar scenes only",
        _ => return None,
    };
    Some(text.to_owned())
}
