//! A document being checked: what it is called, and what was found.

use crate::diagnostics::{Code, Diagnostic};
use crate::node::Node;
use crate::path::Path;
use serde_json::Value as Json;

/// Document that is being checked, for the next step in messages.
#[derive(Debug, Clone)]
pub struct Subject {
    /// Name of the root: `the scene`.
    pub name: String,
    /// Where all keys can be read: "`vinci schema scene` prints all keys".
    pub hint: String,
}

/// The paths that were found wrong, so that later checks can leave them out.
pub(crate) type BadPaths = Vec<Path>;

/// The check of one document.
pub(super) struct Checker<'a> {
    pub(super) root: &'a Json,
    pub(super) subject: &'a Subject,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) bad: BadPaths,
    pub(super) depth: usize,
}

impl<'a> Checker<'a> {
    /// Notes a finding.
    pub(super) fn report(&mut self, path: &Path, node: &Node, code: Code, message: String, help: String) {
        self.diagnostics.push(Diagnostic::error(code, message).at(node.place.clone()).help(help));
        self.bad.push(path.clone());
    }

    /// How a value is called in messages.
    pub(super) fn called(&self, path: &Path) -> String {
        if path.segments().is_empty() { self.subject.name.clone() } else { format!("`{path}`") }
    }

    /// Follows `$ref` (keywords beside a reference say nothing that is checked).
    pub(super) fn resolve(&self, schema: &'a Json) -> &'a Json {
        let mut schema = schema;
        for _ in 0..16 {
            let Some(reference) = schema.get("$ref").and_then(Json::as_str) else { break };
            match reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }
}
