//! Errors of all runs as text for people.

use vinci_core::clock::seconds;

use super::measured::{Comparison, Measured};
use super::reference::{Reference, UNMET};

/// Heads of the kinds of errors.
const HEADS: [&str; 5] = ["position m", "rotation rad", "velocity m/s", "spin rad/s", "joint m/rad"];

/// Kinds that have a column in any case: where there are trees, joints have one too.
const ALWAYS: usize = 4;

impl Comparison {
    /// Text for people: blocks below the table.
    pub fn block(&self) -> String {
        let sections = self.sections.iter().map(|section| section.text.as_str());
        std::iter::once(errors_block(self).as_str()).chain(sections).collect()
    }
}

/// Errors; nothing without a reference, and why where one was asked for.
fn errors_block(comparison: &Comparison) -> String {
    if comparison.unmet {
        return format!("error to {}: none; {UNMET}\n", Reference::Finest.name());
    }
    let Some(reference) = &comparison.reference else { return String::new() };
    let wide = comparison.runs.iter().map(|m| name(m).chars().count()).fold(30, usize::max);
    let is_there = |kind: usize| comparison.runs.iter().any(|m| most(m, kind).is_some());
    let kinds: Vec<usize> = (0..HEADS.len()).filter(|kind| *kind < ALWAYS || is_there(*kind)).collect();
    let heads = kinds.iter().map(|kind| HEADS[*kind].to_owned());
    let mut out = format!("error to {reference}: most over time\n");
    out += &line(("", wide), heads, ["modes %", "order"].map(str::to_owned));
    for m in &comparison.runs {
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let itself = |kind: usize| (m.is_reference && kind == 0).then(|| "reference".to_owned());
        let error = |kind: usize| most(m, kind).map(|x| format!("{x:.2e}"));
        let cells = kinds.iter().map(|kind| or_none(error(*kind).or_else(|| itself(*kind))));
        let modes = m.modes.map(|(part, _)| format!("{:.1}", 100.0 * part));
        let order = m.order.filter(|p| p.is_finite()).map(|p| format!("{p:.2}"));
        out += &line((&name(m), wide), cells, [modes, order].map(or_none));
        if !m.run.is_complete()
            && let Some((t, _)) = m.errors.as_ref().and_then(|errors| errors.series.last())
        {
            let end = seconds(*t);
            out += &format!("  {}: it ended early; errors are those up to t = {end} s\n", name(m));
        }
    }
    out
}

fn name(m: &Measured) -> String {
    m.run.values.join(", ")
}

/// The largest error of a kind, where there is one.
fn most(m: &Measured, kind: usize) -> Option<f64> {
    m.own_errors().map(|errors| errors.most(kind)).filter(|x| x.is_finite())
}

fn line(
    (name, wide): (&str, usize),
    cells: impl Iterator<Item = String>,
    [modes, order]: [String; 2],
) -> String {
    let cells: String = cells.map(|cell| format!(" {cell:>12}")).collect();
    format!("{name:<wide$}{cells} {modes:>10} {order:>7}\n")
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::super::measured::{Done, measure};
    use super::super::paper::tex;
    use super::super::table::Table;
    use super::*;

    /// A comparison of runs that have one column, 1e-3 k t in the k-th of them, to the first.
    fn of_column(name: &str) -> Comparison {
        let run = |k: u32| Done {
            values: vec![format!("m{k}")],
            directory: PathBuf::new(),
            summary: json!({ "status": "completed" }),
            states: Table {
                times: vec![0.0, 1.0],
                columns: [(name.to_owned(), vec![0.0, 1e-3 * f64::from(k)])].into(),
            },
        };
        let first = Reference::Run([("model".to_owned(), "m0".to_owned())].into());
        measure(&["model".to_owned()], vec![run(0), run(2)], Some(&first)).unwrap()
    }

    /// All errors of a scene of trees were dashes, on the screen and on paper.
    #[test]
    fn errors_of_joints_are_told_where_there_are_trees() {
        let trees = of_column("arm.elbow.q");
        let text = errors_block(&trees);
        assert!(text.contains("spin rad/s  joint m/rad") && text.contains("2.00e-3"), "{text}");
        let paper = tex(&trees);
        assert!(
            paper.contains("& joint error [m or rad]") && paper.contains("$2.0\\cdot 10^{-3}$"),
            "{paper}"
        );
        assert!(paper.contains("% joint error: ") && !paper.contains("position error"), "{paper}");
        let free = of_column("ball.x");
        assert!(!errors_block(&free).contains("joint"), "{}", errors_block(&free));
        let paper = tex(&free);
        assert!(paper.contains("& position error [m]") && !paper.contains("joint error"), "{paper}");
    }
}
