//! `vinci check`: everything `run` would refuse, without running.

use super::compare_ready;
use super::files::{is_comparison, is_sweep};
use super::printing::{report, tell, tell_people};
use super::run::ready;
use super::search::{obeying, registry};
use crate::cli::{ChangeArgs, CheckArgs, Global};
use serde_json::json;
use std::path::Path;
use vinci_engine::registry::Registry;
use vinci_run::exit;
use vinci_scene::diagnostics::Diagnostics;
use vinci_scene::files::format_of;
use vinci_scene::types::SCENE_FORMAT;
use vinci_scene::{Checked, check_file};
use vinci_sweep::{Ask, load_sweep};

pub(crate) fn run(global: &Global, args: &CheckArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let (mut worst, mut files) = (exit::OK, Vec::new());
    for file in &args.files {
        let (code, diagnostics) = told(global, file, checked(args, file, &registry))?;
        let status = if code == exit::OK { "ok" } else { "refused" };
        let (errors, warnings) = (diagnostics.errors(), diagnostics.warnings());
        files.push(json!({ "file": file.to_string_lossy(), "status": status, "errors": errors, "warnings": warnings }));
        worst = worst.max(code);
    }
    tell(global, ("check", worst), String::new, || json!({ "files": files }))?;
    Ok(worst)
}

/// The warnings about a file that would run.
fn checked(args: &CheckArgs, file: &Path, registry: &Registry) -> Result<Diagnostics, Diagnostics> {
    let registry = &obeying(registry, args.lock, file)?;
    if is_sweep(file) {
        return sweep(args, file, registry).and_then(|diagnostics| finish(diagnostics, args.strict));
    }
    if is_comparison(file) {
        let changes = args.changes.overrides()?;
        let found = compare_ready::looked_at(file, &changes, registry, args.strict)?;
        return finish(found, args.strict);
    }
    // With changes the file is an experiment, and may be wrong only until they are made.
    let changed = args.changes != ChangeArgs::default();
    match if changed { None } else { Some(check_file(file)) } {
        Some(Ok(Checked::Scene(scene))) => finish(scene.warnings, args.strict),
        // With the flags, the plugins, and a look at the start.
        None | Some(Ok(Checked::Experiment(_))) => experiment(file, &args.changes, registry, args.strict),
        Some(Err(diagnostics)) => Err(diagnostics),
    }
}

/// Prints what was found; gives it with the exit code.
fn told(
    global: &Global,
    file: &Path,
    outcome: Result<Diagnostics, Diagnostics>,
) -> Result<(u8, Diagnostics), Diagnostics> {
    let code = outcome.as_ref().map_or_else(Diagnostics::exit_code, |_| exit::OK);
    let (Ok(diagnostics) | Err(diagnostics)) = outcome;
    report(global, &diagnostics);
    if code == exit::OK {
        let count =
            if diagnostics.is_empty() { String::new() } else { format!(" ({})", diagnostics.count()) };
        tell_people(global, || format!("{}: ok{count}{}\n", file.display(), unseen(file)))?;
    }
    Ok((code, diagnostics))
}

/// Note of what a scene by itself is not looked at for: that takes a detector.
fn unseen(file: &Path) -> &'static str {
    match format_of(file).as_deref() {
        Some(SCENE_FORMAT) => "; overlaps and open joints at the start are looked for with an experiment",
        _ => "",
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
