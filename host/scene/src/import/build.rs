//! Values of a scene with the place of the model they came from.

use crate::diagnostics::TextSpan;
use crate::{Entry, Node, Value};
use serde_json::Number;

pub(super) fn text(value: impl Into<String>, place: &TextSpan) -> Node {
    Node::new(Value::String(value.into()), place.clone())
}

/// A finite number (others become null; readers refuse them before).
pub(super) fn number(value: f64, place: &TextSpan) -> Node {
    Node::new(Number::from_f64(value).map_or(Value::Null, Value::Number), place.clone())
}

pub(super) fn numbers(values: &[f64], place: &TextSpan) -> Node {
    array(values.iter().map(|x| number(*x, place)).collect(), place)
}

pub(super) fn array(elements: Vec<Node>, place: &TextSpan) -> Node {
    Node::new(Value::Array(elements), place.clone())
}

pub(super) fn object(entries: Vec<(&str, Node)>, place: &TextSpan) -> Node {
    let entry = |(key, node): (&str, Node)| Entry {
        key: key.to_owned(),
        key_place: node.place.clone(),
        node,
        carried: false,
    };
    Node::new(Value::Object(entries.into_iter().map(entry).collect()), place.clone())
}
