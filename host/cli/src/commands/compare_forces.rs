//! How far the motions of a comparison fix their contact forces: ranges of forces at some times of every run, told beside its errors.

use serde_json::{Value, json};

use vinci_compare::protocols::Looks;
use vinci_compare::restart::Field;
use vinci_compare::section::Section;
use vinci_compare::{Combination, ComparisonRuns};
use vinci_core::clock::seconds;
use vinci_judge::{Look, Spread, WIDTH_COLUMNS, Widths, over_run};
use vinci_run::ready;
use vinci_run::table::csv_line;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// Name of the table.
const TABLE: &str = "comparison-forces.csv";

/// Most rows of the table of one run.
const MOST_ROWS: usize = 20_000;

/// Ranges of the forces of a run, or why there are none.
struct Ranged {
    values: Vec<String>,
    looks: Vec<Look>,
    widths: Widths,
    /// True if the stepper's law gives every force from the motion.
    is_compliant: bool,
    failure: Option<String>,
}

/// Reason why ranges say nothing of the forces of compliant contacts.
const COMPLIANT: &str = "the stepper's own law of compliant contacts fixes each force: these are the ranges that rigid contacts would have";

/// Looks at the forces of all runs.
///
/// # Errors
/// A run that cannot begin again; a request to stop.
pub(super) fn forces(field: &Field<'_>, asked: &Looks, runs: &[Combination]) -> Result<Section, Diagnostics> {
    let found = runs.iter().map(|run| of_run(field, asked, run)).collect::<Result<Vec<_>, _>>()?;
    Ok(section(field.asked, &found))
}

fn of_run(field: &Field<'_>, asked: &Looks, run: &Combination) -> Result<Ranged, Diagnostics> {
    let none = |why: &str| Ranged {
        values: run.values.clone(),
        looks: Vec::new(),
        widths: Widths::default(),
        is_compliant: false,
        failure: Some(why.to_owned()),
    };
    if run.motion.is_some() {
        return Ok(none("a recorded motion: `vinci judge --indeterminacy` looks at its forces"));
    }
    let mut prepared = ready(field.asked.load(run)?, field.registry, false, None)?;
    let is_compliant = prepared.simulation.declared().law.is_compliant();
    let times = asked.times(prepared.loaded.experiment.time.duration);
    let (looks, failure) = over_run(&mut prepared, &times, field.stop).map_err(|_| {
        let message = "the comparison was stopped from outside while forces were looked at";
        Diagnostic::error(Code::Stopped, message).help("compare again")
    })?;
    let widths = Widths::of(&looks);
    Ok(Ranged { values: run.values.clone(), widths, looks, is_compliant, failure })
}

fn section(asked: &ComparisonRuns, found: &[Ranged]) -> Section {
    let head = [
        "contacts",
        "unique",
        "unbounded",
        "left out",
        "widest, N",
        "at, s",
        "between",
        "least, N",
        "found, N",
        "greatest, N",
    ];
    Section {
        key: "indeterminacy",
        title: "Forces that the same motion allows".to_owned(),
        notes: notes(found),
        head: asked.axes.iter().cloned().chain(head.map(str::to_owned)).collect(),
        rows: found.iter().map(|one| one.values.iter().cloned().chain(one.cells()).collect()).collect(),
        text: text(found),
        json: json!({ "runs": found.iter().map(Ranged::to_json).collect::<Vec<_>>() }),
        csv: (TABLE, csv(asked, found)),
        figures: Vec::new(),
    }
}

/// Sentences before the page's table.
fn notes(found: &[Ranged]) -> Vec<String> {
    let first = "Per contact the least and the greatest normal force within the friction cones with which the step comes out the same, \
                 by conic programs (linear ones in the plane).";
    let of = |one: &Ranged, why: &str| format!("{}: {why}.", one.values.join(", "));
    let compliant = found.iter().filter(|one| one.is_compliant).map(|one| of(one, COMPLIANT));
    let left_out = found.iter().filter_map(|one| Some(of(one, &one.widths.left_out_sentence()?)));
    std::iter::once(first.to_owned()).chain(compliant).chain(left_out).collect()
}

fn text(found: &[Ranged]) -> String {
    let mut out = format!(
        "forces that the same motion allows\n{:<30} {:>8} {:>8} {:>9} {:>10}  widest: time, contact, least … found … greatest\n",
        "", "contacts", "unique", "unbounded", "widest N"
    );
    for one in found {
        let name = one.values.join(", ");
        let Widths { contacts, unique, unbounded, widest, .. } = &one.widths;
        let width = widest
            .as_ref()
            .map_or_else(|| "-".to_owned(), |(_, contact)| format!("{:.3e}", contact.normal.width()));
        out.push_str(&format!("{name:<30} {contacts:>8} {unique:>8} {unbounded:>9} {width:>10}"));
        if let Some((t, contact)) = widest.as_ref().filter(|_| unique < contacts) {
            let (Spread { found, least, greatest }, [a, b]) = (contact.normal, &contact.bodies);
            out.push_str(&format!("  {} s, {a} / {b}, {least:.4} … {found:.4} … {greatest:.4}", seconds(*t)));
        }
        out.push('\n');
        let left_out = one.widths.left_out_sentence();
        let compliant = one.is_compliant.then(|| COMPLIANT.to_owned());
        for why in [compliant, left_out, one.failure.clone()].into_iter().flatten() {
            out.push_str(&format!("  {name}: {why}\n"));
        }
    }
    out
}

fn csv(asked: &ComparisonRuns, found: &[Ranged]) -> String {
    let mut out =
        csv_line(&asked.axes.iter().cloned().chain(WIDTH_COLUMNS.map(str::to_owned)).collect::<Vec<_>>());
    for one in found {
        let all = one.looks.iter().flat_map(|look| look.contacts.iter().map(|contact| (look.time, contact)));
        for (t, contact) in all.take(MOST_ROWS) {
            let cells = one.values.iter().cloned().chain(contact.cells(t)).collect::<Vec<_>>();
            out.push_str(&csv_line(&cells));
        }
    }
    out
}

impl Ranged {
    fn cells(&self) -> Vec<String> {
        let Widths { contacts, unique, unbounded, left_out, widest, .. } = &self.widths;
        let mut cells: Vec<String> =
            [contacts, unique, unbounded, left_out].iter().map(|n| n.to_string()).collect();
        cells.extend(match widest {
            Some((t, contact)) => vec![
                format!("{:.4e}", contact.normal.width()),
                t.to_string(),
                contact.bodies.join(" / "),
                format!("{:.6}", contact.normal.least),
                format!("{:.6}", contact.normal.found),
                format!("{:.6}", contact.normal.greatest),
            ],
            None => vec!["-".to_owned(); 6],
        });
        cells
    }

    fn to_json(&self) -> Value {
        let mut out = self.widths.to_json(&self.looks);
        out["values"] = json!(self.values);
        out["failure"] = json!(self.failure);
        out["compliant"] = json!(self.is_compliant);
        out
    }
}
