//! Attributes as numbers, strictly.

use super::super::build;
use super::super::xml::Element;
use super::reader::Reader;
use crate::Node;
use crate::diagnostics::{Code, TextSpan};

/// Position and rotation of an `<origin>`.
#[derive(Clone, Copy, Default)]
pub(super) struct Origin {
    pub(super) xyz: [f64; 3],
    pub(super) rpy: [f64; 3],
}

impl Reader<'_> {
    /// The only child of a name; a second one is an error.
    pub(super) fn single<'e>(&mut self, element: &Element<'e>, name: &str, of: &str) -> Option<Element<'e>> {
        let mut all = element.named(name);
        let first = all.next();
        if let Some(second) = all.next() {
            let message = format!("{of} has two <{name}>");
            self.error(Code::Contradiction, &second.place(), message, "keep one of them");
        }
        first
    }

    /// A child that must be there.
    pub(super) fn required<'e>(
        &mut self,
        element: &Element<'e>,
        name: &str,
        of: &str,
    ) -> Option<Element<'e>> {
        let child = self.single(element, name, of);
        if child.is_none() {
            self.error(Code::MissingKey, &element.place(), format!("{of} has no <{name}>"), "");
        }
        child
    }

    /// An attribute that must be there.
    pub(super) fn text<'e>(
        &mut self,
        element: &Element<'e>,
        key: &str,
        of: &str,
    ) -> Option<(&'e str, TextSpan)> {
        let Some(attribute) = element.attribute(key) else {
            let message = format!("{of}: <{}> has no `{key}`", element.name());
            self.error(Code::MissingKey, &element.place(), message, "");
            return None;
        };
        Some((attribute.text, attribute.place))
    }

    /// A finite number; `None` when it is absent, or was refused.
    pub(super) fn number(&mut self, element: &Element<'_>, key: &str, of: &str) -> Option<f64> {
        let attribute = element.attribute(key)?;
        self.parse(attribute.text, &attribute.place, &format!("{of}: `{key}` of <{}>", element.name()))
    }

    /// A finite number that must be there.
    pub(super) fn needed(&mut self, element: &Element<'_>, key: &str, of: &str) -> Option<f64> {
        self.text(element, key, of)?;
        self.number(element, key, of)
    }

    /// A length above zero, as a node.
    pub(super) fn length(&mut self, element: &Element<'_>, key: &str, of: &str) -> Option<Node> {
        let value = self.needed(element, key, of)?;
        let place = element.attribute(key)?.place;
        self.positive(value, &place, &format!("{of}: `{key}` of <{}>", element.name()))?;
        Some(build::number(value, &place))
    }

    pub(super) fn positive(&mut self, value: f64, place: &TextSpan, what: &str) -> Option<f64> {
        if value > 0.0 {
            return Some(value);
        }
        self.error(Code::OutOfRange, place, format!("{what} must be above 0, found {value}"), "");
        None
    }

    fn parse(&mut self, text: &str, place: &TextSpan, what: &str) -> Option<f64> {
        match text.trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Some(value),
            Ok(_) => {
                let message = format!("{what} is \"{text}\", not a finite number");
                self.error(Code::NonFinite, place, message, "");
                None
            }
            Err(_) => {
                self.error(Code::WrongType, place, format!("{what} must be a number, found \"{text}\""), "");
                None
            }
        }
    }

    /// Three finite numbers; `default` when the attribute is absent or was refused.
    pub(super) fn vector(
        &mut self,
        element: &Element<'_>,
        key: &str,
        of: &str,
        default: [f64; 3],
    ) -> [f64; 3] {
        let Some(attribute) = element.attribute(key) else { return default };
        let what = format!("{of}: `{key}` of <{}>", element.name());
        let words: Vec<&str> = attribute.text.split_whitespace().collect();
        if words.len() != 3 {
            let message = format!("{what} must be three numbers, found \"{}\"", attribute.text);
            self.error(Code::WrongType, &attribute.place, message, "");
            return default;
        }
        let mut vector = default;
        for (x, word) in vector.iter_mut().zip(words) {
            *x = self.parse(word, &attribute.place, &what).unwrap_or(*x);
        }
        vector
    }

    /// The `<origin>` of an element: the identity when it has none.
    pub(super) fn origin(&mut self, element: &Element<'_>, of: &str) -> Origin {
        let Some(origin) = self.single(element, "origin", of) else { return Origin::default() };
        if let Some(quaternion) = origin.attribute("quat_xyzw") {
            let message = format!("{of}: `quat_xyzw` of <origin> is not read");
            self.error(Code::UnknownKey, &quaternion.place, message, "write the rotation as `rpy`");
        }
        Origin {
            xyz: self.vector(&origin, "xyz", of, [0.0; 3]),
            rpy: self.vector(&origin, "rpy", of, [0.0; 3]),
        }
    }
}

impl Origin {
    /// The keys `position` and `orientation` of a scene, where they are not the identity.
    pub(super) fn entries(self, place: &TextSpan) -> Vec<(&'static str, Node)> {
        let mut entries = Vec::new();
        if self.xyz != [0.0; 3] {
            entries.push(("position", build::numbers(&self.xyz, place)));
        }
        if self.rpy != [0.0; 3] {
            entries
                .push(("orientation", build::object(vec![("rpy", build::numbers(&self.rpy, place))], place)));
        }
        entries
    }
}

/// Where a model holds xacro: elements with its prefix, or `${…}` and `$(…)` in attributes.
pub(super) fn xacro(element: &Element<'_>) -> Option<TextSpan> {
    if element.name().starts_with("xacro:") {
        return Some(element.place());
    }
    let macros =
        |a: &str| element.attribute(a).is_some_and(|v| v.text.contains("${") || v.text.contains("$("));
    let own = element.attributes().find(|(name, _)| macros(name)).map(|(_, place)| place);
    own.or_else(|| element.children().find_map(|child| xacro(&child)))
}
