//! Axes of a comparison as its flags give them.

use crate::cli::ChangeArgs;
use vinci_compare::{Axis, Choice};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

/// The axes of `stepper=a,b` and others.
pub(super) fn axes(vary: &[String]) -> Result<Vec<Axis>, Diagnostics> {
    vary.iter().map(|text| axis(text)).collect()
}

/// `stepper=a,b` as an axis.
fn axis(text: &str) -> Result<Axis, Diagnostics> {
    let parts = text.split_once('=').map(|(name, values)| (name, values.split(',').collect::<Vec<_>>()));
    match parts {
        Some((name, values)) if !name.is_empty() && values.iter().all(|v| !v.is_empty()) => {
            let choices = values.iter().map(|value| choice(name, value)).collect::<Result<_, _>>()?;
            Ok(Axis { name: name.to_string(), choices })
        }
        _ => {
            let message = format!("`--vary {text}` is not of the form what=a,b");
            Err(Diagnostic::error(Code::BadSet, message)
                .help("for example --vary solver=lemke,newton")
                .into())
        }
    }
}

/// A value, as the flag of its own sets it.
fn choice(name: &str, value: &str) -> Result<Choice, Diagnostics> {
    let (mut changes, text) = (ChangeArgs::default(), value.to_owned());
    match name {
        "detector" => changes.detector = Some(text.clone()),
        "stepper" => changes.stepper = Some(text.clone()),
        "solver" => changes.solver = Some(text.clone()),
        "step" => changes.step = Some(text.clone()),
        "duration" => changes.duration = Some(text.clone()),
        path => changes.set.push(format!("{path}={value}")),
    }
    Ok(Choice { text, overrides: changes.overrides()?, motion: None })
}
