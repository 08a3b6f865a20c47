//! Bars of cost: the time of a step by stage, one bar per run.

use vinci_engine::pipeline::Timing;
use vinci_run::plot::{COLOURS, short};

use super::bars::{Bars, MOST, some_of};
use super::measured::{Comparison, Measured};

/// Times of a run per step, µs, in the order of the stages that make one; 0 where its summary has none.
fn per_step(m: &Measured) -> [f64; 5] {
    let steps = m.number("/steps").unwrap_or(0.0).max(1.0);
    m.stages().map(|seconds| 1e6 * seconds / steps)
}

/// Returns true if the time of a step says something of a run. Motions of others have none here; one that ended early says nothing of
/// the steps that it did not make, and its last one may have taken longer than all others together.
fn is_shown(m: &Measured) -> bool {
    !m.run.is_recorded() && m.run.is_complete()
}

/// The figure, as SVG: a bar for every run that came to its end.
pub(super) fn cost(comparison: &Comparison) -> String {
    let all: Vec<&Measured> = comparison.runs.iter().filter(|m| is_shown(m)).collect();
    let shown = &all[..all.len().min(MOST)];
    let most = shown.iter().map(|m| per_step(m).iter().sum::<f64>()).fold(0.0, f64::max);
    let most = if most > 0.0 { most } else { 1.0 };
    let legend: Vec<(&str, &str)> = Timing::OF_A_STEP.into_iter().zip(COLOURS).collect();
    let axis = "µs of the clock per step, without referee and recorder";
    let mut bars = Bars::new(
        &some_of("Time of a step by stage", all.len(), MOST),
        shown.len(),
        [0.0, most],
        (&legend, axis),
    );
    for (row, m) in shown.iter().enumerate() {
        let y = bars.row(row, &m.run.values.join(", "));
        let (mut from, parts) = (0.0, per_step(m));
        for (k, part) in parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
            bars.bar(y, [from, from + part], COLOURS[k]);
            from += part;
        }
        let end = bars.at(from);
        bars.canvas.text([end + 6.0, y + 12.5], &short(rounded(from)), "");
    }
    bars.file()
}

/// Three digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.2e}").parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::super::measured::{Done, measure};
    use super::super::table::Table;
    use super::*;

    /// A search that gave up in its first step, after a second, took all the width, and the bars of the others were not seen.
    #[test]
    fn a_run_that_ended_early_has_no_bar() {
        let run = |name: &str, status: &str, seconds: f64| Done {
            values: vec![name.to_owned()],
            directory: PathBuf::new(),
            summary: json!({ "status": status, "steps": 1, "timing": { "solve": seconds } }),
            states: Table::default(),
        };
        let runs = vec![run("fast", "completed", 4e-5), run("gave-up", "failed", 1.15)];
        let figure = cost(&measure(&["model".to_owned()], runs, None).unwrap());
        assert!(figure.contains("fast") && !figure.contains("gave-up"), "{figure}");
        assert!(!figure.contains("200000"), "{figure}");
    }
}
