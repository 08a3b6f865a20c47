//! Errors of misuse. A numerical outcome is never one of these: see [`crate::problem::Status`].

use thiserror::Error;

/// Kind of misuse that a stage refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An option or parameter has a value the method cannot take.
    BadOption,
    /// The input has a shape, class or feature this stage does not support.
    Unsupported,
    /// The input contradicts itself (lengths, indices, missing data).
    BadInput,
    /// A number that must be finite is not.
    NonFinite,
    /// The model has no meaning for the chosen method (for example no damping in the first-order model).
    BadModel,
    /// Saved state bytes that cannot be read back.
    BadState,
    /// The stage panicked; its instance is unusable from now on.
    Panicked,
    /// The stage broke its contract: output that is non-finite, ill-sized or of unknown code, a changed floating-point
    /// environment. Reported by whoever called it, never by the stage.
    Fault,
    /// Anything else; the message says what.
    Other,
}

impl ErrorKind {
    /// Returns true if the stage itself is at fault (as opposed to having refused what it was given).
    pub fn is_fault(self) -> bool {
        matches!(self, Self::Panicked | Self::Fault)
    }
}

/// A refusal by a detector, stepper or solver: the call could not be made, with the reason and what to do next.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct StageError {
    /// Kind of misuse, for programs.
    pub kind: ErrorKind,
    /// One sentence for people: what is wrong, what was found, what to do.
    pub message: String,
    /// Id of the plugin that says so, where it is known: among several solvers or detectors nothing else tells which one it was.
    pub plugin: Option<String>,
}

impl StageError {
    /// An error of `kind` with a one-sentence message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), plugin: None }
    }

    /// This error with the name of the plugin that reported it.
    #[must_use]
    pub fn by(self, plugin: &str) -> Self {
        Self { plugin: Some(plugin.to_owned()), ..self }
    }

    /// The input has a shape, class or feature this stage does not support.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    /// The input contradicts itself.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadInput, message)
    }

    /// An option has a value the method cannot take.
    pub fn bad_option(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadOption, message)
    }

    /// The model has no meaning for the chosen method.
    pub fn bad_model(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::BadModel, message)
    }
}

/// Most characters of a text of a plugin that are passed on.
const LONGEST: usize = 1000;

/// Returns true for characters that have no place in a message: they control a terminal, or turn the direction in which text is read.
pub fn misleads(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Text of a plugin as a part of a sentence: in one line, so that it cannot pass for lines of the program, without characters that control a terminal,
/// and cut where it is longer than 1000 characters.
pub fn one_line(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut out = String::new();
    for line in lines {
        if !out.is_empty() {
            out.push_str("; ");
        }
        out.extend(line.chars().take(LONGEST + 1).map(|c| if misleads(c) { '\u{fffd}' } else { c }));
        if let Some((cut, _)) = out.char_indices().nth(LONGEST) {
            out.truncate(cut);
            out.push('…');
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_plugins_are_one_line_of_bounded_length() {
        assert_eq!(one_line("a plain reason"), "a plain reason");
        let forged = "gone\r\nerror[run]: step 9\n\n\u{1b}[2Jred";
        assert_eq!(one_line(forged), "gone; error[run]: step 9; \u{fffd}[2Jred");
        assert_eq!(one_line("turned \u{202e}round\u{2069}"), "turned \u{fffd}round\u{fffd}");
        assert_eq!(one_line(&"é".repeat(1000)), "é".repeat(1000));
        assert_eq!(one_line(&"é".repeat(4000)), "é".repeat(1000) + "…");
        assert_eq!(one_line(&"x\n".repeat(1_000_000)).chars().count(), 1001);
    }
}
