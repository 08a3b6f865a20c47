//! One run's row.

use serde::{Deserialize, Serialize};

/// Which run: a case, tried with a sample, on a rung of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId {
    /// Number of the case, from 0.
    pub case: u64,
    /// Number of the sample, from 0.
    pub sample: u64,
    /// Number of the rung, from 0.
    pub rung: u32,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The run came to its end, or to a condition of `until` or `fail`.
    Ok,
    /// A step failed, or the referee does not accept one.
    Failed,
    /// These values make no experiment that can start.
    Invalid,
    /// The process ended, or was ended because it took too long.
    Crashed,
}

impl Status {
    /// All of them.
    const ALL: [Self; 4] = [Self::Ok, Self::Failed, Self::Invalid, Self::Crashed];

    /// The one that rows write so.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Name as rows write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Invalid => "invalid",
            Self::Crashed => "crashed",
        }
    }
}

/// A run with its outcome. Numbers are text, the shortest that reads back to the same bits; empty where there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Which run.
    #[serde(flatten)]
    pub id: RunId,
    /// How it ended.
    pub status: Status,
    /// True if it is a success.
    pub success: bool,
    /// Values of all parameters in the order of the plan; empty where the rung does not have it.
    pub parameters: Vec<String>,
    /// Measures in the order of the plan.
    pub measures: Vec<String>,
    /// Accepted steps.
    pub steps: u64,
    /// Time reached, s.
    pub t_end: String,
    /// Kind of the error, as diagnostics name it, or of the failure; empty without.
    pub error: String,
    /// Message of the error.
    pub message: String,
}

impl Row {
    /// A row of a run that did not come to an end of its own.
    pub fn without_end(id: RunId, parameters: Vec<String>, measures: usize, status: Status) -> Self {
        let (measures, t_end, error, message) =
            (vec![String::new(); measures], String::new(), String::new(), String::new());
        Self { id, status, success: false, parameters, measures, steps: 0, t_end, error, message }
    }

    /// Adds an error and its message.
    #[must_use]
    pub fn because(self, error: impl Into<String>, message: impl Into<String>) -> Self {
        Self { error: error.into(), message: message.into(), ..self }
    }
}
