//! Child processes: each makes rows of the runs it is told, and may die without harm to the others.
//!
//! The child reads lines `CASE SAMPLE RUNG` and answers each with one line, a row as JSON behind the character U+001E (what plugins
//! print goes before it and is passed over). Its first answer is the hash of its plan.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::registry::Registry;

use super::journal::Line;
use super::path::Ground;
use super::plan::Plan;
use super::row::{Row, RunId, Status};
use super::single::single;

const MARK: char = '\u{1e}';

/// The child: answers until its input ends.
///
/// # Errors
/// Of input and output: nobody is left to answer to.
pub fn work(plan: &Plan, registry: &Registry) -> std::io::Result<()> {
    let say = |text: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{MARK}{text}").and_then(|()| out.flush())
    };
    say(&plan.shape.hash)?;
    let mut ground = Ground::default();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let numbers: Vec<u64> = line.split(' ').filter_map(|w| w.parse().ok()).collect();
        let [case, sample, rung] = numbers[..] else { continue };
        let started = Instant::now();
        let row = single(plan, RunId { case, sample, rung: rung as u32 }, registry, &mut ground);
        say(&serde_json::to_string(&Line { row, seconds: started.elapsed().as_secs_f64() })?)?;
    }
    Ok(())
}

/// How children are made, and how long they may take.
#[derive(Debug, Clone)]
pub struct Crew {
    /// This program.
    pub program: std::path::PathBuf,
    /// Its arguments as a child.
    pub arguments: Vec<std::ffi::OsString>,
    /// How many.
    pub jobs: usize,
    /// Longest time of a run.
    pub timeout: Option<Duration>,
}

/// A child with its line of answers.
pub(super) struct Worker {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Worker {
    fn hire(crew: &Crew, hash: &str) -> std::io::Result<Self> {
        let mut command = Command::new(&crew.program);
        let command = command.args(&crew.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("a child process has no pipes"));
        };
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                let Some(at) = line.rfind(MARK) else { continue };
                if sender.send(line[at + MARK.len_utf8()..].to_owned()).is_err() {
                    return;
                }
            }
        });
        let worker = Self { child, input, answers };
        match worker.answers.recv() {
            Ok(told) if told == hash => Ok(worker),
            Ok(_) => Err(std::io::Error::other("files of the sweep were changed while it ran")),
            Err(_) => Err(std::io::Error::other("a child process could not read the sweep")),
        }
    }

    /// How the child ended, in words; it is ended if it has not.
    fn end(mut self, late: Option<Duration>) -> (String, String) {
        if let Some(limit) = late {
            let _ = self.child.kill();
            let _ = self.child.wait();
            return ("timeout".into(), format!("not done after {} s", limit.as_secs_f64()));
        }
        drop(self.input);
        let how = self.child.wait().map_or_else(|e| e.to_string(), |status| status.to_string());
        ("crash".into(), format!("the process ended ({how})"))
    }
}

/// A place at which a child works, one after the other where they die.
pub(super) struct Slot<'a> {
    pub(super) plan: &'a Plan,
    pub(super) crew: &'a Crew,
    pub(super) worker: Option<Worker>,
}

impl Slot<'_> {
    /// The row of a run, whatever happens to the child.
    pub(super) fn row(&mut self, id: RunId) -> std::io::Result<Line> {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::hire(self.crew, &self.plan.shape.hash)?,
        };
        let started = Instant::now();
        let asked = writeln!(worker.input, "{} {} {}", id.case, id.sample, id.rung)
            .and_then(|()| worker.input.flush());
        let answer = match (asked, self.crew.timeout) {
            (Err(_), _) => Err(RecvTimeoutError::Disconnected),
            (Ok(()), Some(limit)) => worker.answers.recv_timeout(limit),
            (Ok(()), None) => worker.answers.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match answer {
            Ok(text) => {
                self.worker = Some(worker);
                Ok(serde_json::from_str(&text)?)
            }
            Err(why) => {
                let late = self.crew.timeout.filter(|_| why == RecvTimeoutError::Timeout);
                let (error, message) = worker.end(late);
                let parameters = self.plan.written(&self.plan.values(id));
                let row = Row::without_end(id, parameters, self.plan.shape.measures.len(), Status::Crashed);
                Ok(Line { row: row.because(error, message), seconds: started.elapsed().as_secs_f64() })
            }
        }
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
