//! `vinci compare`: one scene, all combinations of what is varied, one table.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::claim::Claim;
use super::compare_physics::{self, Difference, as_json};
use super::compare_plan::{PLAN, Plan};
use super::files::{io_error, nothing_named, stem};
use super::printing::{report, say, tell};
use super::run::{ended, listening, ready, unchanged, words};
use crate::cli::{ChangeArgs, CompareArgs, ErrorFormat, Global};
use vinci_engine::registry::Registry;
use vinci_run::acceptance::Refusal;
use vinci_run::atomic_write::write_json;
use vinci_run::signals::Stop;
use vinci_run::summary::SUMMARY_FORMAT;
use vinci_run::{CHECKPOINT, Checkpoint, Guidance, Prepared, Surroundings, execute_guided, exit, take_up};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_scene::read_format;

/// One of the things varied: how it is set, and its values.
struct Axis {
    name: String,
    values: Vec<String>,
}

/// One run of the comparison.
struct Row {
    label: Vec<String>,
    directory: PathBuf,
    /// As it stands in its directory, so that a comparison that went on reads what one in a piece does.
    summary: Value,
    q: Vec<f64>,
}

/// A comparison on its way.
struct Comparison<'a> {
    global: &'a Global,
    registry: Registry,
    plan: Plan,
    axes: Vec<Axis>,
    out: PathBuf,
    checkpoint_every: Option<std::time::Duration>,
    stop: Stop,
}

pub(crate) fn run(global: &Global, args: &CompareArgs) -> Result<u8, Diagnostics> {
    let registry = Registry::new(&args.search.plugin_dir).with_children().remembering();
    let plan = match (&args.resume, &args.experiment) {
        (Some(directory), _) => Plan::read(directory)?,
        (None, Some(experiment)) => Plan::new(experiment, args)?,
        (None, None) => return Err(nothing_named("vinci compare EXPERIMENT --vary WHAT=A,B")),
    };
    let axes = plan.vary.iter().map(|v| axis(v)).collect::<Result<Vec<_>, _>>()?;
    let name = || PathBuf::from("results").join(format!("{}-compare", stem(&plan.experiment)));
    let out = args.resume.clone().or_else(|| args.out.clone()).unwrap_or_else(name);
    let (checkpoint_every, stop) = (args.checkpoint_every, Stop::default());
    let mut comparison = Comparison { global, registry, plan, axes, out, checkpoint_every, stop };
    let before = Surroundings::now();
    let mut whole = Claim::of(&comparison.out, "compare.json")?;
    let directories = comparison.directories()?;
    let claim = |directory: &PathBuf| match args.resume {
        Some(_) => Claim::to_go_on(directory),
        None => Claim::of_run(directory, comparison.plan.force),
    };
    let mut claims = directories.iter().map(claim).collect::<Result<Vec<_>, _>>()?;
    if args.resume.is_none() {
        comparison.look(&before)?;
        claims.iter_mut().try_for_each(Claim::take)?;
        comparison.plan.write(&comparison.out)?;
    }
    whole.keep();
    claims.iter_mut().for_each(Claim::keep);
    comparison.stop = listening()?;
    comparison.finish()
}

