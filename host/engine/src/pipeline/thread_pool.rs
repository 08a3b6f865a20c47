//! A pool of threads that solve islands beside the host's own.
//!
//! An instance of a plugin stays on the thread that made it, so every thread makes solvers of its own and keeps them. Islands go out in
//! batches, to whoever is free, and come back with their answers to the places they came from. A solver without a state answers the same
//! whatever it was asked before; so the answers do not depend on the number of threads.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

use crossbeam_channel::{Receiver, Sender, unbounded};
use vinci_abi::guard::catch;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;

use super::island::{Island, IslandEnd, IslandSolver, solve_in_order};

/// Makes a chain with solvers of its own, on the thread that asks for it.
pub(super) type MakeSolver = Arc<dyn Fn() -> Result<Box<dyn IslandSolver>, StageError> + Send + Sync>;

/// Batches for each thread: islands differ in what they cost, and who is done early takes another batch.
const BATCHES: usize = 4;

/// Stack of a thread, bytes: as much as the first thread of a process usually has.
const STACK: usize = 8 << 20;

/// Neighbouring islands on their way: where the first of them stands, and the islands.
#[derive(Default)]
struct Batch {
    first: usize,
    islands: Vec<Island>,
}

/// The threads and their queues.
pub(super) struct ThreadPool {
    threads: usize,
    make: MakeSolver,
    /// Memory of batches that are not under way.
    spare: Vec<Batch>,
    /// The threads beside this one, from the first problem on.
    workers: Option<Threads>,
}

struct Threads {
    to_do: Sender<Batch>,
    waiting: Receiver<Batch>,
    done: Receiver<Batch>,
    threads: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// A pool of so many threads, this one among them.
    pub(super) fn new(threads: usize, make: MakeSolver) -> Self {
        Self { threads, make, spare: Vec::new(), workers: None }
    }

    /// Solves islands; `route` is this thread's. Without threads of its own (the system may refuse them) this one does it all.
    pub(super) fn solve(&mut self, route: &mut dyn IslandSolver, islands: &mut [Island]) {
        let Self { threads, make, spare, workers } = self;
        let workers = workers.get_or_insert_with(|| Threads::new(*threads - 1, make));
        let mut under_way = deal(islands, BATCHES * *threads, spare, &workers.to_do);
        // This thread works as the others do, until nothing waits.
        while let Ok(mut batch) = workers.waiting.try_recv() {
            solve_in_order(route, &mut batch.islands);
            spare.push(put_back(batch, islands));
            under_way -= 1;
        }
        // Those who have a batch send it back, whatever happens to it.
        while under_way > 0 {
            let Ok(batch) = workers.done.recv() else { return };
            spare.push(put_back(batch, islands));
            under_way -= 1;
        }
    }
}

/// Deals islands out in at most `count` batches of nearly as many unknowns; the number of batches.
fn deal(islands: &mut [Island], count: usize, spare: &mut Vec<Batch>, to: &Sender<Batch>) -> usize {
    let unknowns: usize = islands.iter().map(Island::size).sum();
    let (share, mut made) = (unknowns.div_ceil(count), 0);
    let (mut batch, mut size) = (spare.pop().unwrap_or_default(), 0);
    let last = islands.len() - 1;
    for (k, island) in islands.iter_mut().enumerate() {
        size += island.size();
        batch.islands.push(std::mem::take(island));
        if size >= share || k == last {
            let full = std::mem::take(&mut batch);
            // The other end is held by the pool itself.
            made += usize::from(to.send(full).is_ok());
            (batch, size) = (spare.pop().unwrap_or_default(), 0);
            batch.first = k + 1;
        }
    }
    spare.push(Batch { first: 0, ..batch });
    made
}

/// Islands of a batch go back to their places; the batch is empty then.
fn put_back(mut batch: Batch, islands: &mut [Island]) -> Batch {
    for (place, island) in islands[batch.first..].iter_mut().zip(batch.islands.drain(..)) {
        *place = island;
    }
    Batch { first: 0, ..batch }
}

impl Threads {
    fn new(count: usize, make: &MakeSolver) -> Self {
        let ((to_do, waiting), (finished, done)) = (unbounded(), unbounded());
        let logger = tracing::dispatcher::get_default(Clone::clone);
        let start = |k: usize| {
            let (make, waiting, finished) =
                (make.clone(), Receiver::clone(&waiting), Sender::clone(&finished));
            let logger = logger.clone();
            let work =
                move || tracing::dispatcher::with_default(&logger, || work(&make, &waiting, &finished));
            Builder::new().name(format!("islands {k}")).stack_size(STACK).spawn(work)
        };
        let threads = (1..=count).map_while(|k| start(k).ok()).collect();
        Self { to_do, waiting, done, threads }
    }
}

impl Drop for Threads {
    /// Threads end where nothing can come any more; their solvers end there.
    fn drop(&mut self) {
        self.to_do = unbounded().0;
        self.threads.drain(..).for_each(|thread| {
            if thread.join().is_err() {
                tracing::error!("a thread that solves islands panicked as it ended");
            }
        });
    }
}

/// The life of a thread: solvers of its own, from the first batch on, and batch after batch.
fn work(make: &MakeSolver, waiting: &Receiver<Batch>, finished: &Sender<Batch>) {
    let mut route = None;
    for mut batch in waiting {
        let solve = || match route.get_or_insert_with(|| make()) {
            Ok(route) => solve_in_order(route.as_mut(), &mut batch.islands),
            Err(error) => fail(&mut batch, error.clone()),
        };
        if let Err(panic) = catch(AssertUnwindSafe(solve)) {
            route = None;
            fail(&mut batch, StageError::new(ErrorKind::Panicked, panic));
        }
        if finished.send(batch).is_err() {
            return;
        }
    }
}

fn fail(batch: &mut Batch, error: StageError) {
    if let Some(island) = batch.islands.first_mut() {
        island.answer.end = IslandEnd::Failed(error);
    }
}

#[cfg(test)]
#[path = "thread_pool_tests.rs"]
mod tests;
