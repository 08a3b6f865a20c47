//! The beginning of a program, as whoever starts it asks for it.

use std::ffi::OsString;
use std::path::PathBuf;

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