impl Comparison<'_> {
    fn combinations(&self) -> Vec<Vec<String>> {
        combinations(&self.axes)
    }

    fn directory(&self, values: &[String]) -> PathBuf {
        self.out.join(values.join("+").replace('/', "_"))
    }

    /// The directories of all runs, no two the same.
    fn directories(&self) -> Result<Vec<PathBuf>, Diagnostics> {
        let mut directories: Vec<PathBuf> = self.combinations().iter().map(|v| self.directory(v)).collect();
        directories.sort();
        if let Some(twice) = directories.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("two runs would go to {}", twice[0].display());
            return Err(Diagnostic::error(Code::Usage, message).help("vary by different values").into());
        }
        Ok(directories)
    }

    fn ready(&self, values: &[String]) -> Result<Prepared, Diagnostics> {
        let changes = changed(&self.plan.changes, &self.axes, values);
        ready(&self.plan.experiment, &changes, &self.registry, self.plan.strict)
    }

    /// All are checked before the first one runs; what they are is kept.
    fn look(&mut self, before: &Surroundings) -> Result<(), Diagnostics> {
        let mut warnings = Diagnostics::new();
        for values in &self.combinations() {
            let prepared = self.ready(values)?;
            let new = prepared.warnings.iter().filter(|w| !warnings.iter().any(|known| known == *w));
            warnings.extend(new.cloned().collect::<Vec<_>>());
            self.plan.add(&prepared);
        }
        report(self.global, &warnings);
        unchanged(before)
    }

    /// Runs what is missing; the table once nothing is.
    fn finish(&self) -> Result<u8, Diagnostics> {
        let mut rows = Vec::new();
        for (k, values) in self.combinations().into_iter().enumerate() {
            let directory = self.directory(&values);
            if ended(&directory)?.is_none() && self.made(k, &values, &directory)? == exit::STOPPED {
                let message = format!("the comparison was stopped from outside in its run {}", k + 1);
                let help =
                    format!("`vinci compare --resume {}` goes on to the same results", self.out.display());
                return Err(Diagnostic::error(Code::Stopped, message).help(help).into());
            }
            rows.push(Row::read(values, directory)?);
        }
        self.tell(&rows)?;
        Ok(rows.iter().map(Row::code).max().unwrap_or(exit::OK))
    }

    /// Writes and prints the comparison of all runs.
    fn tell(&self, rows: &[Row]) -> Result<(), Diagnostics> {
        let labels = rows.iter().map(|row| row.label.join(", "));
        let differences = compare_physics::differences(&labels.zip(self.plan.physics()).collect::<Vec<_>>());
        let compared = compared(&self.axes, rows, &differences);
        write_json(&self.out, "compare.json", &compared)
            .and_then(|()| std::fs::remove_file(self.out.join(PLAN)))
            .map_err(|e| io_error("cannot write to", &self.out, &e))?;
        match self.global.error_format {
            ErrorFormat::Text => {
                let (table, block) = (table(&self.axes, rows), compare_physics::block(&differences));
                say(&format!("{table}{block}results in {}\n", self.out.display()))
            }
            ErrorFormat::Json => {
                let value = || {
                    json!({ "command": "compare", "directory": self.out, "physics": compared["physics"],
                        "runs": compared["runs"] })
                };
                tell(self.global, String::new, value)
            }
        }
    }

    /// Makes one run, from its checkpoint if it has one; its exit code.
    fn made(&self, k: usize, values: &[String], directory: &Path) -> Result<u8, Diagnostics> {
        let before = Surroundings::now();
        let (prepared, from): (Prepared, Option<Checkpoint>) = if directory.join(CHECKPOINT).exists() {
            let (prepared, checkpoint) = take_up(directory, &self.registry)?;
            (prepared, Some(checkpoint))
        } else {
            let prepared = self.ready(values)?;
            self.plan.check(k, &prepared)?;
            (prepared, None)
        };
        unchanged(&before)?;
        let stop = self.stop.clone();
        let guidance =
            Guidance { stop, checkpoint_every: self.checkpoint_every, from, surroundings: Some(before) };
        let end = execute_guided(prepared, directory, guidance, |_| {})
            .map_err(|e| io_error("cannot write to", directory, &e))?;
        if self.global.verbose > 0 && self.global.error_format == ErrorFormat::Text {
            say(&words(&end))?;
        }
        Ok(end.code)
    }
}

impl Row {
    fn read(label: Vec<String>, directory: PathBuf) -> Result<Self, Diagnostics> {
        // Read as experiments are: every number to its last bit.
        let summary = read_format(&directory.join("summary.json"), SUMMARY_FORMAT)?.to_json();
        let q = last_row(&directory).map_err(|e| io_error("cannot read", &directory, &e))?;
        Ok(Self { label, directory, summary, q })
    }

