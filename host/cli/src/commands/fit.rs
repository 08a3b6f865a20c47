//! `vinci fit`: parameters from measurements.

use serde_json::json;

use super::files::{io_error, may_be_written, put_file};
use super::inputs;
use super::printing::{report, tell_asked};
use super::progress::Progress;
use super::run::unchanged;
use super::search::{obeying, registry};
use crate::cli::{FitArgs, Global, SearchBy};
use vinci_fit::{Data, FitOptions, Parameter, Search, Trials, fit};
use vinci_run::{Surroundings, exit};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};

pub(crate) fn run(global: &Global, args: &FitArgs) -> Result<u8, Diagnostics> {
    let options = options(args)?;
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let registry = obeying(&registry, args.lock, &args.experiment)?;
    let before = Surroundings::now();
    let parameters =
        args.free.iter().map(|text| Parameter::of_bounds("--free", text)).collect::<Result<_, _>>()?;
    let data = Data::read(&args.data, &args.columns)?;
    let progress = Progress::of_search(global, "fit: ");
    let told = |runs: u64| progress.found(format!("{runs} runs"));
    let trials =
        Trials::open(&args.experiment, &args.changes.overrides()?, parameters, &registry)?.watched(told);
    // Before the search, as far as the experiment makes sense without what is searched.
    if let (Some(out), Ok(loaded)) = (&args.out, trials.loaded(&[])) {
        may_be_written(out, inputs::of(&loaded, Some(&args.data)).iter().map(|(path, _)| path.as_path()))?;
    }
    let found = fit(&trials, &data, options)?;
    progress.end();
    unchanged(&before)?;
    report(global, &found.warnings());
    if let Some(out) = &args.out {
        let loaded = trials.loaded(&found.values)?;
        let text = serde_json::to_string_pretty(&loaded.standalone())
            .map_err(|e| io_error("cannot write", out, &e.into()))?;
        let read = inputs::of(&loaded, Some(&args.data));
        put_file(out, (text + "\n").as_bytes(), read.iter().map(|(path, _)| path.as_path()))?;
    }
    let code = if found.is_identified() { exit::OK } else { exit::NOT_ACCEPTED };
    let value = || {
        let mut value = found.to_json();
        value["experiment"] = json!(args.experiment.to_string_lossy());
        value["data"] = json!(args.data.to_string_lossy());
        value["out"] = json!(args.out.as_ref().map(|out| out.to_string_lossy()));
        value
    };
    tell_asked(global, ("fit", code), args.json, || found.text(), value)?;
    Ok(code)
}

fn options(args: &FitArgs) -> Result<FitOptions, Diagnostics> {
    if !(args.difference > 1e-9 && args.difference < 0.1) {
        let message = format!("`--difference {}` is no part of the bounds' width", args.difference);
        let help = "give a number between 1e-9 and 0.1";
        return Err(Diagnostic::error(Code::Usage, message).help(help).into());
    }
    Ok(FitOptions {
        draws: u64::from(args.starts.min(100_000)),
        searches: args.searches.max(1) as usize,
        seed: args.seed,
        search: match args.by {
            SearchBy::Differences => Search::Differences,
            SearchBy::ActiveSet => Search::ActiveSet,
            SearchBy::Simplex => Search::Simplex,
        },
        step: args.difference,
        ..FitOptions::default()
    })
}
