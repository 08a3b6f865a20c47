//! One cell of the gallery: an experiment under one model at one step, and what came out.

use std::path::Path;

use serde_json::Value;

use super::list::Entry;
use super::model::Model;
use super::reasons;
use crate::shell::{json, put};

#[derive(Clone, PartialEq)]
pub(crate) struct Cell {
    pub(crate) scene: String,
    pub(crate) model: String,
    /// Step as written in the comparison, s.
    pub(crate) step: String,
    pub(crate) verdict: Verdict,
    /// The largest error, m (rad for joints and rotations); none where nothing was measured.
    pub(crate) error: Option<f64>,
    /// Order in which it comes to its own limit.
    pub(crate) order: Option<f64>,
    /// Reason why it is not right, in a few words; empty where it is, or where nobody has looked.
    pub(crate) reason: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Complete, accepted, and near the closed form.
    Right,
    /// Complete and accepted, where no closed form is known: nothing says more.
    Accepted,
    /// Complete and accepted, but farther from the closed form than the list allows at the finest step.
    Off,
    /// Complete, and not accepted by the referee.
    Refused,
    /// Ended before its time.
    Failed,
    /// Could not be run.
    NotRun,
}

pub(crate) const VERDICTS: [(Verdict, &str); 6] = [
    (Verdict::Right, "right"),
    (Verdict::Accepted, "accepted"),
    (Verdict::Off, "off"),
    (Verdict::Refused, "refused"),
    (Verdict::Failed, "failed"),
    (Verdict::NotRun, "not run"),
];

impl Verdict {
    pub(crate) fn word(self) -> &'static str {
        VERDICTS.iter().find(|(verdict, _)| *verdict == self).map_or("", |(_, word)| word)
    }

    fn of_word(word: &str) -> Option<Self> {
        VERDICTS.iter().find(|(_, known)| *known == word).map(|(verdict, _)| *verdict)
    }
}

impl Cell {
    /// Returns true if something is wrong with it and the table does not say why.
    pub(crate) fn is_unexplained(&self) -> bool {
        !matches!(self.verdict, Verdict::Right | Verdict::Accepted) && self.reason.is_empty()
    }
}

/// Takes the reasons of cells that were run again into the table. Returns the cells that are not as they were.
pub(crate) fn take_reasons(table: &mut [Cell], again: &[Cell]) -> Vec<String> {
    let mut changed = Vec::new();
    for cell in again {
        let same = |known: &&mut Cell| {
            (&known.scene, &known.model, &known.step) == (&cell.scene, &cell.model, &cell.step)
        };
        match table.iter_mut().find(same) {
            Some(known) if known.verdict == cell.verdict && near(known.error, cell.error) => {
                known.reason.clone_from(&cell.reason);
            }
            Some(known) => changed.push(format!("{}: {}, was {}", of(cell), shown(cell), shown(known))),
            None => changed.push(format!("{}: new, {}", of(cell), shown(cell))),
        }
    }
    changed
}

/// Place of a cell in words.
fn of(cell: &Cell) -> String {
    format!("{}: {}, {}", cell.scene, cell.model, cell.step)
}

/// The cells of a comparison of models, in its order.
pub(crate) fn of_comparison(entry: &Entry, models: &[Model], table: &Path) -> Result<Vec<Cell>, String> {
    let compared: Value = json(table)?;
    let list = |node: &Value| node.as_array().cloned().unwrap_or_default();
    let measures = list(&compared["measures"]["runs"]);
    let mut cells: Vec<_> =
        list(&compared["runs"]).iter().map(|run| of_run(entry, run, &measures)).collect::<Result<_, _>>()?;
    judge(entry, models, &mut cells);
    cells.extend(list(&compared["not_run"]).iter().map(|run| {
        let reason = reasons::of_not_run(run["reason"].as_str().unwrap_or_default());
        Cell { reason, ..cell(entry, &run["varied"], Verdict::NotRun) }
    }));
    Ok(cells)
}

fn cell(entry: &Entry, varied: &Value, verdict: Verdict) -> Cell {
    let text = |key: &str| varied[key].as_str().unwrap_or_default().to_owned();
    Cell {
        scene: entry.name.clone(),
        model: text("model"),
        step: text("step"),
        verdict,
        error: None,
        order: None,
        reason: String::new(),
    }
}

