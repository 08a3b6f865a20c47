//! Alternatives: finding the one that was meant, so that the message is about it and not about all of them.

use super::super::node::{Node, Value};
use super::super::path::Path;
use super::checker::Checker;
use super::values::{alternatives, phrase, types_asked, types_of, words_of};
use crate::diagnostics::{Code, Diagnostic, did_you_mean, list};
use serde_json::{Map, Value as Json};

/// Choices inside each other, and alternatives in all: a schema of a plugin may go in circles.
const DEEPEST_CHOICE: usize = 16;
const MOST_ALTERNATIVES: usize = 1000;

impl<'a> Checker<'a> {
    pub(super) fn check_choice(
        &mut self,
        node: &Node,
        alternatives: &'a [Json],
        path: &Path,
        description: Option<&'a Json>,
    ) {
        let mut all = Vec::new();
        self.flatten(alternatives, &mut all, 0);
        let about = description.and_then(Json::as_str).unwrap_or_default();
        let possible: Vec<&Json> = all.iter().copied().filter(|s| fits_type(node, s)).collect();
        match (possible.as_slice(), &node.value) {
            ([], _) => {
                let expected = expected_types(&all);
                self.wrong_type(node, path, &expected, about);
            }
            ([only], _) => self.check(node, only, path),
            (several, Value::String(text)) => self.check_word(node, text, several, path),
            (several, Value::Object(_)) => self.check_objects(node, several, path),
            (several, _) => self.check_best(node, several, path),
        }
    }

    /// Alternatives of alternatives and references are laid out flat.
    fn flatten(&self, alternatives: &'a [Json], all: &mut Vec<&'a Json>, depth: usize) {
        if depth > DEEPEST_CHOICE || all.len() > MOST_ALTERNATIVES {
            return;
        }
        for alternative in alternatives {
            let alternative = self.resolve(alternative);
            match alternative.get("oneOf").or_else(|| alternative.get("anyOf")).and_then(Json::as_array) {
                Some(inner) => self.flatten(inner, all, depth + 1),
                None => all.push(alternative),
            }
        }
    }

