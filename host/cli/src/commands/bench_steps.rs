//! `vinci bench steps`: how long the steps of experiments take, stage by stage, as distributions.

use std::time::Instant;

use cpu_time::ProcessTime;
use serde_json::{Value, json};

use super::files::stem;
use super::printing::{report, tell_asked};
use super::run::ready;
use super::search::{obeying, registry};
use crate::cli::{Global, StepsArgs};
use vinci_engine::pipeline::{Simulation, Stage, StepFailure, Timing};
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Columns of the table: stages, what lies between their laps, and the whole step without recording, which is their sum, all by the
/// clock; then the processor time of the step, of all threads together.
const COLUMNS: [&str; 9] =
    ["detect", "kinematics", "formulate", "solve", "update", "referee", "rest", "step", "cpu"];

/// Place of the whole step among the columns.
const WHOLE: usize = 7;

/// Stages of a step, the first columns.
const STAGES: [Stage; 6] =
    [Stage::Detect, Stage::Kinematics, Stage::Formulate, Stage::Solve, Stage::Update, Stage::Referee];

/// Seconds of one grid step, in the order of [`COLUMNS`], and the iterations of its solves.
#[derive(Debug, Clone, Copy)]
struct Step {
    seconds: [f64; COLUMNS.len()],
    iterations: u64,
}

impl Step {
    /// A step that took so long from outside, by the clock and by the processor, with the times of its stages.
    fn new(stages: [f64; STAGES.len()], [whole, cpu]: [f64; 2], iterations: u64) -> Self {
        let rest = whole - stages.iter().sum::<f64>();
        let seconds = std::array::from_fn(|k| match k {
            k if k < STAGES.len() => stages[k],
            WHOLE => whole,
            k if k > WHOLE => cpu,
            _ => rest,
        });
        Self { seconds, iterations }
    }

    /// Seconds of the whole step.
    fn whole(&self) -> f64 {
        self.seconds[WHOLE]
    }
}

/// All repetitions of one experiment.
struct Measured {
    name: String,
    unknowns: usize,
    /// Steps of every repetition, then those with the median time.
    repetitions: Vec<Vec<Step>>,
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
            let new = || Measured::new(stem(experiment), unknowns, failure);
            measured.get_or_insert_with(new).repetitions.push(steps);
        }
        all.extend(measured.map(Measured::settled));
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
        let (used, begun) = (ProcessTime::now(), Instant::now());
        if let Err(failure) = simulation.advance_to(end) {
            return (steps, Some(failure));
        }
        let whole = [begun.elapsed(), used.elapsed()].map(|time| time.as_secs_f64());
        let (now, total) = (stages(&simulation.timing), simulation.solvers.stats.iterations_total);
        let of_step = std::array::from_fn(|k| now[k] - before[k]);
        steps.push(Step::new(of_step, whole, total - iterations));
        (before, iterations) = (now, total);
    }
    (steps, None)
}

/// Seconds so far in the order of [`STAGES`].
fn stages(timing: &Timing) -> [f64; STAGES.len()] {
    STAGES.map(|stage| timing.seconds()[stage as usize])
}

impl Measured {
    fn new(name: String, unknowns: usize, failure: Option<String>) -> Self {
        Self { name, unknowns, repetitions: Vec::new(), steps: Vec::new(), failure }
    }

    /// Takes every step from the repetition in which it took the median time as a whole: so its stages still make its sum.
    fn settled(mut self) -> Self {
        let count = self.repetitions.iter().map(Vec::len).min().unwrap_or(0);
        let median = |k: usize| {
            let mut times: Vec<Step> = self.repetitions.iter().map(|steps| steps[k]).collect();
            times.sort_by(|a, b| a.whole().total_cmp(&b.whole()));
            times[(times.len() - 1) / 2]
        };
        self.steps = (0..count).map(median).collect();
        self
    }

    /// Reason why it ended early, if it did.
    fn finding(&self) -> Option<Diagnostic> {
        let failure = self.failure.as_ref()?;
        Some(Diagnostic::error(Code::Run, format!("{} ended early: {failure}", self.name)))
    }

    /// (median, mean, worst) of a column, µs.
    fn distribution(&self, column: usize) -> (f64, f64, f64) {
        let us = self.ordered(column);
        (quarter(&us, 2), mean(&us), quarter(&us, 4))
    }

    /// A column, µs, from its least to its greatest.
    fn ordered(&self, column: usize) -> Vec<f64> {
        let mut us: Vec<f64> = self.steps.iter().map(|s| 1e6 * s.seconds[column]).collect();
        us.sort_by(f64::total_cmp);
        us
    }

    /// A column for scripts, µs: the first step, which is cold, and the distribution over all.
    fn column(&self, column: usize) -> Value {
        let us = self.ordered(column);
        let first = self.steps.first().map_or(0.0, |s| 1e6 * s.seconds[column]);
        json!({ "first_us": first, "low_us": quarter(&us, 1), "median_us": quarter(&us, 2), "high_us": quarter(&us, 3),
            "worst_us": quarter(&us, 4), "mean_us": mean(&us), "deviation_us": deviation(&us) })
    }

    /// (mean, worst) of the iterations of a step.
    fn iterations(&self) -> (f64, u64) {
        let all = self.steps.iter().map(|s| s.iterations);
        (all.clone().sum::<u64>() as f64 / self.steps.len().max(1) as f64, all.max().unwrap_or(0))
    }
}

/// The value below which so many quarters of an ascending list lie, of four its last; 0 of an empty one.
fn quarter(ascending: &[f64], count: usize) -> f64 {
    let place = (ascending.len() * count / 4).min(ascending.len().saturating_sub(1));
    ascending.get(place).copied().unwrap_or(0.0)
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len().max(1) as f64
}

/// Standard deviation, of a sample.
fn deviation(list: &[f64]) -> f64 {
    let middle = mean(list);
    let squares: f64 = list.iter().map(|x| (x - middle).powi(2)).sum();
    (squares / list.len().saturating_sub(1).max(1) as f64).sqrt()
}

fn as_table(all: &[Measured], repeat: u32) -> String {
    let mut out = format!(
        "µs per grid step as median / mean / worst over the steps, each the median of {repeat}; iterations as mean / worst\n{:<28} {:>5} {:>6} {:>14}",
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
        let of = |(k, name): (usize, &&str)| ((*name).to_string(), m.column(k));
        let stages: serde_json::Map<String, Value> = COLUMNS.iter().enumerate().map(of).collect();
        let (mean, worst) = m.iterations();
        json!({ "experiment": m.name, "nv": m.unknowns, "steps": m.steps.len(), "failure": m.failure,
            "iterations": { "mean": mean, "worst": worst }, "stages": stages })
    };
    json!({ "experiments": all.iter().map(experiment).collect::<Vec<_>>() })
}
