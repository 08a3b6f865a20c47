//! A race: all entrants get a problem at once, each solves it in a process of its own on a thread of its own, and the first answer that the
//! audit accepts wins.
//!
//! Who wins depends on time; what the winner answers does not. So nothing of the others is kept: entrants begin every problem from states that
//! the host gives them. One that is still at an earlier problem when the next race begins is ended with its process, and joins with a new one.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use vinci_abi::guard::catch;
use vinci_core::StageError;
use vinci_core::error::ErrorKind;
use vinci_core::problem::{Problem, Status};

use super::audit::Answer;
use super::failure::FailedSolve;
use super::route::Route;
use super::solver_stats::SolverStats;
use super::stored::Stored;

/// How often those that are at an earlier problem are looked at.
const NAP: Duration = Duration::from_millis(10);

/// Solver of a race in a process of its own.
pub(super) trait Entrant: Send + Sync {
    /// An instance, on the thread that asks for it.
    fn make(&self) -> Result<Box<dyn Alone>, StageError>;

    /// Ends its process, from any thread; whoever waits for its answer gets a fault.
    fn stop(&self);

    /// Failures of its process that no call could report, since this thread asked last.
    fn unreported(&self) -> Vec<StageError>;
}

/// An instance of a solver that is asked alone, with its way to problems.
pub(super) trait Alone {
    /// Solves a problem from a state.
    ///
    /// # Errors
    /// A state that it refuses.
    fn solve_alone(&mut self, problem: &Problem<'_>, state: &[u8]) -> Result<Outcome, StageError>;
}

/// Result of an entrant's work on a problem, audited.
#[derive(Default)]
pub(super) struct Outcome {
    /// It gave an answer, good or bad; or why it gave none.
    pub(super) end: Option<StageError>,
    /// Failures of the solver to be told where nobody wins.
    pub(super) failed: Vec<FailedSolve>,
    pub(super) answer: Answer,
    pub(super) stats: SolverStats,
    /// Routes over bridges that led to the answer.
    pub(super) bridged_routes: Vec<(usize, Route)>,
    /// State of the solver after it.
    pub(super) state: Vec<u8>,
}

/// End of a race.
pub(super) enum Finish {
    /// The entrant at this place won.
    Won(usize, Box<Outcome>),
    /// All of them failed, in the order of their places.
    Lost(Vec<Outcome>),
}

/// A problem on its way to an entrant.
#[derive(Clone)]
struct Task {
    number: u64,
    problem: Arc<Stored>,
    tolerance: f64,
    /// State of the solver before it.
    state: Vec<u8>,
}

/// The entrants, and the races they ran.
pub(super) struct Race {
    runners: Vec<Runner>,
    done: Receiver<(usize, u64, Outcome)>,
    number: u64,
}

/// Words between an entrant's thread and the host.
#[derive(Default)]
struct Place {
    /// Number of the problem that an answer is wanted to.
    wanted: AtomicU64,
    /// Number of the problem that is being solved; 0 where none is.
    solving: AtomicU64,
    /// True from the end of its process until another is made.
    stopped: AtomicBool,
}

/// An entrant with its thread.
struct Runner {
    entrant: Arc<dyn Entrant>,
    place: Arc<Place>,
    to_do: Option<Sender<Task>>,
    /// Number of the problem that it has not come back from.
    busy: Option<u64>,
    thread: Option<JoinHandle<()>>,
}

impl Race {
    /// A race of these entrants.
    ///
    /// # Errors
    /// The system makes no thread.
    pub(super) fn new(entrants: Vec<Arc<dyn Entrant>>) -> Result<Self, StageError> {
        let (finished, done) = unbounded();
        let runners = entrants.into_iter().enumerate().map(|(k, entrant)| Runner::new(k, entrant, &finished));
        Ok(Self { runners: runners.collect::<Result<_, _>>()?, done, number: 0 })
    }

    /// Runs a problem; `states`: what every entrant begins from.
    pub(super) fn run(&mut self, problem: Stored, tolerance: f64, states: &[Vec<u8>]) -> Finish {
        self.number += 1;
        let (number, problem) = (self.number, Arc::new(problem));
        let task = |k: usize| Task { number, problem: problem.clone(), tolerance, state: states[k].clone() };
        for (k, runner) in self.runners.iter_mut().enumerate() {
            runner.place.wanted.store(number, SeqCst);
            runner.give_if_free(task(k));
        }
        let mut lost: Vec<Option<Outcome>> = self.runners.iter().map(|_| None).collect();
        while lost.iter().any(Option::is_none) {
            self.runners.iter().for_each(Runner::stop_late);
            let Ok((k, of, outcome)) = self.done.recv_timeout(NAP) else {
                self.miss_ended(&mut lost);
                continue;
            };
            self.runners[k].busy = None;
            if of != number {
                self.runners[k].give_if_free(task(k));
            } else if outcome.is_accepted() {
                return Finish::Won(k, Box::new(outcome));
            } else {
                lost[k] = Some(outcome);
            }
        }
        Finish::Lost(lost.into_iter().flatten().collect())
    }

