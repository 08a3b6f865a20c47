//! Limits of a worker.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Time and memory that a plugin in a worker may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Limits {
    /// Longest time of a call; loading and making an instance are calls too.
    pub deadline: Duration,
    /// Largest memory of the worker beside what it shares with the host, bytes.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(60), memory: 4 << 30 }
    }
}
