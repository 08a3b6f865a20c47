//! `vinci sweep`.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::files::{io_error, put_file, stem};
use super::inputs;
use super::printing::{report, say, tell, tell_asked};
use super::search::{obeying, quiet_registry, registry};
use crate::cli::{Global, ShowArgs, SweepAction, SweepArgs};
use vinci_engine::registry::Registry;
use vinci_run::exit;
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_sweep::{Ask, Plan, Report, RunId, WorkerPool, drive, load_sweep, merge, status, work};

pub(crate) fn run(global: &Global, args: &SweepArgs) -> Result<u8, Diagnostics> {
    match &args.action {
        Some(SweepAction::Merge { parts, out, force }) => merged(global, parts, out, *force),
        Some(SweepAction::Status { directory }) => {
            let text = status(directory).map_err(|e| io_error("cannot read", directory, &e))?;
            let value = || json!({ "directory": directory.to_string_lossy(), "lines": text.lines().collect::<Vec<_>>() });
            tell_asked(global, ("sweep status", exit::OK), false, || text.clone(), value)?;
            Ok(exit::OK)
        }
        Some(SweepAction::Show(show)) => shown(global, show),
        None if args.worker => worked(global, args),
        None => driven(global, args),
    }
}

fn merged(global: &Global, parts: &[PathBuf], out: &Path, force: bool) -> Result<u8, Diagnostics> {
    let shape = merge(parts, out, force).map_err(|e| io_error("cannot merge into", out, &e))?;
    let (name, n) = (shape.name, parts.len());
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
    let pool = pool(global, args, file)?;
    let registry = allowed(args, registry(global, &args.search))?;
    let (plan, warnings) = load_sweep(file, ask(args)?, &registry)?;
    report(global, &warnings);
    let out = args.out.clone().unwrap_or_else(|| default_directory(file, plan.shape.shard));
    let (bar, started) = (progress_bar(global), Instant::now());
    let ended = drive(&plan, &out, args.force, &pool, |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let ended = ended.map_err(|e| io_error("cannot write to", &out, &e))?;
    let seconds = started.elapsed().as_secs_f64();
    let [failed, invalid, crashed] = ended.wrong;
    // A row of a run that died says nothing of the run.
    let code = if crashed > 0 { exit::CRASHED } else { exit::OK };
    let value = || {
        json!({ "name": plan.shape.name, "directory": out.to_string_lossy(), "made": ended.made, "resumed": ended.resumed,
            "failed": failed, "invalid": invalid, "crashed": crashed, "seconds": seconds })
    };
    tell(global, ("sweep", code), || words(&plan, &out, &ended, seconds), value)?;
    Ok(code)
}

fn pool(global: &Global, args: &SweepArgs, file: &Path) -> Result<WorkerPool, Diagnostics> {
    let timeout = args.timeout_per_run.map(limit).transpose()?;
    Ok(WorkerPool {
        program: std::env::current_exe().map_err(|e| io_error("cannot find", file, &e))?,
        arguments: as_worker(),
        jobs: args.jobs.unwrap_or_else(cores).get(),
        timeout,
        loading: timeout.map_or(LOADING, |limit| limit.max(LEAST_LOADING)),
        loud: global.verbose > 0,
    })
}

/// Longest time until a child process is ready where runs have no limit.
const LOADING: Duration = Duration::from_secs(600);

/// The same where runs have a shorter limit than this: loading plugins is no part of a run.
const LEAST_LOADING: Duration = Duration::from_secs(10);

/// What this machine can do at once.
fn cores() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
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

fn usage(message: &str, help: &str) -> Diagnostics {
    Diagnostic::error(Code::Usage, message).help(help).into()
}

/// The command line of this process once more, as a child of it.
fn as_worker() -> Vec<OsString> {
    let own = std::env::args_os().skip(1);
    own.chain(["--worker".into()]).collect()
}

fn ask(args: &SweepArgs) -> Result<Ask, Diagnostics> {
    Ok(Ask {
        overrides: args.changes.overrides()?,
        only: args.only.clone(),
        cases: args.cases.as_deref().map(range).transpose()?,
        shard: args.shard.as_deref().map_or(Ok([1, 1]), shard)?,
    })
}

fn pair(text: &str, between: &str) -> Option<[u64; 2]> {
    let (a, b) = text.split_once(between)?;
    Some([a.parse().ok()?, b.parse().ok()?])
}

fn range(text: &str) -> Result<[u64; 2], Diagnostics> {
    pair(text, "..").ok_or_else(|| {
        usage(&format!("`--cases {text}` is not a range"), "write --cases 0..100, the last not included")
    })
}

fn shard(text: &str) -> Result<[u64; 2], Diagnostics> {
    pair(text, "/").filter(|[i, n]| *i >= 1 && i <= n).ok_or_else(|| {
        usage(
            &format!("`--shard {text}` is not a shard"),
            "write --shard i/n with i from 1 to n: --shard 2/7",
        )
    })
}

fn limit(seconds: f64) -> Result<Duration, Diagnostics> {
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    let wrong = || usage(&format!("`--timeout-per-run {seconds}` is not a duration"), "give seconds above 0");
    limit.ok_or_else(wrong)
}

fn default_directory(file: &Path, [i, n]: [u64; 2]) -> PathBuf {
    let name = stem(file);
    PathBuf::from("results").join(if n == 1 {
        format!("{name}-sweep")
    } else {
        format!("{name}-sweep-{i}-of-{n}")
    })
}

/// Over units of work, on a terminal only.
fn progress_bar(global: &Global) -> ProgressBar {
    if global.quiet || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len}, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(1).with_style(style)
}

fn words(plan: &Plan, out: &Path, ended: &Report, seconds: f64) -> String {
    let Report { made, resumed, wrong } = *ended;
    let rate = if seconds > 0.0 { made as f64 / seconds } else { 0.0 };
    let before = if resumed > 0 { format!(", {resumed} were there") } else { String::new() };
    format!(
        "{}: {made} runs in {seconds:.3} s ({rate:.1} runs a second){before}\n{}  results   {}\n",
        plan.shape.name,
        wrongs(wrong),
        out.display()
    )
}

/// Runs that did not come to an end of their own, in words; nothing where there are none.
fn wrongs(wrong: [u64; 3]) -> String {
    let names = ["failed", "invalid", "crashed"];
    let some = names.into_iter().zip(wrong).filter(|(_, n)| *n > 0);
    let some: Vec<String> = some.map(|(name, n)| format!("{n} {name}")).collect();
    if some.is_empty() {
        return String::new();
    }
    format!("  warning   {} (column `status` of the rows; `message` says why)\n", some.join(", "))
}