    fn check_word(&mut self, node: &Node, text: &str, possible: &[&'a Json], path: &Path) {
        let words: Option<Vec<Vec<&str>>> =
            possible.iter().map(|s| s.as_object().map(words_of).filter(|words| !words.is_empty())).collect();
        match words {
            Some(words) if words.iter().flatten().any(|w| *w == text) => {}
            Some(words) => self.unknown_word(node, text, &words.concat(), path),
            None => self.check_best(node, possible, path),
        }
    }

    fn check_objects(&mut self, node: &Node, possible: &[&'a Json], path: &Path) {
        if let Some(tag) = common_tag(possible) {
            self.check_tagged(node, tag, possible, path);
            return;
        }
        if self.found_two(node, possible, path) {
            return;
        }
        let overlap =
            |s: &Json| node.entries().iter().filter(|e| s["properties"].get(&e.key).is_some()).count();
        let most = possible.iter().map(|s| overlap(s)).max().unwrap_or(0);
        if most == 0 {
            self.no_alternative(node, possible, path);
            return;
        }
        let nearest: Vec<&Json> = possible.iter().copied().filter(|s| overlap(s) == most).collect();
        self.check_best(node, &nearest, path);
    }

    /// Keys of two alternatives at once, where no alternative has both: one is to be chosen.
    fn found_two(&mut self, node: &Node, possible: &[&'a Json], path: &Path) -> bool {
        let mut keys: Vec<&str> = possible.iter().filter_map(|s| first_required(s)).collect();
        keys.retain(|key| node.entry(key).is_some());
        keys.dedup();
        let has = |s: &Json, key: &str| s["properties"].get(key).is_some();
        let exclude = |a: &str, b: &str| a != b && !possible.iter().any(|s| has(s, a) && has(s, b));
        let two = keys.iter().flat_map(|a| keys.iter().map(move |b| (*a, *b))).find(|(a, b)| exclude(a, b));
        let Some((a, b)) = two else { return false };
        let message = format!("{} has both `{a}` and `{b}`", self.called(path));
        let all: Vec<&str> = possible.iter().filter_map(|s| first_required(s)).collect();
        let help = format!("keep one of the two: it has one of {}", list(all.iter().copied()));
        self.report(path, node, Code::Contradiction, message, help);
        true
    }

    /// Objects that one key tells apart, as `type` does shapes.
    fn check_tagged(&mut self, node: &Node, tag: &str, possible: &[&'a Json], path: &Path) {
        let word_of = |s: &'a Json| s["properties"][tag]["const"].as_str().unwrap_or_default();
        let words: Vec<&str> = possible.iter().map(|s| word_of(s)).collect();
        let tag_path = path.join(tag);
        match node.entry(tag).map(|e| &e.node) {
            None => {
                let message = format!("{} lacks the key `{tag}`", self.called(path));
                let help = format!("`{tag}` is one of {}", list(words.iter().copied()));
                let place = node.place.part(0, 1);
                self.diagnostics.push(Diagnostic::error(Code::MissingKey, message).at(place).help(help));
                self.bad.push(path.clone());
            }
            Some(value) => match value.as_str() {
                None => self.wrong_type(value, &tag_path, "a string", ""),
                Some(text) => match possible.iter().find(|s| word_of(s) == text) {
                    Some(meant) => self.check(node, meant, path),
                    None => {
                        self.unknown_word(value, text, &words, &tag_path);
                        self.bad.push(path.clone());
                    }
                },
            },
        }
    }

    /// An object with none of the keys of any alternative.
    fn no_alternative(&mut self, node: &Node, possible: &[&'a Json], path: &Path) {
        let keys: Vec<&str> = possible.iter().filter_map(|s| first_required(s)).collect();
        let help = format!("one of the keys {} is needed", list(keys.iter().copied()));
        for entry in node.entries() {
            if let Some(meant) = did_you_mean(&entry.key, keys.iter().copied()) {
                let message = format!("unknown key `{}` in {}", entry.key, self.called(path));
                let diagnostic = Diagnostic::error(Code::UnknownKey, message).at(entry.key_place.clone());
                self.diagnostics.push(diagnostic.help(format!("{meant} {help}")));
                self.bad.push(path.clone());
                return;
            }
        }
        let message = format!("{} has none of the keys it needs", self.called(path));
        self.report(path, node, Code::MissingKey, message, help);
    }

    /// The alternative with the fewest findings is the one that was meant.
    fn check_best(&mut self, node: &Node, possible: &[&'a Json], path: &Path) {
        let mut best: Option<(Vec<Diagnostic>, Vec<Path>)> = None;
        for schema in possible {
            let (diagnostics, bad) = (Vec::new(), Vec::new());
            let mut trial =
                Checker { root: self.root, subject: self.subject, diagnostics, bad, depth: self.depth };
            trial.check(node, schema, path);
            if best.as_ref().is_none_or(|(diagnostics, _)| trial.diagnostics.len() < diagnostics.len()) {
                best = Some((trial.diagnostics, trial.bad));
            }
        }
        let (diagnostics, bad) = best.unwrap_or_default();
        self.diagnostics.extend(diagnostics);
        self.bad.extend(bad);
    }
}

fn fits_type(node: &Node, schema: &Json) -> bool {
    let asked = types_asked(schema);
    asked.is_empty() || types_of(node).iter().any(|t| asked.contains(t))
}

/// The key that has a different constant in every alternative.
fn common_tag<'a>(possible: &[&'a Json]) -> Option<&'a str> {
    let properties = |s: &'a Json| s.get("properties").and_then(Json::as_object);
    let first: &'a Map<String, Json> = properties(possible.first()?)?;
    let is_tag = |key: &str| possible.iter().all(|s| s["properties"][key]["const"].is_string());
    first.keys().map(String::as_str).find(|key| is_tag(key))
}

fn first_required(schema: &Json) -> Option<&str> {
    schema.get("required")?.get(0)?.as_str()
}

/// "a number, "free" or an object with `position`".
fn expected_types(all: &[&Json]) -> String {
    let mut phrases: Vec<String> = Vec::new();
    let mut keys: Vec<String> = Vec::new();
    for schema in all {
        let words = schema.as_object().map(words_of).unwrap_or_default();
        let phrase = match (types_asked(schema).as_slice(), first_required(schema)) {
            (["null"], _) => continue,
            _ if !words.is_empty() => words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", "),
            (["object"], Some(key)) if common_tag(all).is_none() => {
                keys.push(format!("`{key}`"));
                continue;
            }
            (types, _) => {
                alternatives(types.iter().filter(|t| **t != "null").map(|t| phrase(t).to_owned()).collect())
            }
        };
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    if !keys.is_empty() {
        phrases.push(format!("an object with {}", alternatives(keys)));
    }
    alternatives(phrases)
}
