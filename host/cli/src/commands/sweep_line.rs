//! Parts that the commands of sweeps share: command lines, child processes, what they print.

use std::ffi::OsString;
use std::num::NonZero;
use std::path::Path;
use std::time::Duration;

use super::files::io_error;
use crate::cli::{Global, ProcessArgs};
use vinci_scene::diagnostics::{Code, Diagnostic, Diagnostics};
use vinci_sweep::{Report, WorkerPool};

/// Child processes: how many, and how long one may take for a run, s.
pub(super) fn pool(global: &Global, processes: ProcessArgs, file: &Path) -> Result<WorkerPool, Diagnostics> {
    let timeout = processes.timeout_per_run.map(limit).transpose()?;
    Ok(WorkerPool {
        program: std::env::current_exe().map_err(|e| io_error("cannot find", file, &e))?,
        arguments: as_worker(),
        jobs: processes.jobs.unwrap_or_else(cores).get(),
        timeout,
        loading: timeout.map_or(LOADING, |limit| limit.max(LEAST_LOADING)),
        loud: global.verbose > 0,
    })
}

/// Longest time until a child process is ready where runs have no limit.
const LOADING: Duration = Duration::from_secs(600);

/// Longest time until a child process is ready where runs have a shorter limit than this: loading plugins is no part of a run.
const LEAST_LOADING: Duration = Duration::from_secs(10);

/// Number of processes that this machine can run at once.
fn cores() -> NonZero<usize> {
    std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

pub(super) fn usage(message: &str, help: &str) -> Diagnostics {
    Diagnostic::error(Code::Usage, message).help(help).into()
}

/// The command line of this process once more, as a child of it.
fn as_worker() -> Vec<OsString> {
    let own = std::env::args_os().skip(1);
    own.chain(["--worker".into()]).collect()
}

fn pair(text: &str, between: &str) -> Option<[u64; 2]> {
    let (a, b) = text.split_once(between)?;
    Some([a.parse().ok()?, b.parse().ok()?])
}

pub(super) fn range(text: &str) -> Result<[u64; 2], Diagnostics> {
    pair(text, "..").ok_or_else(|| {
        usage(&format!("`--cases {text}` is not a range"), "write --cases 0..100, the last not included")
    })
}

pub(super) fn shard(text: &str) -> Result<[u64; 2], Diagnostics> {
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

pub(super) fn summary_text(name: &str, out: &Path, ended: &Report, seconds: f64) -> String {
    let Report { made, resumed, wrong } = *ended;
    let rate = if seconds > 0.0 { made as f64 / seconds } else { 0.0 };
    let before = if resumed > 0 { format!(", {resumed} were there") } else { String::new() };
    format!(
        "{}: {made} runs in {seconds:.3} s ({rate:.1} runs a second){before}\n{}  results   {}\n",
        name,
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
