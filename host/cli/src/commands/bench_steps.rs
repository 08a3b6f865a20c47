//! `vinci bench steps`: how long the steps of experiments take, stage by stage, as distributions.

use serde_json::{Value, json};

use super::files::stem;
use super::printing::{report, tell_asked};
use super::run::ready;
use super::search::{obeying, registry};
use crate::cli::{Global, StepsArgs};
use vinci_engine::pipeline::{Simulation, Stage, StepFailure, Timing};
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Columns of the table: single stages, and the whole step without recording.
const COLUMNS: [&str; 5] = ["detect", "formulate", "solve", "referee", "step"];

/// Seconds of one grid step, in the order of [`COLUMNS`], and the iterations of its solves.
#[derive(Debug, Clone, Copy)]
struct Step {
    seconds: [f64; 5],
    iterations: u64,
}

/// All steps of one experiment, each with the least time of all repetitions.
struct Measured {
    name: String,
    unknowns: usize,
    steps: Vec<Step>,
    failure: Option<String>,
}

pub(crate) fn run(global: &Global, args: &StepsArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let mut all = Vec::new();
    for experiment in &args.experiments {
        let mut measured: Option<Measured> = None;
        for _ in 0..args.repeat.max(1) {
            let registry = obeying(&registry, args.lock, experiment)?;
            let mut prepared = ready(experiment, &args.changes, &registry, false)?;
            let duration = prepared.loaded.experiment.time.duration;
            let (steps, failure) = measure(&mut prepared.simulation, duration);
            let unknowns = prepared.simulation.system.nv();
            let failure = failure.map(|f| f.to_string());
            match &mut measured {
                None => measured = Some(Measured { name: stem(experiment), unknowns, steps, failure }),
                Some(before) => before.keep_least(&steps),
            }
        }
        all.extend(measured);
    }
    let diagnostics: Diagnostics = all.iter().filter_map(Measured::finding).collect();
    let code = if diagnostics.has_errors() { exit::SOLVER } else { exit::OK };
    let table = || as_table(&all, args.repeat.max(1));
    tell_asked(global, ("bench steps", code), args.json, table, || as_json(&all))?;
    report(global, &diagnostics);
    Ok(code)
}

/// The whole run without recording; what the last step cost when it failed is not counted.
fn measure(simulation: &mut Simulation, duration: f64) -> (Vec<Step>, Option<StepFailure>) {
    let mut steps = Vec::new();
    let (mut before, mut iterations) = (stages(&simulation.timing), 0);
    while let Some(end) = simulation.next_end(duration) {
        if let Err(failure) = simulation.advance_to(end) {
            return (steps, Some(failure));
        }
        let (now, total) = (stages(&simulation.timing), simulation.solvers.stats.iterations_total);
        let seconds = std::array::from_fn(|k| now[k] - before[k]);
        steps.push(Step { seconds, iterations: total - iterations });
        (before, iterations) = (now, total);
    }
    (steps, None)
}

/// Seconds so far in the order of [`COLUMNS`].
fn stages(timing: &Timing) -> [f64; 5] {
    let of = |stage: Stage| timing.seconds()[stage as usize];
    let step = timing.seconds().iter().sum::<f64>() - of(Stage::Record);
    [of(Stage::Detect), of(Stage::Formulate), of(Stage::Solve), of(Stage::Referee), step]
}

impl Measured {
    fn keep_least(&mut self, again: &[Step]) {
        for (step, other) in self.steps.iter_mut().zip(again) {
            for (a, b) in step.seconds.iter_mut().zip(other.seconds) {
                *a = a.min(b);
            }
        }
    }

    /// Reason why it ended early, if it did.
    fn finding(&self) -> Option<Diagnostic> {
        let failure = self.failure.as_ref()?;
        Some(Diagnostic::error(Code::Run, format!("{} ended early: {failure}", self.name)))
    }

    /// (median, mean, worst) of a column, µs.
    fn distribution(&self, column: usize) -> (f64, f64, f64) {
        let mut us: Vec<f64> = self.steps.iter().map(|s| 1e6 * s.seconds[column]).collect();
        us.sort_by(f64::total_cmp);
        let mean = us.iter().sum::<f64>() / us.len().max(1) as f64;
        (us.get(us.len() / 2).copied().unwrap_or(0.0), mean, us.last().copied().unwrap_or(0.0))
    }

    /// (mean, worst) of the iterations of a step.
    fn iterations(&self) -> (f64, u64) {
        let all = self.steps.iter().map(|s| s.iterations);
        (all.clone().sum::<u64>() as f64 / self.steps.len().max(1) as f64, all.max().unwrap_or(0))
    }
}

fn as_table(all: &[Measured], repeat: u32) -> String {
    let mut out = format!(
        "µs per grid step as median / mean / worst over the steps, each the least of {repeat}; iterations as mean / worst\n{:<28} {:>5} {:>6} {:>14}",
        "experiment", "nv", "steps", "iterations"
    );
    COLUMNS.iter().for_each(|c| out.push_str(&format!(" {c:>26}")));
    out.push('\n');
    for m in all {
        let (mean, worst) = m.iterations();
        out.push_str(&format!(
            "{:<28} {:>5} {:>6} {:>14}",
            m.name,
            m.unknowns,
            m.steps.len(),
            format!("{mean:.1} / {worst}")
        ));
        for column in 0..COLUMNS.len() {
            let (median, mean, worst) = m.distribution(column);
            out.push_str(&format!(" {:>26}", format!("{median:.1} / {mean:.1} / {worst:.1}")));
        }
        out.push('\n');
    }
    out
}

fn as_json(all: &[Measured]) -> Value {
    let experiment = |m: &Measured| {
        let stages: serde_json::Map<String, Value> = COLUMNS
            .iter()
            .enumerate()
            .map(|(k, name)| {
                let (median, mean, worst) = m.distribution(k);
                ((*name).to_string(), json!({ "median_us": median, "mean_us": mean, "worst_us": worst }))
            })
            .collect();
        let (mean, worst) = m.iterations();
        json!({ "experiment": m.name, "nv": m.unknowns, "steps": m.steps.len(), "failure": m.failure,
            "iterations": { "mean": mean, "worst": worst }, "stages": stages })
    };
    json!({ "experiments": all.iter().map(experiment).collect::<Vec<_>>() })
}
