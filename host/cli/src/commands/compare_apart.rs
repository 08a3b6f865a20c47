//! Runs of a comparison in processes of their own: several at once, and one that dies takes no other along.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use super::files::io_error;
use super::search::child_flags;
use crate::cli::CompareArgs;
use vinci_engine::registry::Registry;
use vinci_run::signals::Stop;
use vinci_scene::diagnostics::Diagnostics;

/// How often a child is looked at.
const PAUSE: Duration = Duration::from_millis(10);

/// How the processes are made.
pub(super) struct Apart {
    program: PathBuf,
    arguments: Vec<OsString>,
    jobs: usize,
}

impl Apart {
    /// Processes for the comparison whose plan stands in `out`, `jobs` of them at once.
    ///
    /// # Errors
    /// The path of the running program is not known.
    pub(super) fn new(
        args: &CompareArgs,
        registry: &Registry,
        out: &Path,
        jobs: usize,
    ) -> Result<Self, Diagnostics> {
        let program = std::env::current_exe().map_err(|e| io_error("cannot find", out, &e))?;
        let mut arguments: Vec<OsString> = vec!["compare".into(), "--resume".into(), out.into()];
        arguments.extend(child_flags(registry));
        if let Some(every) = args.checkpoint_every {
            let every = humantime::format_duration(every).to_string().replace(' ', "");
            arguments.extend(["--checkpoint-every".into(), every.into()]);
        }
        Ok(Self { program, arguments, jobs })
    }

    /// Makes these runs; how the process of each ended. `told` hears how many have. Once it is asked to stop, no more are begun, and the others stop.
    ///
    /// # Errors
    /// Of the system: a process that cannot be made.
    pub(super) fn make(
        &self,
        runs: &[usize],
        stop: &Stop,
        told: &(dyn Fn(usize) + Sync),
    ) -> std::io::Result<BTreeMap<usize, String>> {
        let (waiting, ends) = (Mutex::new(runs.iter().copied()), Mutex::new(BTreeMap::new()));
        let next = || waiting.lock().map(|mut runs| runs.next()).ok().flatten();
        let work = || -> std::io::Result<()> {
            while let Some(k) = next().filter(|_| !stop.is_asked()) {
                let status = wait(self.child(k)?, stop)?;
                if let Ok(mut ends) = ends.lock() {
                    ends.insert(k, format!("its process ended without a result: {status}"));
                    told(ends.len());
                }
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.jobs.min(runs.len())).map(|_| scope.spawn(work)).collect();
            let ended = |worker: std::thread::ScopedJoinHandle<'_, std::io::Result<()>>| {
                worker.join().unwrap_or_else(|_| Err(std::io::Error::other("a thread of its own failed")))
            };
            workers.into_iter().try_for_each(ended)
        })?;
        Ok(ends.into_inner().unwrap_or_default())
    }

    fn child(&self, k: usize) -> std::io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).arg("--only").arg(k.to_string()).arg("--quiet");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()
    }
}

/// Waits for a child; its input ends where it is to stop.
fn wait(mut child: Child, stop: &Stop) -> std::io::Result<ExitStatus> {
    let mut input = child.stdin.take();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if stop.is_asked() {
            input = None;
        }
        std::thread::sleep(if input.is_some() { PAUSE } else { PAUSE / 2 });
    }
}

/// (The child) The run stops when the input ends: the parent wants it to, or is no more.
pub(super) fn stop_with_input(stop: &Stop) {
    let stop = stop.clone();
    std::thread::spawn(move || {
        // Nothing is ever written to it.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        stop.ask();
    });
}
