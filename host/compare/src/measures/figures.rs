//! Figures of a comparison: errors over time, work against precision, modes over time.

use vinci_run::plot::{Lines, lines};

use super::cost::cost;
use super::errors::KINDS;
use super::measured::{Comparison, Measured};
use super::timeline::timeline;

/// Largest number of runs in one figure: there are so many colours.
const MOST: usize = 8;

/// Figures by file, as SVG.
pub(super) fn figures(comparison: &Comparison) -> Result<Vec<(&'static str, String)>, String> {
    let mut made =
        vec![("comparison-modes.svg", timeline(comparison)), ("comparison-cost.svg", cost(comparison))];
    if comparison.reference.is_some() {
        made.push(("comparison-errors.svg", over_time(comparison)?));
        made.push(("comparison-work.svg", work_precision(comparison)?));
    }
    Ok(made)
}

type Series = Vec<(String, Vec<(f64, f64)>)>;

fn drawn(title: &str, [x_label, y_label]: [&str; 2], series: &Series) -> Result<String, String> {
    let list = series.iter().take(MOST).map(|(label, points)| (label.as_str(), points.as_slice())).collect();
    lines(&Lines { title, x_label, y_label, lines: list })
}

fn label(m: &Measured) -> String {
    m.run.values.join(", ")
}

/// The kind of error that is drawn: positions, or joints where no body moves freely.
fn kind(comparison: &Comparison) -> usize {
    let has_positions = |m: &Measured| m.errors.as_ref().is_some_and(|errors| !errors.most(0).is_nan());
    if comparison.runs.iter().any(has_positions) { 0 } else { 4 }
}

/// log₁₀ of what is above 0; nothing else can be drawn.
fn log(x: f64) -> f64 {
    if x > 0.0 { x.log10() } else { f64::NAN }
}

fn over_time(comparison: &Comparison) -> Result<String, String> {
    let kind = kind(comparison);
    let series = comparison.runs.iter().filter_map(|m| {
        let points = m.errors.as_ref()?.series.iter().map(|(t, at)| (*t, log(at[kind]))).collect();
        Some((label(m), points))
    });
    let (name, unit) = KINDS[kind];
    drawn(&format!("Error of {name}"), ["t, s", &format!("log₁₀ of the error, {unit}")], &series.collect())
}

/// One line per model over its steps: the largest error over the time that the run took.
fn work_precision(comparison: &Comparison) -> Result<String, String> {
    let (kind, step) = (kind(comparison), comparison.axes.iter().position(|axis| axis == "step"));
    let mut series: Series = Vec::new();
    for m in &comparison.runs {
        let Some(errors) = &m.errors else { continue };
        let own = m.run.values.iter().enumerate().filter(|(k, _)| Some(*k) != step).map(|(_, v)| v.as_str());
        let name = own.collect::<Vec<_>>().join(", ");
        let seconds = m.run.summary["timing"]["total"].as_f64().unwrap_or(f64::NAN);
        let point = (log(seconds), log(errors.most(kind)));
        match series.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => series.push((name, vec![point])),
        }
    }
    series.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let (name, unit) = KINDS[kind];
    drawn(
        "Work and precision",
        ["log₁₀ of the time, s", &format!("log₁₀ of the largest error of {name}, {unit}")],
        &series,
    )
}
