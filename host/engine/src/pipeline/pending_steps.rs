//! Pending steps: accepted steps of an interval that is not complete yet, kept whole so that each can be judged and written.

use vinci_core::referee::Mode;

use super::context::StepContext;
use super::step_record::StepRecord;

/// Steps that were taken while more of their interval was to come. Keeps its memory.
#[derive(Default)]
pub(super) struct PendingSteps {
    pub(super) steps: Vec<PendingStep>,
    /// Number of those that count; the others are memory.
    pub(super) n: usize,
}

/// An accepted step, whole, with what the referee told of its contacts.
pub(super) struct PendingStep {
    pub(super) context: StepContext,
    pub(super) record: StepRecord,
    pub(super) t: f64,
    pub(super) mode: Vec<Mode>,
    pub(super) slip: Vec<f64>,
}

impl PendingSteps {
    /// None is pending any more.
    pub(super) fn clear(&mut self) {
        self.n = 0;
    }
}
