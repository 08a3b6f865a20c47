//! Values of a scene with the place of the model they came from.

use crate::diagnostics::TextSpan;
use crate::{Entry, Node, Value};
use nalgebra::{Isometry3, Vector3};
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

pub(super) fn flag(value: bool, place: &TextSpan) -> Node {
    Node::new(Value::Bool(value), place.clone())
}

/// A key with its value.
pub(super) fn entry(key: &str, node: Node) -> Entry {
    Entry { key: key.to_owned(), key_place: node.place.clone(), node, carried: false }
}

/// An object with keys of its own.
pub(super) fn map(entries: impl Iterator<Item = (String, Node)>, place: &TextSpan) -> Node {
    Node::new(Value::Object(entries.map(|(key, node)| entry(&key, node)).collect()), place.clone())
}

/// The keys `position` and `orientation`, where they are not the identity.
pub(super) fn pose(pose: &Isometry3<f64>, place: &TextSpan) -> Vec<(&'static str, Node)> {
    let mut entries = Vec::new();
    let (p, q) = (pose.translation.vector, pose.rotation);
    if p != Vector3::zeros() {
        entries.push(("position", numbers(p.as_slice(), place)));
    }
    if (q.i, q.j, q.k) != (0.0, 0.0, 0.0) {
        let quaternion = numbers(&[q.w, q.i, q.j, q.k], place);
        entries.push(("orientation", object(vec![("quaternion", quaternion)], place)));
    }
    entries
}

pub(super) fn array(elements: Vec<Node>, place: &TextSpan) -> Node {
    Node::new(Value::Array(elements), place.clone())
}

pub(super) fn object(entries: Vec<(&str, Node)>, place: &TextSpan) -> Node {
    let entries = entries.into_iter().map(|(key, node)| entry(key, node));
    Node::new(Value::Object(entries.collect()), place.clone())
}
