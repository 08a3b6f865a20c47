//! Figures of a comparison: errors over time, work against precision, modes over time.

use vinci_run::plot::{Chart, Line, Scale, lines};

use super::bars::some_of;
use super::cost::cost;
use super::errors::KINDS;
use super::looks::{Look, MOST, looks, model, of_the_shortest_steps, place, size, step};
use super::measured::{Comparison, Measured};
use super::timeline::timeline;

/// Figures by file, as SVG.
pub(super) fn figures(comparison: &Comparison) -> Result<Vec<(&'static str, String)>, String> {
    let mut made =
        vec![("comparison-modes.svg", timeline(comparison)), ("comparison-cost.svg", cost(comparison))];
    let kind = kind(comparison);
    // Axes of decades have no place for errors that are 0.
    if curves(comparison, kind).iter().any(|(_, curve)| curve.is_drawn(OVER_TIME)) {
        made.push(("comparison-errors.svg", over_time(comparison)?));
    }
    if work(comparison, kind).iter().any(|curve| curve.is_drawn([Scale::Decades; 2])) {
        made.push(("comparison-work.svg", work_precision(comparison)?));
    }
    Ok(made)
}

/// A line of a figure: its label, its points, the places of its colour and of its dashes.
pub(crate) struct Curve {
    pub(crate) label: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) colour: usize,
    pub(crate) dash: usize,
}

impl Curve {
    /// A whole line in the k-th colour.
    pub(crate) fn whole(k: usize, label: String, points: Vec<(f64, f64)>) -> Self {
        Self { label, points, colour: k, dash: 0 }
    }

    fn line(&self, has_dots: bool) -> Line<'_> {
        let Self { label, points, colour, dash } = self;
        Line { label, points, colour: *colour, dash: *dash, has_dots }
    }

    fn is_drawn(&self, [across, up]: [Scale; 2]) -> bool {
        self.points.iter().any(|(x, y)| across.place(*x).is_finite() && up.place(*y).is_finite())
    }
}

/// The first eight of the lines that have points; the title says of how many. `scales` are those of the axes; points of [`Scale::Decades`]
/// across have dots.
///
/// # Errors
/// What the library for plots says.
pub(crate) fn drawn(
    title: &str,
    labels: [&str; 2],
    scales: [Scale; 2],
    curves: &[Curve],
) -> Result<String, String> {
    let drawn: Vec<&Curve> = curves.iter().filter(|curve| curve.is_drawn(scales)).collect();
    let title = some_of(title, drawn.len(), MOST);
    let list = drawn.iter().take(MOST).map(|curve| curve.line(scales[0] == Scale::Decades)).collect();
    lines(&Chart { title: &title, labels, scales, lines: list })
}

fn label(m: &Measured) -> String {
    m.run.values.join(", ")
}

/// Axes of errors over time.
const OVER_TIME: [Scale; 2] = [Scale::Linear, Scale::Decades];

/// The kind of error that is drawn: positions, or joints where no body moves freely.
pub(super) fn kind(comparison: &Comparison) -> usize {
    let has_positions = |m: &Measured| m.errors.as_ref().is_some_and(|errors| !errors.most(0).is_nan());
    if comparison.runs.iter().any(has_positions) { 0 } else { 4 }
}

/// Errors over time, a line for every run: in the colour of its model, dashed by its step. Where these are too many lines, every model has
/// the one of its shortest step that has errors.
fn over_time(comparison: &Comparison) -> Result<String, String> {
    let kind = kind(comparison);
    let (name, unit) = KINDS[kind];
    let mut curves = curves(comparison, kind);
    curves.retain(|(_, curve)| curve.is_drawn(OVER_TIME));
    let mut title = format!("Error of {name}");
    // Of more models than colours those that share one differ by their dashes, which are no steps' then.
    let is_crowded = curves.len() > MOST || curves.iter().any(|(_, curve)| curve.colour >= MOST);
    if is_crowded && curves.iter().any(|(_, curve)| curve.dash > 0) {
        curves = of_the_shortest_steps(curves, |curve| Look { colour: curve.colour, dash: curve.dash });
        curves.iter_mut().for_each(|(_, curve)| curve.dash = 0);
        title += " at the shortest step";
    }
    let curves: Vec<Curve> = curves.into_iter().map(|(_, curve)| curve).collect();
    drawn(&title, ["t, s", &format!("error, {unit}")], OVER_TIME, &curves)
}

/// Errors over time with the steps of their runs.
fn curves(comparison: &Comparison, kind: usize) -> Vec<(f64, Curve)> {
    let step = step(&comparison.axes);
    let values = comparison.runs.iter().map(|m| m.run.values.as_slice());
    let curve = |(m, Look { colour, dash }): (&Measured, Look)| {
        let at_times = m.errors.iter().flat_map(|errors| &errors.series);
        let points = at_times.map(|(t, at)| (*t, at[kind])).collect();
        (size(&m.run.values, step), Curve { label: label(m), points, colour, dash })
    };
    comparison.runs.iter().zip(looks(&comparison.axes, values)).map(curve).collect()
}

