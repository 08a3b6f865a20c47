//! Pages of the gallery: one per experiment, and the table of all.

use std::collections::BTreeMap;

use super::cells::{Cell, VERDICTS};
use super::list::{Entry, Gallery};
use super::studio::{Shown, Studio};
use crate::shell::put;

const NOTE: &str = "<!-- Written by cargo xtask gallery; edit docs/gallery.json instead. -->\n\n";

/// Picture, moving picture, paragraph, command, table.
pub(crate) fn write_scene(studio: &Studio, shown: &Shown) -> Result<(), String> {
    let (name, about) = (&shown.entry.name, shown.entry.about()?);
    let mut text = format!("{NOTE}# {name}\n\n{about}\n\n");
    text += &format!("![{name} at the end of its run]({name}.png) ![{name} moving]({name}.gif)\n\n");
    text += &format!("```console\n$ vinci run host/scenes/{name}.json\n$ vinci view results/{name}\n```\n\n");
    text += &reference(shown.entry)?;
    text += &table(shown.entry, &shown.cells);
    text += &not_right(&shown.cells);
    text += &left_out(shown);
    put(&studio.book.join(format!("{name}.md")), &text)
}

/// Sentence on what the errors of the table are measured against.
fn reference(entry: &Entry) -> Result<String, String> {
    let Entry { step, .. } = entry;
    let run = format!(
        "Every model runs for {} with steps of {step}, {} and {} s. ",
        span(entry)?,
        step / 2.0,
        step / 4.0
    );
    if entry.formula.is_empty() {
        return Ok(
            run + "Errors are not held against a closed form here: they are those to the model's own finest step, and say how far the step matters.\n\n"
        );
    }
    let forms: Vec<_> = entry.formula.iter().map(|(column, form)| format!("`{column} = {form}`")).collect();
    let limit = entry
        .within
        .map_or(String::new(), |w| format!(" Right means: at most {w:e} away at the finest step."));
    Ok(format!(
        "{run}Errors are the largest ones over time to the closed form {}.{limit}\n\n",
        forms.join(", ")
    ))
}

/// Time that the cells run, "0.6 s" or "the first 0.02 s of 12 s".
fn span(entry: &Entry) -> Result<String, String> {
    let (part, whole) = (entry.duration, entry.whole()?);
    Ok(if part < whole { format!("the first {part} s of {whole} s") } else { format!("{part} s") })
}

fn table(entry: &Entry, cells: &[Cell]) -> String {
    let mut rows: BTreeMap<&str, Vec<&Cell>> = BTreeMap::new();
    for cell in cells {
        rows.entry(&cell.model).or_default().push(cell);
    }
    let mut text = "| model | h | h/2 | h/4 | order |\n|---|---|---|---|---|\n".to_owned();
    for (model, cells) in rows {
        let shown: Vec<_> = cells.iter().map(|cell| cell_text(entry, cell)).collect();
        let order = cells.iter().find_map(|cell| cell.order).map_or(String::new(), |p| format!("{p:.2}"));
        text += &format!("| {model} | {} | {order} |\n", shown.join(" | "));
    }
    text
}

fn cell_text(entry: &Entry, cell: &Cell) -> String {
    // The finest step has no error to itself.
    let is_reference = entry.formula.is_empty() && cell.error == Some(0.0) && cell.step == entry.finest();
    let error = cell.error.filter(|_| !is_reference).map_or(String::new(), |e| format!(" {e:.1e}"));
    format!("{}{error}", cell.verdict.word())
}

/// Reason why cells are not right: a line for every reason, with the models and the steps of which it is told.
fn not_right(cells: &[Cell]) -> String {
    let mut reasons: BTreeMap<(&str, &str), BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for cell in cells.iter().filter(|cell| !cell.reason.is_empty()) {
        let models = reasons.entry((cell.verdict.word(), &cell.reason)).or_default();
        models.entry(&cell.model).or_default().push(&cell.step);
    }
    let line = |((verdict, reason), models): ((&str, &str), BTreeMap<&str, Vec<&str>>)| {
        format!("- *{verdict}*, {reason}: {}\n", listed(&models))
    };
    let lines: String = reasons.into_iter().map(line).collect();
    if lines.is_empty() { lines } else { format!("\nNot right:\n\n{lines}") }
}

