//! `vinci sweep`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;

use super::files::{io_error, put_file, stem};
use super::inputs;
use super::printing::{report, say, tell, tell_asked};
use super::progress::Progress;
use super::search::{obeying, quiet_registry, registry};
use super::sweep_line::{pool, range, shard, summary_text, usage};
use super::sweep_plan;
use crate::cli::{Global, ShowArgs, SweepAction, SweepArgs};
use vinci_engine::registry::Registry;
use vinci_run::exit;
use vinci_scene::diagnostics::Diagnostics;
use vinci_sweep::{
    Ask, Planned, RunId, drive, load_sweep, merge, merge_parts, status, status_of_parts, work,
};

pub(crate) fn run(global: &Global, args: &SweepArgs) -> Result<u8, Diagnostics> {
    match &args.action {
        Some(SweepAction::Merge { parts, out, force }) => merged(global, parts, out, *force),
        Some(SweepAction::Plan(plan)) => sweep_plan::planned(global, plan),
        Some(SweepAction::Run(shard)) if shard.processes.worker => sweep_plan::worked(global, shard),
        Some(SweepAction::Run(shard)) => sweep_plan::driven(global, shard),
        Some(SweepAction::Status { paths }) => told_status(global, paths),
        Some(SweepAction::Show(show)) => shown(global, show),
        None if args.processes.worker => worked(global, args),
        None => driven(global, args),
    }
}

/// How far a sweep is: a directory of its own, or the parts of a plan.
fn told_status(global: &Global, paths: &[PathBuf]) -> Result<u8, Diagnostics> {
    let unread = |path: &Path| {
        let path = path.to_owned();
        move |e: std::io::Error| io_error("cannot read", &path, &e)
    };
    let plan = Planned::find(&paths[0])?;
    let (directory, text) = match (plan, paths) {
        (Some(plan), [_, parts]) => (parts, status_of_parts(plan.shape(), parts).map_err(unread(parts))?),
        (None, [directory]) => (directory, status(directory).map_err(unread(directory))?),
        _ => {
            return Err(usage(
                "a plan and the directory of its parts, or the directory of a sweep",
                "vinci sweep status PLAN DIR",
            ));
        }
    };
    let value =
        || json!({ "directory": directory.to_string_lossy(), "lines": text.lines().collect::<Vec<_>>() });
    tell_asked(global, ("sweep status", exit::OK), false, || text.clone(), value)?;
    Ok(exit::OK)
}

fn merged(global: &Global, parts: &[PathBuf], out: &Path, force: bool) -> Result<u8, Diagnostics> {
    let failed = |e: std::io::Error| io_error("cannot merge into", out, &e);
    let (name, n) = match Planned::find(&parts[0])? {
        Some(plan) => {
            let n = merge_parts(plan.shape(), &parts[1..], out, force).map_err(failed)?;
            (plan.shape().name.clone(), n)
        }
        None => (merge(parts, out, force).map_err(failed)?.name, parts.len() as u64),
    };
    let text = || format!("{name}: {n} parts merged\n  results   {}\n", out.display());
    let value = || json!({ "name": name, "parts": n, "directory": out.to_string_lossy() });
    tell(global, ("sweep merge", exit::OK), text, value)?;
    Ok(exit::OK)
}

/// Runs what it is told, as a child of a sweep, which has said what is to be said.
fn worked(global: &Global, args: &SweepArgs) -> Result<u8, Diagnostics> {
    let registry = quiet_registry(global, &args.search);
    let registry = allowed(args, registry)?;
    let (plan, _) = load_sweep(named(args)?, ask(args)?, &registry)?;
    Ok(work(&plan, &registry).map_or(exit::IO, |()| exit::OK))
}

fn named(args: &SweepArgs) -> Result<&Path, Diagnostics> {
    args.file.as_deref().ok_or_else(|| usage("no sweep is named", "vinci sweep FILE"))
}