/// One line per model over its steps: the largest error over the time of all steps, without referee, recorder and files.
fn work_precision(comparison: &Comparison) -> Result<String, String> {
    let kind = kind(comparison);
    let (name, unit) = KINDS[kind];
    let labels = ["time of all steps, s", &format!("largest error of {name}, {unit}")];
    drawn("Work and precision", labels, [Scale::Decades; 2], &work(comparison, kind))
}

/// Points of work and precision, model by model from its longest step to its shortest. Runs that ended early took less time for less,
/// motions of others none here, and the reference has no error.
fn work(comparison: &Comparison, kind: usize) -> Vec<Curve> {
    let step = step(&comparison.axes);
    let mut runs: Vec<&Measured> =
        comparison.runs.iter().filter(|m| m.run.is_complete() && !m.run.is_recorded()).collect();
    // Of equal steps in the order of the runs; by times they would cross where the machine was busy.
    runs.sort_by(|a, b| size(&b.run.values, step).total_cmp(&size(&a.run.values, step)));
    let point = |m: &Measured| {
        let point = (m.seconds()?, m.errors.as_ref()?.most(kind));
        (point.0 > 0.0 && point.1 > 0.0).then_some(point)
    };
    let mut models = Vec::new();
    for m in &comparison.runs {
        place(&mut models, model(&m.run.values, step));
    }
    let curve = |(k, name): (usize, String)| {
        let own =
            runs.iter().filter(|m| model(&m.run.values, step) == name).filter_map(|m| point(m)).collect();
        Curve::whole(k, name, own)
    };
    models.into_iter().enumerate().map(curve).collect()
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
        Measured { run, errors, is_reference: false, modes: None, order: None, timeline: None }
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
        assert!((found[0].points[0].0 - 0.1).abs() < 1e-12, "{:?}", found[0].points);
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
        let [a, b] = &found[..] else { panic!("{} lines", found.len()) };
        let shown = (a.label.as_str(), b.label.as_str(), a.points.len(), b.points.len());
        assert_eq!(shown, ("a", "b", 2, 1));
        let of_a = [(0.1, 1e-2), (0.01, 1e-3)];
        assert!(a.points.iter().zip(of_a).all(|(p, q)| near(p.0, q.0) && near(p.1, q.1)), "{:?}", a.points);
        assert!(near(b.points[0].0, 0.1), "{:?}", b.points);
    }

    /// The first eight runs were drawn: all of them of two models, in colours of which the figure beside said that they were others.
    #[test]
    fn of_many_steps_every_model_is_drawn_in_its_colour() {
        let of = |model: usize| {
            let step = move |k: usize| {
                let error = 1e-2 * f64::from(1 + u32::try_from(model).unwrap());
                run(&format!("m{model}"), ["0.04", "0.02", "0.01"][k], (1.0, error, "completed"))
            };
            (0..3).map(step)
        };
        let many = comparison((0..5).flat_map(of).collect()).unwrap();
        let figure = over_time(&many).unwrap();
        assert!(figure.contains("Error of position at the shortest step"), "{figure}");
        for model in 0..5 {
            assert!(
                figure.contains(&format!("m{model}, 0.01")) && !figure.contains(&format!("m{model}, 0.02"))
            );
        }
        let colours =
            |figure: &str| COLOURS.map(|colour| figure.to_uppercase().contains(&colour.to_uppercase()));
        assert_eq!(colours(&figure), colours(&work_precision(&many).unwrap()));
        // Few of them: a colour for the model, dashes for the step.
        let few = comparison((0..2).flat_map(of).collect()).unwrap();
        let curves =
            curves(&few, 0).into_iter().map(|(_, curve)| (curve.colour, curve.dash)).collect::<Vec<_>>();
        assert_eq!(curves, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    }

    /// Where nothing could be measured two empty pairs of axes were written, called "Error of joint".
    #[test]
    fn errors_that_there_are_none_of_are_not_drawn() {
        let names = |error: f64| {
            let found = comparison(vec![run("a", "0.1", (1.0, error, "completed"))]).unwrap();
            figures(&found).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(f64::NAN), ["comparison-modes.svg", "comparison-cost.svg"]);
        // Errors of 0 made axes without a line.
        assert_eq!(names(0.0), ["comparison-modes.svg", "comparison-cost.svg"]);
        assert_eq!(names(1e-3).len(), 4);
    }

    /// A model without errors left its place to others, and the ninth had the colour and the line of the first.
    #[test]
    fn two_models_do_not_share_a_line() {
        let error = |k: usize| if (1..5).contains(&k) { 0.0 } else { 1e-2 };
        let runs = (0..10).map(|k| run(&format!("m{k}"), "0.1", (1.0, error(k), "completed"))).collect();
        let figure = over_time(&comparison(runs).unwrap()).unwrap();
        let shown = |colour: &str| figure.to_uppercase().contains(&colour.to_uppercase());
        assert_eq!(COLOURS.map(shown), [true, true, false, false, false, true, true, true]);
        // Of m0 and m8 one is whole, the other in pieces.
        let of_first = figure.to_uppercase().matches(&COLOURS[0].to_uppercase()).count();
        assert!(of_first > figure.to_uppercase().matches(&COLOURS[5].to_uppercase()).count() + 2, "{figure}");
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
