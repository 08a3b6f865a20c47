//! What a comparison varies, and where its runs go.

use crate::cli::ChangeArgs;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// One of the things varied: how it is set, and its values.
pub(super) struct Axis {
    pub(super) name: String,
    pub(super) values: Vec<String>,
}

/// The axes of `stepper=a,b` and others.
pub(super) fn axes(vary: &[String]) -> Result<Vec<Axis>, Diagnostics> {
    vary.iter().map(|text| axis(text)).collect()
}

/// `stepper=a,b` as an axis.
fn axis(text: &str) -> Result<Axis, Diagnostics> {
    let parts = text
        .split_once('=')
        .map(|(name, values)| (name, values.split(',').map(str::to_string).collect::<Vec<_>>()));
    match parts {
        Some((name, values)) if !name.is_empty() && values.iter().all(|v| !v.is_empty()) => {
            Ok(Axis { name: name.to_string(), values })
        }
        _ => {
            let message = format!("`--vary {text}` is not of the form what=a,b");
            Err(Diagnostic::error(Code::BadSet, message)
                .help("for example --vary solver=lemke,newton")
                .into())
        }
    }
}

/// The values of every run.
pub(super) fn combinations(axes: &[Axis]) -> Vec<Vec<String>> {
    axes.iter().fold(vec![Vec::new()], |sofar, axis| {
        let with = |head: &Vec<String>| {
            axis.values.iter().map(|v| [head.clone(), vec![v.clone()]].concat()).collect::<Vec<_>>()
        };
        sofar.iter().flat_map(with).collect()
    })
}

/// Name of the directory of a run.
pub(super) fn folder(values: &[String]) -> String {
    values.join("+").replace('/', "_")
}

/// The changes that make a run.
pub(super) fn changed(changes: &ChangeArgs, axes: &[Axis], values: &[String]) -> ChangeArgs {
    let mut changes = changes.clone();
    for (axis, value) in axes.iter().zip(values) {
        match axis.name.as_str() {
            "detector" => changes.detector = Some(value.clone()),
            "stepper" => changes.stepper = Some(value.clone()),
            "solver" => changes.solver = Some(value.clone()),
            "step" => changes.step = Some(value.clone()),
            "duration" => changes.duration = Some(value.clone()),
            path => changes.set.push(format!("{path}={value}")),
        }
    }
    changes
}
