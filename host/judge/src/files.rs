//! What a case begins from, and what comes of it.

use std::path::PathBuf;

use serde_json::Value;

/// Files of a case.
#[derive(Debug, Clone)]
pub struct Files {
    /// The motion.
    pub trajectory: PathBuf,
    /// Contact forces.
    pub contacts: Option<PathBuf>,
}

/// Outcome of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The summary, as a run writes it, with `judged` beside.
    pub summary: Value,
    /// The exit code: 0 accepted, 1 not.
    pub code: u8,
}
