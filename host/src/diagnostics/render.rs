//! Printing findings.

use super::{Diagnostic, Diagnostics, Place, Severity};

/// Findings printed to people before the rest is only counted.
const MOST_SHOWN: usize = 40;
/// Characters of a source line shown on each side of the place.
const LINE_REACH: usize = 50;

impl Diagnostics {
    /// For people: each finding with its place, the line it is in, and help; then a count. Empty when nothing was found.
    pub fn render_text(&self, color: bool) -> String {
        let paint = Paint { color };
        let found = self.in_order();
        let mut out = String::new();
        for diagnostic in found.iter().take(MOST_SHOWN) {
            render_one(diagnostic, paint, &mut out);
        }
        if found.len() > MOST_SHOWN {
            out.push_str(&format!("… and {} more\n", found.len() - MOST_SHOWN));
        }
        if found.len() > 1 {
            out.push_str(&format!("{}\n", self.count()));
        }
        out
    }

    /// For programs: one JSON object per line with `severity`, `code`, `message`, `file`, `line`, `column`, `help`
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
    let mut margin = 0;
    if let Some(place) = &d.place {
        margin = place.line().to_string().len();
        out.push_str(&format!("{}{} {place}\n", " ".repeat(margin), paint.frame("-->")));
        snippet(place, margin, d.severity, paint, out);
    }
    if let Some(help) = &d.help {
        out.push_str(&format!("{} {} help: {help}\n", " ".repeat(margin), paint.frame("=")));
    }
    out.push('\n');
}

/// The line of the place with the place underlined; only its surroundings when the line is long.
fn snippet(place: &Place, margin: usize, severity: Severity, paint: Paint, out: &mut String) {
    let (line, column) = place.source.line_column(place.start);
    let chars: Vec<char> =
        place.source.line(line).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if chars.is_empty() {
        return;
    }
    let length = place
        .source
        .text()
        .get(place.start..place.end)
        .map_or(1, |t| t.lines().next().map_or(1, |first| first.chars().count()).max(1));
    let from = column - 1;
    let to = (from + length).min(chars.len().max(from + 1));
    let (cut_start, cut_end) = (from.saturating_sub(LINE_REACH), (from + 2 * LINE_REACH).min(chars.len()));
    let cut = |at_start: bool| if at_start { "…" } else { "" };
    let shown: String = chars.get(cut_start..cut_end).unwrap_or_default().iter().collect();
    let shown = format!("{}{shown}{}", cut(cut_start > 0), cut(cut_end < chars.len()));
    let indent = from - cut_start + usize::from(cut_start > 0);
    let marks = "^".repeat(to.min(cut_end.max(from + 1)) - from);
    let (bar, blank) = (paint.frame("|"), " ".repeat(margin));
    out.push_str(&format!("{blank} {bar}\n{} {bar} {shown}\n", paint.frame(&line.to_string())));
    out.push_str(&format!("{blank} {bar} {}{}\n", " ".repeat(indent), paint.severity(severity, &marks)));
}
