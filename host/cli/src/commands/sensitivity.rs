//! `vinci sensitivity`: derivatives of measures of a run by its parameters.

use serde_json::json;

use super::printing::{report, tell_asked};
use super::progress::Progress;
use super::run::unchanged;
use super::search::{obeying, registry};
use crate::cli::{Global, SensitivityArgs};
use vinci_fit::{Data, DerivativeMethod, Measure, Parameter, Trials, sensitivity};
use vinci_run::{Surroundings, exit};
use vinci_scene::diagnostics::Diagnostics;

pub(crate) fn run(global: &Global, args: &SensitivityArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let registry = obeying(&registry, args.lock, &args.experiment)?;
    let before = Surroundings::now();
    let measures = args.of.iter().map(|text| Measure::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let parameters = args.by.iter().map(|text| Parameter::of_path("--by", text)).collect::<Result<_, _>>()?;
    let data = args.data.as_ref().map(|file| Data::read(file, &[])).transpose()?;
    let progress = Progress::of_search(global, "derivatives: ");
    let told = |runs: u64| progress.found(format!("{runs} runs"));
    let trials =
        Trials::open(&args.experiment, &args.changes.overrides()?, parameters, &registry)?.watched(told);
    let method = match (args.reverse, args.exact, args.differences) {
        (true, ..) => DerivativeMethod::Backwards,
        (_, true, _) => DerivativeMethod::Exact,
        (.., true) => DerivativeMethod::Differences,
        _ => DerivativeMethod::Auto,
    };
    let found = sensitivity(&trials, &measures, data.as_ref(), method)?;
    progress.end();
    unchanged(&before)?;
    report(global, &found.warnings());
    let value = || {
        let mut value = found.to_json();
        value["experiment"] = json!(args.experiment.to_string_lossy());
        value
    };
    tell_asked(global, ("sensitivity", exit::OK), args.json, || found.text(), value)?;
    Ok(exit::OK)
}
