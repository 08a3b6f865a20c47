//! Figures of a comparison: errors over time, work against precision, modes over time.

use vinci_run::plot::{Lines, lines};

use super::bars::some_of;
use super::cost::cost;
use super::errors::KINDS;
use super::measured::{Comparison, Measured};
use super::timeline::timeline;

/// Largest number of lines in one figure: there are so many colours.
const MOST: usize = 8;

/// Figures by file, as SVG.
pub(super) fn figures(comparison: &Comparison) -> Result<Vec<(&'static str, String)>, String> {
    let mut made =
        vec![("comparison-modes.svg", timeline(comparison)), ("comparison-cost.svg", cost(comparison))];
    if comparison.runs.iter().any(has_errors) {
        made.push(("comparison-errors.svg", over_time(comparison)?));
        made.push(("comparison-work.svg", work_precision(comparison)?));
    }
    Ok(made)
}

/// Returns true if something of a run was measured against the reference.
fn has_errors(m: &Measured) -> bool {
    m.errors.as_ref().is_some_and(|errors| (0..KINDS.len()).any(|kind| !errors.most(kind).is_nan()))
}

/// Label and points of every line.
pub(crate) type Series = Vec<(String, Vec<(f64, f64)>)>;

/// Lines of the first eight; the title says of how many. One without points is not seen, and the others keep their colours: the k-th
/// has the same one in all figures, and in the view.
///
/// # Errors
/// What the library for plots says.
pub(crate) fn drawn(title: &str, [x_label, y_label]: [&str; 2], series: &Series) -> Result<String, String> {
    let is_drawn = |points: &[(f64, f64)]| points.iter().any(|(x, y)| x.is_finite() && y.is_finite());
    let count = |most: usize| series.iter().take(most).filter(|(_, points)| is_drawn(points)).count();
    let title = some_of(title, count(series.len()), count(MOST));
    let list = series.iter().take(MOST).map(|(label, points)| (label.as_str(), points.as_slice())).collect();
    lines(&Lines { title: &title, x_label, y_label, lines: list })
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
    let series = comparison.runs.iter().map(|m| {
        let at_times = m.errors.iter().flat_map(|errors| &errors.series);
        (label(m), at_times.map(|(t, at)| (*t, log(at[kind]))).collect())
    });
    let (name, unit) = KINDS[kind];
    drawn(&format!("Error of {name}"), ["t, s", &format!("log₁₀ of the error, {unit}")], &series.collect())
}

/// One line per model over its steps: the largest error over the time of all steps, without referee, recorder and files.
fn work_precision(comparison: &Comparison) -> Result<String, String> {
    let kind = kind(comparison);
    let (name, unit) = KINDS[kind];
    drawn(
        "Work and precision",
        ["log₁₀ of the time of all steps, s", &format!("log₁₀ of the largest error of {name}, {unit}")],
        &work(comparison, kind),
    )
}

