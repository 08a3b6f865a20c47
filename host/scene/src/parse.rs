//! Text to [`Node`]: JSON with comments, otherwise strict.

use super::node::{Entry, Node, Value};
use crate::diagnostics::{Code, Diagnostic, Diagnostics, Source, TextSpan};
use jsonc_parser::ast;
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind, parse_to_ast};
use serde_json::Number;
use std::sync::Arc;

/// The tree of a text; `None` when it is not JSON. Duplicate keys and non-finite numbers are reported and poisoned.
pub(crate) fn parse(source: &Arc<Source>, diagnostics: &mut Diagnostics) -> Option<Node> {
    parse_text(source.text(), source, diagnostics)
}

/// Values of a document at most: each takes up to 900 bytes while it is read.
const MOST_VALUES: usize = 2_000_000;

/// The tree of `text`, which stands for the text of `source` byte by byte.
pub(crate) fn parse_text(text: &str, source: &Arc<Source>, diagnostics: &mut Diagnostics) -> Option<Node> {
    // Every value but the first follows one of these (those inside strings count too, which does no harm).
    let values = text.bytes().filter(|byte| matches!(byte, b',' | b':' | b'[')).count();
    if values > MOST_VALUES {
        let message = format!("about {values} values, more than the {MOST_VALUES} that are read");
        let help = "is it really a scene or an experiment?";
        diagnostics.push(Diagnostic::error(Code::Syntax, message).at(TextSpan::new(source, 0, 0)).help(help));
        return None;
    }
    match parse_to_ast(text, &CollectOptions::default(), &strict()) {
        Ok(result) => match result.value {
            Some(value) => Some(Converter { source, diagnostics }.node(&value)),
            None => {
                diagnostics.push(empty_text(source));
                None
            }
        },
        Err(error) => {
            diagnostics.push(syntax_error(source, &error));
            None
        }
    }
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn empty_text(source: &Arc<Source>) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "the file is empty")
        .at(TextSpan::new(source, 0, 0))
        .help("a smallest experiment is in the book, under First scene; `vinci schema` prints all keys")
}

fn syntax_error(source: &Arc<Source>, error: &ParseError) -> Diagnostic {
    let range = error.range();
    let (message, help) = explain(error.kind());
    Diagnostic::error(Code::Syntax, message).at(TextSpan::new(source, range.start, range.end)).help(help)
}

/// Explanation of a syntax error, and advice.
fn explain(kind: &ParseErrorKind) -> (String, &'static str) {
    use ParseErrorKind as K;
    let (message, help) = match kind {
        K::TrailingCommasNotAllowed => ("a comma before the closing bracket", "remove this comma"),
        K::ExpectedComma => ("a comma is missing", "put a comma between two entries"),
        K::ExpectedStringObjectProperty => ("a key without quotes", "write keys as \"key\""),
        K::UnexpectedTokenInObject => ("a key or `}` was expected", "an object is { \"key\": value, ... }"),
        K::ExpectedColonAfterObjectKey => ("a colon is missing after the key", "write \"key\": value"),
        K::ExpectedObjectValue => ("a value is missing after the colon", "write \"key\": value"),
        K::SingleQuotedStringsNotAllowed => ("a string in single quotes", "use double quotes"),
        K::HexadecimalNumbersNotAllowed => ("a hexadecimal number", "write numbers in decimal"),
        K::UnaryPlusNumbersNotAllowed => ("a number with a plus sign", "remove the plus sign"),
        K::BareDecimalPointNumbersNotAllowed => {
            ("a number with a bare decimal point", "write digits on both sides of the point: 0.5")
        }
        K::NonFiniteNumbersNotAllowed => ("Infinity and NaN are not JSON", "write a finite number"),
        K::UnterminatedObject => ("this `{` is never closed", "add the missing `}`"),
        K::UnterminatedArray => ("this `[` is never closed", "add the missing `]`"),
        K::UnterminatedCommentBlock => ("this comment is never closed", "add the missing `*/`"),
        K::UnexpectedWord | K::UnexpectedToken => {
            ("this is no value", "strings stand in double quotes; the bare words are true, false, null")
        }
        K::MultipleRootJsonValues => {
            ("text after the end of the document", "a file holds exactly one object")
        }
        K::NestingDepthExceeded => {
            ("nested more than 512 levels deep", "no format here needs that: is the file damaged?")
        }
        K::UnexpectedCloseBrace | K::UnexpectedCloseBracket => {
            ("this closing bracket does not fit", "a value or another bracket is missing before it")
        }
        K::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            ("this string is never closed", "add the missing `\"`")
        }
        K::String(_) => ("a `\\` that begins no escape", "write a backslash as \\\\"),
        K::UnexpectedComma | K::UnexpectedColon => ("a value was expected here", "a value is missing"),
        other => {
            let text = other.to_string();
            let mut chars = text.chars();
            let lower =
                chars.next().map(|c| c.to_lowercase().chain(chars).collect::<String>()).unwrap_or_default();
            return (format!("not JSON: {lower}"), "");
        }
    };
    (format!("not JSON: {message}"), help)
}

