//! One run of a comparison, as it stands in its directory.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::compare_plan::Plan;
use vinci_compare::measures::{Table, stages};
use vinci_run::acceptance::Refusal;
use vinci_run::exit;
use vinci_run::results::check_files;
use vinci_run::summary::SUMMARY_FORMAT;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::read_format;

/// One run of the comparison.
pub(super) struct Row {
    pub(super) label: Vec<String>,
    pub(super) directory: PathBuf,
    /// The summary as it stands in the run's directory, so that a comparison that was resumed reads what an uninterrupted one reads.
    pub(super) summary: Value,
    /// The last state that it wrote, column by column; empty where it left none.
    pub(super) q: Vec<f64>,
    /// All of them, until they are measured; none where nothing is.
    pub(super) states: Option<Table>,
}

impl Row {
    /// Run `k` of a plan. `kept`: its states are measured.
    ///
    /// # Errors
    /// Of input; another run; a file that is not what the run wrote.
    pub(super) fn read(
        plan: &Plan,
        k: usize,
        (label, kept): (Vec<String>, bool),
        directory: PathBuf,
    ) -> Result<Self, Diagnostics> {
        // Read as experiments are: every number to its last bit.
        let summary = read_format(&directory.join("summary.json"), SUMMARY_FORMAT)?.to_json();
        plan.check_summary(k, &directory, &summary)?;
        check_files(&directory, &summary)?;
        let states = Table::of_run(&directory)?;
        let q = states.columns.values().filter_map(|column| column.last().copied()).collect();
        Ok(Self {
            label,
            directory,
            summary,
            q,
            states: Some(states).filter(|s| kept && !s.times.is_empty()),
        })
    }

    /// A run whose process ended without a result.
    pub(super) fn died(label: Vec<String>, directory: PathBuf, message: &str) -> Self {
        let failure = json!({ "kind": "plugin", "message": message });
        let code = exit::PLUGIN_FAULT;
        let summary =
            json!({ "format": SUMMARY_FORMAT, "status": "failed", "failure": failure, "exit_code": code });
        Self { label, directory, summary, q: Vec::new(), states: None }
    }

    pub(super) fn code(&self) -> u8 {
        self.summary["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::IO)
    }

    /// Returns true if it is a motion that was recorded elsewhere: its times are those of the judge.
    pub(super) fn is_recorded(&self) -> bool {
        self.summary["judged"].is_object()
    }

    /// A number of the summary; NaN where it holds none.
    pub(super) fn number(&self, pointer: &str) -> f64 {
        self.summary.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }

    /// Time of all its steps, s: its stages, without referee, recorder and files, which are those of the comparison.
    pub(super) fn seconds(&self) -> f64 {
        stages(&self.summary).iter().sum()
    }

    /// A text of the summary; empty where it holds none.
    pub(super) fn text(&self, key: &str) -> &str {
        self.summary[key].as_str().unwrap_or_default()
    }

    /// The bridges over which its problems went.
    pub(super) fn bridges(&self) -> Vec<String> {
        let list = self.summary["bridges"].as_array().into_iter().flatten();
        list.filter_map(|bridge| bridge.as_str().map(str::to_owned)).collect()
    }

    /// Reason why it failed or was not accepted.
    pub(super) fn reason(&self) -> Option<String> {
        let failure = self.summary.pointer("/failure/message").and_then(Value::as_str).map(str::to_owned);
        let refusal = || {
            let refusal =
                serde_json::from_value::<Refusal>(self.summary["referee"]["refusal"].clone()).ok()?;
            Some(format!("the referee does not accept it: {refusal}"))
        };
        failure.or_else(refusal)
    }
}
