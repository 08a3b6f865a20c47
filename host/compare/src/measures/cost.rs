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

/// The figure, as SVG.
pub(super) fn cost(comparison: &Comparison) -> String {
    let all: Vec<&Measured> = comparison.runs.iter().filter(|m| !m.run.is_recorded()).collect();
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
