//! `vinci compare`: one scene, all combinations of what is varied, one table.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::compare_physics::{self, Difference, as_json};
use super::run::{ready, words};
use super::{clear_directory, io_error, report, say, stem};
use crate::cli::{ChangeArgs, CompareArgs, Global};
use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::exit;
use crate::registry::Registry;
use crate::run::physics::Physics;
use crate::run::{RunEnd, execute};

/// One of the things varied: how it is set, and its values.
struct Axis {
    name: String,
    values: Vec<String>,
}

/// One run of the comparison.
struct Row {
    label: Vec<String>,
    end: RunEnd,
    q: Vec<f64>,
    physics: Physics,
}

pub(crate) fn run(global: &Global, args: &CompareArgs) -> Result<u8, Diagnostics> {
    let axes = args.vary.iter().map(|v| axis(v)).collect::<Result<Vec<_>, _>>()?;
    let registry = Registry::new(&args.search.plugin_dir).remembering();
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| PathBuf::from("results").join(format!("{}-compare", stem(&args.experiment))));
    let combinations = combinations(&axes);
    // All are checked before the first one runs.
    let mut warnings = Diagnostics::new();
    for values in &combinations {
        let prepared =
            ready(&args.experiment, &changed(&args.changes, &axes, values), &registry, args.strict)?;
        let new = prepared.warnings.iter().filter(|w| !warnings.iter().any(|known| known == *w));
        warnings.extend(new.cloned().collect::<Vec<_>>());
    }
    report(global, &warnings);
    let mut rows = Vec::new();
    for values in combinations {
        let changes = changed(&args.changes, &axes, &values);
        let prepared = ready(&args.experiment, &changes, &registry, args.strict)?;
        let physics = prepared.physics.clone();
        let directory = out.join(values.join("+").replace('/', "_"));
        clear_directory(&directory, args.force)?;
        let mut q = Vec::new();
        let end =
            execute(prepared, &directory, |_| {}).map_err(|e| io_error("cannot write to", &directory, &e))?;
        last_row(&directory, &mut q).map_err(|e| io_error("cannot read", &directory, &e))?;
        if global.verbose > 0 {
            say(&words(&end));
        }
        rows.push(Row { label: values, end, q, physics });
    }
    say(&table(&axes, &rows));
    let runs: Vec<_> = rows.iter().map(|r| (r.label.join(", "), &r.physics)).collect();
    let differences = compare_physics::differences(&runs);
    say(&compare_physics::block(&differences));
    say(&format!("results in {}\n", out.display()));
    write(&out, &axes, &rows, &differences).map_err(|e| io_error("cannot write to", &out, &e))?;
    Ok(rows.iter().map(|r| r.end.code).max().unwrap_or(exit::OK))
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
fn last_row(directory: &Path, q: &mut Vec<f64>) -> std::io::Result<()> {
    let text = std::fs::read_to_string(directory.join("trajectory.csv"))?;
    let last = text.lines().last().unwrap_or_default();
    q.extend(last.split(',').skip(1).filter_map(|x| x.parse::<f64>().ok()));
    Ok(())
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
        let s = &row.end.summary;
        for value in &row.label {
            out.push_str(&format!("{value:<18}"));
        }
        let steps = s.steps.max(1) as f64;
        out.push_str(&format!(
            "{:<10} {:>7} {:>9.1} {:>9.2} {:>10.1e} {:>10.1e} {:>10.1} {:>11.6} {:>10.1e}  {}\n",
            if reason(&row.end).is_some() && s.failure.is_none() { "refused" } else { s.status },
            s.steps,
            1e6 * s.timing["total"] / steps,
            s.solver_stats.iterations_total as f64 / steps,
            s.referee.max_residual,
            s.referee.max_penetration,
            s.referee.max_friction_angle,
            s.energy.r#final,
            difference(&rows[0].q, &row.q),
            &s.state_hash[..12]
        ));
    }
    for row in rows {
        if let Some(reason) = reason(&row.end) {
            out.push_str(&format!("{}: {reason}\n", row.label.join(", ")));
        }
    }
    out
}

/// Why a run failed or was not accepted.
fn reason(end: &RunEnd) -> Option<String> {
    let s = &end.summary;
    let failed = s.failure.as_ref().map(|f| f.message.clone());
    failed.or_else(|| Some(format!("the referee does not accept it: {}", s.referee.refusal.as_ref()?)))
}

fn write(out: &Path, axes: &[Axis], rows: &[Row], differences: &[Difference]) -> std::io::Result<()> {
    let names: Vec<_> = axes.iter().map(|a| a.name.as_str()).collect();
    let rows: Vec<_> = rows
        .iter()
        .map(|r| json!({ "varied": names.iter().zip(&r.label).collect::<std::collections::BTreeMap<_, _>>(), "directory": r.end.directory, "difference": difference(&rows[0].q, &r.q), "summary": r.end.summary }))
        .collect();
    std::fs::write(
        out.join("compare.json"),
        format!(
            "{:#}\n",
            json!({ "format": "vinci/compare@1", "physics": as_json(differences), "runs": rows })
        ),
    )
}
