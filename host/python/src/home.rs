//! The thread that a live simulation stays on: plugins may expect that an instance is made, called and dropped on one thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{JoinHandle, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors::{StateError, VinciError};

/// How often someone who waits looks whether Python has a signal for him.
const LOOK: Duration = Duration::from_millis(50);

/// How long either side looks again and again, and lends its processor meanwhile, before it sleeps: a step of a small scene takes less,
/// and to be woken costs more than that.
const AWAKE: Duration = Duration::from_micros(50);

type Job<T> = Box<dyn FnOnce(&mut T) + Send>;

/// A value that lives on a thread of its own, and is asked in turn by whoever wants something of it.
pub(crate) struct Home<T> {
    jobs: Option<Sender<Job<T>>>,
    thread: Option<JoinHandle<()>>,
    id: ThreadId,
    /// True once somebody left without the answer: the thread may be busy for ever.
    abandoned: AtomicBool,
    /// Process that the thread is in: a fork has no copy of it.
    process: u32,
}

impl<T: 'static> Home<T> {
    /// Makes the value on its thread. Python's lock is free meanwhile. `raise` turns a refusal into an exception.
    ///
    /// # Errors
    /// `make` refuses; no thread can be had.
    pub(crate) fn new<E: Send + 'static>(
        py: Python<'_>,
        make: impl FnOnce() -> Result<T, E> + Send + 'static,
        raise: impl FnOnce(E) -> PyErr,
    ) -> PyResult<Self> {
        let (jobs, inbox) = channel::<Job<T>>();
        let (made, answer) = channel();
        let live = move || match make() {
            Ok(mut value) => {
                // Who asked may be gone; then nobody asks again either.
                let _ = made.send(Ok(()));
                while let Ok(job) = awake(&inbox, Receiver::recv) {
                    job(&mut value);
                }
            }
            Err(error) => drop(made.send(Err(error))),
        };
        let builder = std::thread::Builder::new().name("vinci-simulation".to_owned());
        let thread =
            builder.spawn(live).map_err(|e| VinciError::new_err(format!("no thread can be had: {e}")))?;
        let id = thread.thread().id();
        let home = Self {
            jobs: Some(jobs),
            thread: Some(thread),
            id,
            abandoned: AtomicBool::new(false),
            process: std::process::id(),
        };
        home.waited(py, answer, || ())?.map_err(raise)?;
        Ok(home)
    }

    /// Asks the value something, and waits for the answer with Python's lock free. `interrupted` is called once where Python has a
    /// signal (Ctrl-C): the answer is still waited for, and dropped for the signal's exception. A second signal leaves without it.
    ///
    /// # Errors
    /// The question comes from the value's own thread, which could never answer, or from a fork of the process; a callable was left; the job panicked; a signal's exception.
    pub(crate) fn ask<R: Send + 'static>(
        &self,
        py: Python<'_>,
        interrupted: impl FnMut() + Send,
        question: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> PyResult<R> {
        if std::thread::current().id() == self.id {
            let advice = "a solver or controller cannot ask the simulation that is asking it: use the arguments of the call";
            return Err(StateError::new_err(advice));
        }
        if std::process::id() != self.process {
            let advice = "this process was forked, and a simulation's thread stays in the process that made it: make the simulation after \
                          the fork, or start processes by `spawn`";
            return Err(StateError::new_err(advice));
        }
        if self.abandoned.load(Ordering::SeqCst) {
            let advice = "a solver or controller of this simulation was left when it did not come back: make another simulation";
            return Err(StateError::new_err(advice));
        }
        let (reply, answer) = channel();
        let job: Job<T> = Box::new(move |value| drop(reply.send(question(value))));
        // Where the thread is gone the reply is dropped with the job, and that is told below.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
        self.waited(py, answer, interrupted)
    }

    /// Waits for an answer with Python's lock free.
    fn waited<R: Send>(
        &self,
        py: Python<'_>,
        mut answer: Receiver<R>,
        mut interrupted: impl FnMut() + Send,
    ) -> PyResult<R> {
        let mut signal = None;
        loop {
            let got;
            (answer, got) = py.detach(move || {
                let got = awake(&answer, |answer| answer.recv_timeout(LOOK));
                (answer, got)
            });
            match got {
                Ok(value) => return signal.map_or(Ok(value), Err),
                Err(RecvTimeoutError::Disconnected) => {
                    let message =
                        "the thread of the simulation has ended: this is a fault of Vinci, please report it";
                    return Err(VinciError::new_err(message));
                }
                Err(RecvTimeoutError::Timeout) => match (py.check_signals(), &signal) {
                    (Ok(()), _) => {}
                    (Err(first), None) => {
                        interrupted();
                        signal = Some(first);
                    }
                    (Err(second), Some(_)) => {
                        self.abandoned.store(true, Ordering::SeqCst);
                        return Err(second);
                    }
                },
            }
        }
    }
}

/// The first message within [`AWAKE`], else the one that `asleep` gives.
fn awake<R, E>(from: &Receiver<R>, asleep: impl FnOnce(&Receiver<R>) -> Result<R, E>) -> Result<R, E> {
    let begin = Instant::now();
    while begin.elapsed() < AWAKE {
        match from.try_recv() {
            Ok(value) => return Ok(value),
            Err(TryRecvError::Empty) => std::thread::yield_now(),
            Err(TryRecvError::Disconnected) => break,
        }
    }
    asleep(from)
}

impl<T> Drop for Home<T> {
    fn drop(&mut self) {
        self.jobs = None;
        let Some(thread) = self.thread.take() else { return };
        if std::process::id() != self.process {
            // A fork has no such thread, and would wait for ever.
            std::mem::forget(thread);
            return;
        }
        if self.abandoned.load(Ordering::SeqCst) && !thread.is_finished() {
            // It is detached: a callable that never comes back would keep this process for ever.
            return;
        }
        // Its memory is free again when this returns. A job that still runs may need Python's lock.
        Python::attach(|py| py.detach(|| drop(thread.join())));
    }
}
