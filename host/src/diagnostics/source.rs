//! Texts and places in them.

use std::sync::Arc;

/// A text that was read: a file, or a flag of the command line.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl Source {
    /// A text with the name it is shown by (a path as the user wrote it, or the whole flag).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Arc::new(Self { name: name.into(), text, line_starts })
    }

    /// The name it is shown by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether this is a flag of the command line, not a file.
    pub fn is_flag(&self) -> bool {
        self.name.starts_with("--")
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        let column = self.text.get(start..offset).map_or(offset - start, |t| t.chars().count());
        (line, column + 1)
    }

    /// The text of a line (from 1) without its line break.
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_starts.get(line - 1).copied().unwrap_or(self.text.len());
        let end = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// A stretch of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The text.
    pub source: Arc<Source>,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Place {
    /// The stretch `start..end` of a text.
    pub fn new(source: &Arc<Source>, start: usize, end: usize) -> Self {
        Self { source: Arc::clone(source), start, end: end.max(start) }
    }

    /// Line of the first character, from 1.
    pub fn line(&self) -> usize {
        self.source.line_column(self.start).0
    }

    /// Column of the first character, from 1, in characters.
    pub fn column(&self) -> usize {
        self.source.line_column(self.start).1
    }

    /// A part of this place, `from..to` bytes after its start.
    #[must_use]
    pub fn part(&self, from: usize, to: usize) -> Self {
        Self::new(&self.source, (self.start + from).min(self.end), (self.start + to).min(self.end))
    }
}

/// `file:line:column`; a flag is shown by itself.
impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.source.is_flag() {
            return f.write_str(&self.source.name);
        }
        let (line, column) = self.source.line_column(self.start);
        write!(f, "{}:{line}:{column}", self.source.name())
    }
}