fn of_run(entry: &Entry, run: &Value, measures: &[Value]) -> Result<Cell, String> {
    let summary = &run["summary"];
    let verdict = match (summary["status"].as_str(), summary["referee"]["accepted"].as_bool()) {
        (Some("completed"), Some(true)) => Verdict::Accepted,
        (Some("completed"), Some(false)) => Verdict::Refused,
        (Some("completed"), None) => return Err("a run without the referee's word".into()),
        _ => Verdict::Failed,
    };
    let mut cell = cell(entry, &run["varied"], verdict);
    cell.reason = match verdict {
        Verdict::Refused => reasons::of_refusal(&summary["referee"]["refusal"]),
        Verdict::Failed => reasons::of_failure(&summary["failure"]),
        _ => String::new(),
    };
    let values = [Value::from(cell.model.clone()), Value::from(cell.step.clone())];
    if let Some(measured) = measures.iter().find(|m| m["values"].as_array().is_some_and(|v| v[..] == values))
    {
        let most = |what: &str| measured["errors"][what]["max"].as_f64();
        cell.error = most("position").or_else(|| most("joint")).or_else(|| most("rotation"));
        cell.order = measured["order"].as_f64();
    }
    Ok(cell)
}

/// Where a closed form is known, accepted cells are right or off. A model is off if its finest step is: one that is far away at a coarse
/// step alone comes nearer, and that is its order.
fn judge(entry: &Entry, models: &[Model], cells: &mut [Cell]) {
    let Some(within) = entry.within else { return };
    let finest = entry.finest();
    let far = |cell: &&Cell| cell.step == finest && cell.error.is_none_or(|error| error > within);
    let off: Vec<_> = cells.iter().filter(far).map(|cell| cell.model.clone()).collect();
    for cell in cells.iter_mut().filter(|cell| cell.verdict == Verdict::Accepted) {
        cell.verdict = Verdict::Right;
        if off.contains(&cell.model) {
            let model = models.iter().find(|model| model.name() == cell.model);
            cell.reason = reasons::of_departures(model.map_or(&[], |model| &model.departs));
            cell.verdict = Verdict::Off;
        }
    }
}

/// Cells that are not as they were: another verdict or reason, another number (beyond a thousandth and rounding), a cell more or less.
pub(crate) fn changes(old: &[&Cell], new: &[Cell]) -> Vec<String> {
    let same = |a: &Cell, b: &Cell| a.model == b.model && a.step == b.step;
    let mut changed: Vec<_> = old
        .iter()
        .filter(|cell| !new.iter().any(|n| same(cell, n)))
        .map(|cell| format!("{}: gone", of(cell)))
        .collect();
    for cell in new {
        match old.iter().find(|before| same(before, cell)) {
            None => changed.push(format!("{}: new, {}", of(cell), shown(cell))),
            Some(before) if !is_as_it_was(before, cell) => {
                changed.push(format!("{}: {}, was {}", of(cell), shown(cell), shown(before)));
            }
            Some(_) => {}
        }
    }
    changed
}

fn is_as_it_was(before: &Cell, now: &Cell) -> bool {
    before.verdict == now.verdict && before.reason == now.reason && near(before.error, now.error)
}

fn shown(cell: &Cell) -> String {
    format!("{} {} {}", cell.verdict.word(), number(cell.error), cell.reason)
}

/// Errors are the differences of coordinates of about a metre: below 1e-9 they are rounding and what it grows to.
fn near(a: Option<f64>, b: Option<f64>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 + 1e-3 * a.abs().max(b.abs()),
        (a, b) => a.is_none() == b.is_none(),
    }
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |v| format!("{v:.3e}"))
}

const HEAD: &str = "scene,model,step_s,verdict,error,order,reason";

/// The table as it was written last; empty where there is none.
pub(crate) fn read(path: &Path) -> Result<Vec<Cell>, String> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(Vec::new()) };
    let broken = |line: &str| format!("{}: no cell: {line}", path.display());
    text.lines().skip(1).map(|line| of_line(line).ok_or_else(|| broken(line))).collect()
}

fn of_line(line: &str) -> Option<Cell> {
    let [scene, model, step, verdict, error, order, reason] = line.split(',').collect::<Vec<_>>()[..] else {
        return None;
    };
    let number = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    Some(Cell {
        scene: scene.into(),
        model: model.into(),
        step: step.into(),
        verdict: Verdict::of_word(verdict)?,
        error: number(error)?,
        order: number(order)?,
        reason: reason.into(),
    })
}

pub(crate) fn write(path: &Path, cells: &[Cell]) -> Result<(), String> {
    let order = |cell: &Cell| cell.order.map_or(String::new(), |p| format!("{p:.2}"));
    let line = |cell: &Cell| {
        let Cell { scene, model, step, verdict, error, reason, .. } = cell;
        format!("{scene},{model},{step},{},{},{},{reason}\n", verdict.word(), number(*error), order(cell))
    };
    put(path, &format!("{HEAD}\n{}", cells.iter().map(line).collect::<String>()))
}
