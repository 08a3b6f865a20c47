//! Child processes: each makes rows of the runs it is told, and may die without harm to the others.
//!
//! The child reads lines `CASE SAMPLE RUNG` and answers each with one line, a row as JSON, on what was its standard output. That leads
//! to its error stream from then on: what plugins print is no answer. Its first answer is the hash of its plan.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use vinci_engine::registry::Registry;
use vinci_run::{Surroundings, own_stdout};

use super::journal::Line;
use super::path::Ground;
use super::plan::Plan;
use super::row::{Row, RunId, Status};
use super::single::single;
use super::stderr::StderrTail;

/// The child: answers until its input ends.
///
/// # Errors
/// Of input and output: the parent process is gone.
pub fn work(plan: &Plan, registry: &Registry) -> std::io::Result<()> {
    let mut parent = own_stdout()?;
    let mut say = |text: &str| writeln!(parent, "{text}");
    let before = Surroundings::now();
    say(&plan.shape.hash)?;
    let mut ground = Ground::default();
    let (tasks, busy) = tasks();
    for line in tasks {
        let numbers: Vec<u64> = line.split(' ').filter_map(|w| w.parse().ok()).collect();
        let [case, sample, rung] = numbers[..] else { continue };
        let started = Instant::now();
        let id = RunId { case, sample, rung: rung as u32 };
        let row = single(plan, id, registry, &mut ground);
        // Its plugins are gone; what they did to this process may not reach the next run.
        let row = match before.restore() {
            Some(damage) => Row { success: false, status: Status::Failed, ..row }.because("plugin", damage),
            None => row,
        };
        let seconds = started.elapsed().as_secs_f64();
        busy.store(false, Ordering::SeqCst);
        say(&serde_json::to_string(&Line { row, seconds, said: Vec::new() })?)?;
    }
    Ok(())
}

/// Lines of the standard input, and whether the child works on one: the flag is set here and cleared when the row is done. Where the
/// input ends meanwhile, the parent has died, and the child ends too.
fn tasks() -> (Receiver<String>, Arc<AtomicBool>) {
    let (sender, tasks) = channel();
    let busy = Arc::new(AtomicBool::new(false));
    let working = Arc::clone(&busy);
    std::thread::spawn(move || {
        for line in std::io::stdin().lines().map_while(Result::ok) {
            working.store(true, Ordering::SeqCst);
            if sender.send(line).is_err() {
                return;
            }
        }
        if working.load(Ordering::SeqCst) {
            std::process::abort();
        }
    });
    (tasks, busy)
}

/// How worker processes are made, and how long they may take.
#[derive(Debug, Clone)]
pub struct WorkerPool {
    /// This program.
    pub program: std::path::PathBuf,
    /// Its arguments as a child.
    pub arguments: Vec<std::ffi::OsString>,
    /// Number of processes.
    pub jobs: usize,
    /// Longest time of a run.
    pub timeout: Option<Duration>,
    /// Longest time until a child is ready for its first run.
    pub loading: Duration,
    /// True if what children say on their error streams is passed on.
    pub loud: bool,
}

/// How a child ended.
struct Ended {
    error: &'static str,
    message: String,
    /// True if somebody ended it from outside (SIGKILL, SIGTERM), which says nothing of its run.
    from_outside: bool,
    /// The tail of its error stream.
    said: Vec<String>,
}

/// A child with its line of answers.
pub(super) struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    stderr: StderrTail,
}

/// A child that was started.
enum Spawned {
    Ready(Worker),
    /// It was not ready in time, and is ended.
    Late(Ended),
}

impl Worker {
    /// Starts a child and waits until it is ready.
    ///
    /// # Errors
    /// No child can be made; a file of the sweep was changed.
    fn spawn(pool: &WorkerPool, hash: &str) -> std::io::Result<Spawned> {
        let mut command = Command::new(&pool.program);
        let command = command.args(&pool.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let (Some(input), Some(output), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("a child process has no pipes"));
        };
        let worker =
            Self { child, input, answers: answers(output), stderr: StderrTail::of(errors, pool.loud) };
        match worker.answers.recv_timeout(pool.loading) {
            Ok(told) if told == hash => Ok(Spawned::Ready(worker)),
            Ok(_) => Err(changed("has another plan")),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = pool.loading.as_secs_f64();
                let ended = worker.late(format!("the process was not ready for it after {seconds} s"));
                Ok(Spawned::Late(ended))
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err(changed(&format!("could not read it ({})", worker.stderr.after_end().join(" "))))
            }
        }
    }

    /// Ends the child, which took too long.
    fn late(mut self, message: String) -> Ended {
        let _ = self.child.kill();
        let _ = self.child.wait();
        Ended { error: "timeout", message, from_outside: false, said: self.stderr.after_end() }
    }

    /// Ends the child, whose answer is none.
    fn confused(self) -> Ended {
        Ended { error: "crash", ..self.late("the worker's answer is not a row of this run".into()) }
    }

    /// How the child ended, in words; it is ended if it has not.
    fn end(mut self, late: Option<Duration>) -> Ended {
        if let Some(limit) = late {
            return self.late(format!("not done after {} s", limit.as_secs_f64()));
        }
        drop(self.input);
        let status = self.child.wait();
        let from_outside = status.as_ref().is_ok_and(is_ended_from_outside);
        let how = status.map_or_else(|e| e.to_string(), |status| status.to_string());
        let message = format!("the process ended ({how})");
        Ended { error: "crash", message, from_outside, said: self.stderr.after_end() }
    }
}

