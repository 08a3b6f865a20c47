//! The first moments of a program: the process takes its restrictions upon itself, then becomes the program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use super::sandbox;
use crate::limits::Limits;

/// A program to become.
#[derive(Debug, Clone)]
pub struct Start {
    /// The process that asks it.
    pub host: u32,
    /// Its limits; the host keeps the deadline.
    pub limits: Limits,
    /// True if it is kept from nothing but outliving its host.
    pub open: bool,
    /// Files and folders that it may read beside the system's libraries.
    pub readable: Vec<PathBuf>,
    /// Command and arguments.
    pub command: Vec<OsString>,
}

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
