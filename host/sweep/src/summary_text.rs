//! A sweep in words: what is varied, what is set, and how many runs that makes.

use std::fmt::Write;

use super::level::{Grid, Law, Scalar};
use super::plan::{Model, Plan};
use super::types::Prune;

/// Text of `vinci explain` on a sweep.
pub fn explained(plan: &Plan) -> String {
    let mut out = SummaryText::default();
    let shape = &plan.shape;
    let most: u64 = shape.own_units().map(|unit| shape.runs_of(unit)).sum();
    let cases = shape.cases[1] - shape.cases[0];
    out.line("sweep", format!("{}: {cases} cases, {most} runs{}", shape.name, pruned(shape.prune)));
    out.grid("cases", &plan.cases);
    let common = plan.sweep.samples.common.unwrap_or(true);
    let same = if common { "the same draws for every case" } else { "draws of its own for every case" };
    if let Some(model) = plan.models.first() {
        out.line("samples", format!("{} for every case, {same}", shape.rungs[0].samples));
        out.parameters(&model.samples, &[]);
    }
    plan.sweep.derive.iter().for_each(|(name, formula)| out.line("derived", format!("{name} = {formula}")));
    for over in &plan.overrides {
        out.line("set", format!("{} = {} (command line)", over.path(), over.value().to_json()));
    }
    plan.sweep.set.iter().for_each(|(path, value)| out.line("set", format!("{path} = {}", as_json(value))));
    for k in 0..plan.models.len() {
        rung(&mut out, plan, k);
    }
    asked(&mut out, plan);
    for picture in &plan.shape.pictures {
        let kind = if picture.map.is_some() { "map" } else { "histogram" };
        out.line("picture", format!("{}: a {kind}", picture.file));
    }
    out.text
}

fn pruned(prune: Prune) -> &'static str {
    match prune {
        Prune::Never => ", none is left out",
        Prune::Sample => " at most: a sample climbs when it succeeded on the rung before",
        Prune::Case => {
            " at most: a case ends at its first sample without success, and climbs when all succeeded"
        }
    }
}

/// A rung: its model, what it adds and changes, its plugins.
fn rung(out: &mut SummaryText, plan: &Plan, k: usize) {
    let (model, step) = (&plan.models[k], &plan.shape.rungs[k]);
    out.line(
        &format!("rung {}", k + 1),
        format!("{}: {}, {} samples", model.name, does(model), step.samples),
    );
    if k > 0 {
        out.parameters(&model.samples, &plan.models[0].samples.random);
    }
    model.require.iter().for_each(|(_, text)| out.line("", format!("requires {text}")));
    if let Some((path, _)) = &model.path {
        let [x, y, a] = path.cells;
        out.line("", format!("a way of `{}` to {} in {x} x {y} x {a} cells", path.body, path.goal));
    }
    let own = plan.sweep.ladder.iter().find(|rung| rung.name == model.name);
    for (path, value) in own.into_iter().flat_map(|rung| &rung.set) {
        out.line("", format!("set {path} = {}", as_json(value)));
    }
    model.plugins.iter().for_each(|words| out.line("", words.clone()));
}

fn does(model: &Model) -> &'static str {
    match (model.simulates, model.path.is_some(), model.require.is_empty()) {
        (true, ..) => "simulated",
        (false, true, _) => "a motion without forces",
        (false, false, false) => "conditions on parameters",
        (false, false, true) => "nothing is asked",
    }
}

fn asked(out: &mut SummaryText, plan: &Plan) {
    let asked = &plan.asked;
    let success = asked.success.as_ref().map_or("the end is reached", |(text, _)| text);
    out.line("success", success.to_owned());
    for (name, formula) in [("until", &asked.until), ("fail", &asked.fail)] {
        if let Some((text, _)) = formula {
            out.line(name, text.clone());
        }
    }
    asked.measures.iter().for_each(|(name, text, _)| out.line("measure", format!("{name} = {text}")));
}

fn as_json(value: &serde_json::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Lines of two columns.
#[derive(Default)]
struct SummaryText {
    text: String,
}

impl SummaryText {
    fn line(&mut self, name: &str, what: String) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{name:<10} {what}");
    }

    fn grid(&mut self, name: &str, grid: &Grid) {
        let (points, count) = (grid.points(), grid.count);
        let drawn = if grid.random.is_empty() { String::new() } else { format!(", {count} draws at each") };
        self.line(name, format!("{points} points of a grid{drawn}"));
        self.parameters(grid, &[]);
    }

    /// All parameters but those that are among `known`.
    fn parameters(&mut self, grid: &Grid, known: &[(String, Law)]) {
        if known.is_empty() {
            grid.axes.iter().for_each(|(name, values)| self.line("", format!("{name}: {}", axis(values))));
        }
        for (name, law) in grid.random.iter().filter(|one| !known.contains(one)) {
            self.line("", format!("{name}: {}", distribution(law)));
        }
    }
}

fn axis(values: &[Scalar]) -> String {
    match values {
        [first, .., last] if values.len() > 8 => {
            format!("{} values from {} to {}", values.len(), first.written(), last.written())
        }
        _ => all(values),
    }
}

fn all(values: &[Scalar]) -> String {
    values.iter().map(Scalar::written).collect::<Vec<_>>().join(", ")
}

fn distribution(law: &Law) -> String {
    match law {
        Law::Uniform([a, b]) => format!("uniform from {a} to {b}"),
        Law::LogUniform([a, b]) => format!("log-uniform from {a} to {b}"),
        Law::Normal([mean, deviation], [a, b]) => {
            format!("normal with mean {mean} and deviation {deviation}, within {a} and {b}")
        }
        Law::Integers([a, b]) => format!("whole numbers from {a} to {b}"),
        Law::Choice(of) => format!("one of {}", all(of)),
    }
}