/// Returns true for signals that come from somebody else: a person, a queue, a system without memory.
#[cfg(unix)]
fn is_ended_from_outside(status: &ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const SIGKILL: i32 = 9;
    const SIGTERM: i32 = 15;
    matches!(status.signal(), Some(SIGKILL | SIGTERM))
}

#[cfg(not(unix))]
fn is_ended_from_outside(_: &ExitStatus) -> bool {
    false
}

/// Answers of a child, line by line.
fn answers(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, answers) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    answers
}

/// Files that are not what they were when the sweep began; its rows so far are those of before.
fn changed(how: &str) -> std::io::Error {
    let message = format!(
        "a file of the sweep (itself, its experiment, scene or plugins) was changed while it ran, and a new child process {how}; put the files back and run it again to go on, or begin anew with --force"
    );
    std::io::Error::other(message)
}

/// Outcome of a run that a child was asked for.
enum Attempt {
    Row(Line),
    /// The child ended, or was ended, before it.
    Ended(Ended),
}

/// A place at which a child works, one after the other where they die.
pub(super) struct Slot<'a> {
    pub(super) plan: &'a Plan,
    pub(super) pool: &'a WorkerPool,
    pub(super) worker: Option<Worker>,
}

impl Slot<'_> {
    /// The row of a run, whatever happens to the child. Where somebody ends the child from outside, the run is begun once more.
    pub(super) fn row(&mut self, id: RunId) -> std::io::Result<Line> {
        let begun = Instant::now();
        let last = match self.attempt(id)? {
            Attempt::Ended(ended) if ended.from_outside => self.attempt(id)?,
            first => first,
        };
        Ok(match last {
            Attempt::Row(line) => line,
            Attempt::Ended(ended) => self.crashed(id, begun, ended),
        })
    }

    /// Asks a child for the row of a run.
    fn attempt(&mut self, id: RunId) -> std::io::Result<Attempt> {
        let spawned = match self.worker.take() {
            Some(worker) => Spawned::Ready(worker),
            None => Worker::spawn(self.pool, &self.plan.shape.hash)?,
        };
        let mut worker = match spawned {
            Spawned::Ready(worker) => worker,
            Spawned::Late(ended) => return Ok(Attempt::Ended(ended)),
        };
        worker.stderr.forget();
        match self.answer(&mut worker, id) {
            Ok(text) => match serde_json::from_str(&text) {
                Ok(line @ Line { row: Row { id: own, .. }, .. }) if own == id => {
                    self.worker = Some(worker);
                    Ok(Attempt::Row(line))
                }
                // Only a plugin that searched for our stream can have written it.
                _ => Ok(Attempt::Ended(worker.confused())),
            },
            Err(why) => {
                let late = self.pool.timeout.filter(|_| why == RecvTimeoutError::Timeout);
                Ok(Attempt::Ended(worker.end(late)))
            }
        }
    }

    /// The child's answer to a run.
    fn answer(&self, worker: &mut Worker, id: RunId) -> Result<String, RecvTimeoutError> {
        let asked = writeln!(worker.input, "{} {} {}", id.case, id.sample, id.rung);
        asked.and_then(|()| worker.input.flush()).map_err(|_| RecvTimeoutError::Disconnected)?;
        match self.pool.timeout {
            Some(limit) => worker.answers.recv_timeout(limit),
            None => worker.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    /// The row of a run whose child ended with it, or before.
    fn crashed(&self, id: RunId, started: Instant, ended: Ended) -> Line {
        let parameters = self.plan.written(&self.plan.values(id));
        let row = Row::without_end(id, parameters, self.plan.shape.measures.len(), Status::Crashed);
        let row = row.because(ended.error, ended.message);
        Line { row, seconds: started.elapsed().as_secs_f64(), said: ended.said }
    }
}

/// Ends the children: their input ends, so they do.
impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if let Some(Worker { mut child, input, .. }) = self.worker.take() {
            drop(input);
            let _ = child.wait();
        }
    }
}
