//! Reason why a run has no derivatives step by step.

use vinci_engine::pipeline::NoDerivative;
use vinci_scene::diagnostics::Diagnostics;

/// Reason why a run has no derivatives step by step.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Some step has no derivative, and why: differences of whole runs may do.
    NoDerivative(String),
    /// The experiment cannot be run: its findings.
    Experiment(Diagnostics),
}

impl From<NoDerivative> for Refused {
    fn from(why: NoDerivative) -> Self {
        Self::NoDerivative(why.to_string())
    }
}
