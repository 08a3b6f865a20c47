//! Models of a comparison that are motions of other simulators: judged in the place of a run, and all models by one judge.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::compare_row::Row;
use super::inputs;
use vinci_compare::{Combination, ComparisonRuns, Outsider};
use vinci_engine::registry::Registry;
use vinci_judge::{Case, Files};
use vinci_run::table_file::TableFile;
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
        let summary = match &run.motion {
            Some(_) => row.summary.clone(),
            None => {
                let trajectory = TableFile::path_in(&row.directory, "trajectory");
                let contacts =
                    Some(TableFile::path_in(&row.directory, "contacts")).filter(|path| path.exists());
                let case = Case::of(asked.load(run)?, Files { trajectory, contacts }, registry)?;
                case.judge(None, |_| {})?.summary
            }
        };
        out.push(Judged { values: row.label.clone(), summary });
    }
    Ok(out)
}

impl Judged {
    fn number(&self, pointer: &str) -> f64 {
        self.summary.pointer(pointer).and_then(Value::as_f64).unwrap_or(f64::NAN)
    }
}

/// For programs.
pub(super) fn as_json(judged: &[Judged]) -> Value {
    let one = |j: &Judged| json!({ "values": j.values, "referee": j.summary["referee"], "judged": j.summary["judged"] });
    judged.iter().map(one).collect()
}

/// For people: nothing without outsiders.
pub(super) fn block(judged: &[Judged]) -> String {
    if judged.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "by one judge, the strictest law: parts of the steps that forces explain\n{:<22} {:>8} {:>9} {:>9} {:>9} {:>11} {:>10} {:>10} {:>10}  {}\n",
        "",
        "lawful %",
        "weak f. %",
        "normal %",
        "nothing %",
        "missing N",
        "creep m/s",
        "crept m",
        "penetr. m",
        "first refused"
    );
    for one in judged {
        let steps = one.number("/steps").max(1.0);
        let part = |key: &str| 100.0 * one.number(&format!("/judged/{key}")) / steps;
        let most = |key: &str| one.number(&format!("/judged/{key}/value"));
        let refused = one.summary["referee"]["refusal"]["criterion"].as_str().unwrap_or("-");
        out.push_str(&format!(
            "{:<22} {:>8.1} {:>9.1} {:>9.1} {:>9.1} {:>11.2e} {:>10.2e} {:>10.2e} {:>10.2e}  {refused}\n",
            one.values.join(", "),
            part("lawful"),
            part("short_friction"),
            part("unlawful_normal"),
            part("unexplained"),
            most("missing_force"),
            most("creep"),
            most("crept"),
            one.number("/referee/max_penetration"),
        ));
    }
    out
}
