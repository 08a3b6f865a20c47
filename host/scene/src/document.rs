//! Documents of formats that other crates have: checked against the schema of their type, then typed.

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::node::Node;
use super::schema::generate;
use super::validate::{Subject, validate};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};

/// The typed value of a document, if its keys and types are right; what is wrong goes to `diagnostics`.
pub fn typed_document<T: JsonSchema + DeserializeOwned>(
    node: &Node,
    subject: &Subject,
    diagnostics: &mut Diagnostics,
) -> Option<T> {
    validate(node, &generate::<T>(), subject, diagnostics);
    if diagnostics.has_errors() {
        return None;
    }
    let typed = serde_json::from_value(node.to_json());
    typed
        .map_err(|e| {
            diagnostics.push(Diagnostic::error(Code::WrongType, e.to_string()).at(node.place.part(0, 1)))
        })
        .ok()
}
