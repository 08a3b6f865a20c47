//! The referee's part of a summary: checks with their limits, the worst of every one, and the numbers behind them.

mod site;
mod totals;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::acceptance::Refusal;
pub use totals::RefereeTotals;
use vinci_engine::pipeline::StepWork;

/// The worst step of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct WorstStep {
    /// Step, from 1; 0: there was no contact at all.
    pub step: u64,
    /// Contact in words, "a / b"; empty where there is none.
    pub contact: String,
}

/// A check of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckSummary {
    /// Largest value that is accepted; none: the check is switched off.
    pub limit: Option<f64>,
    /// True if it is fulfilled (or switched off).
    pub accepted: bool,
    /// The worst value, without unit.
    pub worst: f64,
    /// Name of the criterion.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub criterion: String,
    /// Step, from 1; 0 where nothing was found.
    pub step: u64,
    /// Time at the end of that step, s.
    pub time: f64,
    /// Where.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub place: String,
}

/// Work over the run, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkSummary {
    /// Work by its source; impacts count among contacts.
    #[serde(flatten)]
    pub of: StepWork,
    /// Energy at the end less that at the start less all work: what finite steps make of potential energy and turning masses.
    pub integration_error: f64,
}

/// Maxima of the referee's findings over all steps: numbers in physical units, and checks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RefereeSummary {
    /// Deepest penetration, m.
    pub max_penetration: f64,
    /// Largest gap at the end of a step of a contact that pressed in it, as far as it is beyond what the linearisation said, m: how far
    /// apart bodies were that pressed each other.
    #[serde(default)]
    pub max_linearized_gap: f64,
    /// That gap as a part of the thinner body's thickness, the largest.
    #[serde(default)]
    pub max_linearized_part: f64,
    /// Worst contact that is neither open nor pressed, m/s.
    pub max_complementarity: f64,
    /// Largest friction impulse beyond the cone, N s.
    pub max_cone_violation: f64,
    /// Largest momentum residual, N s.
    pub max_momentum_residual: f64,
    /// Largest momentum residual relative to the size of its row.
    pub max_momentum_relative: f64,
    /// Largest shortfall from maximum dissipation in a step, J.
    pub max_dissipation_deficit: f64,
    /// Largest work friction did on the bodies in a step, J (0 up to rounding).
    pub max_friction_power: f64,
    /// Largest angle between friction and the direction against the slip, degrees.
    pub max_friction_angle: f64,
    /// Largest part by which friction of a slipping contact is too weak.
    pub max_friction_weakness: f64,
    /// Largest accepted relative residual of the solved problems (natural map).
    pub max_residual: f64,
    /// True if every step stands up to the referee.
    pub accepted: bool,
    /// The first finding for which it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// Every check with its limit and its worst finding.
    pub checks: BTreeMap<String, CheckSummary>,
    /// Checks that are switched off, and laws that nobody judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_judged: Vec<String>,
    /// Declared departures of the stepper's law.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<String>,
    /// Work over the run.
    pub work: WorkSummary,
    /// Where complementarity was worst.
    pub worst: WorstStep,
}
