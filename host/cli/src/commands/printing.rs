//! Printing: findings to the error stream, what a command did to the standard output.

use std::io::{ErrorKind, IsTerminal, Write};

use crate::cli::{ErrorFormat, Global};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Prints findings to the error stream, as the user wants them.
pub(crate) fn report(global: &Global, found: &Diagnostics) {
    let shown = if global.quiet { found.errors_only() } else { found.clone() };
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
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            let message = format!("cannot write to the standard output: {e}");
            Err(Diagnostic::error(Code::Io, message).into())
        }
        _ => Ok(()),
    }
}

/// Prints what a command did: for people, or as one JSON object on a line. Nothing with `--quiet`.
pub(crate) fn tell(
    global: &Global,
    text: impl FnOnce() -> String,
    value: impl FnOnce() -> serde_json::Value,
) -> Result<(), Diagnostics> {
    match global.error_format {
        _ if global.quiet => Ok(()),
        ErrorFormat::Text => say(&text()),
        ErrorFormat::Json => say(&format!("{}\n", value())),
    }
}
