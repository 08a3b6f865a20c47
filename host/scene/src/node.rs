//! JSON as a tree in which every value remembers where it was written.

use super::path::{Path, Segment};
use crate::diagnostics::TextSpan;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::Number;

/// A JSON value with its place.
#[derive(Debug, Clone)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written.
    pub place: TextSpan,
}

/// The value of a [`Node`].
#[derive(Debug, Clone)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object, in the order of its text.
    Object(Vec<Entry>),
    /// Something already reported as wrong: nothing more is said about it.
    Poisoned,
}

/// A key with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key was written.
    pub key_place: TextSpan,
    /// The value.
    pub node: Node,
    /// True if this is an option that was written for another plugin than the one in use (see [`super::merge`]).
    pub carried: bool,
}

impl Node {
    /// A value at a place.
    pub fn new(value: Value, place: TextSpan) -> Self {
        Self { value, place }
    }

    /// The entries of an object; nothing for other values.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Object(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of an array; nothing for other values.
    pub fn elements(&self) -> &[Node] {
        match &self.value {
            Value::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|e| e.key == key)
    }

    /// The value of a key, unless it is absent or null.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|e| &e.node).filter(|n| !matches!(n.value, Value::Null))
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a number.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.value {
            Value::Number(number) => number.as_f64(),
            _ => None,
        }
    }

    /// The node at a path, if there is one.
    pub fn find(&self, path: &Path) -> Option<&Node> {
        path.segments().iter().try_fold(self, |node, segment| match segment {
            Segment::Key(key) => node.entry(key).map(|e| &e.node),
            Segment::Index(i) => node.elements().get(*i),
        })
    }

    /// The node at a path, for changing.
    pub(crate) fn find_mut(&mut self, path: &Path) -> Option<&mut Node> {
        path.segments().iter().try_fold(self, |node, segment| match (segment, &mut node.value) {
            (Segment::Key(key), Value::Object(entries)) => {
                entries.iter_mut().find(|e| e.key == *key).map(|e| &mut e.node)
            }
            (Segment::Index(i), Value::Array(elements)) => elements.get_mut(*i),
            _ => None,
        })
    }

    /// The place of the value at a path, or of the nearest enclosing value that exists.
    pub fn place_of(&self, path: &Path) -> TextSpan {
        let mut path = path.clone();
        loop {
            if let Some(node) = self.find(&path) {
                return node.place.clone();
            }
            path = path.parent();
        }
    }

    /// The entry of a key for changing; it is created with `null` at `place` when absent. `None` if this is no object.
    pub(crate) fn entry_mut(&mut self, key: &str, place: &TextSpan) -> Option<&mut Entry> {
        let Value::Object(entries) = &mut self.value else { return None };
        let index = entries.iter().position(|e| e.key == key).unwrap_or_else(|| {
            let node = Node::new(Value::Null, place.clone());
            entries.push(Entry { key: key.to_owned(), key_place: place.clone(), node, carried: false });
            entries.len() - 1
        });
        entries.get_mut(index)
    }

    /// Removes the value at a path (an array element is removed with the whole array).
    pub fn remove(&mut self, path: &Path) {
        let Some((key_at, key)) = path.segments().iter().enumerate().rev().find_map(|(i, s)| match s {
            Segment::Key(key) => Some((i, key)),
            Segment::Index(_) => None,
        }) else {
            return;
        };
        let parent = self.find_mut(&path.first(key_at));
        if let Some(Node { value: Value::Object(entries), .. }) = parent {
            entries.retain(|e| e.key != *key);
        }
    }

    /// Description of the value for messages, with its beginning: `the string "abc"`.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".into(),
            Value::Bool(b) => b.to_string(),
            Value::Number(n) => n.to_string(),
            Value::String(s) if s.chars().count() > 40 => {
                format!("the string \"{}…\"", s.chars().take(40).collect::<String>())
            }
            Value::String(s) => format!("the string \"{s}\""),
            Value::Array(a) if a.is_empty() => "an empty array".into(),
            Value::Array(_) => "an array".into(),
            Value::Object(o) if o.is_empty() => "an empty object".into(),
            Value::Object(_) => "an object".into(),
            Value::Poisoned => "an unusable value".into(),
        }
    }

    /// The value without places. Poisoned values become null.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null | Value::Poisoned => serde_json::Value::Null,
            Value::Bool(b) => (*b).into(),
            Value::Number(n) => n.clone().into(),
            Value::String(s) => s.clone().into(),
            Value::Array(a) => a.iter().map(Node::to_json).collect(),
            Value::Object(o) => {
                serde_json::Value::Object(o.iter().map(|e| (e.key.clone(), e.node.to_json())).collect())
            }
        }
    }
}

/// Written as JSON with the keys in the order of the text.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Null | Value::Poisoned => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Number(n) => n.serialize(serializer),
            Value::String(s) => serializer.serialize_str(s),
            Value::Array(a) => {
                let mut seq = serializer.serialize_seq(Some(a.len()))?;
                a.iter().try_for_each(|n| seq.serialize_element(n))?;
                seq.end()
            }
            Value::Object(o) => {
                let mut map = serializer.serialize_map(Some(o.len()))?;
                o.iter().try_for_each(|e| map.serialize_entry(&e.key, &e.node))?;
                map.end()
            }
        }
    }
}
