//! Measures of the runs of a comparison, as tables and JSON.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::columns::unused;
use super::common_times::{errors_at, told};
use super::errors::{Errors, KINDS};
use super::modes::Modes;
use super::reference::Reference;
use super::table::Table;
use crate::section::{Listing, Section};
use vinci_scene::diagnostics::Diagnostics;

/// A run of a comparison that came to an end.
#[derive(Debug, Clone)]
pub struct Done {
    /// Its values of the axes.
    pub values: Vec<String>,
    /// Its directory.
    pub directory: PathBuf,
    /// Its summary.
    pub summary: Value,
    /// Its recorded states.
    pub states: Table,
}

impl Done {
    /// Returns true if it is a motion that was recorded elsewhere: its times are those of the judge, and say nothing of the simulator.
    pub(super) fn is_recorded(&self) -> bool {
        self.summary["judged"].is_object()
    }

    /// Returns true if it came to the end of its time.
    pub(super) fn is_complete(&self) -> bool {
        self.summary["status"] == "completed"
    }
}

/// Measures of a run.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The run.
    pub run: Done,
    /// Its error; none without a reference, or where the reference is no run that there is.
    pub errors: Option<Errors>,
    /// True if it is the reference itself: its errors, 0, say nothing.
    pub is_reference: bool,
    /// Part of the common times at which the mode of some pair of bodies is not that of the reference, and the first of them, s.
    pub modes: Option<(f64, Option<f64>)>,
    /// Observed order of convergence of positions: from this run and the next two finer ones at one ratio.
    pub order: Option<f64>,
    /// Modes over time; none where contacts were not recorded.
    pub(super) timeline: Option<Modes>,
}

/// A comparison that was measured.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Axes that were varied.
    pub axes: Vec<String>,
    /// Reference for errors, as text.
    pub reference: Option<String>,
    /// True where the finest step is asked for and there is none: there is no reference then.
    pub unmet: bool,
    /// The runs, in their order.
    pub runs: Vec<Measured>,
    /// Parts of the reference that could not be used.
    pub warnings: Diagnostics,
    /// Lists of words that belong before the numbers.
    pub listings: Vec<Listing>,
    /// Measures beside errors, where they are asked for.
    pub sections: Vec<Section>,
    /// True where a page that draws the runs stands beside the tables.
    pub has_view: bool,
}

/// Error of a run, the part of its steps whose modes are others with the end of the first of them, s, and true if it is the reference.
type Against = (Option<Errors>, Option<(f64, Option<f64>)>, bool);

/// Measures runs that wrote their results.
///
/// # Errors
/// Tables that cannot be read; a reference that is none.
pub fn measure(
    axes: &[String],
    runs: Vec<Done>,
    reference: Option<&Reference>,
) -> Result<Comparison, Diagnostics> {
    let timelines = runs.iter().map(|run| Modes::read(&run.directory, &run.states.times));
    let timelines = timelines.collect::<Result<Vec<_>, _>>()?;
    let (mut found, mut warnings) = (Vec::new(), Diagnostics::new());
    let unmet = reference.and_then(|reference| reference.unmet(axes, &values(&runs)));
    let (reference, unmet) =
        (reference.filter(|_| unmet.is_none()), unmet.map(|w| warnings.push(w)).is_some());
    for k in 0..runs.len() {
        let against = match reference {
            Some(reference) => against(reference, axes, (&runs, &timelines, k), &mut warnings)?,
            None => (None, None, false),
        };
        found.push((against, order(axes, &runs, k)));
    }
    let with = |((run, timeline), ((errors, modes, is_reference), order))| Measured {
        run,
        errors,
        is_reference,
        modes,
        order,
        timeline,
    };
    Ok(Comparison {
        axes: axes.to_vec(),
        reference: reference.map(Reference::name),
        runs: runs.into_iter().zip(timelines).zip(found).map(with).collect(),
        unmet,
        warnings,
        listings: Vec::new(),
        sections: Vec::new(),
        has_view: false,
    })
}

