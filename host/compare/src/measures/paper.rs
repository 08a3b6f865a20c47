//! The table of a comparison for papers, in TeX.

use vinci_run::plot::short;

use super::figures::kind;
use super::measured::{Comparison, Measured};
use crate::axes::is_of_time_grid;

/// Kinds of errors, as places in [`super::KINDS`]: joints where no body moves freely.
const POSITION: usize = 0;
const JOINT: usize = 4;

/// Columns of the table: heading, and the number.
type Shown = (&'static str, fn(&Measured) -> Option<f64>);

const SHOWN: [Shown; 7] = [
    ("steps", |m| m.number("/steps")),
    ("time [s]", Measured::seconds),
    ("residual", |m| m.number("/referee/max_residual")),
    ("penetration [m]", |m| m.number("/referee/max_penetration")),
    ("position error [m]", |m| m.own_errors().map(|e| e.most(POSITION))),
    ("joint error [m or rad]", |m| m.own_errors().map(|e| e.most(JOINT))),
    ("order", |m| m.order),
];

/// Marks of runs that are no results, by the run's verdict, and what they mean.
const MARKS: [(&str, &str, &str); 2] = [
    ("failed", "$^\\dagger$", "failed: numbers up to where it ended"),
    ("refused", "$^\\ddagger$", "not accepted by the referee"),
];

fn shown(x: Option<f64>) -> String {
    match x.filter(|x| x.is_finite()) {
        None => "--".to_owned(),
        Some(x) if x == 0.0 || (0.1..1e5).contains(&x.abs()) => short((x * 1e3).round() / 1e3),
        Some(x) => {
            let text = format!("{x:.1e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("${mantissa}\\cdot 10^{{{exponent}}}$")
        }
    }
}

/// Text in which nothing is a command.
fn safe(text: &str) -> String {
    let one = |c| match c {
        '_' | '&' | '%' | '#' | '$' | '{' | '}' => format!("\\{c}"),
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        // In the old encoding of fonts they are other signs.
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}

/// A row of cells.
fn row(cells: &[String]) -> String {
    cells.join(" & ") + " \\\\\n"
}

/// Columns in which some run has a number.
fn columns(comparison: &Comparison) -> Vec<Shown> {
    let says = |(_, number): &Shown| comparison.runs.iter().any(|m| number(m).is_some_and(f64::is_finite));
    let wanted = |(name, _): &Shown| !name.starts_with("joint error") || is_of_joints(comparison);
    SHOWN.into_iter().filter(says).filter(wanted).collect()
}

/// Returns true if errors are those of joints: no body moves freely.
fn is_of_joints(comparison: &Comparison) -> bool {
    let turns = |m: &Measured| m.errors.as_ref().is_some_and(|e| e.most(JOINT).is_finite());
    kind(comparison) == JOINT && comparison.runs.iter().any(turns)
}

/// Heading of an axis, with the unit where its values are times.
fn head(axis: &str) -> String {
    if is_of_time_grid(axis) { format!("{axis} [s]") } else { safe(axis) }
}

/// The row of a run; its first cell has the mark of a run that is no result.
fn of_run(m: &Measured, columns: &[Shown]) -> String {
    let mut cells: Vec<String> = m.run.values.iter().map(|value| safe(value)).collect();
    let mark = MARKS.iter().find(|(verdict, ..)| *verdict == m.run.verdict());
    if let (Some(first), Some((_, mark, _))) = (cells.first_mut(), mark) {
        first.push_str(mark);
    }
    cells.extend(columns.iter().map(|(_, number)| shown(number(m))));
    row(&cells)
}

/// Lines below the table that explain its marks.
fn notes(comparison: &Comparison, columns: usize) -> String {
    let is_there = |verdict: &str| comparison.runs.iter().any(|m| m.run.verdict() == verdict);
    let told = MARKS.iter().filter(|(verdict, ..)| is_there(verdict));
    told.map(|(_, mark, what)| {
        row(&[format!("\\multicolumn{{{columns}}}{{l}}{{\\footnotesize {mark} {what}}}")])
    })
    .collect()
}

/// Meanings of the columns, as comments of TeX: a caption has to say them.
fn comments(comparison: &Comparison) -> String {
    let reference = comparison.reference.as_ref().map(|name| {
        // A line break in a name would end the comment.
        let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let of = if is_of_joints(comparison) { ["joint", "joints"] } else { ["position", "bodies"] };
        format!("% {} error: the largest over time and over {}, to {name}\n", of[0], of[1])
    });
    "% time: of all steps, by the clock, without referee, recorder and files\n\
     % residual (relative natural map) and penetration: the largest of all steps, by the referee\n"
        .to_owned()
        + &reference.unwrap_or_default()
        + "% order: of self-convergence from this step and the next two finer ones at one ratio\n"
}

/// A `tabular` with rules of the package booktabs, behind comments.
pub(super) fn tex(comparison: &Comparison) -> String {
    let (axes, columns) = (comparison.axes.len(), columns(comparison));
    let alignment = "l".repeat(axes) + &"r".repeat(columns.len());
    let heads = comparison.axes.iter().map(|axis| head(axis)).chain(columns.iter().map(|c| c.0.to_owned()));
    let comments = comments(comparison);
    format!(
        "{comments}\\begin{{tabular}}{{{alignment}}}\n\\toprule\n{}\\midrule\n{}\\bottomrule\n{}\\end{{tabular}}\n",
        row(&heads.collect::<Vec<_>>()),
        comparison.runs.iter().map(|m| of_run(m, &columns)).collect::<String>(),
        notes(comparison, axes + columns.len())
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::super::measured::{Done, measure};
    use super::super::table::Table;
    use super::*;

    fn table(runs: &[(&str, serde_json::Value)]) -> String {
        let of = |(name, summary): &(&str, serde_json::Value)| Done {
            values: vec![(*name).to_owned()],
            directory: PathBuf::new(),
            summary: summary.clone(),
            states: Table::default(),
        };
        tex(&measure(&["model".to_owned()], runs.iter().map(of).collect(), None).unwrap())
    }

    /// A model that gave up after one step stood in the printed table with the smallest error of all.
    #[test]
    fn what_failed_or_was_refused_is_marked() {
        let judged = |accepted: bool| json!({ "status": "completed", "failure": null, "referee": { "accepted": accepted } });
        let failed =
            json!({ "status": "failed", "failure": { "message": "no" }, "referee": { "accepted": true } });
        let text = table(&[("a_1", judged(true)), ("b", judged(false)), ("c", failed)]);
        for part in ["\na\\_1 & ", "\nb$^\\ddagger$ & ", "\nc$^\\dagger$ & "] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(
            text.contains("$^\\dagger$ failed: ") && text.contains("$^\\ddagger$ not accepted"),
            "{text}"
        );
        let fine = table(&[("a", judged(true))]);
        assert!(!fine.contains("dagger"), "{fine}");
    }

    /// Nobody who printed the table knew what its errors were measured against.
    #[test]
    fn the_table_says_what_its_columns_are() {
        let errors_to = |reference: Option<&str>| {
            let all = measure(&["model".to_owned()], Vec::new(), None).unwrap();
            tex(&Comparison { reference: reference.map(str::to_owned), ..all })
        };
        let text = errors_to(Some("a\nb_1"));
        assert!(
            text.contains("% position error: the largest over time and over bodies, to a b_1\n"),
            "{text}"
        );
        assert!(text.lines().take_while(|line| line.starts_with("% ")).count() == 4, "{text}");
        assert!(!errors_to(None).contains("position error: "));
    }

    /// Without a reference a column of dashes was printed, and steps had no unit.
    #[test]
    fn no_column_is_all_dashes_and_steps_have_their_unit() {
        let judged = |steps: u32| json!({ "status": "completed", "failure": null, "steps": steps, "referee": { "accepted": true } });
        let text = table(&[("a", judged(7)), ("b", judged(9))]);
        let heads = text.lines().find(|line| line.starts_with("model & ")).unwrap();
        assert!(
            heads.contains("& steps") && !text.contains("order \\\\") && !text.contains("& --"),
            "{text}"
        );
        let columns = text.lines().find(|line| line.contains("begin{tabular}")).unwrap();
        assert!(columns.contains(&format!("{{l{}}}", "r".repeat(heads.matches(" & ").count()))), "{text}");
        assert_eq!(["step", "duration", "time_step"].map(head), ["step [s]", "duration [s]", "time\\_step"]);
    }

    /// One column had 0.013 beside 3.0 · 10⁻³, and 0.04 for 0.0401.
    #[test]
    fn small_numbers_have_two_digits_and_a_power() {
        let told = [0.0401, 0.013, 0.134, 0.0, 333.0, 1.7e-18].map(|x| shown(Some(x)));
        let power = |mantissa: &str, k: i32| format!("${mantissa}\\cdot 10^{{{k}}}$");
        assert_eq!(told[..2], [power("4.0", -2), power("1.3", -2)]);
        assert_eq!(told[2..5], ["0.134", "0", "333"]);
        assert_eq!(told[5], power("1.7", -18));
    }

    /// In the old encoding of fonts they came out as ¡ and ¿.
    #[test]
    fn signs_of_inequality_are_written_as_commands() {
        assert_eq!(safe("x<y>z"), "x\\textless{}y\\textgreater{}z");
        assert_eq!(safe("a_b & 50% #1"), "a\\_b \\& 50\\% \\#1");
    }
}
