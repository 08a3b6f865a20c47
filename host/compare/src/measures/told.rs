//! Numbers and words of a run, from its summary, for the tables and figures of a comparison.

use serde_json::Value;

use super::errors::Errors;
use super::measured::{Done, Measured};
use vinci_engine::pipeline::Timing;

/// Status of a run, from its summary; `refused` where it came to its end and the referee does not accept it.
pub fn verdict(summary: &Value) -> &str {
    let is_refused = summary["referee"]["accepted"] == false && summary["failure"].is_null();
    if is_refused { "refused" } else { summary["status"].as_str().unwrap_or_default() }
}

/// Times of the stages of a run in all its steps, s, in the order of [`Timing::OF_A_STEP`]: without referee, recorder and files.
pub fn stages(summary: &Value) -> [f64; 5] {
    Timing::OF_A_STEP.map(|stage| summary["timing"][stage].as_f64().unwrap_or(0.0))
}

/// Where the largest residual that was accepted stands.
const RESIDUAL: &str = "/referee/max_residual";

/// Residual of a run, from its summary: the largest that was accepted; of a run that ended at a problem without solution that of the last
/// answer. None where nothing was solved.
pub fn residual(summary: &Value) -> Option<f64> {
    let failure = &summary["failure"];
    if failure["kind"] == "solver" {
        return failure["residual"].as_f64();
    }
    let is_of_nothing = summary["judged"].is_object()
        || summary["solver_stats"]["nothing_solved"] == true
        || summary["steps"] == 0;
    if is_of_nothing { None } else { summary.pointer(RESIDUAL).and_then(Value::as_f64) }
}

impl Done {
    /// As of [`verdict`].
    pub(super) fn verdict(&self) -> &str {
        verdict(&self.summary)
    }
}

impl Measured {
    /// A number of the summary; none of times and solutions where nothing was solved.
    pub(super) fn number(&self, pointer: &str) -> Option<f64> {
        if pointer == RESIDUAL {
            return residual(&self.run.summary);
        }
        let of_run = ["/timing/", "/solver_stats/"].iter().any(|p| pointer.starts_with(p));
        if of_run && self.run.is_recorded() {
            return None;
        }
        self.run.summary.pointer(pointer).and_then(Value::as_f64)
    }

    /// Errors that say something: none of the reference itself.
    pub(super) fn own_errors(&self) -> Option<&Errors> {
        self.errors.as_ref().filter(|_| !self.is_reference)
    }

    /// As of [`stages`]; 0 of a motion that was recorded elsewhere.
    pub(super) fn stages(&self) -> [f64; 5] {
        if self.run.is_recorded() { [0.0; 5] } else { stages(&self.run.summary) }
    }

    /// Time of all its steps, s: the sum of [`Measured::stages`]. None of a motion that was recorded elsewhere.
    pub(super) fn seconds(&self) -> Option<f64> {
        (!self.run.is_recorded()).then(|| self.stages().iter().sum())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Runs that no solver had a part in, and runs that failed at once, had the residual 0 of a perfect solution.
    #[test]
    fn without_a_solution_there_is_no_residual() {
        let referee = json!({ "max_residual": 0.0 });
        let told = |mut summary: Value| {
            summary["referee"] = referee.clone();
            residual(&summary)
        };
        assert_eq!(told(json!({ "steps": 9, "solver_stats": { "iterations_total": 0 } })), Some(0.0));
        assert_eq!(told(json!({ "steps": 9, "solver_stats": { "nothing_solved": true } })), None);
        assert_eq!(told(json!({ "steps": 0, "failure": { "kind": "plugin" } })), None);
        assert_eq!(told(json!({ "steps": 9, "judged": {} })), None);
        assert_eq!(
            told(json!({ "steps": 9, "failure": { "kind": "solver", "residual": 0.75 } })),
            Some(0.75)
        );
        assert_eq!(told(json!({ "steps": 9, "failure": { "kind": "solver" } })), None);
    }
}