/// Run `k` against its reference.
fn against(
    reference: &Reference,
    axes: &[String],
    (runs, timelines, k): (&[Done], &[Option<Modes>], usize),
    warnings: &mut Diagnostics,
) -> Result<Against, Diagnostics> {
    let (run, values) = (&runs[k], values(runs));
    let other = reference.run_for(axes, &values, k)?;
    let mut measured = |table: &Table| {
        let (errors, warning) = errors_at(&run.values.join(", "), &run.states, table);
        warning.into_iter().for_each(|warning| warnings.push(warning));
        errors
    };
    if let Some(table) = reference.table(&run.states.times)? {
        let is_formula = matches!(reference, Reference::Formula(_));
        let errors = measured(&table);
        unused(&run.values, &run.states, (&table, is_formula)).into_iter().for_each(|w| warnings.push(w));
        return Ok((errors, None, false));
    }
    let Some(other) = other else { return Ok((None, None, false)) };
    let modes = timelines[k].as_ref().zip(timelines[other].as_ref());
    let modes = modes.map(|(own, other)| own.differing(other));
    Ok((measured(&runs[other].states), modes, other == k))
}

/// Values of the axes, run by run.
fn values(runs: &[Done]) -> Vec<Vec<String>> {
    runs.iter().map(|run| run.values.clone()).collect()
}

/// Part of the largest coordinate below which a difference of positions is rounding, and no order can be seen.
const ROUNDING: f64 = 1e-12;

/// p = log(e(h, h/r)/e(h/r, h/r²)) / log r, where e(a, b) is the largest difference of positions between two runs that differ in their
/// step alone, at the times that all three have: the order at which the method comes to its own limit. Runs whose steps are at no one
/// ratio are left out. Nothing without two finer runs at one ratio, where the differences are rounding, or where the last step of one was
/// shorter: a step that is not h spoils the order in h.
fn order(axes: &[String], runs: &[Done], k: usize) -> Option<f64> {
    let at = axes.iter().position(|axis| axis == "step")?;
    let step = |run: usize| runs[run].values[at].parse::<f64>().unwrap_or(f64::NAN);
    let same = |run: &usize| {
        (0..axes.len()).all(|axis| axis == at || runs[*run].values[axis] == runs[k].values[axis])
    };
    let mut finer: Vec<usize> = (0..runs.len()).filter(|run| same(run) && step(*run) < step(k)).collect();
    finer.sort_by(|a, b| step(*b).total_cmp(&step(*a)));
    let chain = |next: &usize| {
        let ratio = step(k) / step(*next);
        let is_last = |last: &&usize| (step(*next) / step(**last) / ratio - 1.0).abs() < 1e-9;
        finer.iter().find(is_last).map(|last| (*next, *last, ratio))
    };
    let (next, last, ratio) = finer.iter().find_map(chain)?;
    if ![k, next, last].into_iter().all(|run| is_whole(&runs[run].states, step(run))) {
        return None;
    }
    let [a, b, c] = [k, next, last].map(|run| &runs[run].states);
    // One that ended early says nothing of what came later.
    let a = a.within(b).within(c);
    let [coarse, fine] = [distance(&a, b), distance(&b.within(&a), c)];
    let p = (coarse / fine).ln() / ratio.ln();
    let seen = coarse.min(fine) > ROUNDING * a.largest();
    (seen && p.is_finite()).then_some(p)
}

/// Part of a step by which the end of a run may miss a multiple of it.
const WHOLE: f64 = 1e-6;

/// Returns true if a run ends at a multiple of its step, s: its last step is no shorter one.
fn is_whole(states: &Table, step: f64) -> bool {
    let steps = states.times.last().copied().unwrap_or(0.0) / step;
    (steps - steps.round()).abs() <= WHOLE
}

/// The largest difference of positions, m; of joints where no body moves freely.
fn distance(a: &Table, b: &Table) -> f64 {
    let errors = Errors::of(a, b);
    let (position, joint) = (errors.most(0), errors.most(4));
    if position.is_nan() { joint } else { position }
}