/// Points of work and precision, model by model from its longest step to its shortest. Runs that ended early took less time for less,
/// motions of others none here, and the reference has no error.
fn work(comparison: &Comparison, kind: usize) -> Series {
    let step = comparison.axes.iter().position(|axis| axis == "step");
    let size = |m: &Measured| step.and_then(|at| m.run.values[at].parse::<f64>().ok()).unwrap_or(0.0);
    let mut runs: Vec<&Measured> =
        comparison.runs.iter().filter(|m| m.run.is_complete() && !m.run.is_recorded()).collect();
    // Of equal steps in the order of the runs; by times they would cross where the machine was busy.
    runs.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let own = |m: &Measured| {
        let own = m.run.values.iter().enumerate().filter(|(k, _)| Some(*k) != step).map(|(_, v)| v.as_str());
        own.collect::<Vec<_>>().join(", ")
    };
    let point = |m: &Measured| {
        let point = (log(m.seconds()?), log(m.errors.as_ref()?.most(kind)));
        (point.0.is_finite() && point.1.is_finite()).then_some(point)
    };
    let mut series: Series = Vec::new();
    for m in &comparison.runs {
        if !series.iter().any(|(known, _)| *known == own(m)) {
            let of_model = runs.iter().filter(|other| own(other) == own(m));
            series.push((own(m), of_model.filter_map(|m| point(m)).collect()));
        }
    }
    series
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::super::errors::Errors;
    use super::super::measured::{Done, measure};
    use super::super::table::Table;
    use super::*;
    use vinci_run::plot::COLOURS;
    use vinci_scene::diagnostics::Diagnostics;

    /// A run of a model with a step, its time, s, its largest error, m, and its status.
    fn run(model: &str, step: &str, (seconds, error, status): (f64, f64, &str)) -> Measured {
        let run = Done {
            values: vec![model.to_owned(), step.to_owned()],
            directory: PathBuf::new(),
            summary: json!({ "status": status, "timing": { "solve": seconds, "total": 9.0 } }),
            states: Table::default(),
        };
        let at = [error, f64::NAN, f64::NAN, f64::NAN, f64::NAN];
        let errors = Some(Errors { series: vec![(1.0, at)] });
        Measured { run, errors, modes: None, order: None, timeline: None }
    }

    fn comparison(runs: Vec<Measured>) -> Result<Comparison, Diagnostics> {
        let axes = ["model".to_owned(), "step".to_owned()];
        Ok(Comparison { runs, reference: Some("finest".to_owned()), ..measure(&axes, Vec::new(), None)? })
    }

    /// The time of the whole run was drawn, with its files: of a short run nothing else was seen, and lines went to and fro.
    #[test]
    fn work_is_the_time_of_steps() {
        let mut slow = run("a", "0.1", (0.1, 1e-2, "completed"));
        slow.run.summary["timing"]["record"] = json!(5.0);
        let found = work(&comparison(vec![slow]).unwrap(), 0);
        assert!((found[0].1[0].0 + 1.0).abs() < 1e-12, "{found:?}");
    }

    /// The reference, which has no line, lent its colour to the run behind it, and all that followed had others than in the view.
    #[test]
    fn a_run_has_one_colour_in_all_figures() {
        let colour_of = |runs: Vec<Measured>| {
            let figure = over_time(&comparison(runs).unwrap()).unwrap();
            COLOURS.map(|colour| figure.to_uppercase().contains(&colour.to_uppercase()))
        };
        let runs = |error| {
            let errors = [error, 1e-2, 1e-3];
            (0..3).map(|k| run(&format!("m{k}"), "0.1", (1.0, errors[k], "completed"))).collect::<Vec<_>>()
        };
        assert_eq!(colour_of(runs(1e-4))[..4], [true, true, true, false]);
        assert_eq!(colour_of(runs(0.0))[..4], [false, true, true, false]);
    }

    /// The reference's own error, 0, broke the line of its model into dots where its time lay between those of the others.
    #[test]
    fn a_model_is_a_line_over_its_steps_without_what_says_nothing() {
        let whole = |seconds, error| (seconds, error, "completed");
        let runs = vec![
            run("a", "0.004", whole(0.1, 1e-2)),
            run("a", "0.002", whole(0.01, 1e-3)),
            run("a", "0.001", whole(0.05, 0.0)),
            run("b", "0.004", whole(0.1, 1e-2)),
            run("b", "0.002", (1e-3, 1e-9, "failed")),
        ];
        let found = work(&comparison(runs).unwrap(), 0);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
        let [(a, of_a), (b, of_b)] = &found[..] else { panic!("{found:?}") };
        assert_eq!((a.as_str(), b.as_str(), of_a.len(), of_b.len()), ("a", "b", 2, 1), "{found:?}");
        assert!(near(of_a[0].0, -1.0) && near(of_a[0].1, -2.0) && near(of_a[1].0, -2.0), "{of_a:?}");
        assert!(near(of_b[0].0, -1.0), "{of_b:?}");
    }

    /// Where nothing could be measured two empty pairs of axes were written, called "Error of joint".
    #[test]
    fn errors_that_there_are_none_of_are_not_drawn() {
        let names = |error: f64| {
            let found = comparison(vec![run("a", "0.1", (1.0, error, "completed"))]).unwrap();
            figures(&found).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(f64::NAN), ["comparison-modes.svg", "comparison-cost.svg"]);
        assert_eq!(names(1e-3).len(), 4);
    }

    #[test]
    fn a_figure_says_how_many_runs_it_leaves_out() {
        let runs =
            |n: usize| (0..n).map(|k| run(&format!("m{k}"), "0.1", (1.0, 1e-3, "completed"))).collect();
        let title = |n: usize| over_time(&comparison(runs(n)).unwrap()).unwrap();
        assert!(title(MOST + 3).contains("Error of position: 8 of 11"), "{}", title(MOST + 3));
        assert!(!title(MOST).contains(" of 8"));
    }
}
