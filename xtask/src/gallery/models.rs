//! Which models an experiment is run under, and the comparison that runs them.

use std::path::Path;

use serde_json::{Value, json};

use super::list::Entry;
use super::model::Model;
use super::studio::{Refused, Studio};
use crate::shell::put;

/// The shipped models that `vinci advise` says can run an experiment, and the steppers that cannot.
pub(crate) fn suited(studio: &Studio, entry: &Entry) -> Result<(Vec<Model>, Refused), String> {
    if !entry.only.is_empty() {
        let models: Result<_, _> = entry.only.iter().map(|name| Model::named(name)).collect();
        return Ok((models?, Vec::new()));
    }
    let mut command = studio.vinci();
    command.arg("advise").arg(entry.experiment()).args(["--error-format", "json"]);
    let done = command.output().map_err(|e| format!("{}: {e}", studio.program.display()))?;
    let text = String::from_utf8_lossy(&done.stdout);
    let advice: Value = serde_json::from_str(&text).map_err(|e| {
        format!("{}: advise said nothing ({e})\n{}", entry.name, String::from_utf8_lossy(&done.stderr))
    })?;
    let (mut models, mut refused) = (Vec::new(), Vec::new());
    for one in advice["models"].as_array().into_iter().flatten() {
        let Some(stepper) = shipped(&one["stepper"], "vinci.stepper.") else { continue };
        if let Some(reason) = one["refused"].as_str() {
            refused.push((stepper.clone(), reason.to_owned()));
        }
        models.extend(one["models"].as_array().into_iter().flatten().filter_map(|model| {
            let solver = shipped(&model["solver"], "vinci.solver.")?;
            Some(Model { stepper: stepper.clone(), solver, departs: texts(&model["departs"]) })
        }));
    }
    models.retain(|model| !entry.without.iter().any(|left| left.holds(&model.stepper, &model.solver)));
    models.sort_by_key(Model::name);
    refused.sort();
    Ok((models, refused))
}

fn texts(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The name of a shipped plugin; none for a plugin of somebody else.
fn shipped(id: &Value, prefix: &str) -> Option<String> {
    id.as_str()?.strip_prefix(prefix).map(str::to_owned)
}

/// Writes the comparison of an experiment: all models at three steps, against the closed form or each against its own finest step.
pub(crate) fn write_comparison(entry: &Entry, models: &[Model], file: &Path) -> Result<(), String> {
    let named = |model: &Model| {
        json!({ "name": model.name(), "stepper": format!("vinci.stepper.{}", model.stepper),
                "solver": format!("vinci.solver.{}", model.solver) })
    };
    let reference = if entry.formula.is_empty() {
        json!({ "finest": true })
    } else {
        json!({ "formula": entry.formula })
    };
    let comparison = json!({
        "format": "vinci/comparison@1",
        "experiment": entry.experiment(),
        "set": { "time.duration": entry.duration },
        "models": models.iter().map(named).collect::<Vec<_>>(),
        "matrix": [{ "vary": "step", "values": [entry.step, entry.step / 2.0, entry.step / 4.0] }],
        "reference": reference,
    });
    put(file, &format!("{comparison:#}\n"))
}
