//! Workers of a program: which of them an instance joins, and failures that no call could report.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread::ThreadId;

use vinci_abi::Role;
use vinci_core::StageError;

use super::lock::locked;
use super::watched::Asking;
use super::worker::Worker;
use crate::limits::Limits;

/// Workers that are one program once more.
///
/// An instance joins a worker of its owner (the first word of its id) on its thread where no instance of its role is, so that stepper and solver of one
/// owner share one; else it gets a worker of its own. A worker ends with its last instance.
#[derive(Default)]
pub struct Workers {
    program: PathBuf,
    /// Libraries by owner: those that its workers may read.
    libraries: Mutex<Vec<(String, PathBuf)>>,
    running: Mutex<Vec<(ThreadId, String, Weak<Worker>)>>,
    failures: Mutex<Vec<(ThreadId, StageError)>>,
    told: AtomicBool,
    /// True from [`Workers::stop`] until the next worker is asked for: what failed then is no news.
    stopped: AtomicBool,
}

impl std::fmt::Debug for Workers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workers").field("program", &self.program).finish_non_exhaustive()
    }
}

impl Workers {
    /// Workers that are `program` once more.
    pub fn of(program: PathBuf) -> Arc<Self> {
        Arc::new(Self { program, ..Self::default() })
    }

    /// The program.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// Returns true if it was told what plugins are not kept from here, and takes note that it is.
    pub(crate) fn has_told(&self) -> bool {
        self.told.swap(true, Ordering::Relaxed)
    }

    /// Others that are the same program.
    pub(crate) fn others(&self) -> Arc<Self> {
        let told = AtomicBool::new(self.told.load(Ordering::Relaxed));
        Arc::new(Self { program: self.program.clone(), told, ..Self::default() })
    }

    /// Ends the processes of all that are running: nobody wants their answers any more.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        locked(&self.running).iter().filter_map(|(.., worker)| worker.upgrade()).for_each(|w| w.stop());
    }

    /// A library that workers of its owner may read.
    pub(crate) fn know(&self, owner: &str, library: &Path) {
        let mut known = locked(&self.libraries);
        if !known.iter().any(|(o, path)| o == owner && path == library) {
            known.push((owner.to_owned(), library.to_owned()));
        }
    }

    /// A worker of its own for one question.
    pub(crate) fn fresh(
        &self,
        limits: Limits,
        libraries: Vec<PathBuf>,
        asking: Asking<'_>,
    ) -> Result<Worker, StageError> {
        let (worker, lacks) = Worker::start(&self.program, limits, libraries, asking)?;
        if !lacks.is_empty() && !self.has_told() {
            tracing::warn!(
                "plugins in worker processes are not kept from everything here: {}",
                lacks.join("; ")
            );
        }
        Ok(worker)
    }

    /// A worker for an instance of a role.
    pub(crate) fn worker(
        &self,
        role: Role,
        library: &Path,
        limits: Limits,
        asking: Asking<'_>,
    ) -> Result<Arc<Worker>, StageError> {
        self.begin();
        let (owner, thread) = (owner_of(asking.plugin), std::thread::current().id());
        let mut running = locked(&self.running);
        running.retain(|(.., worker)| worker.strong_count() > 0);
        let own = running.iter().filter(|(t, o, _)| *t == thread && o == owner);
        if let Some(worker) =
            own.filter_map(|(.., w)| w.upgrade()).find(|w| w.welcomes(role, library, limits))
        {
            return Ok(worker);
        }
        drop(running);
        let known = locked(&self.libraries);
        let libraries = known.iter().filter(|(o, _)| o == owner).map(|(_, path)| path.clone()).collect();
        drop(known);
        let worker = Arc::new(self.fresh(limits, libraries, asking)?);
        let entry = (thread, owner.to_owned(), Arc::downgrade(&worker));
        locked(&self.running).push(entry);
        Ok(worker)
    }

    /// Keeps a failure that no call can report.
    pub(crate) fn keep(&self, failure: StageError) {
        if !self.stopped.load(Ordering::Relaxed) {
            tracing::error!("{failure}");
        }
        let thread = std::thread::current().id();
        locked(&self.failures).push((thread, failure));
    }

    /// A process is asked for: what fails from now on is news.
    pub(crate) fn begin(&self) {
        self.stopped.store(false, Ordering::Relaxed);
    }

    /// Takes the failures of this thread.
    pub(crate) fn unreported(&self) -> Vec<StageError> {
        let thread = std::thread::current().id();
        let mut failures = locked(&self.failures);
        let (own, others) = std::mem::take(&mut *failures).into_iter().partition(|(t, _)| *t == thread);
        *failures = others;
        let own: Vec<_> = own;
        own.into_iter().map(|(_, failure)| failure).collect()
    }
}

/// The first word of an id.
pub(crate) fn owner_of(id: &str) -> &str {
    id.split('.').next().unwrap_or(id)
}
