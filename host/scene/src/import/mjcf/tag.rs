//! Elements of a model with what it includes in their place.

use crate::diagnostics::TextSpan;
use std::rc::Rc;

/// An element: its name, its attributes as they are written, and the elements inside it.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) place: TextSpan,
    pub(super) attributes: Vec<Attribute>,
    pub(super) children: Vec<Rc<Tag>>,
}

/// An attribute.
#[derive(Debug, Clone)]
pub(super) struct Attribute {
    pub(super) key: String,
    pub(super) text: String,
    pub(super) place: TextSpan,
}

impl Tag {
    pub(super) fn attribute(&self, key: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|a| a.key == key)
    }

    /// The text of an attribute.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.attribute(key).map(|a| a.text.as_str())
    }

    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Rc<Tag>> + 'a {
        self.children.iter().filter(move |c| c.name == name)
    }

    /// Where an attribute is written, or the element.
    pub(super) fn place_of(&self, key: &str) -> TextSpan {
        self.attribute(key).map_or_else(|| self.place.clone(), |a| a.place.clone())
    }
}
