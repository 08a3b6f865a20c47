//! Modes over time as strips: of the pair of bodies whose modes change most, one strip per run.

use std::collections::BTreeMap;

use vinci_core::referee::Mode;

use super::bars::{Bars, MOST, some_of};
use super::measured::{Comparison, Measured};

/// Colour of a mode.
fn colour(mode: Mode) -> &'static str {
    match mode {
        Mode::Open => "#e4e4e4",
        Mode::Stick => "#1f9d55",
        Mode::Slip => "#e07a00",
    }
}

/// The figure, as SVG.
pub(super) fn timeline(comparison: &Comparison) -> String {
    let all: Vec<&Measured> = comparison.runs.iter().filter(|m| m.timeline.is_some()).collect();
    let shown = &all[..all.len().min(MOST)];
    let ends = shown.iter().filter_map(|m| m.timeline.as_ref()?.span());
    let range = ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], [c, d]| [a.min(c), b.max(d)]);
    let Some(pair) = busiest(shown).filter(|_| range[0] < range[1]) else {
        return Bars::new("No contacts", 0, [0.0, 1.0], (&[], "t, s")).file();
    };
    let legend = Mode::ALL.map(|mode| (mode.name(), colour(mode)));
    let mut bars = Bars::new(
        &some_of(&format!("Modes of {pair}"), all.len(), MOST),
        shown.len(),
        range,
        (&legend, "t, s"),
    );
    for (row, m) in shown.iter().enumerate() {
        let y = bars.row(row, &m.run.values.join(", "));
        for (from, to, mode) in m.timeline.iter().flat_map(|timeline| timeline.intervals(&pair)) {
            bars.bar(y, [from, to], colour(mode));
        }
    }
    bars.file()
}

/// The pair of bodies whose modes change most in all runs together; of equal ones the first by name.
fn busiest(runs: &[&Measured]) -> Option<String> {
    let mut changes: BTreeMap<&str, usize> = BTreeMap::new();
    for timeline in runs.iter().filter_map(|m| m.timeline.as_ref()) {
        for pair in timeline.pairs.keys() {
            *changes.entry(pair).or_default() += timeline.intervals(pair).len();
        }
    }
    let most = changes.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0)));
    most.map(|(pair, _)| (*pair).to_owned())
}