/// The registry with what this command line allows, and nothing beyond the lock where there is one.
fn allowed(args: &SweepArgs, registry: Registry) -> Result<Registry, Diagnostics> {
    let registry = registry.allowing(&args.changes.libraries()).remembering();
    obeying(&registry, args.lock, named(args)?)
}

/// Runs what is missing.
fn driven(global: &Global, args: &SweepArgs) -> Result<u8, Diagnostics> {
    let file = named(args)?;
    let pool = pool(global, args.processes, file)?;
    let registry = allowed(args, registry(global, &args.search))?;
    let (plan, warnings) = load_sweep(file, ask(args)?, &registry)?;
    report(global, &warnings);
    let out = args.out.clone().unwrap_or_else(|| default_directory(file, plan.shape.shard));
    let (progress, started) = (Progress::of_units(global), Instant::now());
    let ended = drive(&plan, &out, args.force, &pool, |done, all| progress.units(done, all));
    drop(progress);
    let ended = ended.map_err(|e| io_error("cannot write to", &out, &e))?;
    let seconds = started.elapsed().as_secs_f64();
    let [failed, invalid, crashed] = ended.wrong;
    // A row of a run that died says nothing of the run.
    let code = if crashed > 0 { exit::CRASHED } else { exit::OK };
    let value = || {
        json!({ "name": plan.shape.name, "directory": out.to_string_lossy(), "made": ended.made, "resumed": ended.resumed,
            "failed": failed, "invalid": invalid, "crashed": crashed, "seconds": seconds })
    };
    tell(global, ("sweep", code), || summary_text(&plan.shape.name, &out, &ended, seconds), value)?;
    Ok(code)
}

/// The experiment of one run.
fn shown(global: &Global, args: &ShowArgs) -> Result<u8, Diagnostics> {
    let ShowArgs { file, case, sample, rung, out, changes, search } = args;
    let registry = registry(global, search).allowing(&changes.libraries()).remembering();
    let ask = Ask { overrides: changes.overrides()?, only: rung.clone(), ..Ask::default() };
    let (plan, _) = load_sweep(file, ask, &registry)?;
    let id = RunId { case: *case, sample: *sample, rung: plan.shape.rungs.len() as u32 - 1 };
    if plan.shape.unit_of(id).is_none() {
        let (cases, rung) = (plan.shape.cases[1], &plan.shape.rungs[id.rung as usize]);
        let help = format!(
            "cases are 0..{cases}, samples of `{}` 0..{}, the last not included",
            rung.name, rung.samples
        );
        return Err(usage("there is no such run", &help));
    }
    let loaded = plan.experiment(id)?;
    let text = serde_json::to_string_pretty(&loaded.standalone());
    let text = text.map_err(|e| io_error("cannot write", file, &e.into()))? + "\n";
    match out {
        None => say(&text)?,
        Some(path) => {
            let read = inputs::of(&loaded, Some(file));
            put_file(path, text.as_bytes(), read.iter().map(|(path, _)| path.as_path()))?;
            let written = || format!("{}: written\n", path.display());
            tell(global, ("sweep show", exit::OK), written, || json!({ "file": path.to_string_lossy() }))?;
        }
    }
    Ok(exit::OK)
}

fn ask(args: &SweepArgs) -> Result<Ask, Diagnostics> {
    Ok(Ask {
        overrides: args.changes.overrides()?,
        only: args.part.only.clone(),
        cases: args.part.cases.as_deref().map(range).transpose()?,
        shard: args.shard.as_deref().map_or(Ok([1, 1]), shard)?,
    })
}

fn default_directory(file: &Path, [i, n]: [u64; 2]) -> PathBuf {
    let name = stem(file);
    PathBuf::from("results").join(if n == 1 {
        format!("{name}-sweep")
    } else {
        format!("{name}-sweep-{i}-of-{n}")
    })
}
