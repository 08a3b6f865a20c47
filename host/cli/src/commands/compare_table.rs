//! The table of a comparison, for people and for programs.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::compare_plan::COMPARE_FORMAT;
use super::compare_row::Row;
use vinci_compare::NotRun;
use vinci_compare::measures::{residual, verdict};
use vinci_compare::physics::{Difference, as_json};
use vinci_compare::section::Listing;

/// A combination that is not run: its values, and why.
pub(super) type LeftOut<'a> = (&'a [String], &'a NotRun);

/// The line below the table that says what its least plain column holds.
const LEGEND: &str = "Δ to 1st: the largest difference of a coordinate or a velocity at the end to the first run (m, rad, m/s, rad/s; parts of quaternions without unit)\n";

/// Largest difference of two final states, in their own units; NaN where they cannot be compared.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::NAN;
    }
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// For people.
pub(super) fn table(axes: &[String], rows: &[Row]) -> String {
    let mut out = String::new();
    let widths: Vec<_> = (0..axes.len()).map(|k| width(axes, rows, k)).collect();
    for (axis, width) in axes.iter().zip(&widths) {
        out.push_str(&format!("{axis:<width$}"));
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
        for (value, width) in row.label.iter().zip(&widths) {
            out.push_str(&format!("{value:<width$}"));
        }
        let made = row.number("/steps");
        let per_step = |of_all: f64, digits: usize, factor: f64| match row.is_recorded() {
            true => "-".to_owned(),
            false => format!("{:.digits$}", factor * of_all / made.max(1.0)),
        };
        // Where nothing was solved there is no residual.
        let residual = residual(&row.summary).map_or_else(|| "-".to_owned(), |of| format!("{of:.1e}"));
        out.push_str(&format!(
            "{:<10} {:>7} {:>9} {:>9} {:>10} {:>10.1e} {:>10.1} {:>11.6} {:>10.1e}  {:.12}\n",
            verdict(&row.summary),
            made,
            per_step(row.seconds(), 1, 1e6),
            per_step(row.number("/solver_stats/iterations_total"), 2, 1.0),
            residual,
            row.number("/referee/max_penetration"),
            row.number("/referee/max_friction_angle"),
            row.number("/energy/final"),
            difference(&rows[0].q, &row.q),
            row.text("state_hash")
        ));
    }
    out.push_str(LEGEND);
    for row in rows {
        if let Some(reason) = row.reason() {
            out.push_str(&format!("{}: {reason}\n", row.label.join(", ")));
        }
    }
    out
}

/// Characters of the column of axis k: what stands in it, and space.
fn width(axes: &[String], rows: &[Row], k: usize) -> usize {
    let texts = rows.iter().filter_map(|row| row.label.get(k)).chain(axes.get(k));
    texts.map(|text| text.chars().count() + 2).fold(18, usize::max)
}

/// Combinations that are not run, for people; nothing where there are none.
pub(super) fn left_out_block(left_out: &[LeftOut<'_>]) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let line = |(values, why): &LeftOut<'_>| format!("  {}: {}\n", values.join(", "), why.reason);
    format!("not run\n{}", left_out.iter().map(line).collect::<String>())
}

/// Combinations that are not run, for the page of the comparison.
pub(super) fn left_out_listing(left_out: &[LeftOut<'_>]) -> Option<Listing> {
    let row = |(values, why): &LeftOut<'_>| vec![values.join(", "), why.reason.clone()];
    let rows: Vec<Vec<String>> = left_out.iter().map(row).collect();
    (!rows.is_empty()).then_some(Listing { title: "Not run", head: vec!["model", "reason"], rows })
}

/// Runs that failed or were not accepted, and why, for the page of the comparison.
pub(super) fn failed_listing(rows: &[Row]) -> Option<Listing> {
    let row = |row: &Row| Some(vec![row.label.join(", "), row.reason()?]);
    let rows: Vec<Vec<String>> = rows.iter().filter_map(row).collect();
    (!rows.is_empty()).then_some(Listing {
        title: "Failed or not accepted",
        head: vec!["run", "reason"],
        rows,
    })
}

/// The whole comparison, as `compare.json` holds it.
pub(super) fn compared(
    axes: &[String],
    rows: &[Row],
    differences: &[Difference],
    left_out: &[LeftOut<'_>],
) -> Value {
    let varied = |values: &[String]| -> BTreeMap<String, String> {
        axes.iter().cloned().zip(values.iter().cloned()).collect()
    };
    let row = |r: &Row| {
        let difference = difference(&rows[0].q, &r.q);
        let directory = r.directory.to_string_lossy();
        json!({ "varied": varied(&r.label), "directory": directory, "difference": difference, "summary": r.summary })
    };
    let not_run = |(values, why): &LeftOut<'_>| json!({ "varied": varied(values), "reason": why.reason, "codes": why.codes });
    let rows: Vec<_> = rows.iter().map(row).collect();
    let not_run: Vec<_> = left_out.iter().map(not_run).collect();
    json!({ "format": COMPARE_FORMAT, "physics": as_json(differences), "runs": rows, "not_run": not_run })
}