struct Converter<'a> {
    source: &'a Arc<Source>,
    diagnostics: &'a mut Diagnostics,
}

impl Converter<'_> {
    fn place(&self, range: Range) -> TextSpan {
        TextSpan::new(self.source, range.start, range.end)
    }

    fn node(&mut self, value: &ast::Value<'_>) -> Node {
        let place = self.place(value.range());
        let value = match value {
            ast::Value::NullKeyword(_) => Value::Null,
            ast::Value::BooleanLit(b) => Value::Bool(b.value),
            ast::Value::StringLit(s) => Value::String(s.value.to_string()),
            ast::Value::NumberLit(n) => self.number(n.value, &place),
            ast::Value::Array(a) => Value::Array(a.elements.iter().map(|e| self.node(e)).collect()),
            ast::Value::Object(o) => self.object(o),
        };
        Node::new(value, place)
    }

    fn object(&mut self, object: &ast::Object<'_>) -> Value {
        let mut entries: Vec<Entry> = Vec::with_capacity(object.properties.len());
        let mut first = std::collections::BTreeMap::new();
        for property in &object.properties {
            let key = property.name.as_str().to_owned();
            let key_place = self.place(property.name.range());
            if let Some(&earlier) = first.get(&key) {
                let earlier: &Entry = &entries[earlier];
                let diagnostic = duplicate_key(&key, key_place, &earlier.key_place);
                self.diagnostics.push(diagnostic);
                continue;
            }
            first.insert(key.clone(), entries.len());
            let node = self.node(&property.value);
            entries.push(Entry { key, key_place, node, carried: false });
        }
        Value::Object(entries)
    }

    fn number(&mut self, text: &str, place: &TextSpan) -> Value {
        let integer =
            text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
        // Rust's own parser rounds correctly; "-0" stays a float so that its sign survives.
        let number = match integer {
            Ok(integer) if text != "-0" => Some(integer),
            _ => text.parse().ok().and_then(Number::from_f64),
        };
        number.map_or_else(
            || {
                let message = format!("the number {text} is too large for double precision");
                let help = "the largest finite number is about 1.8e308";
                self.diagnostics
                    .push(Diagnostic::error(Code::NonFinite, message).at(place.clone()).help(help));
                Value::Poisoned
            },
            Value::Number,
        )
    }
}

fn duplicate_key(key: &str, place: TextSpan, earlier: &TextSpan) -> Diagnostic {
    let message = format!("the key `{key}` occurs twice in this object");
    let help = format!("it was given first at line {}; keep one of the two", earlier.line());
    Diagnostic::error(Code::DuplicateKey, message).at(place).help(help)
}
