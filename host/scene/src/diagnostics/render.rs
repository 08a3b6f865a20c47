//! Printing findings.

use vinci_core::error::misleads;

use super::{Diagnostic, Diagnostics, Severity, TextSpan};

/// Findings printed to people before the rest is only counted.
const MOST_SHOWN: usize = 40;
/// Characters of a source line shown on each side of the place.
const LINE_REACH: usize = 50;

impl Diagnostics {
    /// Text for people: each finding with its place, the line it is in, and help; then a count. Empty when nothing was found.
    pub fn render_text(&self, color: bool) -> String {
        let paint = Paint { color };
        let diagnostics = self.in_order();
        let mut out = String::new();
        for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
            render_one(diagnostic, paint, &mut out);
        }
        if diagnostics.len() > MOST_SHOWN {
            out.push_str(&format!("… and {} more\n", diagnostics.len() - MOST_SHOWN));
        }
        if diagnostics.len() > 1 {
            out.push_str(&format!("{}\n", self.count()));
        }
        out
    }

    /// Text for programs: one JSON object per line with `severity`, `code`, `message`, `file`, `line`, `column`, `help`
    /// (null where there is none).
    pub fn render_json(&self) -> String {
        self.in_order().into_iter().map(|d| json_line(d) + "\n").collect()
    }

    /// "2 errors, 1 warning".
    pub fn count(&self) -> String {
        let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        match (self.errors(), self.warnings()) {
            (errors, 0) => plural(errors, "error"),
            (0, warnings) => plural(warnings, "warning"),
            (errors, warnings) => format!("{}, {}", plural(errors, "error"), plural(warnings, "warning")),
        }
    }
}

fn json_line(d: &Diagnostic) -> String {
    let position = d.place.as_ref().map(|p| p.source.line_column(p.start));
    serde_json::json!({
        "severity": d.severity.name(),
        "code": d.code.name(),
        "message": d.message,
        "file": d.place.as_ref().map(|p| p.source.name()),
        "line": position.map(|p| p.0),
        "column": position.map(|p| p.1),
        "help": d.help,
    })
    .to_string()
}

#[derive(Clone, Copy)]
struct Paint {
    color: bool,
}

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    fn severity(self, severity: Severity, text: &str) -> String {
        self.with(if severity == Severity::Error { "1;31" } else { "1;33" }, text)
    }

    fn frame(self, text: &str) -> String {
        self.with("1;34", text)
    }
}

fn render_one(d: &Diagnostic, paint: Paint, out: &mut String) {
    let head = format!("{}[{}]", d.severity.name(), d.code.name());
    out.push_str(&format!("{}: {}\n", paint.severity(d.severity, &head), d.message));
    // A flag needs no place: the excerpt shows all of it.
    let number = d.place.as_ref().map(|p| if p.source.is_flag() { " ".into() } else { p.line().to_string() });
    let blank = " ".repeat(number.as_ref().map_or(0, String::len));
    if let (Some(place), Some(number)) = (&d.place, &number) {
        let bar = paint.frame("|");
        if !place.source.is_flag() {
            out.push_str(&format!("{blank}{} {place}\n", paint.frame("-->")));
        }
        if let Some(Excerpt { shown, indent, marks }) = excerpt(place) {
            let marks = paint.severity(d.severity, &"^".repeat(marks));
            out.push_str(&format!("{blank} {bar}\n{} {bar} {shown}\n", paint.frame(number)));
            out.push_str(&format!("{blank} {bar} {}{marks}\n", " ".repeat(indent)));
        }
    }
    if let Some(help) = &d.help {
        out.push_str(&format!("{blank} {} help: {help}\n", paint.frame("=")));
    }
    out.push('\n');
}

/// A line of a text with the place of a finding in it, in characters.
struct Excerpt {
    shown: String,
    indent: usize,
    marks: usize,
}

/// The line a place begins in, cut to its surroundings when it is long; `None` for an empty line.
fn excerpt(place: &TextSpan) -> Option<Excerpt> {
    let (line, column) = place.source.line_column(place.start);
    let line = place.source.line(line).chars();
    let chars: Vec<char> = line.map(|c| if misleads(c) { ' ' } else { c }).collect();
    if chars.is_empty() {
        return None;
    }
    let marked = place.source.text().get(place.start..place.end).and_then(|t| t.lines().next());
    let length = marked.map_or(1, |t| t.chars().count()).max(1);
    let from = column - 1;
    let (start, end) = (from.saturating_sub(LINE_REACH), (from + 2 * LINE_REACH).min(chars.len()));
    let cut = |cut: bool| if cut { "…" } else { "" };
    let middle: String = chars.get(start..end).unwrap_or_default().iter().collect();
    Some(Excerpt {
        shown: format!("{}{middle}{}", cut(start > 0), cut(end < chars.len())),
        indent: from - start + usize::from(start > 0),
        marks: length.min(end.saturating_sub(from)).max(1),
    })
}
