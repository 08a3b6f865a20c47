//! `summary.json`: how a run went. Written last; without it a run did not end.

mod referee;

pub use referee::{CheckSummary, RefereeSummary, RefereeTotals, WorkSummary, WorstStep};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::FiredEvent;
use crate::sealed::FileSum;
use vinci_engine::pipeline::{Accepted, Falling, SolverStats, Squeezed, StepCounts, Timing};

/// `format` of summaries.
pub const SUMMARY_FORMAT: &str = "vinci/summary@1";

/// The plugin that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginUsed {
    /// Id.
    pub id: String,
    /// Version of the plugin.
    pub version: String,
    /// sha256 of the library's bytes, hex.
    pub digest: String,
}

/// Energies, J.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EnergySummary {
    /// Energy at t = 0.
    pub initial: f64,
    /// Energy at the end.
    pub r#final: f64,
    /// Largest on the way.
    pub max: f64,
}

/// How the way was divided into steps.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct SteppingSummary {
    /// Grid times k h reached.
    pub grid_steps: u64,
    /// Accepted steps; one with its two halves counts once.
    pub accepted: u64,
    /// Steps that these consist of.
    pub substeps: u64,
    /// Steps that were made at all: those taken back, whole steps beside their halves, and probes included.
    pub made: u64,
    /// Steps that were solved again with a smaller tolerance, because the referee found their solutions too coarse.
    pub refined: u64,
    /// Trial steps taken back: for their error, or on the way to an event.
    pub rejected: u64,
    /// Shorter steps that the stepper went on with where one did not come out: its own halvings.
    pub shortened: u64,
    /// Evaluations of forces and contacts that the stepper asked for away from the start of a step, those of steps taken
    /// back included; 0 for steppers that do not.
    pub evaluations: u64,
    /// Events located by going back.
    pub located: u64,
    /// Steps shortened by a prediction.
    pub predicted: u64,
    /// Events that `predict` did not foresee, or foresaw too late.
    pub missed: u64,
    /// Steps at the least step although a shorter one was asked for.
    pub floored: u64,
    /// Median of the orders of convergence seen in probes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_order: Option<f64>,
}

impl SteppingSummary {
    /// Summary of the counts of a run.
    pub fn new(grid_steps: u64, counts: &StepCounts) -> Self {
        Self {
            grid_steps,
            accepted: counts.accepted,
            substeps: counts.substeps,
            made: counts.made,
            refined: counts.refined,
            rejected: counts.rejected,
            shortened: counts.shortened,
            evaluations: counts.evaluations,
            located: counts.located,
            predicted: counts.predicted,
            missed: counts.missed,
            floored: counts.floored,
            observed_order: counts.observed_order(),
        }
    }
}

/// Impacts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ImpactSummary {
    /// Number of impacts.
    pub count: u64,
    /// Sum of their energy changes, J (negative: lost).
    pub energy_change: f64,
    /// The largest energy change of one impact, J; 0 without impacts. Positive: energy was made.
    pub largest_energy_change: f64,
    /// Impacts that made energy, beyond rounding.
    pub grew: u64,
}

impl ImpactSummary {
    /// Takes the impacts of a step in.
    pub fn add(&mut self, accepted: &Accepted<'_>) {
        for impact in accepted.impacts {
            let change = impact.energy_change;
            let first = self.count == 0;
            self.largest_energy_change = if first { change } else { self.largest_energy_change.max(change) };
            self.count += 1;
            self.energy_change += change;
            self.grew += u64::from(impact.grew);
        }
    }
}

/// Warnings for the reader of the summary.
pub fn warnings(impacts: &ImpactSummary, counts: &StepCounts) -> Vec<String> {
    let mut list = Vec::new();
    if impacts.grew > 0 {
        list.push(format!(
            "{} of {} impacts made energy, at most {:.3e} J: the law of impact is not dissipative there",
            impacts.grew, impacts.count, impacts.largest_energy_change
        ));
    }
    if counts.zeno > 0 {
        list.push(format!(
            "{} contacts had too many impacts within a step and lost their restitution",
            counts.zeno
        ));
    }
    if counts.floored > 0 {
        list.push(format!(
            "{} steps were taken at time.min_step although events or the tolerance asked for shorter ones",
            counts.floored
        ));
    }
    list
}

/// Failure that stopped a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailureSummary {
    /// Kind: solver, stepper, plugin, state, drive.
    pub kind: String,
    /// One sentence.
    pub message: String,
    /// Outcome of the last solver: Infeasible, MaxIterations, …; empty where no solver is to blame.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub outcome: String,
    /// Relative natural-map residual of that solver's answer, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residual: Option<f64>,
    /// Time at the start of the step that could not be made, s.
    pub time: f64,
    /// Contacts in the certificate, strongest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub squeezed: Vec<String>,
    /// Points and forces of these contacts, for drawings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub squeeze: Vec<Squeeze>,
    /// Bodies that nothing holds, with the direction in which the objective falls for ever.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub falling: Vec<String>,
    /// Velocities in these directions, for drawings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub free: Vec<FreeMotion>,
    /// Bodies and pairs whose rows a proof by cases rests on, with the kinds of rows, strongest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub involved: Vec<String>,
    /// The problem file, relative to the run directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl FailureSummary {
    /// One without a problem that was not solved.
    pub fn plain(kind: &str, message: String, time: f64) -> Self {
        Self {
            kind: kind.into(),
            message,
            outcome: String::new(),
            residual: None,
            time,
            squeezed: Vec::new(),
            squeeze: Vec::new(),
            falling: Vec::new(),
            free: Vec::new(),
            involved: Vec::new(),
            problem: None,
        }
    }
}

