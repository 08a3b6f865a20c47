//! Runs of a comparison side by side in this process: they take turns, so that what a machine does meanwhile is shared alike by their times.

use std::sync::{Mutex, PoisonError};

use super::progress::Progress;
use crate::cli::Global;
use vinci_run::Turn;

/// Most runs at once: each has its memory, its files and perhaps processes of its own.
const ABREAST: usize = 16;

/// Open files that a run may need: tables, and pipes to processes of its plugins.
#[cfg(unix)]
const FILES: u64 = 24;

/// Stack of a run, bytes: that of a program's first thread, where a run alone is.
const STACK: usize = 8 << 20;

/// Most runs at once in this process, which may have so many open files.
#[cfg(unix)]
pub(super) fn abreast() -> usize {
    let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let room = files.map_or(ABREAST as u64, |files| files / FILES);
    usize::try_from(room).map_or(ABREAST, |room| room.clamp(1, ABREAST))
}

/// Most runs at once in this process.
#[cfg(not(unix))]
pub(super) fn abreast() -> usize {
    ABREAST
}

/// Does the work of so many runs, each on a thread of its own that waits for its turn before it begins. Results come in the order of the runs.
///
/// # Errors
/// Of the system: a thread that cannot be made; the others then end before.
pub(super) fn in_turns<T: Send>(
    runs: usize,
    work: impl Fn(usize, Turn) -> T + Sync,
) -> std::io::Result<Vec<T>> {
    let work = &work;
    std::thread::scope(|scope| {
        let spawn = |(k, mut turn): (usize, Turn)| {
            std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || {
                turn.begin();
                work(k, turn)
            })
        };
        let threads: Vec<_> = Turn::of(runs).into_iter().enumerate().map(spawn).collect();
        let join = |thread: std::io::Result<std::thread::ScopedJoinHandle<'_, T>>| {
            thread.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        };
        // All are waited for before the first error is told.
        threads.into_iter().map(join).collect::<Vec<_>>().into_iter().collect()
    })
}

/// One bar for runs that take turns.
pub(super) struct Bar(Mutex<Sum>);

/// Times of all runs, s.
struct Sum {
    progress: Progress,
    /// Time that each has come to.
    reached: Vec<f64>,
    /// Their ends together.
    end: f64,
}

impl Bar {
    pub(super) fn new(global: &Global, name: &str, runs: usize) -> Self {
        let progress = Progress::of_time(global, name, 0.0);
        Self(Mutex::new(Sum { progress, reached: vec![0.0; runs], end: 0.0 }))
    }

    /// A run begins that ends at this time, s.
    pub(super) fn begin(&self, end: f64) {
        self.with(|sum| {
            sum.end += end;
            sum.progress.until(sum.end);
        });
    }

    /// A step of a run ends at t, s.
    pub(super) fn at(&self, run: usize, t: f64) {
        self.with(|sum| {
            sum.reached[run] = t;
            sum.progress.at(sum.reached.iter().sum());
        });
    }

    fn with(&self, todo: impl FnOnce(&mut Sum)) {
        todo(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
