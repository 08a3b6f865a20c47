//! Models of a comparison that are motions of other simulators: judged in the place of a run, and all models by one judge.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::compare_row::Row;
use super::inputs;
use vinci_compare::section::Listing;
use vinci_compare::{Combination, ComparisonRuns, Outsider};
use vinci_engine::registry::Registry;
use vinci_judge::{Case, Files};
use vinci_run::table_file::TableFile;
use vinci_scene::Loaded;
use vinci_scene::diagnostics::Diagnostics;

/// The case of a model that is a motion.
///
/// # Errors
/// As of `judge`.
pub(super) fn case(
    asked: &ComparisonRuns,
    run: &Combination,
    motion: &Outsider,
    registry: &Registry,
) -> Result<Case, Diagnostics> {
    let files = Files { trajectory: motion.trajectory.clone(), contacts: motion.contacts.clone() };
    Case::of(asked.load(run)?, files, registry)
}

/// The files that a case begins from.
pub(super) fn inputs(case: &Case, motion: &Outsider) -> Vec<(PathBuf, &'static str)> {
    let mut all = inputs::of(case.loaded(), None);
    all.push((motion.trajectory.clone(), "a motion that is to be judged"));
    all.extend(motion.contacts.clone().map(|path| (path, "forces that are to be judged")));
    all
}

/// A model under the strictest law: its values, and what the judge says.
pub(super) struct Judged {
    values: Vec<String>,
    summary: Value,
    /// True where its stepper takes drives at the end of the step: the judge takes them at its start.
    drives_at_end: bool,
}

/// All models by one judge: the strictest law, limits as the experiment has them. Nothing where all models are Vinci's own.
///
/// # Errors
/// As of `judge`.
pub(super) fn judged(
    asked: &ComparisonRuns,
    rows: &[Row],
    registry: &Registry,
) -> Result<Vec<Judged>, Diagnostics> {
    if asked.combinations.iter().all(|run| run.motion.is_none()) {
        return Ok(Vec::new());
    }
    let mut out = Vec::new();
    for row in rows.iter().filter(|row| !row.q.is_empty()) {
        let Some(run) = asked.combinations.iter().find(|run| run.values == row.label) else { continue };
        let (summary, drives_at_end) = match &run.motion {
            Some(_) => (row.summary.clone(), false),
            None => {
                let loaded = asked.load(run)?;
                let at_end = drives_at_end(&loaded);
                let trajectory = TableFile::path_in(&row.directory, "trajectory");
                let contacts =
                    Some(TableFile::path_in(&row.directory, "contacts")).filter(|path| path.exists());
                let case = Case::of(loaded, Files { trajectory, contacts }, registry)?;
                (case.judge(None, |_| {})?.summary, at_end)
            }
        };
        out.push(Judged { values: row.label.clone(), summary, drives_at_end });
    }
    Ok(out)
}

/// Returns true if the stepper of an experiment is told to take drives at the end of a step.
fn drives_at_end(loaded: &Loaded) -> bool {
    loaded.experiment.stepper.options.get("forces").is_some_and(|when| when == "end")
}

impl Judged {
    fn number(&self, pointer: &str) -> f64 {
        self.summary.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }
}

/// For programs.
pub(super) fn as_json(judged: &[Judged]) -> Value {
    let one = |j: &Judged| {
        json!({ "values": j.values, "referee": j.summary["referee"], "judged": j.summary["judged"],
            "drives_at_end": j.drives_at_end })
    };
    judged.iter().map(one).collect()
}

/// Names of the columns of the judge.
const HEAD: [&str; 10] = [
    "",
    "lawful %",
    "friction short %",
    "normal wrong %",
    "unexplained %",
    "missing N",
    "creep m/s",
    "crept m",
    "penetr. m",
    "first refused",
];

impl Judged {
    /// Cells below [`HEAD`].
    fn cells(&self) -> [String; 10] {
        let steps = self.number("/steps").max(1.0);
        let part = |key: &str| format!("{:.1}", 100.0 * self.number(&format!("/judged/{key}")) / steps);
        let most = |key: &str| format!("{:.2e}", self.number(&format!("/judged/{key}/value")));
        let refused = self.summary["referee"]["refusal"]["criterion"].as_str().unwrap_or("-");
        [
            self.values.join(", "),
            part("lawful"),
            part("short_friction"),
            part("unlawful_normal"),
            part("unexplained"),
            most("missing_force"),
            most("creep"),
            most("crept"),
            format!("{:.2e}", self.number("/referee/max_penetration")),
            refused.to_owned(),
        ]
    }
}

/// For people: nothing without outsiders.
pub(super) fn block(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let line = |cells: [String; 10]| {
        let [who, lawful, weak, normal, unexplained, missing, creep, crept, depth, refused] = cells;
        format!(
            "{who:<22} {lawful:>8} {weak:>16} {normal:>14} {unexplained:>13} {missing:>11} {creep:>10} {crept:>10} {depth:>10}  {refused}\n"
        )
    };
    let title = "by one judge, the strictest law: parts of the steps, and the largest of all steps\n";
    let head = line(HEAD.map(str::to_owned));
    let note = |one: &&Judged| format!("  {}: {AT_END}\n", one.values.join(", "));
    let notes: String = judged.iter().filter(|one| one.drives_at_end).map(|one| note(&one)).collect();
    format!("{title}{head}{}{notes}", judged.iter().map(|one| line(one.cells())).collect::<String>())
}

/// Note on a model whose stepper takes drives at another time than the judge.
const AT_END: &str = "it takes drives at the end of a step (`forces: end`), the judge at its start: where a drive changes, this line says \
                      when it is read, not what contacts do";

/// For the page of the comparison: nothing without outsiders.
pub(super) fn listing(judged: &[Judged]) -> Option<Listing> {
    let rows: Vec<Vec<String>> = judged.iter().map(|one| Vec::from(one.cells())).collect();
    let title = match judged.iter().any(|one| one.drives_at_end) {
        false => "By one judge, the strictest law: parts of the steps, and the largest of all steps",
        true => {
            "By one judge, the strictest law: parts of the steps, and the largest of all steps (drives as at the start of a step, \
             also where a model with `forces: end` takes them at its end)"
        }
    };
    (!rows.is_empty()).then_some(Listing { title, head: HEAD.to_vec(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model that reads its drive at the end of the step had half of its steps refused, and nobody said why.
    #[test]
    fn a_model_that_takes_drives_at_the_end_is_told_of() {
        let one = |drives_at_end| Judged {
            values: vec!["tamsi".to_owned()],
            summary: json!({ "steps": 10, "judged": { "lawful": 5 } }),
            drives_at_end,
        };
        assert!(
            block(&[one(true)]).contains("  tamsi: it takes drives at the end of a step (`forces: end`)")
        );
        assert!(!block(&[one(false)]).contains("forces: end"));
        let title = |at_end| listing(&[one(at_end)]).map(|listing| listing.title.contains("forces: end"));
        assert_eq!([true, false].map(title), [Some(true), Some(false)]);
    }
}
