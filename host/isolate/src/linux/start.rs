//! The first moments of a program: the process takes its restrictions upon itself, then becomes the program.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::sandbox;
use crate::program_start::Start;

/// Becomes a program.
///
/// # Errors
/// Always: it returns only where the system refuses.
pub fn start(what: &Start) -> io::Error {
    if let Err(gone) = sandbox::die_with(what.host) {
        return gone;
    }
    if !what.open {
        let lacks = sandbox::confine_program(what.limits, &what.readable);
        if !lacks.is_empty() {
            tracing::warn!("plugins in programs are not kept from everything here: {}", lacks.join("; "));
        }
    }
    match what.command.split_first() {
        Some((program, arguments)) => Command::new(program).args(arguments).exec(),
        None => io::ErrorKind::InvalidInput.into(),
    }
}
