//! XML with places.

mod limits;

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan};
use roxmltree::{Document, Node};
use std::sync::Arc;

pub(super) use limits::excess;

/// An element of a model.
#[derive(Clone, Copy)]
pub(super) struct Element<'a> {
    node: Node<'a, 'a>,
    source: &'a Arc<Source>,
}

/// The value of an attribute.
pub(super) struct Attribute<'a> {
    pub(super) text: &'a str,
    pub(super) place: TextSpan,
}

/// The document of a text.
pub(super) fn parse<'a>(source: &'a Arc<Source>, diagnostics: &mut Diagnostics) -> Option<Document<'a>> {
    if let Some((at, message)) = excess(source.text()) {
        let help = "no robot needs that: is the file damaged?";
        diagnostics
            .push(Diagnostic::error(Code::Syntax, message).at(TextSpan::new(source, at, at + 1)).help(help));
        return None;
    }
    Document::parse(source.text()).map_err(|error| diagnostics.push(not_xml(source, &error))).ok()
}

fn not_xml(source: &Arc<Source>, error: &roxmltree::Error) -> Diagnostic {
    let at = offset(source, error.pos());
    let help = match error {
        roxmltree::Error::DtdDetected | roxmltree::Error::UnknownEntityReference(..) => {
            "entities and DTDs are not expanded: expand them first, for example with `xmllint --noent`"
        }
        roxmltree::Error::UnknownNamespace(..) => {
            "declare the prefix in the root element, for example xmlns:drake=\"http://drake.mit.edu\""
        }
        _ => "",
    };
    let text = error.to_string();
    let reason = text.rsplit_once(" at ").map_or(text.as_str(), |(reason, _)| reason);
    Diagnostic::error(Code::Syntax, format!("not XML: {reason}")).at(TextSpan::new(source, at, at)).help(help)
}

/// Byte of a row and column, both from 1.
fn offset(source: &Arc<Source>, pos: roxmltree::TextPos) -> usize {
    let before: usize =
        source.text().split_inclusive('\n').take((pos.row as usize).saturating_sub(1)).map(str::len).sum();
    let line = &source.text()[before.min(source.text().len())..];
    let column = line.char_indices().nth((pos.col as usize).saturating_sub(1)).map_or(0, |(i, _)| i);
    before + column
}

impl<'a> Element<'a> {
    pub(super) fn new(node: Node<'a, 'a>, source: &'a Arc<Source>) -> Self {
        Self { node, source }
    }

    /// The tag with its prefix, as it is written.
    pub(super) fn name(&self) -> &'a str {
        let text = &self.source.text()[self.node.range().start + 1..];
        &text[..text.find(|c: char| c.is_whitespace() || c == '>' || c == '/').unwrap_or(text.len())]
    }

    /// Where the tag is.
    pub(super) fn place(&self) -> TextSpan {
        let start = self.node.range().start;
        TextSpan::new(self.source, start, start + 1 + self.name().len())
    }

    pub(super) fn children(&self) -> impl Iterator<Item = Self> + use<'a> {
        let source = self.source;
        self.node.children().filter(Node::is_element).map(move |node| Self { node, source })
    }

    pub(super) fn named<'n>(&self, name: &'n str) -> impl Iterator<Item = Self> + use<'a, 'n> {
        self.children().filter(move |c| c.name() == name)
    }

    pub(super) fn child(&self, name: &str) -> Option<Self> {
        self.named(name).next()
    }

    /// Attributes without prefix.
    pub(super) fn attribute(&self, name: &str) -> Option<Attribute<'a>> {
        let attribute = self.node.attribute_node(name)?;
        let range = attribute.range_value();
        Some(Attribute { text: attribute.value(), place: TextSpan::new(self.source, range.start, range.end) })
    }

    pub(super) fn attributes(&self) -> impl Iterator<Item = (&'a str, TextSpan)> + use<'a> {
        let source = self.source;
        let all = self.node.attributes().filter(|a| a.namespace().is_none());
        all.map(move |a| {
            let range = a.range_value();
            (a.name(), TextSpan::new(source, range.start, range.end))
        })
    }

    /// All attributes with their values, those of a prefix with it left out.
    pub(super) fn all_attributes(&self) -> impl Iterator<Item = (String, String, TextSpan)> + use<'a> {
        let source = self.source;
        self.node.attributes().map(move |a| {
            let range = a.range_value();
            (a.name().to_owned(), a.value().to_owned(), TextSpan::new(source, range.start, range.end))
        })
    }

    /// The text between the elements inside this one, without blanks around it, and where it is.
    pub(super) fn content(&self) -> (String, TextSpan) {
        let texts = || self.node.children().filter(Node::is_text);
        let text: String = texts().filter_map(|n| n.text()).collect();
        let trimmed = text.trim();
        let first = texts().find(|n| n.text().is_some_and(|t| !t.trim().is_empty())).map(|n| n.range());
        let place = first.map_or_else(
            || self.place(),
            |range| {
                let written = &self.source.text()[range.clone()];
                let start = range.start + (written.len() - written.trim_start().len());
                TextSpan::new(self.source, start, start + written.trim().len())
            },
        );
        (trimmed.to_owned(), place)
    }
}