    fn code(&self) -> u8 {
        self.summary["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok()).unwrap_or(exit::IO)
    }

    /// A number of the summary; NaN where it holds none.
    fn number(&self, pointer: &str) -> f64 {
        self.summary.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }

    /// A text of the summary; empty where it holds none.
    fn text(&self, key: &str) -> &str {
        self.summary[key].as_str().unwrap_or_default()
    }

    /// Why it failed or was not accepted.
    fn reason(&self) -> Option<String> {
        let failure = self.summary.pointer("/failure/message").and_then(Value::as_str).map(str::to_owned);
        let refusal = || {
            let refusal =
                serde_json::from_value::<Refusal>(self.summary["referee"]["refusal"].clone()).ok()?;
            Some(format!("the referee does not accept it: {refusal}"))
        };
        failure.or_else(refusal)
    }
}

/// `stepper=a,b` as an axis.
fn axis(text: &str) -> Result<Axis, Diagnostics> {
    let parts = text
        .split_once('=')
        .map(|(name, values)| (name, values.split(',').map(str::to_string).collect::<Vec<_>>()));
    match parts {
        Some((name, values)) if !name.is_empty() && values.iter().all(|v| !v.is_empty()) => {
            Ok(Axis { name: name.to_string(), values })
        }
        _ => {
            let message = format!("`--vary {text}` is not of the form what=a,b");
            Err(Diagnostic::error(Code::BadSet, message)
                .help("for example --vary solver=lemke,newton")
                .into())
        }
    }
}

fn combinations(axes: &[Axis]) -> Vec<Vec<String>> {
    axes.iter().fold(vec![Vec::new()], |sofar, axis| {
        let with = |head: &Vec<String>| {
            axis.values.iter().map(|v| [head.clone(), vec![v.clone()]].concat()).collect::<Vec<_>>()
        };
        sofar.iter().flat_map(with).collect()
    })
}

fn changed(changes: &ChangeArgs, axes: &[Axis], values: &[String]) -> ChangeArgs {
    let mut changes = changes.clone();
    for (axis, value) in axes.iter().zip(values) {
        match axis.name.as_str() {
            "detector" => changes.detector = Some(value.clone()),
            "stepper" => changes.stepper = Some(value.clone()),
            "solver" => changes.solver = Some(value.clone()),
            "step" => changes.step = Some(value.clone()),
            "duration" => changes.duration = Some(value.clone()),
            path => changes.set.push(format!("{path}={value}")),
        }
    }
    changes
}

/// The last state a run wrote.
fn last_row(directory: &Path) -> std::io::Result<Vec<f64>> {
    let text = std::fs::read_to_string(directory.join("trajectory.csv"))?;
    let last = text.lines().last().unwrap_or_default();
    Ok(last.split(',').skip(1).filter_map(|x| x.parse::<f64>().ok()).collect())
}

/// Largest difference of two final states, in their own units; NaN where they cannot be compared.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::NAN;
    }
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

fn table(axes: &[Axis], rows: &[Row]) -> String {
    let mut out = String::new();
    for axis in axes {
        out.push_str(&format!("{:<18}", axis.name));
    }
    out.push_str(&format!(
        "{:<10} {:>7} {:>9} {:>9} {:>10} {:>10} {:>10} {:>11} {:>10}  {}\n",
        "status",
        "steps",
        "µs/step",
        "iter/step",
        "residual",
        "penetr. m",
        "friction °",
        "energy J",
        "Δ to 1st",
        "state"
    ));
    for row in rows {
        for value in &row.label {
            out.push_str(&format!("{value:<18}"));
        }
        let made = row.number("/steps");
        let refused = row.reason().is_some() && row.summary["failure"].is_null();
        out.push_str(&format!(
            "{:<10} {:>7} {:>9.1} {:>9.2} {:>10.1e} {:>10.1e} {:>10.1} {:>11.6} {:>10.1e}  {:.12}\n",
            if refused { "refused" } else { row.text("status") },
            made,
            1e6 * row.number("/timing/total") / made.max(1.0),
            row.number("/solver_stats/iterations_total") / made.max(1.0),
            row.number("/referee/max_residual"),
            row.number("/referee/max_penetration"),
            row.number("/referee/max_friction_angle"),
            row.number("/energy/final"),
            difference(&rows[0].q, &row.q),
            row.text("state_hash")
        ));
    }
    for row in rows {
        if let Some(reason) = row.reason() {
            out.push_str(&format!("{}: {reason}\n", row.label.join(", ")));
        }
    }
    out
}

/// The whole comparison, as `compare.json` holds it.
fn compared(axes: &[Axis], rows: &[Row], differences: &[Difference]) -> Value {
    let names: Vec<_> = axes.iter().map(|a| a.name.as_str()).collect();
    let row = |r: &Row| {
        let varied: std::collections::BTreeMap<_, _> = names.iter().zip(&r.label).collect();
        let difference = difference(&rows[0].q, &r.q);
        json!({ "varied": varied, "directory": r.directory, "difference": difference, "summary": r.summary })
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    json!({ "format": "vinci/compare@1", "physics": as_json(differences), "runs": rows })
}
