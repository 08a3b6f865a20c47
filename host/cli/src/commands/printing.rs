//! Printing: findings to the error stream, what a command did to the standard output.

use std::borrow::Cow;
use std::io::{ErrorKind, IsTerminal, Write};
use std::path::PathBuf;

use serde_json::Value;

use crate::cli::{ErrorFormat, Global};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Prints findings to the error stream, as the user wants them.
pub(crate) fn report(global: &Global, diagnostics: &Diagnostics) {
    let shown = if global.quiet { diagnostics.errors_only() } else { diagnostics.clone() };
    let text = match global.error_format {
        ErrorFormat::Json => shown.render_json(),
        ErrorFormat::Text => shown.render_text(global.color.on(std::io::stderr().is_terminal())),
    };
    // Nobody is left to be told when the error stream is gone.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Prints to the standard output; a closed pipe is no error of ours.
///
/// # Errors
/// Of output: what is asked for and cannot be printed is not done.
pub(crate) fn say(text: &str) -> Result<(), Diagnostics> {
    let mut out = std::io::stdout().lock();
    printed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Result of printing to the standard output, as [`say`] tells it: a closed pipe is no error.
pub(crate) fn printed(result: std::io::Result<()>) -> Result<(), Diagnostics> {
    match result {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to the standard output: {e}");
            Err(Diagnostic::error(Code::Io, message).into())
        }
        _ => Ok(()),
    }
}

/// A command that came to its end: its name, as it is called, and its exit code.
pub(crate) type Ended = (&'static str, u8);

/// Prints what a command did: for people, or as one JSON object on a line, in which name and exit code stand beside the keys of `value`.
/// Nothing with `--quiet`.
pub(crate) fn tell(
    global: &Global,
    ended: Ended,
    text: impl FnOnce() -> String,
    value: impl FnOnce() -> Value,
) -> Result<(), Diagnostics> {
    match global.error_format {
        _ if global.quiet => Ok(()),
        ErrorFormat::Text => say(&text()),
        ErrorFormat::Json => say(&format!("{}\n", object(ended, value()))),
    }
}

/// Prints the output that the command asks for, even with `--quiet`; `json`: as indented JSON.
pub(crate) fn tell_asked(
    global: &Global,
    ended: Ended,
    json: bool,
    text: impl FnOnce() -> String,
    value: impl FnOnce() -> Value,
) -> Result<(), Diagnostics> {
    match global.error_format {
        ErrorFormat::Text if json => say(&format!("{:#}\n", object(ended, value()))),
        _ => tell(&Global { quiet: false, ..global.clone() }, ended, text, value),
    }
}

/// Paths as JSON can hold them: what is not UTF-8 in them is replaced.
pub(crate) fn names(paths: &[PathBuf]) -> Vec<Cow<'_, str>> {
    paths.iter().map(|path| path.to_string_lossy()).collect()
}

/// Prints what a command does on its way, for people alone: programs get one object in the end.
pub(crate) fn tell_people(global: &Global, text: impl FnOnce() -> String) -> Result<(), Diagnostics> {
    match global.error_format {
        ErrorFormat::Text if !global.quiet => say(&text()),
        _ => Ok(()),
    }
}

/// The JSON object that programs are told.
fn object((command, code): Ended, mut value: Value) -> Value {
    value["command"] = command.into();
    value["exit_code"] = code.into();
    value
}
