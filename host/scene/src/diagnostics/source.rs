//! Texts and places in them.

use std::sync::Arc;

/// A text that was read: a file, or a flag of the command line.
#[derive(Debug, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
    /// Characters that begin before byte k·BLOCK, so that columns on very long lines cost no more than on short ones.
    chars_before: Vec<usize>,
}

const BLOCK: usize = 256;

impl Source {
    /// A text with the name it is shown by (a path as the user wrote it, or the whole flag).
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let text = text.into();
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i + 1)).collect();
        let mut chars_before = vec![0];
        for block in text.as_bytes().chunks(BLOCK) {
            chars_before.push(chars_before[chars_before.len() - 1] + starts_in(block));
        }
        Arc::new(Self { name: name.into(), text, line_starts, chars_before })
    }

    /// The name it is shown by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if this is a flag of the command line, not a file.
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
        (line, self.chars_up_to(offset) - self.chars_up_to(self.line_starts[line - 1]) + 1)
    }

    /// Characters that begin before a byte.
    fn chars_up_to(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        self.chars_before[block] + starts_in(&self.text.as_bytes()[block * BLOCK..offset])
    }

    /// The text of a line (from 1) without its line break.
    pub fn line(&self, line: usize) -> &str {
        let start = self.line_starts.get(line - 1).copied().unwrap_or(self.text.len());
        let end = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }
}

/// Bytes that begin a character.
fn starts_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| (**b & 0xC0) != 0x80).count()
}

/// A stretch of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSpan {
    /// The text.
    pub source: Arc<Source>,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl TextSpan {
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
impl std::fmt::Display for TextSpan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.source.is_flag() {
            return f.write_str(&self.source.name);
        }
        let (line, column) = self.source.line_column(self.start);
        write!(f, "{}:{line}:{column}", self.source.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_on_lines_of_any_length() {
        for long in [0, 1, 255, 256, 257, 1000] {
            let source = Source::new("f", format!("ä\n{}ü\"", "ö".repeat(long)));
            assert_eq!(source.line_column(0), (1, 1));
            assert_eq!(source.line_column(2), (1, 2));
            assert_eq!(source.line_column(3), (2, 1));
            assert_eq!(source.line_column(3 + 2 * long), (2, long + 1));
            assert_eq!(source.line_column(3 + 2 * long + 2), (2, long + 2));
            assert_eq!(source.line_column(usize::MAX), (2, long + 3));
        }
        assert_eq!(Source::new("f", "").line_column(5), (1, 1));
        assert_eq!(Source::new("f", "a\r\nb").line(1), "a");
    }
}
