//! `vinci check`: everything `run` would refuse, without running.

use super::files::is_sweep;
use super::printing::{report, tell};
use super::run::ready;
use crate::cli::{ChangeArgs, CheckArgs, Global};
use serde_json::json;
use std::path::Path;
use vinci_engine::registry::Registry;
use vinci_run::exit;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::{Checked, check_file};
use vinci_sweep::{Ask, load_sweep};

pub(crate) fn run(global: &Global, args: &CheckArgs) -> Result<u8, Diagnostics> {
    let registry = Registry::new(&args.search.plugin_dir).with_children().remembering();
    let mut worst = exit::OK;
    for file in &args.files {
        if is_sweep(file) {
            let checked = sweep(args, file, &registry).and_then(|found| finish(found, args.strict));
            worst = worst.max(told(global, file, checked)?);
            continue;
        }
        // With changes the file is an experiment, and may be wrong only until they are made.
        let changed = args.changes != ChangeArgs::default();
        let outcome = match if changed { None } else { Some(check_file(file)) } {
            Some(Ok(Checked::Scene(scene))) => finish(scene.warnings, args.strict),
            // With the flags, the plugins, and a look at the start.
            None | Some(Ok(Checked::Experiment(_))) => {
                experiment(file, &args.changes, &registry, args.strict)
            }
            Some(Err(found)) => Err(found),
        };
        worst = worst.max(told(global, file, outcome)?);
    }
    Ok(worst)
}

/// Prints what was found, and gives the exit code.
fn told(global: &Global, file: &Path, outcome: Result<Diagnostics, Diagnostics>) -> Result<u8, Diagnostics> {
    match outcome {
        Ok(warnings) => {
            report(global, &warnings);
            let count = if warnings.is_empty() { String::new() } else { format!(" ({})", warnings.count()) };
            let text = || format!("{}: ok{count}\n", file.display());
            tell(
                global,
                text,
                || json!({ "command": "check", "file": file, "status": "ok", "warnings": warnings.len() }),
            )?;
            Ok(exit::OK)
        }
        Err(found) => {
            report(global, &found);
            Ok(found.exit_code())
        }
    }
}

fn sweep(args: &CheckArgs, file: &Path, registry: &Registry) -> Result<Diagnostics, Diagnostics> {
    let ask = Ask { overrides: args.changes.overrides()?, ..Ask::default() };
    Ok(load_sweep(file, ask, &registry.clone().remembering())?.1)
}

fn experiment(
    file: &Path,
    changes: &ChangeArgs,
    registry: &Registry,
    strict: bool,
) -> Result<Diagnostics, Diagnostics> {
    Ok(ready(file, changes, registry, strict)?.warnings)
}

fn finish(warnings: Diagnostics, strict: bool) -> Result<Diagnostics, Diagnostics> {
    if strict && !warnings.is_empty() { Err(warnings.strict()) } else { Ok(warnings) }
}
