//! XML, written element by element.

use std::fmt::Write;

/// A document that grows.
#[derive(Debug, Clone, Default)]
pub(super) struct Xml {
    text: String,
    open: Vec<&'static str>,
}

/// Attributes: name and value.
pub(super) type Attributes<'a> = &'a [(&'a str, String)];

impl Xml {
    /// An element that holds others, until [`Xml::close`].
    pub(super) fn open(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.start(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the element that was opened last.
    pub(super) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.text.push_str(&format!("</{name}>\n"));
        }
    }

    /// An element that holds nothing.
    pub(super) fn leaf(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.start(name, attributes);
        self.text.push_str("/>\n");
    }

    /// An element that holds text.
    pub(super) fn text(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) {
        self.start(name, attributes);
        self.text.push_str(&format!(">{}</{name}>\n", escaped(text)));
    }

    fn start(&mut self, name: &str, attributes: Attributes<'_>) {
        self.indent();
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            self.text.push_str(&format!(" {key}=\"{}\"", escaped(value)));
        }
    }

    fn indent(&mut self) {
        self.text.push_str(&"  ".repeat(self.open.len()));
    }

    /// The document.
    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

fn escaped(value: &str) -> String {
    value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Numbers with blanks between, each to its last bit.
pub(super) fn numbers(list: &[f64]) -> String {
    let mut out = String::new();
    for (k, x) in list.iter().enumerate() {
        let blank = if k > 0 { " " } else { "" };
        // Nothing goes wrong in a string.
        let _ = write!(out, "{blank}{}", x + 0.0);
    }
    out
}
