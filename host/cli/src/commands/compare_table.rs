//! The table of a comparison, for people and for programs.

use serde_json::{Value, json};

use super::compare_axes::Axis;
use super::compare_physics::{Difference, as_json};
use super::compare_plan::COMPARE_FORMAT;
use super::compare_row::Row;

/// Largest difference of two final states, in their own units; NaN where they cannot be compared.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::NAN;
    }
    a.iter().zip(b).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// For people.
pub(super) fn table(axes: &[Axis], rows: &[Row]) -> String {
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
        for value in &row.label {
            out.push_str(&format!("{value:<18}"));
        }
        let made = row.number("/steps");
        let refused = row.reason().is_some() && row.summary["failure"].is_null();
        out.push_str(&format!(
            "{:<10} {:>7} {:>9.1} {:>9.2} {:>10.1e} {:>10.1e} {:>10.1} {:>11.6} {:>10.1e}  {:.12}\n",
            if refused { "refused" } else { row.text("status") },
            made,
            1e6 * row.number("/timing/total") / made.max(1.0),
            row.number("/solver_stats/iterations_total") / made.max(1.0),
            row.number("/referee/max_residual"),
            row.number("/referee/max_penetration"),
            row.number("/referee/max_friction_angle"),
            row.number("/energy/final"),
            difference(&rows[0].q, &row.q),
            row.text("state_hash")
        ));
    }
    for row in rows {
        if let Some(reason) = row.reason() {
            out.push_str(&format!("{}: {reason}\n", row.label.join(", ")));
        }
    }
    out
}

/// The whole comparison, as `compare.json` holds it.
pub(super) fn compared(axes: &[Axis], rows: &[Row], differences: &[Difference]) -> Value {
    let names: Vec<_> = axes.iter().map(|a| a.name.as_str()).collect();
    let row = |r: &Row| {
        let varied: std::collections::BTreeMap<_, _> = names.iter().zip(&r.label).collect();
        let difference = difference(&rows[0].q, &r.q);
        let directory = r.directory.to_string_lossy();
        json!({ "varied": varied, "directory": directory, "difference": difference, "summary": r.summary })
    };
    let rows: Vec<_> = rows.iter().map(row).collect();
    json!({ "format": COMPARE_FORMAT, "physics": as_json(differences), "runs": rows })
}