/// A contact that a certificate presses.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Squeeze {
    /// Names of its bodies.
    pub bodies: [String; 2],
    /// Middle between its points at the start of the step, world, m.
    pub point: [f64; 3],
    /// Normal part of the multipliers on the second body, world; the largest of all contacts is 1.
    pub force: [f64; 3],
}

impl From<&Squeezed> for Squeeze {
    fn from(of: &Squeezed) -> Self {
        let bodies = [of.body_a.clone(), of.body_b.clone()];
        Self { bodies, point: of.point, force: of.normal.map(|n| of.share * n) }
    }
}

/// A body that nothing holds, and how it would move.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FreeMotion {
    /// Its name.
    pub body: String,
    /// Velocity of its centre of mass, world, m/s up to a factor.
    pub linear: [f64; 3],
    /// Angular velocity, world, rad/s up to the same factor.
    pub angular: [f64; 3],
}

impl From<&Falling> for FreeMotion {
    fn from(of: &Falling) -> Self {
        let [linear, angular] = of.motion;
        Self { body: of.body.clone(), linear, angular }
    }
}

/// An event of the experiment that happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventSummary {
    /// Its number in the file, from 1.
    pub event: usize,
    /// When, s.
    pub time: f64,
    /// Its effect, as text.
    pub what: String,
}

impl From<&FiredEvent> for EventSummary {
    fn from(fired: &FiredEvent) -> Self {
        Self { event: fired.event + 1, time: fired.t, what: fired.text.clone() }
    }
}

/// The whole summary.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Format and version.
    pub format: &'static str,
    /// completed | failed; of a run that was stopped, which writes none, stopped.
    pub status: &'static str,
    /// Accepted steps.
    pub steps: u64,
    /// Time reached, s.
    pub time_end: f64,
    /// The detector that the run began with.
    pub detector: PluginUsed,
    /// Detectors beside it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_detectors: Vec<PluginUsed>,
    /// The stepper that it began with.
    pub stepper: PluginUsed,
    /// The solver that it began with.
    pub solver: PluginUsed,
    /// Solvers behind it.
    pub fallbacks: Vec<PluginUsed>,
    /// Controllers of the experiment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub controllers: Vec<PluginUsed>,
    /// Where the experiment left the solver to the host (`auto`): whom it chose, and up to which size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver_chosen: Option<String>,
    /// Events of the experiment that happened, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventSummary>,
    /// Reason why an event ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// Ways over bridges that led to answers: solver, bridges, kinds.
    pub bridges: Vec<String>,
    /// Seconds per stage and in all.
    pub timing: BTreeMap<&'static str, f64>,
    /// Statistics of the solvers.
    pub solver_stats: SolverStatsSummary,
    /// Verdict and numbers of the referee.
    pub referee: RefereeSummary,
    /// Energies.
    pub energy: EnergySummary,
    /// How the way was divided into steps.
    pub stepping: SteppingSummary,
    /// Impacts.
    pub impacts: ImpactSummary,
    /// Largest |Δq_a − Δq̄_a| of a driven dof in a step, m or rad; only under steppers that let them deviate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_command_deviation: Option<f64>,
    /// Warnings for the reader.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Hash of the final state's bits.
    pub state_hash: String,
    /// Hash of all recorded states' bits.
    pub trajectory_hash: String,
    /// The exit code of the run.
    pub exit_code: u8,
    /// Size and SHA-256 of every other file of the run, by its name in the directory.
    pub files: BTreeMap<String, FileSum>,
    /// Failure that stopped the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureSummary>,
}

/// `solver_stats` of the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SolverStatsSummary {
    /// Iterations of all solves, those that were not accepted included.
    pub iterations_total: u64,
    /// Iterations of solves that were not accepted.
    pub iterations_failed: u64,
    /// Iterations of the hardest accepted one.
    pub iterations_max: u64,
    /// Solves that were not accepted.
    pub failures: u64,
    /// Claims that a problem has no solution, or no lowest value.
    pub infeasible_claimed: u64,
    /// Claims of that kind with an exact proof that the host has checked.
    pub infeasible_proved: u64,
    /// Claims of that kind with a proof that holds to rounding only.
    #[serde(skip_serializing_if = "is_zero")]
    pub infeasible_rounded: u64,
    /// Steps solved by a fallback.
    pub fallbacks: u64,
    /// Islands that slept, summed over steps.
    #[serde(skip_serializing_if = "is_zero")]
    pub asleep: u64,
    /// True if no problem went to a solver: residuals are those of nothing.
    #[serde(skip_serializing_if = "is_false")]
    pub nothing_solved: bool,
}

/// Returns true if there is nothing to tell.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Returns true if there is nothing to tell.
fn is_false(told: &bool) -> bool {
    !*told
}

impl From<SolverStats> for SolverStatsSummary {
    fn from(s: SolverStats) -> Self {
        Self {
            iterations_total: s.iterations_total,
            iterations_failed: s.iterations_failed,
            iterations_max: s.iterations_max,
            failures: s.failures,
            infeasible_claimed: s.infeasible_claimed,
            infeasible_proved: s.infeasible_proved,
            infeasible_rounded: s.infeasible_rounded,
            fallbacks: s.fallbacks,
            asleep: s.asleep,
            // Runs that go on from older checkpoints have not counted.
            nothing_solved: s.asked == 0 && s.iterations_total == 0 && s.failures == 0,
        }
    }
}

/// Seconds per stage with the names the summary uses.
pub fn timing(t: &Timing) -> BTreeMap<&'static str, f64> {
    Timing::NAMES.into_iter().zip(t.seconds().iter().copied()).chain([("total", t.total)]).collect()
}
