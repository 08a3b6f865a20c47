//! Numbers and words of a run, from its summary, for the tables and figures of a comparison.

use serde_json::Value;

use super::measured::{Done, Measured};
use vinci_engine::pipeline::Timing;

impl Done {
    /// Its status; `refused` where it came to its end and the referee does not accept it.
    pub(super) fn verdict(&self) -> &str {
        let is_refused = self.summary["referee"]["accepted"] == false && self.summary["failure"].is_null();
        if is_refused { "refused" } else { self.summary["status"].as_str().unwrap_or_default() }
    }
}

impl Measured {
    /// A number of the summary; none of times and solutions where nothing was solved.
    pub(super) fn number(&self, pointer: &str) -> Option<f64> {
        let of_run =
            ["/timing/", "/solver_stats/", "/referee/max_residual"].iter().any(|p| pointer.starts_with(p));
        if of_run && self.run.is_recorded() {
            return None;
        }
        self.run.summary.pointer(pointer).and_then(Value::as_f64)
    }

    /// Times of its stages in all steps, s, in the order of [`Timing::OF_A_STEP`]: without referee, recorder and files.
    pub(super) fn stages(&self) -> [f64; 5] {
        Timing::OF_A_STEP.map(|stage| self.number(&format!("/timing/{stage}")).unwrap_or(0.0))
    }

    /// Time of all its steps, s: the sum of [`Measured::stages`]. None of a motion that was recorded elsewhere.
    pub(super) fn seconds(&self) -> Option<f64> {
        (!self.run.is_recorded()).then(|| self.stages().iter().sum())
    }
}
