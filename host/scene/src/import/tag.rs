//! Elements of a model, free of the text that they were read from.

use crate::diagnostics::TextSpan;
use std::rc::Rc;

/// An element: its name, its attributes as they are written, its text, and the elements inside it.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) place: TextSpan,
    pub(super) attributes: Vec<Attribute>,
    /// The text of an element that holds no others, without blanks around it; its key is empty.
    pub(super) content: Attribute,
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

    /// The first element of a name inside this one.
    pub(super) fn child(&self, name: &str) -> Option<&Rc<Tag>> {
        self.children.iter().find(|c| c.name == name)
    }

    /// Where an attribute is written, or the element.
    pub(super) fn place_of(&self, key: &str) -> TextSpan {
        self.attribute(key).map_or_else(|| self.place.clone(), |a| a.place.clone())
    }
}