/// "anitescu-potra with lemke, newton; tamsi with newton-tals (h = 0.01)": steps where it is not all three.
fn listed(models: &BTreeMap<&str, Vec<&str>>) -> String {
    let mut steppers: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (model, steps) in models {
        let (stepper, solver) = model.split_once(" + ").unwrap_or((model, ""));
        let steps = if steps.len() < 3 { format!(" (h = {})", steps.join(", ")) } else { String::new() };
        steppers.entry(stepper).or_default().push(format!("{solver}{steps}"));
    }
    let all = steppers.iter().map(|(stepper, solvers)| format!("{stepper} with {}", solvers.join(", ")));
    all.collect::<Vec<_>>().join("; ")
}

/// Steppers that cannot run it, and models that are left out on purpose.
fn left_out(shown: &Shown) -> String {
    let mut text = String::new();
    let refused = shown.refused.iter().map(|(stepper, reason)| (stepper.clone(), reason.as_str()));
    let without = shown.entry.without.iter().map(|left| {
        let words: Vec<_> = left.stepper.iter().chain(&left.solver).map(String::as_str).collect();
        (words.join(" + "), left.reason.as_str())
    });
    for (what, reason) in refused.chain(without) {
        text += &format!("- {what}: {reason}\n");
    }
    if !shown.entry.only.is_empty() {
        text += "- all others: trying them takes too long at this size\n";
    }
    if text.is_empty() { text } else { format!("\nNot run:\n\n{text}") }
}

/// The table of all: experiments by steppers, cells counted.
pub(crate) fn write_index(studio: &Studio, gallery: &Gallery, cells: &[Cell]) -> Result<(), String> {
    let stepper = |cell: &Cell| cell.model.split(" + ").next().unwrap_or_default().to_owned();
    let mut steppers: Vec<_> = cells.iter().map(stepper).collect();
    steppers.sort();
    steppers.dedup();
    let mut text = format!("{NOTE}# Gallery\n\n{INTRODUCTION}\n\n{}\n\n", totals(cells));
    text += &format!(
        "| experiment | time | {} |\n|---|---|{}\n",
        steppers.join(" | "),
        "---|".repeat(steppers.len())
    );
    for entry in &gallery.scenes {
        let name = &entry.name;
        let counted = |which: &String| {
            let cells: Vec<_> =
                cells.iter().filter(|cell| cell.scene == *name && stepper(cell) == *which).collect();
            counts(&cells)
        };
        let row: Vec<_> = steppers.iter().map(counted).collect();
        text += &format!("| [{name}]({name}.md) | {} | {} |\n", span(entry)?, row.join(" | "));
    }
    put(&studio.book.join("index.md"), &text)
}

const INTRODUCTION: &str = "Every shipped experiment under every stepper and solver that suits it, at three steps. A cell is *right* if the run is complete, the referee \
accepts it and its finest step is near a closed form; *accepted* if it is complete and accepted, and no closed form is known: of these cells nobody says more than the referee; \
*off* if it is accepted and far from the closed form; *refused* if the referee does not accept it; *failed* if it ends before its time. Cells of long experiments run for their first part (the second \
column): a model that is accepted there may fail later. Below the table of an experiment stands why: a model *ignores* something or *reads* it in another sense, *no solution exists* (the host has checked the proof), a \
*solver* does not come to an end, something is *refused*, or a *criterion* of [the referee](../theory/referee.md) is not met. `cargo xtask gallery` makes these pages; `docs/gallery.csv` has all numbers. The long lane of tests runs the shorter experiments again, and a cell that changes is an error; the others are run by hand.";

fn totals(cells: &[Cell]) -> String {
    let all: Vec<_> = cells.iter().collect();
    format!("In all {} cells: {}.", cells.len(), counts(&all))
}

/// "12 right, 3 off".
fn counts(cells: &[&Cell]) -> String {
    let count = |(verdict, word)| (cells.iter().filter(|cell| cell.verdict == verdict).count(), word);
    let told = VERDICTS.map(count).into_iter().filter(|(n, _)| *n > 0);
    told.map(|(n, word)| format!("{n} {word}")).collect::<Vec<_>>().join(", ")
}