    /// Entrants whose thread has ended give no answer any more.
    fn miss_ended(&self, lost: &mut [Option<Outcome>]) {
        for (runner, lost) in self.runners.iter().zip(lost) {
            if lost.is_none() && runner.has_ended() {
                let error = StageError::new(ErrorKind::Panicked, "the thread of a race has ended");
                *lost = Some(Outcome::refused(error));
            }
        }
    }
}

impl Runner {
    fn new(
        k: usize,
        entrant: Arc<dyn Entrant>,
        finished: &Sender<(usize, u64, Outcome)>,
    ) -> Result<Self, StageError> {
        let ((to_do, tasks), finished) = (bounded::<Task>(1), finished.clone());
        let place = Arc::<Place>::default();
        let (own, shared) = (entrant.clone(), place.clone());
        let logger = tracing::dispatcher::get_default(Clone::clone);
        let work = move || {
            let mut solver = None;
            for task in tasks {
                let number = task.number;
                let outcome = solved(&mut solver, (own.as_ref(), &shared), &task);
                shared.solving.store(0, SeqCst);
                if finished.send((k, number, outcome)).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new()
            .name(format!("entrant {k}"))
            .spawn(move || tracing::dispatcher::with_default(&logger, work))
            .map_err(|e| {
                StageError::new(ErrorKind::Other, format!("no thread can be had for a race: {e}"))
            })?;
        Ok(Self { entrant, place, to_do: Some(to_do), busy: None, thread: Some(thread) })
    }

    fn give_if_free(&mut self, task: Task) {
        let number = task.number;
        if self.busy.is_none() && self.to_do.as_ref().is_some_and(|to_do| to_do.send(task).is_ok()) {
            self.busy = Some(number);
        }
    }

    /// Ends the process of one that solves an earlier problem than the one that is wanted. One that is still being made goes on with that.
    fn stop_late(&self) {
        let (at, wanted) = (self.place.solving.load(SeqCst), self.place.wanted.load(SeqCst));
        if self.busy.is_some() && (1..wanted).contains(&at) {
            self.place.stopped.store(true, SeqCst);
            self.entrant.stop();
        }
    }

    fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Runner {
    /// The thread ends where nothing can come any more; nobody wants the answer that it is at.
    fn drop(&mut self) {
        self.to_do = None;
        self.place.wanted.store(u64::MAX, SeqCst);
        while self.busy.is_some() && !self.has_ended() {
            self.stop_late();
            std::thread::sleep(NAP / 10);
        }
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the thread of a race panicked as it ended");
        }
    }
}

impl Outcome {
    fn refused(error: StageError) -> Self {
        Self { end: Some(error), ..Self::default() }
    }

    /// Returns true for a solution, or a proof that there is none.
    fn is_accepted(&self) -> bool {
        self.end.is_none() && (self.answer.status == Status::Converged || self.answer.proved)
    }
}

/// Work of an entrant on a problem. After a fault its solver is made anew for the next one.
fn solved(
    solver: &mut Option<Box<dyn Alone>>,
    (entrant, place): (&dyn Entrant, &Place),
    task: &Task,
) -> Outcome {
    if place.stopped.swap(false, SeqCst) {
        *solver = None;
        entrant.unreported();
    }
    let work = || -> Result<Outcome, StageError> {
        let solver = match solver {
            Some(solver) => solver,
            None => solver.insert(entrant.make()?),
        };
        // Making it may have taken until the next problem. Whoever looks from here on ends it.
        place.solving.store(task.number, SeqCst);
        if place.wanted.load(SeqCst) != task.number {
            return Ok(Outcome::default());
        }
        let outcome = solver.solve_alone(&task.problem.view(task.tolerance), &task.state)?;
        // A state that could not be saved is none to go on from.
        entrant.unreported().into_iter().next().map_or(Ok(outcome), Err)
    };
    let outcome = match catch(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome.unwrap_or_else(Outcome::refused),
        Err(panic) => Outcome::refused(StageError::new(ErrorKind::Panicked, panic)),
    };
    if outcome.end.as_ref().is_some_and(|error| error.kind.is_fault()) {
        *solver = None;
        // What its end could not report was told by the fault.
        entrant.unreported();
    }
    outcome
}

#[cfg(test)]
#[path = "race_tests.rs"]
mod tests;
