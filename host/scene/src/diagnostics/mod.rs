//! Diagnostics of the user's files: errors and warnings with a place, a reason and a next step.
//!
//! One run reports as many diagnostics as it can find; see [`Diagnostics`]. They are printed by
//! [`Diagnostics::render_text`] for people and [`Diagnostics::render_json`] for programs.
//!
//! Ours because values come from files, `extends`, `--set` and robot models, and each keeps its place: see "Own diagnostics" in
//! `docs/src/decisions.md`.

mod code;
mod render;
mod source;

pub use code::Code;
pub use source::{Source, TextSpan};
pub use vinci_engine::suggest::{called_here, did_you_mean, list, nearest};

use vinci_core::error::misleads;

/// How much a diagnostic weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The files cannot be used.
    Error,
    /// The files can be used, but probably not as meant (an error with `--strict`).
    Warning,
}

impl Severity {
    /// Name as it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Kind, stable for scripts.
    pub code: Code,
    /// Message: the value found and the value expected, in one sentence without a full stop.
    pub message: String,
    /// Next step for the user.
    pub help: Option<String>,
    /// Where it is; absent when it belongs to no text.
    pub place: Option<TextSpan>,
}

impl Diagnostic {
    /// An error without place and help.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, code, message: printable(message.into()), help: None, place: None }
    }

    /// A warning without place and help.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds a next step; an empty text adds none.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        let help = printable(help.into());
        self.help = (!help.is_empty()).then_some(help);
        self
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, place: impl Into<Option<TextSpan>>) -> Self {
        self.place = place.into();
        self
    }
}

/// All findings of one command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnostics {
    diagnostics: Vec<Diagnostic>,
    /// How many of them are errors: asked after every value of a file, so it is not counted again each time.
    errors: usize,
}

impl Diagnostics {
    /// An empty list of findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.diagnostics.push(diagnostic);
    }

    /// Adds all findings of another collection.
    pub fn append(&mut self, mut other: Self) {
        self.errors += other.errors;
        self.diagnostics.append(&mut other.diagnostics);
    }

    /// Returns true if nothing was found.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.diagnostics.len()
    }

    /// The findings in the order of their discovery.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.diagnostics.iter()
    }

    /// Number of errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Number of warnings.
    pub fn warnings(&self) -> usize {
        self.diagnostics.len() - self.errors()
    }

    /// Returns true if there is an error.
    pub fn has_errors(&self) -> bool {
        self.errors() > 0
    }

    /// Turns every warning into an error (`--strict`).
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.diagnostics.iter_mut().for_each(|d| d.severity = Severity::Error);
        self.errors = self.diagnostics.len();
        self
    }

    /// The errors without the warnings (`--quiet`).
    #[must_use]
    pub fn errors_only(&self) -> Self {
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect()
    }

    /// `Ok` with `value` and the warnings when there is no error, otherwise all findings.
    pub fn accept<T>(self, value: impl FnOnce(Self) -> T) -> Result<T, Self> {
        if self.has_errors() { Err(self) } else { Ok(value(self)) }
    }

    /// The exit code these findings ask for: that of the gravest kind of error, 0 without errors.
    pub fn exit_code(&self) -> u8 {
        let errors = self.diagnostics.iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| d.code.exit_code()).max().unwrap_or(0)
    }

    /// The findings grouped by text (in the order of discovery) and sorted by place inside a text, without repetitions.
    pub fn in_order(&self) -> Vec<&Diagnostic> {
        let mut sources: Vec<&str> = Vec::new();
        for place in self.diagnostics.iter().filter_map(|d| d.place.as_ref()) {
            if !sources.contains(&place.source.name()) {
                sources.push(place.source.name());
            }
        }
        let rank = |d: &Diagnostic| {
            let place = d.place.as_ref()?;
            let source = sources.iter().position(|s| *s == place.source.name())?;
            Some((source, place.start))
        };
        let mut ordered: Vec<&Diagnostic> = self.diagnostics.iter().collect();
        ordered.sort_by_key(|d| rank(d));
        ordered.dedup();
        ordered
    }
}

/// A text without characters that control a terminal or turn its direction: names in files and words of plugins may hold some.
fn printable(text: String) -> String {
    let controls = |c: char| misleads(c) && !matches!(c, '\n' | '\t');
    if text.contains(controls) { text.replace(controls, "\u{fffd}") } else { text }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::from_iter([diagnostic])
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, more: I) {
        more.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<I: IntoIterator<Item = Diagnostic>>(all: I) -> Self {
        let mut diagnostics = Self::new();
        diagnostics.extend(all);
        diagnostics
    }
}

impl std::fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.render_text(false))
    }
}

impl std::error::Error for Diagnostics {}
