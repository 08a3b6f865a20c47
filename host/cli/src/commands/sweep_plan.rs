//! `vinci sweep plan` and `vinci sweep run`: sweeps that other engines run.

use std::time::Instant;

use serde_json::json;

use super::files::{io_error, put_file};
use super::printing::{report, tell};
use super::progress::Progress;
use super::search::{obeying, quiet_registry, registry};
use super::sweep_line::{pool, range, shard, summary_text};
use crate::cli::{Global, PlanArgs, RunShardArgs};
use vinci_engine::registry::Registry;
use vinci_run::exit;
use vinci_scene::diagnostics::Diagnostics;
use vinci_sweep::{Ask, Plan, Planned, drive_part, plan_sweep, work};

/// Writes a plan.
pub(super) fn planned(global: &Global, args: &PlanArgs) -> Result<u8, Diagnostics> {
    let registry = registry(global, &args.search).allowing(&args.changes.libraries()).remembering();
    let registry = obeying(&registry, args.lock, &args.file)?;
    let ask = Ask {
        overrides: args.changes.overrides()?,
        only: args.part.only.clone(),
        cases: args.part.cases.as_deref().map(range).transpose()?,
        ..Ask::default()
    };
    let (text, shape, warnings) = plan_sweep(&args.file, ask, &registry)?;
    report(global, &warnings);
    put_file(&args.out, text.as_bytes(), std::iter::once(args.file.as_path()))?;
    let (name, runs, units) = (&shape.name, shape.runs(), shape.units());
    let text = || format!("{name}: {runs} runs planned, {units} units\n  plan      {}\n", args.out.display());
    let value = || {
        json!({ "name": name, "runs": runs, "units": units, "hash": shape.hash,
            "plan": args.out.to_string_lossy() })
    };
    tell(global, ("sweep plan", exit::OK), text, value)?;
    Ok(exit::OK)
}

/// The plan of the shard that is asked for.
fn load(
    args: &RunShardArgs,
    planned: &Planned,
    registry: Registry,
) -> Result<(Plan, Registry, Diagnostics), Diagnostics> {
    let shard = args.shard.as_deref().map_or(Ok([1, 1]), shard)?;
    let registry = planned.locked(&registry.remembering());
    let (plan, warnings) = planned.plan(shard, &registry)?;
    Ok((plan, registry, warnings))
}

/// Runs what it is told, as a child of `driven`, which has said what is to be said.
pub(super) fn worked(global: &Global, args: &RunShardArgs) -> Result<u8, Diagnostics> {
    let (plan, registry, _) = load(args, &Planned::read(&args.plan)?, quiet_registry(global, &args.search))?;
    Ok(work(&plan, &registry).map_or(exit::IO, |()| exit::OK))
}

/// Runs what is missing of a shard.
pub(super) fn driven(global: &Global, args: &RunShardArgs) -> Result<u8, Diagnostics> {
    let pool = pool(global, args.processes, &args.plan)?;
    let planned = Planned::read(&args.plan)?;
    planned.check_program()?;
    let (plan, _, warnings) = load(args, &planned, registry(global, &args.search))?;
    report(global, &warnings);
    let (progress, started) = (Progress::of_units(global), Instant::now());
    let ended = drive_part(&plan, &args.out, args.force, &pool, |done, all| progress.units(done, all));
    drop(progress);
    let (part, ended) = ended.map_err(|e| io_error("cannot write to", &args.out, &e))?;
    let (seconds, [failed, invalid, crashed]) = (started.elapsed().as_secs_f64(), ended.wrong);
    let code = if crashed > 0 { exit::CRASHED } else { exit::OK };
    let name = &plan.shape.name;
    let value = || {
        json!({ "name": name, "part": part.to_string_lossy(), "shard": plan.shape.shard, "made": ended.made,
            "resumed": ended.resumed, "failed": failed, "invalid": invalid, "crashed": crashed, "seconds": seconds })
    };
    tell(global, ("sweep run", code), || summary_text(name, &part, &ended, seconds), value)?;
    Ok(code)
}