impl Comparison {
    /// JSON for programs: what stands beside each run in `compare.json`.
    pub fn to_json(&self) -> Value {
        let finite = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
        let run = |m: &Measured| {
            let errors = m.errors.as_ref().map(|errors| {
                let kind = |(k, (name, unit)): (usize, &(&str, &str))| {
                    (
                        (*name).to_owned(),
                        json!({ "max": finite(errors.most(k)), "rms": finite(errors.rms(k)), "unit": unit }),
                    )
                };
                KINDS.iter().enumerate().map(kind).collect::<serde_json::Map<_, _>>()
            });
            let modes = m.modes.map(|(part, first)| json!({ "differing": part, "first": first }));
            json!({ "values": m.run.values, "errors": errors, "is_reference": m.is_reference, "compared": m.errors.as_ref().map(told), "modes": modes, "order": m.order })
        };
        let mut out =
            json!({ "reference": self.reference, "runs": self.runs.iter().map(run).collect::<Vec<_>>() });
        self.sections.iter().for_each(|section| out[section.key] = section.json.clone());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of one step whose error is h t up to `end`, s.
    fn run(h: f64, end: f64) -> Done {
        let times: Vec<f64> = (0..=(end / h).round() as usize).map(|k| k as f64 * h).collect();
        let x = times.iter().map(|t| 1.0 + h * t).collect();
        let states = Table { times, columns: [("a.x".to_owned(), x)].into() };
        Done { values: vec![h.to_string()], directory: PathBuf::new(), summary: Value::Null, states }
    }

    /// Every error was a dash, and nobody said why.
    #[test]
    fn a_finest_step_among_runs_of_one_step_is_told() {
        let told = |axis: &str, reference: Reference| {
            let found =
                measure(&[axis.to_owned()], vec![run(0.1, 0.2), run(0.05, 0.2)], Some(&reference)).unwrap();
            assert_eq!(found.block().contains("none; no two runs"), found.unmet);
            found.warnings.iter().map(|warning| warning.message.clone()).collect::<Vec<_>>().join("; ")
        };
        assert!(told("stepper", Reference::Finest).contains("there is no finest one"));
        assert_eq!(told("step", Reference::Finest), "");
        let itself = Reference::Run([("stepper".to_owned(), "0.1".to_owned())].into());
        assert_eq!(told("stepper", itself), "");
    }

    /// A step beside the halvings, 0.003 among 0.004, 0.002 and 0.001, took the order away.
    #[test]
    fn a_step_beside_the_chain_of_halvings_is_left_out() {
        let axes = ["step".to_owned()];
        let runs: Vec<Done> = [0.04, 0.03, 0.02, 0.01].into_iter().map(|h| run(h, 1.2)).collect();
        assert!((order(&axes, &runs, 0).unwrap() - 1.0).abs() < 1e-9);
        assert_eq!([1, 2, 3].map(|k| order(&axes, &runs, k)), [None; 3]);
    }

    /// Runs of 1 s in steps of 0.3 s ended with one of 0.1 s, and orders of nothing were told.
    #[test]
    fn no_order_is_told_of_runs_whose_last_step_was_shorter() {
        let axes = ["step".to_owned()];
        let cut = |h: f64| {
            let mut run = run(h, 0.9);
            run.states.times.push(1.0);
            run.states.columns.values_mut().for_each(|column| column.push(1.0 + h));
            run
        };
        let runs = [0.3, 0.15, 0.075].map(cut);
        assert_eq!(order(&axes, &runs, 0), None);
        let whole = [0.3, 0.15, 0.075].map(|h| run(h, 0.9));
        assert!((order(&axes, &whole, 0).unwrap() - 1.0).abs() < 1e-9);
    }

    /// The error of the reference to itself was told as 0, the best of all.
    #[test]
    fn the_reference_has_no_error_to_itself() {
        let runs = [0.1, 0.05].map(|h| run(h, 0.2)).to_vec();
        let found = measure(&["step".to_owned()], runs, Some(&Reference::Finest)).unwrap();
        assert_eq!([0, 1].map(|k| found.runs[k].is_reference), [false, true]);
        assert!(found.runs[0].own_errors().is_some() && found.runs[1].own_errors().is_none());
        let block = found.block();
        let line = block.lines().find(|line| line.starts_with("0.05 ")).unwrap();
        assert!(line.contains("reference") && !line.contains("0.00e0"), "{block}");
    }

    /// The difference that it made in 0.1 s was held against that of the others in 1 s: "order" −1.
    #[test]
    fn the_order_is_that_of_times_that_all_three_runs_have() {
        let axes = ["step".to_owned()];
        let order = |ends: [f64; 3]| {
            let runs: Vec<Done> =
                [0.1, 0.05, 0.025].into_iter().zip(ends).map(|(h, end)| run(h, end)).collect();
            order(&axes, &runs, 0).unwrap()
        };
        assert!((order([1.0, 1.0, 1.0]) - 1.0).abs() < 1e-12);
        assert!((order([0.2, 1.0, 1.0]) - 1.0).abs() < 1e-12, "{}", order([0.2, 1.0, 1.0]));
        assert!((order([1.0, 1.0, 0.2]) - 1.0).abs() < 1e-12, "{}", order([1.0, 1.0, 0.2]));
    }
}
